"""Reanalyse: positions of replay are searched again by the newest network.

"Online and Offline Reinforcement Learning by Planning with a Learned Model", Schrittwieser et al.,
NeurIPS 2021.
"""

import dataclasses
from typing import Any

import chex
import jax
import jax.numpy as jnp

from azjax.games import Game, State
from azjax.search import tightest_bounds, unpack_bounds
from azjax.support import prng
from azjax.support.validation import check_size
from azjax.training.collectives import split_over_games
from azjax.training.hooks import Part, TrainConfig, TrainContext
from azjax.training.selfplay import record_search, search_ply
from azjax.training.state import Replay, TrainState


@dataclasses.dataclass(frozen=True)
class Reanalyse(Part):
    """Searches replay again; new values are learnt where `td_lambda` is below 1."""

    name = "reanalyse"

    moves: int = 16
    """Rows of replay, a move of each game, that are searched again in every iteration."""

    def check(self) -> None:
        check_size("moves", self.moves, 1, 2**24)

    def check_fit(self, config: TrainConfig, game: Game) -> None:
        """Raises ValueError unless replay is divided into equal parts, all searched in full."""
        if config.replay_moves % self.moves:
            raise ValueError(
                f"reanalyse.moves={self.moves}: must be a divisor of "
                f"replay_moves={config.replay_moves}"
            )
        for part in config.parts:
            if part.weighs_policy:
                raise ValueError(
                    f"parts: {part.name} does not go with reanalyse, as a move that was searched "
                    "fast has no policy target to replace"
                )

    def reanalyse(
        self, context: TrainContext, state: TrainState, replay: Replay, progress: chex.Numeric
    ) -> Replay:
        """Returns the replay with some of its rows as the search of self-play finds them now.

        What the search gives is replaced. What it has proven stays and is added to. What was played
        is not replaced. Rows that are not written yet are searched to no effect. `state` is the run
        before the iteration.
        """
        moves, variables = replay.trajectory, state.learner.ema_variables
        shape = self.moves, context.config.num_games
        key = prng.named_key(state.key, "reanalyse")
        keys = split_over_games(key, shape, context.axis_name)

        def search_row(row: tuple[State, chex.Array | None, chex.PRNGKey]) -> dict[str, Any]:
            states, bounds, keys = row
            searched = search_ply(context, variables, progress, key, keys, states)
            found = record_search(context, searched.result)
            if bounds is None:
                return found
            bounds = tightest_bounds(bounds, found["records"]["bounds"])
            value = unpack_bounds(bounds).clip(found["search_value"])
            records = found["records"] | {"bounds": bounds}
            return found | {"records": records, "search_value": value}

        first = self._first_row(replay, state.iteration)
        rows = jax.tree.map(
            lambda ring: jax.lax.dynamic_slice_in_dim(ring, first, self.moves),
            (moves.state, moves.records.get("bounds")),
        )
        found = jax.lax.map(search_row, (*rows, keys))
        replaced = {name: getattr(moves, name) for name in found}
        replaced["records"] = {name: moves.records[name] for name in found["records"]}
        replaced = jax.tree.map(
            lambda ring, new: jax.lax.dynamic_update_slice_in_dim(ring, new, first, axis=0),
            replaced,
            found,
        )
        replaced["records"] = moves.records | replaced["records"]
        return replay._replace(trajectory=moves._replace(**replaced))

    def _first_row(self, replay: Replay, iteration: chex.Array) -> chex.Array:
        """Returns [] int32: the first of the rows that an iteration searches.

        They go around the ring against the direction in which it is written, so that they are of
        many ages: in that direction, and as fast as it is written, they would be the newest.
        """
        num_parts = replay.num_rows // self.moves
        return (num_parts - 1 - jnp.int32(iteration) % num_parts) * self.moves
