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
    """Returns the numbers of each search that has a file, by entries like puct=FILE.toml.

    A file may not change sizes of the base, such as the network's: the searches would no longer be
    all that differs.

    Raises:
      ValueError: An entry is not of that form, or its file is wrong or changes more than numbers
        and the search.
    """
    tuned: dict[str, Numbers] = {}
    expected = list_fields(base)
    for entry in entries:
        search, equals, path = entry.partition("=")
        if not (equals and path) or search not in searches or search in tuned:
            names = ", ".join(f"{name}=FILE.toml" for name in searches)
            raise ValueError(f"tuned={entry}: must be one of {names}, each once")
        config = read_preset(pathlib.Path(path)).config
        there = config.train.search.name
        if there != search:
            raise ValueError(f"tuned: {path} is for {there}, not for {search}")
        own, numbers = list_fields(config), list_numbers(config)
        for name in own.keys() - {*RUN_FIELDS, *numbers}:
            is_ignored = name.startswith(("search.", EVALUATION))
            if not is_ignored and own[name] != expected.get(name):
                raise ValueError(
                    f"tuned: {path} has {name}={own[name]}, and the preset {expected.get(name)}: "
                    "only numbers may differ"
                )
        tuned[search] = {name: own[name] for name in numbers}
    return tuned
