"""Measures the loop: one number for each of its phases, under the keys that a peer prints too."""

import resource
import sys
import time

import jax
from rich.console import Console

from azjax.benchmarks.matmul_peak import evaluation_flops, matmul_peak_flops, update_flops
from azjax.benchmarks.options import BenchmarkOptions
from azjax.benchmarks.paired_benchmark import Numbers
from azjax.benchmarks.phases import Loop
from azjax.benchmarks.timing import best_seconds
from azjax.networks import activation_dtype


def measure(options: BenchmarkOptions) -> tuple[Loop, Numbers]:
    """Returns the loop, warm, and its numbers.

    The first result is that of a whole iteration, with all that is compiled for it.
    """
    began = time.perf_counter()
    loop = Loop(options.train)
    jax.block_until_ready(loop.iterate())
    first = time.perf_counter() - began
    evaluation = best_seconds(loop.evaluation(), options.repeats)
    selfplay = best_seconds(loop.selfplay(), options.repeats)
    update = best_seconds(loop.update(), options.repeats)
    iteration = best_seconds(loop.iterate, options.repeats)
    numbers = summarise(options, first, selfplay, update, evaluation)
    return loop, numbers | {"iterations_per_s": round(1 / iteration, 3)}


def summarise(
    options: BenchmarkOptions, first: float, selfplay: float, update: float, evaluation: float
) -> Numbers:
    """Returns the numbers that azjax and its peers have, of times and of this process's memory."""
    moves = options.games * options.moves
    return {
        "first_result_s": round(first, 2),
        "selfplay_moves_per_s": round(moves / selfplay, 1),
        "simulations_per_s": round(moves * options.simulations / selfplay),
        "updates_per_s": round(1 / update, 3),
        "samples_per_s": round(options.batch / update),
        "network_evaluations_per_s": round(options.games / evaluation),
        "peak_rss_mb": _peak_rss_mb(),
    }


def describe(loop: Loop) -> Numbers:
    """Returns what was measured: the network's size, the machine, the versions that matter."""
    shapes = jax.eval_shape(loop.context.network.init, jax.random.key(0)).params
    return {
        "peer": "azjax",
        "jax": jax.__version__,
        "device": jax.devices()[0].device_kind,
        "devices": len(jax.devices()),
        "precision": activation_dtype(loop.context.config.network.precision).name,
        "parameters": sum(x.size for x in jax.tree.leaves(shapes)),
    }


def print_shares(loop: Loop, numbers: Numbers, console: Console) -> None:
    """Prints what each phase reaches of the machine's ceiling."""
    dtype = activation_dtype(loop.context.config.network.precision)
    ceiling = matmul_peak_flops(dtype)
    console.print(f"largest matrix product in {dtype.name}: {ceiling / 1e9:,.0f} GFLOP/s")
    of_evaluation = evaluation_flops(loop.context.network)
    moves = numbers["selfplay_moves_per_s"]
    reached = {
        "network alone": of_evaluation * numbers["network_evaluations_per_s"],
        # The root of each move is evaluated too.
        "self-play": of_evaluation * (numbers["simulations_per_s"] + moves),
        "update": update_flops(loop.context.network, 1) * numbers["samples_per_s"],
    }
    for name, flops in reached.items():
        console.print(f"{name}: {flops / 1e9:,.0f} GFLOP/s, {flops / ceiling:.0%} of it")
    console.print("(counted by the definition of a convolution; Winograd's method does with fewer)")


def _peak_rss_mb() -> int:
    """Returns the most memory that this process has held."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak // (2**20 if sys.platform == "darwin" else 2**10)
