import asyncio

import numpy as np
import pytest

from azjax.evaluation import search_position
from azjax.page.analysis import programs
from azjax.page.analysis.players import load_page_player
from azjax.page.analysis.rules import make_rules
from azjax.page.analysis.summary import summarize

pytestmark = [pytest.mark.slow, pytest.mark.anyio, pytest.mark.usefixtures("nothing_ahead")]

NUM_SIMULATIONS = 8


@pytest.fixture(scope="module")
def player(tmp_path_factory):
    name = f"mcts:simulations={NUM_SIMULATIONS}"
    return load_page_player(tmp_path_factory.mktemp("runs"), name, "tic_tac_toe")


@pytest.fixture(scope="module")
def position():
    return make_rules("tic_tac_toe").parse("X../.O./..X O")


@pytest.fixture
def service(site):
    return site.searches


async def watch(service, player, position):
    return [analysis async for analysis in service.watch(player, position.state)]


async def test_a_search_that_is_watched_grows_to_what_the_player_searches_by_legal_moves(
    service, player, position
):
    frames = await watch(service, player, position)
    counts = [summarize(frame).simulations for frame in frames]
    assert counts == list(range(1, NUM_SIMULATIONS + 1))
    expected = search_position(player.player, position.state)
    found = frames[-1].found
    np.testing.assert_array_equal(found.visits, expected.visits)
    assert (found.action, found.value) == (expected.action, pytest.approx(expected.value))

    nodes = summarize(frames[-1]).nodes
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


async def test_a_search_that_keeps_its_tree_goes_on_with_it(service, tmp_path, position):
    name, kept = f"mcts:kept=50,simulations={NUM_SIMULATIONS}", {}
    player = load_page_player(tmp_path, name, "tic_tac_toe")
    visits = []
    for _ in range(2):
        *_, last = [x async for x in service.watch(player, position.state, kept=kept)]
        visits.append(last.found.visits.sum())
    assert visits == [NUM_SIMULATIONS, 2 * NUM_SIMULATIONS + 1]


async def test_requests_at_the_same_time_are_batched_and_answered_alike(
    service, player, position, monkeypatch
):
    await service.search(player, position.state)
    made, sizes = await next(iter(service._programs.results.values())), []
    made.compile(8, player.parameters, position.state)
    begin = made.begin

    def counted(size, parameters, requests, *kept):
        sizes.append((size, len(requests)))
        return begin(size, parameters, requests, *kept)

    monkeypatch.setattr(made, "begin", counted)
    answers = await asyncio.gather(*(service.search(player, position.state) for _ in range(11)))
    assert sizes == [(8, 8), *[(1, 1)] * 3]
    expected = search_position(player.player, position.state)
    for answer in answers:
        np.testing.assert_array_equal(answer.found.visits, expected.visits)


async def test_a_long_search_finds_in_pieces_what_the_player_finds(
    service, player, position, monkeypatch
):
    monkeypatch.setattr(programs, "_most_in_piece", lambda size: 3)
    made = programs.SearchPrograms(player.act, player.parameters.search, 1.0)
    assert made.parts(8) == [3, 3, 2]
    made.compile(8, player.parameters, position.state)
    requests = [programs.Request(position.state, 0)] * 8
    answers = await service._search(made, 8, player.parameters, requests)
    assert len(answers) == 8
    expected = search_position(player.player, position.state)
    for answer in answers:
        np.testing.assert_array_equal(answer.found.visits, expected.visits)
        assert answer.found.action == expected.action


async def test_a_visitor_who_leaves_is_not_searched_for_and_holds_nothing(
    service, player, position
):
    frames = service.watch(player, position.state)
    await anext(frames)
    assert service._num_watched == 1
    await frames.aclose()
    waiting = asyncio.create_task(service.search(player, position.state))
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    await service.search(player, position.state)
    await asyncio.sleep(0)
    assert (service._num_watched, len(service._queues)) == (0, 0)


async def test_where_many_watch_others_see_the_end_alone(service, player, position):
    frames = await asyncio.gather(*(watch(service, player, position) for _ in range(5)))
    assert sorted(map(len, frames)) == [1, 1, *[NUM_SIMULATIONS] * 3]
