from azjax.page.moves.win_chart import win_chart


def test_the_chance_of_winning_is_that_of_x_and_the_shown_ply_marked():
    options = win_chart([0.0, None, 1.0, -0.5], ["a1", "b2", "c3"], 2)
    series, columns = options["series"]
    assert len(columns["data"]) == len(series["data"])
    assert series["data"] == [50.0, None, 100.0, 25.0]
    assert options["xAxis"]["data"] == ["start", "1. a1", "2. b2", "3. c3"]
    assert series["markLine"]["data"] == [{"xAxis": 2}]
