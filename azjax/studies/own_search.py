"""Accuracy of every agent by its own search, with as many simulations as in evaluations."""

import pathlib

import jax
import numpy as np
from rich.console import Console

from azjax.agents.agent import load_agent
from azjax.evaluation import are_best, choose_in
from azjax.runs.storage.restore import kept_networks
from azjax.runs.storage.run_folders import open_run
from azjax.studies.answers import Network, network_of, read_own_search, write_own_search
from azjax.studies.progress import counted_steps
from azjax.studies.study import COMMON_SEARCH, OWN_SEARCH, Study
from azjax.support.errors import InputError
from azjax.support.files.tables import Row, read_table, write_table


def measure_by_own_search(study: Study, evaluations: list[Row], console: Console) -> list[Row]:
    """Returns the evaluations with the accuracy of the same networks by their agent's own search.

    Every measurement is saved in curves.csv, from where later sessions read it, after its answers.
    An evaluation whose network is not kept has None.

    Args:
      study: The study.
      evaluations: The evaluations by the common search.
      console: Shows progress.
    """
    if OWN_SEARCH not in study.accuracies:
        return evaluations
    path = study.path / "curves.csv"
    rows = _fill_in_known(study, evaluations, _read_measurements(path))
    missing = [row for row in _with_networks(study, rows) if row[OWN_SEARCH] is None]
    if missing:
        answers = read_own_search(study)
        with counted_steps(console, "accuracy by own search", len(missing)) as advance:
            for row in missing:
                is_right = _measure(study, row)
                study.check_owner()
                answers[network_of(row)] = is_right
                write_own_search(study, answers)
                row[OWN_SEARCH] = float(is_right.mean())
                write_table(path, rows)
                advance()
    return rows


def _fill_in_known(study: Study, evaluations: list[Row], known: dict[Network, float]) -> list[Row]:
    """Returns the evaluations with what is known of their accuracies by own search, else None."""
    common = study.evaluated_by_own_search
    return [
        row
        | {OWN_SEARCH: row[COMMON_SEARCH] if row["cell"] in common else known.get(network_of(row))}
        for row in evaluations
    ]


def _measure(study: Study, row: Row) -> np.ndarray:
    """Returns the answers by own search, with the simulations and keys of the evaluations."""
    _, num_simulations = study.evaluation
    player = load_agent(study.agent_name(row), num_simulations).player()
    return are_best(study.positions, choose_in(player, study.positions, len(jax.devices())))


def _with_networks(study: Study, rows: list[Row]) -> list[Row]:
    """Returns the rows whose networks the runs' histories keep."""
    kept = {
        (cell, seed): set(kept_networks(open_run(study.run_path(cell, seed))))
        for cell, seed in dict.fromkeys((row["cell"], row["seed"]) for row in rows)
    }
    return [row for row in rows if row["iteration"] in kept[row["cell"], row["seed"]]]


def _read_measurements(path: pathlib.Path) -> dict[Network, float]:
    rows = read_table(path) if path.exists() else []
    try:
        return {
            network_of(row): float(row[OWN_SEARCH]) for row in rows if row.get(OWN_SEARCH, "") != ""
        }
    except (KeyError, ValueError) as error:
        raise InputError(f"{path} is damaged ({error}): delete it to go on without") from error
