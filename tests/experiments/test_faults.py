"""A minute of the campaign of faults.py."""

import json
import os
import subprocess
import sys

import pytest
from script_loading import SCRIPTS

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
@pytest.mark.skipif(os.getuid() != 0, reason="root alone can mount a small disk")
def test_a_full_disk_and_a_read_only_one_lose_nothing(tmp_path):
    found = run_campaigns(tmp_path, "--campaigns", "disk", "read_only")
    assert found["disk"]["trials"] > 5
    assert found["read_only"]["failures"] == 0
