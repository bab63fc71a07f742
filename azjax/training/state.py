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


class Searched(NamedTuple):
    """The search of a ply, which is the same for all B games."""

    result: SearchResult  # [B, ...]
    num_simulations: chex.Numeric  # [] of each position
    policy_weight: chex.Numeric = 1.0  # [] of its action weights as policy targets


class Move(NamedTuple):
    """A move in each of B games."""

    state: State  # [B, ...] before it
    action: chex.Array  # [B] int32
    after: State  # [B, ...]
    searched: Searched  # by which it was chosen


class Trajectory(NamedTuple):
    """Moves of games, time-major; values and rewards are from the view of the mover."""

    state: State  # [T, B, ...] before the move
    action: chex.Array  # [T, B] int16
    action_weights: chex.Array  # [T, B, A] float32
    search_value: chex.Array  # [T, B] float32
    reward: chex.Array  # [T, B] float32
    discount: chex.Array  # [T, B] float32, 0 where the move ended the game
    records: dict[str, Any]  # [T, B, ...] by name, what the search and the parts record besides

    @property
    def policy_weight(self) -> chex.Array | None:
        """[T, B] float32: the weights of the policy targets; None where all are 1."""
        return self.records.get("policy_weight")


class PlayProgress(NamedTuple):
    """What the metrics report of the moves of an iteration."""

    game_lengths: chex.Array  # [T, B] int32, of the game that the move ended; 0 where it ended none
    simulations_per_move: chex.Array  # [] float32, mean over the moves


class Replay(NamedTuple):
    """The last C moves in each of B columns, games one after another, as a ring."""

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
    """S positions in replay, sampled in G groups one after the other."""

    rows: chex.Array  # [S] int32
    games: chex.Array  # [S] int32
    symmetry: chex.Array  # [S] int32, the symmetry of the board to transform the position by
    keys: chex.PRNGKey  # [G], for what else the algorithm samples


class Losses(NamedTuple):
    """Means over a batch."""

    loss: chex.Array  # [] what is minimized
    policy_loss: chex.Array  # [] cross-entropy, nats; in REINFORCE times the advantage
    value_loss: chex.Array  # [] squared error of the expected result, whatever the value head
    extra: dict[str, chex.Array]  # [] by the column of the metrics, of the algorithm alone


class Learner(NamedTuple):
    """The network and its optimizer."""

    variables: Variables
    ema_variables: Variables  # the EMA of `variables` over updates, which is the agent
    opt_state: optax.OptState
    num_updates: chex.Array  # [] int32


class Opponent(NamedTuple):
    """Copies of the network that do not learn: those that it plays against."""

    variables: Variables  # of one, or [N, ...] of a pool
    num_updates: chex.Array  # [] int32, how often a copy was replaced; with rounds, the round


class TrainState(NamedTuple):
    """Everything that a run is: saving it saves the run, restoring it continues bit for bit."""

    learner: Learner
    best: Variables | None  # under gating the network that plays; without, None
    games: Games
    replay: Replay
    key: chex.PRNGKey
    iteration: chex.Array  # [] int32
    opponent: Opponent | None  # of an algorithm that has one
    parts: dict[str, Any]  # by the name of a part that has a state

    @property
    def actor(self) -> Variables:
        """The variables of the run's agent; in self-play they play where a search does."""
        return self.learner.ema_variables if self.best is None else self.best

    def with_network(self, variables: Variables) -> "TrainState":
        """Returns the state with another network, which learns and plays; the rest is unchanged."""
        learner = self.learner._replace(variables=variables, ema_variables=variables)
        best = None if self.best is None else variables
        opponent = self.opponent
        if opponent is not None:
            copies = jax.tree.map(
                lambda old, new: jnp.broadcast_to(new, old.shape), opponent.variables, variables
            )
            opponent = opponent._replace(variables=copies)
        return self._replace(learner=learner, best=best, opponent=opponent)
