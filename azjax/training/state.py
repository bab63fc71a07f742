"""The state of a training run as one pytree, and what its phases hand to each other."""

from typing import Any, NamedTuple

import chex
import jax
import jax.numpy as jnp
import optax

from azjax.games import State
from azjax.networks import Variables
from azjax.search import SearchResult


class Games(NamedTuple):
    """The games that self-play is in the middle of; a finished one is replaced at the next move."""

    state: State  # [B, ...]
    age: chex.Array  # [B] int32, moves by what learns since the game's start


class Move(NamedTuple):
    """A move in each of B games."""

    state: State  # [B, ...] before it
    action: chex.Array  # [B]
    result: SearchResult | None  # [B, ...] of the search that chose it, if one did
    after: State  # [B, ...]


class Trajectory(NamedTuple):
    """Moves of games, time-major; values and rewards are from the view of the mover."""

    state: State  # [T, B, ...] before the move
    action_weights: chex.Array  # [T, B, A] float32
    search_value: chex.Array  # [T, B] float32
    reward: chex.Array  # [T, B] float32
    discount: chex.Array  # [T, B] float32, 0 where the move ended the game
    extra: dict[str, Any] | None = None  # [T, B, ...] what the algorithm records besides
    bounds: chex.Array | None = None  # [T, B, 2] int8 packed, if the search proves results
    policy_weight: chex.Array | None = None  # [T, B] float32, 0 after fast searches, if there are
    surprise: chex.Array | None = None  # [T, B] float32, nats; None without surprise sampling
    trace: chex.Array | None = None  # [T, B] float32, 0 to 1; None without weighted traces


class PlayProgress(NamedTuple):
    """What the metrics report of the moves of an iteration."""

    game_lengths: chex.Array  # [T, B] int32, of the game that the move ended; 0 where it ended none
    simulations_per_move: chex.Array  # [] float32, mean over the moves


class Replay(NamedTuple):
    """The last C moves of each of B environments, across games, as a ring."""

    trajectory: Trajectory  # [C, B, ...]
    num_written: chex.Array  # [] int32, moves ever written

    @property
    def num_rows(self) -> int:
        """The number of rows, C."""
        return len(self.trajectory.reward)

    @property
    def next_row(self) -> chex.Array:
        """[] int32: the row that is written next, which is the oldest of a full ring."""
        return self.num_written % self.num_rows

    def order(self, rows: chex.Array) -> chex.Array:
        """Returns the places of rows in the order of writing.

        The newest row has C - 1; those never written have the places before the written ones.
        """
        return (rows - self.num_written) % self.num_rows


class Positions(NamedTuple):
    """S positions in replay."""

    rows: chex.Array  # [S] int32
    envs: chex.Array  # [S] int32
    symmetry: chex.Array  # [S] int32, the symmetry of the board to transform the position by
    bits: chex.Array  # [S] uint32, random, for what else the algorithm samples


class Learner(NamedTuple):
    """The network and its optimizer."""

    variables: Variables
    ema_variables: Variables  # the EMA of `variables` over updates, which is the agent
    optimizer: optax.OptState
    num_updates: chex.Array  # [] int32


class FrozenNetworks(NamedTuple):
    """Copies of the network that do not learn: opponents, or the policy that plays."""

    variables: Variables  # of one, or [N, ...] of a pool
    renewals: chex.Array  # [] int32, how often a copy has been renewed; with rounds, the round


class TrainState(NamedTuple):
    """Everything that a run is: saving it saves the run, restoring it continues bit for bit."""

    learner: Learner
    champion: Variables | None  # under gating the network that plays; without, None
    games: Games
    replay: Replay
    key: chex.PRNGKey
    iteration: chex.Array  # [] int32
    frozen: FrozenNetworks | None = None  # of an algorithm that has some

    @property
    def acting(self) -> Variables:
        """The variables of the run's agent; in self-play they play where a search does."""
        return self.learner.ema_variables if self.champion is None else self.champion

    def with_network(self, variables: Variables) -> "TrainState":
        """Returns the state with another network, which learns and plays; the rest is unchanged."""
        learner = self.learner._replace(variables=variables, ema_variables=variables)
        champion = None if self.champion is None else variables
        frozen = self.frozen
        if frozen is not None:
            copies = jax.tree.map(
                lambda old, new: jnp.broadcast_to(new, old.shape), frozen.variables, variables
            )
            frozen = frozen._replace(variables=copies)
        return self._replace(learner=learner, champion=champion, frozen=frozen)
