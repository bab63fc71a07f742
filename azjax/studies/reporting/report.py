"""The report of a study: one Markdown file, the answer first."""

import dataclasses
import math
import pathlib
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from azjax.config.limits import Limits
from azjax.config.presets import is_tuned
from azjax.evaluation import INTERVAL, describe_kind
from azjax.studies.answers import StudyAnswers
from azjax.studies.evaluations import AXES
from azjax.studies.held_out import HeldOut
from azjax.studies.ratings import OPENING_MOVES, games_per_match
from azjax.studies.reporting.differences_section import differences_section
from azjax.studies.reporting.held_out_section import held_out_section
from azjax.studies.reporting.number_format import (
    in_percent,
    in_points,
    percent,
    training_time,
    with_ends,
)
from azjax.studies.reporting.play_time_section import play_time_section
from azjax.studies.reporting.population_lines import population_lines
from azjax.studies.reporting.preset_section import preset_section
from azjax.studies.reporting.verdict import Lead, describe_verdict
from azjax.studies.study import COMMON_SEARCH, ELO, EXPLOITABILITY, OWN_SEARCH, RESULT_LABELS, Study
from azjax.studies.summary import END
from azjax.support.files.atomic_files import write_text_atomically
from azjax.support.files.tables import Row, markdown_table
from azjax.support.provenance.session_log import ScriptSession, provenance_lines

_EQUAL = {
    "positions": "equal positions",
    "simulations": "equal simulations",
    "seconds": "equal time",
}
_EXPLAIN_ACCURACY = (
    "Accuracy is the share of positions with known best moves in which the agent plays one of "
    "them, at the end of training. Means and differences are over seeds"
)
_EXPLAIN_DIFFERENCES = (
    "the intervals are 95% intervals of the differences between runs of the same seed. Where more "
    "than two lines are compared, the intervals of all their pairs hold together with 95%. That no "
    "difference was found means that the interval contains 0; it does not mean that there is no "
    "difference."
)


class Results(NamedTuple):
    """The results of a study, as tables."""

    answers: StudyAnswers
    finals: list[Row]
    leads: list[Lead]
    summary: list[Row]
    comparisons: list[Row]
    held_out: HeldOut | None
    play_time: list[Row]


def write_report(
    study: Study, sessions: list[ScriptSession], failures: list[str], results: Results
) -> pathlib.Path:
    """Writes report.md, which shows the study's figures; returns its path."""
    finals = results.finals
    has_ratings = any(row["result"] == ELO for row in results.summary)
    parts = [
        f"# {study.name.replace('_', ' ')}: {study.preset}",
        *_failures(failures),
        *describe_verdict(results.leads),
        f"For comparison: {study.positions.baseline}.",
        _explain_verdict(study, results.answers),
        _compared(study),
        *preset_section(study),
        "## At the end of training",
        _end_table(study, results.summary),
        "![At the end of training](figures/end_of_training.png)",
        _explain_searches(study),
        _explain_end_table(len(finals), has_ratings),
        "## Differences",
        _explain_comparisons(has_ratings),
        _comparison_table(results.comparisons),
        *held_out_section(study, results.held_out),
        *_curves(study),
        *play_time_section(results.play_time, study.positions.baseline),
        *differences_section(study),
        "## Conditions",
        _conditions(study, sessions, finals),
    ]
    path = study.path / "report.md"
    write_text_atomically(path, "\n\n".join(parts) + "\n")
    return path


def _explain_verdict(study: Study, answers: StudyAnswers) -> str:
    if describe_kind(study.num_seeds) != INTERVAL:
        return (
            f"{_EXPLAIN_ACCURACY}. Fewer than three seeds give no intervals: whether "
            "configurations differ stays open."
        )
    return (
        f"{_EXPLAIN_ACCURACY}; {_EXPLAIN_DIFFERENCES}{_explain_overall(study)} "
        f"{_explain_intervals(study, answers)}"
    )


