"""Groups of friends who meet again: their members, games and seasons, and what their matches add up to.

A group is a page behind a link. Its members are recognised as the players of a table are, by the tokens of their
browsers.
"""
