"""Answers: how fast is the loop of Pgx's AlphaZero example, with Pgx, mctx and Haiku?

python experiments/benchmark.py --game connect_four --against pgx

It takes the options of `experiments/benchmark.py` and prints the same keys as JSON, in a minute or
two on a laptop. It runs on all of JAX's devices that divide the games and the batch; on a CPU there
is one for each core, or JAX_NUM_CPU_DEVICES. It needs `pip install '.[peers]'`.
"""

import functools
import json
import sys
import time
import warnings
from typing import Any

import jax
import jax.numpy as jnp
from benchmarks.measure import summarize
from benchmarks.options import BenchmarkOptions
from benchmarks.paired import Numbers
from benchmarks.phases import best_seconds

from azjax.cli.process import exit_with_one_line
from azjax.config.flags import parse_flags
from azjax.support.errors import InputError
from azjax.support.machine.devices import use_all_cores
from azjax.support.provenance.environment import describe_machine


def main(arguments: list[str] | None = None) -> None:
    """Benchmarks the peer, and prints its numbers as JSON."""
    arguments = sys.argv[1:] if arguments is None else arguments
    warnings.filterwarnings("ignore")  # of Haiku and Pgx
    with exit_with_one_line():
        use_all_cores()
        options = parse_flags(BenchmarkOptions, arguments, "peer_pgx.py")
        print(json.dumps(options.sizes() | measure(options)))


def measure(options: BenchmarkOptions) -> Numbers:
    """Returns the numbers of the peer's loop; `first_result_s` is of self-play and one update.

    Raises:
      InputError: Pgx has no such game, mctx no such search, or there is a preset of azjax.
    """
    if options.preset is not None:
        raise InputError("preset: is of azjax alone; give sizes, as --games")
    import pgx
    from pgx_example import SEARCHES, PgxExample, local_devices

    if options.game not in pgx.available_envs() or options.search not in SEARCHES:
        raise InputError(f"Pgx and mctx have no {options.game} with {options.search}")
    devices = local_devices(options.games, options.batch)
    began = time.perf_counter()
    example = PgxExample(options.game, options.channels, options.blocks, devices)
    learner = example.init(seed=0)
    keys = example.split_key(jax.random.key(0))
    selfplay = example.selfplay(options.games, options.moves, options.simulations, options.search)
    play = functools.partial(selfplay, learner.model, keys)
    batch = _first(play(), options.batch // len(devices))
    update = functools.partial(example.update, learner, batch)
    jax.block_until_ready(update())
    first_result = time.perf_counter() - began
    evaluate = functools.partial(example.evaluate, learner.model, example.new_games(options.games))
    evaluation = best_seconds(evaluate, options.repeats)
    seconds = best_seconds(play, options.repeats), best_seconds(update, options.repeats)
    numbers = summarize(options.train, first_result, *seconds, evaluation, options.simulations)
    parameters = {"parameters": example.num_parameters(learner.model)}
    return {"peer": "pgx"} | parameters | describe_machine(len(devices)) | numbers


def _first(samples: Any, size: int) -> Any:
    """Returns the first samples of each device, cyclically if they are too few."""

    def take(x):
        flat = x.reshape(-1, *x.shape[2:])
        return flat[jnp.arange(size) % len(flat)]

    return jax.pmap(lambda samples: jax.tree.map(take, samples))(samples)


if __name__ == "__main__":
    main()
