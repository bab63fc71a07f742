"""The report of a study: one Markdown file of what was done and of the numbers found."""

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
    """Writes report.md beside the tables and figures that it shows, and returns its path."""
    parts = [
        f"# {study.name.replace('_', ' ')}: {study.preset}",
        *_conditions(study, sessions, finals),
        *_failures(failures),
        "## At the end of training",
        "Interquartile means over seeds with 95% intervals by stratified bootstrap; below four "
        "seeds the interquartile mean is the mean. Elo is against the mean of the study's agents, "
        f"each against each in {games_per_match(math.comb(len(finals), 2))} games: openings "
        f"of {OPENING_MOVES} random moves, played twice with the seats swapped, and all search as "
        "said above. Its intervals are over seeds, too, and leave out what the matches add by "
        "chance.",
        _end_table(study, summary),
        "![At the end of training](figures/end_of_training.png)",
        "## Probability of improvement",
        "That a run of the first does better than one of the second, ties counting half, with 95% "
        "interval: with search at equal positions, simulations and training time, as far as every "
        "run of both has come; and by rating at the end of training. comparisons.csv has the "
        "same for the network alone. Where what one has come to is before the first look at the "
        "other, nothing is equal, and there is no number. Where every run of one is ahead of every "
        "run of the other, the bootstrap knows no interval, however few the seeds.",
        _comparison_table(comparisons),
        *_curves(),
        *_play_time(play_time, finals),
    ]
    path = study.path / "report.md"
    write_text_atomically(path, "\n\n".join(parts) + "\n")
    return path


def _conditions(study: Study, sessions: list[ScriptSession], finals: list[Row]) -> Iterable[str]:
    algorithm, simulations = study.evaluation
    positions = f"{len(study.positions.is_best):,} ({study.positions.description})"
    trained = sum(row["seconds"] for row in finals)
    wall = sum(session.seconds for session in sessions)
    yield f"```\n{sessions[-1].command}\n```"
    yield "\n".join(
        [
            f"- cells: {len(study.cells)}, each from the seeds {', '.join(map(str, study.seeds))}",
            f"- every run: {_limits(study.limits)}; what a cell's name does not tell is as in the "
            f"preset {study.preset}, which was tuned for itself and not for each cell",
            f"- positions with known best moves: {positions}; every agent searches them by "
            f"{algorithm} with {simulations} simulations, without noise",
            f"- training: {_duration(trained)}, all runs together; wall-clock time, sessions that "
            f"ended ({len(sessions)}): {_duration(wall)}",
            *provenance_lines(sessions),
        ]
    )


def _failures(failures: list[str]) -> Iterable[str]:
    if failures:
        yield "These runs failed, and count as they were at their last looks:"
        yield "\n".join(f"- {text}" for text in failures)


def _limits(limits: Limits) -> str:
    if limits.minutes is None:
        return f"{limits.iterations} iterations"
    return f"{limits.minutes:g} minutes of training, without compiling, looks and saving"


def _duration(seconds: float) -> str:
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {seconds} s"


def _end_table(study: Study, summary: list[Row]) -> str:
    found = {(row["cell"], row["result"]): row for row in summary}
    return markdown_table(
        ["cell", "with search", "network alone", "Elo"],
        [
            [
                cell.name,
                *(_share(found[cell.name, name], "iqm") for name in ACCURACIES),
                _elo(found[cell.name, "elo"]),
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
        "Interquartile means with 95% intervals, between the looks at the runs by linear "
        "interpolation, as far as every seed of a cell has come. Markers tell lines apart; the "
        "looks are in curves.csv."
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
        f"The network that is right most often with search, of {best['cell']}, seed "
        f"{best['seed']}, searched by either algorithm without noise. Times are medians of a warm "
        "program."
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


def _share(row: Row, value: str) -> str:
    return f"{row[value]:.2%} ({row['low']:.2%} to {row['high']:.2%})"


def _elo(row: Row) -> str:
    return f"{row['iqm']:+.1f} ({row['low']:+.1f} to {row['high']:+.1f})"


def _probability(row: Row) -> str:
    return f"{row['probability']:.2f} ({row['low']:.2f} to {row['high']:.2f})"
