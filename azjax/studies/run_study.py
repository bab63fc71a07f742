"""Runs a study from its first run to its report, or resumes one that was stopped."""

import dataclasses
import pathlib
import shlex
import sys
import time
from collections.abc import Sequence
from typing import NamedTuple

from rich.console import Console

from azjax.agents.agent import load_agent
from azjax.runs.storage.run_directory import METRICS
from azjax.studies.answers import NETWORK_COLUMNS, network_name, read_study_answers
from azjax.studies.evaluations import final_evaluations, read_evaluations
from azjax.studies.held_out import HeldOut, check_held_out, measure_held_out
from azjax.studies.own_search import measure_by_own_search
from azjax.studies.play_time import measure_play_time
from azjax.studies.ratings import all_matches_are_level, rate_agents
from azjax.studies.reporting.figures import plot_play_time, plot_study
from azjax.studies.reporting.number_format import training_time
from azjax.studies.reporting.report import Results, write_report
from azjax.studies.reporting.verdict import Lead, describe_verdict, find_leads
from azjax.studies.study import ELO, Study
from azjax.studies.study_directory import open_study_directory
from azjax.studies.summary import compare, results_of, summarize, without_ratings
from azjax.studies.training import train_study
from azjax.support.errors import RunError
from azjax.support.files.claims import Claims, claiming
from azjax.support.files.ownership import Ownership
from azjax.support.files.tables import Row, read_table, write_table
from azjax.support.plurals import count
from azjax.support.provenance.session_log import read_sessions, recorded_session
from azjax.support.slurm_job import submit_this_script

_SECONDS_BETWEEN_POLLS = 2.0  # while another worker reports


class _Measured(NamedTuple):
    """What is reported."""

    evaluations: list[Row]
    finals: list[Row]
    held_out: HeldOut | None
    play_time: list[Row]


def run_study(
    study: Study, console: Console, *, extend: bool = False, slurm: str | None = None
) -> None:
    """Trains, rates and times what is missing, and writes tables, figures and the report.

    Any number of processes may do so at the same time, also on other machines: each trains runs
    that no other one does, and one of them rates, times and writes.

    Args:
      study: The study.
      console: Shows progress.
      extend: Whether its folder holds a smaller study, to which this one adds.
      slurm: Options of sbatch, with which the script is submitted instead, if there are any.

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
        return
    command = shlex.join(["python", *sys.argv])
    console.print(describe_plan(study), highlight=False, markup=False, soft_wrap=True)
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
            _print_verdict(study, _write(study, measured, failures), console)
    console.print(f"{study.path}/report.md", soft_wrap=True)
    if failures:
        raise RunError(f"{count(len(failures), 'run')} failed: {'; '.join(failures)}")


def _print_verdict(study: Study, leads: list[Lead], console: Console) -> None:
    verdict = describe_verdict(leads)[0].replace("**", "")
    for text in (verdict, f"For comparison: {study.positions.baseline}."):
        console.print(text, highlight=False, markup=False, soft_wrap=True)


def _claim_report(study: Study, claims: Claims, before: int | None) -> Ownership | None:
    """Returns the ownership of the study's folder, or None if another worker has reported.

    Args:
      study: The study, whose runs have ended.
      claims: Those of this worker.
      before: When the report had been written as this worker began, if there was one.
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
    report, finals = study.path / "report.md", study.path / "final.csv"
    if not (report.exists() and finals.exists()):
        return False
    reported = {(row["cell"], row["seed"]) for row in read_table(finals)}
    runs = {(cell.name, seed) for cell in study.cells for seed in study.seeds}
    logs = (study.run_path(*run) / METRICS for run in runs)
    return runs <= reported and all(
        log.stat().st_mtime_ns < report.stat().st_mtime_ns for log in logs
    )


def _measure(study: Study, console: Console) -> _Measured:
    """Measures what is missing when all runs have been trained."""
    evaluations = measure_by_own_search(study, read_evaluations(study), console)
    finals = _rate(study, final_evaluations(evaluations), console)
    held_out = measure_held_out(study, finals, console)
    return _Measured(evaluations, finals, held_out, _time(study, finals, console))


def describe_plan(study: Study) -> str:
    """Returns a line: the number and the length of the runs, their evaluation, what follows."""
    limits, num_agents = study.limits, len(study.cells) * study.num_seeds
    search, num_simulations = study.evaluation
    length = str(limits) if limits.minutes is None else training_time(limits.minutes)
    play_time = " and a comparison at play time" if study.play_time_simulations else ""
    return (
        f"{study.name} of {study.preset}: {len(study.cells)} cells x {study.num_seeds} seeds x "
        f"{length} of training, evaluated by {search} with {num_simulations} simulations, then "
        f"a tournament of the {num_agents} agents{play_time}"
    )


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
    is_about = [[row.get(name) for name in columns] for row in rows] == [
        [row[name] for name in columns] for row in wanted
    ]
    return rows if is_about else []


def _write(study: Study, measured: _Measured, failures: list[str]) -> list[Lead]:
    """Writes tables, figures and the report; returns the leads of the verdict."""
    evaluations, finals, held_out, play_time = measured
    answers = read_study_answers(study, evaluations)
    summary = summarize(study, finals, answers, results_of(study, finals))
    comparisons = compare(study, evaluations, finals, answers)
    leads = find_leads(study, finals, answers)
    study.check_owner()
    write_table(study.path / "curves.csv", evaluations)
    write_table(study.path / "summary.csv", summary)
    write_table(study.path / "comparisons.csv", comparisons)
    write_table(study.path / "verdict.csv", [lead._asdict() for lead in leads])
    held_out_table = study.path / "held_out.csv"
    if held_out:
        write_table(held_out_table, held_out.finals)
    else:
        held_out_table.unlink(missing_ok=True)
    study.check_owner()
    figures = study.path / "figures"
    if all_matches_are_level(study, finals):  # then ratings say nothing, and are not shown
        summary, comparisons = without_ratings(summary), without_ratings(comparisons)
    plot_study(study, evaluations, answers, summary, figures)
    if play_time:
        plot_play_time(play_time, figures)
    study.check_owner()  # figures take seconds
    sessions = read_sessions(study.path)
    results = Results(answers, finals, leads, summary, comparisons, held_out, play_time)
    write_report(study, sessions, failures, results)
    return leads
