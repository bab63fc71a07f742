"""Joins the processes of a group, and checks that they can train together."""

import contextlib
import hashlib
import itertools
import json
import os
import pathlib
from collections.abc import Iterator, Sequence
from typing import Any

import jax

from azjax.distributed.exchange import gather_texts
from azjax.distributed.group import ProcessGroup
from azjax.support.errors import InputError, RunError, first_line
from azjax.support.provenance.commit import package_commit, package_hash, short_commit
from azjax.support.provenance.environment import package_versions

# Without heartbeats for so long a process is lost, and ends the others.
_HEARTBEAT_SECONDS, _SHUTDOWN_SECONDS = 40, 20
# What an error of the program itself begins with, of which the others know nothing.
_OWN_ERRORS = "RESOURCE_EXHAUSTED", "INVALID_ARGUMENT", "UNIMPLEMENTED"


def join(group: ProcessGroup) -> None:
    """Joins the processes of a group; nothing may have been computed before.

    Raises:
      RunError: Not all of them have come in time.
    """
    # It would take SIGTERM before a run can save itself.
    jax.config.update("jax_enable_preemption_service", False)
    try:
        jax.distributed.initialize(
            group.coordinator_address,
            group.num_processes,
            group.process_id,
            local_device_ids=group.local_devices,
            cluster_detection_method="deactivate",
            initialization_timeout=group.initialization_timeout,
            heartbeat_timeout_seconds=_HEARTBEAT_SECONDS,
            shutdown_timeout_seconds=_SHUTDOWN_SECONDS,
        )
    except jax.errors.JaxRuntimeError as error:
        raise RunError(
            f"process {group.process_id} does not meet all {group.num_processes} processes at "
            f"{group.coordinator_address} in {group.initialization_timeout} seconds: "
            f"{first_line(error)}"
        ) from error


@contextlib.contextmanager
def training_together(command: Sequence[str]) -> Iterator[None]:
    """Checks that the processes can train together, and lets them.

    `command` is the arguments of this process, without the flags of the group.

    Raises:
      InputError: The processes have other arguments, files, versions or numbers of devices.
      RunError: A process was lost, or the program failed, for lack of memory say.
    """
    try:
        check_alike(gather_texts(json.dumps(_describe(command))))
        yield
    except jax.errors.JaxRuntimeError as error:
        if str(error).startswith(_OWN_ERRORS):
            raise RunError(first_line(error)) from error
        raise RunError(
            f"a process was lost ({first_line(error)}); start all of them again with --resume"
        ) from error


def check_alike(descriptions: Sequence[str]) -> None:
    """Raises an InputError if the JSON object of a process differs from process 0's."""
    first, *others = map(json.loads, descriptions)
    for number, other in enumerate(others, start=1):
        for name, value in first.items():
            if other.get(name) != value:
                here, there = _first_difference(value, other.get(name))
                raise InputError(f"processes 0 and {number} differ in {name}: {here} and {there}")


def _first_difference(one: Any, other: Any) -> tuple[str, str]:
    """Returns two values in words; of two commands the first words that differ, and one before."""
    if not (isinstance(one, list) and isinstance(other, list)):
        return str(one), str(other)
    pairs = enumerate(itertools.zip_longest(one, other))
    first = next(index for index, (here, there) in pairs if here != there)
    here, there = (" ".join(words[max(0, first - 1) : first + 1]) for words in (one, other))
    return here, there


def _describe(command: Sequence[str]) -> dict[str, Any]:
    return {
        "their commands": list(command),
        **{f"the contents of {name}": _file_hash(name) for name in filter(os.path.isfile, command)},
        "the files of azjax": f"{short_commit(package_commit())}, SHA-256 {package_hash()[:12]}",
        **{f"the version of {name}": version for name, version in package_versions().items()},
        "the platform": jax.default_backend(),
        "the number of devices": jax.local_device_count(),
    }


def _file_hash(name: str) -> str:
    return hashlib.sha256(pathlib.Path(name).read_bytes()).hexdigest()[:12]
