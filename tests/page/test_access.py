import asyncio

import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from azjax.page.access import TokenGuard, is_loopback

from .asgi_client import AsgiClient


@pytest.fixture
def client():
    app = Starlette(routes=[Route("/page", lambda _: PlainTextResponse("inside"))])
    client = AsgiClient(TokenGuard(app, "secret", 80))
    yield client
    client.close()


@pytest.mark.parametrize("query", ["", "?token=", "?token=Secret", "?token=%E4"])
def test_without_the_token_there_is_one_line(client, query):
    answer = client.get(f"/page{query}")
    assert answer.status_code == 401
    assert answer.json() == {
        "detail": "open the address that `azjax serve` has printed: it holds a token"
    }


def test_the_token_is_needed_once_and_leaves_the_address(client):
    answer = client.get("/page?token=secret&game=hex")
    assert answer.text == "inside"
    assert str(answer.url).endswith("/page?game=hex")
    assert client.get("/page").text == "inside"


def test_a_wrong_cookie_and_a_websocket_without_one_are_refused(client):
    client.client.cookies.set("azjax_token_80", "guess")
    assert client.get("/page").status_code == 401
    sent = []

    async def send(message):
        sent.append(message)

    scope = {"type": "websocket", "query_string": b"token=secret", "headers": [], "path": "/"}
    asyncio.run(TokenGuard(None, "secret", 80)(scope, None, send))
    assert sent == [{"type": "websocket.close", "code": 1008}]


@pytest.mark.parametrize("cookie", ["a,b=1", 'x={"y":1}', "foo[bar]=1", "name=Jos\u00e9"])
def test_cookies_of_other_servers_are_in_nobodys_way(client, cookie):
    headers = {"Cookie": cookie.encode("latin-1")}
    assert client.get("/page", headers).status_code == 401
    known = {"Cookie": f"{cookie}; azjax_token_80=secret".encode("latin-1")}
    assert client.get("/page", known).text == "inside"


def test_a_program_sends_the_token_as_a_header(client):
    assert client.get("/page", {"Authorization": "Bearer secret"}).text == "inside"
    assert client.get("/page", {"Authorization": "Bearer other"}).status_code == 401


@pytest.mark.parametrize(
    ("host", "expected"),
    [("127.0.0.1", True), ("localhost", True), ("::1", True), ("0.0.0.0", False), ("box", False)],
)
def test_other_hosts_than_this_machine_need_a_token(host, expected):
    assert is_loopback(host) == expected
