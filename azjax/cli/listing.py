"""`azjax games`, `azjax presets` and `azjax agents`."""

import dataclasses
import math
from typing import Any

import jax

from azjax import games
from azjax.agents.agent_file import read_agent_file, shipped_agents
from azjax.cli.output import console, make_table
from azjax.config.flags import parse_flags
from azjax.config.presets import get_preset, preset_names
from azjax.config.run_config import RunConfig
from azjax.networks import NetworkConfig
from azjax.runs.storage.run_description import initial_agent_of


@dataclasses.dataclass(frozen=True)
class ListOptions:
    """Print a table. This command has no options of its own."""


def games_command(arguments: list[str]) -> None:
    """Runs `azjax games`."""
    parse_flags(ListOptions, arguments, "azjax games")
    table = make_table("games", "board", "actions", "longest game", "symmetries", "bytes per state")
    for name in games.names():
        game = games.make(name)
        state = jax.eval_shape(lambda game=game: game.init(jax.random.key(0)))
        size = sum(math.prod(x.shape) * x.dtype.itemsize for x in jax.tree.leaves(state))
        rows, columns, _ = game.observation_shape
        sizes = (str(game.num_actions), f"{game.max_moves} moves", str(len(game.symmetries.cells)))
        table.add_row(name, f"{rows} x {columns}", *sizes, str(size))
    console.print(table)
    _print_pgx_names()


def presets_command(arguments: list[str]) -> None:
    """Runs `azjax presets`."""
    parse_flags(ListOptions, arguments, "azjax presets")
    table = make_table("presets", "network", "length", "made for")
    table.columns[0].no_wrap = True
    for name in preset_names():
        preset = get_preset(name)
        minutes, iterations = preset.limits.minutes, preset.limits.iterations
        length = f"up to {iterations} iterations" if minutes is None else f"{minutes:g} min"
        table.add_row(name, _describe_size(preset.config.train.network), length, preset.summary)
    console.print(table)
    _print_pgx_names()


def agents_command(arguments: list[str]) -> None:
    """Runs `azjax agents`."""
    parse_flags(ListOptions, arguments, "azjax agents")
    table = make_table("agents", "network", "trained", "seed", "optimal", "random", "hardware")
    begun: list[str] = []  # a line for each that began from another agent
    for name, path in shipped_agents().items():
        config, _, _, about = read_agent_file(path)
        if agent := initial_agent_of(about):
            begun.append(f"{name} began from {agent}")
        metrics, hardware = about["metrics"], about["hardware"].partition(";")[0]
        length = f"{metrics['seconds'] / 60:.0f} min" if metrics else ""
        cells = (length, str(about["seed"]), *_accuracy_cells(config, about), hardware)
        table.add_row(name, _describe_size(config.train.network), *cells)
    console.print(table)
    for text in begun:
        console.print(text, highlight=False, soft_wrap=True)
    console.print(
        "optimal: share of solved positions in which its move keeps the best value, with\n"
        "(simulations); of an agent that one half of them chose, on the other half;\n"
        "random: the share of uniform random play; - where no solved positions come with azjax"
    )


def _describe_size(network: NetworkConfig) -> str:
    """Returns a network's name and sizes, such as `resnet 64x3`."""
    blocks = getattr(network, "blocks", None)
    return f"{network.name} {network.channels}" + (f"x{blocks}" if blocks is not None else "")


def _accuracy_cells(config: RunConfig, about: dict[str, Any]) -> tuple[str, str]:
    """Returns the accuracies of an agent and of random play, or a dash where none was measured."""
    metrics = about["metrics"]
    accuracy = metrics.get("test_accuracy" if about.get("was_chosen") else "accuracy_search")
    if accuracy is None:
        return "-", ""
    random = metrics.get("random_accuracy")
    baseline = "" if random is None else f"{random:.0%}"
    return f"{accuracy:.1%} ({config.evaluation_simulations})", baseline


def _print_pgx_names() -> None:
    console.print(f"with azjax[pgx] also {', '.join(games.pgx_names())}", soft_wrap=True)
