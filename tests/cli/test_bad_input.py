import shutil

import pytest
from command_line import assert_one_line, make_untrained_run, snapshot


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("trian tic_tac_toe", ["'trian'", "did you mean 'train'?"]),
        ("train", ["which preset?", "tic_tac_toe", "connect_four"]),
        ("train tic_tac_to", ["'tic_tac_to'", "did you mean 'tic_tac_toe'?"]),
        ("train coins --num-game 4", ["--num-game", "did you mean --num-games?"]),
        ("train tic_tac_toe --network.channels 100", ["network.channels=100: must be a multiple"]),
        ("train coins --search.name mcts", ["no search is named 'mcts'"]),
        ("train coins --learning-rte 1", ["did you mean --optimizer.learning-rate?"]),
        (
            "train coins --random-moves.fraction 0.1",
            ["random_moves is none of the parts; choose --parts random_starts random_moves"],
        ),
        ("train coins --minutes nan", ["minutes=nan", "above 0"]),
        ("train coins --truth none.csv", ["none.csv", "cannot be read"]),
        ("evaluate none", ["no player 'none'", "random, tactical", "or a run: FOLDER"]),
        ("evaluate random --game coins --games 7", ["games=7", "even"]),
        ("evaluate minimax:depth=8 --game tic_tac_toe", ["depth=8", "at most 7"]),
        ("tournament", ["which players", "beside random"]),
        ("accuracy quixo", ["error: give --truth FILE: no solved", "quixo is too large"]),
        ("play random --game coins --simulations 9", ["random does not search"]),
        ("fingerprint connect_four", ["there is no such folder", "not the file or the name"]),
    ],
)
def test_a_mistake_is_reported_in_one_line_and_creates_nothing(
    azjax, tmp_path, monkeypatch, arguments, words
):
    monkeypatch.chdir(tmp_path)
    assert_one_line(azjax(*arguments.split()), 2, *words)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("evaluate RUN --game connect_four", ["plays tic_tac_toe", "connect_four"]),
        (
            "evaluate RUN:search=alphabeta",
            ["no search is named 'alphabeta'", "gumbel, puct, puct_strong, uct"],
        ),
        (
            "evaluate RUN:speed=3",
            ["no option 'speed'", "simulations, seconds, search, kept, rollouts"],
        ),
        ("evaluate RUN@99", ["no network of iteration 99", "there are [0, 2, 4, 6]"]),
        ("serve --runs RUN", ["is a run: give the folder that holds it"]),
        ("train tic_tac_toe --out RUN", ["RUN already holds a run", "--resume", "--out"]),
    ],
)
def test_a_mistake_about_a_run_is_reported_in_one_line(azjax, trained, arguments, words):
    before = snapshot(trained)
    result = azjax(*arguments.replace("RUN", str(trained)).split())
    assert_one_line(result, 2, *(text.replace("RUN", str(trained)) for text in words))
    assert snapshot(trained) == before


def test_a_folder_with_other_files_is_not_used(train, tmp_path):
    (tmp_path / "letter.txt").write_text("dear")
    assert_one_line(train(tmp_path), 2, "not an empty folder", "--out")
    assert snapshot(tmp_path) == {"letter.txt": b"dear"}


def test_a_malformed_truth_file_is_reported_with_its_line(azjax, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "truth.csv"
    file.write_text("moves,values\n0 4,x d d d x d d d d\n0 4,x d d d x d d d\n")
    assert_one_line(azjax("train", "tic_tac_toe", "--truth", file), 2, file, "line 3", "8 values")
    assert list(tmp_path.iterdir()) == [file]


def test_an_agent_is_not_matched_with_one_of_another_game(azjax, trained, tmp_path):
    make_untrained_run(tmp_path / "other", "connect_four")
    result = azjax("evaluate", trained, "--opponent", tmp_path / "other")
    assert_one_line(result, 2, "plays connect_four", "tic_tac_toe", "same game")


def test_a_run_without_a_checkpoint_is_reported(azjax, trained, tmp_path):
    folder = shutil.copytree(trained, tmp_path / "run")
    shutil.rmtree(folder / "checkpoints")
    for command in ("evaluate", "accuracy", "play", "fingerprint"):
        assert_one_line(azjax(command, folder), 2, "holds no checkpoint yet")
