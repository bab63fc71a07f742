"""Actions as planes of the board."""

import numpy as np
import pytest

from azjax import games

BOARDS = ("tic_tac_toe", "connect_four", "othello_6", "go_5", "hex_5", "quixo_3", "mnk_6_6_4")


@pytest.mark.parametrize("name", [*BOARDS, "coins"])
def test_every_action_has_planes_of_its_own(name):
    game = games.make(name)
    planes = game.action_planes
    assert planes.shape[:3] == (game.num_actions, *game.observation_shape[:2])
    assert planes.dtype == np.float32
    assert planes.min() >= 0
    assert planes.max() == 1
    assert len({plane.tobytes() for plane in planes}) == game.num_actions
    assert not planes.flags.writeable


@pytest.mark.parametrize("name", BOARDS)
def test_a_symmetry_of_the_board_maps_planes_to_those_of_the_image(name):
    """The planes of an action, transformed as a board is, are those of the transformed action."""
    game = games.make(name)
    flat = game.action_planes.reshape(game.num_actions, -1, game.action_planes.shape[-1])
    for cells, actions in zip(*game.symmetries, strict=True):
        np.testing.assert_array_equal(flat[actions][:, cells], flat[np.arange(game.num_actions)])


def test_the_planes_of_a_column_a_push_and_a_number():
    column = games.make("connect_four").action_planes[2, :, :, 0]
    np.testing.assert_array_equal(column, np.arange(7)[None].repeat(6, 0) == 2)
    quixo = games.make("quixo_3")
    taken, inserted = np.moveaxis(quixo.action_planes[quixo.parse_action("0,1,B")], -1, 0)
    assert np.argwhere(taken).tolist() == [[0, 1]]
    assert np.argwhere(inserted).tolist() == [[2, 1]]
    assert games.make("othello_6").action_planes[-1].sum() == 0  # a pass
    first, second = games.make("coins").action_planes
    assert (first.min(), first.max(), second.min()) == (0, 0, 1)
