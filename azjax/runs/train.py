"""Trains a single run, as a population of one."""

from azjax import games
from azjax.evaluation import SolvedPositions, find_positions
from azjax.runs.population import train_population
from azjax.runs.reporting.progress import TrainingProgress
from azjax.runs.session import Outcome
from azjax.runs.storage.run_directory import RunDirectory


def train_run(
    run: RunDirectory, progress: TrainingProgress, positions: SolvedPositions | None = None
) -> Outcome:
    """Trains a run until its limits, until it is perfect, or until asked to stop.

    Training continues from the newest checkpoint, if there is one.

    Args:
      run: The run's folder, from `create_run` or `open_run`.
      progress: Prints the progress.
      positions: The solved positions to measure accuracy on; those of `find_positions` if not
        given.

    Raises:
      InputError: Its checkpoints are damaged, or its devices do not exist.
      RunError: It cannot continue.
    """
    outcomes: list[Outcome] = []
    train_population(
        iter([run]),
        1,
        lambda: positions or find_positions(games.make(run.config.train.game)),
        progress,
        on_end=lambda _, outcome: outcomes.append(outcome),
    )
    if not outcomes:  # asked to stop before it began
        return Outcome([], None, 0.0, was_interrupted=True)
    [outcome] = outcomes
    if outcome.error:
        raise outcome.error
    return outcome
