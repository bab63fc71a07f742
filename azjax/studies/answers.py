"""The answers of a study's evaluations, where positions are sampled: right or wrong in each."""

from collections.abc import Mapping, Sequence

import numpy as np

from azjax.runs.storage.answers import pack, read_answers, unpack
from azjax.runs.storage.run_folders import open_run
from azjax.studies.study import COMMON_SEARCH, NETWORK, OWN_SEARCH, Study
from azjax.support.errors import reading_errors
from azjax.support.files.json_lines import read_json_lines, write_json_lines
from azjax.support.files.tables import Row

Evaluation = tuple[str, int, int]  # the cell, the seed and the iteration
# What identifies the network of an evaluation. A run that failed and began again has other
# accuracies.
NETWORK_COLUMNS = ("cell", "seed", "iteration", COMMON_SEARCH, NETWORK)
Network = tuple[str, int, int, float, float]

# For each accuracy the bool[P] of every evaluation: whether the agent kept each position's value.
StudyAnswers = Mapping[str, Mapping[Evaluation, np.ndarray]]

_OWN_SEARCH_FILE = "own_search_answers.jsonl"


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
    found = _read_of_runs(study)
    if OWN_SEARCH in study.accuracies:
        found[OWN_SEARCH] = _find_own_search(study, evaluations, found[COMMON_SEARCH])
    measured = {
        metric: [evaluation_of(row) for row in evaluations if row[metric] is not None]
        for metric in study.accuracies
    }
    return {
        metric: found[metric]
        for metric, names in measured.items()
        if all(name in found[metric] for name in names)
        and len({len(found[metric][name]) for name in names}) == 1
    }


def read_own_search(study: Study) -> dict[Network, np.ndarray]:
    """Returns the recorded answers of networks by their agents' own search.

    Raises:
      InputError: Their file cannot be read, or is damaged.
    """
    path = study.path / _OWN_SEARCH_FILE
    if not path.exists():
        return {}
    with reading_errors(path, "; delete it to go on without"):
        return {tuple(row["network"]): unpack(row["answers"]) for row in read_json_lines(path)}


def write_own_search(study: Study, answers: Mapping[Network, np.ndarray]) -> None:
    """Records the answers of networks by their agents' own search, where positions are sampled."""
    if study.positions.is_complete:
        return
    rows = [{"network": name, "answers": pack(is_right)} for name, is_right in answers.items()]
    write_json_lines(study.path / _OWN_SEARCH_FILE, rows)


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


def _read_of_runs(study: Study) -> dict[str, dict[Evaluation, np.ndarray]]:
    """Returns the answers that training recorded."""
    found: dict[str, dict[Evaluation, np.ndarray]] = {COMMON_SEARCH: {}, NETWORK: {}}
    for cell in study.cells:
        for seed in study.seeds:
            run = open_run(study.run_path(cell.name, seed))
            for iteration, answers in read_answers(run.answers).items():
                found[COMMON_SEARCH][cell.name, seed, iteration] = answers.search
                found[NETWORK][cell.name, seed, iteration] = answers.network
    return found


def _find_own_search(
    study: Study, evaluations: list[Row], by_common: dict[Evaluation, np.ndarray]
) -> dict[Evaluation, np.ndarray]:
    """Returns the answers by own search, which for some cells is the common one."""
    common = study.evaluated_by_own_search
    found = {name: answers for name, answers in by_common.items() if name[0] in common}
    recorded = read_own_search(study)
    for row in evaluations:
        if row["cell"] not in common and network_of(row) in recorded:
            found[evaluation_of(row)] = recorded[network_of(row)]
    return found
