"""Exact play: rules as arrays, the public tree of a round, and the solvers on it."""
