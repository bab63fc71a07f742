"""What the tests of sweeps have in common, apart from fixtures."""

import dataclasses
import importlib.util
import json
import pathlib
import sqlite3
from typing import NamedTuple

from azjax.runs.session import Outcome

SCRIPT = pathlib.Path(__file__).parents[2] / "experiments" / "sweep.py"

TINY = """
iterations = 100
evaluate_every = 10
evaluation_simulations = 2
stop_when_perfect = true

[train]
num_games = 8
num_moves = 4
replay_moves = 8
num_updates = 1
batch_size = 8
network = {architecture = "mlp", channels = 16, blocks = 1}
search.num_simulations = 4
"""


class Result(NamedTuple):
    """What the script left behind."""

    code: int | str
    out: str
    err: str


def load_script():
    """Returns the module of the script, anew."""
    spec = importlib.util.spec_from_file_location("sweep_script", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def snapshot(folder):
    """Returns the bytes of every file below a folder."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(pathlib.Path(folder).rglob("*"))
        if path.is_file()
    }


def states(folder):
    """Returns how many trials are in each state, read without Optuna."""
    path = folder / "study.db"
    if not path.exists():
        return {}
    connection = sqlite3.connect(path)
    try:
        return dict(connection.execute("select state, count(*) from trials group by state"))
    except sqlite3.OperationalError:  # no tables yet, or another process writes
        return {}
    finally:
        connection.close()


def read_run(folder, number):
    return json.loads((folder / "trials" / str(number) / "run.json").read_text())


@dataclasses.dataclass
class FakePopulation:
    """Stands for `train_population`: a look is a tenth of a run's time; nothing is trained.

    What it calls is what `train_population` promises.
    """

    accuracy: object  # (run, share of its time) -> accuracy at a look
    evaluations: int | None = None  # after so many, it is asked to stop
    error: object = None  # run -> an error, or None
    calls: list = dataclasses.field(default_factory=list)  # the runs of each call, in order
    most: int = 0  # side by side at any time

    def __call__(self, runs, num_slots, find_positions, progress, *, on_evaluation, on_end):
        started = []
        self.calls.append(started)
        members = {}
        is_stopped = False
        while not is_stopped:
            while len(members) < num_slots and (run := next(runs, None)):
                started.append(run)
                if error := self.error and self.error(run):
                    on_end(run, Outcome([], None, 0.0, was_interrupted=False, error=error))
                else:
                    members[run.path] = (run, [])
            self.most = max(self.most, len(members))
            if not members:
                break
            is_stopped = self._look_at(members, on_evaluation, on_end)
        for run, rows in members.values():
            on_end(run, Outcome(rows, None, rows[-1]["seconds"], was_interrupted=True))
        return is_stopped

    def _look_at(self, members, on_evaluation, on_end):
        """Has a look at every member, and tells whether it is asked to stop."""
        for run, rows in list(members.values()):
            share = (len(rows) + 1) / 10
            accuracy = self.accuracy(run, share)
            rows.append(
                {
                    "iteration": 10 * len(rows) + 10,
                    "seconds": 60 * run.limits.minutes * share,
                    "accuracy_network": accuracy,
                    "accuracy_search": accuracy,
                }
            )
            should_prune = on_evaluation(run, rows)
            if should_prune or share >= 1:
                del members[run.path]
                seconds = rows[-1]["seconds"]
                on_end(run, Outcome(list(rows), None, seconds, was_interrupted=False))
            if self.evaluations is not None:
                self.evaluations -= 1
                if self.evaluations <= 0:
                    return True
        return False
