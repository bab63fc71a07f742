import json

import httpx
import jax
import pytest
from fastapi import FastAPI

from azjax import games
from azjax.evaluation import search_position
from azjax.page import api
from azjax.page.analysis.players import load_page_player

from .made_runs import make_line

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("nothing_ahead")]

START = ".../.../... X"
SEARCH = {"agent": "mcts:simulations=8", "game": "tic_tac_toe", "position": START}
MOVE = {"game": "tic_tac_toe", "position": START, "move": "b2"}


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    for name, text in {
        "one": '{"config": {"train": {"game": "tic_tac_toe"}}}',
        "damaged": "{",
    }.items():
        (folder / name).mkdir()
        (folder / name / "run.json").write_text(text)
    (folder / "one" / "metrics.jsonl").write_text("".join(make_line(i, loss=1.0) for i in range(3)))
    return folder


@pytest.fixture
async def client(site):
    app = FastAPI()
    api.add_routes(app, site)
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
        yield client


async def test_games_agents_and_runs_are_listed(client):
    found = {row["name"]: row for row in (await client.get("/api/games")).json()}
    assert set(found) >= set(games.names())
    assert found["tic_tac_toe"]["start"] == START
    agents = (await client.get("/api/agents")).json()
    assert {"name": "connect_four", "game": "connect_four", "kind": "shipped"} in agents
    runs = (await client.get("/api/runs")).json()
    assert [run["name"] for run in runs] == ["damaged", "one"]


@pytest.mark.parametrize(
    ("name", "status"), [("none", 404), ("a%2F..%2Fone", 422), ("%2Fetc", 422)]
)
async def test_a_run_that_is_not_there_or_elsewhere_is_refused(client, name, status):
    answer = await client.get(f"/api/runs/{name}/metrics")
    assert answer.status_code == status
    assert isinstance(answer.json()["detail"], str)


async def test_a_search_is_that_of_the_command_line(client, runs):
    answer = (await client.post("/api/search", json=SEARCH)).json()
    player = load_page_player(runs, SEARCH["agent"], "tic_tac_toe")
    name = player.game.format_action
    found = search_position(player.player, player.game.init(jax.random.key(0)))
    assert answer["action"] == name(found.action)
    assert answer["value"] == pytest.approx(found.value)
    assert answer["visits"] == {name(a): int(n) for a, n in enumerate(found.visits) if n}
    assert sum(answer["policy"].values()) == pytest.approx(1)
    assert answer["principal_variation"][0] == answer["action"]
    assert set(answer["q"]) == set(answer["visits"])


async def test_a_move_leads_to_the_next_position_and_to_the_end(client):
    answer = (await client.post("/api/move", json=MOVE)).json()
    assert answer["position"] == ".../.X./... O"
    assert len(answer["legal_moves"]) == 8
    assert answer["result"] is None
    last = MOVE | {"position": "XX./OO./... X", "move": "c1"}
    expected = {"position": "XXX/OO./... O", "legal_moves": [], "result": 1}
    assert (await client.post("/api/move", json=last)).json() == expected


@pytest.mark.parametrize(
    ("request_", "part"),
    [
        (SEARCH | {"agent": "gtp:gnugo --mode gtp"}, "no player"),
        (SEARCH | {"agent": "runs/../../etc"}, "no name below the folder of runs"),
        (SEARCH | {"position": "XXX/OO./... O"}, "the game is over"),
        (SEARCH | {"simulations": 10_001}, "body.simulations"),
        (MOVE | {"position": "X../.../... O", "move": "a1"}, "cannot be played"),
        ({"position": START, "move": "a1"}, "either agent or game"),
    ],
)
async def test_bad_input_is_answered_by_one_line(client, request_, part):
    path = "/api/move" if "move" in request_ else "/api/search"
    answer = await client.post(path, json=request_)
    assert answer.status_code == 422
    detail = answer.json()["detail"]
    assert part in detail
    assert "\n" not in detail


async def test_a_body_that_is_not_said_to_be_json_is_refused_with_the_header_that_is_needed(client):
    answer = await client.post("/api/move", content=json.dumps(MOVE).encode())
    assert answer.status_code == 422
    assert "add the header Content-Type: application/json" in answer.json()["detail"]
