"""Positions as SVG to click on: pure functions of a game, a state and its legal actions.

A clickable element has a data attribute: `data-move`, an action; `data-cube`, a cell of Quixo; or
`data-illegal`, the name of what cannot be played. Each legal move that has a place on the board
also has a hidden overlay, `.pointed` with `data-for`, the action; the class `on` shows it.
"""

from azjax.page.boards.board import Marks, Scale
from azjax.page.boards.render import board_of, explain_illegal, moves_off_board, render_board
from azjax.page.boards.styles import PAGE_STYLES, STYLES, as_document
