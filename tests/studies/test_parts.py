"""Evaluation intervals, ratings and play time of a study, each by itself."""

import dataclasses
import itertools
from unittest.mock import Mock

import numpy as np
import pytest

import azjax.studies.curves as curves_module
import azjax.studies.play_time as play_time_module
import azjax.studies.training as training_module
from azjax.agents.agent import load_evaluated_agent
from azjax.config.limits import Limits
from azjax.evaluation import find_positions
from azjax.games import make
from azjax.studies.curves import final_evaluations, read_evaluations
from azjax.studies.options import with_parts
from azjax.studies.training import evaluation_interval, train_study


def test_a_run_has_about_twenty_evaluations_with_those_at_every_eighth(study, monkeypatch):
    """The first iteration takes a minute, and every other one half a second."""

    def make_slots(config, num_devices, num_slots):
        seconds = itertools.chain([60.0], itertools.repeat(0.5))
        slots = Mock(free_slots=lambda: range(num_slots), iterate=lambda: (None, next(seconds)))
        made.append(slots)
        return slots

    made = []
    monkeypatch.setattr(training_module, "Slots", make_slots)
    timed = dataclasses.replace(study, limits=Limits(minutes=5.0, iterations=None))
    assert evaluation_interval(timed, study.cells[0], 1) == 600 / 12
    assert [call.args[0] for call in made[0].set_state.call_args_list] == [0, 1]
    short = dataclasses.replace(study, limits=Limits(minutes=0.01, iterations=None))
    assert evaluation_interval(short, study.cells[0], 1) == 1
    counted = dataclasses.replace(study, limits=Limits(minutes=None, iterations=120))
    assert evaluation_interval(counted, study.cells[0], 1) == 10


def test_a_gated_run_has_the_interval_of_its_configuration(study, monkeypatch):
    monkeypatch.setattr(training_module, "Slots", None)
    cell, given = study.cells[0], dataclasses.replace(study, evaluate_every=3)
    gated = dataclasses.replace(with_parts(cell.config, "gating"), evaluate_every=7)
    assert evaluation_interval(given, dataclasses.replace(cell, config=gated), 1) == 7
    assert evaluation_interval(given, cell, 1) == 3


@pytest.mark.parametrize(("on_cpu", "num_slots"), [(True, 1), (False, 2)])
def test_a_run_that_goes_on_alone_has_as_many_slots_as_all_seeds_on_a_gpu(
    study, console, monkeypatch, on_cpu, num_slots
):
    def train(runs, num_slots, *arguments, **settings):
        paths = [run.path for run in runs]
        finished.update(paths)
        trained.append((len(paths), num_slots))

    trained, finished = [], {study.run_path("slow", 0)}
    monkeypatch.setattr(training_module, "evaluation_interval", lambda *arguments: 1)
    monkeypatch.setattr(training_module, "train_population", train)
    monkeypatch.setattr(training_module, "targets_cpu", lambda: on_cpu)
    monkeypatch.setattr(training_module, "_is_finished", lambda run: run.path in finished)
    train_study(study, console)
    assert trained == [(1, num_slots), (2, num_slots)]


def test_simulations_add_up_as_they_change_from_iteration_to_iteration():
    rows = [{"iteration": 0}]
    rows += [{"iteration": i, "simulations_per_move": float(2 * i)} for i in (1, 2, 3)]
    found = [row["simulations"] for row in curves_module._with_simulations(rows, 100)]
    assert found == [0, 200, 600, 1200]


def test_players_are_timed_in_turn(monkeypatch):
    moved, clock = [], iter([0, 1, 10, 30, 100, 105, 200, 220, 300, 303, 400, 420])
    monkeypatch.setattr(play_time_module.time, "perf_counter", lambda: next(clock))
    moves = {name: lambda number, name=name: moved.append((name, number)) for name in "ab"}
    assert play_time_module._median_seconds(moves, rounds=3) == {"a": 3, "b": 20}
    warm_up = [("a", 0), ("b", 0)]
    assert moved == warm_up + [(name, number) for number in range(3) for name in "ab"]


def test_positions_are_padded_for_devices_or_played_one_at_a_time():
    positions = find_positions(make("coins"), "coins_21")

    def count(parameters, keys, states):
        return states.coins

    class Counting:
        act, parameters = staticmethod(count), ()

    coins = np.asarray(positions.states.coins)
    assert len(coins) % 2 == 1
    in_batch = np.asarray(play_time_module._in_batch(Counting, positions)(0))
    np.testing.assert_array_equal(in_batch, [*coins, coins[0]])
    move = play_time_module._alone(Counting, positions)
    assert [np.asarray(move(i)).item() for i in (0, 1, 21)] == [coins[0], coins[1], coins[0]]


@pytest.mark.slow
def test_all_agents_play_with_the_search_that_evaluates_them(done):
    for row in final_evaluations(read_evaluations(done)):
        player = load_evaluated_agent(done.agent_name(row)).player()
        search = player.parameters.search
        assert (search.name, search.num_simulations) == done.evaluation == ("puct", 2)
        assert (search.c_puct, search.dirichlet_fraction) == (2.0, 0.0)
