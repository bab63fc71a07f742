"""The searches of all visitors: those by the same player are batched, and some can be watched."""

import asyncio
import dataclasses
from collections.abc import AsyncIterator
from typing import Any, NamedTuple

from azjax.evaluation.players.player import SearchParameters
from azjax.page.analysis.players import PagePlayer
from azjax.page.analysis.programs import Request, SearchPrograms
from azjax.page.analysis.summary import Analysis
from azjax.page.worker import SharedResults, Worker
from azjax.support.component import structure

_MOST_PROGRAMS = 16  # in use
_MOST_WATCHED = 3  # searches at a time; others wait less when they are batched


class _Waiting(NamedTuple):
    request: Request
    answer: "asyncio.Future[Analysis]"


@dataclasses.dataclass(eq=False)
class _Queue:
    """The requests that wait for one player."""

    player: PagePlayer
    waiting: list[_Waiting] = dataclasses.field(default_factory=list)
    serving: "asyncio.Task[None] | None" = None


class SearchService:
    """Searches positions for visitors.

    The requests that arrive while a batch is searched are the next batch, of one of a few sizes.
    The program of one position is compiled when a player is first used, and the program of the next
    larger size as soon as a size has first been used; meanwhile the smaller ones serve.
    """

    def __init__(self, worker: Worker):
        self._worker = worker
        self._programs = SharedResults[SearchPrograms](_MOST_PROGRAMS)
        self._queues: dict[int, _Queue] = {}  # by the identity of a player's parameters
        self._compiling: set[asyncio.Future[None]] = set()  # else they could be collected
        self._num_watched = 0

    async def search(self, player: PagePlayer, state: Any, seed: int = 0) -> Analysis:
        """Searches an unfinished position, together with the requests of other visitors.

        The player is one that searches; the seed is for rollouts.
        """
        programs = await self._prepare(player, state)
        queue = self._queues.setdefault(id(player.parameters), _Queue(player))
        answer = asyncio.get_running_loop().create_future()
        queue.waiting.append(_Waiting(Request(state, seed), answer))
        if queue.serving is None:
            queue.serving = asyncio.create_task(self._serve(queue, programs))
        return await answer

    async def watch(
        self, player: PagePlayer, state: Any, seed: int = 0, kept: dict[str, Any] | None = None
    ) -> AsyncIterator[Analysis]:
        """Yields a search as it goes on, the last time when it is done.

        Where many search, or the search does not run in pieces, it yields the end alone. A search
        that keeps trees goes on with what is kept of the game, by the player's name.
        """
        programs = await self._prepare(player, state)
        if not programs.can_be_watched or self._num_watched >= _MOST_WATCHED:
            yield await self.search(player, state, seed)
            return
        parameters, call = player.parameters, self._worker.search
        self._num_watched += 1
        try:
            kept = {} if kept is None else kept
            earlier = kept.get(player.name)
            tree = await call(programs.begin, 1, parameters, [Request(state, seed)], earlier)
            for num_simulations in programs.frames():
                tree = await call(programs.go_on, 1, parameters, tree, num_simulations)
                (analysis,) = await call(programs.read, 1, parameters, tree, 1)
                yield analysis
            kept[player.name] = await call(programs.keep, parameters, tree)
            self._compile_next(programs, 1, parameters, state)
        finally:
            self._num_watched -= 1

    async def _prepare(self, player: PagePlayer, state: Any) -> SearchPrograms:
        """Returns the programs of a player, ready for one position at least."""
        parameters, weight = player.parameters, float(player.parameters.rollout_weight)
        key = player.act, structure(parameters.search), weight

        async def compile_one() -> SearchPrograms:
            programs = SearchPrograms(player.act, parameters.search, weight)
            await self._worker.compile(programs.compile, 1, parameters, state)
            return programs

        return await self._programs.get(key, compile_one)

    def _compile_next(
        self, programs: SearchPrograms, used: int, parameters: SearchParameters, state: Any
    ) -> None:
        """Compiles the size after one that was used, in the background, if it is missing."""
        size = programs.next_size(used)
        if size is None:
            return
        programs.begun.add(size)
        compiling = self._worker.compile_ahead(programs.compile, size, parameters, state)
        task = asyncio.ensure_future(compiling)
        self._compiling.add(task)
        task.add_done_callback(self._compiling.discard)

    async def _serve(self, queue: _Queue, programs: SearchPrograms) -> None:
        """Searches what waits for a player, batch by batch, until nothing does."""
        batch: list[_Waiting] = []
        try:
            while queue.waiting:
                await asyncio.sleep(0)  # what others ask for in this turn of the loop joins
                size = programs.size_for(len(queue.waiting))
                batch, queue.waiting = queue.waiting[:size], queue.waiting[size:]
                await self._answer(queue.player, programs, size, batch)
        finally:
            for one in (*batch, *queue.waiting):
                one.answer.cancel()  # those that have none yet: the page is being closed
            del self._queues[id(queue.player.parameters)]

    async def _answer(
        self, player: PagePlayer, programs: SearchPrograms, size: int, batch: list[_Waiting]
    ) -> None:
        batch = [one for one in batch if not one.answer.done()]  # whose visitor has not left
        if not batch:
            return
        requests = [one.request for one in batch]
        try:
            found = await self._search(programs, size, player.parameters, requests)
        except Exception as error:
            for one in batch:
                if not one.answer.done():
                    one.answer.set_exception(error)
            return
        for one, analysis in zip(batch, found, strict=True):
            if not one.answer.done():
                one.answer.set_result(analysis)
        self._compile_next(programs, size, player.parameters, requests[0].state)

    async def _search(
        self,
        programs: SearchPrograms,
        size: int,
        parameters: SearchParameters,
        requests: list[Request],
    ) -> list[Analysis]:
        """Returns searches at once. Between the pieces of long ones others are searched."""
        call = self._worker.search
        trees = await call(programs.begin, size, parameters, requests)
        for num_simulations in programs.parts(size):
            trees = await call(programs.go_on, size, parameters, trees, num_simulations)
        return await call(programs.read, size, parameters, trees, len(requests))
