"""`azjax accuracy` on the positions that come with azjax; the agent's moves are given."""

import csv

import numpy as np
import pytest

import azjax.agents.agent as agent_module
from azjax.agents.agent import load_agent
from azjax.evaluation import AccuracyCheck, Choices, find_positions
from azjax.games import make


class FixedChoices(AccuracyCheck):
    """The check of an agent that plays the fourth column with search, and without the third.

    It takes every position for won where it is asked for values.
    """

    def choose(self, variables):
        size, num_actions = self.positions.is_best.shape
        return Choices(np.full(size, 2), np.full(size, min(3, num_actions - 1)))


@pytest.fixture(autouse=True)
def fixed_choices(monkeypatch):
    monkeypatch.setattr("azjax.cli.accuracy.AccuracyCheck", FixedChoices)


def test_json_says_where_the_positions_come_from_and_what_random_play_achieves(azjax):
    found = azjax("accuracy", "connect_four", "--json").json
    assert found["positions"] == 1000
    assert found["source"].startswith("connect_four.csv, sha256 ")
    assert found["random"] == pytest.approx(0.3803, abs=5e-5)
    assert found["half"] is None
    assert found["commit"] == load_agent("connect_four").commit != "unknown"


def test_an_agent_that_was_chosen_is_measured_on_the_test_half(azjax, tmp_path, monkeypatch):
    read = agent_module.read_agent_file

    def read_chosen(path):
        file = read(path)
        return file._replace(about=file.about | {"was_chosen": True})

    monkeypatch.setattr(agent_module, "read_agent_file", read_chosen)
    positions = find_positions(make("connect_four"))
    test = positions.take(~positions.in_validation)
    found = azjax("accuracy", "connect_four", "--json").json
    assert found["half"] == "test"
    assert found["positions"] == len(test.is_best) == 500
    assert (found["network"], found["search"]) == tuple(test.is_best.mean(axis=0)[[2, 3]])
    assert found["random"] == test.random
    file = tmp_path / "errors.csv"
    result = azjax("accuracy", "connect_four", "--errors", file)
    assert " of 500 (" in result.out
    by_network = [row for row in read_rows(file) if row["network_is_wrong"] == "True"]
    assert len(by_network) == round(500 * (1 - found["network"]))


def read_rows(file):
    with file.open(newline="") as lines:
        return list(csv.DictReader(lines))


def test_errors_are_written_and_counted(azjax, tmp_path):
    file = tmp_path / "errors.csv"
    result = azjax("accuracy", "connect_four", "--errors", file)
    assert (result.code, result.err) == (0, "")
    rows = read_rows(file)
    by_search = [row for row in rows if row["search_is_wrong"] == "True"]
    by_both = [row for row in by_search if row["network_is_wrong"] == "True"]
    assert 0 < len(by_both) < len(by_search) < len(rows) < 1000
    assert {(row["network"], row["search"]) for row in rows} == {("3", "4")}
    assert all("4" not in row["best"].split() for row in by_search)
    of_network = len(rows) - len(by_search) + len(by_both)
    counts = f"in {len(by_search)} positions, by the network alone in {of_network}"
    assert f"errors with search {counts}" in result.out


def test_a_file_of_scores_alone_measures_values(azjax, tmp_path):
    (tmp_path / "Test_L3").write_text("44455 -2\n44 3\n43 0\n4355 1\n")
    file = tmp_path / "errors.csv"
    shared = ("accuracy", "connect_four", "--truth", tmp_path / "Test_L3")
    result = azjax(*shared, "--errors", file)
    assert (result.code, result.err) == (0, "")
    assert "2 of 4 (50.00%)" in result.out
    assert "that of 50.00% of these positions" in result.out
    rows = [line.split(",")[1:4] for line in file.read_text().splitlines()[1:]]
    assert rows == [["win", "win", "loss"], ["win", "win", "draw"]]
    assert azjax(*shared, "--json").json["measured"] == "values"
