"""`azjax serve` as a process of its own."""

import contextlib
import re
import subprocess
import sys


@contextlib.contextmanager
def serving(runs, *arguments, stderr=None):
    """Yields the address of a page, with its token if it has one."""
    with server_of(runs, *arguments, stderr=stderr) as (address, _):
        yield address


@contextlib.contextmanager
def server_of(runs, *arguments, stderr=None):
    """Yields the address of a page, and its process."""
    command = [sys.executable, "-m", "azjax", "serve", "--port", "0", "--no-browser"]
    command += ["--runs", str(runs), *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=stderr, text=True) as server:
        try:
            line = server.stdout.readline()
            yield re.search(r"http://\S+", line)[0].removesuffix("/"), server
        finally:
            server.terminate()
