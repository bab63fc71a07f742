"""The report of a study: one Markdown file, the answer first."""

import itertools
import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from azjax.config.fields import EVALUATION, RUN_FIELDS, list_fields
from azjax.config.presets import get_preset
from azjax.evaluation import INTERVAL, describe_kind
from azjax.runs.storage.run_description import read_description
from azjax.studies.answers import StudyAnswers
from azjax.studies.curves import AXES
from azjax.studies.figures import CURVES, ENDS
from azjax.studies.held_out import METRICS, HeldOut
from azjax.studies.number_format import elo, percent, points, three_digits, with_ends
from azjax.studies.ratings import OPENING_MOVES, games_per_match
from azjax.studies.study import (
    ACCURACIES,
    COMMON_SEARCH,
    ELO,
    EXPLOITABILITY,
    OWN_SEARCH,
    RESULT_LABELS,
    Study,
)
from azjax.studies.summary import END, compare_at_end, summarize
from azjax.studies.verdict import Lead, describe_verdict
from azjax.support.files.atomic_files import write_text_atomically
from azjax.support.files.tables import Row, markdown_table
from azjax.support.provenance.session_log import ScriptSession, provenance_lines

_TEMPLATE = """\
# {title}

{verdict}

For comparison: {baseline}.

Accuracy is the share of positions with known best moves in which the agent plays one of them, at
the end of training; means and differences are over seeds. {intervals}

This study compares {num_cells} configurations (cells), each trained from the seeds {seeds} for
{limits}:

{cells}

{method}

## At the end of training

{ends}

![At the end of training](figures/{ends_figure})

The common search of all agents is {search} with {simulations} simulations. An agent's own search is
the search of its self-play, with as many simulations; the search as in training has the number of
simulations that self-play has. All searches are without noise. Elo is
relative to the mean of the study's agents, from at least {num_games} games between each two of
them: openings of {opening_moves} random moves, each played twice with the seats swapped, all with
the common search.

## Differences

What the first is ahead of the second between runs of the same seed, each mean with its own 95%
interval; then the probability of improvement (Agarwal et al. 2021), that a run of the first does
better than a run of the second, where a tie counts one half, with its 95% interval (Newcombe 2006).
Accuracy with the common search is in points, and compared at equal positions, equally many
evaluations of the network in self-play, samples in learning, floating-point operations of self-play
and learning, and equal training time{timed}, at the last point that every run of both has reached;
ratings are in Elo, at the end of training. comparisons.csv also has the other accuracies. A field
is empty if a run ended before the first evaluation of another, or if operations are not known.

{differences}

{held_out}

![Learning curves](figures/{curves_figure})

{play_time}

## Conditions

{conditions}
"""
_METHOD = """\
**Method.** We train each of {num_cells} configurations from {num_seeds} seeds for {limits} on
{game}{sizes}. They differ in nothing but what the table says. We evaluate the EMA of the weights at
the end of training, never a checkpoint that was chosen by its result, by the share of
{num_positions:,} solved positions, {what} the game's, in which the agent plays a best move: by one
search for all agents, {search} with {simulations} simulations and without noise,{own} and by its
network alone. We compare runs of the same seed, and report means with 95% intervals."""
_TIMED = (
    " (iterations times the seconds of one, timed when all runs had ended, one cell after the "
    "other in turn)"
)
_INTERVALS = """\
The intervals are 95% intervals of the differences between runs of the same seed. Where more than
two lines are compared, the intervals of all their pairs hold together with 95%. That no difference
was found means that the interval contains 0, not that there is none. {chance}"""
_OF_SEEDS = "The positions are all there are, so the intervals are Student's t over seeds."
_OF_BOTH = (
    "The intervals of accuracies are over seeds and over positions, which are a sample (two-way "
    "random effects, degrees of freedom by Satterthwaite)."
)
_INCOMPLETE = (
    "The intervals of accuracies ({missing}) are Student's t over seeds only, and do not include "
    "that the positions are a sample: not every run recorded its answers. Run the study anew."
)
_FEW_SEEDS = (
    "Fewer than three seeds give no intervals: whether configurations differ stays open. Their "
    "range is shown instead."
)
_HELD_OUT = """\
## Held-out positions

The last network of every run on {num_positions:,} other positions ({description}), as means over
seeds. Training does not look at them, and neither does the verdict. For comparison: {baseline}.

{ends}

What the first is ahead of the second, in points, between runs of the same seed:

{differences}"""
_PLAY_TIME = """\
## Play time

Each search without noise, with the numbers and options of its own cells. All search with the same
networks, the last ones of the cells with the most simulations. Accuracies and leads are means over
the networks with 95% intervals; a lead is the lead over {first} with as many simulations. Times are
medians with the first network, without compilation, in ms per position.

{table}

The networks: {networks}."""
_HEADERS = {axis: f"equal {axis}" for axis in AXES} | {"seconds": "equal time", END: "rating"}
_FORMATS: dict[str, Callable[[float], str]] = {EXPLOITABILITY: "{:.2f}".format, ELO: elo}


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
) -> None:
    """Writes report.md, which shows the study's figures."""
    search, simulations = study.evaluation
    failed = "These runs failed before their end, and count with their last evaluations:"
    of_common = [row for row in results.comparisons if row["result"] in (COMMON_SEARCH, ELO)]
    text = _TEMPLATE.format(
        title=f"{study.name.replace('_', ' ')}: {study.preset}",
        verdict="\n\n".join(
            [
                *([failed, "\n".join(f"- {text}" for text in failures)] if failures else []),
                *describe_verdict(results.leads),
            ]
        ),
        baseline=study.positions.baseline,
        intervals=explain_intervals(study, results.answers),
        num_cells=len(study.cells),
        seeds=", ".join(map(str, study.seeds)),
        limits=study.lengths,
        cells=describe_cells(study),
        method=describe_method(study),
        ends=_cell_table(study, results.summary, study.positions.random),
        ends_figure=ENDS,
        search=search,
        simulations=simulations,
        num_games=games_per_match(max(1, math.comb(len(results.finals), 2))),
        opening_moves=OPENING_MOVES,
        timed="" if study.limits.minutes is not None else _TIMED,
        differences=_difference_table(of_common, lambda row: row["equal"]),
        held_out=describe_held_out(study, results.held_out) if results.held_out else "",
        curves_figure=CURVES,
        play_time=_describe_play_time(results.play_time) if results.play_time else "",
        conditions=_conditions(study, sessions, results.finals),
    )
    paragraphs = [part for part in text.strip().split("\n\n") if part.strip()]
    write_text_atomically(study.path / "report.md", "\n\n".join(paragraphs) + "\n")


