"""Numbers of each phase of the training loop, by keys that a peer prints too."""

import functools
import resource
import sys
import time

import jax
import jax.numpy as jnp
from jax.sharding import PartitionSpec
from rich.console import Console

from azjax.networks import activation_dtype
from azjax.support.machine.devices import AXIS, make_mesh
from azjax.support.provenance.environment import describe_machine
from azjax.training import TrainConfig
from azjax.training.operations import count_iteration, count_operations
from benchmarks.options import BenchmarkOptions
from benchmarks.paired import Numbers
from benchmarks.phases import Loop, best_seconds

_SIDES = {"cpu": 2048}  # of the largest square matrices, by platform
_ACCELERATOR_SIDE = 8192
_PEAK_REPEATS = 5


def measure(options: BenchmarkOptions) -> tuple[Loop, Numbers]:
    """Returns the compiled loop and its numbers.

    `first_result_s` is the time to the end of the first iteration, with compilation.
    """
    began = time.perf_counter()
    loop = Loop(options.run)
    jax.block_until_ready(loop.iterate())
    first_result = time.perf_counter() - began
    play = loop.selfplay()
    phases = play, loop.update(), loop.evaluation(), loop.iterate
    *seconds, iteration = (best_seconds(phase, options.repeats) for phase in phases)
    *_, progress = play()
    simulations = progress.simulations_per_move.item()
    numbers = summarize(options.train, first_result, *seconds, simulations)
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
    config = loop.context.config
    shapes = jax.eval_shape(loop.context.network.init, jax.random.key(0)).params
    return {
        "peer": "azjax",
        "algorithm": config.algorithm.name,
        "updates_per_iteration": config.num_updates,
        "precision": activation_dtype(config.network.precision).name,
        "native_precision": activation_dtype("auto").name,
        "parameters": sum(x.size for x in jax.tree.leaves(shapes)),
    } | describe_machine(loop.num_devices)


def print_shares(loop: Loop, numbers: Numbers, console: Console) -> None:
    """Prints the share of the matmul peak that each phase reaches."""
    config, network = loop.context.config, loop.context.network
    dtype = activation_dtype(config.network.precision)
    peak = matmul_peak_flops(dtype)
    console.print(f"largest matrix product in {dtype.name}: {peak / 1e9:,.0f} GFLOP/s")
    operations = count_iteration(config)
    boards = jax.ShapeDtypeStruct((config.num_games, *network.observation_shape), jnp.float32)
    evaluation = count_operations(network.apply, network.shapes, boards) / config.num_games
    reached = {
        "network alone": evaluation * numbers["network_evaluations_per_s"],
        "self-play": operations.self_play
        / config.positions_per_iteration
        * numbers["selfplay_moves_per_s"],
        "update": operations.learning / config.num_updates * numbers["updates_per_s"],
    }
    for name, flops in reached.items():
        console.print(f"{name}: {flops / 1e9:,.0f} GFLOP/s, {flops / peak:.0%} of it")


def matmul_peak_flops(dtype: jnp.dtype) -> float:
    """Returns the float operations per second of large matrix products on all devices at once.

    Products of matrices of the type are accumulated in float32.
    """
    devices = jax.devices()
    side = _SIDES.get(devices[0].platform, _ACCELERATOR_SIDE)
    product = jax.shard_map(
        functools.partial(jnp.matmul, preferred_element_type=jnp.float32),
        mesh=make_mesh(len(devices)),
        in_specs=(PartitionSpec(AXIS), PartitionSpec()),
        out_specs=PartitionSpec(AXIS),
    )
    left = jax.random.normal(jax.random.key(0), (len(devices) * side, side), dtype)
    right = jax.random.normal(jax.random.key(1), (side, side), dtype)
    multiply = jax.jit(product)
    return 2 * left.size * side / best_seconds(lambda: multiply(left, right), _PEAK_REPEATS)


def _peak_rss_mb() -> int:
    """Returns the peak memory of this process in MiB."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak // (2**20 if sys.platform == "darwin" else 2**10)
