"""Helpers of the tests of sweeps."""

import dataclasses
import json
import sqlite3

import optuna
from optuna.distributions import CategoricalDistribution, FloatDistribution
from optuna.trial import TrialState
from script_loading import SCRIPTS

from azjax.runs.session import Outcome

SCRIPT = SCRIPTS / "sweep.py"

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

[network]
name = "mlp"
channels = 16
blocks = 1

[search]
num_simulations = 4
"""


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
    """Replaces `train_population`: evaluates before training and ten times, and trains nothing.

    It calls `on_evaluation` and `on_end` as `train_population` does.
    """

    accuracy: object  # (run, share of its time) -> accuracy
    evaluations: int | None = None  # stops after this many, as by a signal
    error: object = None  # run -> an error, or None
    calls: list = dataclasses.field(default_factory=list)  # the runs of each call, in order
    max_sessions: int = 0  # at the same time

    def __call__(self, runs, num_slots, find_positions, progress, *, on_evaluation, on_end):
        started = []
        self.calls.append(started)
        sessions = {}
        is_stopped = False
        while not is_stopped:
            while len(sessions) < num_slots and (run := next(runs, None)):
                started.append(run)
                if error := self.error and self.error(run):
                    on_end(run, Outcome([], None, 0.0, was_interrupted=False, error=error))
                else:
                    sessions[run.path] = (run, [])
            self.max_sessions = max(self.max_sessions, len(sessions))
            if not sessions:
                break
            is_stopped = self._evaluate(sessions, on_evaluation, on_end)
        for run, rows in sessions.values():
            on_end(run, Outcome(rows, None, rows[-1]["seconds"], was_interrupted=True))
        return is_stopped

    def _evaluate(self, sessions, on_evaluation, on_end):
        """Evaluates every session; returns whether it is to stop."""
        for run, rows in list(sessions.values()):
            share = len(rows) / 10
            accuracy = self.accuracy(run, share)
            rows.append(
                {
                    "iteration": 10 * len(rows),
                    "iteration_seconds": 0.0,
                    "seconds": 60 * (run.limits.minutes or 1.0) * share,
                    "validation_accuracy": accuracy,
                    "test_accuracy": accuracy / 2,
                    "random_accuracy": 0.38,
                    "choice_matters": 0.75,
                }
            )
            should_prune = on_evaluation(run, rows)
            if should_prune or share >= 1:
                del sessions[run.path]
                seconds = rows[-1]["seconds"]
                on_end(run, Outcome(list(rows), None, seconds, was_interrupted=False))
            if self.evaluations is not None:
                self.evaluations -= 1
                if self.evaluations <= 0:
                    return True
        return False


def make_trial(space, number, score, params):
    """Returns a finished trial with these values; a score of None is that of a pruned one."""
    distributions = {
        name: FloatDistribution(range_.low, range_.high, log=range_.log)
        for name, range_ in space.ranges.items()
    } | {name: CategoricalDistribution(values) for name, values in space.choices.items()}
    trial = optuna.create_trial(
        state=TrialState.PRUNED if score is None else TrialState.COMPLETE,
        value=score,
        params=params,
        distributions={name: distributions[name] for name in params},
    )
    trial.number = number
    return trial
