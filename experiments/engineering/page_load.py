"""Answers: how many players does `azjax serve` answer at once, and how soon?

python experiments/engineering/page_load.py --players 100 --minutes 10

It starts a page of its own on a free port of 127.0.0.1. Players on the JSON interface move at
random, and ask the agent for each answer. After a warm-up of all, one of them plays alone, then
all at once. It prints JSON lines: the conditions, then of each part the moves of the agent per
second, the seconds of an answer (median, 95%, longest) and of loading the page itself meanwhile,
errors, and the server's memory at the beginning and the end. It needs `pip install '.[page]'`.
"""

import asyncio
import contextlib
import dataclasses
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from typing import Any

import aiohttp
import numpy as np
import psutil

from azjax.agents.agent import agent_config
from azjax.cli.process import exit_with_one_line
from azjax.config.flags import parse_flags
from azjax.support.errors import RunError
from azjax.support.machine.processor import usable_cores
from azjax.support.provenance.environment import describe_machine
from azjax.support.validation import check_above, check_at_least

_WARM_UP_MINUTES = 0.75  # in which the programs of the larger batches are compiled
_TIMEOUT = 60.0  # seconds


@dataclasses.dataclass(frozen=True)
class LoadOptions:
    """Play many games at once against an agent of a page, and measure its answers."""

    players: int = 100
    """Players at once."""
    minutes: float = 10.0
    """Minutes in which all play."""
    alone_minutes: float = 0.5
    """Minutes in which one plays alone, before them."""
    agent: str = "connect_four"
    """The agent."""
    simulations: int = 64
    """The simulations of each of its moves."""

    def __post_init__(self):
        """Raises ValueError if a number is out of range."""
        for name in ("players", "simulations"):
            check_at_least(name, getattr(self, name), 1)
        for name in ("minutes", "alone_minutes"):
            check_above(name, getattr(self, name), 0)


@dataclasses.dataclass
class Measured:
    """What players have seen."""

    seconds: list[float] = dataclasses.field(default_factory=list)  # of each answer of the agent
    page_seconds: list[float] = dataclasses.field(default_factory=list)  # of loading the page
    errors: int = 0


@dataclasses.dataclass
class Page:
    """A page, as a program sees it."""

    client: aiohttp.ClientSession
    options: LoadOptions
    measured: Measured

    async def post(self, name: str, **request: Any) -> dict[str, Any] | None:
        """Returns an answer; None after an error, which is counted."""
        content = {"agent": self.options.agent, **request}
        try:
            async with self.client.post(f"/api/{name}", json=content) as answer:
                return await answer.json()
        except (aiohttp.ClientError, TimeoutError):
            self.measured.errors += 1
            return None

    async def ask(self, position: str) -> str | None:
        """Returns the agent's move, whose time is measured; None after an error."""
        began = time.perf_counter()
        answer = await self.post("search", position=position, simulations=self.options.simulations)
        if answer is None:
            return None
        self.measured.seconds.append(time.perf_counter() - began)
        return answer["action"]

    async def load_repeatedly(self, end: float) -> None:
        """Loads the page itself, as a browser first does, once a second until a time."""
        while time.monotonic() < end:
            began = time.perf_counter()
            try:
                async with self.client.get("/") as answer:
                    await answer.read()
                self.measured.page_seconds.append(time.perf_counter() - began)
            except (aiohttp.ClientError, TimeoutError):
                self.measured.errors += 1
            await asyncio.sleep(1)

    async def play_games(self, start: str, end: float, seed: int) -> None:
        """Plays games until a time: the agent moves first, and is answered at random."""
        chance = random.Random(seed)
        position, legal = start, None
        while time.monotonic() < end:
            move = await self.ask(position) if legal is None else chance.choice(legal)
            after = move and await self.post("move", position=position, move=move)
            if not after or after["result"] is not None:
                position, legal = start, None
            else:
                position = after["position"]
                legal = after["legal_moves"] if legal is None else None


async def measure(address: str, options: LoadOptions, players: int, minutes: float) -> Measured:
    """Returns what so many players see in some minutes."""
    measured = Measured()
    timeout = aiohttp.ClientTimeout(_TIMEOUT)
    async with aiohttp.ClientSession(
        address, timeout=timeout, raise_for_status=True, connector=aiohttp.TCPConnector(limit=0)
    ) as client:
        async with client.get("/api/games") as answer:
            found = await answer.json()
        game = agent_config(options.agent).train.game
        start = next(one["start"] for one in found if one["name"] == game)
        page, end = Page(client, options, measured), time.monotonic() + 60 * minutes
        games = [page.play_games(start, end, seed) for seed in range(players)]
        await asyncio.gather(page.load_repeatedly(end), *games)
    return measured


@contextlib.contextmanager
def serving() -> Iterator[tuple[str, psutil.Process]]:
    """Yields the address of a page on this machine, and its process."""
    with tempfile.TemporaryDirectory() as runs:
        command = [sys.executable, "-m", "azjax", "serve", "--port", "0", "--no-browser"]
        server = subprocess.Popen([*command, "--runs", runs], stdout=subprocess.PIPE, text=True)
        try:
            assert server.stdout
            line = server.stdout.readline()
            if "http" not in line:
                raise RunError(f"the page has not started: {line.strip()}")
            yield line.split()[2], psutil.Process(server.pid)
        finally:
            server.terminate()
            server.wait()


def main(arguments: list[str] | None = None) -> None:
    """Runs the measurement."""
    arguments = sys.argv[1:] if arguments is None else arguments
    with exit_with_one_line():
        options = parse_flags(LoadOptions, arguments, "page_load.py")
        _print({**describe_machine(usable_cores()), **dataclasses.asdict(options)})
        with serving() as (address, server):
            parts = {"warm-up": (options.players, _WARM_UP_MINUTES)}
            parts |= {"alone": (1, options.alone_minutes)}
            parts |= {"together": (options.players, options.minutes)}
            for part, (players, minutes) in parts.items():
                before = server.memory_info().rss
                measured = asyncio.run(measure(address, options, players, minutes))
                sizes = {"memory_mb_before": before, "memory_mb_after": server.memory_info().rss}
                memory = {name: size >> 20 for name, size in sizes.items()}
                _print({"part": part, **_summary(measured, minutes), **memory})


def _summary(measured: Measured, minutes: float) -> dict[str, Any]:
    return {
        "moves_per_second": round(len(measured.seconds) / (60 * minutes), 2),
        "median": _quantile(measured.seconds, 0.5),
        "95%": _quantile(measured.seconds, 0.95),
        "longest": _quantile(measured.seconds, 1.0),
        "page_median": _quantile(measured.page_seconds, 0.5),
        "page_95%": _quantile(measured.page_seconds, 0.95),
        "errors": measured.errors,
    }


def _quantile(seconds: list[float], share: float) -> float | None:
    """Returns a quantile in seconds; None where nothing was answered."""
    return round(float(np.quantile(seconds, share)), 3) if seconds else None


def _print(row: dict[str, Any]) -> None:
    print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
