"""A game that one visitor has open: its moves, what is shown of it, and what has been found."""

import dataclasses
import math
import time
from typing import Any

from azjax.page.analysis.exact import is_solved
from azjax.page.analysis.players import Agent, PagePlayer, list_players
from azjax.page.analysis.rules import GameLine, Position, Rules, make_rules, read_game
from azjax.page.analysis.summary import SearchSummary, find_losses
from azjax.page.boards import Marks, Scale, board_of
from azjax.page.play.link import PERSON, PlayLink
from azjax.page.play.words import player_title
from azjax.page.site import Site

_MOST_BRANCHES = 8
HEATS = ("loss", "value", "policy", "prior", "visits", "none")


@dataclasses.dataclass
class Switches:
    """What the visitor wants to see beside the game."""

    heat: str = "loss"
    analysis: bool = True
    exact: bool = False
    paused: bool = False  # agents do not move
    seconds: float = 0.4  # between the moves of two agents


@dataclasses.dataclass
class OpenGame:
    """A game, the ply that is shown, and what has been found about its positions."""

    link: PlayLink
    line: GameLine
    players: tuple[PagePlayer | None, PagePlayer | None]  # of X and O; None for the visitor
    switches: Switches
    has_exact: bool  # whether exact values of the game are known
    ply: int
    shown: Position  # at the ply, or a position of the search tree from there
    variation: tuple[int, ...] = ()  # the actions from the ply to it
    taken: int | None = None  # the cell of Quixo's cube that was clicked first
    moved_at: float = -math.inf  # when the last move was played
    analysis: SearchSummary | None = None  # of the position that is shown
    analyst: PagePlayer | None = None  # the player that thinks about it
    values: dict[str, float] = dataclasses.field(default_factory=dict)  # by position, for X
    exact: dict[str, dict[int, int]] = dataclasses.field(default_factory=dict)  # for the mover
    kept: dict[str, Any] = dataclasses.field(default_factory=dict)  # trees, by player
    branches: tuple[GameLine, ...] = ()  # other lines that were played, the newest first

    @property
    def is_newest(self) -> bool:
        """Whether the newest position of the game is shown."""
        return self.ply == len(self.line.actions) and not self.variation

    @property
    def mover(self) -> PagePlayer | None:
        """The player to move in the position that is shown; None for the visitor."""
        return self.players[self.shown.mover]

    @property
    def sides(self) -> tuple[str, str]:
        """The names of the two sides, such as Black and White."""
        return board_of(self.line.rules.game).sides

    def title(self, seat: int) -> str:
        """Returns the name of a player for people."""
        return player_title(self.link.seats[seat], self.link.simulations)

    @property
    def searchers(self) -> tuple[PagePlayer, ...]:
        """The players that search."""
        return tuple(one for one in self.players if one and one.search)

    @property
    def adviser(self) -> PagePlayer | None:
        """The player that analyses: the first that searches, if any does."""
        return next(iter(self.searchers), None)

    @property
    def can_move(self) -> bool:
        """Whether a move can be played in the position that is shown."""
        return self.shown.result is None and not self.variation

    def take_over(self, former: "OpenGame", *, keeps_lines: bool) -> None:
        """Takes over what has been found in a former game of the same rules, and maybe its lines.

        Values belong to the players that search: others find other ones.
        """
        if former.line.rules is not self.line.rules:
            return
        self.exact = former.exact
        if keeps_lines and former.link.position == self.link.position:
            self._keep(former.line, *former.branches)
        if former.searchers == self.searchers:
            self.values, self.kept = former.values, former.kept

    def show(self, ply: int) -> None:
        """Shows the position after so many moves."""
        self.ply, self.variation, self.shown = ply, (), self.line.positions[ply]
        self.taken, self.analysis = None, None

    def continue_with(self, line: GameLine) -> None:
        """Shows the newest position of another line of the same game; the former one is kept."""
        former, self.line = self.line, line
        self._keep(former, *self.branches)
        self.link = dataclasses.replace(self.link, moves=line.names())
        self.show(len(line.actions))
        self.moved_at = time.monotonic()

    def _keep(self, *lines: GameLine) -> None:
        """Keeps lines that neither this one nor another of them goes on with."""
        kept: list[GameLine] = []
        for one in lines:
            if not any(other.extends(one) for other in (self.line, *kept)):
                kept.append(one)
        self.branches = tuple(kept[:_MOST_BRANCHES])

    def marks(self) -> Marks:
        """Returns what the board shows besides its stones."""
        actions = self.line.actions[: self.ply] + self.variation
        weights, scale = self._weights()
        return Marks(
            last=actions[-1] if actions else None,
            weights=weights,
            scale=scale,
            best=self.analysis.found.action if self.analysis and scale == "loss" else None,
            exact=self.shown_exact(),
            is_clickable=self.can_move,
            taken=self.taken,
            age=time.monotonic() - self.moved_at if self.is_newest else 1.0,
        )

    def shown_exact(self) -> dict[int, int]:
        """Returns the exact value of every move here, if they are wanted and known."""
        return self.exact.get(self.shown.text, {}) if self.switches.exact else {}

    def win_values(self) -> list[float | None]:
        """Returns by ply the value for X, where it is known."""
        return [
            self.values.get(position.text) if position.result is None else float(position.result)
            for position in self.line.positions
        ]

    def mistake_counts(self) -> tuple[int, int] | None:
        """Returns the mistakes of X and of O so far, if exact values are wanted and all known."""
        played = self.line.positions[: len(self.line.actions)]
        is_known = all(position.text in self.exact for position in played)
        if not (self.switches.exact and self.has_exact and is_known):
            return None
        counts = [0, 0]
        for position, action in zip(played, self.line.actions, strict=True):
            values = self.exact[position.text]
            counts[position.mover] += action in values and values[action] < max(values.values())
        return counts[0], counts[1]

    def _weights(self) -> tuple[dict[int, float], Scale]:
        """Returns the colours of the last search here: by action a number, and of what scale."""
        heat = self.switches.heat
        if self.analysis is None or self.variation or heat == "none":
            return {}, "share"
        found = self.analysis.found
        losses = find_losses(found)
        if heat == "loss" and losses:
            return losses, "loss"
        if heat == "value" and found.q_values is not None:
            return {action: float(found.q_values[action]) for action in losses}, "value"
        shares = getattr(found, heat, None) if heat != "value" else None
        if shares is None:  # it has no tree
            shares = found.policy
        total = float(shares.sum()) or 1.0
        return {x: float(share) / total for x, share in enumerate(shares) if share > 0}, "share"


