"""The scripts of studies: the cells that they compare, bad input, and one small run."""

import json
import os
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest
from script_loading import SCRIPTS, load

from azjax import games
from azjax.cli import study_script
from azjax.config.fields import list_fields, with_fields
from azjax.config.preset_file import write_preset
from azjax.config.presets import get_preset
from azjax.evaluation import find_positions
from azjax.studies.options import base_config, parse_options
from azjax.studies.report import describe_cells
from azjax.support.errors import InputError
from azjax.support.files.named_arrays import by_name, write_arrays
from azjax.training import make_context
from azjax.training.replay import init_replay

NAMES = ("compare_search", "compare_networks", "compare_algorithms", "ablate", "scaling")


def design(name, *arguments):
    script = load(name)
    return script.design(parse_options(script.Options, script.__file__, list(arguments)))


def changes(cell, base):
    """Returns the fields that a cell's configuration and the base both have, and that differ."""
    here, there = list_fields(cell.config), list_fields(base)
    return {name for name in here.keys() & there.keys() if here[name] != there[name]}


@pytest.fixture(params=NAMES)
def name(request):
    return request.param


def test_lines_and_cells_correspond(name):
    study = design(name, "--game", "tic_tac_toe")
    names = [cell.name for cell in study.cells]
    assert {cell for panel in study.panels for cell in panel.lines.values()} == set(names)
    assert len(set(names)) == len(names)
    trained = {(cell.config, cell.limits) for cell in study.cells}
    assert len(trained) == len(names)  # none is trained twice
    assert len({tuple(cell.factors) for cell in study.cells}) == 1
    assert (study.name, study.num_seeds) == (name, 5)
    search = get_preset("tic_tac_toe").config.evaluation_search
    assert {cell.config.evaluation_search for cell in study.cells} == {search}
    assert not any(cell.config.stop_when_perfect for cell in study.cells)


def test_held_out_positions_are_others_than_those_of_the_study():
    study = design("compare_search", "--held-out", "connect_four_strong_play")
    assert len(study.held_out.is_best) == 945
    with pytest.raises(InputError, match=r"^held_out=connect_four: 1,000 of its 1,000 positions"):
        design("compare_search", "--held-out", "connect_four")


def test_cells_of_compare_search_differ_in_the_search_only():
    study = design("compare_search", "--game", "connect_four", "--simulations", "2", "8")
    assert [cell.name for cell in study.cells] == ["gumbel_2", "puct_2", "gumbel_8", "puct_8"]
    kept = design("compare_search", "--searches", "gumbel", "puct:kept_nodes=64").cells[1]
    assert (kept.name, kept.factors["search"]) == ("puct_kept_nodes_64_2", "puct:kept_nodes=64")
    assert kept.config.train.search.kept_nodes == 64
    two = design("compare_search", "--searches", "puct", "puct:c_puct=2")
    assert [search.c_puct for search in two.searches.values()] == [1.25, 2]
    fields = {"search.name", "search.num_simulations"}
    base = base_config("connect_four")
    for cell in study.cells:
        assert changes(cell, base) <= fields
        search = cell.config.train.search
        assert (search.name, search.num_simulations) == tuple(cell.factors.values())
    assert study.play_time_simulations == (2, 8)
    assert [c.where for c in study.comparisons] == ["2 simulations", "8 simulations", "all of them"]


@pytest.fixture
def tuned(tmp_path):
    """Returns `tuned(search, ...)`, a preset file like a sweep's best.toml."""

    def write(search, changes):
        preset = get_preset("connect_four")
        chosen = {"search.name": search, "search.num_simulations": 8}
        path = tmp_path / f"{search}.toml"
        write_preset(path, preset._replace(config=with_fields(preset.config, chosen | changes)))
        return path

    return write


def test_numbers_of_each_search_come_from_its_file(tuned):
    of_search = {"gumbel": 2e-3, "puct": 6e-3}
    files = [
        f"{name}={tuned(name, {'optimizer.learning_rate': rate})}"
        for name, rate in of_search.items()
    ]
    study = design("compare_search", "--simulations", "2", "8", "--tuned", *files)
    for cell in study.cells:
        search = cell.config.train.search
        assert cell.config.train.optimizer.learning_rate == of_search[search.name]
        assert (search.name, search.num_simulations) == tuple(cell.factors.values())
    assert len({cell.config.evaluation_search for cell in study.cells}) == 1
    positions = find_positions(games.make("connect_four"))
    assert np.array_equal(
        study.positions.symmetry_class, positions.symmetry_class[~positions.in_validation]
    )
    *_, last = describe_cells(study).splitlines()
    assert last.startswith("| puct_8 | connect_four | 20 minutes | search.name=puct, ")
    assert "optimizer.learning_rate=0.006" in last


