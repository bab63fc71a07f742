"""Everything that a training run is, as one pytree."""

from typing import Any, NamedTuple

import chex
import optax

from azjax.networks import Variables


class Games(NamedTuple):
    """The games that self-play is in the middle of; one that is over gives way at the next move."""

    state: Any  # [B, ...] game states
    age: chex.Array  # [B] int32, moves played by the search since the game's start


class Trajectory(NamedTuple):
    """Moves of games, time-major; values and rewards from the view of who made the move."""

    state: Any  # [T, B, ...] game states before the move
    action_weights: chex.Array  # [T, B, A] float32
    search_value: chex.Array  # [T, B] float32
    reward: chex.Array  # [T, B] float32
    discount: chex.Array  # [T, B] float32, 0 where the move ended the game


class Replay(NamedTuple):
    """The last C moves of each game in flight and of those before it, as a ring."""

    trajectory: Trajectory  # [C, B, ...]
    num_written: chex.Array  # [] int32, moves ever written; the next goes to row num_written % C


class Learner(NamedTuple):
    """The network and what it takes to train it."""

    variables: Variables
    ema_variables: Variables  # the EMA over updates of `variables`; it plays
    optimizer: optax.OptState
    num_updates: chex.Array  # [] int32


class TrainState(NamedTuple):
    """Everything that a run is: saving it saves the run, restoring it continues bit for bit."""

    learner: Learner
    champion: Variables | None  # the network that plays, under gating; else the average does
    games: Games
    replay: Replay
    key: chex.PRNGKey
    iteration: chex.Array  # [] int32

    @property
    def acting(self) -> Variables:
        """The network that plays, in self-play and for who uses the run."""
        return self.learner.ema_variables if self.champion is None else self.champion
