"""The positions in which an agent errs, as a table for people and for pandas."""

import csv
import dataclasses
import functools
import io
import pathlib

import jax
import numpy as np

from azjax.evaluation.truth.accuracy_check import Choices
from azjax.evaluation.truth.solved_positions import SolvedPositions, are_best
from azjax.games import Game, State
from azjax.support.files.atomic_files import write_text_atomically


@dataclasses.dataclass(frozen=True)
class PositionError:
    """A position in which the network alone, or the search, does not keep the best value."""

    position: str  # as `Game.format_state` writes it
    network: str  # the network's move, in notation like all moves here; or its value in a word
    search: str  # the move with search; of several samples a wrong one, if there is one
    best: str  # the best moves, separated by spaces
    network_is_wrong: bool
    search_is_wrong: bool


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
            position=game.format_state(_select(positions.states, i)),
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
    columns = [field.name for field in dataclasses.fields(PositionError)]
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(dataclasses.asdict(error) for error in errors)
    write_text_atomically(path, text.getvalue())


def _select(states: State, i: int) -> State:
    return jax.tree.map(lambda x: np.asarray(x)[i], states)
