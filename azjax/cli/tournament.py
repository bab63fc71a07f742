"""`azjax tournament`."""

import dataclasses
import itertools
import math
import pathlib
import signal
from typing import Annotated, Any

import jax
import numpy as np
import tyro

from azjax.agents.engine_player import is_engine
from azjax.agents.player_spec import NamedPlayer, load_players
from azjax.agents.tournament_record import FILES, TournamentRecord
from azjax.cli.output import console, describe_forfeits, make_table, warn, working
from azjax.cli.players import MatchOptions
from azjax.cli.process import go_on_without_output, interrupted_with
from azjax.config.flags import parse_flags
from azjax.engines.sgf import check_sgf, make_games_folder, write_games
from azjax.evaluation import Match, MatchSettings, Standings, play_round_robin
from azjax.runs.storage.checkpoints import past_iterations, spread_evenly
from azjax.runs.storage.run_folders import open_run
from azjax.support.errors import InputError, input_errors, writing_errors
from azjax.support.files.ownership import owned
from azjax.support.plurals import count
from azjax.support.signals import interrupts

_ANCHOR = "random"
_MOST_CHECKPOINTS = 8


@dataclasses.dataclass(frozen=True)
class TournamentOptions(MatchOptions):
    """Play a round-robin tournament, and rate the players in Elo above the random player.

    Players are named as in `azjax evaluate`; random takes part even if it is not named. The same
    command continues a tournament that was stopped. With --sgf each match has a folder.
    """

    players: Annotated[
        tyro.conf.Positional[list[str]], tyro.conf.arg(metavar="PLAYER [PLAYER ...]")
    ]
    """The players; one run with --checkpoints."""
    checkpoints: bool = False
    """Rate a run against its own history: up to 8 of the networks that it has saved."""
    games: int = 200
    """The number of games of each match, even."""
    opening_moves: int = 4
    """Random moves at the start of each pair of games; all matches start from the same openings."""
    out: pathlib.Path = pathlib.Path("tournament")
    """The folder for matches.jsonl, tournament.json and ratings.png."""


def tournament_command(arguments: list[str]) -> None:
    """Runs `azjax tournament PLAYER PLAYER ...`."""
    options = parse_flags(TournamentOptions, arguments, "azjax tournament")
    go_on_without_output()
    names = _past_networks(options.players) if options.checkpoints else list(options.players)
    if len(set(names)) < len(names):
        raise InputError(f"a player takes part once: {', '.join(names)}")
    names += [_ANCHOR] if _ANCHOR not in names else []
    if names == [_ANCHOR]:
        raise InputError("which players? name at least one beside random")
    players = load_players(names, options.game, options.simulations, options.engines)
    settings = MatchSettings(options.games, options.opening_moves, options.seed, len(jax.devices()))
    game = players[0].game
    with input_errors():
        settings.check(game)
        if options.sgf is not None:
            check_sgf(game)
    record = TournamentRecord(options.out, players, _conditions(options, players))
    record.check()
    warn([warning for player in players for warning in player.warnings])
    num_matches = math.comb(len(players), 2)
    of_games = f"{count(num_matches, 'match')} of {options.games:,} games at {game.name}"
    described = ", ".join(player.description for player in players)
    console.print(f"{of_games}: {described}", soft_wrap=True)
    again = "the matches that have ended are saved, and the same command continues"
    with owned(options.out) as owner, interrupted_with(again), interrupts(signal.SIGTERM):
        record.check()  # another process may have begun one since

        def save(match: Match) -> None:
            owner.check()
            record.append(match)
            done.append(match)
            ended.clear()
            _report_match(players, match)
            if options.sgf is not None:
                both = players[match.first].name, players[match.second].name
                folder = _match_folder(options.sgf, match.first, match.second)
                write_games(folder, game, both, match.result.actions, match.result.rewards)

        played = record.begin()
        if options.sgf is not None:
            pairs = set(itertools.combinations(range(len(players)), 2))
            with input_errors(), writing_errors(options.sgf):
                for pair in pairs - {(match.first, match.second) for match in played}:
                    make_games_folder(_match_folder(options.sgf, *pair))
        if played:
            console.print(f"{count(len(played), 'match')} of them were played before")
        anchor, taking_part = names.index(_ANCHOR), [player.player for player in players]
        done, ended = list(played), list[int]()
        with working(f"match {min(len(done) + 1, num_matches)} of {num_matches}") as show:

            def show_game(number: int, *_: object) -> None:
                ended.append(number)
                show(f"match {len(done) + 1}: {len(ended):,} of {options.games:,} games so far")

            standings = play_round_robin(
                game, taking_part, anchor, settings, save, played, on_game=show_game
            )
        owner.check()
        record.write_standings(standings, over_iterations=options.checkpoints)
    _print_standings(options, players, standings)


def _conditions(options: TournamentOptions, players: list[NamedPlayer]) -> dict[str, Any]:
    has_engines = any(is_engine(player.name) for player in players)
    engines = dataclasses.asdict(options.engines)
    del engines["engine_start_seconds"]  # changes no game, and an engine may turn out to need more
    return {
        "game": players[0].game.name,
        "games_per_match": options.games,
        "opening_moves": options.opening_moves,
        "simulations": options.simulations,
        "seed": options.seed,
        **(engines if has_engines else {}),
    }


def _past_networks(names: list[str]) -> list[str]:
    """Returns the names of up to 8 networks of a run, evenly spaced over its iterations."""
    if len(names) != 1:
        raise InputError("--checkpoints takes one run")
    iterations = past_iterations(open_run(pathlib.Path(names[0])))
    if not iterations:
        raise InputError(f"{names[0]} holds no checkpoint yet")
    return [f"{names[0]}@{i}" for i in spread_evenly(iterations, _MOST_CHECKPOINTS)]


def _match_folder(folder: pathlib.Path, first: int, second: int) -> pathlib.Path:
    """Returns the folder of the games of two players: `1-2` of the first two, and so on."""
    return folder / f"{first + 1}-{second + 1}"


def _report_match(players: list[NamedPlayer], match: Match) -> None:
    names, result = [players[match.first].name, players[match.second].name], match.result
    warn(describe_forfeits(names, result))
    low, high = result.interval
    score = f"{result.score:.1%} ({low:.1%} to {high:.1%})"
    console.print(f"{' against '.join(names)}: {score}", soft_wrap=True)


def _print_standings(
    options: TournamentOptions, players: list[NamedPlayer], standings: Standings
) -> None:
    table = make_table("ratings", "Elo", "95% interval", "score", folds_names=True)
    for i in np.argsort([-rating.elo for rating in standings.ratings]):
        rating = standings.ratings[i]
        low, high = rating.interval
        interval = "-" if players[i].name == _ANCHOR else f"{low:+.0f} to {high:+.0f}"
        table.add_row(players[i].name, f"{rating.elo:+.0f}", interval, f"{standings.scores[i]:.1%}")
    console.print(table)
    console.print(f"wrote {', '.join(str(options.out / name) for name in FILES)}", soft_wrap=True)
