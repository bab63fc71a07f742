"""The folder of a study: the same study is resumed, a larger one extends it, others are refused."""

import dataclasses
import json
import re

import pytest

from azjax.config.fields import with_fields
from azjax.config.limits import Limits
from azjax.studies.study_directory import open_study_directory
from azjax.support.errors import InputError


@pytest.fixture
def begun(study):
    """Returns the study after its folder was created."""
    open_study_directory(study)
    return study


def description(study):
    return json.loads((study.path / "study.json").read_text())


def changed_cells(study, changes):
    configs = (with_fields(cell.config, changes) for cell in study.cells)
    pairs = zip(study.cells, configs, strict=True)
    return tuple(dataclasses.replace(cell, config=config) for cell, config in pairs)


LARGER = {
    "num_seeds": lambda study: 3,
    "limits": lambda study: Limits(None, 9),
    "cells": lambda study: (*study.cells, dataclasses.replace(study.cells[0], name="faster")),
}
OTHER = {
    "first_seed was 0, is 1": ("first_seed", lambda study: 1),
    "seeds was 2, is 1": ("num_seeds", lambda study: 1),
    "limits.iterations was 4, is 3": ("limits", lambda study: Limits(None, 3)),
    "cells.fast.factors.rate was 0.01, is null": ("cells", lambda study: study.cells[:1]),
    "evaluate_every was null, is 3": ("evaluate_every", lambda study: 3),
    "cells.slow.config.train.num_updates was 1, is 7": (
        *("cells", lambda study: changed_cells(study, {"num_updates": 7})),
    ),
}


@pytest.mark.parametrize("field", LARGER)
def test_a_larger_study_is_refused_unless_it_extends(begun, field):
    larger = dataclasses.replace(begun, **{field: LARGER[field](begun)})
    before = description(begun)
    with pytest.raises(InputError, match=r"holds another study.*; add --extend to add to it"):
        open_study_directory(larger)
    assert description(begun) == before
    open_study_directory(larger, extend=True)
    assert description(begun) != before
    open_study_directory(larger)


@pytest.mark.parametrize("words", OTHER)
def test_an_extension_only_adds(begun, words):
    before, (field, value) = description(begun), OTHER[words]
    other = dataclasses.replace(begun, **{field: value(begun)})
    with pytest.raises(InputError, match=f"cannot be extended so: {re.escape(words)}; --extend"):
        open_study_directory(other, extend=True)
    with pytest.raises(InputError, match="holds another study"):
        open_study_directory(other)
    assert description(begun) == before


def test_a_study_of_an_older_azjax_goes_on(begun):
    recorded = description(begun)
    for cell in recorded["cells"].values():
        del cell["config"]["search"]["rescale_values"]  # it was true
    (begun.path / "study.json").write_text(json.dumps(recorded))
    open_study_directory(begun)
    cells = changed_cells(begun, {"search.rescale_values": False})
    other = dataclasses.replace(begun, cells=cells)
    with pytest.raises(InputError, match=r"search\.rescale_values was true, is false"):
        open_study_directory(other)


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        ({"cells": 3}, "study.json cannot be read"),
        (["../a"], "is no name of a cell"),
        (["/etc"], "is no name of a cell"),
    ],
)
def test_a_damaged_or_crafted_study_file_is_refused(begun, damage, words):
    found = description(begun)
    if isinstance(damage, list):
        damage = {"cells": dict.fromkeys(damage, found["cells"]["slow"])}
    (begun.path / "study.json").write_text(json.dumps(found | damage))
    with pytest.raises(InputError, match=re.escape(words)):
        open_study_directory(begun)
