"""Accuracy of an agent on solved positions, of the network alone and with search; its errors."""

import csv
import dataclasses
import functools
import io
import pathlib
from typing import NamedTuple

import jax
import numpy as np

from azjax.evaluation.players.player import (
    Player,
    SearchAgent,
    choose_actions,
    network_player,
    search_player,
    value_player,
)
from azjax.evaluation.truth.exploitability import (
    LineCounts,
    count_lines,
    exploitability,
    loss_to_exact_play,
    sample_choices,
)
from azjax.evaluation.truth.solved_positions import (
    SolvedPositions,
    accuracy,
    are_best,
    describe_baseline,
)
from azjax.games import Game
from azjax.networks import Variables
from azjax.support.files.atomic_files import write_text_atomically
from azjax.support.plurals import count

_BATCHES = 2  # of samples of a random search
_BATCHES_WITHOUT_LOSS = 12  # where the network alone loses nothing: its run may end


class Answers(NamedTuple):
    """Whether an agent's actions keep the best value in each of P positions."""

    network: np.ndarray  # [P] bool
    search: np.ndarray  # [P] bool


@dataclasses.dataclass(frozen=True)
class Shares:
    """Shares of some positions, in which the moves keep the best value or need not."""

    positions: int
    network: float  # in which the network alone keeps the best value
    search: float  # the same with search
    random: float  # the same of uniform random play, in expectation
    choice_matters: float  # in which some legal move does not keep the best value
    has_actions: bool = dataclasses.field(default=True, kw_only=True)  # False: shares of values

    @property
    def criterion(self) -> str:
        """What is right in these shares of positions: the move, or the value."""
        return "optimal" if self.has_actions else "value right"

    @property
    def baseline(self) -> str:
        """What the accuracies are to be compared with, in words."""
        if not self.has_actions:
            return f"{self.random:.1%} of the same positions have the commonest value"
        return describe_baseline(self.random, self.choice_matters)


@dataclasses.dataclass(frozen=True, repr=False)
class Accuracy(Shares):
    """Result of the check, with the shares of all positions.

    Exploitability and lines are None if the positions are a sample of the game's. The answers are
    None if the positions are all there are: then no interval needs them.
    """

    validation: Shares | None  # of the half that chooses among agents; None if it is empty
    test: Shares  # of the half that reports on an agent that was chosen
    exploitability: float | None  # of the agent with search: 0 is perfect, 1 loses from both seats
    lines: tuple[LineCounts, LineCounts] | None  # by the agent's seat; None too if positions recur
    answers: Answers | None = dataclasses.field(default=None, compare=False)

    def __repr__(self) -> str:
        """Returns the result in one line."""
        guess = "random play" if self.has_actions else "commonest value"
        text = (
            f"{self.criterion} in {self.network:.2%} by network, {self.search:.2%} with search, "
            f"of {count(self.positions, 'position')} ({guess} {self.random:.0%})"
        )
        gain = self.exploitability
        return text if gain is None else f"{text}; exploitability {gain:g}"

    @property
    def is_perfect(self) -> bool:
        """Whether all positions of the game were tested and no error was found."""
        return self.exploitability == 0 and self.network == self.search == 1.0


class Choices(NamedTuple):
    """An agent's actions in P positions, or its values where these have no actions."""

    by_network: np.ndarray  # [P] the network's most likely action
    by_search: np.ndarray  # [P]; of a random search in all positions of a game [S, P] samples

    def take(self, indices: np.ndarray) -> "Choices":
        """Returns the actions in some of the positions, by their indices or by bool[P]."""
        return Choices(self.by_network[indices], self.by_search[..., indices])


class PositionError(NamedTuple):
    """A position in which the network alone, or the search, does not keep the best value."""

    position: str  # as `Game.format_state` writes it
    network: str  # the network's move, in notation like all moves here; or its value in a word
    search: str  # the move with search; of several samples a wrong one, if there is one
    best: str  # the best moves, separated by spaces
    network_is_wrong: bool
    search_is_wrong: bool


