"""Random documents, and what is compared of them."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise

from hypothesis import strategies as st

from annotations.formats import Answer, Document, Links, Mark, Place, Stretch
from annotations.formats.model.answers import KeysByName, parse_value
from annotations.formats.model.document import Readings, text_order
from annotations.formats.model.links import SPLIT
from annotations.formats.model.scheme import (
    AnswerKind,
    AnswerValue,
    AttributeSpec,
    CategorySpec,
    LevelSpec,
    RelationSpec,
    SchemeSpec,
    ValueSpec,
    identity_relations,
)

GENDERS = (ValueSpec("f", "feminine"), ValueSpec("m", "masculine"))
# A question of each kind; names that some formats have a use for, write in small letters, or cannot write.
ATTRIBUTES = (
    AttributeSpec("gender", "gender", values=GENDERS),
    AttributeSpec("note", "Kinds & more", kind=AnswerKind.SEVERAL, values=(ValueSpec("a", "a"), ValueSpec("b-2", "b"))),
    AttributeSpec("How-many", "how many", kind=AnswerKind.NUMBER),
    AttributeSpec("gloss", "gloss", kind=AnswerKind.TEXT),
)
RELATIONS = (
    RelationSpec("bridging", "bridging", to_levels=("phrase",), joint=True, later=True),
    RelationSpec("Part-of", "part of", to_levels=("phrase",), later=True),
)
KINDS = {attribute.key: attribute.kind for attribute in ATTRIBUTES}
NAMES_IN_FILES = KeysByName([*KINDS, *(relation.key for relation in RELATIONS), SPLIT])


def _scheme(levels: tuple[LevelSpec, ...], categories: tuple[CategorySpec, ...]) -> SchemeSpec:
    return SchemeSpec(levels, categories, (*identity_relations(categories), *RELATIONS), ATTRIBUTES)


POINTING = _scheme(
    (LevelSpec("phrase", "phrase"), LevelSpec("turn", "turn", coded=False)),
    (
        CategorySpec("phrase", "phrase", points_to="phrase"),
        CategorySpec("segment", "segment", points_to="turn"),
        CategorySpec("place", "place"),
        CategorySpec("none", "none"),
    ),
)
INDEXING = _scheme(
    (LevelSpec("mention", "mention"),),
    (CategorySpec("refers", "refers", takes_index=True), CategorySpec("none", "does not refer")),
)
SORTING = _scheme((LevelSpec("phrase", "phrase"),), (CategorySpec("person", "person"), CategorySpec("event", "event")))

WORDS = [
    "Anna", "her", "dog", "it", "a", "the", "AT&T", "<b>", "]]>", "O'Neil", '"so"', "{x|y}", "(3)", "x_y", "-", "*",
    "été", "e\u0301te", "𝒳😀", "שלום", "漢字", "T1", "\\n", "a;b", "#x", "1-2", "%2C", "&#45;", "@",
]  # fmt: skip
SPACES = [" ", " ", " ", " ", "\n", "  ", "\t", "\n\n", "\u00a0", "\r\n"]
NAMES = ["1", "2", "3", "Anna", "the dog", "x|y", "(z)", "a-b", "ü", "=1", "€,;"]
NOTES = ["", "", "", "why?", "tab\there", "line\nbreak", "<i>&amp;</i>", "😀 | ; \\ _"]


@st.composite
def documents(draw: st.DrawFn, names: st.SearchStrategy[str] | None = None) -> Document:
    """Draw a document with everything possible: levels, gaps, crossings, several antecedents or chains, notes."""
    words = draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=12))
    content = draw(st.sampled_from(["", "", "", " ", "\n", "\r\n\t "]))
    edges = list[tuple[int, int]]()
    for word in words:
        edges.append((len(content), len(content) + len(word)))
        content += word + draw(st.sampled_from(SPACES))
    content = content.rstrip() if draw(st.booleans()) else content
    scheme = draw(st.sampled_from([POINTING, INDEXING, SORTING]))
    level = scheme.main_level
    places = [Place(level, parts) for parts in draw(st.lists(_parts(edges), max_size=7, unique=True))]
    turns = [Place("turn", (span,)) for span in draw(_cover(edges))] if scheme is POINTING else []
    places.sort(key=lambda place: (place.parts[0][0], -place.parts[-1][1], place.parts))
    labels = iter(draw(st.lists(st.sampled_from(["a", "b", "1.2", "u_3", "m-4"]), max_size=5, unique=True)))
    marks = [
        Mark(
            place.parts,
            place.level,
            next(labels, "") if draw(st.booleans()) else "",
            (draw(_head(place)) if draw(st.integers(0, 3)) == 0 else ()),
            draw(
                _further(draw(_answers(scheme, place, places, turns)), [target for target in places if target != place])
            )
            if place.level == level
            else None,
        )
        for place in [*turns, *places]
    ]
    kinds = draw(st.sampled_from([(), ("sentence",), ("turn",), ("sentence", "paragraph"), ("header", "paragraph")]))
    segments = [
        Stretch(
            kind,
            start,
            end,
            "" if kind == "sentence" else draw(st.sampled_from(["", "1", "A.2"])),
            "" if kind not in ("turn", "sentence") else draw(st.sampled_from(["", "M", "Ms. Ü"])),
        )
        for kind in kinds
        for start, end in draw(_cover(edges))
    ]
    return Document(
        draw(st.just("walk") if names is None else names),
        "",
        content,
        sorted(marks, key=text_order),
        sorted(segments, key=lambda segment: (segment.start, -segment.end, segment.kind)),
        {POINTING: Links.POINTERS, INDEXING: Links.INDICES, SORTING: Links.NONE}[scheme],
        draw(st.sampled_from(["", "A <walk> & more", "Ein Titel"])),
        draw(st.sampled_from(["", "en", "he"])),
        draw(st.sampled_from(["", "rtl"])),
        scheme=scheme,
        cuts=_places(draw, content),
        breaks=_places(draw, content),
    )


def _places(draw: st.DrawFn, content: str) -> tuple[int, ...]:
    """Draw a few places of the text, in order; mostly none."""
    places = draw(st.sets(st.integers(0, len(content)), max_size=4)) if draw(st.integers(0, 3)) == 0 else ()
    return tuple(sorted(places))


@st.composite
def _parts(draw: st.DrawFn, edges: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Draw one or two runs of words, with a word between them; seldom a run begins within a word."""
    first = draw(st.integers(0, len(edges) - 1))
    last = min(first + draw(st.sampled_from([0, 0, 1, 1, 2, 4])), len(edges) - 1)
    start, end = edges[first][0], edges[last][1]
    if end - start > 1 and draw(st.integers(0, 9)) == 0:
        start += 1
    if last + 2 < len(edges) and draw(st.integers(0, 4)) == 0:
        return (start, end), edges[draw(st.integers(last + 2, len(edges) - 1))]
    return ((start, end),)


