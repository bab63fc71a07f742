import asyncio
import threading
from types import SimpleNamespace

import pytest

from azjax.page.analysis import player_cache
from azjax.page.analysis.player_cache import PlayerCache
from azjax.page.worker import Worker
from azjax.support.errors import InputError

PLAYER = SimpleNamespace(name="a player")


class FakeWorker:
    """Ends what is to be loaded by the results that a test gives, in order."""

    def __init__(self, *results):
        self.results, self.num_loads = list(results), 0

    async def load(self, function, *arguments):
        self.num_loads += 1
        await asyncio.sleep(0)
        result = self.results.pop(0)
        if isinstance(result, Exception):
            raise result
        return result

    async def access_files(self, function, *arguments):
        return function(*arguments)


@pytest.mark.parametrize("error", [InputError("no such run"), OSError("disk"), MemoryError()])
def test_a_player_that_could_not_be_loaded_is_loaded_again(tmp_path, error):
    async def get_twice():
        worker = FakeWorker(error, PLAYER)
        cache = PlayerCache(tmp_path, worker)
        with pytest.raises(type(error)):
            await cache.get("random")
        assert await cache.get("random") is await cache.get("random") is PLAYER
        return worker.num_loads

    assert asyncio.run(get_twice()) == 2


def test_who_waited_for_a_failure_drops_no_later_player(tmp_path):
    """Two wait for the first try; one of them has begun another before the other has failed."""

    async def get_in_turn():
        worker = FakeWorker(OSError("disk"), PLAYER, "a second one")
        cache = PlayerCache(tmp_path, worker)

        async def get_until_there():
            try:
                return await cache.get("random")
            except OSError:
                return await cache.get("random")

        found = await asyncio.gather(get_until_there(), get_until_there())
        return [*found, await cache.get("random")], worker.num_loads

    assert asyncio.run(get_in_turn()) == ([PLAYER] * 3, 2)


def test_the_event_loop_accesses_no_files_of_an_agent(tmp_path, monkeypatch):
    path_below, threads = player_cache.path_below, set()

    def noted(*arguments):
        threads.add(threading.current_thread())
        return path_below(*arguments)

    monkeypatch.setattr(player_cache, "path_below", noted)

    async def get():
        worker = Worker()
        try:
            with pytest.raises(InputError, match="runs/none"):
                await PlayerCache(tmp_path, worker).get("runs/none")
        finally:
            worker.close()

    asyncio.run(get())
    assert threads
    assert threading.main_thread() not in threads
