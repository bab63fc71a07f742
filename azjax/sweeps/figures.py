"""Pictures of a sweep: what the scores hang on, and every trial as a line through its values."""

import math
import pathlib

import optuna
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from optuna.importance import PedAnovaImportanceEvaluator, get_param_importances
from optuna.trial import FrozenTrial

from azjax.sweeps.space import Space

_FEWEST = 4  # trials, of whose best quarter the importance tells something
_COLOURS = "viridis"  # told apart by the colour-blind, and in grey


def draw_importance(trials: list[FrozenTrial], stem: pathlib.Path) -> None:
    """Writes how much each field matters for being among the best quarter of the trials.

    PED-ANOVA: Watanabe, Bansal, Hutter, "PED-ANOVA: efficiently quantifying hyperparameter
    importance in arbitrary subspaces", IJCAI 2023. Trials stopped early count by their last look.
    """
    if len(trials) < _FEWEST:
        return
    importance = _importance(trials)
    names = sorted(importance, key=importance.__getitem__)
    figure = Figure(figsize=(6.4, 1.2 + 0.3 * len(names)), layout="constrained")
    axes = figure.subplots()
    axes.barh([_short(name) for name in names], [importance[name] for name in names])
    axes.set(xlabel="importance (PED-ANOVA, best quarter of the trials)")
    axes.grid(axis="x", alpha=0.3)
    _save(figure, stem)


def draw_parallel_coordinates(
    space: Space, trials: list[FrozenTrial], label: str, stem: pathlib.Path
) -> None:
    """Writes each trial as a line through its values, the best drawn last and darkest."""
    names = [n for n in (*space.choices, *space.ranges) if any(n in t.params for t in trials)]
    if len(names) < 2:
        return
    from matplotlib import colormaps
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    scores = [_value(trial) for trial in trials]
    colours = ScalarMappable(Normalize(min(scores), max(scores)), colormaps[_COLOURS].reversed())
    figure = Figure(figsize=(1.0 * len(names) + 2.5, 4.6), layout="constrained")
    axes = figure.subplots()
    for trial in sorted(trials, key=_value):
        points = [
            (i, _height(space, name, trial.params[name]))
            for i, name in enumerate(names)
            if name in trial.params
        ]
        is_whole = trial.state == optuna.trial.TrialState.COMPLETE
        axes.plot(
            *zip(*points, strict=True),
            color=colours.to_rgba(_value(trial)),
            linewidth=1.6 if is_whole else 0.6,
            alpha=0.9 if is_whole else 0.5,
        )
    _mark_scales(axes, space, names)
    figure.colorbar(colours, ax=axes, label=label, pad=0.01)
    _save(figure, stem)


def _importance(trials: list[FrozenTrial]) -> dict[str, float]:
    """Returns the importance of each field that all trials have, the sum of them being 1."""
    study = optuna.create_study(direction="maximize")
    study.add_trials(
        optuna.create_trial(
            params=trial.params, distributions=trial.distributions, value=_value(trial)
        )
        for trial in trials
    )
    evaluator = PedAnovaImportanceEvaluator(target_quantile=0.25)
    return get_param_importances(study, evaluator=evaluator)


def _mark_scales(axes: Axes, space: Space, names: list[str]) -> None:
    """Writes the ends of each field's scale, or its choices, beside its line."""
    for i, name in enumerate(names):
        axes.axvline(i, color="0.7", linewidth=0.8, zorder=0)
        range_ = space.ranges.get(name)
        marks = (range_.low, range_.high) if range_ else space.choices[name]
        for mark in marks:
            text = f"{mark:g}" if isinstance(mark, float) else str(mark)
            height = _height(space, name, mark)
            axes.annotate(text, (i, height), (3, 0), textcoords="offset points", fontsize=8)
    axes.set_xticks(range(len(names)), [_short(n) for n in names], rotation=35, ha="right")
    axes.set(yticks=[], xlim=(-0.2, len(names) - 0.4), ylim=(-0.05, 1.05))
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


def _value(trial: FrozenTrial) -> float:
    """Returns the score of a trial, or the accuracy at which it was stopped early."""
    assert trial.value is not None
    return trial.value


def _short(name: str) -> str:
    return name.removeprefix("hparams.").removeprefix("train.")


def _save(figure: Figure, stem: pathlib.Path) -> None:
    for suffix in (".png", ".pdf"):
        figure.savefig(stem.with_suffix(suffix), dpi=150)
