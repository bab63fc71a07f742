"""An agent in a single file: the network that plays, in half precision, and how it was made.

A run's folder holds all that it takes to go on learning; a file of some hundred kilobytes is enough
to play. It is a NumPy archive without pickles, so that opening one runs no code.
"""

import functools
import json
import pathlib
import zipfile
from typing import Any, NamedTuple

import jax
import numpy as np

from azjax.networks import Variables
from azjax.runs.config import RunConfig, from_dict
from azjax.runs.errors import InputError, in_short, input_errors
from azjax.runs.folder import RunFolder, read_description
from azjax.runs.metrics import Row, read_metrics
from azjax.training import make_game_and_network

SUFFIX = ".npz"
_SHIPPED = pathlib.Path(__file__).parents[1] / "agents"
_ABOUT = "about"


class AgentFile(NamedTuple):
    """What a file holds."""

    config: RunConfig
    variables: Variables
    iteration: int
    about: dict[str, Any]  # what its run's `run.json` says, and its metrics at that iteration


def shipped_agents() -> dict[str, pathlib.Path]:
    """Returns the files of the agents that come with azjax, by name."""
    return {path.stem: path for path in sorted(_SHIPPED.glob(f"*{SUFFIX}"))}


def find_agent_file(name: str) -> pathlib.Path | None:
    """Returns the file that a name means: its path, or an agent that comes with azjax."""
    if name.endswith(SUFFIX) and pathlib.Path(name).is_file():
        return pathlib.Path(name)
    return shipped_agents().get(name)


def write_agent_file(
    path: pathlib.Path, run: RunFolder, variables: Variables, iteration: int
) -> None:
    """Writes the network that a run had at an iteration.

    Raises:
      InputError: The file cannot be written, or a number is too large for half precision.
    """
    arrays = {name: np.asarray(x, np.float16) for name, x in _by_name(variables).items()}
    if not all(np.isfinite(x).all() for x in arrays.values()):
        raise InputError(f"iteration {iteration} of {run.path} has numbers beyond half precision")
    about = read_description(run.path) | {"iteration": iteration, "metrics": _row(run, iteration)}
    try:
        with path.open("xb") as file:
            np.savez_compressed(file, **{_ABOUT: np.array(json.dumps(about))}, **arrays)
    except FileExistsError:
        raise InputError(f"{path} exists: choose another file with --out") from None
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}") from error


@functools.cache
def read_agent_file(path: pathlib.Path) -> AgentFile:
    """Returns what a file holds.

    Raises:
      InputError: It is not such a file, or of a version of azjax with other networks.
    """
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        about = json.loads(str(arrays.pop(_ABOUT)))
        config = from_dict(RunConfig, about["config"])
    except (OSError, KeyError, TypeError, ValueError, zipfile.BadZipFile) as error:
        raise InputError(f"{path} is no agent's file, or is damaged ({in_short(error)})") from error
    with input_errors():
        _, network = make_game_and_network(config.train)
    shapes = jax.eval_shape(network.init, jax.random.key(0))
    expected = {name: x.shape for name, x in _by_name(shapes).items()}
    if {name: x.shape for name, x in arrays.items()} != expected:
        made_by = about["versions"]["azjax"]
        raise InputError(f"{path} is of azjax {made_by}, whose networks were others: export anew")
    names = jax.tree.map_with_path(lambda path, _: _name(path), shapes)
    variables = jax.tree.map(lambda name: arrays[name].astype(np.float32), names)
    return AgentFile(config, variables, about["iteration"], about)


def _by_name(variables: Variables) -> dict[str, Any]:
    return {_name(path): x for path, x in jax.tree.leaves_with_path(variables)}


def _name(path: tuple) -> str:
    return jax.tree_util.keystr(path, simple=True, separator="/")


def _row(run: RunFolder, iteration: int) -> Row:
    """Returns the run's metrics of an iteration; {} where they were lost."""
    return next((row for row in read_metrics(run.metrics) if row["iteration"] == iteration), {})
