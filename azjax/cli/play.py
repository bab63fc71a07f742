"""`azjax play`."""

import dataclasses
from typing import Annotated, Literal

import tyro

from azjax.agents.agent import load_agent
from azjax.cli.output import warn
from azjax.cli.terminal_game import play_in_terminal
from azjax.config.flags import parse_flags


@dataclasses.dataclass(frozen=True)
class PlayOptions:
    """Play against an agent in the terminal."""

    run: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="RUN")]
    """The agent: a run's FOLDER, FOLDER@best or FOLDER@ITERATION, a FILE.npz of `azjax export`, or
    one that comes with azjax, such as connect_four."""
    simulations: int = 64
    """The simulations of the agent's search."""
    seat: Literal["first", "second", "ask"] = "ask"
    """Your seat; `ask` asks for it."""


def play_command(arguments: list[str]) -> None:
    """Runs `azjax play RUN ...`."""
    options = parse_flags(PlayOptions, arguments, "azjax play")
    agent = load_agent(options.run, options.simulations)
    warn(agent.warnings)
    seat = {"first": 0, "second": 1, "ask": None}[options.seat]
    try:
        play_in_terminal(agent, input, print, seat)
    except (EOFError, KeyboardInterrupt):
        print("\nGame left.")
