import pytest

from azjax.evaluation import find_positions, require_positions
from azjax.games import make


def test_a_small_game_is_solved_and_a_larger_one_read():
    solved = find_positions(make("tic_tac_toe"))
    assert solved.is_complete
    assert len(solved.is_best) == 4520
    shipped = find_positions(make("connect_four"))
    assert not shipped.is_complete
    assert len(shipped.is_best) == 1000
    assert shipped.description.startswith("connect_four.csv, sha256 ")


@pytest.mark.parametrize(
    "game",
    [
        make("go_9"),
        make("connect_four", columns=8),
        make("othello", name="othello_6"),
        make("connect_four", name="mine"),
    ],
    ids=repr,
)
def test_a_game_without_a_file_has_no_positions(game):
    assert find_positions(game) is None
    with pytest.raises(ValueError, match=r"^give --truth FILE: no .* too large to be solved"):
        require_positions(game)


def test_a_given_file_comes_first_and_is_identified_by_its_content(tmp_path):
    game, file = make("coins"), tmp_path / "some.csv"
    file.write_text("coins,best\n2,2\n")
    first = find_positions(game, file)
    assert len(first.is_best) == 1
    assert not first.is_complete
    file.write_text("coins,best\n1,1\n")
    assert find_positions(game, file).description != first.description


def test_a_file_comes_before_one_of_its_name_that_comes_with_azjax(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "coins_21").write_text("coins,best\n2,2\n")
    assert len(find_positions(make("coins"), "coins_21").is_best) == 1


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("missing.csv", "truth file missing.csv cannot be read"),
        ("connect_four_strong_pla", "did you mean 'connect_four_strong_play'?"),
        ("zzz", "no solved positions are named 'zzz'; there are coins_21, connect_four, "),
        ("othello_6", "line 2: .*read as connect_four"),
    ],
)
def test_a_wrong_file_or_name_is_refused(given, words):
    with pytest.raises(ValueError, match=words) as error:
        find_positions(make("connect_four"), given)
    assert "\n" not in str(error.value)
