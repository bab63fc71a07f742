"""The results that `azjax train` prints."""

import pathlib
import statistics

import numpy as np

from azjax.cli.output import add_accuracy, console, make_table
from azjax.cli.train.hints import how_to_resume, next_commands, resume_command
from azjax.cli.train.options import TrainOptions, TrainRequest
from azjax.evaluation import Accuracy, SolvedPositions, estimate_share
from azjax.runs.evaluation.endings import ENDING_TEXTS, Ending, why_ended
from azjax.runs.reporting.learning_curves import plot_population
from azjax.runs.resuming import describe_changes
from azjax.runs.session import Outcome
from azjax.runs.storage.run_description import commits_of, read_description
from azjax.runs.storage.run_directory import RunDirectory
from azjax.support.files.tables import Row


def print_changes(runs: list[RunDirectory], positions: SolvedPositions | None) -> None:
    """Prints what changes for runs that go on: a line for all that change alike."""
    for line in dict.fromkeys(line for run in runs for line in describe_changes(run, positions)):
        console.print(line, highlight=False, soft_wrap=True)


def print_how_to_resume(request: TrainRequest, outcomes: dict[RunDirectory, Outcome]) -> None:
    """Prints the command that continues interrupted runs."""
    rows = [outcome.rows[-1] for outcome in outcomes.values() if outcome.rows]
    reached = max((row["iteration"] for row in rows), default=0)
    done = f"and saved at iteration {reached}" if reached else "before the first iteration"
    console.print(f"Stopped {done}. Continue with: {how_to_resume(request)}", soft_wrap=True)


def print_finished(request: TrainRequest, endings: dict[RunDirectory, Ending]) -> None:
    """Prints that nothing is left to do for runs that have reached an end or their limit."""
    num_perfect = list(endings.values()).count("perfect")
    num_limited = list(endings.values()).count("limit")
    text = f"{request.folder}: all {len(endings)} runs are finished, {num_perfect} of them perfect"
    if len(endings) == 1:
        [ending] = endings.values()
        text = f"{request.folder}: nothing is left to do: {ENDING_TEXTS[ending]}"
        if num_perfect:
            text += "; train another run with --no-stop-when-perfect to go on"
    if num_limited:
        limits = next(iter(endings)).limits
        command = resume_command(request)
        flag = "--minutes" if limits.minutes is not None else "--iterations"
        text += f". To go on beyond {limits} in all: {command} {flag} N"
    console.print(text, highlight=False, soft_wrap=True)


def print_outcome(
    run: RunDirectory, options: TrainOptions, outcome: Outcome, seconds: float
) -> None:
    """Prints the results of a single run, and the commands to try next.

    Args:
      run: The run.
      options: The options of the command.
      outcome: The run's outcome.
      seconds: The wall-clock time of this session.
    """
    last = outcome.rows[-1]
    table = make_table(run.title)
    table.add_row("iterations", f"{last['iteration']:,}")
    table.add_row("positions played", f"{last['positions']:,}")
    table.add_row("training time of all sessions", f"{outcome.seconds:.1f} s")
    table.add_row("wall-clock time of this session", f"{seconds:.1f} s")
    if ending := why_ended(run, last):
        table.add_row("ended because", ENDING_TEXTS[ending])
    table.add_row("simulations per second", f"{_median_rate(outcome.rows):,.0f} (median)")
    table.add_row("distinct positions", f"{last['distinct_positions']:.1%}")
    table.add_row("replay ratio", f"{last['replay_ratio']:.2f}")
    if outcome.accuracy:
        add_accuracy(table, outcome.accuracy, run.config.evaluation_simulations)
    table.add_row("trained by commit", commits_of(read_description(run.path)))
    if run.init_from:
        table.add_row("begun from", str(run.init_from))
    table.add_row("run", str(run.path))
    table.add_row("curves", str(run.curves))
    console.print(table)
    console.print("Next:", *next_commands(run, options, outcome), sep="\n  ", soft_wrap=True)


