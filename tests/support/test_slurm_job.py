"""Jobs of SLURM: their options, and what they run."""

import subprocess
import sys

import pytest

from azjax.support import slurm_job
from azjax.support.errors import InputError
from azjax.support.slurm_job import Command, parse_options, submit_this_script, without_flag


def test_options_of_sbatch_are_parsed():
    options = parse_options("--partition gpu --gpus-per-task=1 --exclusive --comment 'a b'")
    expected = {"partition": "gpu", "gpus_per_task": "1", "exclusive": True, "comment": "a b"}
    assert options == expected
    assert parse_options("") == {}


@pytest.mark.parametrize("options", ["-p gpu", "gpu", "--partition gpu cpu"])
def test_a_word_that_is_no_option_is_named(options):
    with pytest.raises(InputError, match="is no option: write them as in --partition gpu"):
        parse_options(options)


@pytest.mark.parametrize("flag", [["--slurm", "--gpus 1"], ["--slurm=--gpus 1"], ["--slurm", ""]])
def test_the_job_runs_the_same_command_without_the_flag(flag):
    assert without_flag(["s.py", "--out", "a", *flag, "--seeds", "2"]) == [
        *("s.py", "--out", "a", "--seeds", "2")
    ]


def test_a_command_runs_in_a_process_and_is_queued_again_when_its_time_is_up(tmp_path):
    submitit = pytest.importorskip("submitit")
    path = tmp_path / "done"
    write = [sys.executable, "-c", f"open({str(path)!r}, 'a').write('x')"]
    executor = submitit.LocalExecutor(tmp_path / "logs")
    executor.submit(Command(write)).result()
    again = Command(write).checkpoint()
    again.function()
    assert path.read_text() == "xx"
    with pytest.raises(subprocess.CalledProcessError):
        Command([sys.executable, "-c", "raise SystemExit(3)"])()


def test_without_slurm_the_job_is_refused_in_one_line(tmp_path, monkeypatch):
    pytest.importorskip("submitit")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InputError, match="SLURM does not take the job: ") as refusal:
        submit_this_script("--gpus 1", tmp_path)
    assert "\n" not in str(refusal.value)


def test_without_submitit_its_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "submitit", None)
    with pytest.raises(InputError, match=r"pip install 'azjax\[slurm\]'"):
        slurm_job.submit_this_script("", tmp_path)
