"""Studies and sweeps that submit themselves as jobs of SLURM."""

import subprocess
import sys

import pytest
from fake_slurm import install_sbatch
from script_loading import SCRIPTS


@pytest.mark.slow
@pytest.mark.parametrize(
    ("script", "arguments"),
    [("compare_search.py", ["--game", "tic_tac_toe"]), ("sweep.py", ["--preset", "tic_tac_toe"])],
)
def test_a_script_submits_itself_and_trains_nothing(script, arguments, tmp_path, monkeypatch):
    install_sbatch(tmp_path, monkeypatch)
    command = [*(sys.executable, SCRIPTS / script, *arguments), "--out", tmp_path / "out"]
    done = subprocess.run(
        [*command, "--slurm=--gpus 1"], capture_output=True, text=True, cwd=tmp_path, timeout=120
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("submitted as job 77; its output goes to ")
    assert "--gpus\n1\n" in (tmp_path / "words").read_text()
    assert not list(tmp_path.rglob("metrics.jsonl"))
