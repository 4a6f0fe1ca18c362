"""The version of the package.

It stands alone so that every layer can read it without importing the public API, which reaches all layers.
"""

__version__ = "1.0.0"
