"""What a page says: the words and figures of its main part, a line a block, and the data of its charts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from lxml import html
from lxml.html import HtmlElement

# What every page says alike: the tabs, and what info buttons explain.
LEFT_OUT = ("nav.tabs", "[popover]", "template", "script", "style", "datalist", "input[type=hidden]", ".download")
# Where a page says how it was asked.
SETTINGS = "aside, dl.facts"
BLOCKS = frozenset(
    (
        *("address", "article", "aside", "blockquote", "dd", "details", "div", "dl", "dt", "fieldset", "figcaption"),
        *("figure", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "legend", "li", "main", "nav", "ol"),
        *("option", "p", "pre", "section", "summary", "svg", "table", "text", "tr", "ul"),
    )
)
# Attributes that are read aloud, shown on hovering, or say a number.
SAID = ("title", "aria-label", "alt", "value", "max", "placeholder")
# The digits behind a figure that is printed: of tables they are in its files, too.
DIGITS = re.compile(r"⟨-?[\d.]+(?:e-?\d+)?⟩")
STATES = ("checked", "disabled", "open")
# Of charts: what they draw, and what is written on them.
OF_TRACES = ("type", "name", "x", "y", "z", "text", "customdata", "base", "width", "error_x", "error_y")
ERRORS = ("array", "arrayminus")
OF_AXES = ("title", "ticktext", "range", "tickformat")


def read_page(content: bytes) -> dict[str, Any]:
    """Return what a page says, and how it is asked."""
    tree = html.fromstring(content.decode())
    [main, *_] = [*tree.cssselect("main"), tree]
    charts = {
        script.get("id", "").removeprefix("figure-"): _chart(json.loads(script.text or "null"))
        for script in main.cssselect("script[type='application/json']")
    }
    for element in main.cssselect(", ".join(LEFT_OUT)):
        element.drop_tree()
    settings: list[str] = []
    for element in main.cssselect(SETTINGS):
        settings += _lines(element)
        element.drop_tree()
    said = {"page": list(_lines(main)), "settings": settings, "charts": charts}
    return {name: one for name, one in said.items() if one}


def as_printed(said: Any) -> Any:
    """Return what a page says without the digits behind what is printed."""
    return {name: [DIGITS.sub("", line) for line in one] if name == "page" else one for name, one in said.items()}


def table_keys(content: bytes) -> list[str]:
    """Return the keys of the tables that a page offers as files."""
    found = re.findall(rb"[?&](?:amp;)?table=([\w-]+)", content)
    return list(dict.fromkeys(key.decode() for key in found))


def _chart(figure: Any) -> Any:
    """Return what a figure draws and what is written on it, without how it looks."""
    if not isinstance(figure, dict) or "data" not in figure:
        return figure
    layout = figure.get("layout", {})
    axes = {
        name: {part: axis[part] for part in OF_AXES if part in axis}
        for name, axis in layout.items()
        if name.startswith(("xaxis", "yaxis"))
    }
    notes = [one["text"] for one in layout.get("annotations", ()) if "text" in one]
    return {"traces": list(map(_trace, figure["data"])), "axes": axes, "notes": notes}


def _trace(trace: dict[str, Any]) -> dict[str, Any]:
    kept = {name: trace[name] for name in OF_TRACES if name in trace}
    for name in ("error_x", "error_y"):
        if name in kept:
            kept[name] = {part: kept[name][part] for part in ERRORS if part in kept[name]}
    marks = {name: one for name, one in trace.get("marker", {}).items() if isinstance(one, list)}
    return kept | ({"marker": marks} if marks else {})


def _lines(element: HtmlElement) -> Iterator[str]:
    words: list[str] = []
    for piece in _pieces(element):
        if piece is None:
            if line := _joined(words):
                yield line
            words = []
        else:
            words.append(piece)
    if line := _joined(words):
        yield line


def _joined(words: list[str]) -> str:
    return " ".join("".join(words).split())


def _pieces(element: HtmlElement) -> Iterator[str | None]:
    """Yield the text of an element in pieces; None ends a line."""
    if not isinstance(element.tag, str):
        return
    is_block = element.tag in BLOCKS
    if is_block:
        yield None
    if element.tag == "tr":
        cells = [_joined([piece or " " for piece in _pieces(cell)]) for cell in element]
        yield DIGITS.sub("", " | ".join(cells))
    else:
        yield from _attributes(element)
        yield element.text or ""
        for child in element:
            yield from _pieces(child)
            yield child.tail or ""
    if is_block:
        yield None


def _attributes(element: HtmlElement) -> Iterator[str]:
    if element.get("aria-current") or (element.tag == "option" and element.get("selected") is not None):
        yield "*"
    if element.tag == "option" or "table-scroll" in element.get("class", ""):
        return  # the words say it
    if element.tag == "data":
        yield f"⟨{element.get('value')}⟩"
        return
    is_choice = element.tag == "button" or element.get("type") in ("checkbox", "radio")  # whose label says it
    for name in SAID:
        if (said := element.get(name)) and not (name == "value" and is_choice):
            yield f"⟨{name}: {said}⟩"
    for name in STATES:
        if element.get(name) is not None:
            yield f"⟨{name}⟩"
