"""The neural bot: observations, features, the network, beliefs and explanations.

Imports numpy, `bots.simple`, `solve.strategy` and `core`.
Start with `champion.py`.
"""
