"""The networks of a run, and their games."""

import numpy as np
import pytest

from azjax import games
from azjax.page.evolution.networks import opening_shares
from azjax.runs.storage.checkpoints import spread_evenly


def test_networks_are_spread_over_the_run():
    assert spread_evenly([0, 5, 10], 4) == [0, 5, 10]
    assert spread_evenly(range(0, 1001, 10), 4) == [0, 330, 670, 1000]


GAME = games.make("tic_tac_toe")


def test_the_five_largest_moves_of_the_start_are_shown_and_the_others_together(analyse):
    openings = [analyse(range(9)).found, analyse([8, 7, 6]).found]
    shares = opening_shares(GAME, openings, "search")
    assert len(shares) == 6
    assert list(shares)[-1] == "others"
    assert sum(np.array(values) for values in shares.values()) == pytest.approx([1.0, 1.0])
    assert shares[GAME.format_action(8)] == pytest.approx([0.0625, 0.5])
