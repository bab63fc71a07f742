import numpy as np
import pytest

from azjax import games
from azjax.page.analysis.rules import LONGEST_POSITION, make_rules
from azjax.page.api.models import MoveRequest, SearchRequest
from azjax.page.play.link import read_link
from azjax.support.errors import InputError


def test_the_longest_position_of_the_largest_game_is_taken_everywhere():
    go = games.make("go_19:size=26")
    state = go.init(None)
    state = state._replace(num_moves=np.int16(go.max_moves))
    text = go.format_state(state)
    assert len(text) > 22_000
    assert len(text) <= LONGEST_POSITION
    assert MoveRequest(game="go_19", position=text, move="a1").position == text
    assert SearchRequest(agent="mcts", position=text).position == text
    assert read_link({"position": text}).position == text


def test_a_longer_text_is_no_position():
    with pytest.raises(InputError, match="at most 24,000 characters"):
        make_rules("tic_tac_toe").parse("." * (LONGEST_POSITION + 1))


def test_a_finished_position_of_go_has_the_lead():
    rules = make_rules("go_5:size=3,komi=0.5")
    placed = rules.play(rules.start(), 4)
    over = rules.play(rules.play(placed, 9), 9)
    assert (placed.lead, over.result, over.lead) == (None, 1, 8.5)
