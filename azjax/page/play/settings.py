"""The settings of a game, in one bar, and the switches and files, in a menu."""

import dataclasses
import functools
from collections.abc import Awaitable, Callable

from nicegui import ui
from nicegui.events import ValueChangeEventArguments

from azjax.page.analysis.players import takes_simulations
from azjax.page.play.game import Switches
from azjax.page.play.link import PERSON, PlayLink, read_simulations
from azjax.page.play.words import game_title, player_title
from azjax.support.errors import InputError

_OWN_SEARCH = "its own"
_SWITCHES = {"analysis": "analysis", "exact": "exact values"}
_SPEEDS = {2.0: "slow", 0.4: "medium", 0.05: "fast"}  # by the seconds between two moves


class SettingsBar:
    """The game, its players, and how they search."""

    def __init__(self, on_link: Callable[[PlayLink], Awaitable[None]]):
        """Builds the bar, which calls with the game of other choices."""
        self._link, self._on_link = PlayLink(), on_link
        with ui.row().classes("items-center gap-x-3 gap-y-1 w-full"):
            self._game, self._first, self._second = map(self._select, ("game", "X", "O"))
            self._simulations = TextField("simulations", self._change, "its own")
            self._simulations.input.classes("w-[44%] sm:w-24").on("blur", self._change)
            self._search = self._select("search")

    def _select(self, marker: str) -> ui.select:
        """Adds a choice by names for people, of which the values are identifiers."""
        options: dict[str, str] = {}
        select = ui.select(
            options, label=marker, with_input=True, new_value_mode="add-unique", key_generator=str
        )
        select.props("dense options-dense outlined").classes("w-[44%] sm:w-44").mark(marker)
        with select:  # a tooltip
            ui.tooltip().bind_text_from(select, "value")  # the identifier
        return select.on_value_change(lambda: self._change())

    def offer(self, games: list[str], players: list[str], searches: list[str]) -> None:
        """Lists what can be chosen in the game that is shown."""
        link = self._link
        titles = {name: player_title(name) for name in [PERSON, *players, *link.seats]}
        own = {"": _OWN_SEARCH}
        for select, options, chosen in (
            (self._game, {name: game_title(name) for name in [*games, link.game]}, link.game),
            (self._first, titles, link.first),
            (self._second, titles, link.second),
            (self._search, own | {name: name for name in searches}, link.algorithm),
        ):
            select.set_options({**options}, value=chosen)

    def show(self, link: PlayLink, sides: tuple[str, str]) -> None:
        """Shows the settings of a game, whose players have these names.

        The simulations cannot be changed where no player takes them.
        """
        self._link = link
        values = (link.game, link.first, link.second, link.algorithm)
        selects = (self._game, self._first, self._second, self._search)
        for select, value in zip(selects, values, strict=True):
            select.set_value(value)
        self._first.props["label"], self._second.props["label"] = sides
        agents = [name for name in link.seats if name != PERSON]
        self._simulations.input.set_enabled(any(map(takes_simulations, agents)))
        self._simulations.show(str(link.simulations or ""))

    async def _change(self) -> None:
        """Starts another game where the game is another one, else goes on with other players."""
        try:
            simulations = read_simulations(self._simulations.take())
        except InputError as error:
            ui.notify(str(error), type="warning")
            self._simulations.show(str(self._link.simulations or ""))
            return
        game = self._game.value or self._link.game
        link = dataclasses.replace(
            self._link,
            game=game,
            first=self._first.value or PERSON,
            second=self._second.value or PERSON,
            simulations=simulations,
            algorithm=self._search.value or "",
        )
        if link == self._link:
            return
        if game != self._link.game:  # its agents play no other game
            link = PlayLink(game=game, second="", simulations=simulations)
        await self._on_link(link)


class MoreMenu:
    """A button that opens what is needed rarely: switches, files, and the position in one line."""

    def __init__(
        self,
        switches: Switches,
        on_switch: Callable[[], Awaitable[None]],
        on_position: Callable[[str], Awaitable[None]],
        commands: dict[str, Callable[[], Awaitable[None]]],
    ):
        """Builds the menu, which changes the switches, and calls after a change."""
        self._switches, self._on_switch = switches, on_switch
        with ui.button("More", icon="more_horiz").props("dense no-caps outline"), ui.menu():
            for name, command in commands.items():
                ui.menu_item(name, on_click=command).mark(name)
            with ui.column().classes("gap-0 px-3 py-1 w-72"):
                self._elements = {field: ui.switch(words) for field, words in _SWITCHES.items()}
                for field, element in self._elements.items():
                    element.set_value(getattr(switches, field))
                    element.classes("min-h-11").mark(field)
                    element.on_value_change(functools.partial(self._set, field))
                self._position = TextField(
                    "position in one line", lambda: on_position(self._position.take())
                )
                self._position.input.classes("w-full").mark("position")

    def show(self, position: str) -> None:
        """Shows the switches, and the position in one line."""
        for field, element in self._elements.items():
            element.set_value(getattr(self._switches, field))
        self._position.show(position)

    def _set(self, field: str, event: ValueChangeEventArguments) -> Awaitable[None] | None:
        """Changes a switch, at once, unless the menu only shows it."""
        if getattr(self._switches, field) == event.value:
            return None
        setattr(self._switches, field, event.value)
        return self._on_switch()


class Pace:
    """The speed of a game of two agents, and its pause."""

    def __init__(self, switches: Switches, on_switch: Callable[[], Awaitable[None]]):
        """Builds both, which change the switches; a pause calls then."""
        self._switches, self._on_switch = switches, on_switch
        with ui.row().classes("items-center gap-2") as self._row:
            self._pause = ui.button(on_click=self._toggle).props("dense flat round").mark("paused")
            speed = ui.toggle(_SPEEDS).bind_value(switches, "seconds").mark("speed")
            speed.props("dense no-caps")

    def show(self, has_person: bool) -> None:
        """Shows both, unless a person plays."""
        self._row.set_visibility(not has_person)
        icon, words = ("play_arrow", "go on") if self._switches.paused else ("pause", "pause")
        self._pause.props(f'icon={icon} aria-label="{words}"')

    async def _toggle(self) -> None:
        self._switches.paused = not self._switches.paused
        await self._on_switch()


class TextField:
    """A field that shows a text where nobody has typed since the last one."""

    def __init__(self, label: str, on_enter: Callable[[], Awaitable[None]], placeholder: str = ""):
        """Adds the field, which calls when its text is entered."""
        self.input = ui.input(label, placeholder=placeholder).props("dense outlined")
        self.input.on("keydown.enter", on_enter)
        self._shown: str | None = self.input.value  # or taken

    def show(self, text: str) -> None:
        """Shows a text; what somebody is typing stays."""
        if self.input.value == self._shown:
            self._shown = text
            self.input.set_value(text)

    def take(self) -> str:
        """Returns what is typed in the field, which may show something else from now on."""
        self._shown = self.input.value
        return (self.input.value or "").strip()
