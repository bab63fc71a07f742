"""Answers: how fast is each phase of the training loop, alone and against a peer?

python experiments/benchmark.py --game connect_four --games 256 --simulations 32
python experiments/benchmark.py --preset connect_four_muzero
python experiments/benchmark.py --game connect_four --against pgx

It prints the numbers as JSON in the last line, and writes a trace if --profile names a folder. It
takes a minute or two on a laptop. With --against it takes this for each round of the peer and of
azjax in bfloat16 and float32, and before for each number of devices that the peer is tried on.
"""

import dataclasses
import json
import pathlib
import sys
from collections.abc import Sequence

import jax

from azjax.benchmarks.breakdown import seconds_by_part, write_trace
from azjax.benchmarks.measure import describe, measure, print_shares
from azjax.benchmarks.options import BenchmarkOptions
from azjax.benchmarks.paired_benchmark import (
    Numbers,
    Program,
    median_and_spread,
    medians,
    ratios,
    run_in_turn,
    speed_by_devices,
)
from azjax.cli.output import console, make_table
from azjax.cli.process import exit_with_one_line
from azjax.config.flags import parse_flags
from azjax.games import plugin_of_game
from azjax.support.errors import InputError
from azjax.support.machine.devices import use_virtual_cpu_devices

_PRECISIONS = ("bfloat16", "float32")
_CONDITIONS = ("native_precision", "commit", "jax", "hardware")
_PEERS = {"pgx": "peer_pgx.py"}


def main(arguments: list[str] | None = None) -> None:
    """Benchmarks azjax, or azjax and a peer in turn."""
    arguments = sys.argv[1:] if arguments is None else arguments
    with exit_with_one_line():
        use_virtual_cpu_devices()  # before plug-ins, which may make arrays
        options = parse_flags(BenchmarkOptions, arguments, "benchmark.py", takes_plugins=True)
        peer = options.against
        print(json.dumps(compare_with_peer(options, peer) if peer else benchmark(options)))


def benchmark(options: BenchmarkOptions) -> Numbers:
    """Returns the numbers of azjax; without a preset prints its share of the matmul peak.

    With `profile` it prints the time by parts, too.
    """
    # The first result is to include compilation.
    jax.config.update("jax_enable_compilation_cache", False)
    loop, numbers = measure(options)
    if options.preset is None:  # the shares are those of a network without a learnt model
        print_shares(loop, numbers, console)
    if options.profile:
        for part, seconds in seconds_by_part(loop, options.repeats).items():
            console.print(f"{part}: {1000 * seconds:,.0f} ms an iteration")
        write_trace(loop, options.profile)
        console.print(f"trace: {options.profile}", soft_wrap=True)
    return describe(loop) | {"preset": options.preset} | options.sizes() | numbers


def compare_with_peer(options: BenchmarkOptions, peer_name: str) -> Numbers:
    """Prints azjax in both precisions beside a peer at its best; returns medians and ratios."""
    script = find_peer(peer_name)
    peer = _at_its_best(script, options)
    plugin = plugin_of_game(options.game)
    own = [sys.executable, __file__, *options.flags(), *(["--plugin", plugin] if plugin else [])]
    programs = [Program([*own, "--precision", precision]) for precision in _PRECISIONS]
    by_peer, *by_azjax = zip(*run_in_turn([peer, *programs], options.rounds), strict=True)
    by_precision = dict(zip(_PRECISIONS, by_azjax, strict=True))
    conditions = {key: by_azjax[0][0][key] for key in _CONDITIONS}
    console.print("; ".join(f"{key}: {value}" for key, value in conditions.items()))
    for precision, own_rounds in by_precision.items():
        _print_table(f"azjax in {precision} against {script.stem}", own_rounds, by_peer)
    by_program = {"peer": by_peer} | by_precision
    return {
        **options.sizes(),
        **conditions,
        "peer": script.stem,
        "peer_devices": peer.num_devices,
        "medians": {name: medians(rounds) for name, rounds in by_program.items()},
        "ratios": {name: ratios(rounds, by_peer) for name, rounds in by_precision.items()},
    }


def _at_its_best(script: pathlib.Path, options: BenchmarkOptions) -> Program:
    """Returns a peer on as many devices as make its loop fastest; prints what was tried."""
    command = [sys.executable, str(script)]
    trial = Program([*command, *dataclasses.replace(options, repeats=1).flags()])
    speeds = speed_by_devices(trial)
    tried = ", ".join(f"{speed:,.0f} on {count}" for count, speed in speeds.items())
    console.print(f"{script.stem}, positions/s by its number of devices: {tried}", soft_wrap=True)
    return Program([*command, *options.flags()], max(speeds, key=speeds.__getitem__))


def _print_table(title: str, own: Sequence[Numbers], peer: Sequence[Numbers]) -> None:
    table = make_table(title, "azjax", "peer", "times better")
    medians_of_both = medians(own), medians(peer)
    for key, values in ratios(own, peer).items():
        cells = (f"{side[key]:,}" for side in medians_of_both)
        table.add_row(key, *cells, median_and_spread(values))
    console.print(table)


def find_peer(name: str) -> pathlib.Path:
    """Returns the script of a peer, by its name or its path.

    Raises:
      InputError: There is no such script.
    """
    path = pathlib.Path(__file__).with_name(_PEERS[name]) if name in _PEERS else pathlib.Path(name)
    if not path.is_file():
        raise InputError(f"no peer {name!r}: write {', '.join(_PEERS)} or the path of a script")
    return path


if __name__ == "__main__":
    main()
