"""The campaigns of faults.py, each as small as it can be."""

import json
import os
import subprocess
import sys

import pytest
from script_loading import SCRIPTS

pytestmark = pytest.mark.slow

SECONDS = 900


def failures(folder, *arguments):
    """Returns how many trials of each campaign have failed, of how many."""
    done = subprocess.run(
        [sys.executable, SCRIPTS / "engineering" / "faults.py", *arguments],
        capture_output=True,
        text=True,
        cwd=folder,
        timeout=SECONDS,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return {x["campaign"]: (x["failures"], x["trials"]) for x in lines if "campaign" in x}


def test_a_killed_population_and_a_clock_set_back_lose_nothing(tmp_path):
    """Of killed runs, studies, sweeps and processes of a group there are tests of their own."""
    flags = ("--subjects", "population", "--kills", "1")
    found = failures(tmp_path, "--campaigns", "kills", "clock", *flags)
    assert found == {"kills": (0, 1), "clock": (0, 1)}


@pytest.mark.skipif(os.getuid() != 0, reason="root alone can mount a small disk")
def test_a_full_disk_and_a_read_only_one_lose_nothing(tmp_path):
    found = failures(tmp_path, "--campaigns", "disk", "read_only", "--disks", "2")
    assert found == {"disk": (0, 2), "read_only": (0, 3)}
