"""A minute of the campaign of faults.py."""

import importlib
import json
import os
import subprocess
import sys

import pytest
from script_loading import SCRIPTS

from azjax.runs.storage.run_folders import open_run

SECONDS = 900


def run_campaigns(folder, *arguments):
    """Returns the JSON of the script's lines by campaign."""
    done = subprocess.run(
        [sys.executable, SCRIPTS / "faults.py", *arguments],
        capture_output=True,
        text=True,
        cwd=folder,
        timeout=SECONDS,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return {line["campaign"]: line for line in lines if "campaign" in line}


def test_a_result_that_differs_or_cannot_be_read_is_a_failure(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(SCRIPTS)
    trials = importlib.import_module("fault_injection.trials")
    subjects = importlib.import_module("fault_injection.subjects")

    def compare(result):
        subject = subjects.Subject(None, None, result)
        return trials.compare_result(subject, tmp_path, "expected")

    assert compare(lambda folder: "expected") is None
    assert compare(lambda folder: "other") == "result 'other', not 'expected'"
    lost = compare(lambda folder: str(open_run(folder)))
    assert lost.startswith(f"no result: {tmp_path} holds no run")


def test_a_training_that_hangs_is_a_failure(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(SCRIPTS)
    trials = importlib.import_module("fault_injection.trials")
    subjects = importlib.import_module("fault_injection.subjects")
    monkeypatch.setattr(trials, "MOST_SECONDS", 0.1)
    hang = [sys.executable, "-c", "import time; time.sleep(60)"]
    subject = subjects.Subject(None, lambda folder: hang, None)
    assert trials.compare(subject, tmp_path, "expected") == trials.HAS_NOT_ENDED


@pytest.mark.slow
def test_a_spoilt_gradient_and_a_clock_set_back_lose_nothing(tmp_path):
    found = run_campaigns(tmp_path, "--campaigns", "nan", "clock")
    assert {name: (one["trials"], one["failures"]) for name, one in found.items()} == {
        "nan": (1, 0),
        "clock": (1, 0),
    }


@pytest.mark.slow
def test_killed_trainings_go_on_to_the_same_end(tmp_path):
    campaigns = ("kills", "group_kills")
    found = run_campaigns(tmp_path, "--campaigns", *campaigns, "--kills", "4", "--group-kills", "1")
    assert {name: (one["trials"], one["failures"]) for name, one in found.items()} == {
        "kills": (4, 0),  # one of each kind of training
        "group_kills": (1, 0),
    }


@pytest.mark.slow
def test_the_memory_of_a_training_is_watched(tmp_path):
    command = [sys.executable, SCRIPTS / "faults.py", "--campaigns", "memory"]
    done = subprocess.run(
        [*command, "--memory-minutes", "0.5"], capture_output=True, text=True, cwd=tmp_path
    )
    _, found, *problems, summary = [json.loads(line) for line in done.stdout.splitlines()]
    sizes, first, last = (
        found[name] for name in ("memory_mib", "second_quarter_mib", "last_quarter_mib")
    )
    assert min(sizes) > 100
    assert found["growth"] == pytest.approx(last / first - 1, abs=1e-3)
    has_failed = found["growth"] > 0.02  # likely, as the program is still being compiled
    assert (done.returncode, summary["failures"], len(problems)) == 3 * (int(has_failed),)


@pytest.mark.slow
@pytest.mark.skipif(os.getuid() != 0, reason="root alone can mount a small disk")
def test_a_full_disk_and_a_read_only_one_lose_nothing(tmp_path):
    found = run_campaigns(tmp_path, "--campaigns", "disk", "read_only")
    assert found["disk"]["trials"] > 5
    assert found["read_only"]["failures"] == 0


def test_numbers_out_of_range_are_refused(tmp_path):
    done = subprocess.run(
        [sys.executable, SCRIPTS / "faults.py", "--kills", "0"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=SECONDS,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "kills=0" in done.stderr
