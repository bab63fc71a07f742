"""The report of a study: one Markdown file, the answer first."""

import math
import pathlib
from collections.abc import Iterable

from azjax.config.limits import Limits
from azjax.studies.evaluations import ACCURACIES, AXES
from azjax.studies.ratings import OPENING_MOVES, games_per_match
from azjax.studies.study import Study
from azjax.studies.summary import END, best_of
from azjax.support.atomic_files import write_text_atomically
from azjax.support.session_log import ScriptSession, provenance_lines
from azjax.support.tables import Row, markdown_table

_EQUAL = {
    "positions": "equal positions",
    "simulations": "equal simulations",
    "seconds": "equal time",
}


def write_report(
    study: Study,
    sessions: list[ScriptSession],
    failures: list[str],
    finals: list[Row],
    summary: list[Row],
    comparisons: list[Row],
    play_time: list[Row],
) -> pathlib.Path:
    """Writes report.md, which shows the study's figures; returns its path."""
    parts = [
        f"# {study.name.replace('_', ' ')}: {study.preset}",
        _compared(study),
        _answer(summary),
        *_failures(failures),
        "## At the end of training",
        _end_table(study, summary),
        "![At the end of training](figures/end_of_training.png)",
        _explain_end_table(len(finals)),
        "## Probability of improvement",
        "The probability that a run of the first does better than a run of the second:",
        _comparison_table(comparisons),
        _EXPLAIN_COMPARISONS,
        *_curves(),
        *_play_time(play_time, finals),
        "## Conditions",
        _conditions(study, sessions, finals),
    ]
    path = study.path / "report.md"
    write_text_atomically(path, "\n\n".join(parts) + "\n")
    return path


def _compared(study: Study) -> str:
    seeds = ", ".join(map(str, study.seeds))
    return (
        f"This study compares {len(study.cells)} configurations (cells), each trained from the "
        f"seeds {seeds}. Every run has {_limits(study.limits)}. Where its cell's name says nothing "
        f"else, it has the values of the preset {study.preset}, which were tuned for the preset "
        "and not for each cell."
    )


def _answer(summary: list[Row]) -> str:
    accuracy, accuracy_cells = _best(summary, ACCURACIES[0])
    elo, elo_cells = _best(summary, "elo")
    return (
        f"The highest accuracy with search at the end of training is {accuracy:.2%} "
        f"({accuracy_cells}), the highest rating {elo:+.1f} Elo ({elo_cells}). Overlapping "
        "intervals do not order two cells: see the probability of improvement."
    )


def _best(summary: list[Row], result: str) -> tuple[float, str]:
    """Returns the highest interquartile mean of a result, and the cells that have it."""
    means = {row["cell"]: row["iqm"] for row in summary if row["result"] == result}
    highest = max(means.values())
    return highest, ", ".join(cell for cell, mean in means.items() if mean == highest)


def _explain_end_table(num_agents: int) -> str:
    num_games = games_per_match(math.comb(num_agents, 2))
    return (
        "These are interquartile means over seeds with 95% intervals by stratified bootstrap. "
        "With fewer than four seeds the interquartile mean is the mean. Elo is relative to the "
        f"mean of the study's agents, from {num_games} games between each two of them: openings of "
        f"{OPENING_MOVES} random moves, each played twice with the seats swapped, all with the "
        "search of the evaluation. Its intervals are over seeds, and do not include the "
        "uncertainty of the matches."
    )


_EXPLAIN_COMPARISONS = (
    "A tie counts one half; the interval has 95%. Accuracy with search is compared at equal "
    "positions, simulations and training time, at the last point that every run of both has "
    "reached, and ratings at the end of training. comparisons.csv also has the accuracy of the "
    "network alone. A field is empty if a run ended before the first evaluation of another. If "
    "every run of one is better than every run of the other, the bootstrap interval has no width, "
    "however few the seeds."
)


