"""Folders of runs as `azjax train` leaves them, without any training."""

import contextlib
import json

import jax

from azjax.config.limits import Limits
from azjax.config.presets import get_preset
from azjax.runs.storage.network_history import NetworkHistory
from azjax.runs.storage.run_description import read_description, write_description
from azjax.runs.storage.run_directory import RunDirectory
from azjax.runs.storage.run_folders import create_run
from azjax.training import make_game_and_network


def make_run(path, rows=(), limits=None, seed=0, preset="tic_tac_toe"):
    """Creates a run with rows of metrics."""
    config = get_preset(preset).config
    limits = limits or Limits(iterations=40)
    run = create_run(RunDirectory(path, preset, config, seed, 1, limits))
    run.metrics.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return run


def add_plugin(run, module):
    """Lets a run need a plug-in from its own folder, which raises an error when it is imported."""
    (run.path / f"{module}.py").write_text("raise AssertionError('it is imported')")
    plugins = [{"module": module, "folder": str(run.path)}]
    write_description(run.path, read_description(run.path) | {"plugins": plugins})


def make_line(iteration, **columns):
    """Returns a line of metrics.jsonl with few columns."""
    return json.dumps({"iteration": iteration, "seconds": 6.0 * iteration, **columns}) + "\n"


def make_row(iteration, **columns):
    """Returns the metrics of an iteration, each of which takes three seconds."""
    return {
        "iteration": iteration,
        "loss": 2.0 / iteration,
        "learning_rate": 0.01,
        "replay_ratio": 2.0,
        "simulations_per_second": 50_000.0,
        "seconds": 3.0 * iteration,
        **columns,
    }


def make_evaluation(iteration, network, search, **columns):
    """Returns the metrics of an iteration after which the agent was measured."""
    accuracies = {"accuracy_network": network, "accuracy_search": search, "random_accuracy": 0.58}
    return make_row(iteration, **accuracies, **columns)


def add_checkpoint(path):
    """Lets a run look as if it had saved a checkpoint."""
    (path / "checkpoints" / "0000000010").mkdir(parents=True)


def add_network(run, iteration):
    """Puts a network with parameters from a seed into the history of a run."""
    _, network = make_game_and_network(run.config.train)
    variables = network.init(jax.random.key(iteration))
    with contextlib.closing(NetworkHistory(run.history)) as history:
        history.save(iteration, variables)
