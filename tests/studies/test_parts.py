"""Tables, positions, looks and times of a study, each by itself."""

import dataclasses
import itertools
import pathlib

import numpy as np
import pytest

import azjax.studies.evaluation_interval as pilot_module
import azjax.studies.play_time as play_time_module
from azjax.config.limits import Limits
from azjax.runs.positions import find_positions
from azjax.studies.evaluation_interval import evaluation_interval
from azjax.studies.ratings import games_per_match
from azjax.support.errors import InputError

DATA = pathlib.Path(__file__).parents[1] / "data"


def test_a_small_game_is_solved_and_a_larger_one_read():
    solved = find_positions("tic_tac_toe", None, DATA)
    assert solved.truth is None
    assert len(solved.all().is_best) == 4520
    shipped = find_positions("connect_four", None, DATA)
    assert len(shipped.all().is_best) == 1000
    assert shipped.description.startswith("connect_four.csv, sha256 ")


def test_a_given_file_comes_first_and_is_told_apart_by_its_content(tmp_path):
    file = tmp_path / "some.csv"
    file.write_text("coins,best\n2,2\n")
    first = find_positions("coins", file, DATA)
    assert len(first.all().is_best) == 1
    file.write_text("coins,best\n1,1\n")
    assert find_positions("coins", file, DATA).description != first.description


@pytest.mark.parametrize(
    ("game", "given", "words"),
    [
        ("go_9", None, "too large to be solved: give --truth FILE"),
        ("go_8", None, "go_8"),
        ("connect_four", "missing.csv", "missing.csv cannot be read"),
    ],
)
def test_unknown_positions_are_told_of_in_one_line(game, given, words, tmp_path):
    with pytest.raises(InputError, match=words):
        find_positions(game, given and tmp_path / given, DATA)


class TimedPlaces:
    """Places whose first iteration takes a minute, and every other one half a second."""

    def __init__(self, config, num_devices, num_slots):
        self.taken, self.seconds = [], itertools.chain([60.0], itertools.repeat(0.5))
        self.num_slots = num_slots

    def free(self):
        return list(range(self.num_slots))

    def take(self, slot, hparams):
        self.taken.append(slot)

    def put(self, slot, state):
        assert slot == self.taken[-1]

    def iterate(self):
        assert self.taken == [0, 1]
        return None, next(self.seconds)


def test_a_run_has_about_twenty_looks(done, monkeypatch):
    monkeypatch.setattr(pilot_module, "Slots", TimedPlaces)
    timed = dataclasses.replace(done, limits=Limits(minutes=5.0, iterations=None))
    assert evaluation_interval(timed, done.cells[0], 1) == 600 / 20
    short = dataclasses.replace(done, limits=Limits(minutes=0.01, iterations=None))
    assert evaluation_interval(short, done.cells[0], 1) == 1
    counted = dataclasses.replace(done, limits=Limits(minutes=None, iterations=100))
    assert evaluation_interval(counted, done.cells[0], 1) == 5


@pytest.mark.parametrize(
    ("matches", "games"), [(1, 200), (25, 200), (66, 74), (300, 16), (1770, 10), (9000, 10)]
)
def test_games_are_fewer_the_more_matches_there_are(matches, games):
    assert games_per_match(matches) == games


def test_players_take_turns_at_being_timed(monkeypatch):
    moved, clock = [], iter([0, 1, 10, 30, 100, 105, 200, 220, 300, 303, 400, 420])
    monkeypatch.setattr(play_time_module.time, "perf_counter", lambda: next(clock))
    moves = {name: lambda number, name=name: moved.append((name, number)) for name in "ab"}
    assert play_time_module._median_seconds(moves, rounds=3) == {"a": 3, "b": 20}
    warm_up = [("a", 0), ("b", 0)]
    assert moved == warm_up + [(name, number) for number in range(3) for name in "ab"]


def test_positions_are_padded_for_devices_and_taken_one_by_one():
    truth = find_positions("coins", DATA / "coins_21.csv", DATA).all()

    def count(parameters, keys, states):
        return states.coins

    class Counting:
        act, parameters = staticmethod(count), ()

    coins = np.asarray(truth.states.coins)
    assert len(coins) % 2 == 1
    in_batch = np.asarray(play_time_module._in_batch(Counting, truth)(0))
    np.testing.assert_array_equal(in_batch, [*coins, coins[0]])
    move = play_time_module._one_by_one(Counting, truth)
    assert [np.asarray(move(i)).item() for i in (0, 1, 21)] == [coins[0], coins[1], coins[0]]
