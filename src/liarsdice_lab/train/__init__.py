"""Training of the neural bot; nothing imports this package at run time.

Imports torch (the extra `train`), `bots`, `sim`, `runtime` and `core`.
Start with `trainer.py`; the settings of a run are in `config.py`.
"""
