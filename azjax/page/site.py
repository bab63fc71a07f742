"""What the views of the page share."""

import dataclasses
import pathlib

from azjax.page.analysis.players import PlayerCache
from azjax.page.analysis.service import SearchService
from azjax.page.worker import Worker


@dataclasses.dataclass(frozen=True)
class Site:
    """The page of one `azjax serve`."""

    runs: pathlib.Path  # absolute; names of runs and of agents' files are relative to it
    worker: Worker
    players: PlayerCache
    searches: SearchService


def make_site(runs: pathlib.Path) -> Site:
    """Returns the site of a folder of runs, which need not exist yet."""
    worker, runs = Worker(), runs.absolute()
    return Site(runs, worker, PlayerCache(runs, worker), SearchService(worker))
