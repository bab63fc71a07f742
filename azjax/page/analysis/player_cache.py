"""The players in use, so that all visitors who name the same one share it."""

import asyncio
import collections
import pathlib

from azjax.page.analysis.players import RUNS, PagePlayer, full_name, is_built_in, load_page_player
from azjax.page.analysis.rules import make_rules
from azjax.page.safe_paths import path_below
from azjax.page.worker import Worker
from azjax.support.errors import InputError

_MOST = 16  # players; the one that was asked for longest ago is dropped


class PlayerCache:
    """Loads players in the worker's thread, each once as long as its run saves no new network."""

    def __init__(self, runs: pathlib.Path, worker: Worker):
        """Takes the folder of runs, and the threads."""
        self._runs, self._worker = runs, worker
        self._players: collections.OrderedDict[tuple, asyncio.Future[PagePlayer]] = (
            collections.OrderedDict()
        )

    async def get(
        self,
        name: str,
        game: str | None = None,
        simulations: int | None = None,
        algorithm: str | None = None,
    ) -> PagePlayer:
        """Returns a player, the same for all visitors who name the same one in whatever way.

        Args:
          name: As of `full_name`.
          game: The game; if not given, that of the agent.
          simulations: As of `full_name`.
          algorithm: As of `full_name`.

        Raises:
          InputError: There is no such player, or it plays another game, or would take too long.
        """
        name = full_name(name, simulations, algorithm)
        player = await self._get(name, game if is_built_in(name) else None)
        if game is not None:
            rules = await self._worker.run_rules(make_rules, game)
            if rules.game != player.game:
                raise InputError(f"{player.kind} plays {player.game.name}, not {game}")
        return player

    async def _get(self, name: str, game: str | None) -> PagePlayer:
        key = name, game, await self._worker.access_files(_saved_at, self._runs, name)
        if key not in self._players:
            loading = self._worker.load(load_page_player, self._runs, name, game)
            self._players[key] = asyncio.ensure_future(loading)
            while len(self._players) > _MOST:
                self._players.popitem(last=False)
        self._players.move_to_end(key)
        player = self._players[key]
        try:
            return await asyncio.shield(player)
        except Exception:
            if self._players.get(key) is player:  # else somebody has tried again already
                del self._players[key]  # for another try: the agent may be there later
            raise


def _saved_at(runs: pathlib.Path, name: str) -> tuple[int, ...]:
    """Returns when the files of an agent below the folder of runs have changed."""
    if not name.startswith(RUNS):
        return ()
    path = path_below(runs, name.removeprefix(RUNS).partition(":")[0].partition("@")[0])
    parts = (path, path / "checkpoints", path / "history")
    return tuple(part.stat().st_mtime_ns for part in parts if part.exists())
