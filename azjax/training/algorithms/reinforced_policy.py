"""AlphaGo's second stage: REINFORCE against a pool of the policy's past.

"Mastering the game of Go with deep neural networks and tree search", Silver et al., Nature 2016.
The pool begins with the policy that the run begins from, and takes the newest one at times.
"""

import dataclasses

import chex
import jax
import jax.numpy as jnp

from azjax.games import State
from azjax.networks import Variables
from azjax.search import evaluate_with_network
from azjax.support import prng
from azjax.support.validation import check_size
from azjax.training.algorithms.reinforce import Reinforce
from azjax.training.hooks import TrainContext
from azjax.training.policy_games import Replies, play_against, sample_from_logits
from azjax.training.state import Games, Opponent, PlayProgress, TrainState, Trajectory


@dataclasses.dataclass(frozen=True)
class ReinforcedPolicy(Reinforce):
    """REINFORCE against a pool of earlier policies."""

    name = "reinforced_policy"

    pool_size: int = 8
    """Networks of its past that the policy plays against."""
    pool_interval: int = 10
    """Iterations after which the newest network replaces the oldest in that pool."""

    def check(self) -> None:
        super().check()
        check_size("pool_size", self.pool_size, 1, 2**24)
        check_size("pool_interval", self.pool_interval, 1, 2**24)

    def play(
        self, context: TrainContext, state: TrainState, key: chex.PRNGKey, progress: chex.Numeric
    ) -> tuple[Games, Trajectory, PlayProgress]:
        """Plays T moves of the policy in each of B games against one of the pool, one for all."""
        opponent = state.opponent
        assert opponent is not None, "the algorithm has a pool"
        evaluate = evaluate_with_network(context.game, context.network)
        member = jax.random.randint(prng.named_key(key, "pool"), (), 0, self.pool_size)
        variables = jax.tree.map(lambda x: x[member], opponent.variables)

        def reply(keys: chex.PRNGKey, states: State) -> chex.Array:
            return sample_from_logits(keys, evaluate(variables, keys, states).prior_logits)

        return play_against(context, state, key, Replies(reply, jnp.float32(0)))

    def init_opponent(self, context: TrainContext, variables: Variables) -> Opponent:
        """Returns a pool [N, ...] of equal networks."""
        size = self.pool_size
        pool = jax.tree.map(lambda x: jnp.broadcast_to(x, (size, *x.shape)), variables)
        return Opponent(pool, jnp.int32(0))

    def update_opponent(self, context: TrainContext, state: TrainState) -> Opponent:
        """Returns the pool with the newest policy in place of the oldest, where that is due."""
        opponent = state.opponent
        assert opponent is not None, "the algorithm has a pool"
        is_due = state.iteration % self.pool_interval == 0
        slot = opponent.num_updates % self.pool_size

        def put(pool: chex.Array, newest: chex.Array) -> chex.Array:
            return pool.at[slot].set(jnp.where(is_due, newest, pool[slot]))

        pool = jax.tree.map(put, opponent.variables, state.learner.variables)
        return Opponent(pool, opponent.num_updates + is_due)
