"""Plug-ins on the command line: what a user's own module registers is found, and found again."""

import json
import pathlib
import shutil
import sys

import pytest
from command_line import assert_one_line, iterations

from azjax.cli.train.options import parse_request
from azjax.config.fields import with_fields
from azjax.config.limits import Limits
from azjax.config.presets import get_preset
from azjax.config.stored_config import store_config
from azjax.runs.storage.run_description import plugins_of
from azjax.runs.storage.run_directory import RunDirectory
from azjax.runs.storage.run_folders import create_run
from azjax.support import registry
from azjax.support.plugins import Plugin, load_plugin

PLUGIN = pathlib.Path(__file__).with_name("own_nim.py")
OWN = {
    "algorithm.name": "own_alphazero",
    "optimizer.name": "own_adamw",
    "parts": ("random_starts", "own_part"),
}


@pytest.fixture
def folder(tmp_path, monkeypatch, registrations):
    """Returns the current folder, which holds the plug-in; it is not imported yet."""
    shutil.copy(PLUGIN, tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [p for p in sys.path if p != str(PLUGIN.parent)])
    monkeypatch.delitem(sys.modules, "own_nim", raising=False)
    yield tmp_path
    sys.modules.pop("own_nim", None)


def forget(module):
    """Forgets a plug-in and what it has registered, as another process knows nothing of it."""
    del sys.modules[module]
    for one in registry._REGISTRIES.values():
        for name in one.names():
            if one.plugin(name) == module:
                del one._entries[name]


@pytest.mark.slow
def test_a_run_of_a_plugin_is_found_again_without_naming_it_and_from_another_folder(
    azjax, folder, tmp_path_factory, monkeypatch
):
    flags = ("--algorithm.name", "own_alphazero", "--optimizer.name", "own_adamw")
    parts = ("--parts", "random_starts", "own_part")
    trained = azjax("train", "own_nim", "--plugin", "own_nim", *flags, *parts)
    assert (trained.code, trained.err) == (0, "")
    assert "own_nim, seed 0" in trained.out
    run = folder / "runs" / "own_nim"
    described = json.loads((run / "run.json").read_text())
    assert described["plugins"] == [{"module": "own_nim", "folder": str(folder)}]
    hints = [line.split()[1:] for line in trained.out.splitlines() if line.startswith("  azjax ")]
    assert [hint[0] for hint in hints] == ["play", "evaluate", "accuracy"]
    for hint in hints[1:]:
        result = azjax(*hint)
        assert (result.code, result.err) == (0, ""), hint
    exported = azjax("export", "runs/own_nim")
    assert "`azjax play own_nim.npz --plugin own_nim`" in exported.out

    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    forget("own_nim")
    asked = azjax("accuracy", folder / "own_nim.npz")
    assert_one_line(asked, 2, "needs the plug-in own_nim: add --plugin own_nim")
    found = azjax("accuracy", run, "--simulations", "2")
    assert (found.code, found.err) == (0, "")
    forget("own_nim")
    resumed = azjax("train", "--resume", "--out", run, "--iterations", "3")
    assert (resumed.code, resumed.err, iterations(run)) == (0, "", [0, 1, 2, 3])


@pytest.mark.parametrize(
    "part",
    [
        {"game": "own_nim", "network.equivariant": False},
        {"network.name": "one_layer", "network.equivariant": False},
        {"algorithm.name": "own_alphazero"},
        {"optimizer.name": "own_adamw"},
        {"parts": ["random_starts", "own_part"]},
        {"search.name": "own_puct", "evaluation.search.name": "puct"},
        {"evaluation.search.name": "own_puct"},
    ],
    ids=lambda part: next(iter(part)),
)
def test_each_part_names_its_plugin(folder, part):
    load_plugin("own_nim")
    config = get_preset("tic_tac_toe").config
    assert plugins_of(config) == []
    assert plugins_of(with_fields(config, part)) == [Plugin("own_nim", str(folder))]


@pytest.mark.parametrize("arguments", [(), ("--out=other",)])
def test_a_resume_loads_the_plugins_that_the_run_records(folder, arguments):
    load_plugin("own_nim")
    config = with_fields(get_preset("own_nim").config, OWN)
    path = pathlib.Path("other" if arguments else "runs/own_nim")
    create_run(RunDirectory(path, "own_nim", config, 0, 1, Limits(iterations=2)))
    forget("own_nim")
    found = parse_request(["own_nim", "--resume", *arguments]).preset.config
    assert store_config(found) == store_config(config)
    assert plugins_of(found) == [Plugin("own_nim", str(folder))]


def test_a_game_that_breaks_a_law_is_not_trained(azjax, folder):
    step, wrong = "super().step(state, action)", "._replace(rewards=1 + 0 * state.rewards)"
    text = (folder / "own_nim.py").read_text()
    (folder / "own_nim.py").write_text(text.replace(step, step + wrong))
    result = azjax("train", "own_nim", "--plugin", "own_nim")
    assert_one_line(result, 2, "own_nim breaks the law that", "rewards", "in position")
    assert not (folder / "runs").exists()
