"""Runs a study from its first run to its report, or resumes one that was stopped."""

import dataclasses
import pathlib
import shlex
import sys
import time
from collections.abc import Sequence

from rich.console import Console

from azjax.agents.agent import load_agent
from azjax.runs.storage.run_directory import METRICS
from azjax.studies.answers import (
    NETWORK_COLUMNS,
    StudyAnswers,
    measure_by_own_search,
    measure_by_training_search,
    network_name,
    read_study_answers,
)
from azjax.studies.curves import final_evaluations, read_evaluations
from azjax.studies.figures import plot_study
from azjax.studies.held_out import HeldOut, check_held_out, measure_held_out
from azjax.studies.iteration_seconds import with_timed_seconds
from azjax.studies.play_time import measure_play_time
from azjax.studies.ratings import rate_agents
from azjax.studies.report import Results, write_report
from azjax.studies.study import ELO, Study
from azjax.studies.study_directory import open_study_directory
from azjax.studies.summary import compare, results_of, summarize
from azjax.studies.training import train_study
from azjax.studies.verdict import Lead, describe_verdict, find_leads
from azjax.support.errors import RunError
from azjax.support.files.claims import Claims, claiming
from azjax.support.files.ownership import Ownership
from azjax.support.files.tables import Row, read_table, write_table
from azjax.support.plurals import count
from azjax.support.provenance.session_log import read_sessions, recorded_session
from azjax.support.slurm_job import submit_this_script

_SECONDS_BETWEEN_POLLS = 2.0  # while another worker reports

Measured = tuple[list[Row], list[Row], StudyAnswers, HeldOut | None, list[Row]]
"""Evaluations, final ones, their answers by searches as in training, held-out ones, play time."""


def run_study(
    study: Study, console: Console, *, extend: bool = False, slurm: str | None = None
) -> bool:
    """Trains, rates and times what is missing, and writes tables, figures and the report.

    Any number of processes may do so at the same time, also on other machines: each trains runs
    that no other one does, and one of them rates, times and writes.

    Args:
      study: The study.
      console: Shows progress.
      extend: Whether its folder holds a smaller study, to which this one adds.
      slurm: Options of sbatch, with which the script is submitted instead, if there are any.

    Returns:
      Whether this process has written the report.

    Raises:
      InputError: The study's folder holds another study or other files, or none to extend, or
        answers in other held-out positions; or SLURM does not take the job.
      KeyboardInterrupt: A signal asked to stop; its text says how to continue.
      RunError: A run failed. The report, in which its last evaluation counts, is written first,
        unless the run failed before its first evaluation.
    """
    check_held_out(study)
    open_study_directory(study, extend=extend)
    if slurm is not None:
        console.print(submit_this_script(slurm, study.path), soft_wrap=True)
        return False
    command = shlex.join(["python", *sys.argv])
    console.print(_describe_plan(study), highlight=False, markup=False, soft_wrap=True)
    before = _report_time(study)
    with claiming() as claims:
        try:
            with recorded_session(study.path, command, "scipy"):
                failures = train_study(study, console)
                owner = _claim_report(study, claims, before)
                if owner:
                    study = dataclasses.replace(study, owner=owner)
                    measured = _measure(study, console)
        except KeyboardInterrupt as stop:
            again = f"the study is saved; the same command continues it: {command}"
            raise KeyboardInterrupt(again) from stop
        if owner:
            verdict = describe_verdict(_write(study, measured, failures))[0].replace("**", "")
            for text in (verdict, f"For comparison: {study.positions.baseline}."):
                console.print(text, highlight=False, markup=False, soft_wrap=True)
    console.print(f"{study.path}/report.md", soft_wrap=True)
    if failures:
        raise RunError(f"{count(len(failures), 'run')} failed: {'; '.join(failures)}")
    return owner is not None


def _describe_plan(study: Study) -> str:
    """Returns a line: the number and the length of the runs, their evaluation, what follows."""
    search, num_simulations = study.evaluation
    play_time = " and a comparison at play time" if study.play_time_simulations else ""
    return (
        f"{study.name} of {study.preset}: {len(study.cells)} cells x {study.num_seeds} seeds x "
        f"{study.lengths} of training, evaluated by {search} with {num_simulations} simulations, "
        f"then a tournament{play_time}"
    )


