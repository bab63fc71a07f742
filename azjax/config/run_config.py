"""The configuration of a run."""

import dataclasses

from azjax.networks import ModelNetwork
from azjax.search import MAX_SIMULATIONS, Search
from azjax.support.validation import check_at_least, check_size
from azjax.training import TrainConfig, check_train_config, make_game_and_network


@dataclasses.dataclass(frozen=True)
class RunConfig:
    """Everything that determines a run, except its seed and its length."""

    train: TrainConfig = dataclasses.field(default_factory=TrainConfig)
    """What determines an iteration."""
    evaluate_every: int = 10
    """Iterations between two evaluations, besides those at every eighth of the run; gating, and the
    tests of a policy gradient's rounds, are at multiples of this number only."""
    evaluation_simulations: int = 32
    """Simulations per move of the search in evaluations, which is the one of self-play unless
    fields of `evaluation.search` are given: its name, and its own values."""
    evaluated_by: Search | None = None
    """The search in evaluations, but for its simulations; self-play's if not given."""
    stop_when_perfect: bool = False
    """Whether to stop once network and search play optimally in every position of a solved game, or
    once the last round of a policy gradient is passed and its search loses to nobody."""

    def __post_init__(self):
        """Raises ValueError if a number is out of range, or two choices do not fit together."""
        check_at_least("evaluate_every", self.evaluate_every, 1)
        check_size("evaluation_simulations", self.evaluation_simulations, 1, MAX_SIMULATIONS)
        if self.evaluated_by is not None:  # equal searches of evaluations are then equal
            object.__setattr__(self, "evaluated_by", self.evaluation_search)
        check_train_config(self.train)

    @property
    def evaluation_search(self) -> Search:
        """The search in evaluations."""
        search = self.evaluated_by or self.train.search
        return dataclasses.replace(search, num_simulations=self.evaluation_simulations)

    @property
    def is_evaluated_by_own_search(self) -> bool:
        """Whether evaluations search as the agent does, but for noise and simulations."""
        simulations = self.evaluation_simulations
        own = dataclasses.replace(self.train.search, num_simulations=simulations)
        return own.without_noise() == self.evaluation_search.without_noise()

    def evaluated_as(self, other: "RunConfig") -> "RunConfig":
        """Returns this configuration, evaluated by the search of another one.

        Where a network has a learnt model, which does not know how games end, the search proves
        nothing: `proven_values` are left out.
        """
        search = other.evaluation_search
        _, network = make_game_and_network(self.train)
        if isinstance(network, ModelNetwork) and getattr(search, "proven_values", False):
            search = dataclasses.replace(search, proven_values=False)  # type: ignore[call-arg]
        return dataclasses.replace(
            self, evaluation_simulations=search.num_simulations, evaluated_by=search
        )
