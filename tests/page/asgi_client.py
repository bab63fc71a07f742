"""A client of an application in this process; all its requests run in one event loop."""

import asyncio

import httpx


class AsgiClient:
    """Sends requests to an application, keeps cookies, and follows redirects."""

    def __init__(self, app):
        self._loop = asyncio.new_event_loop()
        self.client = httpx.AsyncClient(
            transport=httpx.ASGITransport(app), base_url="http://test", follow_redirects=True
        )

    def get(self, path, headers=None):
        return self._loop.run_until_complete(self.client.get(path, headers=headers))

    def post(self, path, content):
        return self._loop.run_until_complete(self.client.post(path, json=content))

    def post_bytes(self, path, body, kind="application/json"):
        """Sends a body as it is; without a kind its header is left out."""
        headers = {"Content-Type": kind} if kind else {}
        return self._loop.run_until_complete(self.client.post(path, content=body, headers=headers))

    def post_all(self, path, contents):
        """Sends all requests at the same time."""
        requests = (self.client.post(path, json=content) for content in contents)

        async def gather():
            return await asyncio.gather(*requests)

        return self._loop.run_until_complete(gather())

    def close(self):
        self._loop.run_until_complete(self.client.aclose())
        self._loop.close()
