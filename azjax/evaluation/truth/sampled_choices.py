"""The moves of a player in all positions of a game; of a random one, many samples of them."""

import jax
import numpy as np

from azjax.evaluation.players.choices import choose_actions
from azjax.evaluation.players.player import Player
from azjax.evaluation.truth.best_response import exploitability
from azjax.evaluation.truth.solution import mark_chosen, solve
from azjax.evaluation.truth.solved_positions import SolvedPositions
from azjax.games import Game


def sample_choices(
    game: Game, player: Player, positions: SolvedPositions, num_batches: int, num_devices: int
) -> np.ndarray:
    """Returns [S, P], samples of a player's moves in all P positions.

    The first batch is a move in each position. Further ones are as large, and sample the positions
    that the player can reach, until an opponent wins against the moves so far.

    Args:
      game: A game that `solve` solves.
      player: The player, whose moves depend on the keys.
      positions: Those of `all_positions(game)`.
      num_batches: The most batches.
      num_devices: The positions are sharded over so many devices.
    """

    def choose(indices: np.ndarray, batch: int) -> np.ndarray:
        states = jax.tree.map(lambda x: np.asarray(x)[indices], positions.states)
        keys = jax.random.split(jax.random.key(batch), len(indices))
        return choose_actions(player, states, keys, num_devices)

    size = len(positions.is_best)
    samples = choose(np.arange(size), 0)[None]
    for batch in range(1, num_batches):
        if exploitability(game, samples):
            break
        reached = np.flatnonzero(_reached(game, samples))
        at_once = size // len(reached)
        actions = choose(np.resize(reached, size), batch)[: at_once * len(reached)]
        more = np.repeat(samples[:1], at_once, axis=0)
        more[:, reached] = actions.reshape(at_once, -1)
        samples = np.concatenate([samples, more])
    return samples


def _reached(game: Game, samples: np.ndarray) -> np.ndarray:
    """Returns bool[P]: the positions where a player of these moves is to move in some game."""
    solution, is_chosen = solve(game), mark_chosen(game, samples)
    states, is_found = solution.states, np.zeros(len(solution.value), bool)
    for seat in (0, 1):
        own_turn = states.current_player == seat
        is_played = (solution.children >= 0) & (is_chosen | ~own_turn[:, None])
        frontier, is_visited = np.array([0]), np.zeros(len(solution.value), bool)
        while len(frontier):
            is_visited[frontier] = True
            after = np.unique(solution.children[frontier][is_played[frontier]])
            frontier = after[~is_visited[after]]
        is_found |= is_visited & own_turn
    return is_found[~states.terminated]
