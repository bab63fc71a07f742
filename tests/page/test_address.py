import socket

import pytest

from azjax.page import server
from azjax.page.server import page_address
from azjax.support.errors import InputError

HERE = socket.gethostname()


@pytest.mark.parametrize(
    ("host", "token", "address"),
    [
        ("127.0.0.1", None, "http://127.0.0.1:8000/"),
        ("::1", None, "http://[::1]:8000/"),
        ("my.host", "secret", "http://my.host:8000/?token=secret"),
        ("0.0.0.0", "secret", f"http://{HERE}:8000/?token=secret"),
        ("::", "secret", f"http://{HERE}:8000/?token=secret"),
    ],
)
def test_the_address_can_be_opened_where_the_page_can_be_reached(host, token, address):
    assert page_address(host, 8000, token) == address


@pytest.mark.parametrize("host", ["a..b", "x" * 64, "\udcff"])
def test_a_host_that_has_no_possible_name_is_refused_in_one_line(tmp_path, monkeypatch, host):
    monkeypatch.setattr(server, "add_rules_device", lambda: None)
    with pytest.raises(InputError, match="it is no name of a host") as refusal:
        server.serve(host, 0, tmp_path, pytest.fail, opens_browser=False)
    assert "\n" not in str(refusal.value)
