"""Configurations that are known to learn, by name: one for each game."""

from collections.abc import Callable
from typing import NamedTuple

from azjax.networks import NetworkConfig
from azjax.runs.config import RunConfig
from azjax.runs.suggestions import did_you_mean
from azjax.search import SearchConfig
from azjax.training import Hyperparameters, TrainConfig


class Preset(NamedTuple):
    """A configuration, how long it takes by default, and what it is good for."""

    config: RunConfig
    minutes: float | None  # the default length in minutes,
    iterations: int | None  # or in iterations
    summary: str


def _tic_tac_toe() -> Preset:
    train = TrainConfig(
        game="tic_tac_toe",
        network=NetworkConfig("mlp", channels=128, blocks=1),
        search=SearchConfig("gumbel", num_simulations=32),
        num_games=512,
        num_moves=8,
        replay_moves=64,
        num_updates=16,
        batch_size=1024,
    )
    hparams = Hyperparameters(
        random_start_fraction=0.9,
        random_start_moves=6.0,
        temperature_moves=4.0,
        learning_rate=5e-3,
        decay_updates=1000.0,
    )
    config = RunConfig(train, hparams, evaluate_every=10, stop_when_perfect=True)
    return Preset(config, None, 200, "perfect play in half a minute")


def _connect_four() -> Preset:
    return _small_resnet(
        "connect_four", 16, 30, start_moves=30.0, temperature_moves=10.0, decay_updates=3800.0
    )


def _mnk_6_6_4() -> Preset:
    return _small_resnet(
        "mnk_6_6_4", 32, 15, start_moves=24.0, temperature_moves=8.0, decay_updates=2000.0
    )


def _quixo() -> Preset:
    return _small_resnet(
        "quixo", 32, 15, start_moves=40.0, temperature_moves=8.0, decay_updates=3000.0
    )


def _othello_6() -> Preset:
    return _small_resnet(
        "othello_6", 32, 15, start_moves=26.0, temperature_moves=8.0, decay_updates=3000.0
    )


def _small_resnet(
    game: str,
    num_simulations: int,
    evaluate_every: int,
    *,
    start_moves: float,
    temperature_moves: float,
    decay_updates: float,
) -> Preset:
    """Returns what suits a board of some forty cells on a few cores."""
    train = TrainConfig(
        game=game,
        network=NetworkConfig("resnet", channels=32, blocks=3),
        search=SearchConfig("gumbel", num_simulations),
        num_games=256,
        num_moves=16,
        replay_moves=512,
        num_updates=16,
        batch_size=1024,
    )
    hparams = Hyperparameters(
        random_start_fraction=0.75,
        random_start_moves=start_moves,
        temperature_moves=temperature_moves,
        search_value_weight=0.5,
        learning_rate=5e-3,
        decay_updates=decay_updates,
        max_gradient_norm=5.0,
    )
    config = RunConfig(train, hparams, evaluate_every=evaluate_every, evaluation_simulations=64)
    return Preset(config, 15.0, None, "strong play in a quarter of an hour")


_PRESETS: dict[str, Callable[[], Preset]] = {
    "tic_tac_toe": _tic_tac_toe,
    "connect_four": _connect_four,
    "mnk_6_6_4": _mnk_6_6_4,
    "quixo": _quixo,
    "othello_6": _othello_6,
}


def preset_names() -> list[str]:
    """Returns the names of the presets."""
    return list(_PRESETS)


def get_preset(name: str) -> Preset:
    """Returns the preset of that name.

    Raises:
      ValueError: There is none; the message suggests the nearest.
    """
    if name not in _PRESETS:
        raise ValueError(f"no preset is named {name!r}; {did_you_mean(name, _PRESETS)}")
    return _PRESETS[name]()
