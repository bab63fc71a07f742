"""The results that `azjax train` prints."""

import pathlib
import shlex
import statistics

import numpy as np

from azjax import games
from azjax.cli.output import add_accuracy, console, make_table
from azjax.evaluation import estimate_share, is_solvable
from azjax.runs.evaluation.endings import ENDING_TEXTS, Ending, why_ended
from azjax.runs.reporting.learning_curves import plot_curves
from azjax.runs.session import Outcome
from azjax.runs.storage.run_description import commits_of, read_description
from azjax.runs.storage.run_directory import RunDirectory


def print_finished(folder: pathlib.Path, endings: dict[RunDirectory, Ending]) -> None:
    """Prints that nothing is left to do for runs that have reached an end or their limit."""
    found = list(endings.values())
    text = f"{folder}: all {len(found)} runs are finished, {found.count('perfect')} of them perfect"
    if len(found) == 1:
        text = f"{folder}: nothing is left to do: {ENDING_TEXTS[found[0]]}"
        if found[0] == "perfect":
            text += "; train another run with --no-stop-when-perfect to go on"
    if "limit" in found:
        limits = next(iter(endings)).limits
        flag = "--minutes" if limits.minutes is not None else "--iterations"
        command = f"azjax train --resume --out {shlex.quote(str(folder))} {flag} N"
        text += f". To go on beyond {limits} in all: {command}"
    console.print(text, highlight=False, soft_wrap=True)


def print_outcome(run: RunDirectory, outcome: Outcome, seconds: float) -> None:
    """Prints the results of a single run, and the commands to try next.

    Args:
      run: The run.
      outcome: The run's outcome.
      seconds: The wall-clock time of this session.
    """
    last = outcome.rows[-1]
    rates = [row["simulations_per_second"] for row in outcome.rows if row["iteration"] > 0]
    table = make_table(run.title)
    table.add_row("iterations", f"{last['iteration']:,}")
    table.add_row("positions played", f"{last['positions']:,}")
    table.add_row("training time of all sessions", f"{outcome.seconds:.1f} s")
    table.add_row("wall-clock time of this session", f"{seconds:.1f} s")
    if ending := why_ended(run, last):
        table.add_row("ended because", ENDING_TEXTS[ending])
    table.add_row("simulations per second", f"{statistics.median(rates):,.0f} (median)")
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
    opponent = "minimax" if is_solvable(games.make(run.config.train.game)) else "random"
    name = shlex.quote(str(run.path))
    commands = [f"azjax play {name}", f"azjax evaluate {name} --opponent {opponent} --games 1000"]
    if outcome.accuracy:
        truth = f" --truth {shlex.quote(run.truth)}" if run.truth else ""
        commands.append(f"azjax accuracy {name}{truth}")
    console.print("Next:", *commands, sep="\n  ", soft_wrap=True)


def print_outcomes(
    folder: pathlib.Path, outcomes: dict[RunDirectory, Outcome], seconds: float
) -> None:
    """Prints the results of several runs, and their means over seeds; plots their curves."""
    found = [outcome.accuracy for outcome in outcomes.values() if outcome.accuracy]
    right = found[0].criterion if found else "optimal"
    table = make_table(
        f"{folder}: {len(outcomes)} runs in {seconds:.1f} s",
        *("iterations", "training time", f"{right}, network", f"{right}, search"),
    )
    settings: dict[str, list[Outcome]] = {}  # by their numbers, of the runs that did not fail
    for run, outcome in outcomes.items():
        if outcome.error:
            table.add_row(run.path.name, "failed")
            continue
        of_setting = run.path.name.removesuffix(f"seed={run.seed}").removesuffix(",")
        settings.setdefault(of_setting or "all runs", []).append(outcome)
        accuracy = outcome.accuracy
        shares = (f"{accuracy.network:.2%}", f"{accuracy.search:.2%}") if accuracy else ()
        iterations = f"{outcome.rows[-1]['iteration']:,}"
        table.add_row(run.path.name, iterations, f"{outcome.seconds:.1f} s", *shares)
    console.print(table)
    lines = [f"begun from {run.init_from}" for run in outcomes if run.init_from]
    lines += [f"{right}: {accuracy.baseline}" for accuracy in found]  # on the same positions
    for line in dict.fromkeys(lines):
        console.print(line, highlight=False, soft_wrap=True)
    if any(len(some) > 1 for some in settings.values()):
        _print_means(settings)
    if settings:
        curves = folder / "curves.png"
        rows = {name: [outcome.rows for outcome in some] for name, some in settings.items()}
        game = next(iter(outcomes)).config.train.game
        plot_curves(rows, curves, f"{game}, {len(outcomes)} runs")
        console.print(f"curves: {curves}", soft_wrap=True)


def _print_means(settings: dict[str, list[Outcome]]) -> None:
    """Prints the mean accuracies over the seeds of each setting, if there are solved positions.

    An interval includes the sampling of the positions, where they are a sample.
    """
    table = make_table("accuracy over seeds", "seeds", "by", "mean", "95% interval of the mean")
    for name, outcomes in settings.items():
        found = [outcome.accuracy for outcome in outcomes if outcome.accuracy]
        for by in ("network", "search") if found else ():
            scores = [getattr(accuracy.answers or accuracy, by) for accuracy in found]
            share = estimate_share(np.array(scores, float))  # [seeds] or [seeds, P]
            ends = f"{share.low:.2%} to {share.high:.2%}"
            if share.interval is None:
                ends = f"{share.kind}: {ends}" if len(found) > 1 else ""
            table.add_row(name, str(len(found)), by, f"{share.mean:.2%}", ends)
    if table.row_count:
        console.print(table)
