"""The play view by NiceGUI's user simulation: every click goes the way of a browser's."""

import asyncio
import threading

import pytest

from azjax.page.analysis import catalogue, exact
from azjax.page.play.link import PlayLink
from azjax.page.play.view import add_pages

from ..simulation import element, press, visit, wait_until

pytestmark = pytest.mark.usefixtures("nothing_ahead")

SEARCHER = "mcts:simulations=6"


def text_of(user, marker):
    (element,) = user.find(marker=marker).elements
    return getattr(element, "content", None) or element.text


async def status(user, expected):
    """Waits until the status is as expected."""
    for _ in range(600):
        if text_of(user, "status") == expected:
            return
        await asyncio.sleep(0.05)
    raise AssertionError(f"{text_of(user, 'status')!r} stays; expected {expected!r}")


async def settled(user):
    """Waits until nobody thinks."""
    for _ in range(600):
        if not [task for task in asyncio.all_tasks() if task.get_name() == "think"]:
            return
        await asyncio.sleep(0.05)
    raise AssertionError("somebody thinks for half a minute")


def num_plies(user):
    (chart,) = user.find(marker="wins").elements
    return len(chart.options["xAxis"]["data"])


def click(user, **target):
    user.find(marker="board").trigger("click", target)


def test_a_whole_game_is_played_against_a_search_and_watched(tmp_path):
    async def play(user):
        await user.open(f"/?game=tic_tac_toe&o={SEARCHER}")
        await status(user, "Your move, as X.")
        for _ in range(5):
            await settled(user)
            if text_of(user, "status") != "Your move, as X.":
                break
            plies = num_plies(user)
            click(user, move=text_of(user, "board").split('data-move="')[1].split('"')[0])
            await wait_until(lambda plies=plies: num_plies(user) > plies)
        await settled(user)
        assert text_of(user, "status") in {"Draw.", "X wins (you).", f"O wins ({SEARCHER})."}
        (chart,) = user.find(marker="wins").elements
        values = chart.options["series"][0]["data"]
        assert None not in values
        assert values[-1] in (0, 50, 100)

    visit(add_pages, tmp_path, play)


def test_the_search_shows_its_moves_and_its_tree_and_a_node_opens_its_position(tmp_path):
    async def look(user):
        await user.open(f"/?game=tic_tac_toe&o={SEARCHER}&moves=a1+b2")
        await status(user, "Your move, as X.")
        await settled(user)
        assert text_of(user, "searched") == "mcts: 6 simulations"
        assert "the more visits, the larger" in text_of(user, "legend")
        assert text_of(user, "moves").count("<tr data-for=") >= 2
        (tree,) = user.find(marker="tree").elements
        (root,) = tree.options["series"][0]["data"]
        node = root["children"][0]
        event = {
            **dict.fromkeys(("seriesType", "seriesIndex", "seriesName", "dataIndex")),
            **{"componentType": "series", "name": node["name"], "value": 0, "data": node},
        }
        user.find(marker="tree").trigger("componentClick", event)
        in_the_tree = f"In the tree (Esc leads back): {SEARCHER} moves, as O."
        await status(user, in_the_tree)
        click(user, move="5")  # nothing: the game is not there
        await asyncio.sleep(0.1)
        assert text_of(user, "status") == in_the_tree
        user.find(marker="move").type("c3").trigger("keydown.enter")
        await wait_until(lambda: "Esc leads back to the game" in text_of(user, "note"))
        assert text_of(user, "status") == in_the_tree
        user.find("Undo").click()
        await status(user, "Your move, as X.")
        assert text_of(user, "note") == ""
        user.find(marker="tree").trigger("componentClick", event)
        await status(user, in_the_tree)
        press(user, "Escape")
        await status(user, "Your move, as X.")
        assert num_plies(user) == 3

    visit(add_pages, tmp_path, look)


