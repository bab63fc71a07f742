"""The record of one game."""

from typing import NamedTuple

import jax

from azjax.evaluation.players.host_players import HostPlayer, choose_action, open_match
from azjax.evaluation.players.player import Player
from azjax.games import Game, State


class GameRecord(NamedTuple):
    """The T moves of a game, and the positions from its start to its end."""

    states: list[State]  # T + 1
    actions: list[int]  # T


def record_game(
    game: Game, first: Player | HostPlayer, second: Player | HostPlayer, seed: int
) -> GameRecord:
    """Plays one game, with `first` in seat 0, and returns its record."""
    start_key, play_key = jax.random.split(jax.random.key(seed))
    states = [game.init(start_key)]
    actions: list[int] = []
    with open_match(first) as opened_first, open_match(second) as opened_second:
        while not (state := states[-1]).terminated:
            player = (opened_first, opened_second)[int(state.current_player)]
            key = jax.random.fold_in(play_key, len(actions))
            actions.append(choose_action(player, state, key, actions))
            states.append(game.step(state, actions[-1]))
    return GameRecord(states, actions)
