"""Resolves a configuration to what the phases of an iteration share, and checks what fits."""

import functools

import jax

from azjax import games
from azjax.games import Game
from azjax.networks import Network
from azjax.training.config import TrainConfig
from azjax.training.hooks import Algorithm, Optimizer, Part, TrainContext, hook_names, list_parts


def check_train_config(config: TrainConfig) -> None:
    """Raises ValueError if components do not fit together, or to the game."""
    game = games.make(config.game)
    assert isinstance(config.algorithm, Algorithm)
    assert isinstance(config.optimizer, Optimizer)
    config.algorithm.check_fit(config)
    _check_parts(config)
    for part in list_parts(config):
        part.check_fit(config, game)
    config.algorithm.make_network(config, game)


def _check_parts(config: TrainConfig) -> None:
    """Raises ValueError if a part is there twice, or fills a hook that the algorithm lacks."""
    assert isinstance(config.algorithm, Algorithm)
    names = [part.name for part in config.parts]
    for part in config.parts:
        if names.count(part.name) > 1:
            raise ValueError(f"parts: {part.name} is there twice")
        assert isinstance(part, Part)
        unknown = [hook for hook in hook_names(type(part)) if hook not in config.algorithm.hooks]
        if unknown:
            raise ValueError(
                f"parts: {part.name} does not go with algorithm {config.algorithm.name}, which has "
                f"no hook {unknown[0]}"
            )
        if not part.fills("init") and (part.fills("learned") or part.fills("after")):
            raise ValueError(f"part {part.name}: needs init, which makes the state of its own")


def make_context(config: TrainConfig, axis_name: str | None = None) -> TrainContext:
    """Returns what the phases of an iteration share.

    Args:
      config: The configuration, whose numbers may be traced; `check_train_config` has checked it.
      axis_name: The mapped axis over devices, if there is one.
    """
    return TrainContext(config, *make_game_and_network(config), axis_name)


def check_part_states(config: TrainConfig) -> None:
    """Raises ValueError where a part cannot make its state, for instance without its file."""
    context = make_context(config)
    for part in context.parts("init"):
        jax.eval_shape(functools.partial(part.init, context))


def make_game_and_network(config: TrainConfig) -> tuple[Game, Network]:
    """Returns the game and the network of a configuration.

    Raises:
      ValueError: There is no such game, or the network does not fit it.
    """
    assert isinstance(config.algorithm, Algorithm)
    game = games.make(config.game)
    return game, config.algorithm.make_network(config, game)
