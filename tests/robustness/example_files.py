"""A small file of each kind that azjax reads."""

import dataclasses
import functools
import json

import jax
import numpy as np

from azjax.agents.agent_file import write_agent_file
from azjax.agents.player_spec import NamedPlayer
from azjax.agents.tournament_record import TournamentRecord
from azjax.config.limits import Limits
from azjax.config.presets import get_preset
from azjax.evaluation import Answers, all_positions, random_player
from azjax.games import make
from azjax.networks import NetworkConfig
from azjax.runs.storage.answers import append_answers
from azjax.runs.storage.budget_shares import write_budget_shares
from azjax.runs.storage.checkpoints import Checkpoints
from azjax.runs.storage.network_history import NetworkHistory
from azjax.runs.storage.run_directory import RunDirectory
from azjax.runs.storage.run_folders import create_run
from azjax.studies.options import with_hparams
from azjax.studies.study import Cell, Panel, Study
from azjax.studies.study_directory import open_study_directory
from azjax.sweeps.search_space_file import make_space
from azjax.sweeps.sweep import Sweep, record_folder
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


def write_files(folder):
    """Writes the files into a folder."""
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
    for iteration in (1, LAST):
        append_answers(run.answers, iteration, Answers(np.ones(20, bool), np.zeros(20, bool)))
    open_study_directory(make_study(folder))
    session = {"command": "x", "began": 1.0, "hardware": "x", "versions": "x", "seconds": 2.0}
    (folder / "study" / "sessions.jsonl").write_text(2 * f"{json.dumps(session)}\n")
    record_folder(folder / "sweep", make_sweep())
    (folder / "tournament").mkdir()
    make_record(folder).begin()
    (folder / "tournament" / "matches.jsonl").write_text(2 * f"{json.dumps(MATCH)}\n")


@functools.cache
def make_study(folder):
    """Returns a study in a folder of its own."""
    base = get_preset("tic_tac_toe").config
    return Study(
        name="compare_rates",
        path=folder / "study",
        preset="tic_tac_toe",
        positions=all_positions(make("tic_tac_toe")),
        cells=(Cell("slow", {"rate": 0.001}, with_hparams(base, learning_rate=0.001)),),
        panels=(Panel("rate", {"low": "slow"}),),
        num_seeds=2,
        limits=Limits(minutes=None, iterations=4),
    )


def make_sweep():
    space = make_space(get_preset("tic_tac_toe").config, None)
    return Sweep("tic_tac_toe", space, "accuracy", None, None, Limits(None, 5), 0)


def make_record(folder):
    """Returns the record of a tournament in a folder of its own."""
    game = make("tic_tac_toe")
    players = [NamedPlayer(name, game, random_player(game), None, True, []) for name in "ab"]
    return TournamentRecord(folder / "tournament", players, {"game": "tic_tac_toe", "games": 2})


def _make_run(path):
    preset = get_preset("tic_tac_toe").config
    sizes = {"num_games": 8, "num_moves": 4, "replay_moves": 8, "batch_size": 8}
    network = NetworkConfig("mlp", channels=16, blocks=1)
    config = dataclasses.replace(
        preset, train=dataclasses.replace(preset.train, network=network, **sizes)
    )
    return create_run(RunDirectory(path, "tic_tac_toe", config, 0, 1, Limits(iterations=5)))


def _initial_state(run):
    init = jax.jit(init_train_state, static_argnums=0)
    return init(run.config.train, run.config.hparams, jax.random.key(run.seed))


def _save(run, state):
    checkpoints, history = Checkpoints(run.checkpoints), NetworkHistory(run.history)
    checkpoints.save(state, accuracy=0.5)
    history.save(int(state.iteration), state.acting)
    checkpoints.close()
    history.close()
