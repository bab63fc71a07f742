"""The commands and flags that `azjax train` suggests: they work as printed, in the same folder."""

import dataclasses
import shlex

from azjax import games
from azjax.cli.train.options import TrainOptions, TrainRequest
from azjax.config.plugin_flag import plugin_flags
from azjax.config.presets import plugin_of_preset
from azjax.config.run_config import RunConfig
from azjax.distributed.group import group_of_flags
from azjax.evaluation import is_solvable
from azjax.runs.session import Outcome
from azjax.runs.storage.run_description import plugins_of
from azjax.runs.storage.run_directory import RunDirectory
from azjax.training import TrainConfig

_MOST_REPLAY_RATIO = 8  # beyond, networks overfit; presets have 1 to 4
_USUAL_REPLAY_RATIO = 4


def warnings_on_replay(config: TrainConfig) -> list[str]:
    """Returns a warning if positions are trained on too often, with the flags that mend it."""
    is_high = config.replay_ratio > _MOST_REPLAY_RATIO
    has_new_targets = any(part.fills("reanalyse") for part in config.parts)
    if config.algorithm.learns_from_games or has_new_targets or not is_high:
        return []
    samples = _USUAL_REPLAY_RATIO * config.positions_per_iteration
    batch_size = min(config.batch_size, samples)
    num_updates = samples // batch_size
    mended = dataclasses.replace(config, num_updates=num_updates, batch_size=batch_size)
    flags = f"--num-updates {num_updates}"
    if batch_size < config.batch_size:
        flags += f" --batch-size {batch_size}"
    return [
        f"each position is trained on {config.replay_ratio:.3g} times (the replay ratio), and "
        f"above {_MOST_REPLAY_RATIO} a network tends to overfit: {flags} makes it "
        f"{mended.replay_ratio:.3g}"
    ]


def resume_command(request: TrainRequest, *names: str) -> str:
    """Returns the command that continues runs, with the options of these names that were given."""
    options = {
        "out": None if request.folder == request.default_folder else request.folder,
        **{name: getattr(request.options, name) for name in names},
    }
    flags = "".join(
        f" --{name} {shlex.quote(str(value))}"
        for name, value in options.items()
        if value is not None
    )
    preset = request.preset_name
    plugins = needed_plugins(preset, request.options.config)
    group = group_of_flags(request.options.distributed)
    processes = group.flags() if group else ""
    return f"azjax train {shlex.quote(preset)} --resume{plugins}{flags}{processes}"


def how_to_resume(request: TrainRequest) -> str:
    """Returns the command that continues interrupted runs to the limits that were given."""
    return resume_command(request, "minutes", "iterations")


def needed_plugins(preset: str, config: RunConfig) -> str:
    """Returns the flags of the plug-ins that a preset of this name and configuration needs."""
    modules = [plugin_of_preset(preset), *(plugin.module for plugin in plugins_of(config))]
    return "".join(f" {word}" for word in plugin_flags(dict.fromkeys(filter(None, modules))))


def next_commands(run: RunDirectory, options: TrainOptions, outcome: Outcome) -> list[str]:
    """Returns commands to play, evaluate and measure the agent of a finished run."""
    opponent = "minimax" if is_solvable(games.make(run.config.train.game)) else "random"
    folder = shlex.quote(str(run.path))
    commands = [
        f"azjax play {folder}",
        f"azjax evaluate {folder} --opponent {opponent} --games 1000",
    ]
    if outcome.accuracy:
        truth = options.truth or run.truth
        given = f" --truth {shlex.quote(truth)}" if truth else ""
        commands.append(f"azjax accuracy {folder}{given}")
    return commands
