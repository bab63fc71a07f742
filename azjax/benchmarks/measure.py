"""Measures each phase of the training loop; the keys are those that a peer prints, too."""

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
from azjax.support.provenance.commit import package_commit, short_commit
from azjax.support.provenance.environment import describe_hardware
from azjax.training import TrainConfig


def measure(options: BenchmarkOptions) -> tuple[Loop, Numbers]:
    """Returns the compiled loop and its numbers.

    `first_result_s` is the time to the end of the first iteration, with compilation.
    """
    began = time.perf_counter()
    loop = Loop(options.run)
    jax.block_until_ready(loop.iterate())
    first_result = time.perf_counter() - began
    evaluation = best_seconds(loop.evaluation(), options.repeats)
    selfplay_phase = loop.selfplay()
    selfplay = best_seconds(selfplay_phase, options.repeats)
    update = best_seconds(loop.update(), options.repeats)
    iteration = best_seconds(loop.iterate, options.repeats)
    *_, progress = selfplay_phase()
    simulations = progress.simulations_per_move.item()
    numbers = summarize(options.train, first_result, selfplay, update, evaluation, simulations)
    return loop, numbers | {
        "simulations_per_move": simulations,
        "iterations_per_s": round(1 / iteration, 3),
    }


def summarize(
    train: TrainConfig,
    first_result: float,
    selfplay: float,
    update: float,
    evaluation: float,
    simulations_per_move: float,
) -> Numbers:
    """Returns the numbers that azjax and its peers print, from seconds per phase."""
    moves = train.positions_per_iteration
    return {
        "first_result_s": round(first_result, 2),
        "selfplay_moves_per_s": round(moves / selfplay, 1),
        "simulations_per_s": round(moves * simulations_per_move / selfplay),
        "updates_per_s": round(1 / update, 3),
        "samples_per_s": round(train.batch_size / update),
        "network_evaluations_per_s": round(train.num_games / evaluation),
        "peak_rss_mb": _peak_rss_mb(),
    }


def describe(loop: Loop) -> Numbers:
    """Returns the conditions: the algorithm, the precision, the network's size, the machine."""
    shapes = jax.eval_shape(loop.context.network.init, jax.random.key(0)).params
    return {
        "peer": "azjax",
        "algorithm": loop.context.config.algorithm.name,
        "updates_per_iteration": loop.context.config.num_updates,
        "precision": activation_dtype(loop.context.config.network.precision).name,
        "native_precision": activation_dtype("auto").name,
        "parameters": sum(x.size for x in jax.tree.leaves(shapes)),
    } | describe_machine(loop.num_devices)


def describe_machine(num_devices: int) -> Numbers:
    """Returns the commit, JAX's version, the hardware, and the number of devices that are used."""
    return {
        "commit": short_commit(package_commit()),
        "jax": jax.__version__,
        "hardware": describe_hardware(),
        "devices": num_devices,
    }


def print_shares(loop: Loop, numbers: Numbers, console: Console) -> None:
    """Prints the share of the matmul peak that each phase reaches."""
    dtype = activation_dtype(loop.context.config.network.precision)
    peak = matmul_peak_flops(dtype)
    console.print(f"largest matrix product in {dtype.name}: {peak / 1e9:,.0f} GFLOP/s")
    per_evaluation = evaluation_flops(loop.context.network)
    moves = numbers["selfplay_moves_per_s"]
    reached = {
        "network alone": per_evaluation * numbers["network_evaluations_per_s"],
        # Each move also evaluates its root.
        "self-play": per_evaluation * (numbers["simulations_per_s"] + moves),
        "update": update_flops(loop.context.network, 1) * numbers["samples_per_s"],
    }
    for name, flops in reached.items():
        console.print(f"{name}: {flops / 1e9:,.0f} GFLOP/s, {flops / peak:.0%} of it")
    console.print("(counted by the definition of a convolution; Winograd's method needs fewer)")


def _peak_rss_mb() -> int:
    """Returns the peak memory of this process in MiB."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak // (2**20 if sys.platform == "darwin" else 2**10)
