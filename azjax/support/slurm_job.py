"""Submits a command as a job of SLURM, by submitit."""

import pathlib
import shlex
import subprocess
import sys

from azjax.support.arguments import without_flags
from azjax.support.errors import InputError, first_line, input_errors

FLAG = "--slurm"
_LOGS = ".slurm"  # the folder of the jobs' logs below the results; hidden: it may be new


def submit_this_script(options: str, folder: pathlib.Path) -> str:
    """Submits the script that runs, with its arguments but `--slurm`; returns a line about the job.

    A minute before the job's time is up its processes get SIGTERM, at which runs save themselves.
    The options are sbatch's; the folder of the results gets the job's logs.

    Raises:
      InputError: An option is wrong, SLURM refuses the job, or submitit is missing.
    """
    try:
        import submitit
    except ModuleNotFoundError as error:
        raise InputError(f"{FLAG} needs submitit: pip install 'azjax[slurm]'") from error
    parameters = {"signal": "TERM@60", **parse_options(options)}
    try:
        executor = submitit.SlurmExecutor(folder / _LOGS)
        executor.update_parameters(time=None, additional_parameters=parameters)
        command = [sys.executable, *without_flags(sys.argv, FLAG)]
        job = executor.submit(subprocess.check_call, command)
    except (RuntimeError, OSError, submitit.core.utils.FailedJobError) as error:
        raise InputError(f"SLURM does not take the job: {first_line(error)}") from error
    return f"submitted as job {job.job_id}; its output goes to {job.paths.stdout}"


def parse_options(options: str) -> dict[str, str | bool]:
    """Returns options of sbatch by their names with underscores; those without a value are True."""
    found: dict[str, str | bool] = {}
    with input_errors(FLAG):
        words = shlex.split(options)
    while words:
        word, equals, value = words.pop(0).partition("=")
        if not word.startswith("--"):
            raise InputError(f'{FLAG}: {word!r} is no option: write them as in {FLAG}="--gpus 1"')
        name = word.removeprefix("--").replace("-", "_")
        if equals:
            found[name] = value
        else:
            has_value = bool(words) and not words[0].startswith("--")
            found[name] = words.pop(0) if has_value else True
    return found
