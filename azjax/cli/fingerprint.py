"""`azjax fingerprint`."""

import dataclasses
import pathlib
from typing import Annotated

import tyro

from azjax.cli.output import warn
from azjax.config.flags import parse_flags
from azjax.runs.storage.restore import restore
from azjax.runs.storage.run_folders import open_run


@dataclasses.dataclass(frozen=True)
class FingerprintOptions:
    """Print the SHA-256 of every array of a run's newest checkpoint."""

    run: Annotated[tyro.conf.Positional[pathlib.Path], tyro.conf.arg(metavar="RUN")]
    """The run's folder."""


def fingerprint_command(arguments: list[str]) -> None:
    """Runs `azjax fingerprint RUN`."""
    options = parse_flags(FingerprintOptions, arguments, "azjax fingerprint")
    restored = restore(open_run(options.run))
    warn(restored.warnings)
    print(restored.fingerprint)
