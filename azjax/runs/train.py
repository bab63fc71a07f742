"""One run trained alone: the smallest population."""

from azjax.evaluation import Truth
from azjax.runs.population import train_population
from azjax.runs.progress import TrainingProgress
from azjax.runs.run_directory import RunDirectory
from azjax.runs.session import Outcome


def train(run: RunDirectory, progress: TrainingProgress, truth: Truth | None = None) -> Outcome:
    """Trains a run until its limits, until it is perfect, or until asked to stop.

    It goes on from the newest checkpoint that there is.

    Args:
      run: The run's folder, as `create_run` makes it or `open_run` finds it.
      progress: What a person sees.
      truth: Positions to measure accuracy on; without, a game small enough is solved.

    Raises:
      InputError: Its checkpoints are damaged, or its devices are not there.
      RunError: It cannot go on.
    """
    outcomes: list[Outcome] = []
    train_population(
        iter([run]), 1, truth, progress, on_end=lambda _, outcome: outcomes.append(outcome)
    )
    if not outcomes:  # asked to stop before it began
        return Outcome([], None, 0.0, was_interrupted=True)
    [outcome] = outcomes
    if outcome.error:
        raise outcome.error
    return outcome
