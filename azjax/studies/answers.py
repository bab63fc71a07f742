"""The answers of a study's networks: right or wrong in each position.

Training records the answers of its evaluations, where positions are sampled. A study records the
answers that it measures itself in files of its folder, a line of JSON for each network.
"""

import pathlib
from collections.abc import Callable, Mapping, Sequence

import jax
import numpy as np
from rich.console import Console

from azjax.agents.agent import load_agent
from azjax.evaluation import SolvedPositions, are_best, choose_in
from azjax.runs.storage.answers import pack, read_answers, unpack
from azjax.runs.storage.checkpoints import saved_iterations
from azjax.runs.storage.run_folders import open_run
from azjax.studies.study import COMMON_SEARCH, NETWORK, OWN_SEARCH, TRAINING_SEARCH, Study
from azjax.support.errors import reading_errors
from azjax.support.files.json_lines import append_json_line, read_json_lines
from azjax.support.files.tables import Row

Evaluation = tuple[str, int, int]  # the cell, the seed and the iteration
# What identifies the network of an evaluation. A run that failed and began again has other
# accuracies.
NETWORK_COLUMNS = ("cell", "seed", "iteration", COMMON_SEARCH, NETWORK)
Network = tuple[str, int, int, float, float]

# For each accuracy the bool[P] of every evaluation: whether the agent kept each position's value.
StudyAnswers = Mapping[str, Mapping[Evaluation, np.ndarray]]
Measured = dict[str, np.ndarray]  # bool[P] by the search and by the network, or by one of them

OWN_SEARCH_FILE = "own_search.jsonl"


def read_study_answers(study: Study, evaluations: list[Row]) -> StudyAnswers:
    """Returns the answers of a study's evaluations, by accuracy.

    An accuracy is left out if the positions are not sampled, or if the answers of one of its
    evaluations are not recorded: older versions did not.

    Args:
      study: The study.
      evaluations: With the accuracies of `study.accuracies`; None where there is none.
    """
    if study.positions.is_complete:
        return {}
    found: dict[str, dict[Evaluation, np.ndarray]] = {COMMON_SEARCH: {}, NETWORK: {}}
    for cell in study.cells:
        for seed in study.seeds:
            run = open_run(study.run_path(cell.name, seed))
            for iteration, answers in read_answers(run.answers).items():
                found[COMMON_SEARCH][cell.name, seed, iteration] = answers.search
                found[NETWORK][cell.name, seed, iteration] = answers.network
    common = study.evaluated_by_own_search
    own = {name: answers for name, answers in found[COMMON_SEARCH].items() if name[0] in common}
    measured = read_measured(study.path / OWN_SEARCH_FILE)
    for row in evaluations:
        key = study.positions.description, network_of(row)
        if row["cell"] not in common and key in measured:
            own[evaluation_of(row)] = measured[key]["search"]
    found[OWN_SEARCH] = own
    names = {
        metric: [evaluation_of(row) for row in evaluations if row[metric] is not None]
        for metric in study.accuracies
    }
    return {
        metric: found[metric]
        for metric, of_metric in names.items()
        if all(name in found[metric] for name in of_metric)
        and len({len(found[metric][name]) for name in of_metric}) == 1
    }


def read_measured(path: pathlib.Path) -> dict[tuple[str, Network], Measured]:
    """Returns the answers that a file records, by the description of the positions and by network.

    Raises:
      InputError: The file cannot be read, or is damaged.
    """
    if not path.exists():
        return {}
    with reading_errors(path, "; delete it to go on without"):
        return {
            (row["positions"], tuple(row["agent"])): {
                name: unpack(row[name]) for name in ("search", "network") if name in row
            }
            for row in read_json_lines(path)
        }


def measure_missing(
    study: Study,
    file_name: str,
    positions: SolvedPositions,
    rows: Sequence[Row],
    measure: Callable[[Row], Measured],
    console: Console,
) -> list[Measured]:
    """Returns the answers of the networks of some evaluations in positions.

    A file of the study's folder records those that were measured before, and the missing ones.
    """
    path = study.path / file_name
    known, keys = read_measured(path), [(positions.description, network_of(row)) for row in rows]
    missing = [(key, row) for key, row in zip(keys, rows, strict=True) if key not in known]
    advance = counted_steps(console, path.stem, len(rows), len(rows) - len(missing))
    for key, row in missing:
        known[key] = measure(row)
        study.check_owner()
        line = dict(zip(("positions", "agent"), key, strict=True))
        append_json_line(path, line | {name: pack(bits) for name, bits in known[key].items()})
        advance()
    return [known[key] for key in keys]


