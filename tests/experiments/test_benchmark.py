"""The script: its output for azjax, and for azjax against a peer; bad input."""

import json
import re
import sys

import jax
import pytest
from command_line import call_main
from script_loading import SCRIPTS, load

from azjax.networks import ResNetConfig, make_network

SIZES = {
    "game": "tic_tac_toe",
    "games": 4,
    "moves": 2,
    "simulations": 2,
    "channels": 16,
    "blocks": 1,
    "batch": 4,
    "search": "puct",
    "repeats": 1,
}
FLAGS = [text for name, value in SIZES.items() for text in (f"--{name}", str(value))]
KEYS = {
    "first_result_s",
    "iterations_per_s",
    "selfplay_moves_per_s",
    "simulations_per_s",
    "updates_per_s",
    "samples_per_s",
    "network_evaluations_per_s",
    "peak_rss_mb",
}


@pytest.fixture(scope="session")
def script():
    return load("benchmark")


@pytest.fixture
def run(script, monkeypatch, capfd):
    """Returns `run("--games", 4)`, which runs the script and returns its Result."""
    monkeypatch.setattr(script, "use_virtual_cpu_devices", lambda: None)
    monkeypatch.setattr(script.jax.config, "update", lambda name, value: None)
    monkeypatch.setattr("benchmarks.measure._SIDES", {"cpu": 64})

    return lambda *arguments: call_main(script.main, arguments, capfd)


@pytest.mark.slow
def test_the_last_line_is_json_of_all_phases(run, tmp_path):
    code, out, err = run(*FLAGS, "--profile", str(tmp_path / "trace"))
    assert (code, err) == (0, "")
    numbers = json.loads(out.splitlines()[-1])
    assert numbers.keys() >= KEYS
    assert all(numbers[key] > 0 for key in KEYS)
    assert {name: numbers[name] for name in SIZES} == SIZES
    moves = numbers["selfplay_moves_per_s"]
    assert numbers["simulations_per_s"] == pytest.approx(2 * moves, rel=1e-3, abs=1)
    assert numbers["samples_per_s"] == pytest.approx(4 * numbers["updates_per_s"], rel=1e-2, abs=1)
    parts = re.findall(r"^(network|tree|rules|learning): (-?[\d,]+) ms", out, re.MULTILINE)
    assert [name for name, _ in parts] == ["network", "tree", "rules", "learning"]
    assert list((tmp_path / "trace").rglob("*.trace.json.gz"))


PROGRAM = """
import json, os, pathlib, sys
calls = pathlib.Path(__file__).with_name("calls")
calls.write_text(calls.read_text() + "{name}" if calls.exists() else "{name}")
numbers = dict.fromkeys({keys}, {value} * len(calls.read_text()))
print("so much for that")
conditions = dict.fromkeys(["native_precision", "commit", "jax", "hardware"], "that of {name}")
print(json.dumps(numbers | conditions | {{"devices": 1}}))
"""


@pytest.fixture
def make_script(tmp_path):
    """Makes scripts that print as numbers a value times the number of calls of all of them."""

    def make(name, value):
        path = tmp_path / f"{name}.py"
        path.write_text(PROGRAM.format(name=name, keys=sorted(KEYS), value=value))
        return path

    return make


def test_the_peer_and_azjax_in_both_precisions_run_in_turn_and_are_compared_by_round(
    run, script, monkeypatch, make_script, tmp_path
):
    monkeypatch.setattr(script, "__file__", str(make_script("a", 6)))
    code, out, err = run(*FLAGS, "--against", str(make_script("b", 2)), "--rounds", "2")
    assert (code, err) == (0, "")
    assert (tmp_path / "calls").read_text() == "b" + 2 * "baa"  # b is tried on its only device
    numbers = json.loads(out.splitlines()[-1])
    peer, bfloat16, float32 = [2 * 2, 2 * 5], [6 * 3, 6 * 6], [6 * 4, 6 * 7]
    ratios = numbers["ratios"]
    assert ratios["bfloat16"]["simulations_per_s"] == [18 / 4, 36 / 10]
    assert ratios["float32"]["simulations_per_s"] == [24 / 4, 42 / 10]
    # Higher is better, except for time and memory.
    assert (
        ratios["float32"]["first_result_s"] == ratios["float32"]["peak_rss_mb"] == [4 / 24, 10 / 42]
    )
    for name, values in (("peer", peer), ("bfloat16", bfloat16), ("float32", float32)):
        assert numbers["medians"][name]["samples_per_s"] == sum(values) / 2
    assert numbers["hardware"] == numbers["native_precision"] == "that of a"
    assert "azjax in bfloat16 against b" in out
    assert "5.10 (4.20 to 6.00)" in out


@pytest.mark.slow
def test_the_pgx_peer_prints_the_same_keys_for_a_network_of_the_same_size(script):
    # In smaller networks heads dominate, which are smaller in Pgx's example.
    flags = [*FLAGS, "--channels", "32", "--blocks", "2"]
    peer = str(SCRIPTS / "peer_pgx.py")
    numbers = script.Program([sys.executable, peer, *flags], 2).run()
    assert all(numbers[key] > 0 for key in KEYS - {"iterations_per_s"})
    assert numbers["devices"] == 2
    sizes = SIZES | {"channels": 32, "blocks": 2}
    assert {name: numbers[name] for name in SIZES} == sizes
    network = make_network(ResNetConfig(channels=32, blocks=2), (3, 3, 2), 9)
    parameters = jax.eval_shape(network.init, jax.random.key(0)).params
    size = sum(x.size for x in jax.tree.leaves(parameters))
    assert size == pytest.approx(numbers["parameters"], rel=0.05)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--games", "0"), "error: games=0: must be at least 1"),
        (("--preset", "tic_tac_toe", "--games", "8"), "games: does not go with --preset; leave"),
    ],
)
def test_bad_input_is_one_line(run, arguments, words):
    code, out, err = run(*arguments)
    assert (code, out, len(err.splitlines())) == (2, "", 1)
    assert words in err
