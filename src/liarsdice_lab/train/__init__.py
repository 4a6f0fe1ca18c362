"""Training of the neural bot.

Imports torch (the extra `train`), `arena` and `exploitability`, and the game below `server`.
Start with `trainer.py`; the settings of a run are in `config.py`.
"""
