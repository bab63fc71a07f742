"""Configurations that are known to learn, by name: one for each game."""

from collections.abc import Callable
from typing import NamedTuple

from azjax.config.run_config import RunConfig
from azjax.games import pgx_names
from azjax.networks import NetworkConfig
from azjax.search import SearchConfig, SearchHyperparameters
from azjax.support.suggestions import did_you_mean
from azjax.training import Hyperparameters, TrainConfig


class Preset(NamedTuple):
    """A configuration, how long it takes by default, and what it is good for."""

    config: RunConfig
    minutes: float | None  # the default length in minutes,
    iterations: int | None  # or in iterations
    summary: str


def _tiny(
    game: str,
    hparams: Hyperparameters,
    *,
    channels: int = 128,
    iterations: int = 200,
    evaluate_every: int = 10,
    evaluation_simulations: int = 32,
) -> Preset:
    """Returns what plays a solved game without an error after a minute on a few cores."""
    train = TrainConfig(
        game=game,
        network=NetworkConfig("mlp", channels, blocks=1, equivariant=True),
        search=SearchConfig("gumbel", num_simulations=32),
        num_games=512,
        num_moves=8,
        replay_moves=64,
        num_updates=16,
        batch_size=1024,
    )
    config = RunConfig(
        train,
        hparams,
        evaluate_every=evaluate_every,
        evaluation_simulations=evaluation_simulations,
        stop_when_perfect=True,
    )
    return Preset(config, None, iterations, "perfect in a minute")


def _small(
    game: str,
    *,
    channels: int = 32,
    num_simulations: int = 32,
    rescale_values: bool = True,
    value_scale: float = 0.1,
    num_updates: int = 64,
    minutes: float = 15.0,
    **hparams: float,
) -> Preset:
    """Returns what suits a board of up to some sixty cells on a few cores.

    It was found on Connect Four: see experiments/results/connect_four.md.
    """
    train = TrainConfig(
        game=game,
        network=NetworkConfig(
            "resnet",
            channels,
            blocks=3,
            policy_planes=8,
            value_planes=8,
            value_features=256,
            equivariant=True,
        ),
        search=SearchConfig("gumbel", num_simulations, rescale_values=rescale_values),
        num_games=256,
        num_moves=16,
        replay_moves=512,
        num_updates=num_updates,
        batch_size=256,
    )
    usual = Hyperparameters(
        search=SearchHyperparameters(value_scale=value_scale),
        random_start_fraction=0.75,
        search_value_weight=0.15,
        learning_rate=5e-3,
        warmup_updates=400.0,
        max_gradient_norm=5.0,
        average_decay=0.9975,
    )
    config = RunConfig(
        train, usual._replace(**hparams), evaluate_every=30, evaluation_simulations=64
    )
    return Preset(config, minutes, None, f"strong in {minutes:g} minutes")


def _large(game: str, *, start_moves: float, temperature_moves: float = 16.0) -> Preset:
    """Returns what suits a larger game: hours on a few cores, less on an accelerator."""
    train = TrainConfig(
        game=game,
        network=NetworkConfig("resnet", channels=64, blocks=5),
        search=SearchConfig("gumbel", num_simulations=32),
        num_games=256,
        num_moves=16,
        replay_moves=256,
        num_updates=16,
        batch_size=1024,
    )
    hparams = Hyperparameters(
        random_start_fraction=0.5,
        random_start_moves=start_moves,
        temperature_moves=temperature_moves,
        search_value_weight=0.15,
        learning_rate=2e-3,
        decay_updates=20_000.0,
        max_gradient_norm=5.0,
    )
    config = RunConfig(train, hparams, evaluate_every=10, evaluation_simulations=64)
    return Preset(config, 120.0, None, "hours, or a GPU")


_PRESETS: dict[str, Callable[[], Preset]] = {
    "tic_tac_toe": lambda: _tiny(  # found by experiments/sweep.py, rounded
        "tic_tac_toe",
        Hyperparameters(
            search=SearchHyperparameters(gumbel_scale=0.4, value_scale=0.5),
            random_start_fraction=0.97,
            random_start_moves=6.0,
            temperature=1.9,
            temperature_moves=4.0,
            value_loss_weight=0.45,
            learning_rate=0.02,
            decay_updates=375.0,
            average_decay=0.93,
        ),
        evaluate_every=5,
    ),
    "coins": lambda: _tiny(
        "coins",
        Hyperparameters(
            random_start_fraction=0.9,
            random_start_moves=14.0,
            temperature_moves=4.0,
            learning_rate=5e-3,
            decay_updates=1000.0,
        ),
    ),
    "quixo_3": lambda: _tiny(
        "quixo_3",
        Hyperparameters(
            random_start_fraction=0.9,
            random_start_moves=10.0,
            temperature_moves=6.0,
            learning_rate=5e-3,
            decay_updates=480.0,
        ),
        channels=256,
        iterations=30,
        evaluate_every=15,
        evaluation_simulations=64,
    ),
    "connect_four": lambda: _small(
        "connect_four",
        channels=64,
        num_simulations=16,
        rescale_values=False,
        value_scale=0.4,
        num_updates=48,
        random_start_fraction=0.95,
        random_start_moves=28.0,
        temperature_moves=10.0,
        learning_rate=4e-3,
        warmup_updates=200.0,
        decay_updates=6_200.0,
        weight_decay=0.3,
    ),
    "othello": lambda: _small(
        "othello",
        num_simulations=16,
        num_updates=32,
        minutes=35.0,
        random_start_fraction=0.5,
        random_start_moves=40.0,
        temperature_moves=16.0,
        warmup_updates=200.0,
        decay_updates=9_400.0,
    ),
    "mnk_6_6_4": lambda: _small("mnk_6_6_4", random_start_moves=24.0, decay_updates=8_000.0),
    "quixo": lambda: _small("quixo", random_start_moves=40.0, decay_updates=12_000.0),
    "quixo_4": lambda: _small("quixo_4", random_start_moves=20.0, decay_updates=16_000.0),
    "othello_6": lambda: _small("othello_6", random_start_moves=26.0, decay_updates=10_000.0),
    "hex_5": lambda: _small("hex_5", random_start_moves=12.0, decay_updates=12_000.0),
    "go_5": lambda: _small("go_5", random_start_moves=20.0, decay_updates=8_000.0),
    "hex": lambda: _large("hex", start_moves=40.0),
    "go_9": lambda: _large("go_9", start_moves=40.0),
    "go_19": lambda: _large("go_19", start_moves=100.0),
    "gomoku_9": lambda: _large("gomoku_9", start_moves=30.0),
    "gomoku_15": lambda: _large("gomoku_15", start_moves=60.0),
}


def preset_names() -> list[str]:
    """Returns the names of the presets."""
    return list(_PRESETS)


def get_preset(name: str) -> Preset:
    """Returns the preset of that name, also of `pgx:NAME`.

    Raises:
      ValueError: There is none; the message suggests the nearest.
    """
    if name in pgx_names():
        return _large(name, start_moves=20.0)
    if name not in _PRESETS:
        all_of_them = f"there are {', '.join(_PRESETS)}; and pgx:NAME for games of Pgx"
        hint = did_you_mean(name, [*_PRESETS, *pgx_names()], otherwise=all_of_them)
        raise ValueError(f"no preset is named {name!r}; {hint}")
    return _PRESETS[name]()
