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


def make_outcome(network, search, answers=None):
    accuracy = make_accuracy(21, network, search, exploitability=0.5)
    accuracy = dataclasses.replace(accuracy, answers=answers)
    row = {"iteration": 9, "seconds": 3.0, "accuracy_network": network, "accuracy_search": search}
    return Outcome([row], accuracy, 3.0, was_interrupted=False)


@pytest.fixture
def report(tmp_path, capsys, monkeypatch):
    """Returns `report(outcomes by name)`, the cells of the table that is printed."""
    monkeypatch.setattr("azjax.cli.train.report.plot_curves", lambda *arguments: None)

    def call(outcomes):
        runs = {}
        for name, outcome in outcomes.items():
            seed = int(name[-1])
            run = RunDirectory(tmp_path / name, "coins", RunConfig(), seed, 1, Limits(None, 9))
            runs[run] = outcome
        print_outcomes(tmp_path, runs, 4.0)
        lines = [line.split("│") for line in capsys.readouterr().out.splitlines()]
        return [[cell.strip() for cell in line[1:-1]] for line in lines if len(line) > 1]

    return call


def test_each_setting_has_the_mean_over_its_seeds_with_an_interval(report):
    outcomes = {f"rate=1,seed={i}": make_outcome(0.80 + 0.02 * i, 1.0) for i in range(3)}
    rows = report(outcomes | {"rate=2,seed=0": make_outcome(0.5, 0.6)})
    assert ["rate=1", "3", "network", "82.00%", "76.49% to 86.45%"] in rows
    assert ["rate=1", "3", "search", "100.00%", "range of 3 seeds: 100.00% to 100.00%"] in rows
    assert ["rate=2", "1", "network", "50.00%", ""] in rows


def test_an_interval_includes_the_sampling_of_positions(report):
    """The seeds answer 80, 82 and 84 of 100 positions, and the same ones at that."""
    right = [np.arange(100) < number for number in (80, 82, 84)]
    outcomes = {
        f"seed={seed}": make_outcome(one.mean(), 1.0, Answers(one, np.ones(100, bool)))
        for seed, one in enumerate(right)
    }
    found = estimate_share(np.array(right, float))
    assert found.low < 0.75  # of the seeds alone it is 0.765
    expected = f"{found.low:.2%} to {found.high:.2%}"
    assert ["all runs", "3", "network", "82.00%", expected] in report(outcomes)
