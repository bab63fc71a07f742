"""Accuracy of an agent on solved positions: of the network alone, with search, in every line."""

import dataclasses

import jax
import numpy as np

from azjax.evaluation import (
    LineCounts,
    Player,
    SolvedPositions,
    accuracy,
    choose_actions,
    count_lines,
    exploitability,
    network_player,
    search_player,
)
from azjax.games import Game
from azjax.networks import Network, Variables
from azjax.search import SearchConfig, SearchHyperparameters


@dataclasses.dataclass(frozen=True)
class Accuracy:
    """Result of the check; the last two are None if the positions are a sample of the game's."""

    positions: int
    network: float  # share of the positions in which the network alone keeps the best value
    search: float  # the same with search
    exploitability: float | None  # of the agent with search: 0 is perfect, 1 loses from both seats
    lines: tuple[LineCounts, LineCounts] | None  # by the agent's seat; None too if positions recur

    @property
    def is_perfect(self) -> bool:
        """Whether all positions of the game were tested and no error was found."""
        return self.exploitability == 0 and self.network == self.search == 1.0


class AccuracyCheck:
    """Measures the accuracy of one network after another, with functions compiled once."""

    def __init__(
        self,
        game: Game,
        network: Network,
        config: SearchConfig,
        hyperparameters: SearchHyperparameters,
        positions: SolvedPositions,
        num_devices: int,
    ):
        self._game, self._network = game, network
        self._search, self._hyperparameters = config, hyperparameters
        self._positions = positions
        self._num_devices = num_devices

    def __call__(self, variables: Variables) -> Accuracy:
        """Returns the accuracy of a network with these variables."""
        game, network = self._game, self._network
        by_network = self._choose(network_player(game, network, variables))
        by_search = self._choose(
            search_player(game, network, variables, self._search, self._hyperparameters)
        )
        return Accuracy(
            positions=len(by_search),
            network=accuracy(self._positions, by_network),
            search=accuracy(self._positions, by_search),
            exploitability=exploitability(game, by_search) if self._positions.is_complete else None,
            lines=count_lines(game, by_search) if self._positions.is_complete else None,
        )

    def _choose(self, player: Player) -> np.ndarray:
        keys = jax.random.split(jax.random.key(0), len(self._positions.is_best))
        return choose_actions(player, self._positions.states, keys, self._num_devices)
