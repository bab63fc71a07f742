"""A GTP engine of tic-tac-toe: it plays the first free cell, and misbehaves as its argument says.

`python fake_engine.py [MISBEHAVIOUR [AT]]` misbehaves at its AT-th genmove, by default the first.
"""

import os
import signal
import subprocess
import sys
import time

CELLS = [f"{letter}{row}" for row in (3, 2, 1) for letter in "ABC"]
COMMANDS = "protocol_version list_commands boardsize clear_board play genmove set_random_seed quit"

misbehaviour = sys.argv[1] if len(sys.argv) > 1 else None
at = int(sys.argv[2]) if len(sys.argv) > 2 else 1
played, num_moves = set(), 0


def genmove():
    global num_moves
    num_moves += 1
    free = [cell for cell in CELLS if cell not in played]
    if num_moves == at:
        match misbehaviour:
            case "dies":
                sys.exit("out of luck")
            case "is killed":
                os.kill(os.getpid(), signal.SIGKILL)
            case "hangs":
                time.sleep(1000)
            case "hangs with a child":
                subprocess.run(["sleep", "1000"])
            case "plays an occupied cell":
                return f"= {min(played)}"
            case "resigns":
                return "= resign"
            case "floods":
                while True:
                    print("= " + 1000 * "flood ")
            case "refuses in many words":
                return "? no\nidea\33[0m" + 1000 * " at all"
    played.add(free[0])
    return f"= {free[0].lower()}\r"


def answer(name, *arguments):
    match name:
        case "protocol_version":
            return "what?" if misbehaviour == "does not speak" else "= 2"
        case "list_commands":
            return "= " + COMMANDS.replace(" ", "\n")
        case "boardsize" if arguments != ("3",) or misbehaviour == "has another board":
            return "? unacceptable size"
        case "clear_board":
            played.clear()
        case "play" if misbehaviour == "refuses a move" and len(played) >= at:
            return "? illegal move"
        case "play":
            played.add(arguments[1].upper())
        case "genmove":
            return genmove()
        case "quit":
            sys.exit()
    return "="


if misbehaviour == "writes to its errors":
    print(200_000 * "e", file=sys.stderr, flush=True)
for line in sys.stdin:
    if "FAKE_ENGINE_LOG" in os.environ:
        with open(os.environ["FAKE_ENGINE_LOG"], "a") as log:
            log.write(f"{os.getpid()} {line.strip()}\n")
    print(answer(*line.split()), end="\n\n", flush=True)
