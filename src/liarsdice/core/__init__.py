"""The rules engine: rulesets, bids, the event log of a match, views, records and the prose that tells them.

Imports the standard library and msgspec only.
Start with `engine/engine.py`: `legal`, `decide` and `evolve`.
"""
