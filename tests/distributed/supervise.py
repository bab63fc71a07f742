"""Supervises a process of a group that runs Python code: PORT SIZE NUMBER TIMEOUT CODE."""

import sys

from azjax.distributed import supervisor
from azjax.distributed.group import ProcessGroup

supervisor._GRACE_SECONDS = 1.0
port, size, number, timeout = map(int, sys.argv[1:5])
group = ProcessGroup("127.0.0.1", port, size, number, timeout)
command = [sys.executable, "-c", sys.argv[5], str(number)]
try:
    sys.exit(supervisor.supervise(group, command, on_listening=lambda: None))
except supervisor.RunError as error:
    sys.exit(f"{type(error).__name__}: {error}")
