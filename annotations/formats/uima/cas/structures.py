"""Feature structures that the library loaded -> document."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import cassis
from cassis.typesystem import FeatureStructure

from annotations.formats.cas.checking import Checked, Standing, clean
from annotations.formats.cas.names import (
    ARRAY,
    DIRECTION,
    DOCUMENT,
    META_DATA,
    META_FIELD,
    NO_LANGUAGE,
    SEGMENT,
    SENTENCE,
    STRING,
)
from annotations.formats.document import LONGEST_LABEL, LONGEST_SPEAKER, Document, FormatError, Stretch
from annotations.formats.format import stem
from annotations.formats.layers import (
    BUILT_IN,
    FEATURES,
    MARKABLE,
    NAMED_ENTITY,
    Layers,
    Link,
    Relation,
    Span,
    marks_of,
)


def document_of(cas: cassis.Cas, checked: Checked, text: int, found: Layers, options: tuple[str, str, str]) -> Document:
    name, content, _ = checked.sofas[text]
    view = next(view for view in cas.views if view.sofa.sofaID == name)
    draft = _Draft(checked, text, found)
    for structure in sorted(view.get_all_fs(), key=lambda each: each.xmiID):
        draft.add(structure)
    draft.finish()
    marks, links = marks_of(found, *options)
    return Document(
        stem(checked.file),
        checked.file,
        content,
        marks,
        sorted(draft.segments.values(), key=lambda each: (each.start, -each.end, each.kind)),
        links,
        draft.title,
        "" if draft.language == NO_LANGUAGE else draft.language,
        draft.direction,
        found.findings,
    )


@dataclass(slots=True)
class _Draft:
    """A document while its feature structures come in, in the order of their numbers."""

    checked: Checked
    text: int
    found: Layers
    kinds: dict[str, str] = field(default_factory=dict)
    first_strings: dict[str, str] = field(default_factory=dict)
    arrays: dict[str, list[str]] = field(default_factory=dict)
    spans: dict[int, Span] = field(default_factory=dict)
    chains: list[FeatureStructure] = field(default_factory=list)
    links: list[FeatureStructure] = field(default_factory=list)
    linked: set[int] = field(default_factory=set)
    numbers: int = 0
    relations: list[FeatureStructure] = field(default_factory=list)
    slots: list[tuple[Span, FeatureStructure]] = field(default_factory=list)
    segments: dict[tuple[str, int, int], Stretch] = field(default_factory=dict)
    title: str = ""
    language: str = ""
    direction: str = ""

    def add(self, structure: FeatureStructure) -> None:
        name: str = structure.type.name
        if name not in self.kinds:
            self.kinds[name] = _kind(structure)
            features = structure.type.all_features
            self.first_strings[name] = next((each.name for each in features if each.rangeType.name == STRING), "")
            self.arrays[name] = [each.name for each in features if each.rangeType.name == ARRAY]
        match self.kinds[name]:
            case "chain":
                self.chains.append(structure)
            case "link":
                self.links.append(structure)
            case "relation":
                self.relations.append(structure)
            case "span":
                self._span(structure)
            case "segment":
                self._segment(structure)
            case "document":
                self.title = self.title or self._value(structure, "documentTitle")
                self.language = self.language or self._value(structure, "language")
            case "field" if self._value(structure, "key") == DIRECTION:
                value = self._value(structure, "value")
                self.direction = value if value in ("ltr", "rtl") else ""

    def finish(self) -> None:
        """Follow what leads from one structure to another, now that all are there."""
        for chain in self.chains:
            self._follow(_led_to(chain, "first"))
        self._follow_unchained()
        for relation in self.relations:
            kind = self._value(relation, self.first_strings[relation.type.name])
            source = self.spans.get(_number(_led_to(relation, "Governor")))
            target = self.spans.get(_number(_led_to(relation, "Dependent")))
            self._relation(relation, relation.type.name, kind, source, target)
        for host, structure in self.slots:
            for element in self._elements(structure):
                target = self.spans.get(_number(_led_to(element, "target")))
                self._relation(structure, host.layer, self._value(element, "role"), host, target)

    def _value(self, structure: FeatureStructure, feature: str) -> str:
        standing = self.checked.standing.get(_number(structure))
        return clean(getattr(structure, feature, None), self.checked.file, standing.line if standing else None)

    def _standing(self, structure: FeatureStructure) -> Standing | None:
        standing = self.checked.standing.get(_number(structure))
        return standing if standing and standing.sofa == self.text else None

    def _span(self, structure: FeatureStructure) -> None:
        standing = self._standing(structure)
        if standing is None:
            return
        layer = structure.type.name
        span = Span(layer, standing.begin, standing.end, standing.line)
        if layer == MARKABLE:
            span.features = {feature: self._value(structure, feature) for feature in FEATURES}
        else:
            span.kind = self._value(structure, self.first_strings[layer])
        self.spans[_number(structure)] = span
        self.found.spans.append(span)
        if self.arrays[layer]:
            self.slots.append((span, structure))

    def _segment(self, structure: FeatureStructure) -> None:
        standing = self._standing(structure)
        if standing is None or standing.begin == standing.end:
            return
        kind, label, speaker = "sentence", "", ""
        if structure.type.name == SEGMENT:
            kind, label, speaker = (self._value(structure, each) for each in ("kind", "label", "speaker"))
        if len(kind) > LONGEST_LABEL or len(label) > LONGEST_LABEL or len(speaker) > LONGEST_SPEAKER:
            raise FormatError("the kind, label or speaker of a segment is too long", self.checked.file, standing.line)
        key = (kind, standing.begin, standing.end)
        if key not in self.segments or label or speaker:
            self.segments[key] = Stretch(kind, standing.begin, standing.end, label, speaker)

    def _follow(self, link: FeatureStructure | None) -> None:
        """Number a chain and add its links. A link is of one chain only, so no list is followed twice."""
        self.numbers += link is not None
        while link is not None:
            standing = self._standing(link)
            line = standing.line if standing else None
            if id(link) in self.linked:
                message = f"a chain leads to the link {_number(link)}, which it or another chain has already"
                self.found.find("chain-joins", message, line, "the chain was ended before it")
                return
            self.linked.add(id(link))
            if standing is None:
                self.found.find("link-nowhere", f"the link {_number(link)} of a chain stands in no text")
            else:
                kind = self._value(link, "referenceType")
                place = (standing.begin, standing.end, line, kind)
                self.found.links.append(Link(link.type.name, str(self.numbers), *place))
            link = _led_to(link, "next")

    def _follow_unchained(self) -> None:
        """Links that no chain begins with are chains of their own; those that are the next of none come first."""
        left = [link for link in self.links if id(link) not in self.linked]
        later = {id(_led_to(link, "next")) for link in left}
        for link in sorted(left, key=lambda each: id(each) in later):
            if id(link) not in self.linked:
                standing = self._standing(link)
                line = standing.line if standing else None
                message = f"no chain begins with the link {_number(link)}, nor leads to it"
                self.found.find("link-without-chain", message, line, "it was made the first of a chain")
                self._follow(link)

    def _relation(
        self, structure: FeatureStructure, layer: str, kind: str, source: Span | None, target: Span | None
    ) -> None:
        standing = self._standing(structure)
        line = standing.line if standing else None
        if source is not None and target is not None:
            self.found.relations.append(Relation(layer, kind, source, target, line))
        elif not layer.startswith(BUILT_IN):
            message = f"an end of the relation {_number(structure)} of the layer {layer} is no span"
            self.found.find("unknown-reference", message, line, "the relation was left out")

    def _elements(self, structure: FeatureStructure) -> Iterator[FeatureStructure]:
        """The links of a span's slots. Arrays are followed once, so that spans cannot share a long one."""
        for feature in self.arrays[structure.type.name]:
            array = getattr(structure, feature, None)
            elements = getattr(array, "elements", None)
            if isinstance(elements, list) and id(array) not in self.linked:
                self.linked.add(id(array))
                yield from (element for element in elements if _led_to(element, "target") is not None)


def _kind(structure: FeatureStructure) -> str:
    """What a type is read as; empty for what is passed over."""
    name: str = structure.type.name
    features = {feature.name for feature in structure.type.all_features}
    if name in (SENTENCE, SEGMENT):
        return "segment"
    if name in (DOCUMENT, META_DATA):
        return "document"
    if name == META_FIELD:
        return "field"
    if name.endswith("Chain") and "first" in features:
        return "chain"
    if name.endswith("Link") and {"next", "begin"} <= features:
        return "link"
    if name.startswith("uima.") or "begin" not in features:
        return ""
    if name.startswith(BUILT_IN) and name != NAMED_ENTITY:
        return ""  # linguistic layers
    return "relation" if {"Governor", "Dependent"} <= features else "span"


def _led_to(structure: FeatureStructure, feature: str) -> FeatureStructure | None:
    found = getattr(structure, feature, None)
    return found if isinstance(found, FeatureStructure) else None


def _number(structure: FeatureStructure | None) -> int:
    number = structure.xmiID if structure is not None else None
    return number if isinstance(number, int) else -1