def _claim_report(study: Study, claims: Claims, before: int | None) -> Ownership | None:
    """Returns the ownership of the study's folder, or None if another worker has reported.

    It is called when the runs have ended, with the time of the report as this worker began.
    """

    def is_new() -> bool:
        return _report_time(study) != before and _is_reported(study)

    while not is_new():
        if owner := claims.claim(study.path):
            if not is_new():
                return owner
            claims.release(study.path)
        else:
            time.sleep(_SECONDS_BETWEEN_POLLS)
    return None


def _report_time(study: Study) -> int | None:
    """Returns when the report was written, by the clock of the disk, or None if there is none."""
    report = study.path / "report.md"
    return report.stat().st_mtime_ns if report.exists() else None


def _is_reported(study: Study) -> bool:
    """Tells whether there is a report of every run, newer than all of them."""
    written, finals = _report_time(study), study.path / "final.csv"
    if written is None or not finals.exists():
        return False
    reported = {(row["cell"], row["seed"]) for row in read_table(finals)}
    runs = {(cell.name, seed) for cell in study.cells for seed in study.seeds}
    logs = (study.run_path(*run) / METRICS for run in runs)
    return runs <= reported and all(log.stat().st_mtime_ns < written for log in logs)


def _measure(study: Study, console: Console) -> Measured:
    """Measures what is missing when all runs have been trained."""
    evaluations = with_timed_seconds(study, read_evaluations(study), console)
    evaluations = measure_by_own_search(study, evaluations, console)
    finals = _rate(study, final_evaluations(evaluations), console)
    held_out = measure_held_out(study, finals, console)
    play_time = _time(study, finals, console)
    return evaluations, *measure_by_training_search(study, finals, console), held_out, play_time


def _rate(study: Study, finals: list[Row], console: Console) -> list[Row]:
    """Returns the final evaluations with the ratings of their agents."""
    path = study.path / "final.csv"
    ratings = [
        {name: row[name] for name in (ELO, "score")}
        for row in _read_if_about(finals, NETWORK_COLUMNS, path)
    ] or rate_agents(study, finals, console)
    rated = [row | rating for row, rating in zip(finals, ratings, strict=True)]
    study.check_owner()
    write_table(path, rated)
    return rated


def _time(study: Study, finals: list[Row], console: Console) -> list[Row]:
    """Returns accuracy and seconds at play time, by search, of the study's play-time networks."""
    if not study.play_time_simulations:
        return []
    path = study.path / "play_time.csv"
    players = [row for row in finals if row["cell"] in study.play_time_cells]
    networks = ", ".join(map(network_name, players))
    wanted = [
        {"networks": networks, "num_simulations": n, "search": name}
        for n in study.play_time_simulations
        for name in study.searches
    ]
    rows = _read_if_about(wanted, ("networks", "num_simulations", "search"), path)
    if not rows:
        agents = [load_agent(study.agent_name(row)) for row in players]
        measured = measure_play_time(
            agents, study.positions, study.searches, study.play_time_simulations, console
        )
        rows = [{"networks": networks, **row} for row in measured]
        study.check_owner()
        write_table(path, rows)
    return rows


def _read_if_about(wanted: list[Row], columns: Sequence[str], path: pathlib.Path) -> list[Row]:
    """Returns a table of an earlier session if these columns are as wanted, or no rows."""
    rows = read_table(path) if path.exists() else []
    found, expected = ([[row.get(x) for x in columns] for row in table] for table in (rows, wanted))
    return rows if found == expected else []


def _write(study: Study, measured: Measured, failures: list[str]) -> list[Lead]:
    """Writes tables, figures and the report; returns the leads of the verdict."""
    evaluations, finals, training_answers, held_out, play_time = measured
    answers = {**read_study_answers(study, evaluations), **training_answers}
    summary = summarize(study, finals, answers, results_of(study, finals))
    comparisons = compare(study, evaluations, finals, answers)
    leads = find_leads(study, finals, answers)
    tables = {
        "curves": evaluations,
        "summary": summary,
        "comparisons": comparisons,
        "verdict": [lead._asdict() for lead in leads],
        "held_out": held_out.finals if held_out else [],
    }
    study.check_owner()
    for name, rows in tables.items():
        path = study.path / f"{name}.csv"
        write_table(path, rows) if rows else path.unlink(missing_ok=True)
    plot_study(study, evaluations, answers, finals, summary, study.path / "figures")
    study.check_owner()  # figures take seconds
    sessions = read_sessions(study.path)
    results = Results(answers, finals, leads, summary, comparisons, held_out, play_time)
    write_report(study, sessions, failures, results)
    return leads
