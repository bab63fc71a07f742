"""`azjax accuracy`."""

import dataclasses
import json
from typing import Annotated

import jax
import tyro

from azjax.agents.agent import Agent, load_agent
from azjax.cli.output import add_accuracy, console, make_table, warn
from azjax.config.flags import parse_flags
from azjax.evaluation import Accuracy, AccuracyCheck, require_positions
from azjax.support.errors import input_errors


@dataclasses.dataclass(frozen=True)
class AccuracyOptions:
    """Measure in what share of solved positions an agent's move keeps the best value."""

    run: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="RUN")]
    """The agent: a run's FOLDER, FOLDER@best or FOLDER@ITERATION, a FILE.npz of `azjax export`, or
    one that comes with azjax, such as connect_four."""
    truth: str | None = None
    """A CSV file of solved positions, or the name of one that comes with azjax, such as
    connect_four_strong_play. If not given: all positions of a game as small as tic-tac-toe, else
    the file that comes with azjax for the game."""
    simulations: int = 32
    """The simulations of the agent's search."""
    json: bool = False
    """Print JSON instead of a table."""


def accuracy_command(arguments: list[str]) -> None:
    """Runs `azjax accuracy RUN ...`."""
    options = parse_flags(AccuracyOptions, arguments, "azjax accuracy")
    agent = load_agent(options.run, options.simulations)
    warn(agent.warnings)
    with input_errors():
        positions = require_positions(agent.game, options.truth)
    accuracy = AccuracyCheck(agent.search_agent, positions, len(jax.devices()))(agent.variables)
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
