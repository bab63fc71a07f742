"""Accuracy of an agent on solved positions: of the network alone, with search, in every line."""

import dataclasses
from typing import NamedTuple

import jax
import numpy as np

from azjax.evaluation.best_response import exploitability
from azjax.evaluation.choices import choose_actions
from azjax.evaluation.line_counts import LineCounts, count_lines
from azjax.evaluation.players import Player, SearchAgent, network_player, search_player
from azjax.evaluation.solved_positions import SolvedPositions, accuracy
from azjax.games import Game
from azjax.networks import Variables
from azjax.support.plurals import count


@dataclasses.dataclass(frozen=True, repr=False)
class Accuracy:
    """Result of the check; the last two are None if the positions are a sample of the game's."""

    positions: int
    network: float  # share of the positions in which the network alone keeps the best value
    search: float  # the same with search
    exploitability: float | None  # of the agent with search: 0 is perfect, 1 loses from both seats
    lines: tuple[LineCounts, LineCounts] | None  # by the agent's seat; None too if positions recur

    def __repr__(self) -> str:
        """Returns the result in one line."""
        text = (
            f"optimal in {self.network:.2%} by network, {self.search:.2%} with search, "
            f"of {count(self.positions, 'position')}"
        )
        if self.exploitability is None:
            return text
        return f"{text}; exploitability {self.exploitability:g}"

    @property
    def is_perfect(self) -> bool:
        """Whether all positions of the game were tested and no error was found."""
        return self.exploitability == 0 and self.network == self.search == 1.0


class Choices(NamedTuple):
    """An agent's actions in P positions."""

    by_network: np.ndarray  # [P] the network's most likely action
    by_search: np.ndarray  # [P]


class AccuracyCheck:
    """Measures the accuracy of an agent, whose variables may change, and compiles once."""

    def __init__(self, agent: SearchAgent, positions: SolvedPositions, num_devices: int):
        self._agent = agent
        self._positions = positions
        self._num_devices = num_devices

    def __call__(self, variables: Variables) -> Accuracy:
        """Returns the accuracy of the agent with these variables."""
        return self.measure(self.choose(variables))

    def choose(self, variables: Variables) -> Choices:
        """Returns the actions of the agent with these variables."""
        network = network_player(self._agent.game, self._agent.network, variables)
        return Choices(self._choose(network), self._choose(search_player(self._agent, variables)))

    def measure(self, choices: Choices) -> Accuracy:
        """Returns the accuracy of an agent that makes these choices."""
        game, is_complete = self._agent.game, self._positions.is_complete
        return Accuracy(
            positions=len(choices.by_search),
            network=accuracy(self._positions, choices.by_network),
            search=accuracy(self._positions, choices.by_search),
            exploitability=exploitability(game, choices.by_search) if is_complete else None,
            lines=count_lines(game, choices.by_search) if is_complete else None,
        )

    def _choose(self, player: Player) -> np.ndarray:
        keys = jax.random.split(jax.random.key(0), len(self._positions.is_best))
        return choose_actions(player, self._positions.states, keys, self._num_devices)


def uniform_accuracy(game: Game, positions: SolvedPositions) -> float:
    """Returns the expected accuracy of uniform random play: the mean share of best moves."""
    is_legal = np.asarray(jax.jit(jax.vmap(game.legal_action_mask))(positions.states))
    return float((positions.is_best.sum(axis=1) / is_legal.sum(axis=1)).mean())
