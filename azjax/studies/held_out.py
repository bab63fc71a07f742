"""Accuracy of a study's last networks on held-out positions, at which training does not look."""

import pathlib
from typing import NamedTuple

import jax
from rich.console import Console

from azjax.agents.agent import load_evaluated_agent
from azjax.evaluation import AccuracyCheck, Answers, SolvedPositions
from azjax.runs.storage.answers import pack_answers, unpack_answers
from azjax.studies.answers import Network, StudyAnswers, evaluation_of, network_of
from azjax.studies.progress import counted_steps
from azjax.studies.study import COMMON_SEARCH, NETWORK, Study
from azjax.support.errors import InputError, reading_errors
from azjax.support.files.json_lines import append_json_line, read_json_lines
from azjax.support.files.tables import Row

_FILE = "held_out_answers.jsonl"
_REMEDY = "; delete it to go on without"


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
    with reading_errors(path, _REMEDY):
        found = {row["positions"] for row in _read_rows(path)}
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

    Args:
      study: The study.
      finals: The last evaluation of each run, whose network answers.
      console: Shows progress.
    """
    if study.held_out is None:
        return None
    path, positions = study.path / _FILE, study.held_out
    answers = _read(path, positions)
    missing = [row for row in finals if network_of(row) not in answers]
    total = len(finals)
    with counted_steps(console, "held-out positions", total, total - len(missing)) as advance:
        for row in missing:
            found = _measure(study.agent_name(row), positions)
            study.check_owner()
            append_json_line(path, _line(positions, row, found))
            answers[network_of(row)] = found
            advance()
    return _tabulate(positions, finals, [answers[network_of(row)] for row in finals])


def _measure(agent_name: str, positions: SolvedPositions) -> Answers:
    """Returns an agent's answers, by the search of the study's evaluations and by its network."""
    agent = load_evaluated_agent(agent_name)
    check = AccuracyCheck(agent.search_agent, positions, len(jax.devices()))
    return check.answer(agent.variables)


def _read(path: pathlib.Path, positions: SolvedPositions) -> dict[Network, Answers]:
    """Returns the recorded answers in these positions."""
    with reading_errors(path, _REMEDY):
        return {
            tuple(row["agent"]): unpack_answers(row)
            for row in _read_rows(path)
            if row["positions"] == positions.description
        }


def _read_rows(path: pathlib.Path) -> list[Row]:
    return read_json_lines(path) if path.exists() else []


def _line(positions: SolvedPositions, row: Row, answers: Answers) -> Row:
    agent = network_of(row)
    return {"positions": positions.description, "agent": agent, **pack_answers(answers)}


def _tabulate(positions: SolvedPositions, finals: list[Row], answers: list[Answers]) -> HeldOut:
    names = [evaluation_of(row) for row in finals]
    rows = [
        dict(zip(("cell", "seed", "iteration"), name, strict=True))
        | {COMMON_SEARCH: float(each.search.mean()), NETWORK: float(each.network.mean())}
        for name, each in zip(names, answers, strict=True)
    ]
    sampled = {
        COMMON_SEARCH: dict(zip(names, (each.search for each in answers), strict=True)),
        NETWORK: dict(zip(names, (each.network for each in answers), strict=True)),
    }
    return HeldOut(positions, rows, {} if positions.is_complete else sampled)
