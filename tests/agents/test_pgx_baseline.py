"""Baselines of Pgx, with random weights in the format of its own."""

import pickle

import jax
import numpy as np
import pytest

from azjax.agents.engine_player import EngineSettings
from azjax.agents.player_spec import load_players
from azjax.evaluation import MatchSettings, play_match
from azjax.support.errors import InputError

NAME = "pgx-baseline:go_9x9"


@pytest.fixture(scope="module")
def weights():
    """Returns the content of a file of weights."""
    hk = pytest.importorskip("haiku")
    baseline = pytest.importorskip("pgx._src.baseline")
    sizes = {"num_actions": 82, "num_channels": 4, "num_layers": 1}

    def forward(x, is_eval=False):
        network = baseline._create_az_model_v0(**sizes)
        return network(x, is_training=not is_eval, test_local_stats=False)

    transformed = hk.without_apply_rng(hk.transform_with_state(forward))
    params, state = transformed.init(jax.random.key(0), np.zeros((1, 9, 9, 17)))
    params = jax.tree.map(np.asarray, params)
    return pickle.dumps({"args": sizes, "params": params, "state": jax.device_get(state)})


@pytest.mark.slow
def test_it_plays_azjax_s_game_by_pgx_s_rules(weights, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "baselines").mkdir()
    (tmp_path / "baselines" / "go_9x9_v0.ckpt").write_bytes(weights)
    names = [NAME, f"{NAME},simulations=2"]
    policy, search = load_players(names, "go_9", None, EngineSettings())
    settings = MatchSettings(4, opening_moves=2)
    result = play_match(policy.game, policy.player, search.player, settings)
    assert min(len(moves) for pair in result.actions for moves in pair) > 20
    with pytest.raises(InputError, match="plays pgx:go_9x9 and go_9 alone, not go_7"):
        load_players([NAME, "random"], "go_7", None)
