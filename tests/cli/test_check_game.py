"""`azjax check-game`: the random games and warnings of them, or the law that is broken."""

from command_line import assert_one_line

import azjax.cli.check_game as check_game_module
from azjax.games.laws import BrokenLawError, Law

COINS = ("check-game", "coins:coins=3", "--games", "8")


def test_json_has_the_laws_and_the_report(azjax):
    found = azjax(*COINS, "--json").json
    assert found["laws"] == [law.value for law in Law]
    assert (found["game"], found["games"], found["max_positions"]) == ("coins:coins=3", 8, 8)
    assert found["solved_exactly"] is True
    assert found["first_wins"] + found["draws"] + found["second_wins"] == 1


def test_the_number_of_games_and_the_seed_are_given_on(azjax, monkeypatch):
    given = []

    def check(game, num_games, seed):
        given.append((game.name, num_games, seed))
        raise BrokenLawError(game, Law.END, "it goes on", "an end", game.init(None), 1)

    monkeypatch.setattr(check_game_module, "check_game", check)
    result = azjax("check-game", "coins", "--games", "5", "--seed", "7")
    assert given == [("coins", 5, 7)]
    message = "coins breaks the law that a game ends within max_moves: it goes on, after move 2, in"
    assert_one_line(result, 1, message, "position '21 X'; right: an end")
