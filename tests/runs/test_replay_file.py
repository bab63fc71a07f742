"""Files of replay: what is exported is what is learnt from, and games as lines of moves."""

import dataclasses
import json

import jax
import numpy as np
import pytest
from trees import assert_same

from azjax.config.run_config import RunConfig
from azjax.games import make
from azjax.networks import MLPConfig
from azjax.runs.recorded_games import read_games, replay_of_games, write_games
from azjax.runs.replay_file import read_replay, write_replay
from azjax.runs.storage.checkpoints import Restored
from azjax.support.errors import InputError
from azjax.training import SupervisedPolicy
from azjax.training.state import TrainState

GAME = make("tic_tac_toe")
GAMES = [[4, 0, 1, 7, 2, 6, 8, 5, 3], [0, 3, 1, 4, 2], [4, 0, 2, 6, 1, 3]]
COLUMNS, ROWS = 8, 8


@pytest.fixture
def config(tiny_config):
    """Returns a configuration whose search records nothing that lines of moves do not have."""
    return dataclasses.replace(
        tiny_config, search=dataclasses.replace(tiny_config.search, proven_values=False)
    )


@pytest.fixture
def replay(config, tmp_path):
    """Returns a full ring of games one after another, whose oldest row is the third."""
    write_games(GAME, tmp_path / "played.txt", GAMES)
    replay = jax.device_get(replay_of_games(config, tmp_path / "played.txt"))
    values = np.linspace(-1, 1, ROWS * COLUMNS, dtype=np.float32).reshape(ROWS, COLUMNS)
    moves = replay.trajectory._replace(search_value=values)
    moves = jax.tree.map(lambda x: np.roll(x, 2, axis=0), moves)
    return replay._replace(trajectory=moves, num_written=np.int32(2 * ROWS + 2))


@pytest.fixture
def write(run, config, replay, tmp_path):
    """Returns `write(name)`, which writes replay to a file, and returns it and what is told."""

    def call(name):
        state = TrainState(**dict.fromkeys(TrainState._fields))._replace(replay=replay)
        of_run = dataclasses.replace(run, config=RunConfig(config))
        told = write_replay(tmp_path / name, of_run, Restored(state, 7, "", []))
        return tmp_path / name, told

    return call


def in_order(replay):
    return jax.tree.map(lambda x: np.roll(x, -2, axis=0), replay.trajectory)


def read(config, path, **changes):
    return jax.device_get(read_replay(dataclasses.replace(config, replay=str(path), **changes)))


def test_a_run_learns_from_the_positions_that_were_exported(write, config, replay):
    path, told = write("games.npz")
    assert told == "64 positions, 8 moves in each of 8 columns"
    found = read(config, path)
    assert_same(found.trajectory, in_order(replay))
    assert found.num_written == ROWS
    larger = read(config, path, replay_moves=12)
    assert_same(jax.tree.map(lambda x: x[:ROWS], larger.trajectory), in_order(replay))
    assert larger.num_written == ROWS


def test_positions_have_their_game_their_ply_and_their_result(write, replay):
    path, _ = write("games.npz")
    with np.load(path) as arrays:
        game, ply, target = (arrays[name] for name in ("game", "ply", "value_target"))
        about = json.loads(str(arrays["about"]))
    assert (about["game"], about["iteration"], about["seed"]) == ("tic_tac_toe", 7, 0)
    # Columns of eight moves: of the first game, which goes on; then its end, and the second.
    assert game[:, :2].T.tolist() == [[0] * 8, [1] + [2] * 5 + [3] * 2]
    assert ply[:, 1].tolist() == [0, 0, 1, 2, 3, 4, 0, 1]
    last = in_order(replay).search_value[-1]
    assert target[:, 0] == pytest.approx(last[0] * (-1.0) ** np.arange(7, -1, -1))
    assert target[:6, 1].tolist() == [0, 1, -1, 1, -1, 1]


def test_whole_games_are_lines_of_moves(write):
    path, told = write("games.txt")
    whole = [record.actions for record in read_games(GAME, path)]
    assert {tuple(actions) for actions in whole} == {tuple(GAMES[1]), tuple(GAMES[2])}
    number, others = told.split(" games; ")
    assert int(number) == len(whole)
    assert others.endswith(" began at other positions, or are not whole")
    with pytest.raises(InputError, match=r"games\.txt exists: choose another file with --games"):
        write("games.txt")
    with pytest.raises(InputError, match=r"games\.text: must end in \.npz, \.txt or \.sgf"):
        write("games.text")


def test_whole_games_are_a_collection_of_sgf(run, config, write, tmp_path):
    with pytest.raises(InputError, match="tic_tac_toe has no SGF files"):
        write("games.sgf")
    sgf = pytest.importorskip("sgfmill.sgf")
    config = dataclasses.replace(config, game="gomoku_9", replay_moves=12)
    write_games(make("gomoku_9"), tmp_path / "played.txt", [[0, 9, 1, 10, 2, 11, 3, 12, 4]])
    state = TrainState(**dict.fromkeys(TrainState._fields))
    state = state._replace(replay=replay_of_games(config, tmp_path / "played.txt"))
    of_run = dataclasses.replace(run, config=RunConfig(config))
    write_replay(tmp_path / "games.sgf", of_run, Restored(state, 7, "", []))
    first, *others = (tmp_path / "games.sgf").read_bytes().split(b"(;")[1:]
    assert others
    game = sgf.Sgf_game.from_bytes(b"(;" + first)
    assert game.get_winner() == "b"
    assert len(game.get_main_sequence()) == 10


def change(path, **changes):
    with np.load(path) as archive:
        arrays = dict(archive) | changes
    np.savez(path, **{name: x for name, x in arrays.items() if x is not None})


NAN = np.full((ROWS, COLUMNS), np.nan, np.float32)


@pytest.mark.parametrize(
    ("damage", "changes", "words"),
    [
        ({}, {"game": "mnk_6_6_4"}, "holds positions of tic_tac_toe (version"),
        ({}, {"num_games": 4}, "num_games must be 8, replay_moves at least 8"),
        ({}, {"replay_moves": 4}, "num_games must be 8, replay_moves at least 8"),
        (
            {"search_value": NAN[:, :2]},
            {},
            "search_value has float32[8, 2]: it must have float32[8",
        ),
        ({"search_value": NAN}, {}, "search_value has numbers that are not finite"),
        ({"state/board": None}, {}, "state/board is not there"),
        ({"about": None}, {}, "it has no 'about'"),
        ("no archive", {}, "it is no archive; give a file of `azjax export RUN --games`"),
    ],
)
def test_a_file_that_does_not_fit_is_refused_in_one_line(write, config, damage, changes, words):
    path, _ = write("games.npz")
    if isinstance(damage, str):
        path.write_text(damage)
    else:
        change(path, **damage)
    with pytest.raises(InputError) as caught:
        read(config, path, **changes)
    assert str(caught.value).startswith(str(path))
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_lines_of_moves_teach_a_policy_and_no_values(config, replay, tmp_path):
    path = tmp_path / "played.txt"
    with pytest.raises(InputError, match=r"have no values for algorithm alphazero; give a FILE\."):
        read(config, path)
    policy = {"algorithm": SupervisedPolicy(), "network": MLPConfig(value_head="none")}
    assert read(config, path, **policy).num_written == ROWS
