"""Requests that schemathesis makes from the OpenAPI description: none ends in a server's error."""

import importlib.util
import os
import re
import subprocess
import sys

import pytest

from .serving import serving

# It runs in a process of its own: to import it here would take seconds in every session.
has_schemathesis = importlib.util.find_spec("schemathesis") is not None
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not has_schemathesis, reason="schemathesis is not installed"),
]

NUM_REQUESTS = int(os.environ.get("AZJAX_FUZZED_REQUESTS", "200"))
NUM_OPERATIONS = 3  # that vary: the others have no parameters


def test_no_request_ends_in_a_server_error(tmp_path):
    """A campaign of 2,000 is `AZJAX_FUZZED_REQUESTS=2000 pytest` of this file."""
    errors = tmp_path / "errors.txt"
    (tmp_path / "runs").mkdir()
    with errors.open("w") as file, serving(tmp_path / "runs", stderr=file) as address:
        campaign = subprocess.run(
            [
                *(sys.executable, "-m", "schemathesis.cli", "run", f"{address}/openapi.json"),
                *(
                    "--max-examples",
                    str(NUM_REQUESTS // NUM_OPERATIONS),
                    "--seed",
                    "1",
                    "--no-color",
                ),
                *("--checks", "not_a_server_error,response_schema_conformance"),
                *("--checks", "content_type_conformance,status_code_conformance"),
            ],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            timeout=3000,
        )
    assert campaign.returncode == 0, campaign.stdout[-4000:]
    num_requests = int(re.search(r"(\d+) generated", campaign.stdout)[1])
    assert num_requests >= NUM_REQUESTS
    assert errors.read_text() == ""
