"""Texts of the demo that are written with their gold: `[the cat](f=cat)` is the phrase f, which stands for the cat."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from annotations.formats.model.document import Document, Links


def without_answers(document: Document) -> Document:
    """Return the text with its phrases alone."""
    return replace(document, marks=[mark.with_answer(None) for mark in document.marks], links=Links.NONE)


def gold_answers(document: Document) -> Iterator[tuple[str, str]]:
    """Yield each label with its answer in the notation of the demo: each mention points at the one before."""
    last: dict[tuple[str, ...], str] = {}
    for mark in document.marks:
        entity = mark.answer.indices if mark.answer else ()
        yield mark.label, "none" if not entity else f"old {last[entity]}" if entity in last else "new"
        last[entity] = mark.label