@dataclasses.dataclass(frozen=True, eq=False)
class AccuracyCheck:
    """Measures the accuracy of an agent, whose variables may change, and compiles once."""

    agent: SearchAgent
    positions: SolvedPositions
    num_devices: int

    def __call__(self, variables: Variables) -> Accuracy:
        """Returns the accuracy of the agent with these variables."""
        return self.measure(self.choose(variables))

    def choose(self, variables: Variables) -> Choices:
        """Returns the actions of the agent with these variables."""
        agent, positions, num_devices = self.agent, self.positions, self.num_devices
        network = network_player(agent.game, agent.network, variables)
        search = search_player(agent, variables)
        if not positions.has_actions:
            network, search = value_player(network), value_player(search)
        by_network = choose_in(network, positions, num_devices)
        if not (agent.is_random and positions.is_complete):
            return Choices(by_network, choose_in(search, positions, num_devices))
        loss = loss_to_exact_play(agent.game, by_network)
        num_batches = _BATCHES if loss else _BATCHES_WITHOUT_LOSS
        samples = sample_choices(agent.game, search, positions, num_batches, num_devices)
        return Choices(by_network, samples)

    def answer(self, variables: Variables) -> Answers:
        """Returns the answers of the agent with these variables."""
        return self._answer(self.choose(variables))

    def measure(self, choices: Choices) -> Accuracy:
        """Returns the accuracy of an agent that makes these choices."""
        game, positions = self.agent.game, self.positions
        is_complete, chooses = positions.is_complete, positions.in_validation
        halves = [(positions.take(half), choices.take(half)) for half in (chooses, ~chooses)]
        return Accuracy(
            **vars(_measure(positions, choices)),
            validation=_measure(*halves[0]) if chooses.any() else None,
            test=_measure(*halves[1]),
            exploitability=exploitability(game, choices.by_search) if is_complete else None,
            lines=count_lines(game, choices.by_search) if is_complete else None,
            answers=None if is_complete else self._answer(choices),
        )

    def _answer(self, choices: Choices) -> Answers:
        return Answers(*(are_best(self.positions, actions) for actions in choices))


def choose_in(player: Player, positions: SolvedPositions, num_devices: int = 1) -> np.ndarray:
    """Returns [P], the player's moves in solved positions, always with the same keys."""
    keys = jax.random.split(jax.random.key(0), len(positions.is_best))
    return choose_actions(player, positions.states, keys, num_devices)


def find_errors(game: Game, positions: SolvedPositions, choices: Choices) -> list[PositionError]:
    """Returns the errors in the order of the positions."""
    network_is_best = are_best(positions, choices.by_network)
    samples = np.atleast_2d(choices.by_search)
    is_best = are_best(positions, samples)
    search_is_best = np.all(is_best, axis=0)
    by_search = samples[is_best.argmin(axis=0), np.arange(samples.shape[-1])]
    name = functools.partial(positions.format_action, game)
    return [
        PositionError(
            position=game.format_state(positions.take(i).states),
            network=name(int(choices.by_network[i])),
            search=name(int(by_search[i])),
            best=" ".join(map(name, np.flatnonzero(positions.is_best[i]).tolist())),
            network_is_wrong=not network_is_best[i],
            search_is_wrong=not search_is_best[i],
        )
        for i in np.flatnonzero(~(network_is_best & search_is_best)).tolist()
    ]


def write_position_errors(path: pathlib.Path, errors: list[PositionError]) -> None:
    """Writes a CSV file with a row for each error; without errors, the header alone."""
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows([PositionError._fields, *errors])
    write_text_atomically(path, text.getvalue())


def _measure(positions: SolvedPositions, choices: Choices) -> Shares:
    return Shares(
        positions=len(positions.is_best),
        network=accuracy(positions, choices.by_network),
        search=accuracy(positions, choices.by_search),
        random=positions.random,
        choice_matters=positions.choice_matters,
        has_actions=positions.has_actions,
    )
