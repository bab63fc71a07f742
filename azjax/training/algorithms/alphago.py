"""AlphaGo's pipeline: a policy that imitates games, one that plays for wins, and its values.

"Mastering the game of Go with deep neural networks and tree search", Silver et al., Nature 2016.
Each stage is an algorithm of its own, whose run begins from the agent of the stage before.
"""

import dataclasses
from collections.abc import Sequence
from typing import Annotated, Any, ClassVar

import chex
import jax
import jax.numpy as jnp

from azjax.games import State
from azjax.networks import Variables
from azjax.search import evaluate_with_network
from azjax.support import prng
from azjax.support.ranges import Range
from azjax.support.validation import check_above, check_number, check_size
from azjax.training.algorithms.alphazero import PolicyAndValue
from azjax.training.algorithms.reinforce import Reinforce, check_policy
from azjax.training.collectives import local_shard
from azjax.training.hooks import TrainConfig, TrainContext
from azjax.training.policy_games import play_against, sample_from_logits
from azjax.training.selfplay import play_itself
from azjax.training.state import (
    Games,
    Opponent,
    PlayProgress,
    Positions,
    Replay,
    TrainState,
    Trajectory,
)
from azjax.training.targets import Targets, game_ends


@dataclasses.dataclass(frozen=True)
class SupervisedPolicy(PolicyAndValue):
    """Learns the moves of recorded games, which replay holds from the start."""

    name = "supervised_policy"

    def check_fit(self, config: TrainConfig) -> None:
        """Raises ValueError unless the network is a policy, and replay a file's."""
        check_policy(config)
        self.require(config.replay is not None, "replay", None, "a file of games")


@dataclasses.dataclass(frozen=True)
class ReinforcedPolicy(Reinforce):
    """REINFORCE against a pool of earlier policies.

    The pool begins with the policy that the run begins from, and takes the newest one at times.
    """

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

        return play_against(context, state, key, reply, 0)

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


@dataclasses.dataclass(frozen=True)
class PolicyValue(PolicyAndValue):
    """Learns the values of a policy that plays both sides and stays what it is.

    Successive positions differ by one stone and have the same result, so a network that learns from
    all of them remembers games: one position of each game is learnt. A game whose start replay has
    overwritten may give another position than before.
    """

    name = "policy_value"
    hooks: ClassVar[Sequence[str]] = ("start",)
    improves_an_agent: ClassVar[bool] = True

    temperature: Annotated[float, Range(0.3, 2.0, log=True)] = 1.0
    """Moves are sampled from the policy to the power of 1 / temperature."""
    value_loss_weight: Annotated[float, Range(0.25, 4.0, log=True)] = 1.0
    """Weight of the value loss relative to the policy loss."""

    def check(self) -> None:
        check_above("temperature", self.temperature, 0)
        check_number("value_loss_weight", self.value_loss_weight)

    def check_fit(self, config: TrainConfig) -> None:
        """Raises ValueError unless the network has values, and plays without search."""
        self.require_values(config)
        name, reason = config.search.name, "which plays without search"
        self.require(not config.search.simulations_made, "search.name", name, "'policy'", reason)

    def play(
        self, context: TrainContext, state: TrainState, key: chex.PRNGKey, progress: chex.Numeric
    ) -> tuple[Games, Trajectory, PlayProgress]:
        """Plays T moves in each of B games by the given policy; samples every move."""
        opponent = state.opponent
        assert opponent is not None, "the algorithm has a policy that stays"
        arguments = context, state, opponent.variables, key, progress
        return play_itself(*arguments, temperature=self.temperature, temperature_moves=jnp.inf)

    def make_batch(
        self, context: TrainContext, replay: Replay, targets: Targets, positions: Positions
    ) -> Any:
        """Returns a batch of positions, each replaced by the one that its game gives."""
        numbers = local_shard(jnp.arange(context.config.num_games)[None], context.axis_name)[0]
        rows, is_known = _rows_of_games(replay, positions, numbers)
        chosen = positions._replace(rows=rows)
        batch = super().make_batch(context, replay, targets, chosen)
        return batch._replace(value_weight=is_known.astype(jnp.float32))

    def init_opponent(self, context: TrainContext, variables: Variables) -> Opponent:
        """Returns a copy of the policy that the run begins from, which plays."""
        return Opponent(variables, jnp.int32(0))


def _rows_of_games(
    replay: Replay, positions: Positions, numbers: chex.Array
) -> tuple[chex.Array, chex.Array]:
    """Returns [S]: the row of each position's game that is learnt from, and if its result is known.

    The row is the same for all positions of a game, and depends on the number [B] of its column
    among the columns of all devices. The result of a game that has not ended is not known: the last
    game in its column that has ended takes its place. Before there is one, a position stands for
    itself, without a result.
    """
    discount, num_rows = replay.trajectory.discount, replay.num_rows
    rows, games = positions.rows, positions.games
    end = game_ends(replay)[rows, games]
    end = jnp.where(end < num_rows, end, _last_ends(replay)[games])
    # From its end back to the end of the game before, or to the oldest row.
    back = jnp.arange(num_rows)[None]
    before = (end[:, None] - back) % num_rows
    is_older = replay.order(before) > replay.order(end[:, None])
    is_start = ((discount[before, games[:, None]] == 0) & (back > 0)) | is_older
    length = is_start.argmax(axis=1)
    length = jnp.where(is_start.any(axis=1), length, num_rows)
    game = (numbers[games] * num_rows + end).astype(jnp.uint32)
    chosen = (end - prng.hash_below(game, length)) % num_rows
    is_known = end < num_rows
    return jnp.where(is_known, chosen, rows), is_known


def _last_ends(replay: Replay) -> chex.Array:
    """Returns [B] int32: the row in which the last game of each column has ended, C without one."""
    discount, num_rows = replay.trajectory.discount, replay.num_rows
    place = replay.order(jnp.arange(num_rows))
    is_written = place >= num_rows - replay.num_written
    place = jnp.where((discount == 0) & is_written[:, None], place[:, None], -1)
    return jnp.where(place.max(axis=0) < 0, num_rows, place.argmax(axis=0)).astype(jnp.int32)
