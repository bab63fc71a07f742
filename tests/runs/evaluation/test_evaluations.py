import pathlib

import pytest

from azjax.config.limits import Limits
from azjax.config.run_config import RunConfig
from azjax.evaluation import all_positions
from azjax.games import make
from azjax.runs.evaluation.endings import is_evaluation_due, is_gating_due
from azjax.runs.session import make_accuracy_check
from azjax.runs.storage.run_directory import RunDirectory
from azjax.search import PUCT, Gumbel


def make_run(evaluate_every, *, evaluated_by=None, **limits):
    config = RunConfig(evaluate_every=evaluate_every, evaluated_by=evaluated_by)
    return RunDirectory(pathlib.Path("run"), "tic_tac_toe", config, 0, 1, Limits(**limits))


def due(run, iterations, iteration_seconds=1.0):
    """Returns the iterations after which the run is evaluated."""
    return [
        i
        for i in range(1, iterations + 1)
        if is_evaluation_due(run, i, i * iteration_seconds, iteration_seconds)
    ]


@pytest.mark.parametrize(
    ("iterations", "expected"), [(200, [25, 50, 75, 100, 125, 150, 175, 200]), (3, [1, 2, 3])]
)
def test_a_run_is_evaluated_at_every_eighth_of_its_iterations(iterations, expected):
    assert due(make_run(1000, iterations=iterations), iterations) == expected


@pytest.mark.parametrize("iteration_seconds", [0.31, 7.0])
def test_a_run_is_evaluated_at_every_eighth_of_its_minutes(iteration_seconds):
    iterations = int(60 / iteration_seconds) + 1
    assert len(due(make_run(1000, minutes=1.0), iterations, iteration_seconds)) == 8


def test_it_is_evaluated_at_multiples_of_its_interval_too_and_gating_at_those_alone():
    run = make_run(30, iterations=100)
    assert due(run, 100) == sorted({30, 60, 90} | {13, 25, 38, 50, 63, 75, 88, 100})
    assert [i for i in range(1, 101) if is_gating_due(run, i)] == [30, 60, 90]


@pytest.mark.parametrize("given", [None, PUCT(c_puct=2.0)])
def test_a_run_is_evaluated_by_its_evaluation_search_or_else_by_its_own(monkeypatch, given):
    agents = []
    monkeypatch.setattr(
        "azjax.runs.session.AccuracyCheck", lambda agent, *others: agents.append(agent)
    )
    run = make_run(10, evaluated_by=given)
    make_accuracy_check(run, all_positions(make("coins")))
    assert agents[0].search_config == (given or Gumbel())