def test_cells_of_compare_networks_differ_in_the_network_only():
    base = base_config("connect_four")
    for cell in design("compare_networks").cells:
        assert all(field.startswith("network.") for field in changes(cell, base))
        network = cell.config.train.network
        sizes = {"channels": network.channels, "blocks": getattr(network, "blocks", 0)}
        assert cell.factors == {"network": network.name} | sizes


def test_networks_are_compared_on_one_replay(tmp_path):
    file = tmp_path / "games.npz"
    with pytest.raises(InputError, match=r"games\.npz cannot be read: No such file"):
        design("compare_networks", "--game", "tic_tac_toe", "--replay", str(file))
    config = base_config("tic_tac_toe").train
    moves = init_replay(make_context(config)).trajectory
    about = json.dumps({"game": "tic_tac_toe", "game_version": 1, "replay_format": 1})
    write_arrays(file, {"about": np.array(about), **by_name(moves)})
    cells = design("compare_networks", "--game", "tic_tac_toe", "--replay", str(file)).cells
    assert {cell.config.train.replay for cell in cells} == {str(file)}


def test_cells_of_compare_algorithms_have_the_presets_of_their_algorithms():
    study = design("compare_algorithms", "--game", "connect_four")
    cells = {cell.name: cell.config for cell in study.cells}
    base = base_config("connect_four")
    algorithms = {name: config.train.algorithm.name for name, config in cells.items()}
    assert algorithms == {
        "alphazero_gumbel": "alphazero",
        "alphazero_puct": "alphazero",
        "alphago_zero": "alphazero",
        "alphazero_reanalyse": "alphazero",
        "muzero": "muzero",
        "muzero_reanalyse": "muzero",
        "policy_gradient": "policy_gradient",
    }
    by_name = {cell.name: cell for cell in study.cells}
    assert changes(by_name["alphazero_gumbel"], base) == set()
    assert changes(by_name["alphazero_puct"], base) == {"search.name"}
    assert changes(by_name["alphago_zero"], base) == {"search.name", "parts", "evaluate_every"}
    assert changes(by_name["alphazero_reanalyse"], base) == {"parts"}
    for name in ("alphazero_reanalyse", "muzero_reanalyse"):
        fields = list_fields(cells[name])
        assert fields["reanalyse.moves"] == fields["num_moves"] / 2


def test_each_switch_is_one_change():
    study = design("ablate")
    base = base_config("connect_four")
    replay_ratio = {"num_updates"}
    assert {cell.name: changes(cell, base) for cell in study.cells} == {
        "base": set(),
        "random_starts_off": {"parts"},
        "symmetries_off": {"symmetries", "network.equivariant"},
        "symmetries_augmentation": {"network.equivariant"},
        "value_target_outcome": {"algorithm.td_lambda"},
        "value_target_search_value": {"algorithm.td_lambda"},
        "temperature_moves_none": {"algorithm.temperature_moves"},
        "replay_window_growing": {"parts"},
        "surprise_sampling": {"parts"},
        "traces_weighted": {"parts"},
        "random_moves_one_in_20": {"parts"},
        "replay_ratio_half": replay_ratio,
        "replay_ratio_double": replay_ratio,
        "weight_decay_weak": {"optimizer.weight_decay"},
        "average_off": {"ema_decay"},
        "value_head_win_draw_loss": {"network.value_head"},
        "auxiliary_heads_reply": {"parts"},
        "auxiliary_heads_action_values": {"parts"},
        "auxiliary_heads_ownership": {"parts"},
        "global_pooling_on": {"network.global_pooling"},
        "proven_values_on": {"search.proven_values"},
        "simulations_playout_caps": {"parts", "search.num_simulations"},
        "simulations_growing": {"parts", "search.num_simulations"},
    }
    ratios = {cell.name: cell.config.train.replay_ratio for cell in study.cells}
    assert ratios["replay_ratio_half"] * 4 == ratios["replay_ratio_double"] == 2 * ratios["base"]


