"""The figures of a sweep: importance of the fields, and parallel coordinates of the trials."""

import math
import pathlib

import optuna
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from optuna.importance import PedAnovaImportanceEvaluator, get_param_importances
from optuna.trial import FrozenTrial, TrialState

from azjax.support.figures import save_figure
from azjax.sweeps.search_space import Space

_BEST = 0.25  # the share of trials by which importance is defined
FEWEST_FOR_IMPORTANCE = 20  # trials; from fewer, importance is mostly chance
_COLORMAP = "viridis"  # safe for colour-blind readers and in grey; the best are bright
_BACKGROUND, _PRUNED = "black", "0.35"


def plot_importance(trials: list[FrozenTrial], stem: pathlib.Path) -> None:
    """Plots the importance of each field for being among the best quarter of the trials.

    PED-ANOVA: Watanabe, Bansal, Hutter, "PED-ANOVA: efficiently quantifying hyperparameter
    importance in arbitrary subspaces", IJCAI 2023. Only the order of the trials counts; pruned
    trials rank below all complete ones.

    Args:
      trials: At least FEWEST_FOR_IMPORTANCE finished trials.
      stem: The files' path without suffix.
    """
    importance = _importance(trials)
    names = sorted(importance, key=importance.__getitem__)
    figure = Figure(figsize=(6.4, 1.2 + 0.3 * len(names)), layout="constrained")
    axes = figure.subplots()
    axes.barh(names, [importance[name] for name in names])
    axes.set(xlabel="importance for being among the best quarter (PED-ANOVA)")
    axes.grid(axis="x", alpha=0.3)
    save_figure(figure, stem)


def plot_parallel_coordinates(space: Space, trials: list[FrozenTrial], stem: pathlib.Path) -> None:
    """Plots each trial as a line through its values: the best is the brightest, pruned are grey.

    Args:
      space: The scales of the fields.
      trials: Finished trials, at least one of them complete.
      stem: The files' path without suffix.
    """
    names = [n for n in (*space.choices, *space.ranges) if any(n in t.params for t in trials)]
    complete = sorted((t for t in trials if t.state == TrialState.COMPLETE), key=_rank)
    lowest, highest = complete[0].values[0], complete[-1].values[0]
    scores = Normalize(lowest if lowest < highest else highest - 1, highest)  # not an empty range
    colormap = colormaps[_COLORMAP]
    figure = Figure(figsize=(len(names) + 2.5, 4.6), layout="constrained")
    axes = figure.subplots()
    for trial in trials:
        if trial.state != TrialState.COMPLETE:
            axes.plot(*_line(space, names, trial), color=_PRUNED, linewidth=0.7)
    for trial in complete:  # the best on top
        color = colormap(scores(trial.values[0]))
        axes.plot(*_line(space, names, trial), color=color, linewidth=1.6)
    _mark_scales(axes, space, names)
    figure.colorbar(ScalarMappable(scores, colormap), ax=axes, label="score", pad=0.01)
    save_figure(figure, stem)


def _importance(trials: list[FrozenTrial]) -> dict[str, float]:
    """Returns the importance of each field that all trials have; they sum to 1."""
    study = optuna.create_study(direction="maximize")
    for rank, trial in enumerate(sorted(trials, key=_rank)):
        study.add_trial(
            optuna.create_trial(
                params=trial.params, distributions=trial.distributions, value=float(rank)
            )
        )
    evaluator = PedAnovaImportanceEvaluator(target_quantile=_BEST)
    return get_param_importances(study, evaluator=evaluator)


def _rank(trial: FrozenTrial) -> tuple[bool, float]:
    """Returns the sort key of a trial, higher for better ones; a failed trial has no value."""
    value = -math.inf if trial.value is None else trial.value
    return trial.state == TrialState.COMPLETE, value


def _line(space: Space, names: list[str], trial: FrozenTrial) -> tuple[list[int], list[float]]:
    """Returns x and y of a trial's line: the indices of its fields, the heights of its values."""
    indices = [i for i, name in enumerate(names) if name in trial.params]
    return indices, [_height(space, names[i], trial.params[names[i]]) for i in indices]


def _mark_scales(axes: Axes, space: Space, names: list[str]) -> None:
    """Labels each field's axis with the bounds of its range, or with its choices."""
    for i, name in enumerate(names):
        axes.axvline(i, color="0.5", linewidth=0.8, zorder=0)
        range_ = space.ranges.get(name)
        for mark in (range_.low, range_.high) if range_ else space.choices[name]:
            text = f"{mark:g}" if isinstance(mark, float) else str(mark)
            height = _height(space, name, mark)
            offset = (3, 14 * height - 10)  # outside the lines, which end at heights 0 and 1
            axes.annotate(
                text, (i, height), offset, textcoords="offset points", fontsize=8, color="white"
            )
    axes.set_xticks(range(len(names)), names, rotation=35, ha="right")
    axes.set(facecolor=_BACKGROUND, yticks=[], xlim=(-0.2, len(names) - 0.4), ylim=(-0.07, 1.07))
    axes.set_title("trials: the brightest is the best, grey ones were stopped early", fontsize=10)
    axes.spines[:].set_visible(False)


def _height(space: Space, name: str, value: float) -> float:
    """Returns the position of a value on its field's scale, from 0 to 1."""
    range_ = space.ranges.get(name)
    if range_ is None:
        choices = space.choices[name]
        return (choices.index(value) + 0.5) / len(choices)
    if range_.log:
        return math.log(value / range_.low) / math.log(range_.high / range_.low)
    return (value - range_.low) / (range_.high - range_.low)
