"""UIMA CAS as XMI, with its type system in a second file, and as JSON: what INCEpTION, WebAnno and DKPro Core write.

Read are chains (a type …Chain whose `first` is a …Link, each with its `next`), relations (`Governor` to `Dependent`)
and slots (arrays of links with `role` and `target`); what is made of them is said in `layers`. The text is that of the
view _InitialView, or else of the only view that has one. Sentences, title and language are DKPro Core's.

Written are tokens and sentences, chains as CoreferenceChain and CoreferenceLink, and the layers MARKABLE and RELATION
where there is more to say; other stretches of the text than sentences, and speakers, are SEGMENT. An export has one
TypeSystem.xml, from which INCEpTION can make these layers.

The library dkpro-cassis trusts its input. Before it sees a file it is checked here: that it is well-formed and holds no
entities, that names of features are names (cassis makes them into code), that types inherit from types, not too many,
and that annotations lie in their text. Offsets are converted here too: cassis leaves those of annotations that are not
in an index as they are.
"""

import json
import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from io import BytesIO
from itertools import pairwise
from pathlib import PurePosixPath

import cassis
from cassis.typesystem import FeatureStructure
from lxml import etree

from annotations.formats.document import (
    LONGEST_LABEL,
    LONGEST_SPEAKER,
    Document,
    FormatError,
    Mark,
    Stretch,
    decode,
    in_text_order,
)
from annotations.formats.format import Bundle, File, Format, one_each, stem
from annotations.formats.layers import (
    BUILT_IN,
    FEATURES,
    LINK,
    MARKABLE,
    NAMED_ENTITY,
    OPTIONS,
    RELATION,
    RELATION_TYPE,
    Layers,
    Link,
    Relation,
    Span,
    Units,
    chains_of,
    features_of,
    marks_of,
    needs_span,
)
from annotations.formats.losses import NOT_IN_XML, Feature
from annotations.formats.tokens import tokens_of
from annotations.formats.xml import parse

CHAIN = "de.tudarmstadt.ukp.dkpro.core.api.coref.type.CoreferenceChain"
TOKEN = "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type.Token"  # noqa: S105
SENTENCE = "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type.Sentence"
META_DATA = "de.tudarmstadt.ukp.dkpro.core.api.metadata.type.DocumentMetaData"
META_FIELD = "de.tudarmstadt.ukp.dkpro.core.api.metadata.type.MetaDataStringField"
SEGMENT = "webanno.custom.Segment"
ANNOTATION = "uima.tcas.Annotation"
DOCUMENT = "uima.tcas.DocumentAnnotation"
STRING = "uima.cas.String"
ARRAY = "uima.cas.FSArray"
INITIAL = "_InitialView"
NO_LANGUAGE = "x-unspecified"
DIRECTION = "direction"
TYPE_SYSTEM = "TypeSystem.xml"

XMI = "{http://www.omg.org/XMI}"
CAS = "{http:///uima/cas.ecore}"
TAG = re.compile(r"\{http:///(?P<package>[^{}]*)\.ecore\}(?P<name>.+)$")
NUMBER = re.compile(r"[0-9]{1,9}")
TYPE_NAME = re.compile(r"[A-Za-z]\w*(?:\.[A-Za-z_]\w*)*")
NOT_TYPES = ("uima.cas.View", "uima.cas.NULL")
MOST_TYPES = 2000
# The library's time for a type grows with the square of its features.
MOST_FEATURES_SQUARED = 100_000
MOST_TEXTS = 100


@dataclass(frozen=True, slots=True)
class _Standing:
    """Where a feature structure stands, in code points of the text of its view."""

    sofa: int
    begin: int
    end: int
    line: int | None


