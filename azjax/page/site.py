"""What the views of the page share."""

import pathlib

from azjax.page.analysis.players import PlayerCache
from azjax.page.analysis.service import SearchService
from azjax.page.worker import Worker


class Site:
    """The page of one `azjax serve`, with a folder of runs, which need not exist yet."""

    def __init__(self, runs: pathlib.Path):
        self.runs = runs.absolute()  # names of runs and of agents' files are relative to it
        self.worker = Worker()
        self.players = PlayerCache(self.runs, self.worker)
        self.searches = SearchService(self.worker)
