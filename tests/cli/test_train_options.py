"""The help of `azjax train`, which compiles nothing."""

import pytest


@pytest.mark.parametrize(
    ("preset", "flag", "length"),
    [("connect_four", "--minutes NUMBER", 15), ("coins", "--iterations INTEGER", 40)],
)
def test_help_of_a_preset_shows_its_length(azjax, preset, flag, length):
    result = azjax("train", preset, "--help")
    assert result.code == 0
    assert f"(default: {length})" in result.out.split(flag)[1].split(" --")[0]


def test_help_without_a_preset_shows_no_length(azjax):
    result = azjax("train", "--help")
    assert "default" not in result.out.split("--minutes NUMBER")[1].split(" --")[0]


def test_help_names_the_searches_and_the_networks(azjax):
    result = azjax("train", "coins", "--help")
    assert "--search.algorithm {gumbel,puct,uct}" in result.out
    assert "--network.architecture {mlp,convnet,resnet}" in result.out
