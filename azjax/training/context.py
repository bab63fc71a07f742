"""Resolves a configuration to what the phases of an iteration share, and checks what fits."""

import jax

from azjax import games
from azjax.games import Game
from azjax.networks import Network
from azjax.support.validation import check_distinct
from azjax.training.hooks import HEAD_HOOKS, SELF_PLAY_HOOKS, TrainConfig, TrainContext


def check_train_config(config: TrainConfig) -> None:
    """Raises ValueError if components do not fit together, or to the game."""
    game, algorithm = games.make(config.game), config.algorithm
    algorithm.check_fit(config)
    check_distinct("parts", [part.name for part in config.parts])
    for part in config.parts:
        for hook in (*SELF_PLAY_HOOKS, *HEAD_HOOKS):
            if part.fills(hook) and hook not in algorithm.hooks:
                raise ValueError(
                    f"parts: {part.name} does not go with algorithm {algorithm.name}, which has no "
                    f"hook {hook}"
                )
        if config.search.keeps_trees and part.fills("search"):
            raise ValueError(
                f"search.kept_nodes: must be 0 with part {part.name}, "
                "whose searches leave trees of several sizes"
            )
        if not part.fills("init") and (part.fills("learned") or part.fills("after")):
            raise ValueError(f"part {part.name}: needs init, which makes the state of its own")
    first_networks = [part for part in config.parts if part.fills("init_best")]
    for hook, parts in ("match", config.gates), ("init_best", first_networks):
        if len(parts) > 1:
            names = " and ".join(part.name for part in parts)
            raise ValueError(f"parts: {names} both have {hook}; choose one")
    for part in config.parts:
        part.check_fit(config, game)
    algorithm.make_network(config, game)


def make_context(config: TrainConfig, axis_name: str | None = None) -> TrainContext:
    """Returns what the phases of an iteration share; `check_train_config` has checked it."""
    return TrainContext(config, *make_game_and_network(config), axis_name)


def check_part_states(config: TrainConfig) -> None:
    """Raises ValueError where a part cannot make its state, for instance without its file."""
    context = make_context(config)
    for part in context.parts("init"):
        state = jax.eval_shape(lambda part=part: part.init(context))
        if any(jax.dtypes.issubdtype(x.dtype, jax.dtypes.prng_key) for x in jax.tree.leaves(state)):
            raise ValueError(
                f"part {part.name}: its state holds a PRNG key, which is not saved; derive keys "
                "from the run's key by part_key"
            )


def make_game_and_network(config: TrainConfig) -> tuple[Game, Network]:
    """Returns the game and the network; raises ValueError unless they are there, and fit."""
    game = games.make(config.game)
    return game, config.algorithm.make_network(config, game)
