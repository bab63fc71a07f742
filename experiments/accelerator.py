"""Answers: how fast is azjax on an accelerator, and how strong do agents become in minutes there?

python experiments/accelerator.py --minutes 30 --out runs/accelerator

It works through a list of commands, the most valuable first: it trains the presets of GPUs and
measures their agents, runs the tests that need a GPU, and times azjax against Pgx's loop. What a
command printed is in OUT/NAME.txt, once it has ended; the agent and the report of a preset are in
OUT/NAME. The same command goes on with what is left, so it can be done in parts.
"""

import dataclasses
import pathlib
import sys
import time
from collections.abc import Mapping
from typing import NamedTuple

from engineering import commands

from azjax.cli.output import console
from azjax.cli.process import exit_with_one_line
from azjax.config.flags import parse_flags
from azjax.config.preset_file import folder_name
from azjax.support.errors import RunError
from azjax.support.files.atomic_files import write_text_atomically
from azjax.support.files.ownership import owned
from azjax.support.validation import check_above

_MEASURING = 4  # minutes, to compile and to measure an agent


@dataclasses.dataclass(frozen=True)
class Options:
    """Run the list of measurements for an accelerator."""

    out: pathlib.Path = pathlib.Path("runs/accelerator")
    """The folder of the results."""
    minutes: float | None = None
    """Begin nothing that would end after this time; if not given, run all of the list."""
    only: tuple[str, ...] = ()
    """Run these of the list, by their names; if none is given, all."""

    def __post_init__(self):
        """Raises ValueError if the time or a name is wrong."""
        if self.minutes is not None:
            check_above("minutes", self.minutes, 0)
        names = [item.name for item in items(self.out)]
        for name in self.only:
            if name not in names:
                raise ValueError(f"only={name}: must be of {', '.join(names)}")


class Item(NamedTuple):
    """A command of the list."""

    name: str
    minutes: float  # that it takes, about
    command: commands.Command
    environment: Mapping[str, str] = {}


def items(out: pathlib.Path) -> list[Item]:
    """Returns the list, the most valuable first."""

    def train(preset: str, minutes: int) -> Item:
        name = f"{folder_name(preset)}_{minutes}"
        flags = ["--presets", preset, "--minutes", str(minutes), "--out", str(out / name)]
        return Item(name, minutes + _MEASURING, [commands.script("measure_presets.py"), *flags])

    def benchmark(name: str, num_games: int, *flags: str) -> Item:
        """Returns the benchmark in the size of an included agent's network."""
        sizes = ["--channels", "128", "--blocks", "6", "--games", str(num_games)]
        return Item(name, 5, [commands.script("benchmark.py"), *sizes, *flags])

    def profile(game: str) -> Item:
        """Returns the time of an iteration by parts, of which the rules are one."""
        name = f"parts_of_{folder_name(game)}"
        return benchmark(name, 512, "--game", game, "--profile", str(out / name))

    peer = ("--batch", "4096", "--against", "pgx")
    return [
        train("othello_gpu", 10),
        train("othello_gpu", 25),
        train("go_9_gpu", 20),
        train("hex", 8),
        train("gomoku_15", 8),
        train("pgx:animal_shogi", 8),
        train("pgx:gardner_chess", 8),
        train("connect_four_gpu", 20),
        Item("tests", 10, ["-m", "pytest", "-q", "-m", "gpu"], {"JAX_PLATFORMS": "cuda"}),
        benchmark("speed_4096_games", 4096, *peer),
        benchmark("speed_512_games", 512, *peer),
        profile("go_9"),
        profile("pgx:chess"),
    ]


def main(arguments: list[str] | None = None) -> None:
    """Runs what is left of the list, each command in a process of its own."""
    arguments = sys.argv[1:] if arguments is None else arguments
    with exit_with_one_line():
        options = parse_flags(Options, arguments, "accelerator.py")
        with owned(options.out):
            failed = _run_all(options)
        if failed:
            raise RunError(f"failed, the others are done: {'; '.join(failed)}")


def _run_all(options: Options) -> list[str]:
    """Runs what is left and fits in the time; returns what failed, by name."""
    start, failed = time.monotonic(), []
    for item in items(options.out):
        file = options.out / f"{item.name}.txt"
        minutes = item.minutes + (time.monotonic() - start) / 60
        if file.exists() or (options.only and item.name not in options.only):
            continue
        if options.minutes is not None and minutes > options.minutes:
            console.print(f"{item.name}: is left, it takes about {item.minutes:g} minutes")
            continue
        try:
            write_text_atomically(file, "".join(commands.call(item.command, **item.environment)))
        except RunError as error:
            failed.append(f"{item.name} ({error})")
    return failed


if __name__ == "__main__":
    main()