def _explain_overall(study: Study) -> str:
    """Returns what the overall verdict compares, if it is of several panels together."""
    if len(study.groups) == len(study.panels):
        return ""
    return (
        " The overall verdict compares each seed's mean over the panels, in which part of the "
        "chance averages out: it may find a difference that no panel shows by itself, or none "
        "where panels differ in opposite directions."
    )


def _compared(study: Study) -> str:
    seeds = ", ".join(map(str, study.seeds))
    tuning = (
        "which were tuned for the preset and not for each cell"
        if is_tuned(study.preset)
        else "which are not tuned"
    )
    has_presets = any(cell.preset for cell in study.cells)
    preset = "its preset" if has_presets else f"the preset {study.preset}, {tuning}"
    where = (
        "neither its cell's name nor the table of fields below says anything else"
        if any(differences_section(study))
        else "its cell's name says nothing else"
    )
    return (
        f"This study compares {len(study.cells)} configurations (cells), each trained from the "
        f"seeds {seeds}. Every run has {_limits(study.limits)}. Where {where}, it has the values "
        f"of {preset}."
    )


def _explain_searches(study: Study) -> str:
    search, simulations = study.evaluation
    common = f"The common search of all agents is {search} with {simulations} simulations"
    others = _explain_other_choices(study)
    if OWN_SEARCH in study.accuracies:
        return (
            f"{common}. An agent's own search is that of its self-play, also with "
            f"{simulations} simulations. All searches are without noise.{others}"
        )
    return f"{common}, without noise. All of them trained with it.{others}"


def _explain_other_choices(study: Study) -> str:
    """Returns which cells are evaluated with other values of the common search, if any are.

    That is so where a learnt model proves no values.
    """
    common = dataclasses.asdict(study.cells[0].config.evaluation_search)
    cells: dict[str, list[str]] = {}
    for cell in study.cells:
        own = dataclasses.asdict(cell.config.evaluation_search)
        if other := ", ".join(f"{x}={own[x]}" for x in own if own[x] != common[x]):
            cells.setdefault(other, []).append(cell.name)
    return "".join(
        f" In {', '.join(names)} the common search has {other}." for other, names in cells.items()
    )


def _explain_end_table(num_agents: int, has_ratings: bool) -> str:
    means = (
        "These are means over seeds, each with its 95% interval, or with the range of the seeds "
        "where they are fewer than three. Seeds that are all alike have neither."
    )
    if not has_ratings:
        return f"{means} All matches of the tournament were level, so no ratings are shown."
    num_games = games_per_match(math.comb(num_agents, 2))
    return (
        f"{means} Elo is relative to the mean of the study's agents, from at least "
        f"{num_games} games between each two of them: openings of {OPENING_MOVES} random moves, "
        "each played twice with the seats swapped, all with the common search. Every match has "
        "openings of its own, so the chance of the matches is part of what differs between seeds."
    )


def _explain_comparisons(has_ratings: bool) -> str:
    ratings = "; ratings are in Elo, at the end of training" if has_ratings else ""
    return (
        "What the first is ahead of the second between runs of the same seed, each mean with its "
        "own 95% interval; then the probability that a run of the first does better than a run of "
        "the second, where a tie counts one half. Accuracy with the common search is in points, "
        "and compared at equal positions, simulations and training time, at the last point that "
        f"every run of both has reached{ratings}. comparisons.csv also has the other accuracies. A "
        "field is empty if a run ended before the first evaluation of another."
    )


def _explain_intervals(study: Study, answers: StudyAnswers) -> str:
    """Returns which sources of chance the intervals include."""
    if study.positions.is_complete:
        return "The positions are all there are, so the intervals are Student's t over seeds."
    both = (
        "over seeds and over positions, which are a sample (two-way random effects, degrees of "
        "freedom by Satterthwaite)"
    )
    missing = [RESULT_LABELS[name] for name in study.accuracies if name not in answers]
    if not missing:
        return f"The intervals of accuracies are {both}."
    return (
        f"The intervals of accuracies ({', '.join(missing)}) are Student's t over seeds only, and "
        "do not include that the positions are a sample: not every run recorded its answers. Run "
        "the study anew for both."
    )


