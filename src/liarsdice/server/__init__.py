"""The browser table: a server on which people and bots play any ruleset together."""