@st.composite
def _cover(draw: st.DrawFn, edges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Draw a few stretches that follow each other and cover all words."""
    cuts = sorted(draw(st.sets(st.integers(1, max(1, len(edges) - 1)), max_size=3)) | {0, len(edges)})
    return [(edges[a][0], edges[b - 1][1]) for a, b in pairwise(cuts) if a < b <= len(edges)]


@st.composite
def _head(draw: st.DrawFn, place: Place) -> tuple[tuple[int, int], ...]:
    start, end = draw(st.sampled_from(place.parts))
    return ((start, draw(st.integers(start + 1, end))),)


@st.composite
def _answers(
    draw: st.DrawFn, scheme: SchemeSpec, place: Place, places: list[Place], turns: list[Place]
) -> Answer | None:
    if draw(st.integers(0, 5)) == 0:
        return None
    answer = Answer(
        optional=draw(st.integers(0, 5)) == 0,
        unsure=draw(st.integers(0, 5)) == 0,
        note=draw(st.sampled_from(NOTES)),
        name=draw(st.sampled_from(["", "", "", "Anna & Co"])),
    )
    if scheme is SORTING:
        return replace(answer, category=draw(st.sampled_from(["person", "event"])))
    if scheme is INDEXING:
        indices = tuple(draw(st.lists(st.sampled_from(NAMES), max_size=2, unique=True)))
        return replace(answer, category="refers" if indices else "none", indices=indices)
    category = draw(st.sampled_from(scheme.categories)).key
    targets = {"phrase": [other for other in places if other != place], "segment": turns}.get(category, [])
    pointers = tuple(draw(st.lists(st.sampled_from(targets), max_size=2, unique=True))) if targets else ()
    if category in ("phrase", "segment") and not pointers:
        category = "none"
    return replace(answer, category=category, pointers=pointers)


@st.composite
def _further(draw: st.DrawFn, answer: Answer | None, places: list[Place]) -> Answer | None:
    """Draw what an answer says besides category and links: mostly nothing."""
    if answer is None or draw(st.integers(0, 2)):
        return answer
    attributes: dict[str, AnswerValue] = {
        "How-many": draw(st.sampled_from([0, 3, -2.5, 10**15, 1e-07])),
        "gender": draw(st.sampled_from(["f", "m"])),
        "gloss": draw(st.sampled_from(["so", "tab\there", "a|b; c\\d", "line\nbreak", "<i>&amp;</i>", "😀 _ 3"])),
        "note": draw(st.sampled_from([("a",), ("a", "b-2"), ("b-2",)])),
    }
    kept = draw(st.sets(st.sampled_from(list(attributes))))
    relations = {relation.key: draw(_readings(places, joint=relation.joint)) for relation in RELATIONS}
    named = (
        draw(st.sets(st.sampled_from([key for key in relations if relations[key]]))) if any(relations.values()) else ()
    )
    further = replace(
        answer,
        relations=tuple((key, relations[key]) for key in sorted(named)),
        attributes=tuple((key, attributes[key]) for key in sorted(kept)),
    )
    if len(further.pointers) > 1 and draw(st.booleans()):
        further = further.with_readings(
            draw(st.sampled_from([(further.pointers,), (further.pointers, further.pointers[:1])]))
        )
    return further


@st.composite
def _readings(draw: st.DrawFn, places: list[Place], joint: bool) -> Readings:
    if not places:
        return ()
    some = draw(st.lists(st.sampled_from(places), max_size=2, unique=True))
    if joint and len(some) > 1 and draw(st.booleans()):
        return draw(st.sampled_from([(tuple(some),), (tuple(some), (some[0],))]))
    return tuple((place,) for place in some)


def _plain_answer(answer: Answer) -> Answer:
    """Return the answer with keys for names of files, answers of the kinds of the scheme, and sets in order."""

    def key(name: str) -> str:
        return NAMES_IN_FILES.find(name) or name

    def plain(readings: Readings) -> Readings:
        return tuple(sorted(tuple(sorted(reading)) for reading in readings))

    attributes = ((key(name), value) for name, value in answer.attributes)
    return replace(
        answer,
        pointers=tuple(sorted(answer.pointers)),
        indices=tuple(sorted(answer.indices)),
        readings=plain(answer.readings),
        relations=tuple(sorted((key(name), plain(readings)) for name, readings in answer.relations)),
        attributes=tuple(
            sorted((name, parse_value(value, KINDS.get(name, AnswerKind.TEXT))) for name, value in attributes)
        ),
    )


def plain_of(document: Document) -> Document:
    """Return what tests compare: the document without lines, findings, file, scheme and cuts, and with sorted sets."""
    marks = [
        replace(mark, line=None, answer=_plain_answer(mark.answer) if mark.answer else None) for mark in document.marks
    ]
    linked = any(mark.answer and (mark.answer.pointers or mark.answer.indices) for mark in marks)
    return replace(
        document,
        file="",
        marks=sorted(marks, key=text_order),
        segments=sorted(document.segments, key=lambda segment: (segment.start, -segment.end, segment.kind)),
        links=document.links if linked else Links.NONE,
        findings=(),
        scheme=None,
        cuts=(),
        breaks=(),
    )


def spoiled(data: bytes, chance: random.Random) -> bytes:
    """Return the data with a few random cuts, flips, repeats and insertions."""
    found = bytearray(data)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(found) + 1)
        length = chance.choice([1, 1, 2, 10, 200])
        match chance.randrange(5):
            case 0:
                del found[at:]
            case 1:
                del found[at : at + length]
            case 2:
                found[at:at] = bytes(chance.randrange(256) for _ in range(min(length, 10)))
            case 3:
                found[at:at] = found[at : at + length]
            case 4 if at < len(found):
                found[at] ^= 1 << chance.randrange(8)
    return bytes(found)


# What tests of formats say of a document.


def words(document: Document, mark: Mark | Place) -> str:
    return document.content[mark.parts[0][0] : mark.parts[-1][1]]


def indices(document: Document) -> list[tuple[str, tuple[str, ...]]]:
    return [(words(document, mark), mark.answer.indices if mark.answer else ()) for mark in document.marks]


def pointers(document: Document) -> list[tuple[str, list[str]]]:
    return [
        (words(document, mark), [words(document, target) for target in mark.answer.pointers] if mark.answer else [])
        for mark in document.marks
    ]


def codes(document: Document) -> list[str]:
    return [finding.code for finding in document.findings]


def relations(document: Document) -> list[tuple[str, list[tuple[str, list[list[str]]]]]]:
    """Return the relations besides identity of the marks that have some, with the words of their targets."""
    return [
        (
            words(document, mark),
            [
                (name, [[words(document, target) for target in reading] for reading in readings])
                for name, readings in mark.answer.relations
            ],
        )
        for mark in document.marks
        if mark.answer and mark.answer.relations
    ]
