"""`azjax export` and `azjax fingerprint`."""

import dataclasses
import pathlib
from typing import Annotated

import tyro

from azjax.agents.agent import load_agent, split_name
from azjax.agents.agent_file import SUFFIX, plugins_in, write_agent_file
from azjax.cli.output import warn
from azjax.config.flags import parse_flags
from azjax.config.plugin_flag import plugin_flags
from azjax.runs.replay_file import write_replay
from azjax.runs.storage.checkpoints import restore
from azjax.runs.storage.run_description import read_description
from azjax.runs.storage.run_folders import open_run
from azjax.support.errors import InputError


@dataclasses.dataclass(frozen=True)
class ExportOptions:
    """Write an agent's network in half precision, with its run's description, into a small file.

    With --games it writes games of self-play instead.
    """

    run: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="RUN")]
    """A run's folder, FOLDER@best, or FOLDER@ITERATION."""
    out: pathlib.Path | None = None
    """The file; if not given, the name of the run's folder with .npz."""
    games: Annotated[pathlib.Path | None, tyro.conf.arg(metavar="FILE")] = None
    """Write what replay holds of the run's games, in place of its network: FILE.npz all positions
    with their targets, FILE.txt or FILE.sgf the moves of whole games."""


@dataclasses.dataclass(frozen=True)
class FingerprintOptions:
    """Print the SHA-256 of every array of a run's newest checkpoint."""

    run: Annotated[tyro.conf.Positional[pathlib.Path], tyro.conf.arg(metavar="RUN")]
    """The run's folder."""


def export_command(arguments: list[str]) -> None:
    """Runs `azjax export RUN ...`."""
    options = parse_flags(ExportOptions, arguments, "azjax export")
    folder, which = split_name(options.run)
    run = open_run(folder)
    if options.games is not None:
        if options.out is not None:
            raise InputError("--out is for the network, --games for the games: give one of them")
        restored = restore(run, which)
        warn(restored.warnings)
        print(f"wrote {options.games}: {write_replay(options.games, run, restored)}")
        return
    path = options.out or pathlib.Path(f"{run.path.resolve().name}{SUFFIX}")
    agent = load_agent(options.run, simulations=1)
    warn(agent.warnings)
    write_agent_file(path, run, agent.variables, agent.iteration, was_chosen=agent.was_chosen)
    plugins = plugin_flags(plugins_in(read_description(run.path)))
    command = " ".join(["azjax play", str(path), *plugins])
    print(f"wrote {path}, {path.stat().st_size / 1000:,.0f} kB: `{command}`")


def fingerprint_command(arguments: list[str]) -> None:
    """Runs `azjax fingerprint RUN`."""
    options = parse_flags(FingerprintOptions, arguments, "azjax fingerprint")
    restored = restore(open_run(options.run))
    warn(restored.warnings)
    print(restored.fingerprint)
