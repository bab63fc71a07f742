"""Holds a game to the laws, and reports what random play tells of one that obeys them."""

import dataclasses
import functools
from collections.abc import Iterator

import jax
import numpy as np

from azjax import games
from azjax.games.game import Game
from azjax.games.laws.interface import check_interface, check_notation, check_static
from azjax.games.laws.moves import check_moves
from azjax.games.laws.playout import Playout, batched, play_randomly, slice_of
from azjax.games.laws.positions import (
    check_batches,
    check_positions,
    check_symmetric_play,
    count_positions,
    most_alike,
)
from azjax.games.state_values import rows_as_bytes
from azjax.support.errors import input_errors
from azjax.support.front_door import front_door

_NUM_GAMES_OF_PLUGIN = 16  # a second or two
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


@front_door
def check_game(game: Game, num_games: int = 64, seed: int = 0) -> GameReport:
    """Holds a game to the laws, as far as random games show.

    Args:
      game: The game.
      num_games: The number of games; 16 take a second or two beyond compiling. Games that would
        take much memory are fewer.
      seed: Of the games.

    Returns:
      Statistics of the games. Some mistakes obey the laws, such as a line that loses where it
      should win: a person finds them there.

    Raises:
      BrokenLawError: A law is broken; it is the first in the order of `Law`, or nearly.
    """
    jax.devices()  # else a missing device reads as an error of the game
    check_interface(game)
    play = play_randomly(game, num_games, seed)
    check_moves(play)
    check_positions(play)
    symmetries_played = check_symmetric_play(play)
    check_batches(play, seed)
    check_notation(play)
    return _make_report(play, symmetries_played)


def check_plugin_game(name: str) -> list[str]:
    """Checks a game that a plug-in has registered in random play; returns warnings of it.

    Raises:
      InputError: A law is broken.
    """
    if games.plugin_of_game(name) is None:
        return []
    with input_errors():
        game = games.make(name)
        check_static(game)  # reports are cached by the game
        return list(_check_once(game).warnings)


@functools.cache
def _check_once(game: Game) -> GameReport:
    return check_game(game, _NUM_GAMES_OF_PLUGIN)


def _make_report(play: Playout, symmetries_played: int) -> GameReport:
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
        starts=len(set(rows_as_bytes(slice_of(play.states, 0)))),
        longest_game=int(num_moves.max()),
        max_moves=play.game.max_moves,
        mean_legal_actions=float(play.views.mask.sum(axis=-1)[unfinished].mean()),
        depends_on_mover=_depends_on_mover(play),
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
        warnings=tuple(_warnings(rewards[:, 0], mover, most_alike(play))),
    )


def _depends_on_mover(play: Playout) -> bool:
    """Tells whether observations change where the other player is to move, all else equal."""
    states = slice_of(play.states, len(play.actions) // 2)
    swapped = states._replace(current_player=1 - states.current_player)  # type: ignore[attr-defined]
    observations = batched(play.game).look(swapped).observation
    return bool((observations != play.views.observation[len(play.actions) // 2]).any())


def _warnings(result: np.ndarray, last_mover: np.ndarray, num_alike: int) -> Iterator[str]:
    """Yields what is often a mistake, given results [B] of player 0 and who moved last [B].

    At most `num_alike` positions have the same observation.
    """
    decided = result != 0
    winner, last = np.where(result == 1, 0, 1)[decided], last_mover[decided]
    ends = [int((last == player).sum()) for player in (0, 1)]
    if not decided.any():
        yield "all games are draws: random play finds no winner"
    elif (winner != last).all():
        yield "who moves last never wins: rewards have the wrong sign, or it is a rule"
    if len(set(winner.tolist())) == 1 and min(ends) >= _FEWEST_ENDS:
        other = 1 - winner[0]
        yield (
            f"player {winner[0]} wins all {len(winner)} decided games, also the {ends[other]} that "
            f"a move of player {other} ends: check that rewards are by player, not by mover"
        )
    if num_alike > _USUALLY_ALIKE:
        yield (
            f"{num_alike} positions have the same observation, so the network cannot tell them "
            "apart: a mistake, unless they differ in history alone, as in Go"
        )