def _conditions(study: Study, sessions: list[ScriptSession], finals: list[Row]) -> str:
    positions = f"{len(study.positions.is_best):,} ({study.positions.description})"
    trained = sum(row["seconds"] for row in finals)
    return "\n".join(
        [
            *(f"- command: `{text}`" for text in dict.fromkeys(s.command for s in sessions)),
            f"- positions with known best moves: {positions}",
            f"- training time of all runs: {_duration(trained)}",
            f"- wall-clock time: {_wall_clock_time(sessions)}",
            *population_lines(study),
            *provenance_lines(sessions),
        ]
    )


def _wall_clock_time(sessions: list[ScriptSession]) -> str:
    ended = [session.seconds for session in sessions if session.seconds is not None]
    killed = len(sessions) - len(ended)
    without = f", without the time of {killed} that did not end" if killed else ""
    return f"{_duration(sum(ended))} (sessions: {len(sessions)}{without})"


def _failures(failures: list[str]) -> Iterable[str]:
    if failures:
        yield "These runs failed before their end, and count with their last evaluations:"
        yield "\n".join(f"- {text}" for text in failures)


def _limits(limits: Limits) -> str:
    if limits.minutes is None:
        return f"{limits.iterations} iterations"
    time = training_time(limits.minutes)
    return f"{time} of training, without compilation, evaluation and saving"


def _duration(seconds: float) -> str:
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {seconds} s"


def _end_table(study: Study, summary: list[Row]) -> str:
    rows = {(row["cell"], row["result"]): row for row in summary}
    has_ratings = (study.cells[0].name, ELO) in rows
    columns: dict[str, Callable[[Sequence[float]], list[str]]]
    columns = dict.fromkeys(study.accuracies, in_percent)
    is_solved = (study.cells[0].name, EXPLOITABILITY) in rows
    columns |= {EXPLOITABILITY: _numbers} if is_solved else {}
    columns |= {ELO: _elo} if has_ratings else {}
    return markdown_table(
        ["cell", *(RESULT_LABELS.get(name, "Elo") for name in columns)],
        [
            [c.name, *(with_ends(rows[c.name, name], "mean", columns[name]) for name in columns)]
            for c in study.cells
        ]
        + [
            [
                "uniform random play",
                *(percent(study.positions.random) for _ in study.accuracies),
                *([""] * (len(columns) - len(study.accuracies))),
            ]
        ],
    )


def _comparison_table(comparisons: list[Row]) -> str:
    rows: dict[tuple[str, str, str], dict[str, str]] = {}
    for row in comparisons:
        if row["result"] in (COMMON_SEARCH, ELO):
            names = row["where"], row["first"], row["second"]
            rows.setdefault(names, {})[row["equal"]] = _comparison(row)
    has_ratings = any(row["result"] == ELO for row in comparisons)
    columns = _EQUAL | ({END: "rating"} if has_ratings else {})
    header = ["", "first", "second", *columns.values()]
    return markdown_table(
        header,
        [[*names, *(row.get(equal, "") for equal in columns)] for names, row in rows.items()],
    )


def _curves(study: Study) -> Iterable[str]:
    yield "## Learning curves"
    yield (
        f"Means over seeds with bands ({describe_kind(study.num_seeds)}), as far as all seeds of a "
        "cell reach. The markers are the evaluations of one seed; other seeds are interpolated "
        "where their evaluations lie at other points. curves.csv has the evaluations."
    )
    for metric in study.accuracies:
        for axis in AXES:
            words = f"Accuracy, {RESULT_LABELS[metric]}, over {axis}"
            yield f"![{words}](figures/{metric}_over_{axis}.png)"


def _comparison(row: Row) -> str:
    text = _elo if row["result"] == ELO else in_points
    return f"{with_ends(row, 'difference', text)}; {row['probability']:.2f}"


def _numbers(values: Sequence[float]) -> list[str]:
    return [f"{value:.2f}" for value in values]


def _elo(ratings: Sequence[float]) -> list[str]:
    return [f"{round(elo):+d}" for elo in ratings]
