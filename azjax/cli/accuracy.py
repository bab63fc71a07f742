"""`azjax accuracy`."""

import dataclasses
import json
import pathlib
from typing import Annotated

import jax
import tyro

from azjax.agents.agent import Agent, load_agent
from azjax.cli.output import add_accuracy, console, make_table, warn
from azjax.config.flags import parse_flags
from azjax.evaluation import is_solvable, read_positions
from azjax.evaluation.accuracy_check import Accuracy, AccuracyCheck
from azjax.support.errors import InputError, input_errors


@dataclasses.dataclass(frozen=True)
class AccuracyOptions:
    """Tell in what share of solved positions an agent's move keeps the best value."""

    run: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="RUN")]
    """The agent: one that comes with azjax, such as connect_four, or a run's FOLDER, FOLDER@best or
    FOLDER@ITERATION, or a FILE.npz of `azjax export`."""
    truth: pathlib.Path | None = None
    """A CSV file of solved positions; without, a game as small as tic-tac-toe is solved whole."""
    simulations: int = 32
    """Of the agent's search."""
    json: bool = False
    """Print JSON instead of a table."""


def accuracy_command(arguments: list[str]) -> None:
    """Runs `azjax accuracy RUN ...`."""
    options = parse_flags(AccuracyOptions, arguments, "azjax accuracy")
    agent = load_agent(options.run, options.simulations)
    warn(agent.warnings)
    if options.truth is None and not is_solvable(agent.game):
        raise InputError(f"{agent.game.name} is too large to be solved: give --truth FILE")
    with input_errors():
        truth = options.truth and read_positions(agent.game, options.truth)
    check = AccuracyCheck(
        agent.game, agent.network, agent.search, agent.hyperparameters, truth, len(jax.devices())
    )
    accuracy = check(agent.variables)
    if options.json:
        print(json.dumps(_as_json(options, agent, accuracy)))
        return
    table = make_table(f"{options.run}, iteration {agent.iteration}")
    add_accuracy(table, accuracy, options.simulations)
    console.print(table)


def _as_json(options: AccuracyOptions, agent: Agent, accuracy: Accuracy) -> dict[str, object]:
    fields: dict[str, object] = {
        "run": options.run,
        "iteration": agent.iteration,
        "simulations": options.simulations,
        "positions": accuracy.positions,
        "network": accuracy.network,
        "search": accuracy.search,
    }
    if accuracy.exploitability is not None:
        fields["exploitability"] = accuracy.exploitability
    if accuracy.lines is not None:
        first, second = accuracy.lines
        fields["lines_lost"] = first.lost + second.lost
        fields |= {"lines_moving_first": first._asdict(), "lines_moving_second": second._asdict()}
    return fields
