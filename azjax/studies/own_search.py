"""Accuracy of every agent by its own search, with as many simulations as in evaluations."""

import jax
from rich.console import Console

from azjax.agents.agent import load_agent
from azjax.evaluation import are_best, choose_in
from azjax.runs.storage.restore import kept_networks
from azjax.runs.storage.run_folders import open_run
from azjax.studies.answers import OWN_SEARCH_FILE, Measured, measure_missing
from azjax.studies.study import COMMON_SEARCH, OWN_SEARCH, Study
from azjax.support.files.tables import Row


def measure_by_own_search(study: Study, evaluations: list[Row], console: Console) -> list[Row]:
    """Returns the evaluations with the accuracy of the same networks by their agent's own search.

    Where that is the common search, it is copied. An evaluation whose network is not kept has None.
    """
    if OWN_SEARCH not in study.accuracies:
        return evaluations
    common = study.evaluated_by_own_search
    rows = [
        row | {OWN_SEARCH: row[COMMON_SEARCH] if row["cell"] in common else None}
        for row in evaluations
    ]
    kept = {
        (cell, seed): set(kept_networks(open_run(study.run_path(cell, seed))))
        for cell, seed in dict.fromkeys((row["cell"], row["seed"]) for row in rows)
        if cell not in common
    }
    wanted = [row for row in rows if row["iteration"] in kept.get((row["cell"], row["seed"]), ())]
    answers = measure_missing(
        study, OWN_SEARCH_FILE, study.positions, wanted, lambda row: _measure(study, row), console
    )
    for row, measured in zip(wanted, answers, strict=True):
        row[OWN_SEARCH] = float(measured["search"].mean())
    return rows


def _measure(study: Study, row: Row) -> Measured:
    """Returns the answers by own search, with the simulations and keys of the evaluations."""
    _, num_simulations = study.evaluation
    player = load_agent(study.agent_name(row), num_simulations).player()
    chosen = choose_in(player, study.positions, len(jax.devices()))
    return {"search": are_best(study.positions, chosen)}
