"""The addresses by which one view leads to another."""

from urllib.parse import urlencode

from azjax.page.analysis.players import RUNS


def run_link(*names: str) -> str:
    """Returns the address of runs that are laid over each other."""
    return f"/training/run?{urlencode([('name', name) for name in names])}"


def play_link(name: str) -> str:
    """Returns the address of a game against the agent of a run."""
    return f"/?{urlencode({'agent': f'{RUNS}{name}'})}"


def evolution_link(name: str) -> str:
    """Returns the address of a run's evolution."""
    return f"/evolution?{urlencode({'run': name})}"
