"""An sbatch that takes every job and runs none."""

import os

SBATCH = """#!/bin/sh
case "$*" in *--wrong*) echo "no such option" >&2; exit 1;; esac
printf '%s\\n' "$@" > {folder}/words
echo 77
"""


def install_sbatch(folder, monkeypatch):
    """Puts an sbatch first in PATH; it writes its arguments to `folder / "words"`."""
    sbatch = folder / "sbatch"
    sbatch.write_text(SBATCH.format(folder=folder))
    sbatch.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
