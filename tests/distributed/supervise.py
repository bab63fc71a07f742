"""Supervises a process of a group that runs Python code: HOST PORT SIZE NUMBER TIMEOUT CODE."""

import sys

from azjax.distributed import supervisor
from azjax.distributed.group import ProcessGroup

supervisor._GRACE_SECONDS = 1.0
host, code = sys.argv[1], sys.argv[6]
port, size, number, timeout = map(int, sys.argv[2:6])
group = ProcessGroup(host, port, size, number, timeout)
try:
    sys.exit(supervisor.supervise(group, [sys.executable, "-c", code, str(number)]))
except supervisor.RunError as error:
    sys.exit(f"{type(error).__name__}: {error}")
