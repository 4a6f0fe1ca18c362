"""The neural bot: observations, features, the network, beliefs and explanations.

Imports numpy, `bots.simple`, `state_value`, `solve.strategy` and `core`.
Start with `champion.py`.
"""
