"""Suggestions for the misspelt name of an agent."""

import pathlib
from collections.abc import Iterable

from azjax.agents.agent_file import shipped_agents
from azjax.runs.run_directory import is_run
from azjax.support.suggestions import did_you_mean

USUAL_FOLDER = pathlib.Path("runs")  # of `azjax train`


def suggest_agent(name: str, others: Iterable[str], otherwise: str) -> str:
    """Returns a question with the nearest of the shipped agents, of the runs, and of other names.

    Args:
      name: The name that is none of an agent; its checkpoint and its options are left out.
      others: Names that are possible too.
      otherwise: Returned if none is near.
    """
    bare = name.partition("@")[0].partition(":")[0]
    return did_you_mean(bare, [*others, *shipped_agents(), *_runs_near(bare)], otherwise)


def _runs_near(name: str) -> list[str]:
    """Returns the runs in the folder of a name, and those where training puts them."""
    folders = dict.fromkeys([pathlib.Path(name).parent, USUAL_FOLDER])
    return [str(path) for folder in folders for path in sorted(folder.glob("*")) if is_run(path)]
