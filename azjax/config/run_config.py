"""The configuration of a run, as dataclasses and as nested dicts."""

import dataclasses
from typing import Annotated, Any

import tyro

from azjax.config.nested_dicts import to_dict
from azjax.networks import ModelNetwork
from azjax.search import (
    MAX_SIMULATIONS,
    SearchConfig,
    SearchHyperparameters,
    check_search,
    check_search_config,
    with_algorithm,
)
from azjax.support.flag_marks import NameOf
from azjax.support.validation import (
    check_above,
    check_at_least,
    check_decay,
    check_number,
    check_share,
    check_size,
)
from azjax.training import (
    Hyperparameters,
    TrainConfig,
    check_train_config,
    get_algorithm,
    make_game_and_network,
)
from azjax.training.algorithms.options import HYPERPARAMETERS

_SHARES = (
    "random_start_fraction",
    "random_move_fraction",
    "full_search_share",
    "search_value_weight",
    "surprise_weight",
    "result_discount",
    "first_prior_weight",
    "final_learning_rate",
)
_POSITIVE = (
    "random_start_moves",
    "temperature",
    "full_search_share",
    "window_exponent",
    "learning_rate",
    "max_gradient_norm",
)
_POSITIVE_OF_SEARCH = ("c_puct_base", "dirichlet_alpha")


@dataclasses.dataclass(frozen=True, repr=False)
class RunConfig:
    """Everything that determines a run, except its seed and its length."""

    train: Annotated[TrainConfig, tyro.conf.arg(name="")] = dataclasses.field(
        default_factory=TrainConfig
    )
    """Static sizes, which determine the compiled program."""
    hparams: Hyperparameters = dataclasses.field(default_factory=Hyperparameters)
    """Hyperparameters, which can change without compiling again."""
    games: str | None = None
    """The file of games that a supervised policy imitates: a line of moves for each."""
    evaluate_every: int = 10
    """Iterations between two evaluations, besides those at every eighth of the run; gating, and the
    tests of a policy gradient's rounds, are at multiples of this number only."""
    evaluation_simulations: int = 32
    """Simulations per move of the search in evaluations."""
    evaluation_algorithm: Annotated[str | None, NameOf("search")] = None
    """Search in evaluations; that of self-play if not given."""
    evaluation_hparams: Annotated[
        SearchHyperparameters | None, tyro.conf.Fixed, tyro.conf.Suppress
    ] = None
    """Hyperparameters of the search in evaluations; those of self-play if not given. They are a
    table of preset files and no flags: runs that are compared share them, see `evaluated_as`."""
    evaluation_choices: Annotated[SearchConfig | None, tyro.conf.Fixed, tyro.conf.Suppress] = None
    """Choices of the search in evaluations besides its algorithm and simulations, such as
    `rescale_values`; those of self-play if not given. They are a table like those numbers."""
    stop_when_perfect: bool = False
    """Whether to stop once network and search play optimally in every position of a solved game, or
    once the last round of a policy gradient is passed and its search loses to nobody."""

    def __post_init__(self):
        """Raises ValueError if a number is out of range, or two choices do not fit together."""
        check_train_config(self.train)
        check_at_least("evaluate_every", self.evaluate_every, 1)
        check_size("evaluation_simulations", self.evaluation_simulations, 1, MAX_SIMULATIONS)
        if self.evaluation_algorithm is not None:
            check_search("evaluation_algorithm", self.evaluation_algorithm)
        _check_hyperparameters(self.hparams)
        _check_used(self.train.algorithm, self.hparams)
        if self.evaluation_choices is not None:
            check_search_config(self.evaluation_choices)
        if self.evaluation_hparams is not None:
            _check_search_hyperparameters("evaluation_hparams", self.evaluation_hparams)
        is_needed = get_algorithm(self.train.algorithm).learns_from_games
        if is_needed != (self.games is not None):
            needed = "a file of games" if is_needed else "left out"
            raise ValueError(
                f"games={self.games!r}: must be {needed} for algorithm {self.train.algorithm}"
            )
        if self.train.growing_window:
            _check_window(self.hparams.window_min_moves, self.train.replay_moves)
        if self.train.network.equivariant or self.train.network.auxiliary_heads:
            make_game_and_network(self.train)  # raises if the network does not fit the game

    def __repr__(self) -> str:
        """Returns what differs from the defaults, a line for each table of a preset file."""
        changes = _changes(to_dict(self), to_dict(RunConfig()))
        lines = [f"  {name}: {', '.join(fields)}" for name, fields in changes.items()]
        return "\n".join([f"RunConfig of {self.train.game}, besides defaults:", *lines])

    @property
    def evaluation_search(self) -> SearchConfig:
        """The search in evaluations."""
        choices = self.evaluation_choices or self.train.search
        search = with_algorithm(choices, self.evaluation_algorithm or self.train.search.algorithm)
        return dataclasses.replace(search, num_simulations=self.evaluation_simulations)

    @property
    def evaluation_hyperparameters(self) -> SearchHyperparameters:
        """The hyperparameters of the search in evaluations."""
        own = self.hparams.search
        return own if self.evaluation_hparams is None else self.evaluation_hparams

    @property
    def is_evaluated_by_own_search(self) -> bool:
        """Whether evaluations search as the agent does, by choices and hyperparameters."""
        simulations = self.evaluation_simulations
        own = dataclasses.replace(self.train.search, num_simulations=simulations)
        numbers = self.evaluation_hyperparameters.without_noise()
        return own == self.evaluation_search and self.hparams.search.without_noise() == numbers

    def evaluated_as(self, other: "RunConfig") -> "RunConfig":
        """Returns this configuration, evaluated by the search of another one.

        Where a network has a learnt model, which does not know how games end, the search proves
        nothing: `proven_values` are left out.
        """
        search = other.evaluation_search
        _, network = make_game_and_network(self.train)
        if isinstance(network, ModelNetwork):
            search = dataclasses.replace(search, proven_values=False)
        return dataclasses.replace(
            self,
            evaluation_simulations=search.num_simulations,
            evaluation_algorithm=search.algorithm,
            evaluation_hparams=other.evaluation_hyperparameters,
            evaluation_choices=search,
        )


