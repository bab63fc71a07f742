"""Answers: how fast is each phase of the training loop, alone and against a peer?

python experiments/benchmark.py --game connect_four --games 256 --simulations 32
python experiments/benchmark.py --game connect_four --against pgx

It prints the numbers as JSON in the last line, and writes a trace if --profile names a folder. It
takes a minute or two on a laptop, and with --against the same for each program of each pair.
"""

import json
import pathlib
import sys

import jax

from azjax.benchmarks.breakdown import seconds_by_part, write_trace
from azjax.benchmarks.measure import describe, measure, print_shares
from azjax.benchmarks.options import BenchmarkOptions
from azjax.benchmarks.paired_benchmark import Numbers, median_and_spread, ratios, run_in_turn
from azjax.cli.output import console, make_table
from azjax.cli.process import exit_with_one_line
from azjax.config.flags import parse_flags
from azjax.config.plugin_flag import take_plugins
from azjax.games import plugin_of_game
from azjax.support.errors import InputError
from azjax.support.machine.devices import use_virtual_cpu_devices


def main(arguments: list[str] | None = None) -> None:
    """Benchmarks azjax, or azjax and a peer in turn."""
    arguments = sys.argv[1:] if arguments is None else arguments
    with exit_with_one_line():
        use_virtual_cpu_devices()  # before plug-ins, which may make arrays
        options = parse_flags(BenchmarkOptions, take_plugins(arguments), "benchmark.py")
        peer = options.against
        print(json.dumps(compare_with_peer(options, peer) if peer else benchmark(options)))


def benchmark(options: BenchmarkOptions) -> Numbers:
    """Returns the numbers of azjax; prints its share of the matmul peak, and the time by parts."""
    # The first result is to include compilation.
    jax.config.update("jax_enable_compilation_cache", False)
    loop, numbers = measure(options)
    print_shares(loop, numbers, console)
    if options.profile:
        for part, seconds in seconds_by_part(loop, options.repeats).items():
            console.print(f"{part}: {1000 * seconds:,.0f} ms an iteration")
        write_trace(loop, options.profile)
        console.print(f"trace: {options.profile}", soft_wrap=True)
    return describe(loop) | options.sizes() | numbers


def compare_with_peer(options: BenchmarkOptions, peer_name: str) -> Numbers:
    """Prints the numbers of azjax and of a peer, and their ratios; returns the ratios by pair."""
    flags, peer = options.flags(), find_peer(peer_name)
    plugin = plugin_of_game(options.game)
    own_flags = [
        *flags,
        "--precision",
        options.precision,
        *(["--plugin", plugin] if plugin else []),
    ]
    pairs = run_in_turn(
        [sys.executable, __file__, *own_flags],
        [sys.executable, str(peer), *flags],
        options.pairs,
    )
    table = make_table(f"azjax against {peer.stem}", "azjax", "peer", "times better")
    ratios_by_key = ratios(pairs)
    for key, values in ratios_by_key.items():
        numbers = (
            ", ".join(f"{side[key]:,}" for side in sides) for sides in zip(*pairs, strict=True)
        )
        table.add_row(key, *numbers, median_and_spread(values))
    console.print(table)
    return ratios_by_key


def find_peer(name: str) -> pathlib.Path:
    """Returns the script of a peer, by its name or its path.

    Raises:
      InputError: There is no such script.
    """
    here = pathlib.Path(__file__).parent
    peers = {path.stem.removeprefix("peer_"): path for path in here.glob("peer_*.py")}
    path = peers.get(name, pathlib.Path(name))
    if not path.is_file():
        raise InputError(f"no peer {name!r}: write {', '.join(peers)} or the path of a script")
    return path


if __name__ == "__main__":
    main()
