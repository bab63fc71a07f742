"""Jobs of SLURM: their options, and what they run."""

import sys

import pytest
from fake_slurm import install_sbatch

from azjax.support.arguments import without_flags
from azjax.support.slurm_job import parse_options, submit_this_script


def test_options_of_sbatch_are_parsed():
    options = parse_options("--partition gpu --gpus-per-task=1 --exclusive --comment 'a b'")
    expected = {"partition": "gpu", "gpus_per_task": "1", "exclusive": True, "comment": "a b"}
    assert options == expected


@pytest.mark.parametrize("flag", [["--slurm", "--gpus 1"], ["--slurm=--gpus 1"], ["--slurm", ""]])
def test_the_job_runs_the_same_command_without_the_flag(flag):
    assert without_flags(["s.py", *flag, "--seeds", "2"], "--slurm") == ["s.py", "--seeds", "2"]


def test_a_submitted_script_has_the_options_and_a_signal_before_its_end(tmp_path, monkeypatch):
    pytest.importorskip("submitit")
    install_sbatch(tmp_path, monkeypatch)
    monkeypatch.setattr(sys, "argv", ["study.py", "--slurm", "--ntasks 4", "--seeds", "2"])
    submit_this_script("--ntasks 4 --exclusive", tmp_path / "out")
    script = (tmp_path / "script").read_text()
    for option in ("ntasks=4", "exclusive", "signal=TERM@60"):
        assert f"#SBATCH --{option}\n" in script
    assert "--time" not in script  # the partition's, if none is given
