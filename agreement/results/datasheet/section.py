"""One section of a datasheet, how its figures are written, and all sections as a file of Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import chain, groupby

from agreement.results.tables import MARKDOWN, Table, as_markdown, format_value

# What a field says that nobody has filled in.
NOT_GIVEN = "not given"


@dataclass(frozen=True, slots=True)
class Section:
    """A section: text, facts, tables and notes; a file has places for what no program knows."""

    key: str
    title: str
    text: str = ""
    facts: Sequence[tuple[str, str]] = ()
    tables: Sequence[Table] = ()
    notes: Sequence[str] = ()
    to_write: Sequence[str] = ()


def number(value: float | None) -> str:
    """Return a count with its thousands apart."""
    return format_value(value, "count") or "none"


def count_nouns(count: int, noun: str) -> str:
    """Return a count with its thousands apart and its noun: 1 chain, 2,000 chains."""
    return f"{number(count)} {noun}{'' if count == 1 else 's'}"


def day(value: date | None) -> str:
    """Return a day as 2026-11-25."""
    return value.isoformat() if value else ""


def percent(value: float) -> str:
    """Return a share as percent."""
    return format_value(value, "percent")


def list_counts(counts: Mapping[str, int], labels: Mapping[str, str] | None = None) -> str:
    """Return what there is of each, such as "a 3, b 1"."""
    return ", ".join(f"{(labels or {}).get(name, name)} {number(n)}" for name, n in counts.items() if n)


# What begins a heading, a list, a quotation, a rule or a line below a heading.
BLOCK_START = re.compile(r"^(?P<number>\d{1,9})(?=[.)](\s|$))|^(?=[#>+=-])")


def write_markdown(title: str, sections: Sequence[Section]) -> str:
    """Return the datasheet; `title` is that of the project."""
    return "\n\n".join([f"# Datasheet: {escape_line(title)}", *chain(*map(_write_section, sections))]) + "\n"


def _write_section(section: Section) -> Iterator[str]:
    yield f"## {escape_line(section.title)}"
    yield from escape_paragraphs(section.text)
    if section.facts:
        yield "\n".join(f"- **{escape_line(name)}:** {_write_value(value)}" for name, value in section.facts)
    yield from map(escape_line, section.notes)
    for table in section.tables:
        yield f"**{escape_line(table.caption)}**"
        yield as_markdown(table).rstrip("\n")
        if table.note:
            yield escape_line(table.note)
    for text in section.to_write:
        yield f"*To be written: {escape_line(text)}*"


def _write_value(value: str) -> str:
    """Return what stands in an item of a list, its further paragraphs below it."""
    return "\n\n  ".join(paragraph.replace("\n", "\n  ") for paragraph in escape_paragraphs(value))


def escape_paragraphs(text: str) -> list[str]:
    """Return the paragraphs of a text, between which lines are empty; other lines stay lines."""
    groups = groupby(map(escape_line, text.splitlines()), bool)
    return ["\\\n".join(lines) for has_words, lines in groups if has_words]


def escape_line(line: str) -> str:
    """Return a line of which nothing is markup."""
    escaped = " ".join(line.split()).translate(MARKDOWN)
    return BLOCK_START.sub(lambda found: f"{found['number'] or ''}\\", escaped, count=1)
