"""`azjax games` and `azjax presets`."""

import dataclasses
import math

import jax

from azjax import games
from azjax.cli.output import console, make_table
from azjax.runs.flags import parse_flags
from azjax.runs.presets import get_preset, preset_names
from azjax.training import make_game_and_network


@dataclasses.dataclass(frozen=True)
class ListOptions:
    """Take no options."""


def games_command(arguments: list[str]) -> None:
    """Runs `azjax games`."""
    parse_flags(ListOptions, arguments, "azjax games")
    table = make_table("games", "board", "actions", "longest game", "symmetries", "bytes per state")
    for name in games.names():
        game = games.make(name)
        state = jax.eval_shape(game.init, jax.random.key(0))
        size = sum(math.prod(x.shape) * x.dtype.itemsize for x in jax.tree.leaves(state))
        rows, columns, _ = game.observation_shape
        table.add_row(
            name,
            f"{rows} x {columns}",
            str(game.num_actions),
            f"{game.max_moves} moves",
            str(len(game.symmetries.cells)),
            str(size),
        )
    console.print(table)


def presets_command(arguments: list[str]) -> None:
    """Runs `azjax presets`."""
    parse_flags(ListOptions, arguments, "azjax presets")
    table = make_table("presets", "network", "parameters", "search", "games", "length", "made for")
    for name in preset_names():
        preset = get_preset(name)
        train = preset.config.train
        _, network = make_game_and_network(train)
        shapes = jax.eval_shape(network.init, jax.random.key(0)).parameters
        size = sum(math.prod(x.shape) for x in jax.tree.leaves(shapes))
        net = f"{train.network.architecture} {train.network.channels} x {train.network.blocks}"
        length = (
            f"{preset.iterations} it. at most"
            if preset.minutes is None
            else f"{preset.minutes:g} min"
        )
        table.add_row(
            name,
            net,
            f"{size:,}",
            f"{train.search.algorithm} {train.search.num_simulations}",
            str(train.num_games),
            length,
            preset.summary,
        )
    console.print(table)
