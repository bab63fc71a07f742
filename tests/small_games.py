"""One game of each class, the smallest; the other sizes are in the tests of their rules."""

SMALL_GAMES = ("tic_tac_toe", "connect_four", "quixo_3", "othello_6", "hex_5", "go_5", "coins")
