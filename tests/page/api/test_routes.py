import json
import threading

import jax
import pytest
from fastapi import FastAPI

from azjax import games
from azjax.evaluation import search_position
from azjax.page.analysis.players import load_page_player
from azjax.page.api import routes
from azjax.page.api.routes import add_routes
from azjax.page.site import make_site

from ..asgi_client import AsgiClient

pytestmark = pytest.mark.usefixtures("nothing_ahead")

AGENT = "mcts:simulations=8"
START = ".../.../... X"


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    (folder / "one").mkdir()
    config = {"config": {"train": {"game": "tic_tac_toe"}}}
    (folder / "one" / "run.json").write_text(json.dumps(config))
    rows = [{"iteration": i, "seconds": i / 2, "loss": 1.0} for i in range(3)]
    (folder / "one" / "metrics.jsonl").write_text("".join(f"{json.dumps(x)}\n" for x in rows))
    (folder / "damaged").mkdir()
    (folder / "damaged" / "run.json").write_text("{")
    return folder


@pytest.fixture(scope="module")
def client(runs):
    app, site = FastAPI(), make_site(runs)
    add_routes(app, site)
    client = AsgiClient(app)
    yield client
    client.close()
    site.worker.close()


def search(client, **changes):
    request = {"agent": AGENT, "game": "tic_tac_toe", "position": START} | changes
    return client.post("/api/search", request)


def test_games_agents_and_runs_are_listed(client):
    found = {row["name"]: row for row in client.get("/api/games").json()}
    assert set(found) >= set(games.names())
    assert found["tic_tac_toe"]["start"] == START
    agents = client.get("/api/agents").json()
    assert {"name": "connect_four", "game": "connect_four", "kind": "shipped"} in agents
    runs = client.get("/api/runs").json()
    assert [run["name"] for run in runs] == ["damaged", "one"]


def test_the_event_loop_accesses_no_files_of_a_run(client, monkeypatch):
    is_run, threads = routes.is_run, set()

    def noted(path):
        threads.add(threading.current_thread())
        return is_run(path)

    monkeypatch.setattr(routes, "is_run", noted)
    rows = client.get("/api/runs/one/metrics").json()
    assert [row["iteration"] for row in rows] == [0, 1, 2]
    assert threads
    assert threading.main_thread() not in threads


@pytest.mark.parametrize(
    ("name", "status"), [("none", 404), ("a%2F..%2Fone", 422), ("%2Fetc", 422)]
)
def test_a_run_that_is_not_there_or_elsewhere_is_refused(client, name, status):
    answer = client.get(f"/api/runs/{name}/metrics")
    assert answer.status_code == status
    assert isinstance(answer.json()["detail"], str)


def test_a_search_is_that_of_the_command_line(client, runs):
    answer = search(client).json()
    player = load_page_player(runs, AGENT, "tic_tac_toe")
    state = player.game.init(jax.random.key(0))
    found = search_position(player.player, state)
    assert answer["action"] == player.game.format_action(found.action)
    assert answer["value"] == pytest.approx(found.value)
    assert answer["visits"] == {
        player.game.format_action(a): int(n) for a, n in enumerate(found.visits) if n
    }
    assert sum(answer["policy"].values()) == pytest.approx(1)
    assert answer["principal_variation"][0] == answer["action"]
    assert set(answer["q"]) == set(answer["visits"])


def test_a_move_leads_to_the_next_position_and_to_the_end(client):
    answer = client.post("/api/move", {"game": "tic_tac_toe", "position": START, "move": "b2"})
    assert answer.json()["position"] == ".../.X./... O"
    assert len(answer.json()["legal_moves"]) == 8
    assert answer.json()["result"] is None
    last = {"game": "tic_tac_toe", "position": "XX./OO./... X", "move": "c1"}
    assert client.post("/api/move", last).json() == {
        "position": "XXX/OO./... O",
        "legal_moves": [],
        "result": 1,
    }


@pytest.mark.parametrize(
    ("changes", "part"),
    [
        ({"agent": "gtp:gnugo --mode gtp"}, "no player"),
        ({"agent": "runs/../../etc"}, "no name below the folder of runs"),
        ({"agent": "random"}, "does not search"),
        ({"agent": "mcts", "game": None}, "which game"),
        ({"game": "chess"}, "chess"),
        ({"position": "XXX/OO./... O"}, "the game is over"),
        ({"simulations": 0}, "body.simulations"),
        ({"simulations": 10_001}, "body.simulations"),
        ({"unknown": 1}, "body.unknown"),
    ],
)
def test_bad_input_is_answered_by_one_line(client, changes, part):
    answer = search(client, **changes)
    assert answer.status_code == 422
    detail = answer.json()["detail"]
    assert part in detail
    assert "\n" not in detail


@pytest.mark.parametrize(
    ("request_", "part"),
    [
        ({"game": "tic_tac_toe", "position": "X../.../... O", "move": "a1"}, "cannot be played"),
        ({"game": "tic_tac_toe", "position": "XXX/OO./... O", "move": "c3"}, "the game is over"),
        ({"position": START, "move": "a1"}, "either agent or game"),
    ],
)
def test_a_move_that_cannot_be_played_is_refused(client, request_, part):
    answer = client.post("/api/move", request_)
    assert answer.status_code == 422
    assert part in answer.json()["detail"]


@pytest.mark.parametrize("kind", [None, "text/plain"])
def test_a_body_that_is_not_said_to_be_json_is_refused_with_the_header_that_is_needed(client, kind):
    move = {"game": "tic_tac_toe", "position": START, "move": "b2"}
    answer = client.post_bytes("/api/move", json.dumps(move).encode(), kind)
    assert answer.status_code == 422
    assert "add the header Content-Type: application/json" in answer.json()["detail"]
