"""The section of a study's report on play time."""

from collections.abc import Iterable

from azjax.studies.reporting.number_format import percent, three_digits
from azjax.studies.study import COMMON_SEARCH
from azjax.support.tables import Row, markdown_table


def play_time_section(rows: list[Row], finals: list[Row]) -> Iterable[str]:
    """Yields the paragraphs, or none without measurements.

    Args:
      rows: The measurements of one network.
      finals: The last evaluation of each run; that network has the highest accuracy of them.
    """
    if not rows:
        return
    yield "## Play time"
    yield (
        f"One network, searched by each algorithm without noise: that of {rows[0]['cell']}, seed "
        f"{rows[0]['seed']}, {_rank(finals)} the highest accuracy with the common search. Times "
        "are medians, without compilation."
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
                percent(row["accuracy"]),
                three_digits(row["ms_per_position_in_batch"]),
                three_digits(row["ms_per_position_alone"]),
            ]
            for row in rows
        ],
    )
    yield "![Play time](figures/play_time.png)"


def _rank(finals: list[Row]) -> str:
    """Returns the first words on the best network: several may share its accuracy."""
    accuracies = [row[COMMON_SEARCH] for row in finals]
    number = accuracies.count(max(accuracies))
    return f"one of {number} with" if number > 1 else "which has"
