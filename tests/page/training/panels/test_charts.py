import json

import pytest

from azjax.page.colours import SERIES
from azjax.page.training.panels.charts import plot_panels
from azjax.page.training.runs.curve import Point


def curves(**columns):
    """Returns curves of these values, at every tenth iteration."""
    return {
        name: [Point(10 * i, i / 2, value) for i, value in enumerate(values)]
        for name, values in columns.items()
    }


ONE = curves(
    accuracy_search=[0.6, 0.9], accuracy_network=[0.5, 0.8], random_accuracy=[0.58, 0.58],
    loss=[3.0, 2.0], policy_loss=[2.0, 1.5], value_loss=[1.0, 0.5], reply_loss=[0.1, 0.2],
    learning_rate=[0.01, 0.001], simulations_per_second=[123456.0, 200000.0],
    policy_entropy=[1.0, 0.5], distinct_positions=[0.5, 0.25], replay_ratio=[2.0, 2.0],
    first_player_wins=[0.5, 0.6], draws=[0.25, 0.2], second_player_wins=[0.25, 0.2],
)  # fmt: skip


def names(panel):
    return [series["name"] for series in panel["series"]]


def test_every_group_of_metrics_has_a_panel():
    panels = plot_panels({"ttt": ONE}, "minutes")
    assert {title: names(panel) for title, panel in panels.items()} == {
        "accuracy": ["search", "network"],
        "losses": ["loss", "policy loss", "value loss", "reply loss"],
        "learning rate": ["learning rate"],
        "simulations/s": ["simulations per second"],
        "policy entropy": ["policy entropy"],
        "distinct positions": ["distinct positions"],
        "replay ratio": ["replay ratio"],
        "results of self-play": ["first player wins", "draws", "second player wins"],
    }


@pytest.mark.parametrize(("axis", "x"), [("minutes", [0.0, 0.5]), ("iteration", [0, 10])])
def test_x_is_minutes_or_iterations(axis, x):
    panel = plot_panels({"ttt": ONE}, axis)["learning rate"]
    assert panel["series"][0]["data"] == [[x[0], 0.01], [x[1], 0.001]]
    assert panel["xAxis"]["name"].startswith(axis)


def test_runs_have_a_colour_each_and_columns_a_dash():
    panel = plot_panels({"a": ONE, "b": ONE}, "minutes")["accuracy"]
    assert names(panel) == ["a: search", "a: network", "b: search", "b: network"]
    colours = [series["itemStyle"]["color"] for series in panel["series"]]
    assert colours == [SERIES[0], SERIES[0], SERIES[1], SERIES[1]]
    dashes = [series["lineStyle"]["type"] for series in panel["series"]]
    assert dashes == ["solid", "dashed", "solid", "dashed"]


def test_where_each_run_has_one_curve_it_has_the_name_of_the_run():
    panels = plot_panels({"a": ONE, "b": ONE}, "minutes")
    assert names(panels["replay ratio"]) == ["a", "b"]


def test_random_play_is_a_line_beside_the_accuracies():
    other = curves(accuracy_search=[0.5], random_accuracy=[0.38])
    panel = plot_panels({"a": ONE, "b": ONE, "c": other}, "minutes")["accuracy"]
    assert panel["series"][0]["markLine"]["data"] == [{"yAxis": 0.58}, {"yAxis": 0.38}]
    assert (panel["yAxis"]["min"], panel["yAxis"]["max"]) == (0.35, 1)  # so that they are seen


def test_panels_without_data_are_left_out():
    assert list(plot_panels({"a": curves(loss=[1.0]), "b": {}}, "minutes")) == ["losses"]
    assert plot_panels({"a": {}}, "minutes") == {}
    assert plot_panels({}, "minutes") == {}


def test_a_run_without_a_column_has_no_series_of_it():
    panel = plot_panels({"a": ONE, "b": curves(loss=[1.0])}, "minutes")["losses"]
    assert names(panel)[-2:] == ["a: reply loss", "b: loss"]


def test_options_are_json_and_values_are_short():
    panels = plot_panels({"<b>": curves(loss=[0.123456789])}, "minutes")
    assert json.loads(json.dumps(panels)) == panels
    assert panels["losses"]["series"][0]["data"] == [[0.0, 0.12346]]
