"""How the shipped neural bot was made; nothing imports this room at run time."""
