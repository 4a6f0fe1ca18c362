"""The rules engine: rulesets, bids, events and the three questions asked of them."""
