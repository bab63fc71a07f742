import json
import os

import pytest

from azjax.config.limits import Limits
from azjax.page.training.processes import Jobs, StopSignals
from azjax.page.training.runs import RunMonitor, describe_run, label_runs, select_runs, share_done
from azjax.page.training.view import run_rows
from azjax.runs.storage.run_notes import RunNotes, write_notes
from azjax.support.files.ownership import owned

from ..made_runs import make_evaluation, make_row, make_run


class FakeJobs(Jobs):
    """Processes that a test names."""

    def __init__(self, runs):
        super().__init__(runs)
        self.began, self.ended = {}, []

    def running(self):
        return self.began

    def failures(self):
        return {name: self.failure(name, 0.0) for name in self.ended}


@pytest.fixture
def jobs(runs):
    return FakeJobs(runs)


@pytest.fixture
def look(runs, jobs):
    """Returns `look()`: the runs as they are now, by name."""
    monitor = RunMonitor(runs, jobs, StopSignals())

    def look_now():
        monitor.look_again()
        return {run.name: run for run in monitor.look()}

    return look_now


def rows_of(seen):
    return {row["key"]: row for row in run_rows(list(seen.values()))}


def test_a_run_is_found_with_its_newest_numbers(runs, look):
    rows = [make_row(i) for i in range(1, 10)] + [make_evaluation(10, 0.93, 0.995)]
    make_run(runs / "ttt", rows)
    seen = look()
    assert seen["ttt"].state == "stopped"
    row = rows_of(seen)["ttt"]
    assert (row["game"], row["iteration"], row["minutes"]) == ("tic_tac_toe", "10", "0.5")
    assert row["accuracy"] == "99.50% (93.00% network alone)"
    assert (row["speed"], row["left"]) == ("50,000", "")
    assert row["link"] == "/training/run?name=ttt"
    assert row["play_link"] == ""
    assert "seed 0, iteration 10" in describe_run(seen["ttt"])
    assert share_done(seen["ttt"]) == 0.25
    fields = run_rows(list(seen.values()), ["search.num_simulations", "parts"])[0]
    assert (fields["search.num_simulations"], fields["parts"]) == ("32", "random_starts")


PERFECT = {"accuracy_search": 1.0, "accuracy_network": 1.0}
ROUNDS = "tic_tac_toe_policy_gradient"  # of five rounds


@pytest.mark.parametrize(
    ("preset", "row", "state"),
    [
        ("tic_tac_toe", {"iteration": 40}, "finished"),
        ("tic_tac_toe", PERFECT | {"exploitability": 0}, "finished"),
        ("tic_tac_toe", PERFECT | {"exploitability": 0.5}, "stopped"),
        (ROUNDS, {"rounds_passed": 4}, "stopped"),
        (ROUNDS, {"rounds_passed": 5}, "finished"),
    ],
)
def test_a_run_is_finished_at_its_limit_or_when_nobody_beats_it(runs, look, preset, row, state):
    """A policy gradient is only after its last round."""
    make_run(runs / "ttt", [make_row(20) | row], preset=preset)
    assert look()["ttt"].state == state


def test_the_process_that_trains_a_run_is_named(runs, look):
    run = make_run(runs / "ttt", [make_row(3)])
    os.utime(run.metrics, (100.0, 100.0))  # of an earlier session
    with owned(run.path):
        assert look()["ttt"].state == "compiling"
        with run.metrics.open("a") as file:
            file.write(json.dumps(make_row(4)) + "\n")
        seen = look()
        assert seen["ttt"].state == "training"
        assert rows_of(seen)["ttt"]["state"].startswith(f"training by process {os.getpid()} on ")
    assert look()["ttt"].state == "stopped"


def test_a_damaged_run_is_listed_with_its_reason(runs, look):
    make_run(runs / "right", [make_row(1)])
    for name, text in {"a": "{", "b": "[]", "c": "{}"}.items():
        (runs / name).mkdir()
        (runs / name / "run.json").write_text(text)
    seen = look()
    assert [seen[name].state for name in "abc"] == ["damaged"] * 3
    rows = rows_of(seen)
    assert "it is no JSON" in rows["a"]["state"]
    assert all("\n" not in rows[name]["state"] and not rows[name]["link"] for name in "abc")
    assert rows["right"]["state"] == "stopped"


def test_the_runs_of_a_population_are_grouped(runs, look):
    for seed in range(2):
        make_run(runs / "pop" / f"seed={seed}", [make_row(5 + seed)], seed=seed)
    make_run(runs / "alone", [make_row(40)])
    make_run(runs / "folder" / "only")
    seen = look()
    rows = run_rows(list(seen.values()))
    assert [row["name"] for row in rows] == ["alone", "folder/only", "pop/", "seed=0", "seed=1"]
    found = run_rows(list(seen.values()), text="POP/seed=1")
    assert [row["name"] for row in found] == ["pop/seed=1"]
    assert run_rows(list(seen.values()), ["state"], text="training") == []  # as in the links
    group = rows[2]
    assert (group["state"], group["link"]) == ("2 runs: 2 stopped", "/training/run?name=pop")
    selected = select_runs(list(seen.values()), ["pop"])
    assert [run.name for run in selected] == ["pop/seed=0", "pop/seed=1"]
    assert [run.name for run in select_runs(list(seen.values()), ["al", "alone"])] == ["alone"]


def test_no_two_runs_are_called_alike(runs, look):
    for name in ("a", "b", "c"):
        make_run(runs / name)
    write_notes(runs / "a", RunNotes("b"))
    write_notes(runs / "c", RunNotes("#1 best"))
    assert label_runs([*look().values()]) == {"a": "a", "b": "b", "c": "#1 best"}


def test_a_process_without_a_folder_is_starting_and_then_failed(runs, jobs, look):
    jobs.began = {"new": 1.0}
    assert look()["new"].state == "starting"
    (runs / ".logs").mkdir(parents=True)
    (runs / ".logs" / "new.log").write_text("$ azjax train x\nazjax: error: no device\n")
    jobs.began, jobs.ended = {}, ["new"]
    seen = look()["new"]
    assert (seen.state, seen.error) == ("failed", "azjax: error: no device")


@pytest.mark.parametrize(
    ("limits", "row", "left"),
    [
        (Limits(minutes=2.0, iterations=6), {"iteration": 5, "seconds": 30.0}, "6.0 s"),
        (Limits(), {"iteration": 5, "seconds": 30.0}, ""),
    ],
)
def test_the_time_left_follows_from_the_share_that_is_done(runs, look, limits, row, left):
    run = make_run(runs / "ttt", [row], limits)
    with owned(run.path):
        os.utime(run.metrics)
        assert rows_of(look())["ttt"]["left"] == left
