import json
import os
import sys
import types

import pytest

from azjax.config.plugin_flag import take_plugins
from azjax.page.training import processes
from azjax.page.training.controls import Controls, read_request
from azjax.runs.storage.run_notes import RunNotes
from azjax.support.errors import InputError
from azjax.support.files.ownership import owned

from ..made_runs import add_plugin, make_row, make_run


@pytest.fixture
def controls(runs, monkeypatch):
    made = Controls(runs)
    made.started = []
    monkeypatch.setattr(made.jobs, "start", lambda *job: made.started.append(job))
    return made


def test_a_new_training_has_the_plugins_of_the_page(controls, runs, monkeypatch):
    monkeypatch.setitem(sys.modules, "own_game", types.ModuleType("own_game"))
    assert take_plugins(["--plugin", "own_game", "--port", "1"]) == ["--port", "1"]
    controls.start(read_request("tic_tac_toe", "new"))
    flags = ["--plugin", "own_game", "--out", str(runs / "new")]
    assert controls.started == [("new", ["train", "tic_tac_toe", *flags])]


@pytest.mark.parametrize(("name", "flags"), [("taken", ""), ("new", "--num-games 0")])
def test_a_wrong_request_starts_nothing(controls, runs, name, flags):
    make_run(runs / "taken")
    with pytest.raises(InputError):
        controls.start(read_request("tic_tac_toe", name, flags))
    assert controls.started == []


def test_a_run_and_a_population_go_on(controls, runs):
    for seed in range(2):
        make_run(runs / "pop" / f"seed={seed}", [make_row(39 + seed)], seed=seed)
    for name in ("pop", "pop/seed=0"):
        controls.resume(name)
    assert controls.started == [
        (name, ["train", "tic_tac_toe", "--resume", "--out", str(runs / name)])
        for name in ("pop", "pop/seed=0")
    ]


@pytest.mark.parametrize("name", ["finished", "none", "trained"])
def test_what_cannot_go_on_is_told(controls, runs, name):
    make_run(runs / "finished", [make_row(40)])
    make_run(runs / "trained", [make_row(3)])
    with owned(runs / "trained"), pytest.raises(InputError):
        controls.resume(name)
    assert controls.started == []


def test_a_run_goes_on_with_the_plugins_of_the_page_alone(controls, runs, monkeypatch):
    add_plugin(make_run(runs / "one", [make_row(3)]), "own_game")
    with pytest.raises(InputError, match="start azjax serve --plugin own_game"):
        controls.resume("one")
    assert controls.started == []
    monkeypatch.setitem(sys.modules, "own_game", types.ModuleType("own_game"))
    controls.resume("one")
    flags = ["--resume", "--plugin", "own_game", "--out", str(runs / "one")]
    assert controls.started == [("one", ["train", "tic_tac_toe", *flags])]


def test_a_run_has_a_name_and_notes_and_is_deleted(controls, runs):
    make_run(runs / "pop" / "seed=1")
    make_run(runs / "pop" / "seed=0")
    controls.note("pop/seed=0", RunNotes("wide\n net", "# why\nto see"))
    run, other = controls.monitor.look()
    assert (run.notes, other.notes) == (RunNotes("wide net", "# why\nto see"), RunNotes())
    with owned(run.path), pytest.raises(InputError, match="in use"):
        controls.delete("pop/seed=0")
    for name in ("pop", "../runs", ""):
        with pytest.raises(InputError):
            controls.delete(name)
    (run.path / ".owner").write_text(json.dumps({"host": "elsewhere"}))
    with pytest.raises(InputError, match="in use"):
        controls.delete("pop/seed=0")
    (run.path / ".owner").unlink()
    controls.delete("pop/seed=0")
    assert [one.name for one in controls.monitor.look()] == ["pop/seed=1"]
    assert (run.path.exists(), other.path.exists()) == (False, True)


def own_later(folder):
    """Lets an owner have taken a folder a second later than the others of its process."""
    file = folder / ".owner"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"since": "2099-01-01 00:00:00 UTC"}))


def states(controls):
    return {run.name: run.state for run in controls.monitor.look()}


def test_a_population_is_stopped_by_one_signal_to_its_process(controls, runs, monkeypatch):
    stopped = []
    monkeypatch.setattr(processes, "stop_training", stopped.append)
    for seed in range(2):
        make_run(runs / "pop" / f"seed={seed}", [make_row(3)], seed=seed)
    with pytest.raises(InputError, match="nobody trains pop"):
        controls.stop("pop")
    with owned(runs / "pop" / "seed=0"), owned(runs / "pop" / "seed=1"):
        own_later(runs / "pop" / "seed=1")
        assert "stopping" not in states(controls).values()
        controls.stop("pop/seed=0")
        for name in ("pop", "pop/seed=0", "pop/seed=1"):
            with pytest.raises(InputError, match=f"{name} is stopping already"):
                controls.stop(name)
        assert states(controls) == dict.fromkeys(("pop/seed=0", "pop/seed=1"), "stopping")
    assert [owner.pid for owner in stopped] == [os.getpid()]