def _check_hyperparameters(hparams: Hyperparameters) -> None:
    numbers = hparams._asdict()
    _check_search_hyperparameters("hparams.search", numbers.pop("search"))
    for name in _SHARES:
        check_share(f"hparams.{name}", numbers[name])
    check_decay("hparams.average_decay", hparams.average_decay)
    for name in _POSITIVE:
        check_above(f"hparams.{name}", numbers[name], 0)
    for name, value in numbers.items():
        check_number(f"hparams.{name}", value)


def unused_hyperparameters(algorithm: str) -> dict[str, float]:
    """Returns the hyperparameters that an algorithm does not have, by name, with their defaults."""
    own, defaults = get_algorithm(algorithm).hyperparameters, Hyperparameters._field_defaults
    return {name: defaults[name] for name in HYPERPARAMETERS if name not in own}


def _check_used(algorithm: str, hparams: Hyperparameters) -> None:
    """Raises ValueError if a hyperparameter that the algorithm does not have is set."""
    for name, default in unused_hyperparameters(algorithm).items():
        value = getattr(hparams, name)
        if value != default:
            own = get_algorithm(algorithm).hyperparameters
            raise ValueError(
                f"hparams.{name}={value!r}: algorithm {algorithm} has no such hyperparameter; it "
                f"has {', '.join(own) or 'only those that all have'}"
            )


def _check_window(min_moves: float, replay_moves: int) -> None:
    if not 1 <= min_moves < replay_moves:
        raise ValueError(
            f"hparams.window_min_moves={min_moves}: must be from 1 to below "
            f"replay_moves={replay_moves} under growing_window"
        )


def _check_search_hyperparameters(path: str, hparams: SearchHyperparameters) -> None:
    for name in ("dirichlet_fraction", "prior_weight"):
        check_share(f"{path}.{name}", getattr(hparams, name))
    for name in _POSITIVE_OF_SEARCH:
        check_above(f"{path}.{name}", getattr(hparams, name), 0)
    for name, value in hparams._asdict().items():
        check_number(f"{path}.{name}", value)


def _changes(
    table: dict[str, Any], default: dict[str, Any], path: str = "run"
) -> dict[str, list[str]]:
    """Returns the fields of nested tables that are not the default, by the path of their table."""
    nested = {name: inner for name, inner in table.items() if isinstance(inner, dict)}
    values = {name: value for name, value in table.items() if name not in nested}
    own = [f"{name}={value}" for name, value in values.items() if value != default.get(name)]
    changes = {path: own} if own else {}
    for name, inner in nested.items():
        there = default[name] or {}  # a table that is None where it is not given
        changes |= _changes(inner, there, name if path == "run" else f"{path}.{name}")
    return changes
