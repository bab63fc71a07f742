"""Campaigns of faults.py, each as small as it can be."""

import json
import os
import subprocess
import sys

import pytest
from script_loading import SCRIPTS


@pytest.mark.slow
def test_a_clock_set_back_and_a_full_disk_lose_nothing(tmp_path):
    """Of killed runs, studies, sweeps and processes of a group there are tests of their own."""
    campaigns = ["clock", "disk"] if os.getuid() == 0 else ["clock"]  # root can mount a small disk
    words = [SCRIPTS / "engineering" / "faults.py", "--campaigns", *campaigns, "--disks", "1"]
    done = subprocess.run(
        [sys.executable, *words], capture_output=True, text=True, cwd=tmp_path, timeout=900
    )
    assert done.returncode == 0, done.stdout + done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    found = {x["campaign"]: (x["failures"], x["trials"]) for x in lines if "campaign" in x}
    assert found == dict.fromkeys(campaigns, (0, 1))
