"""A small file of each kind that azjax reads."""

import dataclasses
import json

import jax
import numpy as np
import pytest

from azjax.agents.agent_file import write_agent_file
from azjax.config.limits import Limits
from azjax.config.presets import get_preset
from azjax.networks import NetworkConfig
from azjax.runs.storage.budget_shares import write_budget_shares
from azjax.runs.storage.checkpoints import Checkpoints
from azjax.runs.storage.network_history import NetworkHistory
from azjax.runs.storage.run_directory import create_run
from azjax.training import init_train_state

PRESET = """
summary = "tiny"
iterations = 100
evaluate_every = 10
evaluation_simulations = 2

[train]
game = "tic_tac_toe"
num_games = 8
num_moves = 4
replay_moves = 8
num_updates = 1
batch_size = 8
network = {architecture = "mlp", channels = 16, blocks = 1}
search.num_simulations = 4

[hparams]
learning_rate = 1e-2
search.gumbel_scale = 0.5
"""
SPACE = """
[hparams]
learning_rate = {low = 1e-3, high = 1e-2, log = true}
search.gumbel_scale = 1.0

[train]
num_updates = [8, 16]
network.channels = [64, 128]
"""
TRUTH = """moves,values
4,w d l d x d l d w
0 4,x d d d x l l d w
0 8 2,x w x d d d l d x
"""
MATCH = {"first": "a", "second": "b", "rewards": [[1, -1], [0, 0]]}
LAST = 2  # iteration


@pytest.fixture(scope="session")
def files(tmp_path_factory):
    """Returns the folder of the files."""
    folder = tmp_path_factory.mktemp("files")
    run = _make_run(folder / "run")
    state = _initial_state(run)
    for iteration in (1, LAST):
        _save(run, state._replace(iteration=np.int32(iteration)))
    rows = [{"iteration": i, "seconds": 1.5 * i, "loss": 2.0, "draws": None} for i in range(3)]
    run.metrics.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    write_budget_shares(run.budget_shares, [0.0, 0.25, 0.5])
    write_agent_file(folder / "agent.npz", run, state.acting, LAST)
    (folder / "preset.toml").write_text(PRESET)
    (folder / "space.toml").write_text(SPACE)
    (folder / "truth.csv").write_text(TRUTH)
    (folder / "matches.jsonl").write_text(2 * f"{json.dumps(MATCH)}\n")
    return folder


def _make_run(path):
    preset = get_preset("tic_tac_toe").config
    sizes = {"num_games": 8, "num_moves": 4, "replay_moves": 8, "batch_size": 8}
    network = NetworkConfig("mlp", channels=16, blocks=1)
    config = dataclasses.replace(
        preset, train=dataclasses.replace(preset.train, network=network, **sizes)
    )
    return create_run(path, "tic_tac_toe", config, seed=0, num_devices=1, limits=Limits(None, 5))


def _initial_state(run):
    init = jax.jit(init_train_state, static_argnums=0)
    return init(run.config.train, run.config.hparams, jax.random.key(run.seed))


def _save(run, state):
    checkpoints, history = Checkpoints(run.checkpoints), NetworkHistory(run.history)
    checkpoints.save(state, accuracy=0.5)
    history.save(int(state.iteration), state.acting)
    checkpoints.close()
    history.close()
