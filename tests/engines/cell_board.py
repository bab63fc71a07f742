"""The moves of a small game as if UCI wrote them: its cells."""

import numpy as np


class CellBoard:
    """A `UciBoard` of any game of azjax."""

    variant = "chess"

    def __init__(self, game):
        self._game = game

    def format(self, state, action):
        return self._game.format_action(action)

    def legal_moves(self, state, legal):
        return {self._game.format_action(a): a for a in np.flatnonzero(legal).tolist()}
