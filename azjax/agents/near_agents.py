"""Suggestions for the misspelt name of an agent."""

import difflib
import pathlib
from collections.abc import Iterable

from azjax.agents.agent_file import shipped_agents
from azjax.runs.storage.run_folders import is_run, runs_below
from azjax.support.errors import InputError
from azjax.support.suggestions import did_you_mean

USUAL_FOLDER = pathlib.Path("runs")  # of `azjax train`
_LEAST_SIMILARITY = 0.75  # of the last parts of two names


def check_is_one_run(name: str) -> None:
    """Raises InputError if a name is that of a folder of several runs."""
    path = pathlib.Path(_bare(name))
    if below := runs_below(path):
        raise InputError(f"{path} holds {len(below)} runs: name one, such as {below[0]}")


def suggest_agent(name: str, others: Iterable[str], otherwise: str) -> str:
    """Returns a question with the nearest of the shipped agents, of the runs, and of other names.

    The last parts of the names decide whether two are near: many runs have `runs` in common.

    Args:
      name: The name that is none of an agent; its checkpoint and its options are left out.
      others: Names that are possible too.
      otherwise: Returned if none is near.
    """
    bare = _bare(name)
    names = [*others, *shipped_agents(), *_runs_near(bare)]
    return did_you_mean(bare, [other for other in names if _is_alike(bare, other)], otherwise)


def _bare(name: str) -> str:
    """Returns the name without its checkpoint and its options."""
    return name.partition("@")[0].partition(":")[0]


def _is_alike(name: str, other: str) -> bool:
    last, others = pathlib.Path(name).name, [pathlib.Path(other).name]
    return bool(difflib.get_close_matches(last, others, cutoff=_LEAST_SIMILARITY))


def _runs_near(name: str) -> list[str]:
    """Returns the runs in the folder of a name, and those where training puts them."""
    folders = dict.fromkeys([pathlib.Path(name).parent, USUAL_FOLDER])
    return [str(path) for folder in folders for path in sorted(folder.glob("*")) if is_run(path)]
