"""Agents in single files: they play as their runs, and are found wherever runs are."""

import json
import pathlib
import shutil
import zipfile

import jax
import numpy as np
import pytest
from command_line import assert_one_line

import azjax.agents.agent_file as agent_file
from azjax import games
from azjax.agents.agent import load_agent
from azjax.agents.agent_file import read_agent_file, shipped_agents, write_agent_file
from azjax.runs.storage.run_folders import open_run
from azjax.search import PUCT, Gumbel
from azjax.support.errors import InputError
from azjax.support.provenance.commit import package_commit

pytestmark = pytest.mark.slow

OLDER = pathlib.Path(__file__).parents[1] / "data" / "agent_of_format_3.npz"


@pytest.fixture
def exported(azjax, trained, tmp_path):
    path = tmp_path / "agent.npz"
    result = azjax("export", trained, "--out", path)
    assert (result.code, result.err) == (0, "")
    assert f"wrote {path}" in result.out
    return path


@pytest.mark.parametrize(("suffix", "was_chosen"), [("@best", True), ("@6", False)])
def test_a_file_records_whether_its_network_was_chosen(
    azjax, trained, tmp_path, suffix, was_chosen
):
    path = tmp_path / "agent.npz"
    assert azjax("export", f"{trained}{suffix}", "--out", path).code == 0
    assert load_agent(path, simulations=4).was_chosen == was_chosen


def rewrite(path, **changes):
    with np.load(path) as archive:
        arrays = dict(archive) | changes
    np.savez(path, **arrays)


def test_a_file_holds_the_network_of_its_run_in_half_precision(trained, exported):
    run, file = (load_agent(str(path), simulations=4) for path in (trained, exported))
    assert (file.search_agent, file.iteration) == (run.search_agent, run.iteration)
    for one, other in zip(*map(jax.tree.leaves, (file.variables, run.variables)), strict=True):
        assert one.dtype == np.float32
        np.testing.assert_allclose(one, other, rtol=1e-3, atol=1e-6)


def test_a_file_records_how_it_was_made(trained, exported):
    about = read_agent_file(exported).about
    made = json.loads((trained / "run.json").read_text())
    assert {key: about[key] for key in made} == made
    [session] = about["sessions"]
    assert (session["iteration"], session["limits"]["iterations"]) == (0, 6)
    assert session["commit"] == about["commit"] == package_commit()
    last = json.loads((trained / "metrics.jsonl").read_text().splitlines()[-1])
    assert (about["iteration"], about["metrics"]) == (6, last)


def test_a_shipped_agent_is_loaded_by_its_name(azjax, exported, trained, tmp_path, monkeypatch):
    monkeypatch.setattr(agent_file, "_SHIPPED", tmp_path)
    assert load_agent("agent", simulations=4).iteration == 6
    assert "mlp 16x1" in azjax("agents").out
    assert_one_line(azjax("accuracy", "agnt"), 2, "agnt", "did you mean 'agent'?")
    assert_one_line(azjax("play", "none"), 2, "no player 'none'", ", agent, ", "a FILE.npz")
    monkeypatch.chdir(tmp_path)
    shutil.copytree(trained, "agent")  # a run of that name takes precedence
    (tmp_path / "agent" / "metrics.jsonl").unlink()
    assert azjax("export", "agent", "--out", "again.npz").code == 0
    assert read_agent_file(tmp_path / "again.npz").about["metrics"] == {}


def flip_a_bit(path):
    """Flips one bit of the largest array, as the archive's headers have unused bits."""
    with zipfile.ZipFile(path) as archive:
        largest = max(archive.infolist(), key=lambda member: member.compress_size)
    data = bytearray(path.read_bytes())
    data[largest.header_offset + largest.compress_size // 2] ^= 1
    path.write_bytes(data)


def change_about(channels=16, **changes):
    def change(path):
        with np.load(path) as archive:
            about = json.loads(str(archive["about"])) | changes
        about["config"]["network"]["channels"] = channels
        rewrite(path, about=np.array(json.dumps(about)))

    return change


def change_bias(bias):
    return lambda path: rewrite(path, **{"params/stem/bias": bias})


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda path: path.write_text("no archive"), "is damaged (it is no archive)"),
        (flip_a_bit, "is no agent's file, or is damaged"),
        (change_about(network_version=2), "networks of version 2, and this azjax has version"),
        (change_about(channels=10**9), "network.channels=1000000000: must be at most"),
        (change_bias(np.full(16, np.nan, np.float16)), "its arrays are not finite numbers"),
    ],
    ids=["text", "bit", "version 2", "size", "nan"],
)
def test_an_unreadable_file_is_reported_in_one_line(azjax, exported, damage, words):
    damage(exported)
    assert_one_line(azjax("play", exported), 2, exported, words)


def test_numbers_beyond_half_precision_are_not_written(trained, tmp_path):
    agent, path = load_agent(str(trained), simulations=1), tmp_path / "agent.npz"
    large = jax.tree.map(lambda x: x + 1e6, agent.variables)
    with pytest.raises(InputError, match="beyond half precision"):
        write_agent_file(path, open_run(trained), large, 6)
    assert not path.exists()


@pytest.mark.parametrize("name", shipped_agents())
def test_every_shipped_agent_loads_for_its_game(name):
    assert load_agent(name, simulations=1).game == games.make(name)


def test_a_file_of_format_3_is_refused():
    with pytest.raises(InputError, match="it is of an older azjax"):
        read_agent_file(OLDER)


def test_another_search_of_an_agent_keeps_what_both_have():
    own = load_agent("othello", simulations=9).search_config
    assert own == Gumbel(9, proven_values=True, gumbel_scale=0.0)
    puct = load_agent("othello", simulations=9, search="puct").search_config
    assert puct == PUCT(9, proven_values=True, dirichlet_fraction=0.0)
    assert load_agent("othello", search="policy").search_config.simulations_made == 0
