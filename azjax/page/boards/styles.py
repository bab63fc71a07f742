"""The CSS of boards: one for all games."""

from azjax.page.values import FIRST, LOSES, SECOND, WINS

_GROUND, _LINE, _INK, _FAINT, _HEAT = "#f1f5f9", "#b4c0d0", "#334155", "#94a3b8", "#4d9078"
_COIN, _COIN_EDGE = "#f3e9c6", "#b8a11e"
_MIDDLE = "text-anchor:middle;pointer-events:none;"

_RULES = {
    ":not(:root)": "display:block;width:100%;height:auto",  # not where it is a whole document
    "": "user-select:none;touch-action:manipulation;font-family:system-ui,sans-serif",
    " .coordinate": f"{_MIDDLE}fill:{_FAINT}",
    " .ground": f"fill:{_GROUND};stroke:{_LINE};stroke-width:3",
    " .line": f"fill:none;stroke:{_LINE};stroke-width:3;stroke-linecap:square",
    " .star": f"fill:{_FAINT}",
    " .frame": "fill:#c3cedc",
    " .hole": "fill:#fff",
    " .cell": f"fill:{_GROUND};stroke:{_LINE};stroke-width:3;stroke-linejoin:round",
    " .edge": "fill:none;stroke-width:30;stroke-linejoin:round",
    " .edge.first": f"stroke:{FIRST}",
    " .edge.second": f"stroke:{SECOND}",
    " .disc.first": f"fill:{FIRST}",
    " .disc.second": f"fill:{SECOND}",
    " .sign": "fill:none;stroke-width:14;stroke-linecap:round",
    " .sign.first": f"stroke:{FIRST}",
    " .sign.second": f"stroke:{SECOND}",
    " .cube": f"fill:{_GROUND};stroke:{_LINE};stroke-width:3",
    " .cube.open": f"fill:#fff;stroke:{_FAINT};stroke-width:5",
    " .cube.taken": f"fill:#e2e8f0;stroke:{_INK};stroke-width:8",
    " .coin": f"fill:{_COIN};stroke:{_COIN_EDGE};stroke-width:5",
    " .gone": f"fill:none;stroke:{_LINE};stroke-width:3;stroke-dasharray:9 9",
    " .gone.first": f"stroke:{FIRST};stroke-width:5",
    " .gone.second": f"stroke:{SECOND};stroke-width:5",
    " .last.dot": "fill:#fff",
    " .won.ring": f"fill:none;stroke:{_INK};stroke-width:8",
    " .tint.first": f"fill:{FIRST};fill-opacity:.16",
    " .tint.second": f"fill:{SECOND};fill-opacity:.2",
    " .last .arrow": f"fill:{_FAINT};fill-opacity:.6",
    " .hint": f"fill:{_FAINT};fill-opacity:.7",
    " .closed": f"fill:none;stroke:{_FAINT};stroke-width:5",
    " .heat": f"pointer-events:none;fill:{_HEAT}",
    " .share": f"{_MIDDLE}fill:#0f172a;stroke:{_GROUND};stroke-width:4;paint-order:stroke",
    " .badge rect": "fill:#64748b",
    " .badge.win rect": f"fill:{WINS}",
    " .badge.loss rect": f"fill:{LOSES}",
    " .badge": "pointer-events:none",
    " .badge text": f"{_MIDDLE}font-size:19px;font-weight:600;fill:#fff",
    " .target": "fill:#fff;fill-opacity:0;pointer-events:all",
    " .illegal": "cursor:not-allowed",
    " .move": "cursor:pointer;outline:none",
    " .first .move.target:hover": f"fill:{FIRST};fill-opacity:.25",
    " .second .move.target:hover": f"fill:{SECOND};fill-opacity:.25",
    " .move.target:focus-visible": f"stroke:{_INK};stroke-width:6",
    " .move:focus-visible .target": f"stroke:{_INK};stroke-width:6",
    " .move:hover .target": f"fill:{_FAINT};fill-opacity:.15",
    " .ghost": "opacity:0;pointer-events:none",
    " .move:is(:hover,:focus-visible) .ghost": "opacity:.45",
    " .first .move .arrow": f"fill:{FIRST}",
    " .second .move .arrow": f"fill:{SECOND}",
    " .coins .move:is(:hover,:focus-visible)": f"fill:{_COIN_EDGE}",
    " .coins .move:is(:hover,:focus-visible)~.move": f"fill:{_COIN_EDGE}",
    " .coins .move:focus-visible": f"stroke:{_INK}",
    " .pointed": f"display:none;fill:none;stroke:{_INK};stroke-width:8;pointer-events:none;"
    "stroke-dasharray:14 10",  # else a ring looks like a stone
    " .pointed .arrow": f"fill:{_INK};stroke:none",
    " .pointed.on": "display:inline",
    " .render": f"font:28px ui-monospace,monospace;fill:{_INK};white-space:pre",
}
STYLES = "\n".join(f".game-board{selector}{{{rule}}}" for selector, rule in _RULES.items())


def as_document(svg: str) -> str:
    """Returns what `render_board` returns as an SVG file, with its styles in it."""
    root, rest = svg.split(">", 1)  # no attribute has an unescaped `>`
    style = f"<style>\n{STYLES}\n</style>"
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{root}>{style}{rest}\n'
