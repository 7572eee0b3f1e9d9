"""Layers of WebAnno, INCEpTION and UIMA tools: spans, links of chains, and relations between spans.

Coreference is written as links of chains, as relations from a span to its antecedent, or not at all; `build_marks`
chooses one. Our layers MARKABLE and OTHER_RELATION hold what chains and relations cannot express. They are read back
whatever is chosen. Offsets in all these files count UTF-16 units.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import partial
from keyword import kwlist
from typing import NamedTuple

from annotations.formats.model.document import Answer, Links, Mark, Parts, Place, links_of, text_order
from annotations.formats.model.features import ENTITIES, LAYOUT, Feature
from annotations.formats.model.findings import Findings, FormatError
from annotations.formats.model.format import Format, Option
from annotations.formats.model.links import group_readings, number_targets, related_places, says_identity
from annotations.formats.model.scheme import AnswerValue
from annotations.formats.model.text import MAX_INDEX_LENGTH, MAX_LABEL_LENGTH
from annotations.formats.uima.names import BUILT_IN, MARKABLE, NAMED_ENTITY, OTHER_RELATION, RELATION, is_linguistic

RELATION_TYPE = "coref"
# The feature of relations that groups the targets of a markable that are meant together.
READING = "reading"
# The features of MARKABLE, in the order in which they are written.
FEATURES = ("level", "label", "category", "uncoded", "optional", "unsure", "note", "name")
# Names that no attribute may have: UIMA uses them, or Python, where a library makes attributes of features.
_OF_UIMA = ("begin", "end", "sofa", "id", "xmlns")
_OF_PYTHON = ("type", "self", "value", "get", "set", "get_covered_text", "xmiID", *kwlist)
RESERVED = (*FEATURES, *_OF_UIMA, *_OF_PYTHON)
YES = "true"
BRIDGING = "bridg"
# The feature that links to a knowledge base; it is not a category.
IDENTIFIER = "identifier"
MAX_FINDINGS = 1000

SUPPORTED_FEATURES = (frozenset(Feature) - ENTITIES - LAYOUT) - {
    Feature.CONTROL_CHARACTERS,
    Feature.NO_SENTENCES,
    Feature.LEVELS,
    Feature.DISCONTINUOUS,
    Feature.ANTECEDENTS,
    Feature.HEADS,
}
OPTIONS = (
    Option(
        "layers",
        "what is read as markables",
        (
            ("auto", "links of chains; where there are none related spans, else spans"),
            ("chains", "links of chains"),
            ("relations", "spans between which relations run"),
            ("spans", "spans, without chains and antecedents"),
        ),
    ),
    Option(
        "relations",
        "which relations point to antecedents",
        (
            ("identity", "of layers called coreference or the like, else of all; not what is called “bridg…”"),
            ("names", "those of the type coref; others are relations by their types"),
            ("all", "all"),
        ),
    ),
    Option(
        "categories",
        "what a link or a span alone is called",
        (
            ("types", "is its category"),
            ("links", "is passed over: the category follows from the links"),
            ("attributes", "is an attribute, as the other features are"),
        ),
    ),
)

layer_format = partial(
    Format,
    in_words=True,
    options=OPTIONS,
    names_levels=True,
    names_categories=True,
    names_questions=True,
    # the option that helps if the scheme lacks a category of the files
    ways={"category": "categories=links"},
)


# Annotations are compared by identity: two with equal fields are still two.
@dataclass(slots=True, eq=False)
class Span:
    """A span of a layer. first: the name of its first feature but IDENTIFIER. kind: the value of this feature."""

    layer: str
    start: int
    end: int
    line: int | None = None
    features: dict[str, AnswerValue] = field(default_factory=dict)
    kind: str = ""
    first: str = ""

    def text(self, feature: str) -> str:
        value = self.features.get(feature, "")
        return value if isinstance(value, str) else ""


@dataclass(slots=True, eq=False)
class Link:
    layer: str
    chain: str
    start: int
    end: int
    line: int | None = None
    kind: str = ""
    name: str = ""


@dataclass(slots=True, eq=False)
class Relation:
    layer: str
    kind: str
    source: Span
    target: Span
    line: int | None = None
    reading: str = ""

    @property
    def name(self) -> str:
        """The name of the relation if it does not point to an antecedent."""
        return self.kind or self.layer.rpartition(".")[2]


@dataclass(slots=True)
class Layers(Findings):
    """The layers of a file, and the findings on it."""

    spans: list[Span] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    relations: list[Relation] = field(default_factory=list)
    _: KW_ONLY
    most: int = MAX_FINDINGS
    code: str = "more"

    def report_features(self, values: Mapping[tuple[str, str], int], fix: str = "") -> None:
        for (layer, feature), number in values.items():
            if number:
                message = f"{number} values of the feature {feature[:50]} of {layer[:100]} are left out"
                self.add(message, fix=fix, code="feature-left-out", left_out=True)


def build_marks(
    file_layers: Layers, layers: str = "auto", relations: str = "identity", categories: str = "types"
) -> tuple[list[Mark], Links]:
    """Return the markables and the kind of their links. Layers and relations left out are added to the findings."""
    identity = _identity_layers(relation.layer for relation in file_layers.relations)
    pointers = [relation for relation in file_layers.relations if _is_pointer(relation, relations, identity)]
    pointing = set(pointers)
    others = [link for link in file_layers.relations if link not in pointing and not link.layer.startswith(BUILT_IN)]
    if layers == "auto":
        layers = "chains" if file_layers.links else "relations" if pointers else "spans"
    chosen = _choose_layers(file_layers, layers, pointers or others)
    others = [link for link in others if link.source.layer in chosen and link.target.layer in chosen]
    drafts = _Drafts(file_layers, categories, kinds=layers == "spans")
    for span in file_layers.spans:
        if span.layer in chosen:
            drafts.span(span)
    if layers == "chains":
        for link in file_layers.links:
            drafts.link(link)
    elif layers == "relations":
        for relation in pointers:
            drafts.relation(relation, "")
    for relation in others:
        drafts.relation(relation, relation.name)
    if layers == "relations" and relations == "identity":
        _report_unnamed(file_layers, pointers)
    _report_unread(file_layers, layers, chosen, [*others, *(pointers if layers == "relations" else ())])
    links = {"chains": Links.INDICES, "relations": Links.POINTERS}.get(layers, Links.NONE)
    return sorted((draft.mark() for draft in drafts.places.values()), key=text_order), links


def _identity_layers(layers: Iterable[str]) -> set[str]:
    """Return the layers of relations whose names suggest identity; if none does, all but the layers of bridging."""
    names = {layer: layer.rpartition(".")[2] for layer in layers}
    others = {layer for layer, name in names.items() if not name.lower().startswith(BRIDGING)}
    return {layer for layer in others if says_identity(names[layer])} or others


def _is_pointer(relation: Relation, which: str, identity: Collection[str]) -> bool:
    """Return whether a relation points to an antecedent. which: the option. identity: the layers of identity."""
    if relation.layer == OTHER_RELATION or relation.layer.startswith(BUILT_IN):
        return False
    if which == "names":
        return relation.name.lower() == RELATION_TYPE
    return which == "all" or (relation.layer in identity and not relation.kind.lower().startswith(BRIDGING))


def _report_unnamed(file_layers: Layers, pointers: Iterable[Relation]) -> None:
    """Report relations that are read as antecedents although neither layer nor type suggests identity."""
    names = Counter(link.name for link in pointers if not (says_identity(link.layer) or says_identity(link.kind)))
    for name, number in names.items():
        message = f"{number} relations called {name[:50]!r} are read as pointing to antecedents"
        fix = "relations=names reads all but those of the type coref as other relations"
        file_layers.add(message, fix=fix, code="unnamed-relations")


def _choose_layers(file_layers: Layers, layers: str, related: Sequence[Relation]) -> set[str]:
    if layers == "relations":
        return {MARKABLE, *(span.layer for relation in related for span in (relation.source, relation.target))}
    present = dict.fromkeys(span.layer for span in file_layers.spans)
    if layers != "spans" or MARKABLE in present:
        return {MARKABLE}
    return {MARKABLE, next((layer for layer in present if not layer.startswith(BUILT_IN)), NAMED_ENTITY)}


def _report_unread(file_layers: Layers, layers: str, chosen: set[str], relations: Sequence[Relation]) -> None:
    """Report spans, relations and links that are not read, except linguistic layers of DKPro Core."""
    for layer, number in Counter(span.layer for span in file_layers.spans if span.layer not in chosen).items():
        if not is_linguistic(layer):
            file_layers.add(
                f"the {number} spans of the layer {layer} are left out", code="layer-left-out", left_out=True
            )
    known = set(relations)
    others = Counter((link.layer, link.kind) for link in file_layers.relations if link not in known)
    for (layer, kind), number in others.items():
        if not layer.startswith(BUILT_IN):
            name = f" called {kind[:50]!r}" if kind else ""
            message = f"{number} relations{name} of the layer {layer} are left out"
            file_layers.add(message, code="relations-left-out", left_out=True)
    if file_layers.links and layers != "chains":
        file_layers.add(f"{len(file_layers.links)} links of chains are left out", code="chains-left-out", left_out=True)


@dataclass(slots=True)
class _Draft:
    """A markable that is built from its annotations."""

    place: Place
    line: int | None
    label: str = ""
    answer: Answer | None = None
    indices: dict[str, None] = field(default_factory=dict)
    # The targets by name of the relation, each with its reading or ""; antecedents have an empty name.
    targets: dict[str, dict[tuple[Place, str], None]] = field(default_factory=dict)

    def coded(self) -> Answer:
        self.answer = self.answer or Answer()
        return self.answer

    def mark(self) -> Mark:
        answer = self.answer
        if answer is not None:
            # A target without a reading is a reading of its own.
            readings = {
                name: group_readings((reading or place, place) for place, reading in targets)
                for name, targets in self.targets.items()
            }
            relations = tuple(sorted((name, targets) for name, targets in readings.items() if name))
            answer = replace(answer, indices=tuple(self.indices), relations=relations, **links_of(readings.get("", ())))
        return Mark(self.place.parts, self.place.level, self.label, (), answer, self.line)


@dataclass(slots=True)
class _Drafts:
    """The drafts of markables. categories: the option. kinds: whether `Span.kind` may be the category of a span."""

    file_layers: Layers
    categories: str
    kinds: bool
    places: dict[Place, _Draft] = field(default_factory=dict)
    of_span: dict[Span, _Draft] = field(default_factory=dict)
    of_parts: dict[Parts, _Draft] = field(default_factory=dict)
    indices: dict[tuple[str, str], str] = field(default_factory=dict)
    used_indices: set[str] = field(default_factory=set)

    def span(self, span: Span) -> None:
        if self._is_empty(span):
            return
        own = span.layer == MARKABLE
        values = {feature: span.text(feature) if own else "" for feature in FEATURES}
        level = self._short(values["level"], MAX_LABEL_LENGTH, "a level's name", span.line)
        draft = self._at(Place(level, ((span.start, span.end),)), span.line)
        self.of_span[span] = draft
        if draft.answer or draft.label:
            message = f"two markables stand at {span.start}-{span.end}"
            fix = "they were made one, with what the first says"
            self.file_layers.add(message, span.line, fix, code="duplicate-markable")
        else:
            draft.label = self._short(values["label"], MAX_LABEL_LENGTH, "a markable's label", span.line)
        if draft.answer or values["uncoded"] == YES:
            return
        named = own or (self.kinds and self.categories == "types")
        category = values["category"] if own else span.kind
        passed = FEATURES if own else (span.first,) if self.kinds and self.categories != "attributes" else ()
        attributes = {name: value for name, value in span.features.items() if name not in passed}
        draft.answer = Answer(
            category=category if named and self.categories != "links" else "",
            optional=values["optional"] == YES,
            unsure=values["unsure"] == YES,
            note=values["note"],
            name=values["name"],
            attributes=tuple(sorted((name, value) for name, value in attributes.items() if value not in ("", ()))),
        )
        # A link has no level: it takes the level of the coded markable.
        self.of_parts[draft.place.parts] = draft

    def link(self, link: Link) -> None:
        if self._is_empty(link):
            return
        parts, where = ((link.start, link.end),), f"{link.start}-{link.end}"
        draft = self.of_parts.get(parts) or self._at(Place("", parts), link.line)
        answer = draft.coded()
        if self.categories != "links" and link.kind:
            if answer.category and answer.category != link.kind:
                message = f"what stands at {where} is called {answer.category!r} and {link.kind!r}"
                self.file_layers.add(message, link.line, "the first is kept", code="several-types")
            answer.category = answer.category or link.kind
        answer.name = answer.name or link.name
        index = self._index(link)
        if index in draft.indices:
            message = f"two links of the chain {link.chain} stand at {where}"
            self.file_layers.add(message, link.line, "they are one markable", code="duplicate-markable")
        draft.indices[index] = None

    def relation(self, relation: Relation, name: str) -> None:
        """Add the target of a relation under its name; the name of antecedents is empty."""
        source, target = self.of_span.get(relation.source), self.of_span.get(relation.target)
        if source is None or target is None:
            return  # an end covers no character, which was reported
        if source is target:
            message = "a relation leads from a markable to itself"
            self.file_layers.add(message, relation.line, "it was left out", code="points-to-itself", left_out=True)
            return
        source.coded()
        source.targets.setdefault(name, {})[target.place, relation.reading] = None

    def _at(self, place: Place, line: int | None) -> _Draft:
        draft = self.places.get(place)
        if draft is None:
            draft = self.places[place] = _Draft(place, line)
            self.of_parts.setdefault(place.parts, draft)
        return draft

    def _index(self, link: Link) -> str:
        """Return the number of a chain, prefixed by its layer if another layer has a chain of the same number."""
        key = (link.layer, link.chain)
        if key not in self.indices:
            index = f"{link.layer.rsplit('.', 1)[-1]}-{link.chain}" if link.chain in self.used_indices else link.chain
            self.used_indices.add(index)
            self.indices[key] = self._short(index, MAX_INDEX_LENGTH, "a chain's name", link.line)
        return self.indices[key]

    def _short(self, value: str, longest: int, what: str, line: int | None) -> str:
        if len(value) > longest:
            raise FormatError(f"{what} has more than {longest} characters", self.file_layers.file, line)
        return value

    def _is_empty(self, where: Span | Link) -> bool:
        """Return whether an annotation covers no character, and report it if so."""
        if where.start >= where.end:
            message = f"an annotation of the layer {where.layer} at {where.start} covers no character"
            self.file_layers.add(message, where.line, "it was left out", code="empty-span", left_out=True)
        return where.start >= where.end


def markable_features(mark: Mark) -> dict[str, str]:
    """Return the non-empty features of MARKABLE for a mark, without its attributes."""
    answer = mark.answer or Answer()
    values = {
        "level": mark.level,
        "label": mark.label,
        "category": answer.category,
        "uncoded": "" if mark.answer else YES,
        "optional": YES if answer.optional else "",
        "unsure": YES if answer.unsure else "",
        "note": answer.note,
        "name": answer.name,
    }
    return {feature: value for feature, value in values.items() if value}


def choose_spans(marks: Sequence[Mark], *, chains: bool) -> list[Mark]:
    """Return the marks that need spans: all without chains, else the marks that chains do not fully express."""
    if not chains:
        return list(marks)
    related = related_places(marks)
    return [
        mark
        for mark in marks
        if mark.place in related
        or not (mark.answer and mark.answer.indices)
        or mark.answer.attributes
        or markable_features(mark).keys() - {"category"}
    ]


class Arc(NamedTuple):
    """A relation from a mark as it is written. reading: empty if each target is a reading of its own."""

    layer: str
    kind: str
    target: Place
    reading: str


def find_arcs(mark: Mark) -> Iterator[Arc]:
    """Yield the relations from a mark: to its antecedents, then the others."""
    answer = mark.answer
    if answer is None:
        return
    relations = [(RELATION, RELATION_TYPE, answer.all_readings)]
    relations += [(OTHER_RELATION, name, readings) for name, readings in answer.relations]
    for layer, kind, readings in relations:
        for number, target in number_targets(readings):
            yield Arc(layer, kind, target, str(number) if number else "")
