import asyncio

import numpy as np
import pytest

from azjax.evaluation import search_position
from azjax.page.analysis import programs
from azjax.page.analysis.players import load_page_player
from azjax.page.analysis.rules import make_rules
from azjax.page.analysis.search_analysis import summarize
from azjax.page.analysis.service import SearchService
from azjax.page.worker import Worker

pytestmark = pytest.mark.usefixtures("nothing_ahead")

NUM_SIMULATIONS = 8


@pytest.fixture(scope="module")
def player(tmp_path_factory):
    name = f"mcts:simulations={NUM_SIMULATIONS}"
    return load_page_player(tmp_path_factory.mktemp("runs"), name, "tic_tac_toe")


@pytest.fixture(scope="module")
def position():
    return make_rules("tic_tac_toe").parse("X../.O./..X O")


def run(test):
    """Runs a coroutine function with a service of its own."""

    async def with_service():
        worker = Worker()
        try:
            return await test(SearchService(worker))
        finally:
            worker.close()

    return asyncio.run(with_service())


async def watch(service, player, position):
    return [analysis async for analysis in service.watch(player, position.state)]


def test_a_search_that_is_watched_grows_to_what_the_player_searches(player, position):
    frames = run(lambda service: watch(service, player, position))
    counts = [summarize(frame).simulations for frame in frames]
    assert counts == list(range(1, NUM_SIMULATIONS + 1))
    expected = search_position(player.player, position.state)
    found = frames[-1].found
    np.testing.assert_array_equal(found.visits, expected.visits)
    assert (found.action, found.value) == (expected.action, pytest.approx(expected.value))


def test_the_tree_leads_from_the_root_by_legal_moves_with_fewer_visits_below(player, position):
    nodes = summarize(run(lambda service: watch(service, player, position))[-1]).nodes
    by_index = {node.number: node for node in nodes}
    assert nodes[0].parent is None
    assert nodes[0].actions == ()
    rules = make_rules("tic_tac_toe")
    for node in nodes[1:]:
        parent = by_index[node.parent]
        assert node.actions[:-1] == parent.actions
        assert 1 <= node.visits <= parent.visits
        assert -1 <= node.value <= 1
        at = position
        for action in node.actions:
            assert action in at.legal
            at = rules.play(at, action)


def test_requests_at_the_same_time_are_batched_and_answered_alike(player, position, monkeypatch):
    sizes = []

    async def search_all(service):
        await service.search(player, position.state)
        programs = await next(iter(service._programs.values()))
        programs.compile(8, player.parameters, position.state)
        search = programs.search

        def counted(size, parameters, requests):
            sizes.append((size, len(requests)))
            return search(size, parameters, requests)

        monkeypatch.setattr(programs, "search", counted)
        return await asyncio.gather(*(service.search(player, position.state) for _ in range(11)))

    answers = run(search_all)
    assert sizes == [(8, 8), *[(1, 1)] * 3]
    expected = search_position(player.player, position.state)
    for answer in answers:
        np.testing.assert_array_equal(answer.found.visits, expected.visits)


@pytest.mark.parametrize("size", [1, 8])
def test_a_long_search_finds_in_pieces_what_the_player_finds(player, position, monkeypatch, size):
    monkeypatch.setattr(programs, "_most_in_piece", lambda size: 3)
    made = programs.SearchPrograms(player.act, player.parameters.rollout_weight)
    assert made.parts(size) == [3, 3, 2]
    made.compile(size, player.parameters, position.state)
    monkeypatch.setattr(made, "search", None)

    async def search_all(service):
        return await service._search(
            made, size, player.parameters, [programs.Request(position.state, 0)] * size
        )

    answers = run(search_all)
    assert len(answers) == size
    expected = search_position(player.player, position.state)
    for answer in answers:
        np.testing.assert_array_equal(answer.found.visits, expected.visits)
        assert answer.found.action == expected.action


def test_a_visitor_who_leaves_is_not_searched_for_and_holds_nothing(player, position):
    async def leave(service):
        frames = service.watch(player, position.state)
        await anext(frames)
        watched = service._num_watched
        await frames.aclose()
        waiting = asyncio.create_task(service.search(player, position.state))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        await service.search(player, position.state)
        await asyncio.sleep(0)
        return watched, service._num_watched, len(service._queues)

    assert run(leave) == (1, 0, 0)


def test_where_many_watch_others_see_the_end_alone(player, position):
    async def crowd(service):
        return await asyncio.gather(*(watch(service, player, position) for _ in range(5)))

    lengths = sorted(len(frames) for frames in run(crowd))
    assert lengths == [1, 1, *[NUM_SIMULATIONS] * 3]


def test_an_error_of_a_search_reaches_those_who_wait_and_nobody_else(player, position, monkeypatch):
    async def fail_once(service):
        await service.search(player, position.state)
        programs = await next(iter(service._programs.values()))
        with monkeypatch.context() as patched:
            patched.setattr(programs, "search", lambda *_: 1 / 0)
            with pytest.raises(ZeroDivisionError):
                await service.search(player, position.state)
        return await service.search(player, position.state)

    assert run(fail_once).found.visits.sum() == NUM_SIMULATIONS
