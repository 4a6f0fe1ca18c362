"""The neural bot: observations, features, the network, beliefs and explanations.

Imports numpy, `bots.simple`, `values` and `core`.
Start with `champion.py`.
"""