@dataclass(slots=True)
class _Checked:
    """What was learned of a file before the library sees it. sofas: name, text and its units; standing: by number."""

    file: str
    sofas: dict[int, tuple[str, str, Units]] = field(default_factory=dict)
    standing: dict[int, _Standing] = field(default_factory=dict)
    numbers: set[int] = field(default_factory=set)

    def number(self, value: object, line: int | None) -> int:
        """The number of a feature structure, which no other may have."""
        number = _whole(value)
        if number is None:
            raise FormatError("something has no number, or a number of more than nine digits", self.file, line)
        if number in self.numbers:
            raise FormatError(f"the number {number} is given twice", self.file, line)
        self.numbers.add(number)
        return number

    def sofa(self, number: int, name: object, text: object, line: int | None) -> None:
        if not isinstance(name, str) or any(name == other for other, _, _ in self.sofas.values()):
            raise FormatError("a text has no name, or that of another", self.file, line)
        if len(self.sofas) == MOST_TEXTS:
            raise FormatError(f"there are more than {MOST_TEXTS} texts in this file", self.file, line)
        clean = _clean(text, self.file, line)
        self.sofas[number] = (name, clean, Units(clean))

    def place(self, number: int, sofa: object, begin: object, end: object, line: int | None) -> None:
        """Where the annotation of that number stands."""
        text, first, last = _whole(sofa), _whole(begin), _whole(end)
        if text not in self.sofas:
            raise FormatError(f"the annotation {number} stands in a text that is not in this file", self.file, line)
        units = self.sofas[text][2]
        start, stop = (None if unit is None else units.point(unit) for unit in (first, last))
        if start is None or stop is None or start > stop:
            message = f"the annotation {number} does not stand between 0 and {units.length} of the text"
            raise FormatError(f"{message}, or cuts a character (offsets count UTF-16 units)", self.file, line)
        self.standing[number] = _Standing(text, start, stop, line)

    def members(self, sofa: int | None, members: Sequence[int | None], line: int | None) -> None:
        if len(set(members)) < len(members):
            raise FormatError("a view names a member twice", self.file, line)
        for member in members:
            if member in self.standing and self.standing[member].sofa != sofa:
                raise FormatError(f"{member} is in the view of another text than its own", self.file, line)

    def text(self) -> int:
        """The number of the text that is read."""
        found = [number for number, (name, text, _) in self.sofas.items() if text and name == INITIAL]
        found = found or [number for number, (_, text, _) in self.sofas.items() if text]
        if len(found) != 1:
            wrong = "there is no text" if not found else f"there are {len(found)} texts, none of them initial,"
            raise FormatError(f"{wrong} in this file", self.file)
        return found[0]


def _whole(value: object) -> int | None:
    """The whole number that it says; None for none, and for one of more than nine digits."""
    if isinstance(value, str):
        return int(value) if NUMBER.fullmatch(value) else None
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**9 else None


def _clean(value: object, file: str, line: int | None = None) -> str:
    """A string; empty for what is none. Raises FormatError on what no text holds."""
    if not isinstance(value, str):
        return ""
    if "\0" in value:
        raise FormatError("a NUL character cannot stand in a text", file, line)
    try:
        value.encode()
    except UnicodeEncodeError:
        raise FormatError("half a character (a lone surrogate) cannot stand in a text", file, line) from None
    return value


def _check_types(types: Mapping[str, tuple[str, Sequence[str]]], file: str) -> None:
    """types: for each its supertype and the names of its own features."""
    if len(types) > MOST_TYPES:
        raise FormatError(f"there are more than {MOST_TYPES} types", file)
    below: dict[str, list[str]] = {}
    for name, (above, features) in types.items():
        below.setdefault(above, []).append(name)
        for called in (name, above):
            if not TYPE_NAME.fullmatch(called):
                raise FormatError(f"{called[:50]!r} cannot be the name of a type", file)
        for feature in features:
            if not feature.isidentifier() or feature.startswith("__"):
                raise FormatError(f"{feature[:50]!r} cannot be the name of a feature", file)
    inherited = [(name, 0) for above, names in below.items() if above not in types for name in names]
    reached = cost = 0
    while inherited:
        name, number = inherited.pop()
        number += len(types[name][1])
        reached, cost = reached + 1, cost + number * number
        if cost > MOST_FEATURES_SQUARED:
            raise FormatError("the types have too many features", file)
        inherited += [(each, number) for each in below.get(name, ())]
    if reached < len(types):
        raise FormatError("a type inherits from itself", file)


def _loaded[T](load: Callable[[], T], file: str) -> T:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return load()
    except KeyError as error:
        raise FormatError(f"something refers to {str(error)[:100]}, which is not there", file) from None
    except Exception as error:
        # The library documents no error: of all kinds come up, from TypeError to RecursionError.
        raise FormatError(f"this is no CAS that can be read: {str(error)[:200]}", file) from None


# XMI.


