"""A process of a group, which its supervisor has started; it ends when its supervisor has ended."""

import json
import os
import threading

from azjax.distributed.group import ProcessGroup

_PIPE = "AZJAX_SUPERVISOR_PIPE"  # whose other end the supervisor holds as long as it lives
_GROUP = "AZJAX_PROCESS_GROUP"


def supervised_environment(group: ProcessGroup, pipe: int) -> dict[str, str]:
    """Returns the environment variables of a process of a group, which watches a pipe."""
    return {**os.environ, _GROUP: json.dumps(group), _PIPE: str(pipe)}


def supervised_group() -> ProcessGroup | None:
    """Returns the group of this process, or None if no supervisor has started it."""
    return ProcessGroup(*json.loads(os.environ[_GROUP])) if _GROUP in os.environ else None


def end_with_supervisor() -> None:
    """Ends this process, from now on, when its supervisor is gone, whatever it computes."""
    pipe = int(os.environ[_PIPE])

    def watch() -> None:
        os.read(pipe, 1)  # returns at the end of the pipe: nothing is ever written
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
