"""Times the training loop by its phases; prints them as JSON, in the last line.

python experiments/benchmark.py --game connect_four --games 256 --simulations 32
python experiments/benchmark.py --game connect_four --against pgx
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
from azjax.support.devices import use_virtual_cpu_devices
from azjax.support.errors import InputError


def main(arguments: list[str] | None = None) -> None:
    """Times azjax, or azjax and a peer in turn."""
    arguments = sys.argv[1:] if arguments is None else arguments
    with exit_with_one_line():
        options = parse_flags(BenchmarkOptions, arguments, "benchmark.py")
        print(json.dumps(duel(options) if options.against else benchmark(options)))


def benchmark(options: BenchmarkOptions) -> Numbers:
    """Returns the numbers of azjax; says what the ceiling is, and where the time goes."""
    use_virtual_cpu_devices()
    jax.config.update("jax_enable_compilation_cache", False)  # else nothing is a first result
    loop, numbers = measure(options)
    print_shares(loop, numbers, console)
    if options.profile:
        for part, seconds in seconds_by_part(loop, options.repeats).items():
            console.print(f"{part}: {1000 * seconds:,.0f} ms an iteration")
        write_trace(loop, options.profile)
        console.print(f"trace: {options.profile}", soft_wrap=True)
    return describe(loop) | options.sizes() | numbers


def duel(options: BenchmarkOptions) -> Numbers:
    """Prints how many times the peer's each of azjax's numbers is; returns that, pair by pair."""
    flags, peer = options.flags(), find_peer(options.against)
    pairs = run_in_turn(
        [sys.executable, __file__, *flags, "--precision", options.precision],
        [sys.executable, str(peer), *flags],
        options.pairs,
    )
    table = make_table(f"azjax against {peer.stem}", "azjax", "peer", "times better")
    found = ratios(pairs)
    for key, values in found.items():
        numbers = (
            ", ".join(f"{side[key]:,}" for side in sides) for sides in zip(*pairs, strict=True)
        )
        table.add_row(key, *numbers, median_and_spread(values))
    console.print(table)
    return found


def find_peer(name: str) -> pathlib.Path:
    """Returns the script of a peer, by its name or its path.

    Raises:
      InputError: There is none.
    """
    here = pathlib.Path(__file__).parent
    peers = {path.stem.removeprefix("peer_"): path for path in here.glob("peer_*.py")}
    path = peers.get(name, pathlib.Path(name))
    if not path.is_file():
        raise InputError(f"no peer {name!r}: write {', '.join(peers)} or the path of a script")
    return path


if __name__ == "__main__":
    main()
