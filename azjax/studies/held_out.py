"""Accuracy of a study's last networks on held-out positions, at which training does not look."""

import dataclasses
from typing import NamedTuple

import jax
from rich.console import Console

from azjax.agents.agent import load_evaluated_agent
from azjax.evaluation import AccuracyCheck, SolvedPositions
from azjax.studies.answers import (
    Measured,
    StudyAnswers,
    evaluation_of,
    measure_missing,
    read_measured,
)
from azjax.studies.study import COMMON_SEARCH, NETWORK, Study
from azjax.support.errors import InputError
from azjax.support.files.tables import Row

_FILE = "held_out_answers.jsonl"
METRICS = {COMMON_SEARCH: "search", NETWORK: "network"}  # the accuracies, and whose answers


class HeldOut(NamedTuple):
    """The last evaluation of each run on held-out positions."""

    positions: SolvedPositions
    finals: list[Row]  # with the accuracies as columns
    answers: StudyAnswers  # where the positions are sampled


def check_held_out(study: Study) -> None:
    """Checks that what a study's folder has on held-out positions stays in its report.

    Raises:
      InputError: It has answers in other positions than the study's, or the study has none.
    """
    path = study.path / _FILE
    found = {positions for positions, _ in read_measured(path)}
    given = study.held_out.description if study.held_out else None
    if found <= {given}:
        return
    known = " and ".join(sorted(map(str, found)))
    fault = f"--held-out gives others ({given})" if given else "--held-out is missing"
    raise InputError(
        f"{path} has answers in the held-out positions of {known}, but {fault}: give it as "
        "before, or delete that file to go on without"
    )


def measure_held_out(study: Study, finals: list[Row], console: Console) -> HeldOut | None:
    """Returns the accuracies of the last networks, or None without held-out positions.

    Networks that were measured before on the same positions are read from the study's folder.
    """
    positions = study.held_out
    if positions is None:
        return None

    def measure(row: Row) -> Measured:
        return answer_positions(study.agent_name(row), positions)

    measured = measure_missing(study, _FILE, positions, finals, measure, console)
    pairs = list(zip(finals, measured, strict=True))
    rows = [
        {name: row[name] for name in ("cell", "seed", "iteration")}
        | {metric: float(answers[name].mean()) for metric, name in METRICS.items()}
        for row, answers in pairs
    ]
    sampled = {
        metric: {evaluation_of(row): answers[name] for row, answers in pairs}
        for metric, name in METRICS.items()
    }
    return HeldOut(positions, rows, {} if positions.is_complete else sampled)


def answer_positions(
    agent_name: str, positions: SolvedPositions, num_simulations: int | None = None
) -> Measured:
    """Returns an agent's answers, by the search of the study's evaluations and by its network.

    The search has its own number of simulations, unless another one is given.
    """
    agent = load_evaluated_agent(agent_name)
    searching = agent.search_agent
    if num_simulations is not None:
        search = dataclasses.replace(searching.search_config, num_simulations=num_simulations)
        searching = dataclasses.replace(searching, search_config=search)
    check = AccuracyCheck(searching, positions, len(jax.devices()))
    return check.answer(agent.variables)._asdict()