def explain_intervals(study: Study, answers: StudyAnswers) -> str:
    """Returns what the intervals are, and which sources of chance they include."""
    if describe_kind(study.num_seeds) != INTERVAL:
        return _FEW_SEEDS
    missing = [RESULT_LABELS[name] for name in study.accuracies if name not in answers]
    chance = _INCOMPLETE.format(missing=", ".join(missing)) if missing else _OF_BOTH
    return _INTERVALS.format(chance=_OF_SEEDS if study.positions.is_complete else chance)


def describe_held_out(study: Study, held_out: HeldOut) -> str:
    """Returns the section on held-out positions."""
    positions, finals, answers = held_out
    comparisons = compare_at_end(study, finals, answers, tuple(METRICS))
    return _HELD_OUT.format(
        num_positions=len(positions.is_best),
        description=positions.description,
        baseline=positions.baseline,
        ends=_cell_table(
            study, summarize(study, finals, answers, tuple(METRICS)), positions.random
        ),
        differences=_difference_table(comparisons, lambda row: RESULT_LABELS[row["result"]]),
    )


def describe_cells(study: Study) -> str:
    """Returns a table of what each cell is: its preset, its length, and where it differs."""
    rows = []
    for cell in study.cells:
        preset = cell.preset or study.preset
        fields = list_fields(get_preset(preset).config)
        own = ", ".join(
            f"{name}={value:.4g}" if isinstance(value, float) else f"{name}={value}"
            for name, value in list_fields(cell.config).items()
            if fields.get(name) != value
            and name not in RUN_FIELDS  # which are the same in all cells
            and not name.startswith(EVALUATION)
        )
        rows.append([cell.name, preset, str(study.limits_of(cell)), own])
    return markdown_table(["cell", "preset", "length", "differs from the preset in"], rows)


def describe_method(study: Study) -> str:
    """Returns a paragraph for the section on methods of a paper."""
    search, simulations = study.evaluation
    configs, positions = [cell.config.train for cell in study.cells], study.positions
    sizes = {(x.positions_per_iteration, x.num_updates, x.batch_size) for x in configs}
    sizes_text = ", with {:,} positions of self-play and {} updates on {:,} samples an iteration"
    if any(x.replay for x in configs):
        sizes_text = ", with {1} updates on {2:,} samples of one replay an iteration"
    return _METHOD.format(
        num_cells=len(study.cells),
        num_seeds=study.num_seeds,
        game=configs[0].game,
        limits=study.lengths,
        sizes=sizes_text.format(*sizes.pop()) if len(sizes) == 1 else "",
        own=" by the agent's own search," if OWN_SEARCH in study.accuracies else "",
        num_positions=len(positions.is_best),
        what="all of" if positions.is_complete else "a sample of",
        search=search,
        simulations=simulations,
    )


