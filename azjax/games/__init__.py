"""Board games, as pure functions of one unbatched state."""

from azjax.games.board_tables import Symmetries
from azjax.games.game import Game, State, rewards_of
from azjax.games.pgx_adapter import PGX_PREFIX, has_pgx, pgx_names
from azjax.games.random_play import play_random_moves, record_random_moves, sample_from_mask
from azjax.games.registry import base_name, make, names, plugin_of_game, register_game
from azjax.games.state_values import batch_of_one, hash_state, rows_as_bytes