def _conditions(study: Study, sessions: list[ScriptSession], finals: list[Row]) -> str:
    algorithm, simulations = study.evaluation
    positions = f"{len(study.positions.is_best):,} ({study.positions.description})"
    trained = sum(row["seconds"] for row in finals)
    wall = sum(session.seconds for session in sessions)
    return "\n".join(
        [
            f"- command: `{sessions[-1].command}`",
            f"- positions with known best moves: {positions}; every agent searches them by "
            f"{algorithm} with {simulations} simulations, without noise",
            f"- training time of all runs: {_duration(trained)}",
            f"- wall-clock time: {_duration(wall)} (sessions: {len(sessions)})",
            *provenance_lines(sessions),
        ]
    )


def _failures(failures: list[str]) -> Iterable[str]:
    if failures:
        yield "These runs failed, and count with their last evaluations:"
        yield "\n".join(f"- {text}" for text in failures)


def _limits(limits: Limits) -> str:
    if limits.minutes is None:
        return f"{limits.iterations} iterations"
    return f"{limits.minutes:g} minutes of training, without compilation, evaluation and saving"


def _duration(seconds: float) -> str:
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {seconds} s"


def _end_table(study: Study, summary: list[Row]) -> str:
    rows = {(row["cell"], row["result"]): row for row in summary}
    return markdown_table(
        ["cell", "with search", "network alone", "Elo"],
        [
            [
                cell.name,
                *(_share(rows[cell.name, name]) for name in ACCURACIES),
                _elo(rows[cell.name, "elo"]),
            ]
            for cell in study.cells
        ],
    )


def _comparison_table(comparisons: list[Row]) -> str:
    rows: dict[tuple[str, str, str], dict[str, str]] = {}
    for row in comparisons:
        if row["result"] != "accuracy_network":
            names = row["where"], row["first"], row["second"]
            rows.setdefault(names, {})[row["equal"]] = _probability(row)
    header = ["", "first", "second", *(_EQUAL[axis] for axis in AXES), "rating"]
    return markdown_table(
        header,
        [[*names, *(row.get(equal, "") for equal in (*AXES, END))] for names, row in rows.items()],
    )


def _curves() -> Iterable[str]:
    yield "## Learning curves"
    yield (
        "Interquartile means with 95% intervals, interpolated between evaluations, as far as all "
        "seeds of a cell reach. Markers distinguish the lines; curves.csv has the evaluations."
    )
    for metric, words in zip(ACCURACIES, ("with search", "of the network alone"), strict=True):
        for axis in AXES:
            yield f"![Accuracy {words} over {axis}](figures/{metric}_over_{axis}.png)"


def _play_time(rows: list[Row], finals: list[Row]) -> Iterable[str]:
    if not rows:
        return
    best = best_of(finals)
    yield "## Play time"
    yield (
        f"One network, searched by each algorithm without noise: that of {best['cell']}, seed "
        f"{best['seed']}, which has the highest accuracy with search. Times are medians, without "
        "compilation."
    )
    yield markdown_table(
        [
            "search",
            "simulations",
            "accuracy",
            f"ms per position, {rows[0]['batch']:,} at once",
            "ms per position, alone",
        ],
        [
            [
                row["search"],
                str(row["num_simulations"]),
                f"{row['accuracy']:.2%}",
                f"{row['ms_per_position_in_batch']:.4g}",
                f"{row['ms_per_position_alone']:.4g}",
            ]
            for row in rows
        ],
    )
    yield "![Play time](figures/play_time.png)"


def _share(row: Row) -> str:
    return f"{row['iqm']:.2%} ({row['low']:.2%} to {row['high']:.2%})"


def _elo(row: Row) -> str:
    return f"{row['iqm']:+.1f} ({row['low']:+.1f} to {row['high']:+.1f})"


def _probability(row: Row) -> str:
    return f"{row['probability']:.2f} ({row['low']:.2f} to {row['high']:.2f})"
