"""The help of `azjax train`, and options that are refused before anything is written."""

import re

import pytest

from azjax.cli.train.command import warnings_on_replay
from azjax.cli.train.options import parse_request
from azjax.search import PUCT


def stop():
    raise KeyboardInterrupt


def test_another_search_keeps_what_both_have_and_the_rest_is_told(azjax, tmp_path, monkeypatch):
    flags = ["--search.name", "puct", "--search.c-puct", "2", "--parts", "gating"]
    request = parse_request(["connect_four", *flags])
    assert request.options.config.train.search == PUCT(num_simulations=16, c_puct=2.0)
    [line] = request.told
    assert line == (
        "left out, as the chosen components have no such fields: search.rescale_values, "
        "search.value_scale, random_starts.fraction, random_starts.moves"
    )
    monkeypatch.setattr("azjax.cli.train.command.describe_package", stop)
    result = azjax("train", "connect_four", *flags, "--out", tmp_path, "--devices", "1")
    assert result.err.splitlines()[0] == f"azjax: {line}"


def test_evaluations_may_have_a_search_of_their_own(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text('iterations = 3\n[evaluation.search]\nname = "puct"\nc_puct = 2.5\n')
    flags = ("--num-games", "64", "--evaluation.search.c-puct-base", "9")
    found = parse_request([str(path), *flags]).options.config
    assert found.evaluation_search == PUCT(found.evaluation_simulations, c_puct=2.5, c_puct_base=9)
    assert found.train.num_games == 64


def test_the_help_has_a_table_for_each_component_with_the_names_of_others(azjax):
    chosen = ("--search.name", "puct", "--parts", "random_starts", "gating")
    text = azjax("train", "connect_four", *chosen, "--help").out
    flags = dict(re.findall(r"^│ (--\S+) ?(\S*)", text, re.M))
    assert flags["--search.name"].startswith("{gumbel,puct,puct_strong,uct,")
    assert flags["--parts"].startswith("{random_starts,random_moves,")
    assert {"--gating.games", "--random-starts.fraction", "--search.c-puct"} < flags.keys()
    assert "--search.value-scale" not in text
    assert "│ AlphaZero's search (Silver et al. 2018). " in text
    assert all(len(line) <= 80 for line in text.splitlines())


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        ("", None),
        ("--num-games 64 --num-moves 4", "--batch-size 1,024"),
        ("--num-games 8 --num-moves 2", "--batch-size 64"),
    ],
)
def test_a_high_replay_ratio_is_told_with_what_mends_it(flags, told):
    config = parse_request(["connect_four", *flags.split()]).options.config.train
    assert [told in line for line in warnings_on_replay(config)] == ([True] if told else [])
