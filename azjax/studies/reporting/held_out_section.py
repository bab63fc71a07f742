"""The section of a study's report on held-out positions."""

from collections.abc import Callable, Iterator, Sequence

from azjax.studies.held_out import HeldOut
from azjax.studies.reporting.number_format import in_percent, in_points, percent, with_ends
from azjax.studies.study import COMMON_SEARCH, NETWORK, RESULT_LABELS, Study
from azjax.studies.summary import compare_at_end, summarize
from azjax.support.files.tables import Row, markdown_table

_METRICS = COMMON_SEARCH, NETWORK


def held_out_section(study: Study, held_out: HeldOut | None) -> Iterator[str]:
    """Yields the paragraphs, or none without held-out positions."""
    if held_out is None:
        return
    positions, finals, answers = held_out
    summary = summarize(study, finals, answers, _METRICS)
    comparisons = compare_at_end(study, finals, answers, _METRICS)
    labels = [RESULT_LABELS[metric] for metric in _METRICS]
    yield "## Held-out positions"
    yield (
        f"The last network of every run on {len(positions.is_best):,} other positions "
        f"({positions.description}), as means over seeds. Training does not look at them, and "
        f"neither does the verdict. For comparison: {positions.baseline}."
    )
    yield markdown_table(
        ["cell", *labels],
        [
            *(
                [cell.name, *_estimates(summary, {"cell": cell.name}, "mean", in_percent)]
                for cell in study.cells
            ),
            ["uniform random play", *[percent(positions.random)] * len(_METRICS)],
        ],
    )
    yield "What the first is ahead of the second, in points, between runs of the same seed:"
    yield markdown_table(
        ["", "first", "second", *labels],
        [
            [*names.values(), *_estimates(comparisons, names, "difference", in_points)]
            for names in (
                {"where": c.group.where, "first": c.first, "second": c.second}
                for c in study.comparisons
            )
        ],
    )


def _estimates(
    rows: list[Row], names: Row, column: str, texts: Callable[[Sequence[float]], list[str]]
) -> list[str]:
    """Returns the estimates, one for each metric, of the rows with these names."""
    return [with_ends(row, column, texts) for row in rows if names.items() <= row.items()]
