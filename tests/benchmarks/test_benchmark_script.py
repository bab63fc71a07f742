"""The script: its output for azjax, and for azjax against a peer; bad input."""

import json
import re
import sys

import jax
import pytest
from command_line import call_main
from script_loading import SCRIPTS, load

from azjax.benchmarks.paired_benchmark import Program
from azjax.networks import NetworkConfig, make_network

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
    monkeypatch.setattr("azjax.benchmarks.matmul_peak._SIDES", {"cpu": 64})

    return lambda *arguments: call_main(script.main, arguments, capfd)


@pytest.mark.slow
def test_the_last_line_is_json_of_all_phases(run, tmp_path):
    code, out, err = run(*FLAGS, "--profile", str(tmp_path / "trace"))
    assert (code, err) == (0, "")
    numbers = json.loads(out.splitlines()[-1])
    assert numbers.keys() >= KEYS
    assert all(numbers[key] > 0 for key in KEYS)
    assert {name: numbers[name] for name in SIZES} == SIZES
    assert numbers["native_precision"] == "float32"
    assert "logical cores" in numbers["hardware"]
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


PRESET = """
summary = "a small run"
iterations = 1
[train]
game = "tic_tac_toe"
algorithm = "{algorithm}"
num_games = 4
num_moves = 2
replay_moves = 2
num_updates = 1
batch_size = 8
{options}
network.channels = 16
network.blocks = 1
search = {{algorithm = "{search}", num_simulations = 5}}
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("algorithm", "options", "search", "simulations"),
    [
        ("muzero", "unroll_steps = 2", "gumbel", 5),
        ("policy_gradient", 'network.value_head = "none"', "policy_rollouts", 1),
    ],
)
def test_the_training_of_a_preset_is_timed(run, tmp_path, algorithm, options, search, simulations):
    path = tmp_path / "small.toml"
    path.write_text(PRESET.format(algorithm=algorithm, options=options, search=search))
    code, out, err = run("--preset", str(path), "--repeats", "1")
    assert (code, err) == (0, "")
    numbers = json.loads(out)
    assert all(numbers[key] > 0 for key in KEYS)
    assert numbers["algorithm"] == algorithm
    assert {name: numbers[name] for name in SIZES} == SIZES | {
        "simulations": 5,
        "batch": 8,
        "search": search,
    }
    # In the first of five rounds a policy gradient makes a fifth of its rollouts.
    moves = numbers["selfplay_moves_per_s"]
    assert numbers["simulations_per_s"] == pytest.approx(simulations * moves, rel=1e-3)


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


PEER_ON_DEVICES = """
import json, os
devices = int(os.environ.get("JAX_NUM_CPU_DEVICES", 6))
visible = os.environ.get("JAX_CUDA_VISIBLE_DEVICES", "0,1,2,3,4,5")
assert visible == ",".join(map(str, range(devices)))
speed = {1: 100, 2: 500, 4: 300, 6: 400}[devices]
print(json.dumps(dict.fromkeys(%s, speed) | {"devices": devices}))
"""


def test_the_peer_runs_on_the_number_of_devices_that_is_best_for_it(
    run, script, monkeypatch, make_script, tmp_path
):
    monkeypatch.setattr(script, "__file__", str(make_script("a", 1000)))
    peer = tmp_path / "peer.py"
    peer.write_text(PEER_ON_DEVICES % sorted(KEYS))
    code, out, err = run(*FLAGS, "--against", str(peer), "--rounds", "1")
    assert (code, err) == (0, "")
    assert (
        "peer, positions/s by its number of devices: 50 on 1, 250 on 2, 150 on 4, 200 on 6" in out
    )
    numbers = json.loads(out.splitlines()[-1])
    assert numbers["peer_devices"] == 2
    assert numbers["medians"]["peer"]["simulations_per_s"] == 500


def test_a_peer_is_given_the_same_sizes(run, script, monkeypatch, make_script, tmp_path):
    monkeypatch.setattr(script, "__file__", str(make_script("a", 1)))
    peer = tmp_path / "peer.py"
    peer.write_text("import sys; sys.exit(' '.join(sys.argv[1:]))")
    code, _, err = run(*FLAGS, "--against", str(peer))
    assert code == 1
    assert " ".join(FLAGS) in err
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize(
    ("text", "status", "words"),
    [
        ("import nothing", 2, ["No module named 'nothing': pip install '.[peers]'"]),
        ("print('hello')", 1, ["the last line of", "is not JSON"]),
        ("print('{}')", 1, ["printed no devices, simulations_per_s, "]),
    ],
)
def test_a_peer_without_numbers_is_reported_before_azjax_runs(
    run, script, monkeypatch, make_script, tmp_path, text, status, words
):
    monkeypatch.setattr(script, "__file__", str(make_script("a", 1)))
    peer = tmp_path / "peer.py"
    peer.write_text(text)
    code, _, err = run(*FLAGS, "--against", str(peer))
    assert code == status
    assert len(err.splitlines()) == 1
    for word in words:
        assert word in err
    assert not (tmp_path / "calls").exists()


@pytest.mark.slow
@pytest.mark.parametrize("num_devices", [1, 2])
def test_the_pgx_peer_prints_the_same_keys_for_a_network_of_the_same_size(num_devices):
    # In smaller networks heads dominate, which are smaller in Pgx's example.
    flags = [*FLAGS, "--channels", "32", "--blocks", "2"]
    script = str(SCRIPTS / "peer_pgx.py")
    numbers = Program([sys.executable, script, *flags], num_devices).run()
    assert all(numbers[key] > 0 for key in KEYS - {"iterations_per_s"})
    assert numbers["devices"] == num_devices
    sizes = SIZES | {"channels": 32, "blocks": 2}
    assert {name: numbers[name] for name in SIZES} == sizes
    network = make_network(NetworkConfig("resnet", 32, 2), (3, 3, 2), 9)
    parameters = jax.eval_shape(network.init, jax.random.key(0)).params
    size = sum(x.size for x in jax.tree.leaves(parameters))
    assert size == pytest.approx(numbers["parameters"], rel=0.05)


def test_a_preset_without_self_play_is_refused(run, tmp_path):
    path = tmp_path / "supervised.toml"
    options = 'network.value_head = "none"'
    text = PRESET.format(algorithm="supervised_policy", options=options, search="policy_rollouts")
    path.write_text(f'games = "games.txt"\n{text}')
    code, out, err = run("--preset", str(path))
    assert (code, out, len(err.splitlines())) == (2, "", 1)
    assert "must be one with self-play, which supervised_policy has not" in err


def test_the_peer_has_no_presets(capfd):
    code, out, err = call_main(load("peer_pgx").main, ("--preset", "tic_tac_toe"), capfd)
    assert (code, out) == (2, "")
    assert err.splitlines() == ["azjax: error: preset: is of azjax alone; give sizes, as --games"]


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
        (("--rounds", "0"), "rounds=0: must be at least 1"),
        (("--against", "pgx", "--precision", "float32"), "compares both precisions; leave it out"),
        (("--against", "nobody.py"), "no peer 'nobody.py': write pgx or the path of a script"),
        (("--preset", "tic_tac_to"), "did you mean 'tic_tac_toe'"),
        (("--preset", "tic_tac_toe", "--games", "8"), "games: does not go with --preset; leave"),
        (("--preset", "tic_tac_toe", "--against", "pgx"), "against: does not go with --preset"),
        (("--batches", "8"), "unknown option --batches"),
    ],
)
def test_bad_input_is_one_line(run, arguments, words):
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert words in err
    assert len(err.splitlines()) == 1
