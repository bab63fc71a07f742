"""The plug-ins of runs: the page loads none but those that it was started with."""

import pathlib
import shlex
import sys

from azjax.agents.agent_file import plugins_in
from azjax.config.plugin_flag import plugin_flags
from azjax.runs.storage.run_description import DESCRIPTION, read_description
from azjax.runs.storage.run_folders import is_run
from azjax.support.errors import InputError, reading_errors


def require_plugins(run: pathlib.Path) -> list[str]:
    """Returns the plug-ins that the run in a folder needs, all of which are loaded.

    Whatever opens a run imports its plug-ins, which are code: on the page, call this before.

    Raises:
      InputError: A plug-in is not loaded, or the description of the run is damaged.
    """
    if not is_run(run):  # what opens it tells so
        return []
    with reading_errors(run / DESCRIPTION):
        plugins = plugins_in(read_description(run))
        missing = [module for module in plugins if module not in sys.modules]
        flags = shlex.join(plugin_flags(missing))
    if missing:
        raise InputError(
            f"{run} needs a plug-in, which is code: if you trust it, start azjax serve {flags}"
        )
    return plugins
