"""Helpers of tests that call commands or scripts, fixtures apart."""

import dataclasses
import json
import pathlib
import signal
import time
from typing import NamedTuple

import jax

from azjax.config.limits import Limits
from azjax.config.presets import get_preset
from azjax.evaluation import Accuracy, Shares
from azjax.networks import MLPConfig
from azjax.runs.reporting.progress import TrainingProgress
from azjax.runs.storage.checkpoints import Checkpoints
from azjax.runs.storage.run_directory import RunDirectory
from azjax.runs.storage.run_folders import create_run
from azjax.training import init_train_state

TINY = (
    *("--num-games", "8", "--num-moves", "4", "--replay-moves", "8", "--num-updates", "1"),
    *("--batch-size", "8", "--network.name", "mlp", "--network.channels", "16"),
    *("--network.blocks", "1", "--search.num-simulations", "4", "--evaluate-every", "2"),
    *("--evaluation-simulations", "2", "--devices", "1"),
)


def make_untrained_run(folder, preset, **sizes):
    """Makes a run with one checkpoint, that of its initial state, and with some sizes changed."""
    network = MLPConfig(channels=16, blocks=1)
    tiny = {"num_games": 8, "num_moves": 4, "replay_moves": 8, "batch_size": 8, "network": network}
    default = get_preset(preset).config
    train = dataclasses.replace(default.train, **(tiny | sizes))
    config = dataclasses.replace(default, train=train)
    run = create_run(RunDirectory(folder, preset, config, 0, 1, Limits(iterations=1)))
    state = jax.jit(init_train_state)(train, jax.random.key(0))
    store = Checkpoints(run.checkpoints)
    store.save(state, accuracy=None)
    store.close()


def make_accuracy(positions, network, search, exploitability=None, lines=None, halves=None):
    """Returns an accuracy; its halves have the same shares, or accuracies with search as given."""
    shares = Shares(positions, network, search, random=0.5, choice_matters=0.75)
    validation, test = (dataclasses.replace(shares, search=x) for x in halves or (search, search))
    return Accuracy(
        **vars(shares), validation=validation, test=test, exploitability=exploitability, lines=lines
    )


class Result(NamedTuple):
    """The exit code and the output of a command."""

    code: int | str
    out: str
    err: str

    @property
    def json(self):
        """The object in the last line of standard output."""
        return json.loads(self.out.splitlines()[-1])


def call_main(main, arguments, capfd):
    """Calls the main function of a command or a script; returns its Result."""
    capfd.readouterr()
    try:
        main([str(argument) for argument in arguments])
        code = 0
    except SystemExit as stop:
        code = stop.code or 0
    except KeyboardInterrupt:  # which would end the whole test session
        code = "interrupted"
    return Result(code, *capfd.readouterr())


def assert_one_line(result, code, *words):
    """Asserts that a command ended with one line on standard error that has these words."""
    assert result.code == code, result
    assert len(result.err.splitlines()) == 1, result.err
    assert result.err.startswith("azjax: error: ")
    for word in words:
        assert str(word) in result.err, result.err


def snapshot(folder):
    """Returns the bytes of every file below a folder."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(pathlib.Path(folder).rglob("*"))
        if path.is_file()
    }


def read_rows(folder):
    """Returns the rows of a run's metrics, in the order of their lines."""
    return [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]


def iterations(folder):
    return [row["iteration"] for row in read_rows(folder)]


def checkpoints(folder):
    return sorted(int(path.name) for path in (folder / "checkpoints").iterdir())


def at_iteration(monkeypatch, iteration, do):
    """Calls `do` with the run as soon as a row of that iteration is shown."""
    update = TrainingProgress.update

    def update_and_do(self, run, row, *arguments, **settings):
        update(self, run, row, *arguments, **settings)
        if row["iteration"] == iteration:
            do(run)

    monkeypatch.setattr(TrainingProgress, "update", update_and_do)


def interrupt(run):
    """Ends a run like Ctrl-C: after the iteration that follows."""
    signal.raise_signal(signal.SIGINT)


class Killed(BaseException):
    """Ends a run like SIGKILL: at once, without saving."""


def kill(run):
    """Ends a run by Killed."""
    raise Killed


def wait_for(process, condition, seconds=240):
    """Waits for a condition; fails at once if the process ends before."""
    end = time.monotonic() + seconds
    while not condition():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.02)
