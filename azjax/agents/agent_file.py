"""Agent files: the network of a run in half precision, with the run's description.

A file of some hundred kilobytes is enough to play, where a run's folder has everything to continue
training. It is a NumPy archive without pickles, so reading it runs no code.
"""

import json
import pathlib
import sys
from typing import Any, NamedTuple

import jax
import numpy as np

from azjax.config.run_config import RunConfig
from azjax.config.stored_config import read_config
from azjax.networks import Variables
from azjax.runs.storage.metrics_log import read_metrics
from azjax.runs.storage.run_description import (
    check_network_version,
    check_sessions,
    initial_agent_of,
    read_description,
)
from azjax.runs.storage.run_directory import RunDirectory
from azjax.support.errors import InputError, first_line, input_errors
from azjax.support.files.named_arrays import by_name, check_is_new, from_names, write_arrays
from azjax.support.files.reading import parse_json, read_arrays
from azjax.training import make_game_and_network

SUFFIX = ".npz"
_SHIPPED = pathlib.Path(__file__).parent / "weights"
_ABOUT = "about"
_DAMAGED = (OSError, AttributeError, KeyError, TypeError, ValueError)


class AgentFile(NamedTuple):
    """The content of an agent file."""

    config: RunConfig
    variables: Variables
    iteration: int
    about: dict[str, Any]  # the run's `run.json`, and its metrics at that iteration


def shipped_agents() -> dict[str, pathlib.Path]:
    """Returns the files of the shipped agents, by name."""
    return {path.stem: path for path in sorted(_SHIPPED.glob(f"*{SUFFIX}"))}


def find_agent_file(name: str) -> pathlib.Path | None:
    """Returns the file with that path, or of the shipped agent of that name."""
    return pathlib.Path(name) if pathlib.Path(name).is_file() else shipped_agents().get(name)


def write_agent_file(
    path: pathlib.Path,
    run: RunDirectory,
    variables: Variables,
    iteration: int,
    *,
    was_chosen: bool = False,
) -> None:
    """Writes the network of a run at an iteration, which may have been chosen by its accuracy.

    Raises:
      InputError: The file exists or cannot be written, or a number overflows half precision.
    """
    check_is_new(path, "--out")
    with np.errstate(over="ignore"):  # checked below
        arrays = {name: np.asarray(x, np.float16) for name, x in by_name(variables).items()}
    if not all(np.isfinite(x).all() for x in arrays.values()):
        raise InputError(f"iteration {iteration} of {run.path} has numbers beyond half precision")
    rows = {row["iteration"]: row for row in read_metrics(run.metrics)}
    about = read_description(run.path) | {
        "iteration": iteration,
        "was_chosen": was_chosen,
        "metrics": rows.get(iteration, {}),
    }
    write_arrays(path, {_ABOUT: np.array(json.dumps(about)), **arrays})


def read_agent_file(path: pathlib.Path) -> AgentFile:
    """Reads an agent file.

    Raises:
      InputError: It is no agent file, it is damaged, or its game or networks have another version.
    """
    try:
        arrays = read_arrays(path)
        if _ABOUT not in arrays:
            raise ValueError("it has no description of its run")
        about = parse_json(str(arrays.pop(_ABOUT)))
        _check_plugins(path, about)
        config = read_config(about["config"])
        iteration, game_version = int(about["iteration"]), about["game_version"]
        initial_agent_of(about)
        check_sessions(about)
    except _DAMAGED as error:
        reason = first_line(error)
        raise InputError(f"{path} is no agent's file, or is damaged ({reason})") from error
    check_network_version(path, about)
    with input_errors():
        game, network = make_game_and_network(config.train)
    if game_version != game.version:
        raise InputError(f"{path} plays {game.name} {game_version}, and this is {game.version}")
    shapes = jax.eval_shape(network.init, jax.random.key(0))
    there, expected = (
        {name: x.shape for name, x in xs.items()} for xs in (arrays, by_name(shapes))
    )
    if there != expected:
        raise InputError(f"{path} is damaged: its arrays are not those of its network")
    if not all(x.dtype.kind == "f" and np.isfinite(x).all() for x in arrays.values()):
        raise InputError(f"{path} is damaged: its arrays are not finite numbers")
    variables = from_names(shapes, {name: x.astype(np.float32) for name, x in arrays.items()})
    return AgentFile(config, variables, iteration, about)


def plugins_in(about: dict[str, Any]) -> list[str]:
    """Returns the plug-ins that an agent needs, from the description of its run."""
    return [plugin["module"] for plugin in about.get("plugins", [])]


def _check_plugins(path: pathlib.Path, about: dict[str, Any]) -> None:
    """Raises InputError if a plug-in is not loaded; reading somebody's file must not load it."""
    for module in plugins_in(about):
        if module not in sys.modules:
            raise InputError(
                f"{path} needs the plug-in {module}: add --plugin {module}, or import it in Python"
            )
