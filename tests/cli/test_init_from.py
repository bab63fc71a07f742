"""Runs that begin from an agent's network: and how they are resumed."""

import shutil

import pytest
from command_line import Killed, assert_one_line, at_iteration, iterations, kill

from azjax.agents.agent import load_agent
from azjax.runs.storage.metrics_log import read_metrics
from azjax.runs.storage.orbax_folder import fingerprint
from azjax.runs.storage.run_description import read_description
from azjax.runs.storage.run_folders import open_run

pytestmark = pytest.mark.slow

LONGER = ("--iterations", "1", "--seed", "1")


def test_a_run_begins_from_a_run_and_says_so(azjax, train, trained, tmp_path):
    result = train(tmp_path / "run", "--init-from", f"{trained}@best", *LONGER)
    assert result.code == 0, result
    agent, initial = load_agent(f"{trained}@best"), load_agent(f"{tmp_path / 'run'}@0")
    assert fingerprint(initial.variables) == fingerprint(agent.variables)
    recorded = read_description(tmp_path / "run")["init_from"]
    assert recorded == {
        "name": f"{trained}@best",
        "game": "tic_tac_toe",
        "iteration": agent.iteration,
        "commit": agent.commit,
        "sha256": fingerprint(agent.variables),
        "grown": "",
        "was_chosen": True,
    }
    measured = {row["iteration"]: row for row in read_metrics(trained / "metrics.jsonl")}
    [first, _] = read_metrics(tmp_path / "run" / "metrics.jsonl")
    assert first["accuracy_search"] == measured[agent.iteration]["accuracy_search"]
    assert f"beginning from {open_run(tmp_path / 'run').init_from}\n" in result.out
    path = tmp_path / "agent.npz"
    assert azjax("export", tmp_path / "run", "--out", path).code == 0
    found = azjax("accuracy", path, "--simulations", "2", "--json").json
    assert found["init_from"]["name"] == f"{trained}@best"
    assert found["was_chosen"]  # as the agent was that its run began from


def test_a_run_killed_before_its_first_checkpoint_goes_on_without_its_agent(
    train, resume, trained, tmp_path, monkeypatch, azjax
):
    agent = shutil.copytree(trained, tmp_path / "agent")
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    assert train(whole, "--init-from", agent, *LONGER).code == 0
    with monkeypatch.context() as patch:
        at_iteration(patch, 0, kill)
        with pytest.raises(Killed):
            train(killed, "--init-from", agent, *LONGER)
    shutil.rmtree(agent)
    result = resume(killed)
    assert result.code == 0, result
    assert "no checkpoint yet: starting again from seed 1\n" in result.out
    assert f"beginning from {agent}" in result.out
    assert iterations(killed) == [0, 1]
    assert azjax("fingerprint", killed).out == azjax("fingerprint", whole).out


@pytest.mark.parametrize(
    ("preset", "arguments", "message"),
    [
        ("coins", (), "it plays tic_tac_toe, whose observations or actions are not those of coins"),
        ("tic_tac_toe", ("--network.channels", "8"), "network.channels=8: must be 16"),
    ],
)
def test_an_agent_that_does_not_fit_is_refused_in_one_line_before_a_folder_is_made(
    train, trained, tmp_path, monkeypatch, preset, arguments, message
):
    monkeypatch.setattr("azjax.runs.train.Slots", None)
    result = train(tmp_path / "run", "--init-from", trained, *arguments, preset=preset)
    assert_one_line(result, 2, message)
    assert not (tmp_path / "run").exists()
