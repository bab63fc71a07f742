"""What random play tells of a game that obeys the laws, for a person to read."""

import dataclasses

import jax
import numpy as np

from azjax.games.game import State
from azjax.games.laws.playout import Playout
from azjax.games.laws.positions import count_positions, depends_on_mover, most_alike

_FEWEST_ENDS = 3  # by each player's move, before they are compared
_USUALLY_ALIKE = 2  # positions: one and the same with colours swapped


@dataclasses.dataclass(frozen=True)
class GameReport:
    """Statistics of random games; the last three shares are of the player who moves last."""

    game: str
    games: int
    positions: int  # different ones, finished ones among them
    starts: int  # different ones
    longest_game: int  # in moves
    max_moves: int
    mean_legal_actions: float  # of unfinished positions
    depends_on_mover: bool  # whether an observation tells who moves; not in Nim, say
    moves_again: float  # share of moves after which the same player is to move
    first_wins: float  # share of games that player 0 wins
    draws: float
    second_wins: float
    last_mover_wins: float
    last_mover_draws: float
    last_mover_loses: float
    symmetries: int
    symmetries_played: int  # those under which games were compared, the identity among them
    max_positions: float
    warnings: tuple[str, ...]  # what obeys the laws and yet is often a mistake


def make_report(play: Playout, symmetries_played: int) -> GameReport:
    """Returns the statistics of a playout."""
    num_moves, num_games = play.lasts.sum(axis=0), play.actions.shape[1]
    last = num_moves - 1, np.arange(num_games)
    mover = play.states.current_player[last]
    rewards = play.states.rewards[-1]
    result = rewards[np.arange(num_games), mover]
    stays = (play.after.current_player == play.before.current_player)[play.lasts]
    unfinished = ~play.states.terminated
    return GameReport(
        game=play.game.name,
        games=num_games,
        positions=count_positions(play),
        starts=_count_starts(play.states),
        longest_game=int(num_moves.max()),
        max_moves=play.game.max_moves,
        mean_legal_actions=float(play.views.mask.sum(axis=-1)[unfinished].mean()),
        depends_on_mover=depends_on_mover(play),
        moves_again=float(stays.mean()),
        first_wins=float((rewards[:, 0] == 1).mean()),
        draws=float((rewards[:, 0] == 0).mean()),
        second_wins=float((rewards[:, 1] == 1).mean()),
        last_mover_wins=float((result == 1).mean()),
        last_mover_draws=float((result == 0).mean()),
        last_mover_loses=float((result == -1).mean()),
        symmetries=len(play.game.symmetries.cells),
        symmetries_played=symmetries_played,
        max_positions=float(play.game.max_positions),
        warnings=(*_warnings(rewards[:, 0], mover), *_warn_alike(play)),
    )


def _warn_alike(play: Playout) -> list[str]:
    """Returns a warning if observations merge positions."""
    num_alike = most_alike(play)
    if num_alike <= _USUALLY_ALIKE:
        return []
    return [
        f"{num_alike} positions have the same observation, so the network cannot tell them apart: "
        "a mistake, unless they differ in history alone, as in Go"
    ]


def _count_starts(states: State) -> int:
    leaves = [leaf[0].reshape(leaf.shape[1], -1) for leaf in jax.tree.leaves(states)]
    return len(np.unique(np.concatenate(leaves, axis=1), axis=0))


def _warnings(result: np.ndarray, last_mover: np.ndarray) -> tuple[str, ...]:
    """Returns what is often a mistake.

    Args:
      result: [B] the reward of player 0.
      last_mover: [B] the player whose move ended the game.
    """
    decided = result != 0
    if not decided.any():
        return ("all games are draws: random play finds no winner",)
    winner = np.where(result == 1, 0, 1)[decided]
    last = last_mover[decided]
    warnings = []
    if (winner != last).all():
        warnings.append("who moves last never wins: rewards have the wrong sign, or it is a rule")
    ends = [int((last == player).sum()) for player in (0, 1)]
    if len(set(winner.tolist())) == 1 and min(ends) >= _FEWEST_ENDS:
        other = 1 - winner[0]
        warnings.append(
            f"player {winner[0]} wins all {len(winner)} decided games, also the {ends[other]} that "
            f"a move of player {other} ends: check that rewards are by player, not by mover"
        )
    return tuple(warnings)
