"""The help of `azjax train`, and options that are refused before anything is written."""

import pytest
from command_line import assert_one_line

from azjax.cli.train.hints import warnings_on_replay
from azjax.cli.train.options import parse_request
from azjax.search import SearchHyperparameters
from azjax.training import Hyperparameters


def test_another_algorithm_than_the_preset_s_begins_from_its_own_defaults():
    flags = "--algorithm reinforced_policy --network.value-head none --replay-moves 16"
    config = parse_request(["connect_four", *flags.split()]).options.config
    assert config.train.algorithm == "reinforced_policy"
    assert config.hparams.temperature_moves == Hyperparameters().temperature_moves != 10
    assert config.hparams.weight_decay == 0.3  # which all algorithms have


def test_a_preset_file_may_give_the_hyperparameters_of_evaluations_which_are_no_flags(
    azjax, tmp_path
):
    path = tmp_path / "mine.toml"
    path.write_text("iterations = 3\n[evaluation_hparams]\nc_puct = 2.5\n")
    found = parse_request([str(path), "--num-games", "64"]).options.config
    assert found.evaluation_hparams == SearchHyperparameters(c_puct=2.5)
    assert found.train.num_games == 64
    assert "evaluation-hparams" not in azjax("train", "coins", "--help").out


def test_a_wrong_file_of_games_leaves_no_run(train, tmp_path):
    games = tmp_path / "games.txt"
    games.write_text("a1 a1\n")
    flags = "--algorithm", "supervised_policy", "--network.value-head", "none"
    sizes = "--search.algorithm", "policy", "--replay-moves", "4", "--num-moves", "4"
    result = train(tmp_path / "run", *flags, *sizes, "--games", games)
    assert_one_line(result, 2, f"{games}, line 1: ")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        ("", None),
        ("--num-games 64 --num-moves 4", "--num-updates 4 makes it 4"),
        ("--num-games 8 --num-moves 2", "--num-updates 1 --batch-size 64 makes it 4"),
    ],
)
def test_a_high_replay_ratio_is_told_with_flags_that_mend_it(flags, told):
    config = parse_request(["connect_four", *flags.split()]).options.config.train
    assert [told in line for line in warnings_on_replay(config)] == ([True] if told else [])
