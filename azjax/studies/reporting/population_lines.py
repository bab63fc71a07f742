"""What a report says of the populations in which the runs of a study were trained."""

from collections.abc import Iterator

from azjax.runs.storage.run_description import read_description
from azjax.studies.study import Cell, Study


def population_lines(study: Study) -> Iterator[str]:
    """Yields a condition if an iteration has not computed equally many runs at once in all cells.

    That is so on a GPU alone, where seeds were added later or memory had no room for all of them.
    """
    sizes = {cell.name: _sizes(study, cell) for cell in study.cells}
    if len(set().union(*sizes.values())) > 1:
        texts = (f"{name} {' and '.join(map(str, sorted(own)))}" for name, own in sizes.items())
        yield (
            f"- runs that an iteration computes at once: {', '.join(texts)}; in a minute of "
            "training, more of them may do more iterations each"
        )


def _sizes(study: Study, cell: Cell) -> set[int]:
    """Returns the numbers of runs in all sessions of a cell's runs; older ones have none."""
    runs = (read_description(study.run_path(cell.name, seed)) for seed in study.seeds)
    sessions = (session for run in runs for session in run.get("sessions", []))
    return {session["vmapped_runs"] for session in sessions if "vmapped_runs" in session}
