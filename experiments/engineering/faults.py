"""Answers: does azjax lose anything when a process is killed, or a disk is full?

python experiments/engineering/faults.py --kills 100 --memory-minutes 120

It trains small runs, populations, studies and sweeps, and interrupts them: SIGKILL at random
moments, also of one of four processes of a run; a disk of a few megabytes that is full, or that
becomes read-only (a tmpfs, which only root can mount); a gradient that is not a number; a clock
that is set back. Each is continued by the same command or by --resume, and compared with one that
nothing has interrupted. Then it trains for some time and watches the memory. It prints JSON lines,
and ends with status 1 if anything differs, or if the memory has grown by more than 2%.
"""

import dataclasses
import json
import os
import pathlib
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Literal, get_args

import jax
from fault_injection.disks import fill_disk, make_read_only
from fault_injection.processes import kill_at_random, kill_one_of_several
from fault_injection.subjects import Finding
from fault_injection.surroundings import set_clock_back, spoil_gradient, watch_memory

from azjax.cli.process import exit_with_one_line
from azjax.config.flags import parse_flags
from azjax.support.provenance.environment import describe_machine
from azjax.support.validation import check_above, check_at_least

SubjectName = Literal["train", "population", "study", "sweep"]
Campaign = Literal["kills", "group_kills", "disk", "read_only", "nan", "clock", "memory"]


@dataclasses.dataclass(frozen=True)
class FaultOptions:
    """Interrupt small trainings in many ways, continue them, and compare."""

    kills: int = 100
    """SIGKILLs at random moments, over the kinds of training in turn."""
    subjects: tuple[SubjectName, ...] = get_args(SubjectName)
    """Which kinds of training are killed."""
    disks: int = 6
    """Disks that are full at different writes."""
    group_kills: int = 20
    """SIGKILLs of one of four processes that train a run together."""
    memory_minutes: float = 120.0
    """Minutes of training whose memory is watched."""
    campaigns: tuple[Campaign, ...] = get_args(Campaign)
    """Which faults."""
    seed: int = 0
    """The seed of the moments."""

    def __post_init__(self):
        """Raises ValueError if a number is out of range."""
        for name in ("kills", "disks", "group_kills"):
            check_at_least(name, getattr(self, name), 1)
        check_at_least("number of subjects", len(self.subjects), 1)
        check_above("memory_minutes", self.memory_minutes, 0)


CAMPAIGNS: dict[Campaign, Callable[[FaultOptions, pathlib.Path], Finding]] = {
    "kills": lambda options, folder: kill_at_random(
        options.subjects, options.kills, options.seed, folder
    ),
    "group_kills": lambda options, folder: kill_one_of_several(
        options.group_kills, options.seed, folder
    ),
    "disk": lambda options, folder: fill_disk(options.disks, folder),
    "read_only": lambda _, folder: make_read_only(folder),
    "nan": lambda _, folder: spoil_gradient(folder),
    "clock": lambda _, folder: set_clock_back(folder),
    "memory": lambda options, folder: watch_memory(options.memory_minutes, folder),
}  # each gets an empty folder


def main(arguments: list[str] | None = None) -> None:
    """Runs the campaigns of the arguments."""
    arguments = sys.argv[1:] if arguments is None else arguments
    with exit_with_one_line():
        options = parse_flags(FaultOptions, arguments, pathlib.Path(__file__).name)
        conditions = describe_machine(jax.local_device_count()) | dataclasses.asdict(options)
        print(json.dumps(conditions), flush=True)
        has_failed = False
        for name in options.campaigns:
            with tempfile.TemporaryDirectory() as folder:
                began = time.monotonic()
                finding = CAMPAIGNS[name](options, pathlib.Path(folder))
            has_failed |= finding["failures"] > 0
            seconds = round(time.monotonic() - began)
            counts = {key: finding[key] for key in ("trials", "failures")}
            print(json.dumps({"campaign": name, **counts, "seconds": seconds}), flush=True)
        sys.exit(int(has_failed))


if __name__ == "__main__":
    os.environ.setdefault("JAX_DISABLE_MOST_OPTIMIZATIONS", "1")  # the runs are tiny
    main()
