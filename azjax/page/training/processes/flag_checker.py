"""The flags of a training, checked by the parser of the command line."""

import dataclasses
import math
import threading
from typing import Annotated

import tyro

from azjax.config.fields import list_numbers
from azjax.config.flags import choose_components, parse_flags, split_lists
from azjax.config.grid import make_grid
from azjax.config.limits import Limits
from azjax.config.presets import get_preset
from azjax.config.run_config import RunConfig
from azjax.page.training.processes.start_request import StartRequest
from azjax.support.errors import InputError, input_errors
from azjax.support.validation import check_at_least, check_seed

_MOST_RUNS = 1000  # of one training: far above any use


@dataclasses.dataclass(frozen=True)
class _Options:
    """The flags of `azjax train` that the page passes on."""

    seed: int = 0
    seeds: int = 1
    minutes: float | None = None
    iterations: int | None = None
    keep_all_networks: bool = False
    devices: int | None = None
    config: Annotated[RunConfig, tyro.conf.arg(name="")] = dataclasses.field(
        default_factory=RunConfig
    )

    def __post_init__(self):
        """Raises ValueError if a number is out of range."""
        Limits(self.minutes, self.iterations)
        check_at_least("seeds", self.seeds, 1)
        check_seed(self.seed)
        check_seed(self.seed + self.seeds - 1)


class FlagChecker:
    """Checks flags by the parser of the command line, one request at a time."""

    def __init__(self):
        """Has checked nothing yet."""
        self._lock = threading.Lock()

    def check(self, request: StartRequest) -> None:
        """Raises InputError if a flag is wrong, with the line that the command would print."""
        with input_errors():
            preset = get_preset(request.preset)
        command = f"azjax train {request.preset}"
        with self._lock:
            flags = list(request.flags)
            config = choose_components(preset.config, flags, command)
            lists, rest = split_lists(flags, list_numbers(config), command)
            default = _Options(config=config)
            try:
                options = parse_flags(_Options, rest, command, default)
            except SystemExit as stop:  # it would end the server
                raise InputError("the flags ask for the help of the command") from stop
        num_runs = options.seeds * math.prod(map(len, lists.values()))
        if num_runs > _MOST_RUNS:
            raise InputError(f"these are {num_runs:,} runs: the page starts at most {_MOST_RUNS:,}")
        with input_errors():
            seeds = range(options.seed, options.seed + options.seeds)
            make_grid(options.config, seeds, lists)
