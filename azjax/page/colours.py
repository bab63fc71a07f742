"""The colours that several views use; they are readable without telling red from green."""

FIRST, SECOND = "#2b5c8a", "#d9822b"  # player 0 and player 1, X and O
WINS, LOSES = "#5e3c99", "#e66101"  # values: +1 and -1, with white between
SERIES = ("#2b5c8a", "#d9822b", "#4d9078", "#8e5572", "#7a7a7a", "#b8a11e", "#4aa3c7", "#a04040")
