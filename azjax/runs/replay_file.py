"""Files of replay: the positions of self-play with their targets, or whole games as moves.

The manual documents the format of positions (`experiments/manual/runs.md`).
"""

import json
import pathlib

import jax
import numpy as np

from azjax import games
from azjax.engines.sgf import check_sgf, format_sgf
from azjax.runs.recorded_games import number_games, replay_of_games, whole_games, write_games
from azjax.runs.storage.checkpoints import Restored
from azjax.runs.storage.run_description import read_description
from azjax.runs.storage.run_directory import RunDirectory
from azjax.support.errors import InputError, input_errors, reading_errors, writing_errors
from azjax.support.files.named_arrays import by_name, check_is_new, from_names, write_arrays
from azjax.support.files.reading import parse_json, read_arrays
from azjax.support.plurals import count
from azjax.training import TrainConfig, make_context
from azjax.training.algorithms.reinforce import Reinforce
from azjax.training.replay import init_replay
from azjax.training.state import Replay, Trajectory
from azjax.training.targets import compute_targets

_FORMAT = 1
_POSITIONS = ".npz"
_WRITER = "`azjax export RUN --games`"


def write_replay(path: pathlib.Path, run: RunDirectory, restored: Restored) -> str:
    """Writes the replay of a run's checkpoint, and returns in words what the file holds.

    `FILE.npz` holds all positions with their targets, `FILE.txt` and `FILE.sgf` the moves of the
    games that began at the initial position and ended, as far as replay holds both.

    Raises:
      InputError: The file exists, cannot be written, or would hold no games; or its kind is
        unknown, or not for the game; or replay has the moves of one side alone.
    """
    check_is_new(path, "--games")
    algorithm = run.config.train.algorithm
    if isinstance(algorithm, Reinforce):
        why = f"the replay of algorithm {algorithm.name} has the moves of its policy alone"
        raise InputError(f"{run.path}: {why}, so it holds no games")
    game = games.make(run.config.train.game)
    if path.suffix == _POSITIONS:
        return _write_positions(path, run, restored)
    if path.suffix == ".sgf":
        with input_errors():
            check_sgf(game)
    elif path.suffix != ".txt":
        raise InputError(f"--games {path}: must end in .npz, .txt or .sgf")
    whole, num_others = whole_games(game, _written(restored.state.replay)[0])
    if not whole:
        raise InputError(f"no game of {run.path} is whole from the initial position: write a .npz")
    with writing_errors(path):
        if path.suffix == ".txt":
            write_games(game, path, [record.actions for record in whole])
        else:
            players = [f"{run.path} iteration {restored.iteration}"] * 2
            path.write_bytes(b"".join(format_sgf(game, players, *record) for record in whole))
    others = f"; {num_others:,} began at other positions, or are not whole" if num_others else ""
    return f"{count(len(whole), 'game')}{others}"


def read_replay(config: TrainConfig) -> Replay:
    """Returns replay [C, B] that holds what the file of the configuration does.

    Raises:
      InputError: The file cannot be read, or does not fit the configuration.
    """
    assert config.replay is not None, "the configuration names a file"
    path = pathlib.Path(config.replay)
    if path.suffix == _POSITIONS:
        return _read_positions(config, path)
    if config.network.value_head != "none":
        raise InputError(
            f"{path}: lines of moves have no values for algorithm {config.algorithm.name}; give a "
            f"FILE{_POSITIONS} of {_WRITER}"
        )
    return replay_of_games(config, path)


def _written(replay: Replay) -> tuple[Trajectory, np.ndarray]:
    """Returns the moves [R, B, ...] that are written, oldest first, in NumPy; and their rows."""
    end = int(replay.num_written)
    rows = np.arange(max(end - replay.num_rows, 0), end) % replay.num_rows
    return jax.tree.map(lambda x: np.asarray(x)[rows], replay.trajectory), rows


def _write_positions(path: pathlib.Path, run: RunDirectory, restored: Restored) -> str:
    config, replay = run.config.train, restored.state.replay
    context = make_context(config)
    targets = compute_targets(context, replay, getattr(config.algorithm, "td_lambda", 1.0))
    moves, rows = _written(replay)
    number, ply = number_games(moves.discount)
    about = read_description(run.path) | {
        "replay_format": _FORMAT,
        "game": context.game.name,
        "iteration": restored.iteration,
    }
    arrays = {"game": number, "ply": ply, "value_target": np.asarray(targets.value)[rows]}
    write_arrays(path, {"about": np.array(json.dumps(about)), **by_name(moves), **arrays})
    return f"{number.size:,} positions, {len(rows):,} moves in each of {number.shape[1]:,} columns"


def _read_positions(config: TrainConfig, path: pathlib.Path) -> Replay:
    """Returns replay [C, B] that holds the positions of a file, and none beyond them."""
    context = make_context(config)
    with reading_errors(path, f"; give a file of {_WRITER}"):
        arrays = read_arrays(path)
        about = parse_json(str(arrays["about"]))
        found = about["game"], about["game_version"], about["replay_format"]
        num_moves, num_games = arrays["action"].shape
    needed = context.game.name, context.game.version, _FORMAT
    if found != needed:
        is_of, must_be = ("{} (version {}, format {})".format(*what) for what in (found, needed))
        raise InputError(f"{path} holds positions of {is_of}: they must be of {must_be}")
    ring = jax.device_get(init_replay(context).trajectory)
    for name, x in by_name(ring).items():
        shape, there = (num_moves, num_games, *x.shape[2:]), arrays.get(name)
        if there is None or (there.shape, there.dtype) != (shape, x.dtype):
            what = "is not there" if there is None else f"has {there.dtype}{list(there.shape)}"
            raise InputError(
                f"{path}: {name} {what}: it must have {x.dtype}{list(shape)}; give the search and "
                "the parts of the run that it comes from"
            )
        if there.dtype.kind == "f" and not np.isfinite(there).all():
            raise InputError(f"{path}: {name} has numbers that are not finite")
    if num_games != config.num_games or not config.num_moves <= num_moves <= config.replay_moves:
        raise InputError(
            f"{path} holds {num_moves:,} moves in each of {num_games:,} columns: num_games must be "
            f"{num_games}, replay_moves at least {num_moves}, and num_moves at most that"
        )
    filled = jax.tree.map(
        lambda new, rest: np.concatenate([new, rest[num_moves:]]), from_names(ring, arrays), ring
    )
    return Replay(filled, num_written=np.int32(num_moves))
