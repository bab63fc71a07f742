"""An sbatch that takes every job and runs none."""

import os


def install_sbatch(folder, monkeypatch):
    """Puts an sbatch first in PATH; it copies a job's script to `folder / "script"`."""
    sbatch = folder / "sbatch"
    sbatch.write_text(f'#!/bin/sh\ncp "$1" {folder}/script\necho Submitted batch job 77\n')
    for program in (sbatch, folder / "srun"):
        program.touch()
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
