"""The meaning of a score, in words."""

from azjax.sweeps.sweep import Sweep


def format_number(value: float) -> str:
    """Returns a number with four significant digits, such as 1.792 or 19650."""
    return f"{float(f'{value:.4g}'):g}"


def share_until_perfect(sweep: Sweep, score: float | None) -> float | None:
    """Returns the share of the time after which a trial was perfect, or None if it was not."""
    if score is None or score <= 1 or sweep.objective != "accuracy":
        return None
    return 2.0 - score


def score_meaning(sweep: Sweep, score: float) -> str:
    """Returns what one trial's score means, such as "perfect after 20.8% of the time"."""
    if sweep.objective == "rating":
        return f"Elo above {sweep.opponent}"
    share = share_until_perfect(sweep, score)
    if share is None:
        return f"mean accuracy {format_number(100 * score)}%"
    return f"perfect after {100 * share:.3g}% of the time"


def explain_score(sweep: Sweep) -> str:
    """Returns the definition of the score, with examples."""
    if sweep.objective == "rating":
        return (
            f"The score is the final agent's Elo above {sweep.opponent}, by a match: 100 means "
            "that it scores 64% against it."
        )
    return (
        "The score is the mean of the accuracies of the network alone and with search at the end "
        "of a trial's training time T. For example, 0.975 is a mean accuracy of 97.5%. A trial "
        "that is perfect after a time t stops, and scores 1 + (1 - t/T). For example, 1.792 is "
        "perfect after 20.8% of the time."
    )
