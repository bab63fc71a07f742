"""Flags from dataclasses: the one line in which a mistake is reported, and the help."""

import dataclasses
import pathlib
import re
from typing import Annotated, Literal

import pytest
import tyro

from azjax.config.flag_types import NameOf
from azjax.config.flags import parse_flags, split_lists
from azjax.support.errors import InputError
from azjax.support.registry import registry

SEARCHES = registry("search of these tests")
SEARCHES.register("gumbel", None, "azjax")
SEARCHES.register("puct", None, "azjax")


@dataclasses.dataclass(frozen=True)
class Inner:
    """Nested options."""

    width: int = 8
    """A width."""
    is_tied: bool = True
    """Whether it is tied."""
    search: Annotated[str, NameOf("search of these tests")] = "gumbel"
    """A search."""

    def __post_init__(self):
        """Raises ValueError if the width is out of range."""
        if self.width < 1:
            raise ValueError(f"inner.width={self.width}: must be at least 1")


@dataclasses.dataclass(frozen=True)
class Options:
    """Do something."""

    run: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="RUN")]
    """The folder of a run: one that `azjax train` made, and so on. A second sentence."""
    minutes: float | None = None
    """Stop after this many minutes."""
    seed: int = 0
    """The seed."""
    out: pathlib.Path | None = None
    """A folder."""
    seat: Literal["first", "second", "ask"] = "ask"
    """A seat."""
    sizes: tuple[int, ...] = (2, 4)
    """Sizes."""
    json: bool = False
    """Print JSON."""
    inner: Inner = dataclasses.field(default_factory=Inner)
    """What is nested."""


def parse(*arguments):
    return parse_flags(Options, list(arguments), "azjax act")


def test_flags_set_fields_at_any_depth():
    flags = ("--minutes", "1.5", "--seed=7", "--out", "a b", "--seat", "first", "--sizes", "3", "5")
    switches = ("--json", "--inner.no-is-tied", "--inner.width", "4", "--inner.search", "puct")
    inner = Inner(width=4, is_tied=False, search="puct")
    expected = Options("runs/x", 1.5, 7, pathlib.Path("a b"), "first", (3, 5), True, inner)
    assert parse("runs/x", *flags, *switches) == expected
    assert parse("--json", "runs/x") == Options("runs/x", json=True)
    assert parse("runs/x", "--minutes", "None") == Options("runs/x")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--minutes", "abc"), "--minutes abc: must be a number"),
        (("--sizes", "3", "x"), "--sizes x: must be a whole number"),
        (
            ("--out", "-a b"),
            "--out is without a value; one that begins with a dash is written --out=VALUE",
        ),
        (("--seed", "1", "2"), "unexpected argument 2; a flag takes one value, and a switch none"),
        (("--seat", "third"), "--seat third: must be first, second or ask"),
        (("seed=1",), "unexpected argument seed=1, did you mean --seed?"),
        (("--width", "1"), "unknown option --width, did you mean --inner.width?"),
    ],
)
def test_a_mistake_is_put_into_words(arguments, message):
    with pytest.raises(InputError, match=f"^{re.escape(message)}.*ee azjax act --help$"):
        parse("runs/x", *arguments)


def test_a_missing_argument_is_named_with_the_first_sentence_of_its_help():
    with pytest.raises(InputError, match=r"^RUN is missing: the folder of a run.*and so on; see"):
        parse("--seed", "1")


def test_help_names_what_a_flag_takes_and_names_that_are_registered_later(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(SEARCHES, "_entries", {**SEARCHES._entries, "mine": None})
    with pytest.raises(SystemExit):
        parse("--help")
    text = capsys.readouterr().out
    for words in ("--minutes NUMBER", "--inner.search {gumbel,puct,mine}", "(default: 8)"):
        assert words in text
    assert "None" not in text


def test_lists_are_taken_from_numbers_alone():
    numbers = ["optimizer.learning_rate", "search.c_uct"]
    words = ["--optimizer.learning-rate", "1e-3", "-1", "--num-games", "8"]
    lists, rest = split_lists(words, numbers, "azjax train")
    assert lists == {"optimizer.learning_rate": [1e-3, -1.0]}
    assert rest == ["--optimizer.learning-rate", "1e-3", "--num-games", "8"]
    with pytest.raises(InputError, match=r"^--search.c-uct 2x: must be a number; see azjax train"):
        split_lists(["--search.c-uct", "1", "2x"], numbers, "azjax train")
