"""AlphaZero in which a share of the games is against networks of the run's past, with search."""

import dataclasses

import chex
import jax
import jax.numpy as jnp

from azjax.games import State
from azjax.support import prng
from azjax.support.component import register
from azjax.support.validation import check_size
from azjax.training.algorithms.alphago import ReinforcedPolicy
from azjax.training.algorithms.alphazero import AlphaZero
from azjax.training.collectives import local_shard
from azjax.training.hooks import TrainConfig, TrainContext
from azjax.training.selfplay import play_itself, search_ply
from azjax.training.state import Games, PlayProgress, Searched, TrainState, Trajectory


@register
@dataclasses.dataclass(frozen=True)
class OpponentPool(AlphaZero):
    """Plays some games against its past; all positions learn from the newest network's search."""

    name = "opponent_pool"

    one_in: int = 4
    """One game in so many has a network of the past in one seat."""
    pool_size: int = 8
    """Networks of its past that the newest one plays against."""
    pool_interval: int = 5
    """Iterations after which the newest network replaces the oldest in that pool."""

    init_opponent = ReinforcedPolicy.init_opponent
    update_opponent = ReinforcedPolicy.update_opponent

    def check(self) -> None:
        super().check()
        check_size("one_in", self.one_in, 1, 2**24)
        check_size("pool_size", self.pool_size, 1, 2**24)
        check_size("pool_interval", self.pool_interval, 1, 2**24)

    def check_fit(self, config: TrainConfig) -> None:
        """Raises ValueError if the search keeps trees, which would be of two networks."""
        super().check_fit(config)
        kept = getattr(config.search, "kept_nodes", 0)
        self.require(not kept, "search.kept_nodes", kept, "0", "which plays by two networks")

    def play(
        self, context: TrainContext, state: TrainState, key: chex.PRNGKey, progress: chex.Numeric
    ) -> tuple[Games, Trajectory, PlayProgress]:
        """Plays T moves; in games against the past, no move is sampled by temperature."""
        member = jax.random.randint(prng.named_key(key, "pool"), (), 0, self.pool_size)
        past = jax.tree.map(lambda x: x[member], state.opponent.variables)
        numbers = jnp.arange(context.config.num_games)[None]  # of all devices
        number = local_shard(numbers, context.axis_name)[0]
        if len(number) % self.one_in:
            raise ValueError(f"one_in={self.one_in}: must divide the games of a device")
        is_past = number % self.one_in == 0

        def find(ply_key: chex.PRNGKey, keys: chex.PRNGKey, states: State, kept: None) -> Searched:
            own = search_ply(context, state.actor, progress, ply_key, keys, states)
            some = jax.tree.map(lambda x: x[:: self.one_in], (keys, states))
            theirs = search_ply(context, past, progress, ply_key, *some).result.action
            seat = number // self.one_in % 2
            is_theirs = is_past & (states.current_player == seat)
            action = jnp.where(is_theirs, jnp.repeat(theirs, self.one_in), own.result.action)
            return own._replace(result=own.result._replace(action=action))

        return play_itself(
            *(context, state, state.actor, key, progress),
            temperature=self.temperature,
            temperature_moves=jnp.where(is_past, 0.0, self.temperature_moves),
            find=find,
        )
