"""A run is trained by one process at a time; commands that only read it need not wait."""

import pytest
from command_line import TINY, assert_one_line, at_iteration, checkpoints, iterations, snapshot

import azjax.runs.train as train_module
from azjax.cli.train.command import open_training
from azjax.cli.train.options import parse_request
from azjax.support.files.ownership import owned


def take_from_elsewhere(run):
    """Does what a process on a machine does that locks do not reach."""
    (run.path / ".owner").write_text("another")


@pytest.fixture
def begun(train, tmp_path):
    """Returns the folder of a run with one iteration."""
    assert train(tmp_path / "run", "--iterations", "1").code == 0
    return tmp_path / "run"


def test_a_run_in_use_is_not_resumed_and_compiles_nothing(resume, begun, monkeypatch):
    monkeypatch.setattr(train_module, "Slots", None)
    with owned(begun):
        before = snapshot(begun)
        assert_one_line(resume(begun, "--iterations", "9"), 2, begun, "is in use by process")
        assert snapshot(begun) == before


def test_a_run_that_is_trained_can_be_read(azjax, train, tmp_path, monkeypatch):
    results = []

    def read(run):
        results.append(azjax("fingerprint", run.path))
        results.append(azjax("accuracy", run.path, "--simulations", "2"))
        results.append(azjax("export", run.path, "--out", tmp_path / "agent.npz"))

    at_iteration(monkeypatch, 3, read)
    train(tmp_path / "run", "--iterations", "4")
    assert [(result.code, result.err) for result in results] == [(0, "")] * 3
    assert iterations(tmp_path / "run") == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("moment", ["end_iteration", "evaluate"])
def test_a_run_that_is_taken_within_an_iteration_writes_neither_row_nor_checkpoint(
    train, tmp_path, monkeypatch, moment
):
    method = getattr(train_module.Session, moment)

    def take_and_go_on(session, *arguments):
        if session._iteration + (moment == "end_iteration") == 2:
            take_from_elsewhere(session.run)
        return method(session, *arguments)

    monkeypatch.setattr(train_module.Session, moment, take_and_go_on)
    result = train(tmp_path / "run", "--iterations", "4")
    assert_one_line(result, 1, "now belongs to another process")
    assert iterations(tmp_path / "run") == [0, 1]
    assert checkpoints(tmp_path / "run") == [1]
    assert not (tmp_path / "run" / "history" / "2").exists()


def test_the_folder_of_a_population_has_one_owner(resume, tmp_path):
    folder = tmp_path / "runs"
    words = ["tic_tac_toe", *TINY, "--seeds", "2", "--iterations", "1", "--out", str(folder)]
    open_training(parse_request(words))
    with owned(folder):
        before = snapshot(folder)
        assert_one_line(resume(folder, "--iterations", "2"), 2, f"{folder} is in use by process")
        assert snapshot(folder) == before
