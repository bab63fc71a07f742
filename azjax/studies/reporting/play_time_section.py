"""The section of a study's report on play time."""

from collections.abc import Iterable

from azjax.studies.reporting.number_format import in_percent, in_points, three_digits, with_ends
from azjax.support.files.tables import Row, markdown_table
from azjax.support.plurals import count


def play_time_section(rows: list[Row], baseline: str) -> Iterable[str]:
    """Yields the paragraphs, or none without measurements.

    Args:
      rows: The measurements.
      baseline: What their accuracies are to be compared with.
    """
    if not rows:
        return
    networks, first = rows[0]["networks"].split(", "), rows[0]["search"]
    yield "## Play time"
    yield (
        "Each search without noise, with the numbers and options of its own cells. All search "
        f"with the same networks: the last ones of {count(len(networks), 'run')}, of the cells "
        "with the most simulations, whatever their accuracy. Accuracies and leads are means over "
        f"the networks with 95% intervals; a lead is that over {first} with as many "
        f"simulations. For comparison: {baseline}. Times are medians with the first network, "
        "without compilation."
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
                with_ends(row, "accuracy", in_percent, "accuracy_"),
                "" if row["search"] == first else with_ends(row, "lead", in_points, "lead_"),
                three_digits(row["ms_per_position_in_batch"]),
                three_digits(row["ms_per_position_alone"]),
            ]
            for row in rows
        ],
    )
    yield f"The networks: {', '.join(networks)}."
    yield "![Play time](figures/play_time.png)"
