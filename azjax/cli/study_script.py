"""The script of a study, such as `experiments/ablate.py`."""

import signal
from collections.abc import Callable

from azjax.cli.output import console
from azjax.cli.process import exit_with_one_line, go_on_without_output, prepare_jax
from azjax.studies.options import Options, parse_options
from azjax.studies.run_study import run_study
from azjax.studies.study import Study
from azjax.support.signals import interrupts


def run_study_script(
    kind: type[Options],
    design: Callable[[Options], Study],
    script: str,
    arguments: list[str] | None,
    then: Callable[[Study, Options], None] = lambda study, options: None,
) -> None:
    """Runs the study that `design` makes of a script's arguments; None takes the command line's.

    `then` is what follows the report, in the process that writes it.
    """
    with exit_with_one_line(), interrupts(signal.SIGTERM):
        prepare_jax()
        go_on_without_output()
        options = parse_options(kind, script, arguments)
        study = design(options)
        if run_study(study, console, extend=options.extend, slurm=options.slurm):
            then(study, options)
