"""`azjax accuracy`."""

import dataclasses
import json
import pathlib
from typing import Annotated

import jax
import tyro

from azjax.agents.agent import Agent, load_agent
from azjax.agents.player_spec import check_is_agent
from azjax.cli.output import add_accuracy, console, make_table, warn, working
from azjax.cli.process import go_on_without_output
from azjax.config.flags import parse_flags
from azjax.evaluation import (
    Accuracy,
    AccuracyCheck,
    SolvedPositions,
    find_errors,
    require_positions,
    write_position_errors,
)
from azjax.support.errors import InputError, input_errors
from azjax.support.plurals import count
from azjax.support.validation import check_at_least


@dataclasses.dataclass(frozen=True)
class AccuracyOptions:
    """Measure in what share of solved positions an agent's move keeps the best value.

    Of a file that has the scores of positions alone, the agent's value is measured.
    """

    run: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="RUN")]
    """The agent: a run's FOLDER, FOLDER@best or FOLDER@ITERATION, a FILE.npz of `azjax export`, or
    one that comes with azjax, such as connect_four."""
    truth: str | None = None
    """A CSV file of solved positions, or lines of columns and a score for Connect Four, or the name
    of a file that comes with azjax, such as connect_four_strong_play. If not given: all positions
    of a game as small as tic-tac-toe, else the file that comes with azjax for the game."""
    simulations: int | None = None
    """The simulations of the agent's search; as many as in its run's evaluations if not given."""
    errors: pathlib.Path | None = None
    """Write the positions in which the agent errs, by the network alone or with search, into this
    CSV file: the position, the moves played, the best moves, and who was wrong."""
    json: bool = False
    """Print JSON instead of a table."""

    def __post_init__(self):
        """Raises ValueError if the search has no simulation: the network alone is measured too."""
        if self.simulations is not None:
            check_at_least("simulations", self.simulations, 1)


def accuracy_command(arguments: list[str]) -> None:
    """Runs `azjax accuracy RUN ...`."""
    options = parse_flags(AccuracyOptions, arguments, "azjax accuracy")
    check_is_agent(options.run)
    if options.errors is not None:
        if options.errors.exists():
            raise InputError(f"{options.errors} exists: choose another file with --errors")
        if not (folder := options.errors.parent).is_dir():
            raise InputError(f"{options.errors} cannot be written: there is no folder {folder}")
        go_on_without_output()
    agent = load_agent(options.run, options.simulations)
    warn(agent.warnings)
    with input_errors():
        positions = require_positions(agent.game, options.truth, with_actions=False)
    check = AccuracyCheck(agent.search_agent, positions, len(jax.devices()))
    simulations = count(agent.search_config.num_simulations, "simulation")
    number = count(len(positions.is_best), "position")
    with working(f"{options.run} in {number}, {simulations} a move", is_quiet=options.json):
        choices = check.choose(agent.variables)
        accuracy = check.measure(choices)
    if options.json:
        print(json.dumps(_as_json(options, agent, positions, accuracy)))
    else:
        _print_accuracy(options, agent, positions, accuracy)
    if options.errors is not None:
        if agent.was_chosen:
            reports = ~positions.in_validation
            positions, choices = positions.take(reports), choices.take(reports)
        errors = find_errors(agent.game, positions, choices)
        write_position_errors(options.errors, errors)
        if not options.json:
            with_search = count(sum(error.search_is_wrong for error in errors), "position")
            alone = f"by the network alone in {sum(x.network_is_wrong for x in errors):,}"
            wrote = f"wrote {options.errors}: errors with search in {with_search}, {alone}"
            console.print(wrote, soft_wrap=True)


def _print_accuracy(
    options: AccuracyOptions, agent: Agent, positions: SolvedPositions, accuracy: Accuracy
) -> None:
    table = make_table(f"{options.run}, iteration {agent.iteration}")
    file = positions.description.rpartition(",")[0]
    source = f"{agent.game.name}, all" if positions.is_complete else file
    number = f"{count(accuracy.positions, 'position')} of {source}"
    if agent.was_chosen:
        number = f"{accuracy.test.positions:,} of {number}:\nthe test half: the other half chose it"
    table.add_row("measured on", number)
    simulations = agent.search_config.num_simulations
    add_accuracy(table, accuracy, simulations, was_chosen=agent.was_chosen)
    table.add_row("trained by commit", agent.commit)
    if agent.init_from:
        table.add_row("begun from", str(agent.init_from))
    console.print(table)


def _as_json(
    options: AccuracyOptions, agent: Agent, positions: SolvedPositions, accuracy: Accuracy
) -> dict[str, object]:
    shares = accuracy.test if agent.was_chosen else accuracy
    measured = ("positions", "random", "choice_matters", "network", "search")
    fields: dict[str, object] = {
        "run": options.run,
        **{name: getattr(agent, name) for name in ("iteration", "was_chosen", "commit")},
        "init_from": agent.init_from and dataclasses.asdict(agent.init_from),
        "simulations": agent.search_config.num_simulations,
        "half": "test" if agent.was_chosen else None,
        "source": positions.description,
        "measured": "moves" if positions.has_actions else "values",
        **{name: getattr(shares, name) for name in measured},
    }
    if accuracy.exploitability is not None:
        fields["exploitability"] = accuracy.exploitability
    if accuracy.lines is not None:
        first, second = accuracy.lines
        fields["lines_lost"] = first.lost + second.lost
        fields |= {"lines_moving_first": first._asdict(), "lines_moving_second": second._asdict()}
    return fields
