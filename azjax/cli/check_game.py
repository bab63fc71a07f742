"""`azjax check-game`."""

import dataclasses
import json
import math
from typing import Annotated

import tyro

from azjax import games
from azjax.cli.output import console, make_table
from azjax.config.flags import parse_flags
from azjax.evaluation import is_solvable
from azjax.games.laws import BrokenLawError, Law, check_game
from azjax.support.errors import RunError, input_errors
from azjax.support.plurals import count
from azjax.support.validation import check_at_least, check_seed


@dataclasses.dataclass(frozen=True)
class CheckGameOptions:
    """Check in random play that a game obeys the laws of games; name the law that is broken."""

    game: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="GAME")]
    """The game, such as connect_four or connect_four:rows=5,columns=6, or one of a plug-in."""
    games: int = 64
    """The number of random games; fewer where they would take much memory."""
    seed: int = 0
    """The seed of the games."""
    json: bool = False
    """Print JSON instead of tables."""

    def __post_init__(self):
        """Raises ValueError if a number is out of range."""
        check_at_least("games", self.games, 1)
        check_seed(self.seed)


def check_game_command(arguments: list[str]) -> None:
    """Runs `azjax check-game GAME ...`."""
    options = parse_flags(CheckGameOptions, arguments, "azjax check-game")
    with input_errors():
        game = games.make(options.game)
    try:
        report = check_game(game, options.games, options.seed)
    except BrokenLawError as error:
        raise RunError(str(error)) from error
    has_bound, is_solved = math.isfinite(report.max_positions), is_solvable(game)
    if options.json:
        fields = {"laws": [law.value for law in Law], **dataclasses.asdict(report)}
        fields |= {"solved_exactly": is_solved}
        print(json.dumps(fields if has_bound else fields | {"max_positions": None}))
        return
    console.print(f"{game.name}: all {len(Law)} laws hold")
    solved = "solved exactly" if is_solved else "too many to be solved exactly"
    mover = [f"{x:.0%}" for x in (report.last_mover_wins, report.last_mover_draws)]
    bound = f"{report.max_positions:,.6g}: {solved}" if has_bound else "no bound is known"
    wins = f"player 0 wins {report.first_wins:.0%}, draws {report.draws:.0%}"
    rows = {
        "positions seen": f"{report.positions:,} from {count(report.starts, 'start')}",
        "positions at most": bound,
        "longest game": f"{report.longest_game:,} of at most {report.max_moves:,} moves",
        "legal actions": f"{report.mean_legal_actions:.1f} of {game.num_actions:,} on average",
        "same player moves again": f"after {report.moves_again:.0%} of the moves",
        "observations": f"{'tell' if report.depends_on_mover else 'do not tell'} who moves",
        "symmetries": f"{report.symmetries_played} of {report.symmetries} compared in play",
        "results": f"{wins}, player 1 wins {report.second_wins:.0%}",
        "who moves last": f"wins {mover[0]}, draws {mover[1]}, loses {report.last_mover_loses:.0%}",
    }
    table = make_table(f"{game.name}: {count(report.games, 'random game')}")
    for row in rows.items():
        table.add_row(*row)
    console.print(table)
    for warning in report.warnings:
        console.print(f"warning: {warning}", soft_wrap=True)
