"""What the service lets its threads do, with programs that compile nothing."""

import asyncio
import threading
from types import SimpleNamespace

import pytest

from azjax.page.analysis import service as service_module
from azjax.page.analysis.programs import SearchPrograms

pytestmark = pytest.mark.anyio

PLAYER = SimpleNamespace(act="act", parameters=SimpleNamespace(search=None, rollout_weight=0.0))
NUM_PARTS = 20


class FakePrograms(SearchPrograms):
    """Finds the state that it is asked for; `noted` holds what was called, in order."""

    def __init__(self, num_parts=1):
        self.sizes, self.begun, self._ready, self.noted = (1, 8, 32), {1}, set(), []
        self.num_parts = num_parts

    can_be_watched = True

    def frames(self):
        return self.parts(1)

    def parts(self, size):
        return [1] * self.num_parts

    def compile(self, size, parameters, state):
        self.noted.append(("compile", size))
        self._ready.add(size)

    def begin(self, size, parameters, requests):
        return [request.state for request in requests]

    def go_on(self, size, parameters, state, num_simulations):
        self.noted.append(("piece", size))
        return state

    def read(self, size, parameters, state, count):
        return state[:count]


@pytest.fixture
def service(site, monkeypatch):
    """Returns a service whose programs are those in its list `made`, in order."""
    site.searches.made = []
    monkeypatch.setattr(service_module, "SearchPrograms", lambda *_: site.searches.made.pop(0))
    return site.searches


async def compiled_ahead(service):
    """Waits until nothing more is compiled in the background."""
    while service._compiling:
        await asyncio.wait(service._compiling)


async def search_together(service, count):
    return await asyncio.gather(*(service.search(PLAYER, i) for i in range(count)))


async def test_the_next_larger_size_is_compiled_as_soon_as_one_is_used(service):
    programs = FakePrograms()
    service.made = [programs]
    for count in (1, 1, 8, 8, 32):
        assert await search_together(service, count) == list(range(count))
        await compiled_ahead(service)
    assert programs.noted == [
        *(("compile", 1), ("piece", 1), ("compile", 8), ("piece", 1)),
        *(("piece", 8), ("compile", 32), ("piece", 8), ("piece", 32)),
    ]


async def test_others_are_searched_between_the_pieces_of_a_long_search(service, site):
    programs, other = FakePrograms(NUM_PARTS), threading.Event()
    service.made = [programs]
    long = asyncio.create_task(service.search(PLAYER, "long"))
    while not programs.noted.count(("piece", 1)):
        await asyncio.sleep(0)
    await site.worker.search(other.set)
    assert not long.done()
    assert await long == "long"
    assert programs.noted.count(("piece", 1)) == NUM_PARTS


async def test_a_long_search_ends_after_the_piece_in_hand_when_the_page_is_closed(
    service, site, monkeypatch
):
    programs, begun, is_closed = FakePrograms(NUM_PARTS), threading.Event(), threading.Event()
    go_on, service.made = programs.go_on, [programs]

    def slow(*arguments):
        begun.set()
        assert is_closed.wait(60)
        return go_on(*arguments)

    monkeypatch.setattr(programs, "go_on", slow)
    searches = [service.search(PLAYER, state) for state in ("first", "second")]
    tasks = [asyncio.ensure_future(search) for search in searches]
    await asyncio.to_thread(begun.wait)
    site.worker.close()
    is_closed.set()
    await asyncio.wait(tasks, timeout=60)
    assert all(task.cancelled() for task in tasks)
    assert programs.noted.count(("piece", 1)) == 1
