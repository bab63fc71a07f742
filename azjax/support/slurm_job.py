"""Submits the script that runs as a job of SLURM, by sbatch."""

import pathlib
import shlex
import subprocess
import sys

from azjax.support.arguments import without_flags
from azjax.support.errors import InputError, input_errors, writing_errors

FLAG = "--slurm"
# Some versions of srun do not take the number from sbatch.
_SRUN = "srun ${SLURM_CPUS_PER_TASK:+--cpus-per-task=$SLURM_CPUS_PER_TASK}"
_LOGS = ".slurm"  # the folder of the jobs' logs below the results; hidden: it may be new


def submit_this_script(options: str, folder: pathlib.Path) -> str:
    """Submits the script that runs, with its arguments but `--slurm`; returns a line about the job.

    A minute before the job's time is up its processes get SIGTERM, at which runs save themselves.
    The options are sbatch's; the folder of the results gets the job's logs.

    Raises:
      InputError: An option is wrong, or SLURM refuses the job.
    """
    log = f"{folder / _LOGS}/%j.log"
    with input_errors(FLAG):
        given = shlex.split(options)
    job = f"{_SRUN} {shlex.join([sys.executable, *without_flags(sys.argv, FLAG)])}"
    words = ["--parsable", f"--output={log}", "--signal=TERM@60", *given, f"--wrap={job}"]
    with writing_errors(folder):
        (folder / _LOGS).mkdir(parents=True, exist_ok=True)
    try:
        done = subprocess.run(["sbatch", *words], capture_output=True, text=True)
    except OSError as error:
        raise InputError(f"{FLAG}: sbatch cannot be run: {error.strerror}") from error
    if done.returncode:
        raise InputError(f"SLURM does not take the job: {' '.join(done.stderr.split())}")
    number = done.stdout.strip().partition(";")[0]
    return f"submitted as job {number}; its output goes to {log.replace('%j', number)}"
