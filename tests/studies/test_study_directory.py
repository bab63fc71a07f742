"""The folder of a study: the same study is resumed, a larger one extends it, others are refused."""

import dataclasses
import json
import re

import pytest

from azjax.config.limits import Limits
from azjax.studies.options import with_hparams, with_train
from azjax.studies.study_directory import open_study_directory
from azjax.support.errors import InputError


@pytest.fixture
def begun(study):
    """Returns the study after its folder was created."""
    open_study_directory(study)
    return study


def description(study):
    return json.loads((study.path / "study.json").read_text())


def with_cell(study, name, **hparams):
    """Returns the study with one more cell."""
    config = with_hparams(study.cells[0].config, **hparams)
    cell = dataclasses.replace(study.cells[0], name=name, config=config)
    return dataclasses.replace(study, cells=(*study.cells, cell))


LARGER = {
    "seeds": lambda study: dataclasses.replace(study, num_seeds=3),
    "iterations": lambda study: dataclasses.replace(study, limits=Limits(None, 9)),
    "cells": lambda study: with_cell(study, "faster", learning_rate=0.1),
    "play time": lambda study: dataclasses.replace(study, play_time_simulations=(2, 4)),
}
OTHER = {
    "seeds was 2, is 1": lambda study: dataclasses.replace(study, num_seeds=1),
    "iterations was 4, is 3": lambda study: dataclasses.replace(study, limits=Limits(None, 3)),
    "it leaves out fast": lambda study: dataclasses.replace(study, cells=study.cells[:1]),
    'preset was "tic_tac_toe", is "coins"': lambda study: dataclasses.replace(
        study, preset="coins"
    ),
    "evaluate_every was null, is 3": lambda study: dataclasses.replace(study, evaluate_every=3),
    "cells.slow.config.train.num_updates was 1, is 7": lambda study: dataclasses.replace(
        study, cells=tuple(with_updates(cell) for cell in study.cells)
    ),
}


def with_updates(cell):
    return dataclasses.replace(cell, config=with_train(cell.config, num_updates=7))


@pytest.mark.parametrize("change", LARGER.values(), ids=LARGER)
def test_a_larger_study_is_refused_unless_it_extends(begun, change):
    larger, before = change(begun), description(begun)
    with pytest.raises(InputError, match=r"holds another study.*; add --extend to add to it"):
        open_study_directory(larger)
    assert description(begun) == before
    open_study_directory(larger, extend=True)
    assert description(begun) != before
    open_study_directory(larger)


@pytest.mark.parametrize(("words", "change"), OTHER.items(), ids=OTHER)
def test_an_extension_only_adds(begun, words, change):
    before = description(begun)
    with pytest.raises(InputError, match=f"cannot be extended so: {re.escape(words)}; --extend"):
        open_study_directory(change(begun), extend=True)
    with pytest.raises(InputError, match="holds another study") as refused:
        open_study_directory(change(begun))
    assert "--extend" not in str(refused.value)
    assert description(begun) == before


def test_a_study_of_an_older_azjax_goes_on(begun):
    recorded = description(begun)
    for cell in recorded["cells"].values():
        del cell["config"]["train"]["search"]["rescale_values"]  # it was true
    (begun.path / "study.json").write_text(json.dumps(recorded))
    open_study_directory(begun)
    search = dataclasses.replace(begun.cells[0].config.train.search, rescale_values=False)
    cell = dataclasses.replace(
        begun.cells[0], config=with_train(begun.cells[0].config, search=search)
    )
    other = dataclasses.replace(begun, cells=(cell, *begun.cells[1:]))
    with pytest.raises(InputError, match=r"search\.rescale_values was true, is false"):
        open_study_directory(other)


def test_a_cell_of_an_older_azjax_stays_evaluated_as_it_was(study):
    """There the search of evaluations had the choices of each cell's self-play."""

    def as_slow(cell):
        return dataclasses.replace(cell, config=cell.config.evaluated_as(study.cells[0].config))

    now = dataclasses.replace(study, cells=tuple(map(as_slow, study.cells)))
    open_study_directory(dataclasses.replace(now, cells=now.cells[:1]))
    recorded = description(study)
    del recorded["cells"]["slow"]["config"]["evaluation_choices"]
    (study.path / "study.json").write_text(json.dumps(recorded))
    for extend in (True, False):  # the second time it reads what the first one has recorded
        found = open_study_directory(now, extend=extend)
        assert [cell.config.evaluation_choices is None for cell in found.cells] == [True, False]


def test_a_folder_without_a_study_is_not_extended(study):
    with pytest.raises(InputError, match="holds no study to extend: leave out --extend"):
        open_study_directory(study, extend=True)
    assert not study.path.exists()


def test_a_folder_with_other_files_is_refused(study):
    study.path.mkdir()
    (study.path / "letter.txt").write_text("dear")
    with pytest.raises(InputError, match="not an empty folder"):
        open_study_directory(study)
    assert [path.name for path in study.path.iterdir()] == ["letter.txt"]


def described(name, of=None):
    """Returns the change of a description in which a cell has this name, or another value."""
    return lambda found: {"cells": {name: found["cells"]["slow"] if of is None else of}}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda found: {"cells": 3}, "study.json cannot be read"),
        (described("slow", of={}), "study.json cannot be read"),
        (lambda found: {"seeds": 0}, "study.json cannot be read: seeds=0: must be"),
        (lambda found: {"seeds": 10**12}, f"study.json cannot be read: seeds={10**12}: must be"),
        (described("../a"), "is no name of a cell"),
        (described("a/../../b"), "is no name of a cell"),
        (described("/etc"), "is no name of a cell"),
        (described(""), "is no name of a cell"),
    ],
)
def test_a_damaged_or_crafted_study_file_is_refused(begun, change, words):
    found = description(begun)
    (begun.path / "study.json").write_text(json.dumps(found | change(found)))
    with pytest.raises(InputError, match=re.escape(words)):
        open_study_directory(begun)
