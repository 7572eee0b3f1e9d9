"""Convert the feature structures that the library loaded to a document."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING

from annotations.formats.model.document import Document, Stretch
from annotations.formats.model.findings import FormatError
from annotations.formats.model.format import stem
from annotations.formats.model.scheme import AnswerValue
from annotations.formats.model.text import MAX_INDEX_LENGTH, MAX_LABEL_LENGTH, MAX_SPEAKER_LENGTH
from annotations.formats.syntax.units import Units, cuts_word
from annotations.formats.uima import names
from annotations.formats.uima.cas.checking import CasIndex, Position, check_text
from annotations.formats.uima.layers import IDENTIFIER, READING, Layers, Link, Relation, Span, build_marks

# A finding needs at least one oddly placed annotation among this many.
ODD_SHARE = 10

if TYPE_CHECKING:
    import cassis
    from cassis.typesystem import FeatureStructure


@dataclass(frozen=True, slots=True)
class _Type:
    """The features of a type that are read, by their names in Python."""

    kind: str
    first_string: str
    values: list[tuple[str, str]]  # features with values: (name in files, name in Python)
    arrays: list[str]
    references: list[str]  # features that refer to other structures

    @classmethod
    def of(cls, structure: FeatureStructure) -> _Type:
        features = [(feature, feature.rangeType.name) for feature in structure.type.all_features]
        strings = [feature.name for feature, values in features if values == names.STRING]
        plain = (names.STRING, names.STRINGS, *names.NUMBERS)
        return cls(
            _structure_kind(structure),
            next((name for name in strings if name != IDENTIFIER), "".join(strings[:1])),
            [
                (feature_name(feature), feature.name)
                for feature, values in features
                if values in plain and feature.name not in ("begin", "end")
            ],
            [feature.name for feature, values in features if values == names.ARRAY],
            [each.name for each, values in features if values not in (*plain, names.ARRAY) and each.name != "sofa"],
        )


@dataclass(slots=True)
class Draft(Layers):
    """A document that is built from feature structures in the order of their numbers."""

    _: KW_ONLY
    checked: CasIndex
    types: dict[str, _Type] = field(default_factory=dict)
    # The number of values that were not read, by layer and feature.
    unread: Counter[tuple[str, str]] = field(default_factory=Counter)
    # The number of the chain and the name of each entity of mentions, by id.
    entities: dict[int, tuple[str, str]] = field(default_factory=dict)
    numbered: dict[int, Span] = field(default_factory=dict)
    # Structures that refer to other structures, by kind.
    later: dict[str, list[FeatureStructure]] = field(default_factory=lambda: defaultdict(list))
    followed: set[int] = field(default_factory=set)
    numbers: int = 0
    slots: list[tuple[Span, FeatureStructure]] = field(default_factory=list)
    segments: dict[tuple[str, int, int], Stretch] = field(default_factory=dict)
    title: str = ""
    language: str = ""
    direction: str = ""

    def document(self, cas: cassis.Cas, options: Mapping[str, str]) -> Document:
        name, content, units = self.checked.sofas[self.checked.text]
        view = next(view for view in cas.views if view.sofa.sofaID == name)
        structures = sorted(view.get_all_fs(), key=lambda structure: structure.xmiID)
        for structure in structures:
            self._take(structure)
        self._finish()
        read = {_structure_number(structure) for structure in structures}
        elsewhere = (position.type_name for number, position in self.checked.positions.items() if number not in read)
        for type_name, number in Counter(filter(cas.typesystem.contains_type, elsewhere)).items():
            if not (names.is_linguistic(type_name) or type_name.startswith("uima.")):
                message = f"{number} of the type {type_name} stand in no view, or in that of another text"
                self.add(message, fix="left out", code="elsewhere", left_out=True)
        self._report_offsets(content, units)
        marks, links = build_marks(self, **options)
        segments = sorted(self.segments.values(), key=lambda segment: (segment.start, -segment.end, segment.kind))
        language = "" if self.language == names.NO_LANGUAGE else self.language
        return Document(
            *(stem(self.file), self.file, content, marks, segments, links),
            title=self.title,
            language=language,
            direction=self.direction,
            findings=list(self.listed()),
        )

    def _report_offsets(self, content: str, units: Units) -> None:
        """Report if the offsets seem to count code points."""
        annotations: list[Span | Link] = [*self.spans, *self.links]
        places = [(span.start, span.end) for span in annotations if span.start < span.end]
        counted = [(units.unit(start), units.unit(end)) for start, end in places]
        if counted == places or max(end for _, end in counted) > len(content):
            return
        odd, otherwise = (sum(cuts_word(content, *place) for place in spans) for spans in (places, counted))
        if odd * ODD_SHARE >= len(places) and odd > 2 * otherwise:
            message = f"{odd} of {len(places)} annotations begin or end inside a word or with a blank"
            fix = f"UTF-16 units are counted, as UIMA does; counted in code points {otherwise} would"
            self.add(message, fix=fix, code="offsets")

    def _take(self, structure: FeatureStructure) -> None:
        name: str = structure.type.name
        if name not in self.types:
            self.types[name] = _Type.of(structure)
        match self.types[name].kind:
            case "chain" | "link" | "relation" as kind:
                self.later[kind].append(structure)
            case "span":
                self._span(structure)
            case "segment":
                self._segment(structure)
            case "document":
                self.title = self.title or self._value(structure, "documentTitle")
                self.language = self.language or self._value(structure, "language")
            case "field" if self._value(structure, "key") == names.DIRECTION:
                value = self._value(structure, "value")
                self.direction = value if value in ("ltr", "rtl") else ""

    def _finish(self) -> None:
        """Follow the references between structures, once all structures are read."""
        for chain in self.later["chain"]:
            self._follow(_referenced(chain, "first"))
        # Links outside all chains make new chains; links that follow no other link come first.
        left = [link for link in self.later["link"] if id(link) not in self.followed]
        following = {id(_referenced(link, "next")) for link in left}
        for link in sorted(left, key=lambda link: id(link) in following):
            if id(link) not in self.followed:
                message = f"no chain begins with the link {_structure_number(link)}, nor leads to it"
                self.add(message, self._line(link), "it was made the first of a chain", code="link-without-chain")
                self._follow(link)
        for relation in self.later["relation"]:
            layer = relation.type.name
            kind, reading = self._value(relation, self.types[layer].first_string), self._value(relation, READING)
            ends = self._end(_referenced(relation, "Governor")), self._end(_referenced(relation, "Dependent"))
            self._relation(relation, layer, kind, ends, reading)
        for host, structure in self.slots:
            for element in self._elements(structure):
                ends = host, self.numbered.get(_structure_number(_referenced(element, "target")))
                self._relation(structure, host.layer, self._value(element, "role"), ends, "")
        self.report_features(self.unread)

    def _value(self, structure: FeatureStructure, feature: str) -> str:
        return check_text(getattr(structure, feature, None), self.file, self._line(structure))

    def _values(self, structure: FeatureStructure) -> Iterator[tuple[str, AnswerValue]]:
        """Yield (name, value) of the features with values: strings (also for booleans), numbers or several strings."""
        for name, python_name in self.types[structure.type.name].values:
            value = getattr(structure, python_name, None)
            elements = getattr(value, "elements", None)
            if isinstance(elements, list):
                words = (check_text(element, self.file, self._line(structure)) for element in elements)
                yield name, tuple(dict.fromkeys(word for word in words if word))
            elif isinstance(value, bool):
                yield name, str(value).lower()
            elif isinstance(value, (int, float)) and math.isfinite(value):
                yield name, value
            else:
                yield name, self._value(structure, python_name)

    def _position(self, structure: FeatureStructure | None) -> Position | None:
        position = self.checked.positions.get(_structure_number(structure))
        return position if position and position.sofa == self.checked.text else None

    def _line(self, structure: FeatureStructure) -> int | None:
        position = self._position(structure)
        return position.line if position else None

    def _span(self, structure: FeatureStructure) -> None:
        position = self._position(structure)
        if position is None:
            return
        layer = structure.type.name
        references = {feature: _referenced(structure, feature) for feature in self.types[layer].references}
        # The entity of a mention has no position of its own.
        entities = (fs for fs in references.values() if fs and "Entity" in fs.type.name.rpartition(".")[2])
        entity = next((fs for fs in entities if getattr(fs, "begin", None) is None), None)
        for feature, referenced in references.items():
            self.unread[layer, feature] += referenced is not None and referenced is not entity
        if entity is not None:
            self._mention(structure, position, entity)
            return
        span = Span(layer, position.begin, position.end, position.line)
        span.features = dict(self._values(structure))
        span.kind = self._value(structure, self.types[layer].first_string)
        span.first = self.types[layer].first_string.removesuffix("_")
        self.numbered[_structure_number(structure)] = span
        self.spans.append(span)
        if self.types[layer].arrays:
            self.slots.append((span, structure))

    def _mention(self, structure: FeatureStructure, position: Position, entity: FeatureStructure) -> None:
        """Add a link to the chain of mentions of the same entity, as CorefAnnotator writes them."""
        layer = structure.type.name
        if id(entity) not in self.entities:
            self.numbers += 1
            name = self._value(entity, "Label")
            is_short = len(name) <= MAX_INDEX_LENGTH
            self.entities[id(entity)] = str(self.numbers), name if is_short else ""
            self.unread[entity.type.name, "Label"] += not is_short
            members = getattr(getattr(entity, "Members", None), "elements", None)
            self.unread[entity.type.name, "Members"] += len(members) if isinstance(members, list) else 0
        number, name = self.entities[id(entity)]
        self.links.append(Link(layer, number, position.begin, position.end, position.line, name=name))
        self.unread.update((layer, feature) for feature, value in self._values(structure) if value not in ("", ()))

    def _segment(self, structure: FeatureStructure) -> None:
        position = self._position(structure)
        if position is None or position.begin == position.end:
            return
        kind, label, speaker = "sentence", "", ""
        if structure.type.name == names.SEGMENT:
            kind, label, speaker = (self._value(structure, name) for name in ("kind", "label", "speaker"))
        if len(kind) > MAX_LABEL_LENGTH or len(label) > MAX_LABEL_LENGTH or len(speaker) > MAX_SPEAKER_LENGTH:
            raise FormatError("the kind, label or speaker of a segment is too long", self.file, position.line)
        key = (kind, position.begin, position.end)
        if key not in self.segments or label or speaker:
            self.segments[key] = Stretch(kind, position.begin, position.end, label, speaker)

    def _follow(self, link: FeatureStructure | None) -> None:
        """Give a chain a number and add its links. A link belongs to one chain only, so no list is followed twice."""
        self.numbers += link is not None
        while link is not None:
            position, number = self._position(link), _structure_number(link)
            if id(link) in self.followed:
                message = f"a chain leads to the link {number}, which it or another chain has already"
                self.add(message, self._line(link), "the chain was ended before it", code="chain-joins")
                return
            self.followed.add(id(link))
            if position is None:
                self.add(f"the link {number} of a chain is in no text", code="link-nowhere", left_out=True)
            else:
                place = (position.begin, position.end, position.line)
                self.links.append(Link(link.type.name, str(self.numbers), *place, self._value(link, "referenceType")))
            link = _referenced(link, "next")

    def _relation(
        self, structure: FeatureStructure, layer: str, kind: str, ends: tuple[Span | None, Span | None], reading: str
    ) -> None:
        line, (source, target) = self._line(structure), ends
        if source is not None and target is not None:
            self.relations.append(Relation(layer, kind, source, target, line, reading))
        elif not layer.startswith(names.BUILT_IN):
            message = f"an end of the relation {_structure_number(structure)} of the layer {layer} is no span"
            self.add(message, line, "the relation was left out", code="unknown-reference", left_out=True)

    def _end(self, structure: FeatureStructure | None) -> Span | None:
        """Return the span at an end of a relation, which may be a token."""
        number, position = _structure_number(structure), self._position(structure)
        if position and number not in self.numbered and names.is_linguistic(position.type_name):
            self.numbered[number] = Span(position.type_name, position.begin, position.end, position.line)
            self.spans.append(self.numbered[number])
        return self.numbered.get(number)

    def _elements(self, structure: FeatureStructure) -> Iterator[FeatureStructure]:
        """Yield the links in the slots of a span. Arrays are followed once, so that spans cannot share a long array."""
        for feature in self.types[structure.type.name].arrays:
            array = getattr(structure, feature, None)
            elements = getattr(array, "elements", None)
            if isinstance(elements, list) and id(array) not in self.followed:
                self.followed.add(id(array))
                for element in elements:
                    if _referenced(element, "target") is not None:
                        yield element
                    else:
                        self.unread[structure.type.name, feature] += element is not None


def feature_name(feature: cassis.typesystem.Feature) -> str:
    """Return the name of a feature in files: the library appends `_` to names that Python reserves."""
    name: str = feature.name
    return name.removesuffix("_") if feature._has_reserved_name else name


def _structure_kind(structure: FeatureStructure) -> str:
    """Return the kind as which a structure is read; empty if it is skipped."""
    name: str = structure.type.name
    features = {feature.name for feature in structure.type.all_features}
    if name in (names.SENTENCE, names.SEGMENT):
        return "segment"
    if name in (names.DOCUMENT, names.META_DATA):
        return "document"
    if name == names.META_FIELD:
        return "field"
    if name.endswith("Chain") and "first" in features:
        return "chain"
    if name.endswith("Link") and {"next", "begin"} <= features:
        return "link"
    if name.startswith("uima.") or "begin" not in features or names.is_linguistic(name):
        return ""
    return "relation" if {"Governor", "Dependent"} <= features else "span"


def _referenced(structure: FeatureStructure, feature: str) -> FeatureStructure | None:
    from cassis.typesystem import FeatureStructure

    value = getattr(structure, feature, None)
    return value if isinstance(value, FeatureStructure) else None


def _structure_number(structure: FeatureStructure | None) -> int:
    number = structure.xmiID if structure is not None else None
    return number if isinstance(number, int) else -1
