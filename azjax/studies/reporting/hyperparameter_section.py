"""The section of a report about cells that differ in hyperparameters."""

from collections.abc import Iterator
from typing import Any

from azjax.config.nested_dicts import to_dict
from azjax.config.run_config import RunConfig
from azjax.search import SearchHyperparameters, used_hyperparameters
from azjax.studies.study import Study
from azjax.support.files.tables import markdown_table

_EXPLAIN = (
    "Where searches have hyperparameters of their own. A search does not use those that are left "
    "out. The published ones are those of mctx's Gumbel search and of AlphaZero's PUCT."
)


def hyperparameter_section(study: Study) -> Iterator[str]:
    """Yields those in which the searches of a study differ, beside the published ones.

    Yields nothing where all searches have the same. Where cells of one search differ, the factors
    of the cells tell how.
    """
    configs = [cell.config for cell in study.cells]
    pairs = {(config.train.search.algorithm, config.hparams) for config in configs}
    of_search = dict(pairs)
    if len(of_search) < len(pairs) or len(set(of_search.values())) == 1:
        return
    columns = {config.train.search.algorithm: _values(config) for config in configs}
    names = dict.fromkeys(name for column in columns.values() for name in column)
    differing = [name for name in names if len({c.get(name) for c in columns.values()}) > 1]
    published = {f"search.{k}": v for k, v in SearchHyperparameters()._asdict().items()}
    yield "## Hyperparameters"
    yield markdown_table(
        ["hyperparameter", *columns, "published"],
        [
            [name, *(_text(column.get(name)) for column in (*columns.values(), published))]
            for name in differing
        ],
    )
    yield _EXPLAIN


def _values(config: RunConfig) -> dict[str, Any]:
    """Returns the hyperparameters that a configuration uses, by their names."""
    values = to_dict(config.hparams)
    search = values.pop("search")
    used = used_hyperparameters(config.train.search.algorithm)
    return values | {f"search.{name}": search[name] for name in used}


def _text(value: float | None) -> str:
    return "" if value is None else f"{value:.4g}"
