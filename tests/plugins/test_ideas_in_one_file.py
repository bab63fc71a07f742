"""Ideas in one file each: trained, resumed, swept and found again like the built-in ones."""

import csv
import json
import pathlib
import sys

import pytest
from command_line import assert_one_line, call_main, read_rows
from script_loading import load

from azjax.agents.agent import load_agent
from azjax.cli import main

FOLDER = pathlib.Path(__file__).parent
# By plug-in: the field that chooses it, its name there, a field of its own, and two values of it.
PLUGINS = {
    "root_noise": ("search.name", "noisy_gumbel", "search.strength", 0.2, 0.4),
    "played_action": ("parts", "played_action", "played_action.mix", 0.02, 0.2),
    "power_mean": ("search.name", "power_mean", "search.exponent", 1.5, 3.0),
    "value_error_sampling": (
        *("parts", "value_error_sampling", "value_error_sampling.exponent"),
        *(0.3, 0.9),
    ),
    "openings": ("parts", "openings", "openings.share", 0.25, 0.75),
    "muon": ("optimizer.name", "muon", "optimizer.decay_share", 0.1, 0.3),
    "cell_transformer": ("network.name", "cell_transformer", "network.depth", 1, 2),
    "moves_left": ("parts", "moves_left", "moves_left.weight", 0.1, 0.9),
    "entropy_bonus": ("algorithm.name", "entropy_bonus", "algorithm.entropy_weight", 0.01, 0.1),
    "opponent_pool": ("algorithm.name", "opponent_pool", "algorithm.one_in", 2, 4),
}
# Ideas that one run has together.
TOGETHER = (
    (
        *("root_noise", "played_action", "value_error_sampling", "openings", "muon"),
        *("moves_left", "entropy_bonus"),
    ),
    ("power_mean", "cell_transformer", "opponent_pool"),
)
LINES = {"root_noise": 40, "played_action": 40, "muon": 40}
LINES |= {"cell_transformer": 80, "opponent_pool": 80}

PRESET = """
game = "tic_tac_toe"
iterations = 3
evaluate_every = 2
evaluation_simulations = 2
parts = {parts}

[train]
num_games = 8
num_moves = 4
replay_moves = 8
num_updates = 1
batch_size = 8

[network]
name = "{network}"
channels = 16

[search]
name = "{search}"
num_simulations = 4

[algorithm]
name = "{algorithm}"

[optimizer]
name = "{optimizer}"

[evaluation.search]
name = "gumbel"
"""


def dashed(field):
    return f"--{field.replace('_', '-')}"


def tiny_preset(plugins):
    """Returns the text of a tiny preset that chooses what the plug-ins register."""
    chosen = {"network": "mlp", "search": "gumbel", "algorithm": "alphazero", "optimizer": "adamw"}
    parts = ["random_starts"]
    for field, name, *_ in map(PLUGINS.get, plugins):
        if field == "parts":
            parts.append(name)
        else:
            chosen[field.removesuffix(".name")] = name
    return PRESET.format(parts=json.dumps(parts), **chosen)


@pytest.fixture(params=TOGETHER, ids="-".join)
def plugins(request, tmp_path, monkeypatch, registrations):
    """Returns the names of plug-ins, in a folder with their preset and a file of openings."""
    (tmp_path / "mine.toml").write_text(tiny_preset(request.param))
    (tmp_path / "openings.txt").write_text("X../.../... O\nXO./.../... X\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(FOLDER)
    yield request.param
    for name in PLUGINS:
        sys.modules.pop(name, None)


def flags(plugins):
    return [word for plugin in plugins for word in ("--plugin", plugin)]


@pytest.mark.parametrize("plugin", PLUGINS)
def test_a_plugin_takes_few_lines(plugin):
    assert len((FOLDER / f"{plugin}.py").read_text().splitlines()) <= LINES.get(plugin, 60)


def test_its_field_is_a_flag_and_is_refused_where_it_is_misspelt(plugins, capfd):
    command = ("train", "mine.toml", *flags(plugins))
    helped = call_main(main, (*command, "--help"), capfd)
    assert (helped.code, helped.err) == (0, "")
    for plugin in plugins:
        _, _, field, low, _ = PLUGINS[plugin]
        assert dashed(field) in helped.out
        misspelt = call_main(main, (*command, f"{dashed(field)}s", low), capfd)
        assert_one_line(misspelt, 2, f"has no field '{field}s'; did you mean '{field}'?")


@pytest.mark.slow
def test_a_run_with_it_trains_and_goes_on(plugins, capfd):
    command = ("train", "mine.toml", "--out", "run", *flags(plugins))
    given = {field: low for _, _, field, low, _ in map(PLUGINS.get, plugins)}
    words = [word for field, low in given.items() for word in (dashed(field), low)]
    began = call_main(main, (*command, "--iterations", 2, *words), capfd)
    assert (began.code, began.err) == (0, "")
    went_on = call_main(main, (*command, "--resume", "--iterations", 3), capfd)
    assert (went_on.code, went_on.err) == (0, "")
    assert [row["iteration"] for row in read_rows(pathlib.Path("run"))][-1] == 3
    config = json.loads(pathlib.Path("run/run.json").read_text())["config"]
    for field, low in given.items():
        table, name = field.split(".")
        assert config[table][name] == low
    assert load_agent(pathlib.Path("run")).iteration == 3


@pytest.mark.slow
def test_a_sweep_tries_its_field(plugins, capfd, monkeypatch):
    """A number is drawn from the range that it declares, a size from a file of choices."""
    script = load("sweep")
    monkeypatch.setattr(script, "prepare_jax", lambda: None)
    fields = {field: values for _, _, field, *values in map(PLUGINS.get, plugins)}
    have_ranges = all(isinstance(low, float) for low, _ in fields.values())
    tables = [field.split(".") for field in fields]
    choices = [f"[{table}]\n{name} = {fields[f'{table}.{name}']}\n" for table, name in tables]
    pathlib.Path("space.toml").write_text("".join(choices))
    chosen = ("--only", *fields) if have_ranges else ("--space", "space.toml")
    lengths = ("--trials", 2, "--places", 2, "--trial-iterations", 2, "--minutes", 5)
    arguments = ("--preset", "mine.toml", *flags(plugins), *lengths, *chosen, "--out", "sweep")
    swept = call_main(script.main, arguments, capfd)
    assert (swept.code, swept.err) == (0, "")
    with pathlib.Path("sweep/trials.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert {row["state"] for row in rows} <= {"finished", "stopped early"}
    for field in fields:
        assert len({row[field] for row in rows}) == 2 or not have_ranges  # may be drawn twice
