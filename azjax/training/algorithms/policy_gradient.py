"""A policy gradient by rounds: REINFORCE against a search with an earlier copy of the policy.

The copy is the policy that passed the last round's test. From round to round the search makes more
rollouts, and trusts the copy's prior more. Rounds are counted from 0, as numbers or as traced
arrays.
"""

import dataclasses
from typing import Annotated

import chex
import jax.numpy as jnp

from azjax.games import State
from azjax.networks import Variables
from azjax.search import Search, TreeSearch, network_model
from azjax.support.component import number_fields
from azjax.support.ranges import Range
from azjax.support.validation import check_share, check_size
from azjax.training.algorithms.reinforce import Reinforce
from azjax.training.hooks import GatingMatch, TrainConfig, TrainContext
from azjax.training.policy_games import play_against
from azjax.training.state import Games, Opponent, PlayProgress, TrainState, Trajectory

_TEST_GAMES = 400


@dataclasses.dataclass(frozen=True)
class PolicyGradient(Reinforce):
    """REINFORCE against search, by rounds."""

    name = "policy_gradient"

    rounds: int = 5
    """Rounds, each against a stronger search with a copy of the policy."""
    first_prior_weight: Annotated[float, Range(0.1, 0.95)] = 0.5
    """`search.prior_weight` of the first round; it rises in equal steps."""

    def check(self) -> None:
        super().check()
        check_size("rounds", self.rounds, 1, 2**24)
        check_share("first_prior_weight", self.first_prior_weight)

    @property
    def num_rounds(self) -> int:
        """The rounds."""
        return self.rounds

    def check_fit(self, config: TrainConfig) -> None:
        """Raises ValueError unless the search takes traced simulations, and weighs a prior."""
        super().check_fit(config)
        search = config.search
        # The simulations of a round are traced, which sequential halving cannot plan for.
        is_anytime = isinstance(search, TreeSearch) and search.is_anytime
        needed = "a TreeSearch that is anytime, such as policy_rollouts,"
        self.require(is_anytime, "search.name", search.name, needed)
        has_prior = "prior_weight" in number_fields(type(search))
        needed = "one with search.prior_weight, such as policy_rollouts,"
        self.require(has_prior, "search.name", search.name, needed, "whose rounds raise it")

    def play(
        self, context: TrainContext, state: TrainState, key: chex.PRNGKey, progress: chex.Numeric
    ) -> tuple[Games, Trajectory, PlayProgress]:
        """Plays T moves of the policy in each of B games against the round's search."""
        opponent = state.opponent
        assert opponent is not None, "the algorithm has an opponent"
        search = self.round_search(context.config.search, opponent.num_updates)
        num_simulations = self.round_simulations(context.config.search, opponent.num_updates)
        model = network_model(context.game, context.network)

        def reply(keys: chex.PRNGKey, states: State) -> chex.Array:
            arguments = model, opponent.variables, keys, states
            return search(*arguments, num_simulations=num_simulations).action

        return play_against(context, state, key, reply, num_simulations)

    def init_opponent(self, context: TrainContext, variables: Variables) -> Opponent:
        """Returns a copy of the policy."""
        return Opponent(variables, jnp.int32(0))

    def match(self, context: TrainContext, state: TrainState) -> GatingMatch:
        """Returns the test of a round: the policy, without search, loses nothing to exact play.

        Where the game cannot be solved, it must beat the round's search.
        """
        opponent = state.opponent
        assert opponent is not None, "the algorithm has an opponent"
        round_ = context.config.search, opponent.num_updates
        simulations = int(self.round_simulations(*round_))
        search = dataclasses.replace(self.round_search(*round_), num_simulations=simulations)
        return GatingMatch(None, opponent.variables, search, _TEST_GAMES, prefers_exact_play=True)

    def promote(self, state: TrainState, variables: Variables) -> TrainState:
        """Returns the state of the next round, whose opponent is the policy that has passed."""
        assert state.opponent is not None, "the algorithm has an opponent"
        return state._replace(opponent=Opponent(variables, state.opponent.num_updates + 1))

    def round_simulations(self, search: Search, round_: chex.Numeric) -> chex.Array:
        """Returns [] int32: the simulations of a round, which rise in equal steps."""
        round_ = jnp.minimum(round_, self.rounds - 1).astype(jnp.int32)
        return jnp.maximum(search.num_simulations * (round_ + 1) // self.rounds, 1)

    def round_search(self, search: Search, round_: chex.Numeric) -> TreeSearch:
        """Returns the search of a round, but for its simulations: the prior's weight rises."""
        search = search.without_noise()
        assert isinstance(search, TreeSearch)
        round_ = jnp.minimum(round_, self.rounds - 1).astype(jnp.int32)
        share = round_ / max(self.rounds - 1, 1)
        first, last = self.first_prior_weight, getattr(search, "prior_weight")  # noqa: B009
        weight = {"prior_weight": first + share * (last - first)}
        return dataclasses.replace(search, **weight)
