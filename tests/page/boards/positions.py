"""Positions to render."""

import functools
from typing import Any, NamedTuple

import jax
import numpy as np

from azjax.games import Game, make
from azjax.page.boards import Marks, explain_illegal, moves_off_board, render_board

from .picture import Picture


class Position(NamedTuple):
    """An unbatched state, its legal actions, and the action that led to it."""

    game: Game
    state: Any
    legal: tuple[int, ...]
    last: int | None = None

    def render(self, **marks) -> Picture:
        return Picture(self.svg(**marks))

    def svg(self, **marks) -> str:
        return render_board(self.game, self.state, self.legal, Marks(**marks))

    def explain(self, cell: str) -> str:
        return explain_illegal(self.game, self.state, self.legal, cell)

    def off_board(self) -> list[int]:
        return moves_off_board(self.game, self.legal)

    def action(self, move: str) -> int:
        return self.game.parse_action(move)


@functools.cache
def _compiled(game):
    return jax.jit(game.legal_action_mask), jax.jit(game.step)


def _read(game, state, last=None):
    legal = np.flatnonzero(_compiled(game)[0](state)).tolist()
    return Position(game, jax.device_get(state), tuple(legal), last)


def start(game):
    return _read(game, game.init(jax.random.key(0)))


def play(game, *moves):
    position = start(game)
    for move in moves:
        assert position.action(move) in position.legal
        position = _step(position, position.action(move))
    return position


def play_at_random(game, num_moves):
    """Returns the position after so many moves, or before the one that would end the game."""
    random, position = np.random.default_rng(0), start(game)
    for _ in range(num_moves):
        after = _step(position, int(random.choice(position.legal)))
        if not after.legal:
            break
        position = after
    return position


def at(name, text):
    game = make(name)
    return _read(game, game.parse_state(text))


def _step(position, action):
    return _read(position.game, _compiled(position.game)[1](position.state, action), action)
