"""Numbers of the cells of each search, from preset files such as a sweep's best.toml."""

import pathlib
from collections.abc import Sequence

from azjax.config.fields import EVALUATION, RUN_FIELDS, list_fields, list_numbers
from azjax.config.preset_file import read_preset
from azjax.config.run_config import RunConfig

Numbers = dict[str, float]  # by field name, such as optimizer.learning_rate


def read_tuned_numbers(
    entries: Sequence[str], searches: Sequence[str], base: RunConfig
) -> dict[str, Numbers]:
    """Returns the numbers of each search that has a file.

    A file may not change sizes, such as the network's: the searches would no longer be all that
    differs.

    Args:
      entries: Texts like puct=FILE.toml.
      searches: The searches that are compared.
      base: The configuration of all cells.

    Raises:
      ValueError: An entry is not of that form, or its file is wrong or changes more than numbers
        and the search.
    """
    tuned: dict[str, Numbers] = {}
    for entry in entries:
        search, equals, path = entry.partition("=")
        if not (equals and path) or search not in searches or search in tuned:
            names = ", ".join(f"{name}=FILE.toml" for name in searches)
            raise ValueError(f"tuned={entry}: must be one of {names}, each once")
        config = read_preset(pathlib.Path(path)).config
        _check_sizes(path, search, config, base)
        fields = list_fields(config)
        tuned[search] = {name: fields[name] for name in list_numbers(config)}
    return tuned


def _check_sizes(path: str, search: str, config: RunConfig, base: RunConfig) -> None:
    """Raises ValueError where a file is for another search or other sizes than the base."""
    there = config.train.search.name
    if there != search:
        raise ValueError(f"tuned: {path} is for {there}, not for {search}")
    own, expected = list_fields(config), list_fields(base)
    ignored = (*RUN_FIELDS, *list_numbers(config))
    for name in own:
        is_ignored = name in ignored or name.startswith(("search.", EVALUATION))
        if not is_ignored and own[name] != expected.get(name):
            raise ValueError(
                f"tuned: {path} has {name}={own[name]}, and the preset {expected.get(name)}: "
                "only numbers may differ"
            )
