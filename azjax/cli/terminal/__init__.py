"""Play in the terminal: the game with a person, and boards and searches as text."""
