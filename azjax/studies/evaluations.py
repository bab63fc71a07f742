"""The evaluations of all runs of a study as one tidy table."""

from collections.abc import Iterator

from azjax.runs.storage.metrics_log import read_metrics
from azjax.runs.storage.run_folders import open_run
from azjax.studies.study import COMMON_SEARCH, EXPLOITABILITY, NETWORK, Study
from azjax.support.files.tables import Row

AXES = ("positions", "simulations", "seconds")
_ACCURACIES = (COMMON_SEARCH, NETWORK)  # that training measures
_DATA = ("policy_entropy", "distinct_positions")  # of self-play, missing before the first iteration


def read_evaluations(study: Study) -> list[Row]:
    """Returns a row for each evaluation, by cell and seed, in the order of iterations.

    The seconds are those of training, without compiling, evaluation and saving.
    """
    return [
        {"cell": cell.name, **cell.factors, "seed": seed, **_columns(row)}
        for cell in study.cells
        for seed in study.seeds
        for row in _with_simulations(
            read_metrics(open_run(study.run_path(cell.name, seed)).metrics),
            cell.config.train.positions_per_iteration,
        )
        if row.get(COMMON_SEARCH) is not None
    ]


def final_evaluations(evaluations: list[Row]) -> list[Row]:
    """Returns the last evaluation of each run."""
    return list({(row["cell"], row["seed"]): row for row in evaluations}.values())


def _with_simulations(rows: list[Row], positions_per_iteration: int) -> Iterator[Row]:
    """Yields the rows of all iterations with the simulations of self-play so far."""
    simulations = 0.0
    for row in rows:
        if row["iteration"] > 0:
            simulations += row["simulations_per_move"] * positions_per_iteration
        yield row | {"simulations": round(simulations)}


def _columns(row: Row) -> Row:
    return {
        "iteration": row["iteration"],
        "positions": row["positions"],
        "simulations": row["simulations"],
        "seconds": row["seconds"],
        **{name: row[name] for name in _ACCURACIES},
        **{name: row.get(name) for name in _DATA},
        **{name: row[name] for name in (EXPLOITABILITY,) if name in row},
    }
