"""A UCI engine of tic-tac-toe: it plays the first free cell, or misbehaves as it is told."""

import os
import sys
import time

CELLS = [f"{letter}{row}" for row in (1, 2, 3) for letter in "abc"]
OPTIONS = (
    "option name Skill Level type spin default 20 min 0 max 20",
    "option name Ponder type check default false",
    "option name UCI_Variant type combo default chess var chess var losers",
)

misbehaviour = sys.argv[1] if len(sys.argv) > 1 else None
played = []
for line in sys.stdin:
    if "FAKE_ENGINE_LOG" in os.environ:
        with open(os.environ["FAKE_ENGINE_LOG"], "a") as log:
            log.write(f"{os.getpid()} {line.strip()}\n")
    match line.split():
        case ["uci"]:
            print(*OPTIONS, "uciok", sep="\n")
        case ["isready"]:
            print("readyok")
        case ["position", "startpos", *moves]:
            played = moves[1:]
        case ["go", *_]:
            match misbehaviour:
                case "dies":
                    sys.exit("out of luck")
                case "hangs":
                    time.sleep(1000)
                case "plays an occupied cell":
                    print(f"bestmove {played[0]}")
                case _:
                    free = next(cell for cell in CELLS if cell not in played)
                    print(f"info depth 1 score cp 0 pv {free}\r\nbestmove {free} ponder a1")
    sys.stdout.flush()
