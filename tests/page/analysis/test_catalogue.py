import os
import shutil

import pytest

from azjax.agents.agent_file import shipped_agents
from azjax.page.analysis import catalogue
from azjax.page.analysis.catalogue import Agent, list_agents

from ..made_runs import add_checkpoint, make_run


@pytest.fixture
def runs(tmp_path):
    """Returns a folder with no agent but those that a test adds; the shipped ones are known."""
    catalogue._shipped()
    folder = tmp_path / "runs"
    folder.mkdir()
    return folder


def own(runs):
    return [agent for agent in list_agents(runs) if agent.kind != "shipped"]


def test_a_damaged_run_is_no_agent_even_if_it_has_a_checkpoint(runs):
    for name in ("right", "damaged", "new"):
        make_run(runs / name)
    for name in ("right", "damaged"):
        add_checkpoint(runs / name)
    (runs / "damaged" / "run.json").write_text("{")
    assert own(runs) == [Agent("runs/right", "tic_tac_toe", "run")]


def test_an_agents_file_is_read_again_only_when_it_has_changed(runs, monkeypatch):
    read, paths = catalogue.read_agent_file, []

    def counted(path):
        paths.append(path)
        return read(path)

    monkeypatch.setattr(catalogue, "read_agent_file", counted)
    file = runs / "mine.npz"
    shutil.copy(shipped_agents()["mnk_6_6_4"], file)
    expected = [Agent("runs/mine.npz", "mnk_6_6_4", "file")]
    assert own(runs) == own(runs) == expected
    assert paths == [file]
    os.utime(file, ns=(1, 1))
    assert own(runs) == expected
    assert paths == [file] * 2


def test_what_is_no_agents_file_or_is_gone_is_left_out(runs):
    (runs / "damaged.npz").write_bytes(b"PK")
    (runs / "gone.npz").symlink_to(runs / "nowhere")
    assert own(runs) == []
