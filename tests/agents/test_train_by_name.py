"""`azjax.train`: a run by the name of its preset, from Python."""

import functools
import os
import signal
import threading

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import azjax
from azjax.config.limits import Limits
from azjax.runs.storage.checkpoints import restore
from azjax.runs.storage.metrics_log import read_metrics
from azjax.runs.storage.run_folders import open_run
from azjax.support.errors import InputError
from azjax.support.provenance.commit import describe_package
from azjax.training import TrainConfig

pytestmark = pytest.mark.slow

TINY = {
    "num_games": 8,
    "num_moves": 4,
    "replay_moves": 8,
    "num_updates": 1,
    "batch_size": 8,
    "network.name": "mlp",
    "network.channels": 16,
    "network.blocks": 1,
    "network.equivariant": False,
    "search.num_simulations": 4,
    "evaluation_simulations": 2,
    "evaluate_every": 2,
    "stop_when_perfect": False,
}


@pytest.fixture(autouse=True)
def one_device(monkeypatch):
    """Compiles for one device, as the other tests of tiny runs do."""
    monkeypatch.setattr(TrainConfig, "most_devices", lambda self, *available: 1)


def train(out, **settings):
    settings = {"iterations": 2, "overrides": TINY} | settings
    return azjax.train("coins", out=out, **settings)


def test_a_run_has_a_folder_metrics_and_an_accuracy_and_goes_on(tmp_path, monkeypatch, capsys):
    """In another thread too, and in plain lines where colors are forced, as in a notebook."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    truth, rows, later = tmp_path / "two.csv", [], []
    truth.write_text("coins,best\n1,1\n2,2\n")
    run = train(tmp_path / "run", seed=3, truth=truth, on_iteration=rows.append)
    first, *others = capsys.readouterr().out.splitlines()
    assert first == describe_package()
    assert len(others) == 4
    assert "\x1b" not in "".join(others)
    assert run.path == tmp_path / "run"
    assert open_run(run.path).seed == 3
    assert [row["iteration"] for row in run.metrics] == [0, 1, 2]
    assert rows == run.metrics == read_metrics(run.path / "metrics.jsonl")
    assert run.accuracy.positions == 2
    settings = {"iterations": 3, "overrides": {}, "resume": True, "on_iteration": later.append}
    thread = threading.Thread(target=functools.partial(train, run.path, **settings))
    thread.start()
    thread.join()
    assert [row["iteration"] for row in later] == [3]
    assert read_metrics(run.path / "metrics.jsonl") == rows + later


def test_numbers_of_any_type_are_those_of_python(tmp_path):
    numbers = TINY | {"num_games": 8.0, "optimizer.learning_rate": np.float64(1e-3)}
    limits = {"iterations": np.int64(1), "minutes": np.float32(5)}
    run = train(tmp_path / "run", seed=np.int64(3), **limits, overrides=numbers)
    train(run.path, resume=True, iterations=4 / 2, overrides={})
    assert open_run(run.path).limits == Limits(iterations=2)
    agent = azjax.load_agent(run.path, simulations=2.0)
    assert agent.search_config.num_simulations == 2
    result = azjax.evaluate(agent, "random", games=8.0, seed=1)
    assert result.wins + result.draws + result.losses == 8
    assert result.interval.low <= result.score <= result.interval.high
    with pytest.raises(InputError, match=r"^games=2.5: must be of type int$"):
        azjax.evaluate(agent, games=2.5)


def test_a_user_of_64_bits_and_strict_types_gets_the_same_run(tmp_path, other_jax_settings):
    with jax.transfer_guard("allow"):
        state = azjax.make("coins").parse_state("21 X")
    strict = train(tmp_path / "strict")
    agent = azjax.load_agent(strict.path)
    searched = agent.search(state)
    assert searched.action == agent.best_action(state)
    assert jnp.arange(2).dtype == jnp.int64  # as the user has set
    other_jax_settings()
    usual = train(tmp_path / "usual")
    assert str(azjax.load_agent(usual.path).search(state)) == str(searched)
    first, second = (restore(open_run(run.path)) for run in (strict, usual))
    assert first.fingerprint == second.fingerprint


def test_a_run_begins_from_an_agent_or_its_name(tmp_path, capsys):
    first = train(tmp_path / "first", iterations=1)
    agent = azjax.load_agent(first.path, simulations=2)
    for number, init_from in enumerate([agent, first.path]):
        run = train(tmp_path / str(number), iterations=1, init_from=init_from)
        assert f"beginning from {first.path}, iteration 1, commit " in capsys.readouterr().out
        assert run.metrics[0]["accuracy_search"] == first.metrics[-1]["accuracy_search"]
        loaded = azjax.load_agent(run.path)
        assert loaded.init_from.name == str(first.path)
        assert loaded.search_config.num_simulations == 2  # of its evaluations


def test_a_signal_in_the_main_thread_saves_the_run_and_says_how_to_go_on(tmp_path):
    def interrupt(row):
        if row["iteration"] == 1:
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt, match="is saved: train with resume=True to go on"):
        train(tmp_path / "run", iterations=100, on_iteration=interrupt)
    assert read_metrics(tmp_path / "run" / "metrics.jsonl")[-1]["iteration"] == 1


def test_an_error_of_the_callback_passes_through_and_the_run_can_go_on(tmp_path):
    def fail(row):
        if row["iteration"] == 2:
            raise LookupError("no such project")

    with pytest.raises(LookupError, match="no such project"):
        train(tmp_path / "run", iterations=4, on_iteration=fail)
    again = train(tmp_path / "run", resume=True, iterations=4, overrides={})
    assert [row["iteration"] for row in again.metrics] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"overrides": {"num_gams": 8}}, "no field is named 'num_gams'; did you mean 'num_games'"),
        ({"overrides": TINY | {"game": "nimm"}}, "no game is named 'nimm'"),
        ({"overrides": 8}, "overrides=8: must be of type Mapping"),
        ({"seed": True}, "seed=True: must be of type int"),
        ({"on_iteration": 3}, "on_iteration=3: must be of type Callable"),
        ({"resume": True}, "a resumed run keeps its configuration: leave out overrides"),
        ({"resume": True, "overrides": {}}, "holds no run"),
        ({"init_from": "connect_four"}, "it plays connect_four, whose observations or actions"),
    ],
    ids=str,
)
def test_a_wrong_argument_is_refused_in_one_line_and_makes_no_folder(tmp_path, settings, message):
    with pytest.raises(InputError, match=message):
        train(tmp_path / "run", **settings)
    assert not (tmp_path / "run").exists()