async def load_game(
    site: Site, link: PlayLink, agents: list[Agent], switches: Switches
) -> OpenGame:
    """Returns the game of a link; its newest position is shown.

    Raises:
      InputError: Something in the link is wrong.
    """
    rules, run = await _find_rules(site, link), site.worker.run_rules
    opponent = link.second or (await run(list_players, rules.game, agents))[0]
    link = dataclasses.replace(link, game=rules.game.name, second=opponent)
    first, second = [await _load_player(site, link, name) for name in link.seats]
    line = await run(read_game, rules, link.position, link.moves)
    has_exact = await run(is_solved, rules.game)
    num_moves = len(line.actions)
    return OpenGame(link, line, (first, second), switches, has_exact, num_moves, line.last)


async def _find_rules(site: Site, link: PlayLink) -> Rules:
    """Returns the rules of the game that a link names, or that its agent or the usual one plays."""
    game = link.game
    if not game:
        named = [name for name in (link.second, link.first) if name and name != PERSON]
        agent = named[0] if named else PlayLink.second
        game = (await site.players.get(agent)).game.name
    return await site.worker.run_rules(make_rules, game)


async def _load_player(site: Site, link: PlayLink, name: str) -> PagePlayer | None:
    if name == PERSON:
        return None
    return await site.players.get(name, link.game, link.simulations, link.algorithm or None)


def describe_status(opened: OpenGame) -> str:
    """Returns what is shown of a game, and whose turn it is, or the result, in one line."""
    phrases = []
    if opened.variation:
        phrases.append("In the tree (Esc leads back):")
    elif not opened.is_newest:
        phrases.append(f"Move {opened.ply} of {len(opened.line.actions)} is shown.")
    phrases.append(_describe_result(opened) or _describe_turn(opened))
    mistakes = opened.mistake_counts()
    if mistakes is not None:
        counts = zip(opened.sides, mistakes, strict=True)
        phrases.append(f"Mistakes: {', '.join(f'{side} {count}' for side, count in counts)}.")
    return " ".join(phrases)


def _describe_result(opened: OpenGame) -> str:
    """Returns the result of the position that is shown; nothing while the game lasts."""
    result, lead = opened.shown.result, opened.shown.lead
    if not result:
        return "" if result is None else "Draw."
    winner = 0 if result > 0 else 1
    size = f" by {abs(lead):g}" if lead else ""
    return f"{opened.sides[winner]} wins{size} ({opened.title(winner)})."


def _describe_turn(opened: OpenGame) -> str:
    """Returns who is to move; an agent moves at the end of the game alone."""
    mover = opened.shown.mover
    side = opened.sides[mover]
    if opened.link.seats[mover] == PERSON:
        return f"Your move, as {side}."
    goes_on = ""
    if opened.is_newest and opened.switches.paused:
        goes_on = ", paused"
    elif not (opened.is_newest or opened.variation or opened.line.last.result is not None):
        goes_on = "; step to the end to go on"
    return f"{side} to move: {opened.title(mover)}{goes_on}."
