"""Runs a study from its first run to its report, or resumes one that was stopped."""

import shlex
import sys

from rich.console import Console

from azjax.agents.agent import load_agent
from azjax.studies.evaluations import final_evaluations, read_evaluations
from azjax.studies.figures import plot_play_time, plot_study
from azjax.studies.play_time import measure_play_time
from azjax.studies.ratings import rate_agents
from azjax.studies.report import write_report
from azjax.studies.study import Study
from azjax.studies.study_directory import open_study_directory
from azjax.studies.summary import best_of, compare, summarise
from azjax.studies.training import train_study
from azjax.support.session_log import read_sessions, recorded_session
from azjax.support.tables import Row, read_table, write_table


def run_study(study: Study, console: Console) -> None:
    """Trains, rates and times what is missing, and writes tables, figures and the report.

    Args:
      study: The study.
      console: Shows progress.

    Raises:
      InputError: The study's folder holds another study or other files.
      KeyboardInterrupt: A signal asked to stop; its text says how to continue.
      RunError: A run failed before its first evaluation.
    """
    open_study_directory(study)
    try:
        with recorded_session(study.path, shlex.join(["python", *sys.argv]), "scipy"):
            failures = train_study(study, console)
            evaluations = read_evaluations(study)
            finals = _rate(study, final_evaluations(evaluations), console)
            play_time = _time(study, finals, console)
    except KeyboardInterrupt as stop:
        raise KeyboardInterrupt("the study is saved, and the same command continues it") from stop
    _write(study, evaluations, finals, play_time, failures)
    console.print(f"{study.path}/report.md", soft_wrap=True)


def _rate(study: Study, finals: list[Row], console: Console) -> list[Row]:
    """Returns the final evaluations with the ratings of their agents."""
    path = study.path / "final.csv"
    if not path.exists():
        console.print("tournament")
        ratings = rate_agents(study, finals, console)
        write_table(path, [row | rating for row, rating in zip(finals, ratings, strict=True)])
    return read_table(path)


def _time(study: Study, finals: list[Row], console: Console) -> list[Row]:
    """Returns accuracy and seconds of the best network at play time, by search."""
    path = study.path / "play_time.csv"
    if not study.play_time_simulations:
        return []
    if not path.exists():
        console.print("play time")
        best = best_of(finals)
        folder = study.run_path(best["cell"], best["seed"])
        agent = load_agent(f"{folder}@{best['iteration']}", num_simulations=1)
        rows = measure_play_time(
            agent, study.positions, study.play_time_algorithms, study.play_time_simulations
        )
        write_table(path, rows)
    return read_table(path)


def _write(
    study: Study,
    evaluations: list[Row],
    finals: list[Row],
    play_time: list[Row],
    failures: list[str],
) -> None:
    summary, comparisons = summarise(study, finals), compare(study, evaluations, finals)
    write_table(study.path / "curves.csv", evaluations)
    write_table(study.path / "summary.csv", summary)
    write_table(study.path / "comparisons.csv", comparisons)
    figures = study.path / "figures"
    plot_study(study, evaluations, summary, figures)
    if play_time:
        plot_play_time(play_time, figures)
    sessions = read_sessions(study.path)
    write_report(study, sessions, failures, finals, summary, comparisons, play_time)
