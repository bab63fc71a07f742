"""The configuration of a run: what it trains, how long, how it is watched; and its JSON form."""

import dataclasses
import typing
from typing import Annotated, Any, Literal

import tyro

from azjax.search import SearchConfig
from azjax.support.suggestions import did_you_mean
from azjax.training import Hyperparameters, TrainConfig, make_game_and_network

_SHARES = (
    "random_start_fraction",
    "search_value_weight",
    "final_learning_rate",
    "search.dirichlet_fraction",
)
_POSITIVE = (
    "random_start_moves",
    "temperature",
    "learning_rate",
    "max_gradient_norm",
    "search.c_puct_base",
    "search.dirichlet_alpha",
)


@dataclasses.dataclass(frozen=True)
class RunConfig:
    """Everything that a run is made from, but for its seed."""

    train: Annotated[TrainConfig, tyro.conf.arg(name="")] = dataclasses.field(
        default_factory=TrainConfig
    )
    """Sizes: what is compiled."""
    hparams: Hyperparameters = dataclasses.field(default_factory=Hyperparameters)
    """Numbers: what can change without compiling anew."""
    evaluate_every: int = 10
    """Iterations between two looks: at accuracy, and whether it is time for a checkpoint."""
    evaluation_simulations: int = 32
    """Simulations per move with which accuracy is measured."""
    evaluation_algorithm: Literal["gumbel", "puct", "uct"] | None = None
    """Search with which accuracy is measured; that of self-play if not given."""
    stop_when_perfect: bool = False
    """Whether to stop once all of truth is known and neither network nor search errs anywhere."""

    def __post_init__(self):
        """Raises ValueError where a number is out of range or the network does not fit the game."""
        for field in ("evaluate_every", "evaluation_simulations"):
            if getattr(self, field) < 1:
                raise ValueError(f"{field}={getattr(self, field)}: must be at least 1")
        _check_hyperparameters(self.hparams)
        _ = self.evaluation_search  # raises for an algorithm that there is not
        if self.train.network.equivariant:
            make_game_and_network(self.train)  # raises for a board that the network does not fit

    @property
    def evaluation_search(self) -> SearchConfig:
        """The search with which accuracy is measured."""
        return dataclasses.replace(
            self.train.search,
            num_simulations=self.evaluation_simulations,
            algorithm=self.evaluation_algorithm or self.train.search.algorithm,
        )


def _check_hyperparameters(hparams: Hyperparameters) -> None:
    numbers = hparams._replace(search=0.0)._asdict() | {
        f"search.{name}": value for name, value in hparams.search._asdict().items()
    }
    for name in _SHARES:
        if not 0 <= numbers[name] <= 1:
            raise ValueError(f"hparams.{name}={numbers[name]}: must be from 0 to 1")
    if not 0 <= hparams.average_decay < 1:
        raise ValueError(
            f"hparams.average_decay={hparams.average_decay}: must be from 0 to below 1"
        )
    for name in _POSITIVE:
        if not numbers[name] > 0:
            raise ValueError(f"hparams.{name}={numbers[name]}: must be above 0")
    for name, value in numbers.items():
        if not 0 <= value < float("inf"):
            raise ValueError(f"hparams.{name}={value}: must be a number from 0 up")


def to_dict(config: Any) -> Any:
    """Returns a configuration of nested dataclasses and NamedTuples as nested dicts."""
    if dataclasses.is_dataclass(config):
        config = {f.name: getattr(config, f.name) for f in dataclasses.fields(config)}
    elif hasattr(config, "_asdict"):
        config = config._asdict()
    else:
        return config
    return {name: to_dict(value) for name, value in config.items()}


def from_dict(kind: type, values: Any, path: str = "") -> Any:
    """Returns the configuration that `to_dict` wrote; fields left out have their defaults.

    Raises:
      ValueError: A key is unknown, or a value is of the wrong type.
    """
    if not (dataclasses.is_dataclass(kind) or hasattr(kind, "_fields")):
        return _check_type(kind, values, path)
    types = typing.get_type_hints(kind)
    if not isinstance(values, dict):
        raise ValueError(f"{path or 'configuration'} must be a table of fields, not {values!r}")
    fields = {}
    for name, value in values.items():
        here = f"{path}.{name}" if path else name
        if name not in types:
            raise ValueError(f"unknown field {here!r}; {did_you_mean(name, types)}")
        fields[name] = from_dict(types[name], value, here)
    return kind(**fields)


def _check_type(kind: Any, value: Any, path: str) -> Any:
    parts = typing.get_args(kind)
    if typing.get_origin(kind) is Literal or (value is None and type(None) in parts):
        return value  # the dataclass checks it
    if type(None) in parts:
        return _check_type(parts[0], value, path)
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if type(value) is not kind:
        raise ValueError(f"{path}={value!r}: must be of type {kind.__name__}")
    return value