def bundles(names: Iterable[str], suffixes: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Each XMI file with its type system: NAME-typesystem.xml, TypeSystem.xml or another of the nearest folder."""
    files = sorted(names)
    descriptions: dict[PurePosixPath, list[str]] = {}
    for name in files:
        path = PurePosixPath(name)
        if path.suffix.lower() == ".xml" and "typesystem" in path.name.lower():
            descriptions.setdefault(path.parent, []).append(name)
    found: list[tuple[str, ...]] = []
    for name in files:
        if name.lower().endswith(suffixes):
            path = PurePosixPath(name)
            nearest = next((descriptions[folder] for folder in path.parents if folder in descriptions), [])
            own = [each for each in nearest if PurePosixPath(each).stem.lower() == f"{path.stem}-typesystem".lower()]
            usual = [each for each in nearest if PurePosixPath(each).name.lower() == TYPE_SYSTEM.lower()]
            found.append((name, *(own or usual or nearest)[:1]))
    return found


def read_xmi(
    bundle: Bundle, layers: str = "auto", relations: str = "identity", categories: str = "types"
) -> list[Document]:
    """The document of an XMI file. Raises FormatError on bad input, with the line where it is known."""
    file = bundle.main
    root = parse(bundle.data, file)
    if root.tag != f"{XMI}XMI":
        raise FormatError("this is not XMI: the outermost element is not xmi:XMI", file, root.sourceline)
    checked = _checked_xmi(root, file)
    text = checked.text()
    found = Layers(file)
    described = next((name for name in bundle.files if name != file), None)
    if described is None:
        types = _core_types()
        found.find("no-type-system", "no type system is beside this file", fix="DKPro Core's types were taken")
    else:
        types = _described(bundle.files[described], described)
    _check_elements(root, types, found, lenient=described is None)
    # What was parsed is written anew: no declaration, comment or encoding is read in another way by the library.
    data = BytesIO(etree.tostring(root))
    cas = _loaded(lambda: cassis.load_cas_from_xmi(data, types, lenient=described is None), file)
    return [_document(cas, checked, text, found, (layers, relations, categories))]


def _checked_xmi(root: etree._Element, file: str) -> _Checked:
    checked = _Checked(file)
    for element in root:
        if element.tag == f"{CAS}Sofa":
            number = checked.number(element.get(f"{XMI}id"), element.sourceline)
            checked.sofa(number, element.get("sofaID"), element.get("sofaString"), element.sourceline)
    for element in root:
        if element.tag in (f"{CAS}Sofa", f"{CAS}View"):
            continue
        number = checked.number(element.get(f"{XMI}id"), element.sourceline)
        if "sofa" in element.attrib and ("begin" in element.attrib or "end" in element.attrib):
            stands = (element.get("sofa"), element.get("begin"), element.get("end"))
            checked.place(number, *stands, element.sourceline)
    for view in root.iterchildren(f"{CAS}View"):
        members = [_whole(member) for member in view.get("members", "").split()]
        checked.members(_whole(view.get("sofa")), members, view.sourceline)
    return checked


def _check_elements(root: etree._Element, types: cassis.TypeSystem, found: Layers, lenient: bool) -> None:
    """Each element has a type. The library would look through all types for a name without a package."""
    unknown: Counter[str] = Counter()
    for element in root:
        tag = TAG.match(str(element.tag))
        if tag is None:
            raise FormatError("this element is of no UIMA type", found.file, element.sourceline)
        package = tag["package"].replace("/", ".")
        name = tag["name"] if package == "uima.noNamespace" else f"{package}.{tag['name']}"
        if name in NOT_TYPES or types.contains_type(name, True):
            continue
        if "." not in name or not lenient:
            message = f"the type {name[:100]!r} is not in the type system"
            raise FormatError(message, found.file, element.sourceline)
        unknown[name] += 1
    for name, number in unknown.items():
        found.find("unknown-type", f"{number} of the type {name[:100]} are left out", fix="add the type system")


def _described(data: bytes, file: str) -> cassis.TypeSystem:
    """The type system of a file."""
    root = parse(data, file)
    types: dict[str, tuple[str, list[str]]] = {}
    for description in root.iter("{*}typeDescription"):
        name, above = _said(description, "name"), _said(description, "supertypeName")
        inner = next(description.iterdescendants("{*}typeDescription"), None)
        if name in types or inner is not None:
            message = f"the type {name[:100]} is described twice, or within another"
            raise FormatError(message, file, description.sourceline)
        features = [_said(each, "name") for each in description.iterfind("{*}features/{*}featureDescription")]
        types[name] = (above, features)
    if not types:
        raise FormatError("there is no type in this type system", file, root.sourceline)
    _check_types(types, file)
    plain = etree.tostring(root)
    return _loaded(lambda: _types_from(plain), file)


@lru_cache(maxsize=4)
def _types_from(data: bytes) -> cassis.TypeSystem:
    """The same types come with each text of an export; no reader changes them."""
    types = cassis.load_typesystem(BytesIO(data))
    for each in types.get_types():
        for feature in each.features:
            if not feature.name.isidentifier():  # whatever the library read: a name becomes code
                raise ValueError(f"{feature.name[:50]!r} cannot be the name of a feature")
    return types


def _said(element: etree._Element, child: str) -> str:
    return (element.findtext(f"{{*}}{child}") or "").strip()


@cache
def _core_types() -> cassis.TypeSystem:
    return cassis.load_dkpro_core_typesystem()


# JSON.


def read_json(
    bundle: Bundle, layers: str = "auto", relations: str = "identity", categories: str = "types"
) -> list[Document]:
    """The document of a CAS in JSON. Raises FormatError on bad input."""
    file = bundle.main
    source = decode(bundle.data, file)
    try:
        data = json.loads(source)
    except json.JSONDecodeError as error:
        raise FormatError(f"this is not JSON: {error.msg}", file, error.lineno, error.colno) from None
    except (ValueError, RecursionError):
        raise FormatError("this JSON nests too deep or holds a number that is too long", file) from None
    types = data.get("%TYPES") if isinstance(data, dict) else None
    structures = data.get("%FEATURE_STRUCTURES") if isinstance(data, dict) else None
    if not isinstance(types, dict) or not isinstance(structures, list | dict):
        raise FormatError("this is no CAS in JSON: it has no %TYPES or no %FEATURE_STRUCTURES", file)
    _check_types(dict(_types_of(types, file)), file)
    checked = _checked_json(structures, types, file)
    views = data.get("%VIEWS")
    for view in views.values() if isinstance(views, dict) else ():
        members = view.get("%MEMBERS") if isinstance(view, dict) else None
        if not isinstance(members, list):
            raise FormatError("a view has no list of members", file)
        checked.members(_whole(view.get("%SOFA")), [_whole(member) for member in members], None)
    text = checked.text()
    # A file may leave out the types where both sides know them.
    known = None if types else _core_types()
    cas = _loaded(lambda: cassis.load_cas_from_json(source, known, merge_typesystem=bool(types)), file)
    return [_document(cas, checked, text, Layers(file), (layers, relations, categories))]


def _types_of(types: Mapping[str, object], file: str) -> Iterator[tuple[str, tuple[str, list[str]]]]:
    for name, described in types.items():
        above = described.get("%SUPER_TYPE") if isinstance(described, dict) else None
        if not isinstance(described, dict) or not isinstance(above, str):
            raise FormatError(f"the type {name[:50]!r} has no %SUPER_TYPE", file)
        yield name, (above, [feature for feature in described if not feature.startswith("%")])


def _checked_json(
    structures: Sequence[object] | Mapping[str, object], types: Mapping[str, object], file: str
) -> _Checked:
    checked = _Checked(file)
    numbered: list[tuple[int, Mapping[str, object]]] = []
    pairs = structures.items() if isinstance(structures, dict) else ((None, each) for each in structures)
    for key, structure in pairs:
        if not isinstance(structure, dict):
            raise FormatError("a feature structure is no object", file)
        name = structure.get("%TYPE")
        if not isinstance(name, str) or ("." not in name and name not in types):
            raise FormatError(f"{str(name)[:50]!r} is no type of this file", file)
        numbered.append((checked.number(structure.get("%ID") if key is None else key, None), structure))
    for number, structure in numbered:
        if structure["%TYPE"] == "uima.cas.Sofa":
            checked.sofa(number, structure.get("sofaID"), structure.get("sofaString"), None)
    for number, structure in numbered:
        if "@sofa" in structure and ("begin" in structure or "end" in structure):
            checked.place(number, structure["@sofa"], structure.get("begin"), structure.get("end"), None)
    return checked


# From here on: what both hold.


def _document(cas: cassis.Cas, checked: _Checked, text: int, found: Layers, options: tuple[str, str, str]) -> Document:
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

    checked: _Checked
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
        return _clean(getattr(structure, feature, None), self.checked.file, standing.line if standing else None)

    def _standing(self, structure: FeatureStructure) -> _Standing | None:
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


# From here on: writing.


def write_xmi(documents: Sequence[Document]) -> list[File]:
    """An XMI file for each document, and the type system."""
    described = File(TYPE_SYSTEM, _written_types().to_xml().encode())
    return [
        *one_each(documents, ".xmi", lambda document: _written(document).to_xmi(pretty_print=True).encode()),
        described,
    ]


def write_json(documents: Sequence[Document]) -> list[File]:
    """A JSON file for each document, with the types in it."""
    return one_each(documents, ".json", lambda document: f"{_written(document).to_json(pretty_print=True)}\n".encode())


@cache
def _written_types() -> cassis.TypeSystem:
    """The types that are written: DKPro Core's as INCEpTION has them, and the layers that it does not have."""
    types = cassis.TypeSystem()
    described: dict[str, tuple[str, dict[str, str]]] = {
        META_DATA: (DOCUMENT, dict.fromkeys(("documentTitle", "documentId"), STRING)),
        META_FIELD: (ANNOTATION, dict.fromkeys(("key", "value"), STRING)),
        SENTENCE: (ANNOTATION, {}),
        TOKEN: (ANNOTATION, {}),
        LINK: (ANNOTATION, {"next": LINK, "referenceType": STRING, "referenceRelation": STRING}),
        CHAIN: ("uima.cas.AnnotationBase", {"first": LINK}),
        MARKABLE: (ANNOTATION, dict.fromkeys(FEATURES, STRING)),
        RELATION: (ANNOTATION, {"Governor": MARKABLE, "Dependent": MARKABLE, "type": STRING}),
        SEGMENT: (ANNOTATION, dict.fromkeys(("kind", "label", "speaker"), STRING)),
    }
    for name, (above, _) in described.items():
        types.create_type(name, above)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # `type` is called `type_` in Python
        for name, (_, features) in described.items():
            for feature, values in features.items():
                types.create_feature(types.get_type(name), feature, values)
    return types


def _written(document: Document) -> cassis.Cas:
    cas = cassis.Cas(_written_types())
    cas.sofa_string = content = NOT_IN_XML.sub("\ufffd", document.content)
    cas.sofa_mime = "text/plain"
    whole = Stretch("", 0, len(content))
    _add(cas, META_DATA, whole, documentTitle=document.title, documentId=document.name)
    cas.document_language = document.language or NO_LANGUAGE
    if document.direction:
        _add(cas, META_FIELD, whole, key=DIRECTION, value=document.direction)
    for start, end in tokens_of(document).spans:
        _add(cas, TOKEN, Stretch("", start, end))
    for segment in document.segments:
        if segment.kind == "sentence":
            _add(cas, SENTENCE, segment)
        if segment.kind != "sentence" or segment.label or segment.speaker:
            _add(cas, SEGMENT, segment, kind=segment.kind, label=segment.label, speaker=segment.speaker)
    _write_marks(cas, document)
    return cas


def _write_marks(cas: cassis.Cas, document: Document) -> None:
    marks = sorted(document.marks, key=in_text_order)
    chains = chains_of(document, marks)
    spans = {
        mark.place: _add(cas, MARKABLE, _stretch(mark), **features_of(mark))
        for mark in marks
        if not chains or needs_span(mark)
    }
    for mark in marks:
        for target in mark.answer.pointers if mark.answer else ():
            if target in spans:
                relation = _add(
                    cas, RELATION, Stretch("", target.parts[0][0], target.parts[-1][1]), type_=RELATION_TYPE
                )
                relation.Governor, relation.Dependent = spans[mark.place], spans[target]
    for members in chains.values():
        links = [
            _add(cas, LINK, _stretch(mark), referenceType=mark.answer.category if mark.answer else "")
            for mark in members
        ]
        for link, after in pairwise(links):
            link.next = after
        cas.add(cas.typesystem.get_type(CHAIN)(first=links[0]))


def _stretch(mark: Mark) -> Stretch:
    return Stretch("", mark.parts[0][0], mark.parts[-1][1])


def _add(cas: cassis.Cas, name: str, where: Stretch, /, **values: str) -> FeatureStructure:
    """A new annotation; values that are empty are left out."""
    clean = {feature: NOT_IN_XML.sub("\ufffd", value) for feature, value in values.items() if value}
    annotation = cas.typesystem.get_type(name)(begin=where.start, end=where.end, **clean)
    cas.add(annotation)
    return annotation


CARRIES = frozenset(
    {
        Feature.LEVELS,
        Feature.POINTERS,
        Feature.INDICES,
        Feature.AMBIGUITY,
        Feature.LATER,
        Feature.SEVERAL_CHAINS,
        Feature.CATEGORIES,
        Feature.UNCODED,
        Feature.UNLINKED,
        Feature.EDGES,
        Feature.CROSSING,
        Feature.CROSSING_IN_CHAIN,
        Feature.OPTIONAL,
        Feature.UNSURE,
        Feature.NOTES,
        Feature.NAMES,
        Feature.LABELS,
        Feature.SENTENCES,
        Feature.SPEAKERS,
        Feature.SEGMENTS,
        Feature.TITLE,
        Feature.SPACING,
    }
)
XMI_FORMAT = Format("xmi", "UIMA CAS XMI", (".xmi",), read_xmi, bundles, write_xmi, CARRIES, OPTIONS)
JSON_FORMAT = Format(
    "casjson", "UIMA CAS JSON", (".json",), read_json, write=write_json, carries=CARRIES, options=OPTIONS
)
