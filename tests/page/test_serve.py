"""`azjax serve` as a process: its end, its token, and its names."""

import re
import signal
import subprocess

import httpx
import pytest

from azjax.games import make

from .serving import server_of, serving

pytestmark = pytest.mark.slow


def test_ctrl_c_does_not_wait_for_a_program_that_is_being_compiled(tmp_path, monkeypatch):
    monkeypatch.setenv("JAX_COMPILATION_CACHE_DIR", str(tmp_path / "cache"))
    othello = make("othello")
    start = othello.format_state(othello.init(None))
    asked = {"agent": "othello", "position": start, "simulations": 64}
    runs = tmp_path / "runs"
    with server_of(runs, stderr=subprocess.PIPE) as (address, server):
        with pytest.raises(httpx.ReadTimeout):  # it has begun to compile
            httpx.post(f"{address}/api/search", json=asked, timeout=2.0)
        server.send_signal(signal.SIGINT)
        _, err = server.communicate(timeout=5)
    assert server.returncode == 130
    assert err.startswith(f"azjax: there is no folder {runs} yet")
    assert err.endswith("\nazjax: interrupted\n")


def test_from_other_machines_the_token_of_the_printed_address_is_needed(tmp_path):
    with serving(tmp_path, "--host", "0.0.0.0") as address:
        base, _, token = address.partition("/?token=")
        port = re.search(r":(\d+)$", base)[1]
        assert len(token) >= 20
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", follow_redirects=True) as client:
            for path in ("/", "/api/runs", "/docs", "/training", "/openapi.json"):
                assert client.get(path).status_code == 401
            assert client.get(f"/?token={token}").status_code == 200
            assert client.get("/api/runs").json() == []


def test_on_this_machine_other_names_than_its_own_are_refused(tmp_path):
    """A page of another site cannot reach this one by a name that leads here."""
    with serving(tmp_path) as address, httpx.Client(base_url=address) as client:
        assert client.get("/api/runs").status_code == 200
        assert client.get("/api/runs", headers={"Host": "evil.example"}).status_code == 400
        assert not re.findall(r"(?:src|href)=[\"']https?://", client.get("/docs").text)