def print_outcomes(
    folder: pathlib.Path, outcomes: dict[RunDirectory, Outcome], seconds: float
) -> None:
    """Prints the results of several runs, and their means over seeds; plots their curves."""
    measured = (outcome.accuracy for outcome in outcomes.values() if outcome.accuracy)
    right = next((accuracy.criterion for accuracy in measured), "optimal")
    table = make_table(
        f"{folder}: {len(outcomes)} runs in {seconds:.1f} s",
        *("iterations", "training time", f"{right}, network", f"{right}, search"),
    )
    baselines: list[str] = []  # the same for all runs: they are measured on the same positions
    for run, outcome in outcomes.items():
        if outcome.error:
            table.add_row(run.path.name, "failed")
            continue
        found = outcome.accuracy
        baselines += [found.baseline] if found else []
        shares = (f"{found.network:.2%}", f"{found.search:.2%}") if found else ()
        iterations = f"{outcome.rows[-1]['iteration']:,}"
        table.add_row(run.path.name, iterations, f"{outcome.seconds:.1f} s", *shares)
    console.print(table)
    for agent in dict.fromkeys(run.init_from for run in outcomes if run.init_from):
        console.print(f"begun from {agent}", highlight=False, soft_wrap=True)
    for baseline in dict.fromkeys(baselines):
        console.print(f"{right}: {baseline}", highlight=False, soft_wrap=True)
    settings = _by_setting(outcomes)
    if any(len(of_setting) > 1 for of_setting in settings.values()):
        _print_means(settings)
    if settings:
        curves = folder / "curves.png"
        rows = {name: [outcome.rows for outcome in some] for name, some in settings.items()}
        game = next(iter(outcomes)).config.train.game
        plot_population(rows, curves, f"{game}, {len(outcomes)} runs")
        console.print(f"curves: {curves}", soft_wrap=True)


def _by_setting(outcomes: dict[RunDirectory, Outcome]) -> dict[str, list[Outcome]]:
    """Returns the outcomes of the runs that did not fail, by their numbers."""
    settings: dict[str, list[Outcome]] = {}
    for run, outcome in outcomes.items():
        if not outcome.error:
            settings.setdefault(_setting(run) or "all runs", []).append(outcome)
    return settings


def _setting(run: RunDirectory) -> str:
    """Returns the numbers in the name of a run's folder, without the seed."""
    return run.path.name.removesuffix(f"seed={run.seed}").removesuffix(",")


def _print_means(settings: dict[str, list[Outcome]]) -> None:
    """Prints the mean accuracies over the seeds of each setting, if there are solved positions."""
    table = make_table("accuracy over seeds", "seeds", "by", "mean", "95% interval of the mean")
    for name, outcomes in settings.items():
        found = [outcome.accuracy for outcome in outcomes if outcome.accuracy]
        for by in ("network", "search") if found else ():
            table.add_row(name, str(len(found)), by, *_mean_and_ends(_scores(found, by)))
    if table.row_count:
        console.print(table)


def _scores(found: list[Accuracy], by: str) -> np.ndarray:
    """Returns [seeds] shares, or [seeds, P] scores where the P positions are a sample."""
    return np.array([getattr(accuracy.answers or accuracy, by) for accuracy in found], float)


def _mean_and_ends(shares: np.ndarray) -> tuple[str, str]:
    """Returns the mean over seeds, and its interval, or else the range of two or more seeds."""
    found = estimate_share(shares)
    ends = f"{found.low:.2%} to {found.high:.2%}"
    if found.interval is None:
        ends = f"{found.kind}: {ends}" if len(shares) > 1 else ""
    return f"{found.mean:.2%}", ends


def _median_rate(rows: list[Row]) -> float:
    return statistics.median(row["simulations_per_second"] for row in rows if row["iteration"] > 0)
