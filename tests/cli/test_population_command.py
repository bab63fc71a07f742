"""`azjax train` with several seeds or values: each run equals the run trained alone."""

import json

import pytest
from command_line import (
    assert_one_line,
    at_iteration,
    checkpoints,
    interrupt,
    iterations,
    read_rows,
    snapshot,
)

from azjax.runs import slots

pytestmark = pytest.mark.slow

RATES = ("--optimizer.learning-rate", "1e-3", "3e-3")
SEEDS = ("--seeds", "2")


@pytest.fixture(scope="session")
def folders(tmp_path_factory):
    return tmp_path_factory.mktemp("populations")


@pytest.fixture
def population(train, folders):
    """Returns the folder of four runs of four iterations, trained once, that no test may change."""
    folder = folders / "whole"
    if not folder.exists():
        assert train(folder, "--iterations", "4", *SEEDS, *RATES).code == 0
    return folder


@pytest.fixture
def fingerprint(azjax):
    return lambda folder: azjax("fingerprint", folder).out


def names(folder):
    return sorted(path.name for path in folder.iterdir() if path.is_dir())


def assert_same_learning(one, other):
    """Asserts that two runs are the same to float tolerance: other programs round differently."""
    assert iterations(one) == iterations(other)
    pairs = list(zip(read_rows(one), read_rows(other), strict=True))
    assert len(pairs) > 1
    for row, expected in pairs[1:]:  # the first is the evaluation before the first iteration
        for name in ("policy_loss", "value_loss", "gradient_norm", "distinct_positions"):
            assert row[name] == pytest.approx(expected[name], abs=1e-4), (name, row["iteration"])


def test_every_combination_has_its_own_run_with_metrics_checkpoints_and_curves(
    population, fingerprint
):
    assert len(names(population)) == 4
    assert len({fingerprint(population / name) for name in names(population)}) == 4
    for name in names(population):
        run = json.loads((population / name / "run.json").read_text())
        rate = run["config"]["optimizer"]["learning_rate"]
        assert name == f"optimizer.learning_rate={rate},seed={run['seed']}"
        assert iterations(population / name) == [0, 1, 2, 3, 4]
        assert checkpoints(population / name)[-1] == 4
        assert (population / name / "curves.png").exists()
    assert (population / "curves.png").exists()  # of all together


def test_a_member_equals_the_run_trained_alone(train, population, tmp_path):
    arguments = ("--iterations", "4", "--optimizer.learning-rate", "3e-3", "--seed", "1")
    assert train(tmp_path / "alone", *arguments).code == 0
    assert_same_learning(population / "optimizer.learning_rate=0.003,seed=1", tmp_path / "alone")


def test_a_population_is_not_resumed_as_another(resume, population):
    before = snapshot(population)
    result = resume(population, "--iterations", "5", "--seeds", "3", *RATES)
    assert_one_line(result, 2, "started with other options")
    assert snapshot(population) == before


def test_a_population_in_two_halves_is_the_population_in_one(
    train, resume, population, fingerprint, tmp_path, monkeypatch
):
    folder = tmp_path / "halves"
    with monkeypatch.context() as patch:
        at_iteration(patch, 1, interrupt)  # between two evaluations
        assert train(folder, "--iterations", "4", *SEEDS, *RATES).code == 130
    assert resume(folder, "--iterations", "4").code == 0
    for name in names(population):
        assert fingerprint(folder / name) == fingerprint(population / name)


def test_a_signal_saves_every_run_and_says_how_to_continue(train, azjax, tmp_path, monkeypatch):
    folder = tmp_path / "runs"
    with monkeypatch.context() as patch:
        at_iteration(patch, 3, lambda run: run.seed == 0 and interrupt(run))
        result = train(folder, "--iterations", "40", *SEEDS)
    assert result.code == 130
    # The signal came after the evaluation of the first run and before that of the second.
    assert [checkpoints(folder / name)[-1] for name in names(folder)] == [3, 3]
    words = result.out.split("Continue with: azjax ")[1].split()
    assert azjax(*words, "--iterations", "6").code == 0
    assert all(iterations(folder / name) == [0, 1, 2, 3, 4, 5, 6] for name in names(folder))


def test_runs_that_do_not_fit_in_memory_wait_for_a_slot(
    train, population, fingerprint, tmp_path, monkeypatch
):
    fits = iter([2])
    monkeypatch.setattr(slots, "_num_fitting", lambda compiled, mesh: next(fits))
    result = train(tmp_path / "narrow", "--iterations", "4", *SEEDS, *RATES)
    assert result.code == 0
    assert "memory has room for 2 of 4 at a time" in result.out
    for name in names(population):
        assert fingerprint(tmp_path / "narrow" / name) == fingerprint(population / name)


def test_a_run_that_fails_ends_and_the_others_continue(train, tmp_path):
    folder = tmp_path / "runs"
    rates = ("--optimizer.learning-rate", "1e-3", "1e30", "--optimizer.max-gradient-norm", "1e30")
    result = train(folder, "--iterations", "8", "--optimizer.warmup-share", "0", *rates)
    assert_one_line(result, 1, "1 of 2 runs could not continue", "learning_rate=1e+30: ")
    assert iterations(folder / "optimizer.learning_rate=0.001") == list(range(9))
    assert len(iterations(folder / "optimizer.learning_rate=1e+30")) < 8


@pytest.mark.parametrize(
    ("rate", "words"), [("-1", "learning_rate=-1.0: must be above 0"), ("1e-3", "is there twice")]
)
def test_bad_lists_are_refused_and_nothing_is_created(train, tmp_path, rate, words):
    result = train(tmp_path / "runs", "--optimizer.learning-rate", "1e-3", rate)
    assert_one_line(result, 2, words)
    assert not (tmp_path / "runs").exists()