def test_the_game_goes_back_by_the_chart_and_by_undo_and_goes_on_from_there(tmp_path):
    async def step(user):
        def plies():
            return element(user, "wins").options["xAxis"]["data"]

        await user.open("/?game=tic_tac_toe&o=random&moves=a1+b2+c3+c1")
        await status(user, "Your move, as X.")
        event = {
            **dict.fromkeys(("seriesType", "seriesIndex", "seriesName", "data", "value")),
            **{"componentType": "series", "name": "", "dataIndex": 2},
        }
        user.find(marker="wins").trigger("componentClick", event)
        await wait_until(lambda: text_of(user, "board").count('data-move="') == 7)
        click(user, move="1")
        await wait_until(lambda: plies()[:4] == ["start", "1. a1", "2. b2", "3. b1"])
        await settled(user)
        user.find("Undo").click()
        await wait_until(lambda: plies() == ["start", "1. a1", "2. b2"])
        user.find("Text").click()
        response = await user.download.next()
        assert "moves: a1 b2\nposition: X../.O./... X\nresult: unfinished\n" in response.text

    visit(add_pages, tmp_path, step)


def test_exact_values_are_shown_and_the_event_loop_does_not_find_them_out(tmp_path, monkeypatch):
    is_solvable, threads = exact.is_solvable, set()

    def noted(game):
        threads.add(threading.current_thread())
        return is_solvable(game)

    for module in (catalogue, exact):
        monkeypatch.setattr(module, "is_solvable", noted)

    async def look(user):
        await user.open("/?game=coins&position=4+X&moves=2+1")  # the opponent is chosen too
        user.find("exact values").click()
        await status(user, "Your move, as X. Mistakes: X 1, O 1.")
        assert "win" in text_of(user, "board")

    visit(add_pages, tmp_path, look)
    assert threads
    assert threading.main_thread() not in threads


def test_a_click_on_no_move_is_ignored(tmp_path):
    async def look(user):
        await user.open("/?game=tic_tac_toe&o=random&moves=a1+b2")
        await status(user, "Your move, as X.")
        for digits in ("5" * 5000, "-1"):
            click(user, move=digits)
            click(user, cube=digits)
        click(user, illegal="b2")
        await wait_until(lambda: "b2" in text_of(user, "note"))
        assert num_plies(user) == 3

    visit(add_pages, tmp_path, look)


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("o=nonsense&game=hex_5", "no player 'nonsense'"),
        ("game=tic_tac_toe&position=%3Cscript%3E", "is not 3 rows of 3"),
        ("agent=runs/..", "no name below"),
    ],
)
def test_a_wrong_address_is_told_in_one_line_and_a_game_opened(tmp_path, query, told, monkeypatch):
    usual = PlayLink(game="tic_tac_toe", second="random")
    monkeypatch.setattr("azjax.page.play.view.PlayLink", lambda: usual)

    async def err(user):
        await user.open(f"/?{query}")
        await user.should_see(told, retries=50)
        await status(user, "Your move, as X.")

    visit(add_pages, tmp_path, err)


def test_what_is_right_in_a_wrong_address_is_kept(tmp_path):
    async def look(user):
        await user.open("/?game=tic_tac_toe&x=tactical&o=you&moves=zz")
        await wait_until(lambda: element(user, "game").value == "tic_tac_toe")
        assert [element(user, name).value for name in ("X", "O")] == ["tactical", "you"]

    visit(add_pages, tmp_path, look)


def test_two_agents_play_by_themselves_unless_paused(tmp_path):
    async def look(user):
        def is_over():
            return "wins" in text_of(user, "status") or text_of(user, "status") == "Draw."

        await user.open("/?game=tic_tac_toe&x=random&o=tactical")
        await wait_until(lambda: num_plies(user) > 1, seconds=60)
        user.find("pause").click()
        await settled(user)
        plies = num_plies(user)
        await asyncio.sleep(1.0)  # more than twice the time between two moves
        assert num_plies(user) == plies
        assert not is_over()
        user.find("pause").click()
        await wait_until(is_over, seconds=60)
        assert num_plies(user) > plies

    visit(add_pages, tmp_path, look)
