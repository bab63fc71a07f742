"""Jobs of SLURM: their options, and what they run."""

import sys

import pytest
from fake_slurm import install_sbatch

from azjax.support.arguments import without_flags
from azjax.support.errors import InputError
from azjax.support.slurm_job import submit_this_script


@pytest.mark.parametrize("flag", [["--slurm", "--gpus 1"], ["--slurm=--gpus 1"], ["--slurm", ""]])
def test_the_job_runs_the_same_command_without_the_flag(flag):
    assert without_flags(["s.py", *flag, "--seeds", "2"], "--slurm") == ["s.py", "--seeds", "2"]


def test_a_submitted_script_has_the_options_and_a_signal_before_its_end(tmp_path, monkeypatch):
    install_sbatch(tmp_path, monkeypatch)
    monkeypatch.setattr(sys, "argv", ["study.py", "--slurm", "--ntasks 4", "--seeds", "2"])
    told = submit_this_script("--ntasks 4 --comment 'a b'", tmp_path / "out")
    words = (tmp_path / "words").read_text().splitlines()
    assert words[2:6] == ["--signal=TERM@60", "--ntasks", "4", "--comment"]
    cores = "${SLURM_CPUS_PER_TASK:+--cpus-per-task=$SLURM_CPUS_PER_TASK}"
    assert words[6:] == ["a b", f"--wrap=srun {cores} {sys.executable} study.py --seeds 2"]
    assert told == f"submitted as job 77; its output goes to {tmp_path}/out/.slurm/77.log"


def test_a_job_that_slurm_refuses_is_refused_in_one_line(tmp_path, monkeypatch):
    install_sbatch(tmp_path, monkeypatch)
    with pytest.raises(InputError, match=r"SLURM does not take the job: no such option$"):
        submit_this_script("--wrong", tmp_path / "out")
