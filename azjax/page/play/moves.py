"""The moves of a position, the best first, beside a board."""

import math
from collections.abc import Mapping
from typing import Any

from nicegui import ui

from azjax.page.analysis.rules import Rules, move_name
from azjax.page.analysis.summary import SearchSummary, find_losses
from azjax.page.play.words import has_draws, value_word
from azjax.page.values import VALUE_WORDS, describe_chance, describe_loss, loss_colour

_FEW_ROWS = 8
_HEADS = {  # by column: what it is called, and what it means
    "move": ("move", "bold: the move that is played, the best of those that were searched most"),
    "value": ("", ""),
    "loss": ("loss", "in percent, against the move that is played"),
    "visits": ("visits", "simulations that begin with the move"),
    "prior": ("prior", "of the network"),
    "policy": ("policy", "improved by the search: it may prefer a move of few visits"),
    "exact": ("exact", "with best play"),
    "variation": ("variation", "the most visited moves from here"),
}
_HEAD_SLOT = """<q-th :props="props" :title="props.col.title" :class="`of-${props.col.name}`">
  {{ props.col.label }}</q-th>"""
_ROW_SLOT = """<q-tr :props="props" :data-for="props.row.action">
  <q-td v-for="col in props.cols" :key="col.name" :props="props" class="tabular-nums"
    :class="[`of-${col.name}`, {'font-bold': props.row.is_chosen && col.name === 'move'}]"
    ><span v-if="col.name === 'loss'" class="loss-dot" :style="{background: props.row.colour}"
    ></span>{{ col.value }}</q-td>
</q-tr>"""
# Shows on the board the move whose row is pointed at, without a word to the server.
_POINT = """(event) => {
  const row = event.target.closest("[data-for]");
  document.querySelectorAll(".pointed.on").forEach(x => x.classList.remove("on"));
  if (row) document.querySelectorAll(`.pointed[data-for="${row.dataset.for}"]`)
    .forEach(x => x.classList.add("on"));
}"""


class MovePanel:
    """The moves that a search has looked at; the board shows the one that is pointed at."""

    def __init__(self):
        self._table = ui.table(rows=[], columns=[], row_key="action").classes("w-full")
        self._table.props("dense flat hide-bottom separator=none").mark("moves")
        self._table.add_slot("header-cell", _HEAD_SLOT)
        self._table.add_slot("body", _ROW_SLOT)
        self._table.on("mouseover", js_handler=_POINT).on("mouseleave", js_handler=_POINT)
        self._more = ui.button(on_click=self._toggle).props("dense flat no-caps").mark("more")
        self._rows: list[dict[str, Any]] = []
        self._shows_all = False
        self.show(None, None, {})

    def show(
        self, analysis: SearchSummary | None, rules: Rules | None, exact: Mapping[int, int]
    ) -> None:
        """Shows a search; without one, nothing. Arguments as for `move_rows`."""
        self._rows = move_rows(analysis, rules, exact) if analysis and rules else []
        half = "; a draw counts as half a win" if rules and has_draws(rules.game) else ""
        word = value_word(rules.game) if rules else ""
        heads = _HEADS | {"value": (word, f"of the player to move, by the Q-value{half}")}
        columns = [
            {"name": name, "field": name, "align": "left", "label": label, "title": title}
            for name, (label, title) in heads.items()
        ]
        self._table.columns = [one for one in columns if exact or one["name"] != "exact"]
        self._table.set_visibility(bool(self._rows))
        self._show_rows()

    def _show_rows(self) -> None:
        num_more = len(self._rows) - _FEW_ROWS
        self._table.rows = self._rows if self._shows_all else self._rows[:_FEW_ROWS]
        self._more.set_text("fewer moves" if self._shows_all else f"{num_more} more")
        self._more.set_visibility(num_more > 0)

    def _toggle(self) -> None:
        self._shows_all = not self._shows_all
        self._show_rows()


def move_rows(
    analysis: SearchSummary, rules: Rules, exact: Mapping[int, int]
) -> list[dict[str, Any]]:
    """Returns a row for each move, the best first: the one that is played, then by the losses.

    `exact` has by action its value with best play, for the player to move; none if not shown.
    """
    found, rows, losses = analysis.found, [], find_losses(analysis.found)
    tried: list[dict[str, Any]] = [*found.rows()]
    for action, row in zip(found.tried_actions(), tried, strict=True):
        value, prior, loss = row.get("q_value"), row.get("prior"), losses.get(action)
        rows.append(
            {
                "action": action,
                "move": move_name(rules.game, action),
                "value": "" if value is None else describe_chance(value),
                "loss": ""
                if loss is None
                else describe_loss(loss)
                if action != found.action
                else "best",
                "visits": row.get("visits"),
                "prior": "" if prior is None else f"{prior:.1%}",
                "policy": f"{row['policy']:.1%}",
                "exact": VALUE_WORDS[exact[action]] if action in exact else "",
                "variation": " ".join(rules.titles(analysis.lines.get(action, (action,)))),
                "is_chosen": action == found.action,
                "colour": "transparent" if loss is None else loss_colour(loss),
            }
        )
    return sorted(rows, key=lambda row: (not row["is_chosen"], losses.get(row["action"], math.inf)))
