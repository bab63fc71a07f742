"""The programs and the commands of the manual work as they are printed."""

import importlib
import pathlib
import re
import shlex
import sys

import jax
import numpy as np
import pytest
from command_line import call_main
from search.searching import (
    EvaluationParams,
    Searcher,
    legal_actions,
    random_positions,
    states_at,
    walk,
)

import azjax
from azjax.cli import main
from azjax.cli.train.options import parse_request
from azjax.config.plugin_flag import take_plugins
from azjax.training import RandomStarts, TrainConfig, init_train_state, train_iteration

ROOT = pathlib.Path(__file__).parents[1]
PAGES = [(ROOT / name).read_text() for name in ("README.md", "experiments/README.md")]
SECTIONS = dict(re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", PAGES[1], re.MULTILINE | re.DOTALL))
OF_COMPONENTS = [name for name in SECTIONS if "of your own" in name and "game" not in name]


def program(*sections):
    """Returns the program that some sections of the manual print."""
    blocks = (re.findall(r"```python\n(.*?)```", SECTIONS[name], re.DOTALL) for name in sections)
    return "\n\n".join(block for of_section in blocks for block in of_section)


def commands(text, name):
    """Returns the words of the commands of a name in the blocks of a text."""
    blocks = re.findall(r"^```\w*\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    lines = "\n".join(blocks).replace("\\\n", "").splitlines()
    lines = [line for line in lines if line.startswith(name)]
    return [shlex.split(line.removeprefix(name), comments=True) for line in lines]


@pytest.fixture
def folder(tmp_path, monkeypatch, registrations):
    """Returns the current folder, with the files of the manual."""
    (tmp_path / "race.py").write_text(program("A game of your own"))
    (tmp_path / "mine.py").write_text(program("Plug-ins", *OF_COMPONENTS))
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    for name in ("mine", "race"):
        sys.modules.pop(name, None)


@pytest.fixture
def mine(folder):
    return importlib.import_module("mine")


def test_the_game_of_the_manual_obeys_the_laws_and_is_solved(folder):
    race = importlib.import_module("race")
    with jax.numpy_rank_promotion("allow"):
        report = azjax.check_game(azjax.make("race"))
    assert report.warnings == ()
    assert report.max_positions == 22
    assert race.Race(target=5).max_moves == 5


def test_the_search_of_the_manual_selects_legal_moves(mine):
    game, states = azjax.make("tic_tac_toe"), random_positions("tic_tac_toe")
    find = Searcher(game, mine.Power(num_simulations=64).without_noise())
    params = EvaluationParams(variation=0.9, illegal_bonus=1000.0)
    legal = legal_actions(game, states)
    for exponent in (1.0, 8.0):
        result = find(states, params, exponent=exponent)
        assert legal[np.arange(len(legal)), result.action].all()
        assert (result.action_weights[~legal] == 0).all()
        edges = walk(result.tree)
        parents = states_at(result.tree, edges.tree, edges.parent)
        assert legal_actions(game, parents)[np.arange(len(edges.action)), edges.action].all()
        assert (edges.parent > 0).sum() > 50  # below the roots


def test_the_front_page_shows_a_part_of_the_manual():
    [text] = re.findall(r"(@azjax.register\n.*?)```", PAGES[0], re.DOTALL)
    assert text in program("A part of your own")


def test_the_components_of_the_manual_train_together(mine):
    config = TrainConfig(
        network=mine.Lines(channels=16, equivariant=True, value_features=16, policy_planes=8),
        search=mine.Power(num_simulations=4),
        algorithm=mine.Mixed(),
        optimizer=mine.Muon(),
        parts=(RandomStarts(), mine.Played()),
    )
    state = jax.eval_shape(init_train_state, config, jax.random.key(0))
    after, _ = jax.eval_shape(train_iteration, config, state, np.float32(0))
    assert after == state


@pytest.mark.parametrize(
    "words", [words for page in PAGES for words in commands(page, "azjax train ")], ids=" ".join
)
def test_a_training_command_has_flags_that_there_are(words, folder):
    if "--resume" not in words and "runs/longer" not in words:
        assert parse_request(take_plugins(words)).preset.config


@pytest.mark.slow
@pytest.mark.parametrize("section", ["Plug-ins", *OF_COMPONENTS])
def test_the_commands_on_the_examples_of_the_manual_run(section, folder, capfd):
    for words in commands(SECTIONS[section], "azjax "):
        short = {"train": ["--iterations", "1"], "evaluate": ["--games", "2"]}
        result = call_main(main, [*words, *short[words[0]]], capfd)
        told = [line for line in result.err.splitlines() if "left out" not in line]
        assert (result.code, told) == (0, []), words
