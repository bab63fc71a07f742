"""A game between two networks, with the search of every move."""

import dataclasses
from collections.abc import AsyncIterator

from azjax.page.analysis.players import PagePlayer
from azjax.page.analysis.rules import Position, Rules
from azjax.page.analysis.search_analysis import SearchSummary, summarize
from azjax.page.site import Site


@dataclasses.dataclass(frozen=True, eq=False)
class PlayedGame:
    """A game so far; `positions[i]` is the one that `analyses[i]` is of."""

    rules: Rules
    positions: tuple[Position, ...]
    analyses: tuple[SearchSummary, ...] = ()

    @property
    def actions(self) -> tuple[int, ...]:
        """The moves."""
        return tuple(analysis.found.action for analysis in self.analyses)

    def names(self) -> tuple[str, ...]:
        """Returns the moves in the game's notation."""
        return self.rules.names(self.actions)

    def values(self) -> list[float | None]:
        """Returns the values for X by ply, at the end the result; None if it is not searched."""
        searched = [
            position.value_for_first(analysis.value)
            for position, analysis in zip(self.positions, self.analyses, strict=False)
        ]
        result = self.positions[-1].result
        return [*searched, None if result is None else float(result)]

    def last_action(self, ply: int) -> int | None:
        """Returns the move that has led to a ply; None for the start."""
        return self.actions[ply - 1] if ply else None


async def start_game(site: Site, rules: Rules) -> PlayedGame:
    """Returns a game before its first move."""
    return PlayedGame(rules, (await site.worker.run_rules(rules.start),))


async def play_game(
    site: Site, game: PlayedGame, first: PagePlayer, second: PagePlayer
) -> AsyncIterator[PlayedGame]:
    """Yields a game after each of its moves to come.

    Args:
      site: The page.
      game: The game so far.
      first: Plays X.
      second: Plays O.
    """
    while (position := game.positions[-1]).result is None:
        player = (first, second)[position.mover]
        analysis = await site.searches.search(player, position.state, len(game.analyses))
        after = await site.worker.run_rules(game.rules.play, position, analysis.found.action)
        summary = await site.worker.run_rules(summarize, analysis)
        game = PlayedGame(game.rules, (*game.positions, after), (*game.analyses, summary))
        yield game