def scores_of(rows: Sequence[Row], result: str, answers: StudyAnswers) -> np.ndarray:
    """Returns [rows] results, or [rows, P] where positions are sampled and their answers known."""
    if result in answers:
        return np.array([answers[result][evaluation_of(row)] for row in rows], float)
    return np.array([row[result] for row in rows], float)


def evaluation_of(row: Row) -> Evaluation:
    """Returns what names an evaluation in a study."""
    return row["cell"], row["seed"], row["iteration"]


def network_of(row: Row) -> Network:
    """Returns what identifies the network of an evaluation."""
    return *evaluation_of(row), row[COMMON_SEARCH], row[NETWORK]


def network_name(row: Row) -> str:
    """Returns `network_of` as a text, for files."""
    cell, seed, iteration, search, network = network_of(row)
    return f"{cell}/seed={seed}@{iteration} {search:.2%} {network:.2%}"


def counted_steps(console: Console, name: str, total: int, done: int = 0) -> Callable[[], None]:
    """Returns what to call after each step of a task, to print a line at each tenth."""

    def print_count() -> None:
        console.print(f"{name}: {done} of {total}", highlight=False, soft_wrap=True)

    def advance() -> None:
        nonlocal done
        done += 1
        if 10 * done // total > 10 * (done - 1) // total:
            print_count()

    if done < total:
        print_count()
    return advance


def measure_by_own_search(study: Study, evaluations: list[Row], console: Console) -> list[Row]:
    """Returns the evaluations with the accuracy of the same networks by their agent's own search.

    Where that is the common search, it is copied. An evaluation whose network is not kept has None.
    """
    if OWN_SEARCH not in study.accuracies:
        return evaluations
    common = study.evaluated_by_own_search
    rows = [
        row | {OWN_SEARCH: row[COMMON_SEARCH] if row["cell"] in common else None}
        for row in evaluations
    ]
    kept = {
        (cell, seed): set(saved_iterations(open_run(study.run_path(cell, seed)).history))
        for cell, seed in dict.fromkeys((row["cell"], row["seed"]) for row in rows)
        if cell not in common
    }
    wanted = [row for row in rows if row["iteration"] in kept.get((row["cell"], row["seed"]), ())]

    def measure(row: Row) -> Measured:
        return _measure(study, row, study.evaluation[1])

    answers = measure_missing(study, OWN_SEARCH_FILE, study.positions, wanted, measure, console)
    for row, measured in zip(wanted, answers, strict=True):
        row[OWN_SEARCH] = float(measured["search"].mean())
    return rows


def measure_by_training_search(
    study: Study, finals: list[Row], console: Console
) -> tuple[list[Row], StudyAnswers]:
    """Returns last evaluations with the accuracy by the search of training, and the answers.

    There are none where training has as many simulations as the evaluation in all cells.
    """
    sizes = {cell.name: cell.config.train.search.num_simulations for cell in study.cells}
    if set(sizes.values()) == {study.evaluation[1]}:
        return finals, {}

    def measure(row: Row) -> Measured:
        return _measure(study, row, sizes[row["cell"]])

    file = f"{TRAINING_SEARCH}.jsonl"
    measured = measure_missing(study, file, study.positions, finals, measure, console)
    pairs = list(zip(finals, measured, strict=True))
    rows = [row | {TRAINING_SEARCH: float(own["search"].mean())} for row, own in pairs]
    answers = {evaluation_of(row): own["search"] for row, own in pairs}
    return rows, {} if study.positions.is_complete else {TRAINING_SEARCH: answers}


def _measure(study: Study, row: Row, num_simulations: int) -> Measured:
    """Returns the answers by the agent's own search, with the keys of the evaluations."""
    player = load_agent(study.agent_name(row), num_simulations).player()
    chosen = choose_in(player, study.positions, len(jax.devices()))
    return {"search": are_best(study.positions, chosen)}
