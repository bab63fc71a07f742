"""The play view by NiceGUI's user simulation: every click goes the way of a browser's."""

import asyncio
import threading

import pytest

from azjax.page.analysis import exact
from azjax.page.analysis import players as catalogue

from ..simulation import element, press, text_of, wait_until

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("nothing_ahead")]

SEARCHER = "mcts:simulations=8"


async def status(user, expected):
    """Waits until the status is as expected."""
    await wait_until(lambda: text_of(user, "status") == expected)


async def settled():
    """Waits until nobody thinks."""
    await wait_until(lambda: all(task.get_name() != "think" for task in asyncio.all_tasks()))


def plies(user):
    return element(user, "wins").options["xAxis"]["data"]


def click(user, **target):
    user.find(marker="board").trigger("click", target)


def click_chart(user, marker, **event):
    names = ("seriesType", "seriesIndex", "seriesName", "dataIndex", "data", "value", "name")
    user.find(marker=marker).trigger("componentClick", dict.fromkeys(names) | event)


async def test_the_search_shows_its_moves_and_its_tree_and_a_node_opens_its_position(user):
    await user.open(f"/?game=tic_tac_toe&o={SEARCHER}&moves=a1+b2")
    await status(user, "Your move, as X.")
    await settled()
    assert text_of(user, "searched") == "UCT: 8 simulations"
    assert len(element(user, "moves").rows) >= 2
    (root,) = element(user, "tree").options["series"][0]["data"]
    (child, *_) = (child for child in root["children"] if child["children"])
    (data, *_) = child["children"]
    node = {"componentType": "series", "name": data["name"], "data": data}
    click_chart(user, "tree", **node)
    in_the_tree = "In the tree (Esc leads back): Your move, as X."
    await status(user, in_the_tree)
    for action in range(9):
        click(user, move=str(action))  # nothing: the game is not there
    await asyncio.sleep(0.1)
    assert text_of(user, "status") == in_the_tree
    user.find(marker="move").type("c3").trigger("keydown.enter")
    await wait_until(lambda: "Esc leads back to the game" in text_of(user, "note"))
    assert text_of(user, "status") == in_the_tree
    user.find("Undo").click()
    await status(user, "Your move, as X.")
    assert text_of(user, "note") == ""
    click_chart(user, "tree", **node)
    await status(user, in_the_tree)
    press(user, "Escape")
    await status(user, "Your move, as X.")
    assert len(plies(user)) == 3


async def test_the_game_goes_back_by_the_chart_and_by_undo_and_goes_on_from_there(user):
    await user.open("/?game=tic_tac_toe&o=random&moves=a1+b2+c3+c1")
    await status(user, "Your move, as X.")
    click_chart(user, "wins", componentType="series", name="", dataIndex=2)
    await wait_until(lambda: text_of(user, "board").count('data-move="') == 7)
    click(user, move="1")
    await wait_until(lambda: plies(user)[:4] == ["start", "1. a1", "2. b2", "3. b1"])
    await settled()
    user.find("Undo").click()
    await wait_until(lambda: plies(user) == ["start", "1. a1", "2. b2"])
    user.find(marker="Text").click()
    response = await user.download.next()
    assert "moves: a1 b2\nposition: X../.O./... X\nresult: unfinished\n" in response.text


async def test_exact_values_are_shown_and_the_event_loop_does_not_find_them_out(user, monkeypatch):
    is_solvable, threads = exact.is_solvable, set()

    def noted(game):
        threads.add(threading.current_thread())
        return is_solvable(game)

    for module in (catalogue, exact):
        monkeypatch.setattr(module, "is_solvable", noted)
    await user.open("/?game=coins&position=4+X&moves=2+1&o=random")
    user.find("exact values").click()
    await status(user, "Your move, as Blue. Mistakes: Blue 1, Orange 1.")
    assert "win" in text_of(user, "board")
    assert threads
    assert threading.main_thread() not in threads


async def test_two_agents_play_by_themselves_unless_paused(user):
    def is_over():
        return "wins" in text_of(user, "status") or text_of(user, "status") == "Draw."

    await user.open("/?game=tic_tac_toe&x=random&o=random")
    element(user, "speed").set_value(0.05)
    await wait_until(lambda: len(plies(user)) > 2)
    user.find(marker="paused").click()
    await settled()
    before = len(plies(user))
    assert not is_over()
    user.find(marker="paused").click()
    await wait_until(is_over)
    assert len(plies(user)) > before


async def test_after_a_game_its_worst_move_is_tried_again(user):
    await user.open(f"/?game=tic_tac_toe&o={SEARCHER}&moves=a1+b2+a2+a3+c1+b1+b3+c3")
    await status(user, "Your move, as X.")
    click(user, move="5")  # c2, the last cell
    await wait_until(lambda: 'data-ply="9"' in element(user, "review").content)
    user.find(marker="review").trigger("click", "4")
    await wait_until(lambda: text_of(user, "status").startswith("Move 4 of 9 is shown."))


async def test_the_children_of_a_node_fold_into_a_count_that_opens_them(user):
    await user.open("/?game=tic_tac_toe&o=mcts:simulations%3D100")
    await status(user, "Your move, as X.")
    await settled()
    (root,) = element(user, "tree").options["series"][0]["data"]
    assert [child["name"] for child in root["children"]][3:] == ["+6"]
    fold = root["children"][-1]
    click_chart(user, "tree", componentType="series", name=fold["name"], data=fold)
    await wait_until(
        lambda: len(element(user, "tree").options["series"][0]["data"][0]["children"]) == 9
    )
