"""Access to the page from other machines: by a token, which the address that is printed holds."""

import hmac
import ipaddress
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.responses import JSONResponse, RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send

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
        """Serves a request, or refuses it."""
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