def _cell_table(study: Study, summary: list[Row], random: float) -> str:
    """Returns a table of the results of every cell, and the accuracy of uniform random play."""
    rows = {(row["cell"], row["result"]): row for row in summary}
    results = list(dict.fromkeys(row["result"] for row in summary))
    return markdown_table(
        ["cell", *(RESULT_LABELS[result] for result in results)],
        [
            [cell.name]
            + [with_ends(rows[cell.name, x], "mean", _FORMATS.get(x, percent)) for x in results]
            for cell in study.cells
        ]
        + [
            ["uniform random play"]
            + [percent(random) if result in ACCURACIES else "" for result in results]
        ],
    )


def _difference_table(comparisons: list[Row], column_of: Callable[[Row], str]) -> str:
    """Returns a table of comparisons, with a line for each pair and a column for each kind."""
    cells: dict[tuple[str, str, str], dict[str, str]] = {}
    for row in comparisons:
        text = with_ends(row, "difference", elo if row["result"] == ELO else points)
        names = row["where"], row["first"], row["second"]
        probability = with_ends(row, "probability", "{:.2f}".format, "probability_")
        cells.setdefault(names, {})[column_of(row)] = f"{text}; {probability}"
    columns = list(dict.fromkeys(map(column_of, comparisons)))
    header = [_HEADERS.get(column, column) for column in columns]
    return markdown_table(
        ["", "first", "second", *header],
        [[*names, *(of_pair.get(x, "") for x in columns)] for names, of_pair in cells.items()],
    )


def _describe_play_time(rows: list[Row]) -> str:
    first, names = rows[0]["search"], ("accuracy", "lead in points", "at once", "alone")
    columns: Sequence[Callable[[Row], str]] = (
        lambda row: with_ends(row, "accuracy", percent, "accuracy_"),
        lambda row: "" if row["search"] == first else with_ends(row, "lead", points, "lead_"),
        lambda row: three_digits(row["ms_per_position_in_batch"]),
        lambda row: three_digits(row["ms_per_position_alone"]),
    )
    lines = [
        [row["search"], str(row["num_simulations"]), *(text(row) for text in columns)]
        for row in rows
    ]
    table = markdown_table(["search", "simulations", *names], lines)
    return _PLAY_TIME.format(first=first, table=table, networks=rows[0]["networks"])


def _conditions(study: Study, sessions: list[ScriptSession], finals: list[Row]) -> str:
    hours = sum(row["seconds"] for row in finals) / 3600
    wall_clock = sum(session.seconds or 0 for session in sessions) / 3600
    killed = sum(session.seconds is None for session in sessions)
    return "\n".join(
        [
            *(f"- command: `{text}`" for text in dict.fromkeys(s.command for s in sessions)),
            f"- positions with known best moves: {len(study.positions.is_best):,} "
            f"({study.positions.description})",
            f"- training time of all runs: {hours:.2f} h",
            f"- wall-clock time: {wall_clock:.2f} h in {len(sessions)} sessions"
            + f", without the time of {killed} that did not end" * bool(killed),
            *_population_lines(study),
            *provenance_lines(sessions),
        ]
    )


def _population_lines(study: Study) -> list[str]:
    """Returns a condition if an iteration has not computed equally many runs at once in all cells.

    That is so on a GPU alone, where seeds were added later or memory had no room for all of them.
    """
    sizes: dict[str, set[int]] = {}
    for cell, seed in itertools.product(study.cells, study.seeds):
        sessions = read_description(study.run_path(cell.name, seed)).get("sessions", [])
        found = {session["vmapped_runs"] for session in sessions if "vmapped_runs" in session}
        sizes.setdefault(cell.name, set()).update(found)  # older sessions have none
    if len(set().union(*sizes.values())) <= 1:
        return []
    texts = (f"{name} {' and '.join(map(str, sorted(own)))}" for name, own in sizes.items())
    return [
        f"- runs that an iteration computes at once: {', '.join(texts)}; in a minute of "
        "training, more of them may do more iterations each"
    ]
