"""The section of a study's report on play time."""

from collections.abc import Callable, Iterable

from azjax.studies.reporting.number_format import decimals_for, percent, points, three_digits
from azjax.support.plurals import count
from azjax.support.tables import Row, markdown_table


def play_time_section(rows: list[Row]) -> Iterable[str]:
    """Yields the paragraphs, or none without measurements."""
    if not rows:
        return
    networks = rows[0]["networks"].split()
    yield "## Play time"
    yield (
        "Each search without noise, with the numbers that its own cells train with. All search "
        f"with the same networks: the last ones of {count(len(networks), 'run')}, of the cells "
        "with the most simulations, whatever their accuracy. Accuracies and leads are means over "
        f"the networks with 95% intervals; a lead is that over {rows[0]['search']} with as many "
        "simulations. Times are medians with the first network, without compilation."
    )
    yield markdown_table(
        [
            "search",
            "simulations",
            "accuracy",
            "lead in points",
            f"ms per position, {rows[0]['batch']:,} at once",
            "ms per position, alone",
        ],
        [
            [
                row["search"],
                str(row["num_simulations"]),
                _with_interval(row, "accuracy", percent),
                "" if row["search"] == rows[0]["search"] else _with_interval(row, "lead", _points),
                three_digits(row["ms_per_position_in_batch"]),
                three_digits(row["ms_per_position_alone"]),
            ]
            for row in rows
        ],
    )
    yield f"The networks: {', '.join(networks)}."
    yield "![Play time](figures/play_time.png)"


def _with_interval(row: Row, name: str, text: Callable[[float], str]) -> str:
    """Returns a mean with its interval, where it has one."""
    low, high = row[f"{name}_low"], row[f"{name}_high"]
    has_interval = low not in (None, "")  # an empty cell of the table on disk is ""
    return f"{text(row[name])} ({text(low)} to {text(high)})" if has_interval else text(row[name])


def _points(difference: float) -> str:
    return points(difference, decimals_for((), [difference]))