def test_scaling_trains_all_combinations_each_length_with_its_own_schedule():
    study = design("scaling", "--channels", "8", "64", "--lengths", "2", "9", "--simulations", "4")
    limits = [cell.limits.iterations for cell in study.cells]
    assert (limits, study.limits.iterations) == ([2, 2, 9, 9], 9)
    fields = {"network.channels", "search.num_simulations"}
    assert all(changes(cell, base_config("connect_four")) <= fields for cell in study.cells)
    assert [list(panel.lines) for panel in study.panels] == [["8 channels", "64 channels"]] * 2


@pytest.mark.parametrize(
    ("script", "arguments", "words"),
    [
        ("ablate", ("--seeds", "0"), "seeds=0: must be at least 1"),
        ("compare_networks", ("--game", "connect_four_muzero"), "must be 'resnet'"),
        ("scaling", ("--minutes", "5"), "minutes and iterations: leave them out; --lengths has"),
        ("compare_algorithms", ("--game", "quixo"), "there is no preset quixo_muzero: leave"),
        ("compare_search", ("--simulations", "4", "4"), "simulations=4 4: must be different"),
        ("compare_search", ("--searches", "puct", "puct:c_puct="), "c_puct=: write FIELD=NUMBER"),
        ("compare_search", ("--searches", "puct", "puct:num_simulations=4"), "must not set num_s"),
    ],
)
def test_bad_input_is_one_line(script, arguments, words, tmp_path, capfd, monkeypatch):
    monkeypatch.setattr(study_script, "prepare_jax", lambda: None)
    monkeypatch.setattr(study_script, "run_study", lambda *_, **__: pytest.fail("the study ran"))
    with pytest.raises(SystemExit) as stop:
        load(script).main([*arguments, "--out", str(tmp_path / "study")])
    err = capfd.readouterr().err
    assert (stop.value.code, len(err.splitlines())) == (2, 1)
    assert words in err
    assert not (tmp_path / "study").exists()


@pytest.mark.parametrize(
    ("name", "fewer", "more"),
    [
        ("compare_search", ("--simulations", "8"), ("--simulations", "2", "8")),
        ("scaling", ("--lengths", "8"), ("--lengths", "8", "64")),
    ],
)
def test_more_values_add_cells_and_keep_the_others(name, fewer, more):
    small, large = (
        {cell.name: cell for cell in design(name, *arguments).cells} for arguments in (fewer, more)
    )
    assert small.items() <= large.items()


TINY_RUN = """
import dataclasses, sys
from azjax.networks import MLPConfig
from azjax.config import presets
from azjax.studies import options
preset = presets.get_preset("tic_tac_toe")
train = dataclasses.replace(
    preset.config.train, network=MLPConfig(channels=16, blocks=1), num_games=8, num_moves=4,
    replay_moves=8, num_updates=1, batch_size=8)
tiny = preset._replace(config=dataclasses.replace(preset.config, train=train))
options.get_preset = lambda name: tiny
sys.argv = sys.argv[1:]
import runpy
runpy.run_path(sys.argv[0], run_name="__main__")
"""


@pytest.mark.slow
def test_gumbel_and_puct_are_compared_from_the_command_line(tmp_path):
    out = tmp_path / "study"
    command = [
        *(sys.executable, "-c", TINY_RUN, SCRIPTS / "compare_search.py", "--quick"),
        *("--simulations", "2", "--seeds", "2", "--iterations", "2", "--out", out),
    ]
    root = pathlib.Path(__file__).parents[2]
    environment = os.environ | {
        "PYTHONPATH": str(root),
        "HOME": str(tmp_path),
        "JAX_DISABLE_MOST_OPTIMIZATIONS": "1",
    }
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    *_, verdict, baseline, path = done.stdout.splitlines()
    assert verdict.startswith("Overall: With ")
    assert baseline.startswith("For comparison: uniform random play has 58.0%")
    assert path == f"{out}/report.md"
    report = (out / "report.md").read_text()
    assert re.search(r"\| gumbel_2 \| \d", report)
    assert " ".join(map(str, ["python", *command[3:]])) in report
