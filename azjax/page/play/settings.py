"""The settings of a game: who plays, how they search, and what is shown."""

import dataclasses
from collections.abc import Awaitable, Callable

from nicegui import ui
from nicegui.elements.mixins.value_element import ValueElement
from nicegui.events import ValueChangeEventArguments

from azjax.page.analysis.players import takes_simulations
from azjax.page.frame import row_button
from azjax.page.play.game import HEATS, Switches
from azjax.page.play.link import PERSON, PlayLink, read_simulations
from azjax.support.errors import InputError

_OWN_SEARCH = "the agent's own"


class SettingsPanel:
    """The choices, and the buttons."""

    def __init__(
        self,
        switches: Switches,
        on_link: Callable[[PlayLink], Awaitable[None]],
        on_switch: Callable[[], Awaitable[None]],
        commands: dict[str, Callable[[], Awaitable[None]]],
    ):
        """Builds the panel, which changes the switches.

        It calls with the game of other choices, after a change of a switch, and by its buttons.
        """
        self._link, self._on_link = PlayLink(), on_link
        self._switches, self._on_switch = switches, on_switch
        self._texts: dict[ui.input, str | None] = {}  # of the fields, as last shown or taken
        with ui.row().classes("items-end gap-3 w-full"):
            self._game, self._first, self._second = map(self._select, ("game", "X", "O"))
            self._simulations = ui.input("simulations", placeholder="its own")
            self._simulations.props("dense").classes("w-24")
            self._simulations.on("keydown.enter", self._change).on("blur", self._change)
            self._search = self._select("search")
        with ui.row().classes("items-center gap-2 w-full"):
            for name, command in commands.items():
                row_button(name, command)
            heat = ui.select(list(HEATS), label="heat map", value=switches.heat)
            elements = {
                "heat": heat.props("dense").classes("w-28"),
                "analysis": ui.switch("analysis", value=switches.analysis),
                "exact": ui.switch("exact values", value=switches.exact),
                "paused": ui.switch("pause", value=switches.paused),
            }
            self._elements: dict[str, ValueElement] = {
                field: element.on_value_change(lambda event, field=field: self._set(field, event))
                for field, element in elements.items()
            }
        with ui.row().classes("w-full"):
            self._position = ui.input("position in one line").props("dense").classes("grow")
            self._position.mark("position").on("keydown.enter", self._change_position)

    def _select(self, label: str) -> ui.select:
        select = ui.select([], label=label, with_input=True, new_value_mode="add-unique")
        select.props("dense options-dense").classes("w-[45%] sm:w-44").mark(label)
        return select.on_value_change(lambda: self._change())

    def _set(self, field: str, event: ValueChangeEventArguments) -> Awaitable[None] | None:
        """Changes a switch, at once, unless the panel only shows it."""
        if getattr(self._switches, field) == event.value:
            return None
        setattr(self._switches, field, event.value)
        return self._on_switch()

    def offer(self, games: list[str], players: list[str], searches: list[str]) -> None:
        """Lists what can be chosen in the game that is shown."""
        link, search = self._link, self._link.algorithm or _OWN_SEARCH
        for select, options, chosen in (
            (self._game, games, link.game),
            (self._first, [PERSON, *players], link.first),
            (self._second, [PERSON, *players], link.second),
            (self._search, [_OWN_SEARCH, *searches], search),
        ):
            is_listed = not chosen or chosen in options
            select.set_options(options if is_listed else [chosen, *options], value=chosen)

    def show(self, link: PlayLink, position: str) -> None:
        """Shows the settings of a game, the switches, and the position in one line.

        What somebody is typing stays. The simulations cannot be changed where no player takes them.
        """
        self._link = link
        self._game.set_value(link.game)
        self._first.set_value(link.first)
        self._second.set_value(link.second)
        self._search.set_value(link.algorithm or _OWN_SEARCH)
        for field, element in self._elements.items():
            element.set_value(getattr(self._switches, field))
        agents = [name for name in link.seats if name != PERSON]
        self._simulations.set_enabled(any(map(takes_simulations, agents)))
        self._show_text(self._simulations, str(link.simulations or ""))
        self._show_text(self._position, position)

    def _show_text(self, field: ui.input, text: str) -> None:
        """Shows a text in a field where nobody has typed since the last one."""
        if field.value == self._texts.setdefault(field, field.value):
            self._texts[field] = text
            field.set_value(text)

    def _take_text(self, field: ui.input) -> str:
        """Returns what is typed in a field, which may show something else from now on."""
        self._texts[field] = field.value
        return (field.value or "").strip()

    async def _change(self) -> None:
        """Starts another game where the game is another one, else goes on with other players."""
        try:
            simulations = read_simulations(self._take_text(self._simulations))
        except InputError as error:
            ui.notify(str(error), type="warning")
            self._show_text(self._simulations, str(self._link.simulations or ""))
            return
        game, search = self._game.value or self._link.game, self._search.value
        link = dataclasses.replace(
            self._link,
            game=game,
            first=self._first.value or PERSON,
            second=self._second.value or PERSON,
            simulations=simulations,
            algorithm="" if search in (None, _OWN_SEARCH) else search,
        )
        if link == self._link:
            return
        if game != self._link.game:  # its agents play no other game
            link = PlayLink(game=game, second="", simulations=simulations)
        await self._on_link(link)

    async def _change_position(self) -> None:
        position = self._take_text(self._position)
        await self._on_link(dataclasses.replace(self._link, position=position, moves=()))
