"""Liar's Dice, every way it is played."""

__version__ = "0.1.0"
