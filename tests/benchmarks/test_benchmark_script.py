"""The script: its output for azjax, and for azjax against a peer; bad input."""

import importlib.util
import json
import pathlib
import re
import subprocess
import sys

import jax
import pytest

from azjax.networks import NetworkConfig, make_network

SCRIPT = pathlib.Path(__file__).parents[2] / "experiments" / "benchmark.py"
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
    spec = importlib.util.spec_from_file_location("benchmark_script", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def run(script, monkeypatch, capfd):
    """Returns `run("--games", 4)`: the exit code, standard output and standard error."""
    monkeypatch.setattr(script, "use_virtual_cpu_devices", lambda: None)
    monkeypatch.setattr(script.jax.config, "update", lambda name, value: None)
    monkeypatch.setattr("azjax.benchmarks.matmul_peak._SIDES", {"cpu": 64})

    def call(*arguments):
        capfd.readouterr()
        try:
            script.main(list(arguments))
            code = 0
        except SystemExit as stop:
            code = stop.code
        return code, *capfd.readouterr()

    return call


@pytest.mark.slow
def test_the_last_line_is_json_of_all_phases(run, tmp_path):
    code, out, err = run(*FLAGS, "--profile", str(tmp_path / "trace"))
    assert (code, err) == (0, "")
    numbers = json.loads(out.splitlines()[-1])
    assert numbers.keys() >= KEYS
    assert all(numbers[key] > 0 for key in KEYS)
    assert {name: numbers[name] for name in SIZES} == SIZES
    moves = numbers["selfplay_moves_per_s"]
    assert numbers["simulations_per_s"] == pytest.approx(2 * moves, rel=1e-3)
    assert numbers["samples_per_s"] == pytest.approx(4 * numbers["updates_per_s"], rel=1e-2)
    for words in (
        "largest matrix product in float32: ",
        "network alone: ",
        "self-play: ",
        "update: ",
    ):
        assert words in out
    parts = re.findall(r"^(network|tree|rules|learning): (-?[\d,]+) ms", out, re.MULTILINE)
    assert [name for name, _ in parts] == ["network", "tree", "rules", "learning"]
    assert list((tmp_path / "trace").rglob("*.trace.json.gz"))


PEER = """
import json, pathlib, sys
calls = pathlib.Path(__file__).with_name("calls")
calls.write_text(calls.read_text() + "{name}" if calls.exists() else "{name}")
factor = len(calls.read_text())
numbers = dict.fromkeys({keys}, {value} * factor)
print("so much for that")
print(json.dumps(numbers | {{"flags": sys.argv[1:]}}))
"""


@pytest.fixture
def make_script(tmp_path):
    def make(name, value):
        path = tmp_path / f"{name}.py"
        path.write_text(PEER.format(name=name, keys=sorted(KEYS), value=value))
        return path

    return make


def test_a_paired_benchmark_runs_in_turn_and_compares_by_pair(
    run, script, monkeypatch, make_script, tmp_path
):
    monkeypatch.setattr(script, "__file__", str(make_script("a", 6)))
    code, out, err = run(*FLAGS, "--against", str(make_script("b", 2)), "--pairs", "2")
    assert (code, err) == (0, "")
    assert (tmp_path / "calls").read_text() == "baba"
    ratios = json.loads(out.splitlines()[-1])
    # The numbers are 2, 12 (= 2 * 6), 6, 24: higher is better, except for time and memory.
    assert ratios["simulations_per_s"] == [12 / 2, 24 / 6]
    assert ratios["first_result_s"] == ratios["peak_rss_mb"] == [2 / 12, 6 / 24]
    assert "5.00 (4.00 to 6.00)" in out


def test_a_peer_is_given_the_same_sizes(run, script, monkeypatch, make_script, tmp_path):
    monkeypatch.setattr(script, "__file__", str(make_script("a", 1)))
    peer = tmp_path / "peer.py"
    peer.write_text("import sys; sys.exit(' '.join(sys.argv[1:]))")
    code, _, err = run(*FLAGS, "--against", str(peer))
    assert code == 1
    assert " ".join(FLAGS) in err
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("import nothing", ["No module named 'nothing': pip install '.[peers]'"]),
        ("print('hello')", ["the last line of", "is not JSON"]),
    ],
)
def test_a_peer_without_numbers_is_reported_before_azjax_runs(
    run, script, monkeypatch, make_script, tmp_path, text, words
):
    monkeypatch.setattr(script, "__file__", str(make_script("a", 1)))
    peer = tmp_path / "peer.py"
    peer.write_text(text)
    code, _, err = run(*FLAGS, "--against", str(peer))
    assert code == 1
    for word in words:
        assert word in err
    assert not (tmp_path / "calls").exists()


@pytest.mark.slow
def test_the_pgx_peer_prints_the_same_keys_for_a_network_of_the_same_size():
    script = SCRIPT.with_name("peer_pgx.py")
    # In smaller networks heads dominate, which are smaller in Pgx's example.
    flags = [*FLAGS, "--channels", "32", "--blocks", "2"]
    ended = subprocess.run(
        [sys.executable, script, *flags], capture_output=True, text=True, check=True
    )
    numbers = json.loads(ended.stdout.splitlines()[-1])
    assert numbers.keys() >= KEYS - {"iterations_per_s"}
    assert all(numbers[key] > 0 for key in KEYS - {"iterations_per_s"})
    sizes = SIZES | {"channels": 32, "blocks": 2}
    assert {name: numbers[name] for name in SIZES} == sizes
    network = make_network(NetworkConfig("resnet", 32, 2), (3, 3, 2), 9)
    parameters = jax.eval_shape(network.init, jax.random.key(0)).params
    size = sum(x.size for x in jax.tree.leaves(parameters))
    assert size == pytest.approx(numbers["parameters"], rel=0.05)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--game", "connect_fuor"), "connect_four"),
        (("--games", "0"), "error: games=0: must be at least 1"),
        (("--moves", "0"), "error: moves=0: must be at least 1"),
        (("--simulations", "0"), "error: simulations=0: must be at least 1"),
        (("--batch", "0"), "error: batch=0: must be at least 1"),
        (("--profile", __file__), "is a file; give a folder"),
        (("--channels", "0"), "channels=0: must be at least 1"),
        (("--repeats", "0"), "repeats=0: must be at least 1"),
        (("--pairs", "0"), "pairs=0: must be at least 1"),
        (("--against", "nobody.py"), "no peer 'nobody.py': write pgx or the path of a script"),
        (("--batches", "8"), "unknown option --batches"),
    ],
)
def test_bad_input_is_one_line(run, arguments, words):
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert words in err
    assert len(err.splitlines()) == 1
