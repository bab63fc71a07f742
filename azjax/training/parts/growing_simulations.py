"""The number of simulations grows with the run."""

import dataclasses
import functools
from collections.abc import Callable

import jax
import jax.numpy as jnp

from azjax.games import Game
from azjax.search import Search
from azjax.support.validation import check_size
from azjax.training.hooks import Part, Ply, TrainConfig, TrainContext
from azjax.training.state import Searched


@dataclasses.dataclass(frozen=True)
class GrowingSimulations(Part):
    """Simulations that double in equal shares of the run's length."""

    name = "growing_simulations"

    initial: int = 2
    """Simulations at the start of a run; they end as search.num_simulations."""

    def check(self) -> None:
        check_size("initial", self.initial, 1, 2**20)

    def check_fit(self, config: TrainConfig, game: Game) -> None:
        """Raises ValueError unless doubling leads to the simulations of the search."""
        last = config.search.num_simulations
        if self.initial << (self._num_stages(last) - 1) != last:
            raise ValueError(
                f"growing_simulations.initial={self.initial}: must be "
                f"search.num_simulations={last} divided by a power of 2"
            )

    def search(
        self, context: TrainContext, ply: Ply, inner: Callable[[Search], Searched], config: Search
    ) -> Searched:
        """Searches a ply with the simulations of the share of the run that is done."""
        num_stages = self._num_stages(config.num_simulations)
        stages = [
            functools.partial(inner, dataclasses.replace(config, num_simulations=self.initial << i))
            for i in range(num_stages)
        ]
        stage = jnp.minimum(jnp.int32(ply.progress * num_stages), num_stages - 1)
        return jax.lax.switch(stage, stages)

    def _num_stages(self, last: int) -> int:
        return max((last // self.initial).bit_length(), 1)
