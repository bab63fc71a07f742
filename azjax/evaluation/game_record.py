"""The record of one game."""

from typing import NamedTuple

import jax
import numpy as np

from azjax.evaluation.choices import choose_actions
from azjax.evaluation.players import Player
from azjax.games import Game, State


class GameRecord(NamedTuple):
    """The T moves of a game, and the positions from its start to its end."""

    states: list[State]  # T + 1
    actions: list[int]  # T


def record_game(game: Game, first: Player, second: Player, seed: int) -> GameRecord:
    """Plays one game, with `first` in seat 0, and returns its record."""
    start_key, play_key = jax.random.split(jax.random.key(seed))
    step = jax.jit(game.step)
    states = [game.init(start_key)]
    actions: list[int] = []
    while not (state := states[-1]).terminated:
        player = (first, second)[int(state.current_player)]
        keys = jax.random.fold_in(play_key, len(actions))[None]
        batch = jax.tree.map(lambda x: np.asarray(x)[None], state)
        actions.append(int(choose_actions(player, batch, keys)[0]))
        states.append(step(state, actions[-1]))
    return GameRecord(states, actions)
