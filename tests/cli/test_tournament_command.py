import json
import shutil
import signal

import pytest
from command_line import assert_one_line, snapshot

from azjax.agents.tournament_record import append_match
from azjax.evaluation import play_match

pytestmark = pytest.mark.slow

PLAYERS = ("tactical", "minimax")


@pytest.fixture
def tournament(azjax, tmp_path):
    """Returns `tournament(...)`, which plays a small one into the folder `out`."""
    fixed = ("--games", "20", "--opening-moves", "1", "--out", tmp_path / "out")
    return lambda *arguments: azjax("tournament", *fixed, *arguments)


def standings(folder):
    return json.loads((folder / "out" / "tournament.json").read_text())


def test_players_are_rated_above_random_which_always_takes_part(tournament, tmp_path):
    result = tournament(*PLAYERS, "--game", "tic_tac_toe", "--seed", "3")
    assert (result.code, result.err) == (0, "")
    found = standings(tmp_path)
    settings = ("game", "games_per_match", "opening_moves", "seed")
    assert [found[name] for name in settings] == ["tic_tac_toe", 20, 1, 3]
    elo = {player["name"]: player["elo"] for player in found["players"]}
    assert list(elo) == [*PLAYERS, "random"]
    assert elo["random"] == 0 < elo["tactical"]
    assert elo["random"] < elo["minimax"]
    for player in found["players"]:
        low, high = player["interval"]
        assert low <= player["elo"] <= high
        assert 0 <= player["score"] <= 1


@pytest.mark.usefixtures("stopped")
def test_a_tournament_is_not_continued_by_another(tournament, tmp_path):
    before = snapshot(tmp_path)
    result = tournament(*PLAYERS, "--games", "10", "--game", "tic_tac_toe")
    assert_one_line(result, 2, "holds another tournament", "games_per_match was 20, is 10")
    assert snapshot(tmp_path) == before


@pytest.fixture
def stopped(tournament, monkeypatch):
    """Returns the result of a tournament that got a signal during its third match."""
    played = []

    def play_two(*arguments):
        if len(played) == 2:
            signal.raise_signal(signal.SIGTERM)
        played.append(play_match(*arguments))
        return played[-1]

    with monkeypatch.context() as patch:
        patch.setattr("azjax.evaluation.ratings.play_match", play_two)
        return tournament(*PLAYERS, "--game", "tic_tac_toe")


def without_greeting(result):
    """Returns the table of the ratings, and what follows."""
    return result.out[result.out.index("ratings") :]


def test_the_same_command_continues_a_tournament(tournament, stopped, tmp_path):
    assert stopped.code == 130
    assert "the same command continues" in stopped.err
    folder = tmp_path / "out"
    with (folder / "matches.jsonl").open("a") as file:
        file.write('{"first": "minimax", "sec')
    continued = tournament(*PLAYERS, "--game", "tic_tac_toe")
    assert "2 matches of them were played before" in continued.out
    assert continued.out.count(" against ") == 1
    found = standings(tmp_path), (folder / "matches.jsonl").read_text()
    shutil.rmtree(folder)
    whole = tournament(*PLAYERS, "--game", "tic_tac_toe")
    assert (standings(tmp_path), (folder / "matches.jsonl").read_text()) == found
    assert without_greeting(continued) == without_greeting(whole)


def test_a_run_that_has_trained_on_is_another_player(tournament, trained, tmp_path):
    assert tournament(trained, "--simulations", "2").code == 0
    record = tmp_path / "out" / "tournament.json"
    record.write_text(record.read_text().replace('"iteration": 6', '"iteration": 4'))
    result = tournament(trained, "--simulations", "2")
    assert_one_line(result, 2, f"the iteration of {trained} was 4, is 6")


@pytest.mark.usefixtures("stopped")
def test_a_damaged_record_is_refused_in_one_line(tournament, tmp_path):
    for name in ("matches.jsonl", "tournament.json"):
        (tmp_path / "out" / name).write_text('{"players": [1]}\n')
        assert_one_line(tournament(*PLAYERS, "--game", "tic_tac_toe"), 2, tmp_path / "out" / name)


def test_a_tournament_whose_folder_is_taken_writes_no_more(tournament, tmp_path, monkeypatch):
    def append_and_lose_the_folder(path, names, match):
        append_match(path, names, match)
        (path.parent / ".owner").write_text("another")

    monkeypatch.setattr("azjax.agents.tournament_record.append_match", append_and_lose_the_folder)
    stopped = tournament(*PLAYERS, "--game", "tic_tac_toe")
    assert_one_line(stopped, 1, f"{tmp_path / 'out'} now belongs to another process")
    assert len((tmp_path / "out" / "matches.jsonl").read_text().splitlines()) == 1
    assert "matches" not in standings(tmp_path)


def test_a_run_is_rated_against_its_own_past(tournament, trained, tmp_path):
    folder = shutil.copytree(trained, tmp_path / "run")
    shutil.rmtree(folder / "checkpoints" / "2")  # it is still in history
    result = tournament(folder, "--checkpoints", "--simulations", "2")
    assert (result.code, result.err) == (0, "")
    found = standings(tmp_path)["players"]
    assert [player["iteration"] for player in found] == [0, 2, 4, 6, None]
    past = [f"{folder}@{i}" for i in (0, 2, 4, 6)]
    assert [player["name"] for player in found] == [*past, "random"]
    assert found[-1]["elo"] == 0
