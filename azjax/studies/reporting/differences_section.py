"""The section of a report about the fields in which the searches of a study differ."""

from collections.abc import Iterator
from typing import Any

from azjax.config.fields import list_fields
from azjax.studies.study import Study
from azjax.support.files.tables import markdown_table

_EXPLAIN = (
    "A search does not have the fields that are left out. By default its numbers are those of "
    "mctx's Gumbel search and of AlphaZero's PUCT."
)


def differences_section(study: Study) -> Iterator[str]:
    """Yields a table of the fields that differ between the searches of a study.

    Yields nothing where there is one search, or where cells of one search differ in more than
    their simulations: then the factors of the cells tell how.
    """
    columns: dict[str, dict[str, Any]] = {}
    for cell in study.cells:
        fields = list_fields(cell.config)
        del fields["search.num_simulations"]
        if columns.setdefault(fields.pop("search.name"), fields) != fields:
            return
    names = dict.fromkeys(name for column in columns.values() for name in column)
    differing = [name for name in names if len({c.get(name) for c in columns.values()}) > 1]
    if not differing:
        return
    defaults = {
        f"search.{name}": value
        for search in reversed(study.searches.values())
        for name, value in vars(type(search)()).items()
    }
    yield "## Fields that differ"
    yield markdown_table(
        ["field", *columns, "default"],
        [
            [name, *(_text(column.get(name)) for column in (*columns.values(), defaults))]
            for name in differing
        ],
    )
    yield _EXPLAIN


def _text(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.4g}" if isinstance(value, float) else str(value)
