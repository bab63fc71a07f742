"""What the service lets its threads do, with programs that compile nothing."""

import asyncio
import threading

import pytest

from azjax.page.analysis import service as service_module
from azjax.page.analysis.service import SearchService
from azjax.page.worker import Worker

from .fake_programs import NUM_PARTS, OTHER_PLAYER, PLAYER, FakePrograms, LongPrograms


def run(monkeypatch, programs, test, *others):
    """Runs a coroutine function with a service that has these programs, and with its worker."""
    made = iter([programs, *others])
    monkeypatch.setattr(service_module, "SearchPrograms", lambda *_: next(made))

    async def with_service():
        worker = Worker()
        try:
            return await test(SearchService(worker), worker)
        finally:
            worker.close()

    return asyncio.run(with_service())


async def compiled_ahead(service):
    """Waits until nothing more is compiled in the background."""
    while service._compiling:
        await asyncio.wait(service._compiling)


async def search_together(service, count):
    return await asyncio.gather(*(service.search(PLAYER, i) for i in range(count)))


def test_the_next_larger_size_is_compiled_as_soon_as_one_is_used(monkeypatch):
    programs = FakePrograms()

    async def search(service, worker):
        for count in (1, 1, 8, 8, 32):
            assert await search_together(service, count) == list(range(count))
            await compiled_ahead(service)

    run(monkeypatch, programs, search)
    assert programs.noted == [
        *(("compile", 1), ("search", 1), ("compile", 8), ("search", 1)),
        *(("search", 8), ("compile", 32), ("search", 8), ("search", 32)),
    ]


def test_nobody_waits_for_what_is_compiled_ahead(monkeypatch):
    """Neither those who search by the same player, nor the first who searches by another one."""
    programs, other, goes_on = FakePrograms(), FakePrograms(), threading.Event()
    compile_now = programs.compile

    def slow(size, *arguments):
        assert size == 1 or goes_on.wait(60)
        compile_now(size, *arguments)

    monkeypatch.setattr(programs, "compile", slow)

    async def search(service, worker):
        await service.search(PLAYER, 0)
        assert await search_together(service, 20) == list(range(20))
        assert await service.search(OTHER_PLAYER, "other") == "other"
        assert service._compiling
        goes_on.set()
        await compiled_ahead(service)

    run(monkeypatch, programs, search, other)
    assert programs.noted == [("compile", 1), *[("search", 1)] * 21, ("compile", 8)]


def test_others_are_searched_between_the_pieces_of_a_long_search(monkeypatch):
    programs, other = LongPrograms(), threading.Event()

    async def search(service, worker):
        long = asyncio.create_task(service.search(PLAYER, "long"))
        while not programs.noted.count(("piece", 1)):
            await asyncio.sleep(0)
        await worker.search(other.set)
        assert not long.done()
        return await long

    assert run(monkeypatch, programs, search) == "long"
    assert other.is_set()
    assert programs.noted.count(("piece", 1)) == NUM_PARTS


@pytest.mark.parametrize("is_watched", [False, True])
def test_a_long_search_ends_after_the_piece_in_hand_when_the_page_is_closed(
    monkeypatch, is_watched
):
    programs, begun, is_closed = LongPrograms(), threading.Event(), threading.Event()
    go_on = programs.go_on

    def slow(*arguments):
        begun.set()
        assert is_closed.wait(60)
        return go_on(*arguments)

    monkeypatch.setattr(programs, "go_on", slow)

    async def close(service, worker):
        if is_watched:
            searches = [anext(service.watch(PLAYER, "first"))]
        else:
            searches = [service.search(PLAYER, state) for state in ("first", "second")]
        tasks = [asyncio.ensure_future(search) for search in searches]
        await asyncio.to_thread(begun.wait)
        worker.close()
        is_closed.set()
        await asyncio.wait(tasks, timeout=60)
        return [task.cancelled() for task in tasks]

    assert all(run(monkeypatch, programs, close))
    assert programs.noted.count(("piece", 1)) == 1


def test_who_waited_for_a_failure_drops_no_later_programs(monkeypatch):
    failing, working = FakePrograms(), FakePrograms()
    monkeypatch.setattr(failing, "compile", lambda *_: 1 / 0)

    async def search(service, worker):
        async def search_until_found(state):
            try:
                return await service.search(PLAYER, state)
            except ZeroDivisionError:
                return await service.search(PLAYER, state)

        assert await asyncio.gather(*map(search_until_found, "ab")) == ["a", "b"]

    run(monkeypatch, failing, search, working)
