"""Supervisors whose processes do next to nothing."""

import contextlib
import os
import pathlib
import signal
import socket
import subprocess
import sys
import time

import psutil
import pytest

from azjax.distributed.group import ProcessGroup
from azjax.distributed.supervisor import supervise
from azjax.support.errors import RunError

pytestmark = pytest.mark.slow

SCRIPT = pathlib.Path(__file__).with_name("supervise.py")
SLEEP = "import time; time.sleep(60)"
END = "import sys; sys.exit(0)"
SECONDS = 30  # more than everything here takes


@pytest.fixture
def port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def start(port, size, number, code, *, timeout=20):
    words = [sys.executable, SCRIPT, *map(str, (port, size, number, timeout)), code]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def ends(*processes):
    """Returns the status and the last line of each."""
    found = []
    for process in processes:
        _, errors = process.communicate(timeout=SECONDS)
        found.append((process.returncode, (errors.splitlines() or [""])[-1]))
    return found


def wait_for(find):
    """Returns what is found, as soon as there is something."""
    deadline = time.monotonic() + SECONDS
    while not (found := find()):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return found


def child_of(process):
    """Returns the process that a supervisor has started, as soon as it has."""
    return wait_for(psutil.Process(process.pid).children)[0].pid


def ready(folder):
    """Returns Python code by which a process tells that it has come so far."""
    return f"import os, pathlib\npathlib.Path({str(folder)!r}, str(os.getpid())).touch()"


def wait_until_ready(folder, number):
    wait_for(lambda: len(list(folder.iterdir())) == number)


def is_running(pid):
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_the_statuses_of_processes_that_end_by_themselves_are_passed_on(port):
    code = "import sys; sys.exit(int(sys.argv[1]))"
    assert ends(*(start(port, 3, i, code) for i in range(3))) == [(0, ""), (1, ""), (2, "")]


def test_a_process_that_is_killed_ends_all_and_is_named(port):
    number = 1
    both = [start(port, 2, i, SLEEP) for i in range(2)]
    child, other = (child_of(both[i]) for i in (number, 1 - number))
    os.kill(child, signal.SIGKILL)
    assert ends(*both) == 2 * [(1, f"LostError: process {number} was lost by SIGKILL")]
    assert not is_running(other)


@pytest.mark.parametrize("number", [0, 1])
def test_a_supervisor_that_is_killed_takes_its_process_along(port, tmp_path, number):
    code = (
        "from azjax.distributed.group import end_with_supervisor\n"
        f"end_with_supervisor()\n{ready(tmp_path)}\n{SLEEP}"
    )
    both = [start(port, 2, i, code) for i in range(2)]
    children = [child_of(process) for process in both]
    wait_until_ready(tmp_path, 2)
    both[number].kill()
    [(status, line)] = ends(both[1 - number])
    assert (status, line) == (1, f"LostError: process {number} was lost")
    both[number].communicate()
    wait_for(lambda: not any(map(is_running, children)))


def test_others_are_ended_some_time_after_a_process_has_failed(port):
    failing = start(port, 2, 1, "import sys; sys.exit(3)")
    both = [start(port, 2, 0, SLEEP), failing]
    assert ends(*both) == 2 * [(1, "LostError: process 1 has ended with status 3")]


def test_processes_that_do_not_come_are_named(port):
    some = [start(port, 4, i, END, timeout=2) for i in (0, 2)]
    assert ends(*some) == 2 * [(1, "RunError: process 1, 3 has not come within 2 seconds")]
    [(status, line)] = ends(start(port, 2, 1, END, timeout=1))
    assert (status, "process 0 has not come to" in line) == (1, True)


def test_nobody_is_told_that_it_listens_where_it_cannot(port):
    told = []
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", port))
        taken.listen()
        group = ProcessGroup("127.0.0.1", port, 2, 0, initialization_timeout=1)
        with pytest.raises(RunError, match=f"cannot listen at port {port}"):
            supervise(group, [], on_listening=lambda: told.append("listens"))
    assert not told


def test_a_second_process_of_a_number_is_refused(port):
    leader = start(port, 3, 0, END)
    twins = [start(port, 3, 1, END) for _ in range(2)]
    wait_for(lambda: any(twin.poll() is not None for twin in twins))
    first, second = sorted(twins, key=lambda twin: twin.poll() is None)
    assert ends(first) == [(1, "RunError: process 1 is there already")]
    assert ends(leader, second, start(port, 3, 2, END)) == 3 * [(0, "")]


def test_strangers_at_the_port_change_nothing(port):
    leader = start(port, 2, 0, END)
    with contextlib.ExitStack() as open_connections:
        texts = b"", b"GET / HTTP/1.1\r\n\r\n", b"x" * 10_000, b'{"process": "1"}\n'
        for message in (*texts, 2_000 * b"[" + b"\n"):
            open_connections.enter_context(_connect(port)).sendall(message)
        assert ends(leader, start(port, 2, 1, END)) == [(0, ""), (0, "")]


def test_a_signal_reaches_the_process(port, tmp_path):
    handler = "import signal, sys\nsignal.signal(signal.SIGTERM, lambda *_: sys.exit(0))"
    code = f"{handler}\n{ready(tmp_path)}\n{SLEEP}"
    alone = start(port, 1, 0, code)
    wait_until_ready(tmp_path, 1)
    alone.terminate()
    assert ends(alone) == [(0, "")]


def _connect(port):
    def connect():
        with contextlib.suppress(OSError):
            return socket.create_connection(("127.0.0.1", port), timeout=1)

    return wait_for(connect)
