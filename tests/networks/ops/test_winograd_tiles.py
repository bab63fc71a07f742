"""Tiles cover a board and take the fewest products; their matrices compute a correlation."""

import jax.numpy as jnp
import numpy as np
import pytest

from azjax.networks.ops.winograd_tiles import MAX_OUTPUTS, Side, Tiling, make_transforms


@pytest.mark.parametrize(
    ("cells", "m", "products"),
    [(1, 1, 3), (2, 2, 4), (3, 3, 5), (4, 4, 6), (6, 3, 10), (7, 4, 12), (17, 3, 30), (19, 4, 30)],
)
def test_a_side_takes_the_fewest_products_and_on_a_tie_the_smallest_tiles(cells, m, products):
    side = Side.of(cells)
    assert (side.m, side.elements) == (m, products)


@pytest.mark.parametrize("cells", range(1, 20))
def test_tiles_cover_a_side_and_the_last_begins_on_it(cells):
    side = Side.of(cells)
    assert 0 <= side.padding < side.m
    assert side.m * side.tiles == cells + side.padding


def test_tile_slices_are_strided_by_a_tile():
    side = Side.of(7)
    assert (side.m, side.tiles, side.padding) == (4, 2, 1)
    slices = side.tile_slices(jnp.arange(10)[None], axis=1, count=side.m + 2)
    assert [cells.tolist() for cells in slices] == [[[k, k + 4]] for k in range(6)]


def test_a_board_has_tiles_of_both_sides():
    tiling = Tiling.of(jnp.zeros((1, 6, 7, 2)))
    assert (tiling.rows.m, tiling.columns.m) == (3, 4)
    assert (tiling.tiles, tiling.elements) == (4, 120)


@pytest.mark.parametrize("m", range(1, MAX_OUTPUTS + 1))
def test_the_outputs_are_the_correlation(m):
    generator = np.random.default_rng(0)
    inputs, kernel = generator.normal(size=m + 2), generator.normal(size=3)
    matrices = make_transforms(m)
    products = (matrices.kernel @ kernel) * (matrices.inputs @ inputs)
    assert products.shape == (m + 2,)
    expected = np.correlate(inputs, kernel, mode="valid")
    np.testing.assert_allclose(matrices.outputs @ products, expected, atol=1e-12)


def test_two_outputs_take_only_additions():
    matrices = make_transforms(2)
    assert set(matrices.inputs.flat) == set(matrices.outputs.flat) == {-1.0, 0.0, 1.0}
