"""`azjax evaluate`."""

import dataclasses
import itertools
import json
from collections.abc import Sequence
from typing import Annotated

import tyro

from azjax.agents.evaluate import match_settings
from azjax.agents.player_spec import NamedPlayer, load_players
from azjax.cli.output import console, describe_forfeits, make_table, warn, working
from azjax.cli.players import MatchOptions
from azjax.config.flags import parse_flags
from azjax.engines.sgf import check_sgf, make_games_folder, write_game
from azjax.evaluation import Counts, MatchResult, play_match
from azjax.support.errors import input_errors, writing_errors
from azjax.support.plurals import count


@dataclasses.dataclass(frozen=True)
class EvaluateOptions(MatchOptions):
    """Play a match between two players, as many games from either seat.

    A player is random, tactical, minimax, minimax:depth=3, mcts:simulations=1000, truth, an agent
    that comes with azjax, such as connect_four, a FILE.npz of `azjax export`, or a run: FOLDER,
    FOLDER@best, FOLDER@ITERATION. Agents take options, as in FOLDER:simulations=64,search=puct
    (simulations=0 is the policy alone; seconds=1 searches each position for a second; rollouts=0.5
    mixes rollouts into the leaves' values).

    gtp:COMMAND is an engine that speaks GTP, such as 'gtp:gnugo --mode gtp'; uci:COMMAND one that
    speaks UCI, with options of its own, such as 'uci:stockfish,Skill Level=3,nodes=1000'; perfect
    is a perfect player of Connect Four (pip install bitbully).
    """

    player: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="PLAYER")]
    """The player whose result is printed."""
    opponent: str = "random"
    """The other player."""
    games: int = 1000
    """The number of games, even."""
    opening_moves: int | None = None
    """Random moves at the start of each pair of games; if not given, 2 if both players are
    deterministic, so that the games differ, else 0."""
    json: bool = False
    """Print JSON instead of a table."""


def evaluate_command(arguments: list[str]) -> None:
    """Runs `azjax evaluate PLAYER ...`."""
    options = parse_flags(EvaluateOptions, arguments, "azjax evaluate")
    names = [options.player, options.opponent]
    player, opponent = load_players(names, options.game, options.simulations, options.engines)
    warn(player.warnings + opponent.warnings)
    settings = match_settings(player, opponent, options.games, options.opening_moves, options.seed)
    if options.sgf is not None:
        with input_errors(), writing_errors(options.sgf):
            check_sgf(player.game)
            make_games_folder(options.sgf)
    both, failures = (player.name, opponent.name), list[OSError]()
    ended = itertools.count(1)
    task = f"{player.description} against {opponent.description}, {options.games:,} games"
    with working(task, is_quiet=options.json) as show:

        def take_game(number: int, actions: Sequence[int], reward: int) -> None:
            show(f"{next(ended):,} of {options.games:,} games so far")
            if options.sgf is None or failures:
                return
            try:
                write_game(options.sgf, player.game, both, number, actions, reward)
            except OSError as error:  # told at the end: the match took long
                failures.append(error)

        result = play_match(player.game, player.player, opponent.player, settings, take_game)
    if options.json:
        conditions = {"opening_moves": settings.opening_moves, "seed": options.seed}
        print(json.dumps(_as_json(player, opponent, conditions, result)), flush=True)
    else:
        _print_result(both, settings.opening_moves, result)
    if options.sgf is not None and failures:
        with writing_errors(options.sgf):
            raise failures[0]


def _as_json(
    player: NamedPlayer, opponent: NamedPlayer, conditions: dict[str, int], result: MatchResult
) -> dict[str, object]:
    found = ("wins", "draws", "losses", "score", "interval", "probability_stronger")
    return {
        "player": player.name,
        "iteration": player.iteration,
        "opponent": opponent.name,
        "game": player.game.name,
        "simulations": player.simulations,
        "opponent_simulations": opponent.simulations,
        **conditions,
        "games": result.num_games,
        **{name: getattr(result, name) for name in found},
        "forfeits": dict(zip(["player", "opponent"], result.forfeits, strict=True)),
        "moving_first": result.moving_first._asdict(),
        "moving_second": result.moving_second._asdict(),
    }


def _print_result(names: tuple[str, str], opening_moves: int, result: MatchResult) -> None:
    title = " against ".join(names)
    table = make_table(title, "moving first", "moving second", "all")
    by_seat = zip(result.moving_first, result.moving_second, strict=True)
    for name, (first, second) in zip(Counts._fields, by_seat, strict=True):
        table.add_row(name, str(first), str(second), str(first + second))
    console.print(table)
    if opening_moves:
        console.print(f"each pair of games begins with {count(opening_moves, 'random move')}")
    warn(describe_forfeits(names, result))
    low, high = result.interval
    console.print(f"score {result.score:.2%}, 95% interval {low:.2%} to {high:.2%}")
    console.print(f"probability of being the stronger player {result.probability_stronger:.2%}")
