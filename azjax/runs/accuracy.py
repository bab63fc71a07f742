"""Accuracy of a run's agent against truth: for the network alone, with search, in every line."""

import dataclasses
from typing import Any

from azjax.evaluation import (
    Lines,
    Truth,
    compile_choice,
    count_lines,
    network_player,
    search_player,
    share_correct,
    solved_truth,
)
from azjax.games import Game
from azjax.networks import Network
from azjax.search import SearchConfig, SearchHyperparameters


@dataclasses.dataclass(frozen=True)
class Accuracy:
    """What the check found."""

    positions: int
    network: float  # share of the positions in which the network alone keeps the best value
    search: float  # the same with search
    lines: tuple[Lines, Lines] | None  # by the agent's seat; None where truth is but a sample

    @property
    def is_perfect(self) -> bool:
        """Whether truth is complete and no error was found."""
        no_line_lost = self.lines is not None and not any(lines.lost for lines in self.lines)
        return no_line_lost and self.network == self.search == 1.0


class AccuracyCheck:
    """Measures accuracy, again and again, with functions compiled once."""

    def __init__(
        self,
        game: Game,
        network: Network,
        config: SearchConfig,
        hyperparameters: SearchHyperparameters,
        truth: Truth | None,
        num_devices: int,
    ):
        """Takes the given truth, or the game's whole solution where it is None."""
        self._game = game
        self._is_complete = truth is None
        self._truth = solved_truth(game) if truth is None else truth
        by_network = network_player(game, network, None)
        by_search = search_player(game, network, None, config, hyperparameters)
        self._choose_by_network = compile_choice(by_network, num_devices)
        self._choose_by_search = compile_choice(by_search, num_devices)

    def __call__(self, variables: Any) -> Accuracy:
        """Returns the accuracy of a network with these variables."""
        by_network = self._choose_by_network(variables, self._truth.states)
        by_search = self._choose_by_search(variables, self._truth.states)
        return Accuracy(
            positions=len(by_search),
            network=share_correct(self._truth, by_network),
            search=share_correct(self._truth, by_search),
            lines=count_lines(self._game, by_search) if self._is_complete else None,
        )
