import socket

import pytest

from azjax.page.server import page_address

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
