"""The server of `azjax serve`: one application for browsers and programs."""

import contextlib
import hmac
import ipaddress
import logging
import pathlib
import secrets
import socket
import threading
import webbrowser
from collections.abc import AsyncIterator, Callable
from urllib.parse import parse_qsl, urlencode

import uvicorn
from fastapi import FastAPI
from fastapi_offline import FastAPIOffline
from nicegui import ui
from starlette.datastructures import Headers
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import cookie_parser
from starlette.responses import JSONResponse, RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from azjax.page import studies
from azjax.page.api import add_routes
from azjax.page.evolution import view as evolution
from azjax.page.play import view as play
from azjax.page.site import Site
from azjax.page.training import view as training
from azjax.page.worker import add_rules_device
from azjax.support.errors import InputError, RunError

_TITLE = "azjax"
_RECONNECT_SECONDS = 15.0  # on a busy machine; a visitor who is away for longer begins anew
_LOCAL_NAMES = ["localhost", "127.0.0.1", "[::1]"]
_ALL_ADDRESSES = ("0.0.0.0", "::")  # of this machine: none that another one could open
_DENIED = 1008  # a WebSocket's close code: policy violation


def is_loopback(host: str) -> bool:
    """Tells whether only this machine can reach a host."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class TokenGuard:
    """Lets through only those who have once opened the address with the token."""

    def __init__(self, app: ASGIApp, token: str, port: int):
        """Guards an application at a port; browsers send cookies to all ports of a host."""
        self._app, self._token, self._cookie = app, token, f"azjax_token_{port}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket") or self._is_known(scope):
            await self._app(scope, receive, send)
            return
        query = parse_qsl(scope["query_string"].decode("latin-1"))
        given = dict(query).get("token", "")
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": _DENIED})
        elif self._is_token(given):
            await self._admit(scope, query)(scope, receive, send)
        else:
            text = "open the address that `azjax serve` has printed: it holds a token"
            await JSONResponse({"detail": text}, status_code=401)(scope, receive, send)

    def _admit(self, scope: Scope, query: list[tuple[str, str]]) -> RedirectResponse:
        """Returns the same address without the token, and the cookie."""
        rest = urlencode([(key, value) for key, value in query if key != "token"])
        response = RedirectResponse(f"{scope['path']}{'?' * bool(rest)}{rest}")
        response.set_cookie(self._cookie, self._token, httponly=True, samesite="strict")
        return response

    def _is_known(self, scope: Scope) -> bool:
        """Tells whether a request has the cookie, or the token as programs send it."""
        headers = Headers(scope=scope)
        bearer = headers.get("authorization", "").removeprefix("Bearer ")
        cookies = cookie_parser(headers.get("cookie", ""))
        return self._is_token(bearer) or self._is_token(cookies.get(self._cookie, ""))

    def _is_token(self, given: str) -> bool:
        return hmac.compare_digest(given.encode(), self._token.encode())


def serve(
    host: str,
    port: int,
    runs: pathlib.Path,
    on_ready: Callable[[str], None],
    *,
    opens_browser: bool,
) -> None:
    """Serves the page until Ctrl-C.

    Args:
      host: The address to listen at; from another machine than this one a token is needed.
      port: The port; 0 takes a free one.
      runs: The folder of runs.
      on_ready: Called with the page's address when it can be opened.
      opens_browser: Whether the browser opens it.

    Raises:
      InputError: The port is taken, or the host is not one of this machine's.
      RunError: It cannot start, as its address cannot be printed, say.
    """
    logging.getLogger("nicegui").setLevel(logging.ERROR)  # it tells of every wrong address
    add_rules_device()
    with contextlib.closing(_listen(host, port)) as listening:
        token = None if is_loopback(host) else secrets.token_urlsafe(24)
        address = page_address(host, listening.getsockname()[1], token)

        def announce() -> None:
            on_ready(address)
            if opens_browser:  # a browser may not return before it is closed
                threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()

        app = make_app(Site(runs), announce)
        # Else a page of another site could reach this machine's by a name that it controls.
        local = TrustedHostMiddleware(app, allowed_hosts=[*_LOCAL_NAMES, _in_address(host)])
        guarded = local if token is None else TokenGuard(app, token, listening.getsockname()[1])
        config = uvicorn.Config(
            guarded, log_level="critical", access_log=False, timeout_graceful_shutdown=1
        )
        try:
            uvicorn.Server(config).run(sockets=[listening])
        except SystemExit as error:  # of uvicorn, whose log is silent
            raise RunError("the page cannot start") from error


def make_app(site: Site, on_ready: Callable[[], None] = lambda: None) -> FastAPI:
    """Returns the application of a site."""

    @contextlib.asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        del app
        on_ready()
        yield
        site.worker.close()

    app = FastAPIOffline(title=_TITLE, redoc_url=None, lifespan=lifespan)
    add_routes(app, site)
    for view in (play, training, evolution, studies):
        view.add_pages(site)
    ui.run_with(app, title=_TITLE, show_welcome_message=False, reconnect_timeout=_RECONNECT_SECONDS)
    return app


def _listen(host: str, port: int) -> socket.socket:
    """Returns a socket that listens, so that no other process can take the port."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family)
    except UnicodeError as error:  # of the encoding of names
        text = f"cannot serve at {host}: it is no name of a host; try --host 127.0.0.1"
        raise InputError(text) from error
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(f"cannot serve at {host}, port {port}: {reason}; try --port 0") from error


def page_address(host: str, port: int, token: str | None) -> str:
    """Returns the page's address: where it listens at all addresses, by this machine's name."""
    name = socket.gethostname() if host in _ALL_ADDRESSES else _in_address(host)
    return f"http://{name}:{port}/" + (f"?token={token}" if token else "")


def _in_address(host: str) -> str:
    return f"[{host}]" if ":" in host else host
