import socket

import httpx
import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from azjax.page import server
from azjax.page.runs_folder import name_below, path_below
from azjax.page.server import TokenGuard, is_loopback, page_address
from azjax.support.errors import InputError

pytestmark = pytest.mark.anyio


@pytest.fixture
async def client():
    app = Starlette(routes=[Route("/page", lambda _: PlainTextResponse("inside"))])
    transport = httpx.ASGITransport(TokenGuard(app, "secret", 80))
    async with httpx.AsyncClient(
        transport=transport, base_url="http://test", follow_redirects=True
    ) as client:
        yield client


@pytest.mark.parametrize("query", ["", "?token=%E4"])
async def test_without_the_token_there_is_one_line(client, query):
    answer = await client.get(f"/page{query}")
    assert answer.status_code == 401
    assert "open the address that `azjax serve` has printed" in answer.json()["detail"]


async def test_the_token_is_needed_once_and_leaves_the_address(client):
    answer = await client.get("/page?token=secret&game=hex")
    assert answer.text == "inside"
    assert str(answer.url).endswith("/page?game=hex")
    assert (await client.get("/page")).text == "inside"


async def test_a_wrong_cookie_and_a_websocket_without_one_are_refused(client):
    client.cookies.set("azjax_token_80", "guess")
    assert (await client.get("/page")).status_code == 401
    sent = []

    async def send(message):
        sent.append(message)

    scope = {"type": "websocket", "query_string": b"token=secret", "headers": [], "path": "/"}
    await TokenGuard(None, "secret", 80)(scope, None, send)
    assert sent == [{"type": "websocket.close", "code": 1008}]


@pytest.mark.parametrize("cookie", ["a,b=1", "name=Jos\u00e9"])
async def test_cookies_of_other_servers_are_in_nobodys_way(client, cookie):
    for known, status in {"": 401, "; azjax_token_80=secret": 200}.items():
        headers = {"Cookie": f"{cookie}{known}".encode("latin-1")}
        assert (await client.get("/page", headers=headers)).status_code == status


@pytest.mark.parametrize(("token", "status"), [("secret", 200), ("other", 401)])
async def test_a_program_sends_the_token_as_a_header(client, token, status):
    answer = await client.get("/page", headers={"Authorization": f"Bearer {token}"})
    assert answer.status_code == status


@pytest.mark.parametrize(
    ("host", "expected"), [("localhost", True), ("::1", True), ("0.0.0.0", False), ("box", False)]
)
def test_other_hosts_than_this_machine_need_a_token(host, expected):
    assert is_loopback(host) == expected


@pytest.mark.parametrize(
    ("host", "token", "address"),
    [
        ("::1", None, "http://[::1]:8000/"),
        ("0.0.0.0", "secret", f"http://{socket.gethostname()}:8000/?token=secret"),
    ],
)
def test_the_address_can_be_opened_where_the_page_can_be_reached(host, token, address):
    assert page_address(host, 8000, token) == address


def test_a_port_that_is_taken_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(server, "add_rules_device", lambda: None)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(InputError, match=f"cannot serve at 127.0.0.1, port {port}: "):
            server.serve("127.0.0.1", port, tmp_path, pytest.fail, opens_browser=False)


@pytest.mark.parametrize("name", ["", "a/../b", "/etc", "a\\b", "a\0b", "\u00e9" * 150])
def test_a_name_that_is_no_plain_path_below_the_folder_is_refused(tmp_path, name):
    with pytest.raises(InputError, match="is no name below the folder of runs"):
        path_below(tmp_path, name)


def test_a_link_out_of_the_folder_is_refused_and_a_folder_within_is_not(tmp_path):
    runs = tmp_path / "runs"
    (runs / "population" / "seed=0").mkdir(parents=True)
    (runs / "link").symlink_to(tmp_path)
    with pytest.raises(InputError, match="leads out"):
        path_below(runs, "link")
    with pytest.raises(InputError, match="leads out"):
        path_below(runs, "link/secret")
    path = path_below(runs, "population/seed=0")
    assert path == runs / "population" / "seed=0"
    assert name_below(runs, path) == "population/seed=0"
