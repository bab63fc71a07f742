"""Runs in words: their numbers, states and names, and what stops them."""

from collections.abc import Sequence

from azjax.page.training.runs import WatchedRun
from azjax.runs.reporting.progress_phrases import clock
from azjax.support.plurals import count


def describe_run(run: WatchedRun) -> str:
    """Returns the newest numbers of a run in one line."""
    row = run.newest.last
    phrases = [run.settings.game, f"seed {run.settings.seed}"] if run.settings else []
    if row:
        phrases += [f"iteration {run.newest.iteration:,}", f"{clock(row['seconds'])} of training"]
    if row.get("simulations_per_second") is not None:
        phrases.append(f"{row['simulations_per_second']:,.0f} simulations/s")
    if accuracy := describe_accuracy(run):
        phrases.append(f"accuracy {accuracy}")
    if left := describe_left(run):
        phrases.append(f"{left} left")
    return ", ".join(phrases)


def describe_state(run: WatchedRun) -> str:
    """Returns the state of a run in words, with the process that trains it."""
    if run.owner is None:
        return run.state
    return f"{run.state}{' by' if run.state == 'training' else ','} {run.owner.name}"


def describe_states(runs: Sequence[WatchedRun]) -> str:
    """Returns how many runs are in which state, such as `3 runs: 2 training, 1 finished`."""
    states = [run.state for run in runs]
    counts = [f"{states.count(state)} {state}" for state in dict.fromkeys(states)]
    return f"{count(len(runs), 'run')}: {', '.join(counts)}"


def describe_stop(runs: Sequence[WatchedRun]) -> str:
    """Returns what stops runs, such as `Stop`, or `Stop all 4 runs` that one process trains.

    It is `Stopping` where all that are trained have been asked to stop.
    """
    if any(run.owner for run in runs) and not can_stop(runs):
        return "Stopping"
    together = {run.owner.process: run.num_together for run in _stoppable(runs) if run.owner}
    number = sum(together.values())
    return f"Stop all {count(number, 'run')}" if number > 1 else "Stop"


def can_stop(runs: Sequence[WatchedRun]) -> bool:
    """Tells whether some of the runs are trained by a process that is not stopping yet."""
    return bool(_stoppable(runs))


def _stoppable(runs: Sequence[WatchedRun]) -> list[WatchedRun]:
    return [run for run in runs if run.owner and run.state != "stopping"]


def describe_accuracy(run: WatchedRun) -> str:
    """Returns the newest accuracy of a run in words; empty if it was not measured."""
    row = run.newest.evaluation
    if not row:
        return ""
    network = row.get("accuracy_network")
    of_network = "" if network is None else f" ({network:.2%} network alone)"
    return f"{row['accuracy_search']:.2%}{of_network}"


def describe_left(run: WatchedRun) -> str:
    """Returns the time that a run has left, such as `04:30`; empty if it is not known."""
    share, seconds = share_done(run), run.newest.last.get("seconds")
    if run.state == "finished" or not run.newest.iteration or not seconds or not share:
        return ""
    return clock(seconds * (1 - share) / share)


def share_done(run: WatchedRun) -> float:
    """Returns the share of a run that is done."""
    if run.state == "finished":
        return 1.0
    if run.settings is None or not run.newest.last:
        return 0.0
    return run.settings.limits.share_done(run.newest.iteration, run.newest.last["seconds"])


def short_names(names: Sequence[str]) -> dict[str, str]:
    """Returns the names of runs without the folders that all of them are in, by the whole names."""
    parts = [name.split("/") for name in names]
    most = min((len(some) for some in parts), default=1) - 1
    common = next((i for i in range(most) if len({some[i] for some in parts}) > 1), most)
    return {name: "/".join(some[common:]) for name, some in zip(names, parts, strict=True)}
