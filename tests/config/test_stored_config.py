"""Configurations in files mean what they meant when they were written."""

import dataclasses
import json

import pytest

from azjax.agents.agent import agent_config
from azjax.agents.agent_file import shipped_agents
from azjax.config.fields import list_fields
from azjax.config.presets import get_preset, preset_names
from azjax.config.run_config import RunConfig
from azjax.config.stored_config import read_config, store_config
from azjax.search import PUCT, UCT, Gumbel
from azjax.support.component import component_names, get_component, register
from azjax.training import Gating, RandomStarts, TrainConfig

PARTS = RandomStarts(moves=4.0), Gating(games=4)
CONFIG = RunConfig(
    TrainConfig(search=PUCT(c_puct=2.0), parts=PARTS), evaluated_by=UCT(32, c_uct=1.0)
)
KINDS = ("network", "search", "algorithm", "optimizer", "part")
COMPONENTS = [get_component(kind, name) for kind in KINDS for name in component_names(kind)]


def store(config=CONFIG):
    return json.loads(json.dumps(store_config(config)))


def find(stored, name):
    """Returns the table that has a field, and the field."""
    *tables, field = name.split(".") if "." in name else ("train", name)
    for table in tables:
        stored = stored[table]
    return stored, field


def test_a_file_has_every_value_which_of_them_are_no_defaults_and_the_versions():
    stored = store()
    changed = {"search.name", "search.c_puct", "parts", "random_starts.moves", "gating.games"}
    assert {*stored["changed"]} == changed | {"evaluation.search.name", "evaluation.search.c_uct"}
    tables = {*KINDS, "evaluation.search", "random_starts", "gating"} - {"part"}
    assert stored["versions"] == dict.fromkeys(tables, 1)
    for name, value in list_fields(CONFIG).items():
        if "." in name:
            table, field = find(stored, name)
            assert table[field] == value


def test_a_file_of_games_is_the_replay_of_a_run():
    stored = store(RunConfig(TrainConfig(replay="games.txt")))
    stored["games"] = stored["train"].pop("replay")  # as before it could hold positions
    stored["changed"] = ["games" if name == "replay" else name for name in stored["changed"]]
    assert read_config(stored).train.replay == "games.txt"


@pytest.mark.parametrize("name", ["num_games", "search.c_puct", "gating.games", "evaluate_every"])
def test_a_field_that_older_files_lack_has_its_default(name):
    stored = store(RunConfig(TrainConfig(search=PUCT(), parts=(RandomStarts(), Gating()))))
    expected = read_config(stored)
    table, field = find(stored, name) if name not in stored else (stored, name)
    del table[field]
    assert read_config(stored) == expected


@pytest.mark.usefixtures("registrations")
def test_a_field_that_older_files_lack_has_the_default_of_its_own_component():
    @dataclasses.dataclass(frozen=True)
    class Sharp(Gumbel):
        name = "sharp"
        value_scale: float = 0.7

    register(Sharp)
    config = RunConfig(TrainConfig(search=Sharp()), evaluated_by=Sharp())
    stored = store(config)
    for name in ("search.value_scale", "evaluation.search.value_scale"):
        table, field = find(stored, name)
        del table[field]
    assert read_config(stored) == config


@pytest.mark.parametrize("name", ["new", "evaluation.search.new"])
def test_an_unknown_field_is_left_out_if_it_had_its_default_and_refused_if_not(name):
    stored = store()
    table, field = find(stored, name)
    table[field] = 3
    assert read_config(stored) == CONFIG
    stored["changed"].append(name)
    with pytest.raises(ValueError, match=f"^unknown field '{name}'$"):
        read_config(stored)


def test_a_component_of_another_version_is_refused():
    stored = store()
    stored["versions"]["evaluation.search"] = 2
    with pytest.raises(ValueError, match=r"^search uct is of version 2, and this azjax has ver"):
        read_config(stored)


@pytest.fixture
def other_defaults(monkeypatch):
    """Halves the default of every number and size."""
    for kind in (*COMPONENTS, TrainConfig, RunConfig):
        constructor = kind.__init__
        changed = tuple(map(halve, constructor.__defaults__ or ()))
        monkeypatch.setattr(constructor, "__defaults__", changed)


def halve(value):
    if isinstance(value, bool) or not isinstance(value, float | int):
        return value
    return value / 2 if isinstance(value, float) else value // 2 or value


def test_a_changed_default_changes_no_old_run_and_no_shipped_agent(request):
    configs = [CONFIG, *(get_preset(name).config for name in preset_names())]
    stored = [store(config) for config in configs]
    assert [read_config(table) for table in stored] == configs
    of_agents = [agent_config(name) for name in sorted(shipped_agents())]
    request.getfixturevalue("other_defaults")
    assert RunConfig().train.num_games == 128
    assert [read_config(table) for table in stored] == configs
    assert [agent_config(name) for name in sorted(shipped_agents())] == of_agents
