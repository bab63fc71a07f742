"""Pictures of a sweep: what the scores hang on, and every trial as a line through its values."""

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

_BEST = 0.25  # the share of the trials of which importance tells
FEWEST_FOR_IMPORTANCE = 8  # trials: of fewer there are not two in that share
_COLOURS = "viridis_r"  # told apart by the colour-blind, and in grey; the best are dark


def plot_importance(trials: list[FrozenTrial], stem: pathlib.Path) -> None:
    """Writes how much each field matters for being among the best quarter of the trials.

    PED-ANOVA: Watanabe, Bansal, Hutter, "PED-ANOVA: efficiently quantifying hyperparameter
    importance in arbitrary subspaces", IJCAI 2023. Only the order of the trials counts; those
    stopped early are behind the others.

    Args:
      trials: Finished, at least FEWEST_FOR_IMPORTANCE of them.
      stem: The files' path without suffix.
    """
    importance = _importance(trials)
    names = sorted(importance, key=importance.__getitem__)
    figure = Figure(figsize=(6.4, 1.2 + 0.3 * len(names)), layout="constrained")
    axes = figure.subplots()
    axes.barh([_short(name) for name in names], [importance[name] for name in names])
    axes.set(xlabel="importance for being among the best quarter (PED-ANOVA)")
    axes.grid(axis="x", alpha=0.3)
    save_figure(figure, stem)


def plot_parallel_coordinates(
    space: Space, trials: list[FrozenTrial], label: str, stem: pathlib.Path
) -> None:
    """Writes each trial as a line through its values, those stopped early in grey.

    Args:
      space: Which has the scales.
      trials: Finished, at least one of them with a score.
      label: Of the score.
      stem: The files' path without suffix.
    """
    names = [n for n in (*space.choices, *space.ranges) if any(n in t.params for t in trials)]
    whole = sorted((t for t in trials if t.state == TrialState.COMPLETE), key=_order)
    lowest, highest = whole[0].value, whole[-1].value
    scores = Normalize(lowest, highest if highest > lowest else lowest + 1)  # one needs a range too
    colours = ScalarMappable(scores, colormaps[_COLOURS])
    figure = Figure(figsize=(len(names) + 2.5, 4.6), layout="constrained")
    axes = figure.subplots()
    for trial in trials:
        if trial.state != TrialState.COMPLETE:
            axes.plot(*_line(space, names, trial), color="0.8", linewidth=0.7)
    for trial in whole:
        axes.plot(*_line(space, names, trial), color=colours.to_rgba(trial.value), linewidth=1.6)
    _mark_scales(axes, space, names)
    figure.colorbar(colours, ax=axes, label=label, pad=0.01)
    save_figure(figure, stem)


def _importance(trials: list[FrozenTrial]) -> dict[str, float]:
    """Returns the importance of each field that all trials have, the sum of them being 1."""
    study = optuna.create_study(direction="maximize")
    for rank, trial in enumerate(sorted(trials, key=_order)):
        study.add_trial(
            optuna.create_trial(
                params=trial.params, distributions=trial.distributions, value=float(rank)
            )
        )
    evaluator = PedAnovaImportanceEvaluator(target_quantile=_BEST)
    return get_param_importances(study, evaluator=evaluator)


def _order(trial: FrozenTrial) -> tuple[bool, float]:
    """Returns by what trials are ordered; one that failed has no value at all."""
    value = -math.inf if trial.value is None else trial.value
    return trial.state == TrialState.COMPLETE, value


def _line(space: Space, names: list[str], trial: FrozenTrial) -> tuple[list[int], list[float]]:
    """Returns the fields that a trial has, by their places, and the heights of their values."""
    slots = [i for i, name in enumerate(names) if name in trial.params]
    return slots, [_height(space, names[i], trial.params[names[i]]) for i in slots]


def _mark_scales(axes: Axes, space: Space, names: list[str]) -> None:
    """Writes the ends of each field's scale, or its choices, beside its line."""
    for i, name in enumerate(names):
        axes.axvline(i, color="0.5", linewidth=0.8, zorder=0)
        range_ = space.ranges.get(name)
        for mark in (range_.low, range_.high) if range_ else space.choices[name]:
            text = f"{mark:g}" if isinstance(mark, float) else str(mark)
            height = _height(space, name, mark)
            axes.annotate(text, (i, height), (3, 0), textcoords="offset points", fontsize=8)
    axes.set_xticks(range(len(names)), [_short(n) for n in names], rotation=35, ha="right")
    axes.set(yticks=[], xlim=(-0.2, len(names) - 0.4), ylim=(-0.05, 1.05))
    axes.set_title("trials; in grey those stopped early", fontsize=10)
    axes.spines[:].set_visible(False)


def _height(space: Space, name: str, value: float) -> float:
    """Returns where a value lies on its scale, from 0 to 1."""
    range_ = space.ranges.get(name)
    if range_ is None:
        choices = space.choices[name]
        return (choices.index(value) + 0.5) / len(choices)
    if range_.log:
        return math.log(value / range_.low) / math.log(range_.high / range_.low)
    return (value - range_.low) / (range_.high - range_.low)


def _short(name: str) -> str:
    return name.removeprefix("hparams.").removeprefix("train.")
