"""Accuracy of every agent by its own search: that of the evaluations with its own algorithm."""

import pathlib

import jax
from rich.console import Console

from azjax.agents.agent import load_agent
from azjax.evaluation import accuracy, choose_actions
from azjax.runs.restore import kept_networks
from azjax.runs.run_directory import open_run
from azjax.studies.progress import counted_steps
from azjax.studies.study import COMMON_SEARCH, NETWORK, OWN_SEARCH, Study
from azjax.support.tables import Row, read_table, write_table


def measure_by_own_search(study: Study, evaluations: list[Row], console: Console) -> list[Row]:
    """Returns the evaluations with the accuracy of the same networks by their agent's own search.

    Every measurement is saved in curves.csv, from where later sessions read it. An evaluation whose
    network is not kept has None.

    Args:
      study: The study.
      evaluations: The evaluations by the common search.
      console: Shows progress.
    """
    if OWN_SEARCH not in study.accuracies:
        return evaluations
    path = study.path / "curves.csv"
    known = _read_known(path)
    rows = [row | {OWN_SEARCH: known.get(_key(row))} for row in evaluations]
    algorithms = {cell.name: cell.config.train.search.algorithm for cell in study.cells}
    common, _ = study.evaluation
    for row in rows:
        if algorithms[row["cell"]] == common:
            row[OWN_SEARCH] = row[COMMON_SEARCH]
    missing = [row for row in _with_networks(study, rows) if row[OWN_SEARCH] is None]
    if missing:
        with counted_steps(console, "accuracy by own search", len(missing)) as advance:
            for row in missing:
                row[OWN_SEARCH] = _measure(study, row, algorithms[row["cell"]])
                write_table(path, rows)
                advance()
    return rows


def _measure(study: Study, row: Row, algorithm: str) -> float:
    """Returns the accuracy by an algorithm, with the simulations and keys of the evaluations."""
    positions, (_, num_simulations) = study.positions, study.evaluation
    name = f"{study.run_path(row['cell'], row['seed'])}@{row['iteration']}"
    player = load_agent(name, num_simulations, algorithm).player()
    keys = jax.random.split(jax.random.key(0), len(positions.is_best))
    actions = choose_actions(player, positions.states, keys, len(jax.devices()))
    return accuracy(positions, actions)


def _with_networks(study: Study, rows: list[Row]) -> list[Row]:
    """Returns the rows whose networks the runs' histories keep."""
    kept = {
        (cell, seed): set(kept_networks(open_run(study.run_path(cell, seed))))
        for cell, seed in dict.fromkeys((row["cell"], row["seed"]) for row in rows)
    }
    return [row for row in rows if row["iteration"] in kept[row["cell"], row["seed"]]]


def _read_known(path: pathlib.Path) -> dict[tuple, float]:
    rows = read_table(path) if path.exists() else []
    return {_key(row): row[OWN_SEARCH] for row in rows if row.get(OWN_SEARCH, "") != ""}


def _key(row: Row) -> tuple:
    """Returns what identifies a network: a run that failed and began again has other accuracies."""
    return tuple(row[name] for name in ("cell", "seed", "iteration", COMMON_SEARCH, NETWORK))
