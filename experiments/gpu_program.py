"""Answers: what would an H100 run? It compiles training for one, on a machine that has none.

python experiments/gpu_program.py connect_four --num-games 4096 --network.channels 128

It takes a preset and the flags of `azjax train`; --seeds makes a population, --devices up to 8
GPUs or a multiple of 8, eight on each host. It prints the program's loops and kernels, and the same
of Pgx's self-play where Pgx has the game and one run is on one GPU. The last line is JSON. It
measures no time. It takes a minute, and needs pip install '.[gpu-program]'.
"""

import json
import sys

import jax
from benchmarks.gpu_compiler import (
    CompiledProgram,
    compile_training,
    h100_devices,
    prepare_compiler,
    read_compiled,
)
from benchmarks.gpu_kernels import find_simulation, outline

from azjax.cli.output import console, make_table
from azjax.cli.process import exit_with_one_line
from azjax.cli.train.options import parse_request
from azjax.config.plugin_flag import take_plugins
from azjax.support.errors import input_errors
from azjax.training import TrainConfig, make_game_and_network

_PGX_NAMES = {"go_9": "go_9x9", "go_19": "go_19x19"}


def main(arguments: list[str] | None = None) -> None:
    """Compiles the program of the options, and prints what it is made of."""
    arguments = sys.argv[1:] if arguments is None else arguments
    with exit_with_one_line():
        prepare_compiler()
        options = parse_request(take_plugins(arguments)).options
        config = options.config.train
        devices = h100_devices(options.devices or 1)
        with input_errors():
            make_game_and_network(config)
            config.check_devices(len(devices))
        own = compile_training(config, devices, options.seeds)
        # The root is evaluated by the loop of the simulations.
        figures = {"azjax": figures_of(own, config.search.num_simulations + 1)}
        for line in outline(own.program):
            console.print(line, markup=False, highlight=False, soft_wrap=True)
        is_one = options.seeds == len(devices) == 1
        if is_one and (peer := compile_peer(config, devices[0])):
            figures["Pgx's loop"] = figures_of(peer, config.search.num_simulations)
        table = make_table("", *figures)
        for name in figures["azjax"]:
            table.add_row(name, *(f"{each[name]:,}" for each in figures.values()))
        console.print(table)
        print(json.dumps(figures["azjax"]))


def figures_of(compiled: CompiledProgram, num_turns: int) -> dict[str, int]:
    """Returns the figures of a program whose search is a loop of a number of turns.

    Raises:
      InputError: It is none: its search makes a number of simulations that it computes, say.
    """
    program = compiled.program
    with input_errors("this program cannot be summarized"):
        counts = find_simulation(program, num_turns).of_a_turn()
    kernels = [kernel for region in program.walk() for kernel in region.kernels]
    return {
        "kernels_per_simulation": counts.kernels,
        "convolutions_per_simulation": counts.convolutions,
        "fused_convolutions_per_simulation": counts.fused_convolutions,
        "waits_per_simulation": counts.waits,
        "grouped_convolutions": sum(kernel.is_grouped for kernel in kernels),
        "collectives_per_iteration": program.total().collectives,
        "temporaries_mb": round(compiled.temporary_bytes / 1e6),
        "state_mb": round(compiled.argument_bytes / 1e6),
        "copied_mb": round(compiled.copied_bytes / 1e6),
    }


def compile_peer(config: TrainConfig, device: jax.Device) -> CompiledProgram | None:
    """Compiles self-play of Pgx's example at the same sizes; None where Pgx lacks the game.

    Its network is in float32, which XLA multiplies as TF32.
    """
    import pgx
    from pgx_example import SEARCHES, PgxExample

    search, game = config.search.name, _PGX_NAMES.get(config.game, config.game)
    if game not in pgx.available_envs() or search not in SEARCHES:
        return None
    sizes = config.network.channels, getattr(config.network, "blocks", 0)
    example = PgxExample(game, *sizes, jax.local_devices())
    play = example.selfplay_of_a_device(
        config.num_games, config.num_moves, config.search.num_simulations, search
    )
    sharding = jax.sharding.SingleDeviceSharding(device)
    arguments = jax.eval_shape(example.init_of_a_device, jax.random.key(0)).model, jax.random.key(0)
    shapes = jax.tree.map(
        lambda x: jax.ShapeDtypeStruct(x.shape, x.dtype, sharding=sharding), arguments
    )
    lowered = jax.jit(play).trace(*shapes).lower(lowering_platforms=("cuda",))
    return read_compiled(lowered.compile())


if __name__ == "__main__":
    main()
