import json
import shutil
import signal

import pytest
from command_line import (
    Killed,
    assert_one_line,
    at_iteration,
    checkpoints,
    iterations,
    kill,
    read_rows,
    snapshot,
)

import azjax.runs.train as train_module
from azjax.runs.resuming import why_finished
from azjax.runs.storage.run_folders import open_run

pytestmark = pytest.mark.slow


@pytest.fixture
def fingerprint(azjax):
    return lambda folder: azjax("fingerprint", folder).out


@pytest.mark.parametrize("iteration", [2, 3])  # with an evaluation, and without
def test_a_run_killed_and_resumed_is_the_uninterrupted_run(
    train, resume, fingerprint, trained, tmp_path, monkeypatch, iteration
):
    folder = tmp_path / "run"
    with monkeypatch.context() as patch:
        at_iteration(patch, iteration, kill)
        with pytest.raises(Killed):
            train(folder, "--iterations", "6")
    assert iterations(folder)[-1] == iteration
    result = resume(folder, "--iterations", "6")
    assert result.code == 0
    assert fingerprint(folder) == fingerprint(trained)
    assert iterations(folder) == [0, 1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize("other", [("--iterations", "6"), ("--minutes", "1")])
def test_budget_shares_give_the_length_of_a_new_run(train, trained, tmp_path, other):
    result = train(tmp_path / "run", "--budget-shares", trained, *other)
    assert_one_line(result, 2, "--budget-shares")
    assert not (tmp_path / "run").exists()


def test_a_run_without_a_checkpoint_starts_again_from_its_seed(resume, fingerprint, trained, copy):
    for checkpoint in (copy / "checkpoints").iterdir():
        shutil.rmtree(checkpoint)
    rows = (copy / "metrics.jsonl").read_text().splitlines(keepends=True)
    (copy / "metrics.jsonl").write_text("".join(rows[:2]))  # it was killed in its first iteration
    result = resume(copy, "--iterations", "6")
    assert "no checkpoint yet: starting again from seed 0" in result.out
    assert iterations(copy) == [0, 1, 2, 3, 4, 5, 6]
    assert fingerprint(copy) == fingerprint(trained)


def test_a_run_whose_checkpoints_were_deleted_loses_no_metrics(resume, copy):
    shutil.rmtree(copy / "checkpoints")
    result = resume(copy, "--iterations", "7")
    assert_one_line(result, 2, f"{copy}/checkpoints is gone or empty", f"--init-from {copy}@6")
    assert iterations(copy)[-1] == 6


def test_a_run_without_the_row_of_its_checkpoint_is_not_continued(resume, copy):
    networks = sorted(path.name for path in (copy / "history").iterdir())
    (copy / "metrics.jsonl").write_text("")
    result = resume(copy, "--iterations", "7")
    assert_one_line(result, 2, f"{copy}/metrics.jsonl lacks the row of iteration 6")
    assert sorted(path.name for path in (copy / "history").iterdir()) == networks


def test_a_signal_saves_and_says_how_to_continue(
    train, azjax, fingerprint, trained, tmp_path, monkeypatch
):
    folder = tmp_path / "run"
    before = signal.getsignal(signal.SIGTERM)
    with monkeypatch.context() as patch:
        at_iteration(patch, 3, lambda run: signal.raise_signal(signal.SIGTERM))
        result = train(folder, "--iterations", "6")
    assert result.code == 130
    assert signal.getsignal(signal.SIGTERM) == before
    assert checkpoints(folder)[-1] == iterations(folder)[-1] == 3
    assert "Stopped and saved at iteration 3." in result.out
    evaluated = ["accuracy_search" in row for row in read_rows(folder)]
    assert evaluated == [True, False, True, False]
    words = result.out.split("Continue with: azjax ")[1].split()
    assert words == f"train --resume --out {folder}".split()
    assert azjax(*words).code == 0
    assert fingerprint(folder) == fingerprint(trained)


def test_a_finished_run_does_no_more_and_says_how_it_goes_on(resume, trained, monkeypatch):
    monkeypatch.setattr(train_module, "Slots", None)  # it compiles nothing
    before = snapshot(trained)
    result = resume(trained, "--iterations", "6")
    assert result.code == 0
    assert "nothing is left to do: the run has reached its limit" in result.out
    command = f"azjax train --resume --out {trained} --iterations N"
    assert result.out.endswith(f"To go on beyond 6 iterations in all: {command}\n")
    assert "--minutes N" in resume(trained, "--minutes", "1e-9").out
    assert snapshot(trained) == before


def test_a_finished_run_goes_on_from_the_checkpoint_before_a_damaged_one(copy):
    assert why_finished(open_run(copy)) == "limit"
    for path in (copy / "checkpoints" / "6").rglob("d/*"):
        path.write_bytes(b"")
    assert why_finished(open_run(copy)) is None


def test_a_run_that_is_perfect_does_no_more(train, resume, tmp_path, perfect, monkeypatch):
    folder = tmp_path / "run"
    train(folder, "--iterations", "6")
    assert iterations(folder) == [0, 1, 2]
    monkeypatch.setattr(train_module, "Slots", None)  # it compiles nothing
    assert "nothing is left to do: the agent is perfect" in resume(folder, "--iterations=600").out


def test_a_run_whose_last_evaluation_was_not_perfect_goes_on(resume, copy, perfect):
    """Also where the agent would be found perfect now, on other positions say."""
    assert "the run has reached its limit" in resume(copy).out
    assert resume(copy, "--iterations", "8").code == 0
    assert iterations(copy)[-1] == 8


def test_a_resumed_run_keeps_its_truth_and_tells_of_another(resume, copy, tmp_path, monkeypatch):
    truth = tmp_path / "one.csv"
    truth.write_text("moves,best\n0 3 1 4,c1\n")
    monkeypatch.chdir(tmp_path)
    given = resume(copy, "--iterations", "7", "--truth", truth.name)
    before = "accuracy was measured on the positions of a run without --truth until iteration 6"
    assert f"{before}, from now on {truth}\n" in given.out
    monkeypatch.chdir(copy)
    kept = resume(copy, "--iterations", "8")
    assert "of 1 (" in kept.out
    assert "accuracy was measured" not in kept.out


@pytest.mark.parametrize(
    ("override", "difference"),
    [
        (("--seed", "1"), "seed was 0, is 1"),
        (("--seeds", "2"), "its seeds or lists of numbers were others"),
        # The preset's value, which is not the run's.
        (("--network.channels", "128"), "network.channels was 16, is 128"),
        (("--search.name", "puct"), "search.name was gumbel, is puct"),
        (("--parts", "reply"), "parts was ('random_starts',), is ('reply',)"),
    ],
)
def test_other_options_are_refused_and_nothing_changes(resume, trained, override, difference):
    before = snapshot(trained)
    result = resume(trained, "--iterations", "8", *override)
    assert_one_line(result, 2, "started with other options", difference)
    assert snapshot(trained) == before


def test_a_run_goes_on_with_another_number_of_devices_and_says_so(resume, copy):
    result = resume(copy, "--iterations", "7", "--devices", "2")
    assert "trained on 1 device until iteration 6, from now on 2: " in result.out
    description = json.loads((copy / "run.json").read_text())
    assert [session["devices"] for session in description["sessions"]] == [1, 2]


def test_a_population_goes_on_from_its_folder_alone_to_its_new_limit(azjax, copy, tmp_path):
    description = json.loads((copy / "run.json").read_text()) | {"preset": "gone.toml"}
    (copy / "run.json").write_text(json.dumps(description))
    assert azjax("train", "--resume", "--out", tmp_path, "--iterations", "7").code == 0
    assert iterations(copy)[-1] == 7
    again = azjax("train", "gone.toml", "--resume", "--out", tmp_path)
    assert "To go on beyond 7 iterations in all: " in again.out
