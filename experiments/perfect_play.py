"""Answers: in how many games against perfect play does a player of Connect Four never err?

python experiments/perfect_play.py connect_four:simulations=512

The opponent is `perfect`, which never gives anything away, so the result of a game tells whether
the player kept what the position was worth. It moves first from the empty board, which is won, and
then from random openings that are not lost. It needs BitBully: pip install bitbully.
"""

import contextlib
import dataclasses
import sys
from collections.abc import Iterator
from typing import Annotated

import chex
import jax
import numpy as np
import scipy.stats
import tyro

from azjax.agents.engine_player import PERFECT, EngineSettings
from azjax.agents.player_spec import NamedPlayer, load_players
from azjax.cli.output import console, warn
from azjax.cli.process import exit_with_one_line, prepare_jax
from azjax.config.flags import parse_flags
from azjax.engines.engine_process import engine_errors
from azjax.engines.perfect import PerfectScores
from azjax.evaluation import Openings, play_openings, sample_openings
from azjax.games import Game
from azjax.support.plurals import count
from azjax.support.validation import check_at_least, check_even, check_range, check_seed

_GAME = "connect_four"
_MOST_MOVES = 12  # of an opening: the plies of BitBully's book
_SAMPLED_OPENINGS = 1024  # all 49 of two moves are among them


@dataclasses.dataclass(frozen=True)
class Options:
    """Play Connect Four against a perfect player, and count the games whose value is kept."""

    player: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="PLAYER")]
    """The player, by a name as of azjax evaluate."""
    simulations: int = 512
    """The simulations of an agent's search, unless its name gives them."""
    games: int = 100
    """Games from the empty board."""
    opening_games: int = 200
    """Games from openings, in which the player is to move and does not lose with best play."""
    opening_moves: int = 2
    """Random moves of an opening."""
    seed: int = 0
    """The seed of the openings and of the games."""
    processes: int = 32
    """Processes of the perfect player, even, with a game in each, all of which move together."""

    def __post_init__(self):
        """Raises ValueError if a number is out of range."""
        check_at_least("games", self.games, 1)
        check_at_least("opening_games", self.opening_games, 1)
        check_range("opening_moves", self.opening_moves, 1, _MOST_MOVES)
        check_even("processes", self.processes, 2)
        check_seed(self.seed)


def main(arguments: list[str] | None = None) -> None:
    """Plays the games of the options; prints each result when it is there."""
    arguments = sys.argv[1:] if arguments is None else arguments
    with exit_with_one_line():
        prepare_jax()
        options = parse_flags(Options, arguments, "perfect_play.py")
        engines = EngineSettings(engine_processes=options.processes)
        names = [options.player, PERFECT]
        player, perfect = load_players(names, _GAME, options.simulations, engines)
        warn(player.warnings)
        console.print(f"{options.player} to move, against perfect play", soft_wrap=True)
        for line in measure(player, perfect, options):
            console.print(line, soft_wrap=True)


def measure(player: NamedPlayer, perfect: NamedPlayer, options: Options) -> Iterator[str]:
    """Yields a line for each kind of openings: in how many games the player keeps their value."""
    keys = jax.random.split(jax.random.key(options.seed), 4)
    moves = count(options.opening_moves, "random move")
    with contextlib.closing(PerfectScores(player.game)) as scores:
        empty = sample_openings(player.game, options.games, 0, keys[0])
        kept = sample_kept_openings(
            player.game, scores, options.opening_moves, options.opening_games, keys[1]
        )
        for title, openings, key in (
            ("empty board", empty, keys[2]),
            (f"openings of {moves}", kept, keys[3]),
        ):
            is_kept = play(player, perfect, scores, openings, key)
            interval = f"95% interval {describe_interval(is_kept)}"
            yield f"{title}: value kept in {is_kept.sum()} of {len(is_kept)}, {interval}"


def sample_kept_openings(
    game: Game, scores: PerfectScores, num_moves: int, num_games: int, key: chex.PRNGKey
) -> Openings:
    """Returns random openings in which the player to move does not lose with best play.

    They differ as far as there are enough of them; else each occurs about as often.
    """
    sampled = sample_openings(game, _SAMPLED_OPENINGS, num_moves, key)
    # A move that would end the game is left out, and then the other player may be to move.
    sampled = take(sampled, (sampled.actions >= 0).sum(axis=1) == num_moves)
    _, first = np.unique(sampled.actions, axis=0, return_index=True)
    distinct = take(sampled, np.sort(first))
    return take(distinct, np.resize(np.flatnonzero(find_values(scores, distinct) >= 0), num_games))


def play(
    player: NamedPlayer,
    perfect: NamedPlayer,
    scores: PerfectScores,
    openings: Openings,
    key: chex.PRNGKey,
) -> np.ndarray:
    """Returns bool[P]: whether the player, who is to move, gets what each opening is worth."""
    [seat] = set(np.asarray(openings.states.current_player).tolist())  # all have as many moves
    devices = len(jax.devices())
    result = play_openings(
        player.game, player.player, perfect.player, openings, key, devices, seats=(seat,)
    )
    return result.rewards[:, seat] >= find_values(scores, openings)


def take(openings: Openings, indices: np.ndarray | int) -> Openings:
    """Returns some of the openings."""
    return jax.tree.map(lambda x: np.asarray(x)[indices], openings)


def find_values(scores: PerfectScores, openings: Openings) -> np.ndarray:
    """Returns [P]: 1, 0 or -1 for the player to move, with best play.

    Raises:
      RunError: The solver fails.
    """
    states = (take(openings, i).states for i in range(len(openings.actions)))
    with engine_errors(PERFECT):
        return np.array([np.sign(max(scores(state).values())) for state in states])


def describe_interval(is_kept: np.ndarray) -> str:
    """Returns Wilson's interval of the share of games, in percent."""
    low, high = scipy.stats.binomtest(int(is_kept.sum()), len(is_kept)).proportion_ci(
        method="wilson"
    )
    return f"{100 * low:.1f} to {100 * high:.1f}%"


if __name__ == "__main__":
    main()
