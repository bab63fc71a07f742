"""The meaning of a score, in words."""

from azjax.support.files.tables import Row
from azjax.sweeps.sweep import Sweep


def format_number(value: float) -> str:
    """Returns a number with four significant digits, such as 1.792 or 19650."""
    return f"{float(f'{value:.4g}'):g}"


def share_until_perfect(sweep: Sweep, score: float | None) -> float | None:
    """Returns the share of its training after which a trial was perfect, or None."""
    if score is None or score <= 1 or sweep.objective != "accuracy":
        return None
    return 2.0 - score


def score_meaning(sweep: Sweep, score: float) -> str:
    """Returns what one trial's score means, such as "perfect after 20.8% of the training"."""
    if sweep.objective == "rating":
        return f"Elo above {sweep.opponent}"
    share = share_until_perfect(sweep, score)
    if share is None:
        return f"validation accuracy {format_number(100 * score)}%"
    return f"perfect after {100 * share:.3g}% of the training"


def explain_score(sweep: Sweep) -> str:
    """Returns the definition of the score, with examples."""
    if sweep.objective == "rating":
        return (
            f"The score is the final agent's Elo above {sweep.opponent}, by a match: 100 means "
            "that it scores 64% against it."
        )
    return (
        "The score is the validation accuracy at the end of a trial's training T: that with search "
        "on one half of the solved positions. For example, 0.975 is an accuracy of 97.5%. A trial "
        "that is perfect on both halves after a training of t stops, and scores 1 + (1 - t/T). For "
        "example, 1.792 is perfect after 20.8% of the training. The other half of the positions "
        "reports: the test accuracy is on positions that did not choose the trial."
    )


def describe_test_accuracy(best: Row) -> str:
    """Returns a sentence: the best trial's accuracy on the positions that did not choose it."""
    if best.get("test_accuracy") is None:
        return ""
    shares = (best[name] for name in ("test_accuracy", "random_accuracy", "choice_matters"))
    test, random, choice = (f"{format_number(100 * share)}%" for share in shares)
    return (
        " On the half of the positions that did not choose it, its accuracy with search is "
        f"{test}; uniform random play has {random} on all of them, and the choice of the move "
        f"matters in {choice}."
    )
