"""The programs and the commands of the manual work as they are printed."""

import importlib
import pathlib
import re
import shlex
import sys
import tomllib

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
from azjax.config.fields import with_fields
from azjax.config.plugin_flag import take_plugins
from azjax.config.presets import get_preset, preset_names
from azjax.training import RandomStarts, TrainConfig, init_train_state, train_iteration

ROOT = pathlib.Path(__file__).parents[1]
MANUAL = ROOT / "experiments" / "manual"
FRONT_PAGE = (ROOT / "README.md").read_text()
CHAPTERS = {path.stem: path.read_text() for path in sorted(MANUAL.glob("*.md"))}
PAGES = {"front page": FRONT_PAGE, **CHAPTERS}
SECTIONS = dict(re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", CHAPTERS["extend"], re.M | re.S))
OF_COMPONENTS = [name for name in SECTIONS if "of your own" in name and "game" not in name]


def program(*sections):
    """Returns the program that some sections of the manual print."""
    return "\n\n".join(block for name in sections for block in blocks(SECTIONS[name], "python"))


def blocks(text, language):
    """Returns the blocks of a text in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def commands(text, name):
    """Returns the words of the commands of a name in the blocks of a text."""
    lines = "\n".join(blocks(text, r"\w*")).replace("\\\n", "").splitlines()
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
    [text] = re.findall(r"(@azjax.register\n.*?)```", FRONT_PAGE, re.DOTALL)
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


def test_a_training_command_has_flags_that_there_are(folder):
    for words in commands("".join(PAGES.values()), "azjax train "):
        if not {"--resume", "--help", "runs/longer"} & set(words):
            assert parse_request(take_plugins(words)).preset.config, words


@pytest.mark.parametrize("page", PAGES)
def test_the_programs_the_commands_and_the_scripts_of_a_page_are_right(page, capfd):
    for block in blocks(PAGES[page], "python"):
        compile(block, page, "exec")
    for block in blocks(PAGES[page], "toml"):
        tomllib.loads(block)
    listed = call_main(main, ["--help"], capfd).out
    for words in commands(PAGES[page], "azjax "):
        assert f"  azjax {words[0]} " in listed, words
    for words in commands(PAGES[page], "python "):
        assert (ROOT / words[0]).is_file(), words


def test_the_table_of_presets_names_each(registrations):
    text = CHAPTERS["runs"].split("\n## Presets\n")[1].split("\n## ")[0]
    assert set(preset_names()) <= set(re.findall(r"`(\w+)`", text))


HEADS = {"parts": ["reply", "action_values", "ownership"]}


@pytest.mark.parametrize(
    ("preset", "fields"),
    [
        ("tic_tac_toe", HEADS),
        ("tic_tac_toe_muzero", {"algorithm.consistency": True, "algorithm.unroll_steps": 2}),
        ("tic_tac_toe_policy_gradient", {}),
        ("tic_tac_toe_klent", {}),
    ],
)
def test_the_glossary_has_the_columns_of_algorithms_and_parts(preset, fields):
    """Those of all runs are compared in `tests/cli/test_train_command.py`."""
    sizes = {"num_games": 4, "num_moves": 2, "replay_moves": 2, "num_updates": 1, "batch_size": 4}
    sizes |= {"network.channels": 16, "network.blocks": 1}
    config = with_fields(get_preset(preset).config, sizes | fields).train
    cells = re.findall(r"^\| (`.*?) \|", CHAPTERS["glossary"], re.MULTILINE)
    documented = set(re.findall(r"`(\w+)`", "".join(cells)))
    documented |= {f"value_loss_{step}" for step in range(1, 6)}
    state = jax.eval_shape(init_train_state, config, jax.random.key(0))
    columns = jax.eval_shape(train_iteration, config, state, 0.0)[1].extra
    assert columns
    assert set(columns) <= documented


def test_a_position_from_moves(capsys):
    [program_of_moves] = blocks(CHAPTERS["games"], "python")
    exec(program_of_moves, {})
    assert capsys.readouterr().out.endswith(" O\n")


SHORT = (
    *("--iterations", "1", "--num-games", "8", "--num-moves", "4", "--replay-moves", "8"),
    *("--num-updates", "1", "--batch-size", "8", "--search.num-simulations", "4"),
    *("--evaluation-simulations", "2"),
)


@pytest.mark.slow
@pytest.mark.parametrize("section", ["Plug-ins", *OF_COMPONENTS])
def test_the_commands_on_the_examples_of_the_manual_run(section, folder, capfd):
    for words in commands(SECTIONS[section], "azjax "):
        short = {"train": SHORT, "evaluate": ["--games", "2"]}
        result = call_main(main, [*words, *short[words[0]]], capfd)
        told = [line for line in result.err.splitlines() if "left out" not in line]
        assert (result.code, told) == (0, []), words
