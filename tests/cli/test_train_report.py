"""The results of several runs, from outcomes that no training made."""

import dataclasses

import numpy as np
import pytest
from command_line import make_accuracy

from azjax.cli.train.report import print_outcomes
from azjax.config.limits import Limits
from azjax.config.run_config import RunConfig
from azjax.evaluation import Answers, estimate_share
from azjax.runs.session import Outcome
from azjax.runs.storage.run_directory import RunDirectory


def make_run(folder, name, seed):
    return RunDirectory(folder / name, "coins", RunConfig(), seed, 1, Limits(None, 9))


def make_outcome(network, search, error=None, answers=None):
    accuracy = make_accuracy(21, network, search, exploitability=0.5)
    accuracy = dataclasses.replace(accuracy, answers=answers)
    row = {"iteration": 9, "seconds": 3.0, "accuracy_network": network, "accuracy_search": search}
    return Outcome([row], accuracy, 3.0, was_interrupted=False, error=error)


@pytest.fixture
def report(tmp_path, capsys, monkeypatch):
    """Returns `report(outcomes by name)`: the printed words, and the settings that are plotted."""
    plotted = {}
    monkeypatch.setattr(
        "azjax.cli.train.report.plot_population",
        lambda settings, path, title: plotted.update(
            {name: len(x) for name, x in settings.items()}
        ),
    )

    def call(outcomes):
        seeds = {name: int(name[-1]) if "seed=" in name else 0 for name in outcomes}
        runs = {make_run(tmp_path, name, seeds[name]): x for name, x in outcomes.items()}
        print_outcomes(tmp_path, runs, 4.0)
        printed = capsys.readouterr().out.splitlines()
        notes = [line for line in printed if line.startswith("optimal: ")]
        lines = [line.split("│") for line in printed]
        rows = [[cell.strip() for cell in line[1:-1]] for line in lines if len(line) > 1]
        return rows, plotted, notes

    return call


def test_each_setting_has_the_mean_over_its_seeds_with_an_interval(report):
    rows, plotted, notes = report(
        {
            "rate=1,seed=0": make_outcome(0.80, 1.0),
            "rate=1,seed=1": make_outcome(0.82, 1.0),
            "rate=1,seed=2": make_outcome(0.84, 1.0),
            "rate=2,seed=0": make_outcome(0.5, 0.6),
        }
    )
    assert ["rate=1", "3", "network", "82.00%", "76.49% to 86.45%"] in rows
    assert ["rate=1", "3", "search", "100.00%", "range of 3 seeds: 100.00% to 100.00%"] in rows
    assert ["rate=2", "1", "network", "50.00%", ""] in rows
    assert plotted == {"rate=1": 3, "rate=2": 1}
    (note,) = notes
    assert "uniform random play has 50.0% on the same positions" in note
    assert "matters in 75.0% of them" in note


def test_an_interval_includes_the_sampling_of_positions(report):
    """The seeds answer 80, 82 and 84 of 100 positions, and the same ones at that."""
    right = [np.arange(100) < number for number in (80, 82, 84)]
    outcomes = {
        f"seed={seed}": make_outcome(one.mean(), 1.0, answers=Answers(one, np.ones(100, bool)))
        for seed, one in enumerate(right)
    }
    found = estimate_share(np.array(right, float))
    assert found.low < 0.75  # of the seeds alone it is 0.765
    expected = f"{found.low:.2%} to {found.high:.2%}"
    assert ["all runs", "3", "network", "82.00%", expected] in report(outcomes)[0]
