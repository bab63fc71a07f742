import shutil

import pytest
from command_line import at_iteration, interrupt, read_rows

from azjax.agents.agent import load_agent
from azjax.runs.storage.checkpoints import restore
from azjax.runs.storage.orbax_folder import fingerprint
from azjax.runs.storage.run_folders import open_run

pytestmark = pytest.mark.slow

GATING = ("--parts", "random_starts", "gating", "--gating.games", "4")


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    return tmp_path_factory.mktemp("gated")


@pytest.fixture
def gated(train, runs):
    """Returns the folder of a gated run of four iterations, trained once."""
    folder = runs / "whole"
    if not folder.exists():
        assert train(folder, "--iterations", "4", *GATING).code == 0
    return folder


def test_the_games_of_the_gate_are_a_part_of_training(gated):
    before = 0.0
    for row in read_rows(gated):
        added = row.get("iteration_seconds", 0) + row.get("gating_seconds", 0)
        assert row["seconds"] - before == pytest.approx(added, abs=0.01)
        before = row["seconds"]
    assert read_rows(gated)[-1]["gating_seconds"] > 0


def test_evaluations_between_gates_do_not_change_the_run(
    azjax, train, gated, tmp_path, monkeypatch
):
    monkeypatch.setattr("azjax.runs.evaluation.endings._EVALUATIONS_PER_RUN", 8)
    folder = tmp_path / "run"
    assert train(folder, "--iterations", "4", *GATING).code == 0
    evaluated = [row["iteration"] for row in read_rows(folder) if "accuracy_search" in row]
    assert evaluated == [0, 1, 2, 3, 4]
    assert [row["iteration"] for row in read_rows(folder) if "gate_score" in row] == [2, 4]
    assert azjax("fingerprint", folder) == azjax("fingerprint", gated)


def test_a_gated_run_in_two_parts_is_the_run_in_one(
    azjax, train, resume, gated, tmp_path, monkeypatch
):
    """The first part may end anywhere: the best network changes at evaluations only."""
    folder = tmp_path / "run"
    with monkeypatch.context() as patch:
        at_iteration(patch, 2, interrupt)  # after the third

        assert train(folder, "--iterations", "4", *GATING).code == 130
    assert resume(folder, "--iterations", "4").code == 0
    assert azjax("fingerprint", folder) == azjax("fingerprint", gated)


def test_the_best_network_is_the_agent_of_a_gated_run(azjax, gated, tmp_path):
    """History holds the networks that played, and the run's agent is the last of them."""
    folder = shutil.copytree(gated, tmp_path / "run")
    newest = azjax("accuracy", folder, "--simulations", "2", "--json").json
    shutil.rmtree(folder / "checkpoints" / "4")
    of_history = azjax("accuracy", f"{folder}@4", "--simulations", "2", "--json").json
    assert of_history | {"run": newest["run"]} == newest


def test_a_network_that_none_beats_stays_the_agent(train, tmp_path, monkeypatch):
    monkeypatch.setattr("azjax.runs.evaluation.gating._NEEDED_SCORE", 2.0)
    folder = tmp_path / "run"
    assert train(folder, "--iterations", "2", *GATING).code == 0
    state = restore(open_run(folder), "newest").state
    first, agent = load_agent(f"{folder}@0"), load_agent(folder)
    assert fingerprint(agent.variables) == fingerprint(state.best)
    assert fingerprint(agent.variables) == fingerprint(first.variables)
    assert fingerprint(agent.variables) != fingerprint(state.learner.ema_variables)
    for accuracy in ("accuracy_network", "accuracy_search"):
        assert read_rows(folder)[2][accuracy] == read_rows(folder)[0][accuracy]
