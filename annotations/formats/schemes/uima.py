"""Read schemes from layers of INCEpTION and WebAnno: UIMA type systems, layers as JSON, exported projects."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from annotations.formats.mmax2.scheme import make_key
from annotations.formats.model import scheme as specs
from annotations.formats.model.findings import Findings, FormatError
from annotations.formats.model.links import says_identity
from annotations.formats.schemes.files import base_name, json_of, xml_of
from annotations.formats.schemes.scheme_file import SchemeFile, SchemeReader, fit_help, fit_label, make_keys
from annotations.formats.syntax.xml import child_text, local_name
from annotations.formats.uima.names import ANNOTATION, ARRAY, MARKABLE, STRING, STRINGS
from annotations.formats.uima.names import LINK as BUILT_IN_LINK

if TYPE_CHECKING:
    from lxml import etree

BUILT_IN = ("de.tudarmstadt.ukp.dkpro.core.", "org.dkpro.core.")
MAX_LAYERS = 200
MAX_FEATURES = 500
ROOTS = (ANNOTATION, "uima.cas.AnnotationBase", "uima.cas.TOP")
KINDS = {
    STRING: specs.AnswerKind.TEXT,
    "uima.cas.Boolean": specs.AnswerKind.ONE,
    **{f"uima.cas.{name}": specs.AnswerKind.NUMBER for name in ("Integer", "Long", "Short", "Byte", "Float", "Double")},
}
SOURCE, TARGET = "Governor", "Dependent"
LINK, CHAIN = "Link", "Chain"
# Features that INCEpTION needs itself: offsets, the order of chains, and the ends of relations.
OWN_FEATURES = frozenset({"", "next", "first", "begin", "end", "sofa", SOURCE, TARGET})
SPAN_KIND, RELATION_KIND, CHAIN_KIND = "span", "relation", "chain"
YES_OR_NO = (specs.ValueSpec("true", "yes"), specs.ValueSpec("false", "no"))


@dataclass(slots=True)
class _Feature:
    """A feature of a layer. values: with their descriptions. target: the layer of a slot's fillers; empty for any."""

    name: str
    label: str
    help: str
    kind: specs.AnswerKind | None
    values: Mapping[str, str]
    required: bool = False
    is_slot: bool = False
    target: str = ""


@dataclass(slots=True)
class _Layer:
    """A layer. attached: for relations, the layer of the spans that they connect; empty for any."""

    name: str
    label: str
    kind: str
    help: str
    attached: str
    features: list[_Feature] = field(default_factory=list)


def read(files: Mapping[str, bytes], name: str) -> SchemeFile:
    """Return the scheme of the layers in the files. Raise FormatError with file and line."""
    reader = _Reader(name)
    named: dict[str, _Layer] = {}
    for file in _choose_files(files):
        if file.lower().endswith(".json"):
            layers = _read_json_layers(json_of(files, file), file, reader)
        else:
            layers = _read_type_system(xml_of(files, file), file)
        for layer in layers:
            named.setdefault(layer.name, layer)
    if len(named) > MAX_LAYERS or sum(len(layer.features) for layer in named.values()) > MAX_FEATURES:
        raise FormatError(f"there are more than {MAX_LAYERS} layers or {MAX_FEATURES} features", name)
    own = {layer_name: layer for layer_name, layer in named.items() if not layer_name.startswith(BUILT_IN)}
    if own and len(own) < len(named):
        reader.add("the layer Coreference, which every project has, is left out beside layers of its own")
    named = own or named
    if not named:
        raise FormatError("there is no layer of spans, relations or chains in it besides those of DKPro Core", name)
    return reader.scheme(list(named.values()))


def _choose_files(files: Mapping[str, bytes]) -> list[str]:
    """Return the files to read of an upload: the description of a project, else layers, else a type system."""
    project = sorted(path for path in files if base_name(path).lower().startswith("exportedproject"))
    layers = sorted(path for path in files if path.lower().endswith(".json"))
    systems = sorted(path for path in files if "typesystem" in base_name(path).lower() or len(files) == 1)
    return project[:1] or layers or systems[:1]


def _read_type_system(root: etree._Element, file: str) -> list[_Layer]:
    if local_name(root.tag) != "typeSystemDescription":
        message = f"a type system holds <typeSystemDescription>, not <{local_name(root.tag)}>"
        raise FormatError(message, file, root.sourceline)
    elements: dict[str, etree._Element] = {}
    for element in root.iter("{*}typeDescription"):
        name = child_text(element, "name")
        if not name:
            raise FormatError("a type has no name", file, element.sourceline)
        elements[name] = element
    parents = {name: child_text(element, "supertypeName") for name, element in elements.items()}
    bases = _bases(parents)
    features = {
        name: {child_text(feature, "name"): feature for feature in element.iter("{*}featureDescription")}
        for name, element in elements.items()
    }
    values: dict[str, dict[str, str]] = {}
    for name in (name for name, above in parents.items() if above == STRING):
        words = ((value.text or "").strip() for value in elements[name].iterfind("{*}allowedValues//{*}string"))
        values[name] = dict.fromkeys((word for word in words if word), "")
    slots = {name: child_text(own["target"], "rangeTypeName") for name, own in features.items() if "target" in own}
    layers = []
    for name, element in elements.items():
        kind = _kind_of_type(name, bases[name], features[name])
        if not kind:
            continue
        attached = child_text(features[name][SOURCE], "rangeTypeName") if kind == RELATION_KIND else ""
        label = name.rpartition(".")[2]
        label = label.removesuffix(LINK) if kind == CHAIN_KIND else label
        layer = _Layer(name, label or name, kind, child_text(element, "description"), attached)
        layer.features += [
            _feature_of_type(feature_name, feature, values, slots)
            for feature_name, feature in features[name].items()
            if feature_name not in OWN_FEATURES
        ]
        layers.append(layer)
    return layers


def _kind_of_type(name: str, base: str, features: Collection[str]) -> str:
    """Return the kind of the layer of a type; empty if it is no layer, or a built-in one."""
    if not base or name == MARKABLE or (name.startswith(BUILT_IN) and name != BUILT_IN_LINK):
        return ""
    if name.endswith(LINK) and "next" in features:
        return CHAIN_KIND
    if name.endswith(CHAIN) and "first" in features:
        return ""  # its links are the layer
    if SOURCE in features and TARGET in features:
        return RELATION_KIND
    return SPAN_KIND if base == ANNOTATION else ""


def _feature_of_type(
    name: str, element: etree._Element, values: Mapping[str, Mapping[str, str]], slots: Mapping[str, str]
) -> _Feature:
    """Return the feature of an element. slots: the target types of the links in slots, by type of link."""
    kind, of_elements = child_text(element, "rangeTypeName"), child_text(element, "elementType")
    answered = specs.AnswerKind.ONE if kind in values else KINDS.get(kind)
    is_slot, target = kind == ARRAY and of_elements in slots, slots.get(of_elements, "")
    help_text = child_text(element, "description")
    return _Feature(name, name, help_text, answered, values.get(kind, {}), is_slot=is_slot, target=target)


def _bases(parents: Mapping[str, str]) -> dict[str, str]:
    """Return the base type in UIMA of each type; empty if it is not in ROOTS."""
    bases: dict[str, str] = {}
    for name in parents:
        path = list[str]()
        while name in parents and name not in bases:
            bases[name] = ""  # ends the loop if types inherit from each other
            path.append(name)
            name = parents[name]
        bases |= dict.fromkeys(path, bases.get(name, name if name in ROOTS else ""))
    return bases


def _read_json_layers(data: Any, file: str, losses: Findings) -> list[_Layer]:
    found: Any = data.get("layers", [data]) if isinstance(data, dict) else data
    if not isinstance(found, list) or not all(isinstance(layer, dict) for layer in found):
        raise FormatError("there is no list of layers in it, as INCEpTION exports them", file)
    sets = _list(data, "tag_sets") if isinstance(data, dict) else []
    tag_sets = {_string(tag_set, "name"): _tags(tag_set) for tag_set in sets if isinstance(tag_set, dict)}
    layers = []
    for entry in found:
        name, kind = _string(entry, "name"), _string(entry, "type")
        if not name or not isinstance(entry.get("features", []), list):
            raise FormatError("a layer has a name and a list of features", file)
        if entry.get("enabled") is False or name == MARKABLE:
            continue
        if name.startswith(BUILT_IN) and kind != CHAIN_KIND:
            continue
        if kind not in (SPAN_KIND, RELATION_KIND, CHAIN_KIND):
            losses.add(f"{name}: layers of the kind {kind[:50]!r} are left out", file=file)
            continue
        attached = entry.get("attach_type")
        attached_name = _string(attached, "name") if isinstance(attached, dict) else str(attached or "")
        label = _string(entry, "uiName") or name.rpartition(".")[2]
        layer = _Layer(name, label, kind, _string(entry, "description"), attached_name)
        layer.features += [
            _feature_of_json(feature, tag_sets)
            for feature in _list(entry, "features")
            if isinstance(feature, dict) and feature.get("enabled") is not False
        ]
        layers.append(layer)
    return layers


def _tags(tag_set: Mapping[str, Any]) -> dict[str, str]:
    tags = (tag for tag in _list(tag_set, "tags") if isinstance(tag, dict))
    return {_string(tag, "tag_name"): _string(tag, "tag_description") for tag in tags if _string(tag, "tag_name")}


def _feature_of_json(data: Mapping[str, Any], tag_sets: Mapping[str, Mapping[str, str]]) -> _Feature:
    name, kind, tag_set = _string(data, "name"), _string(data, "type"), data.get("tag_set")
    values = _tags(tag_set) or tag_sets.get(_string(tag_set, "name"), {}) if isinstance(tag_set, dict) else {}
    listed = specs.AnswerKind.SEVERAL if kind == STRINGS else specs.AnswerKind.ONE
    has_roles = "WITH_ROLE" in (_string(data, "link_mode").upper(), _string(data, "linkMode").upper())
    return _Feature(
        name or "feature",
        _string(data, "uiName") or name,
        _string(data, "description"),
        listed if values else KINDS.get(kind),
        values,
        required=data.get("required") is True,
        is_slot=has_roles and not values,
        target="" if kind == ANNOTATION else kind,
    )


def _string(data: Mapping[str, Any], key: str) -> str:
    value = data.get(key)
    return value.strip() if isinstance(value, str) else ""


def _list(data: Mapping[str, Any], key: str) -> list[Any]:
    value = data.get(key)
    return value if isinstance(value, list) else []


class _Reader(SchemeReader):
    """The builder of a scheme from layers. levels: the keys of the levels, by the names of their layers."""

    def __init__(self, file: str) -> None:
        super().__init__(file)
        self.attributes: list[specs.AttributeSpec] = []
        self.relations: list[specs.RelationSpec] = []
        self.levels: dict[str, str] = {}

    def scheme(self, layers: Sequence[_Layer]) -> SchemeFile:
        """Return the scheme of the layers. Raise FormatError if they have no question."""
        spans, chains, running = (
            [layer for layer in layers if layer.kind == kind] for kind in (SPAN_KIND, CHAIN_KIND, RELATION_KIND)
        )
        marked = [*spans, *chains[:1]]
        for layer in marked:
            self.levels[layer.name] = make_key(layer.label, self.levels.values())
        if not self.levels and running:
            self.levels["markable"] = "markable"
        for layer in chains[1:]:
            self.add(f"{layer.label}: one layer of chains says identity; this one is left out")
        identity = next((layer for layer in running if says_identity(layer.name)), None)
        identity = None if chains else identity
        categories: tuple[specs.CategorySpec, ...] = ()
        if chains:
            level = self._only(self.levels[chains[0].name]) if spans else ()
            categories = (
                specs.CategorySpec(self.make_key("refers"), "refers", takes_index=True, level="".join(level)),
                specs.CategorySpec(self.make_key("none"), "does not refer", level="".join(level)),
            )
        elif identity is not None:
            of = self._levels_of(identity.attached)[0]
            categories = self.identity_categories(identity.label, identity.label, of, "".join(self._only(of)))
            for feature in identity.features:
                self._feature(feature, relation=categories[0].key)
        for layer in marked:
            for feature in layer.features:
                self._feature(feature, self._only(self.levels[layer.name]))
        for layer in running:
            if layer is not identity:
                between = self._levels_of(layer.attached)
                key = self._relation(layer.label, layer.label, layer.help, between, between)
                for feature in layer.features:
                    self._feature(feature, relation=key)
        levels = self._level_specs(categories, {self.levels[layer.name]: layer.label for layer in marked})
        answers = specs.INDICES if chains else specs.POINTERS if identity is not None else specs.CATEGORIES
        return self.scheme_file(levels, categories, self.relations, self.attributes, answers)

    def _level_specs(
        self, categories: Sequence[specs.CategorySpec], labels: Mapping[str, str]
    ) -> tuple[specs.LevelSpec, ...]:
        """Return the levels; levels with a question are coded."""
        questions = [
            *(attribute.levels for attribute in self.attributes),
            *(relation.from_levels for relation in self.relations),
            *((category.level,) if category.level else () for category in categories),
        ]
        asked = {level for levels in questions for level in levels or self.levels.values()}
        if not asked:
            raise FormatError("the layers ask nothing: they have no feature, relation or chain", self.file)
        return tuple(
            specs.LevelSpec(key, fit_label(labels.get(key, ""), key), key in asked, coders_mark=key in asked)
            for key in self.levels.values()
        )

    def _only(self, level: str) -> tuple[str, ...]:
        """Return the level as the restriction of a question to it; empty if there is no other level."""
        return (level,) if len(self.levels) > 1 else ()

    def _levels_of(self, layer: str) -> tuple[str, ...]:
        """Return the level of the layer as a tuple; all levels if the layer has none."""
        return (self.levels[layer],) if layer in self.levels else tuple(self.levels.values())

    def _relation(self, name: str, label: str, help_text: str, of: tuple[str, ...], to: tuple[str, ...]) -> str:
        key = self.make_key(name)
        of = () if len(of) == len(self.levels) else of
        label, help_text = fit_label(label, key), fit_help(help_text)
        spec = specs.RelationSpec(key, label, help=help_text, from_levels=of, to_levels=to, joint=True, later=True)
        self.relations.append(spec)
        return key

    def _feature(self, feature: _Feature, levels: tuple[str, ...] = (), relation: str = "") -> None:
        if feature.is_slot and relation:
            self.add(f"{feature.label}: slots of relations are left out")
        elif feature.is_slot:
            self.add(f"{feature.label}: the roles of its slots are left out")
            of = levels or tuple(self.levels.values())
            self._relation(feature.name, feature.label, feature.help, of, self._levels_of(feature.target))
        elif feature.kind is None:
            self.add(f"{feature.label}: a feature of its type is left out")
        else:
            values = tuple(
                specs.ValueSpec(key, fit_label(name, key), fit_help(feature.values[name]))
                for name, key in make_keys(feature.values).items()
            )
            self.attributes.append(
                specs.AttributeSpec(
                    self.make_key(feature.name),
                    fit_label(feature.label, feature.name),
                    help=fit_help(feature.help),
                    of=specs.Subject.RELATION if relation else specs.Subject.MARKABLE,
                    relation=relation,
                    levels=levels,
                    kind=feature.kind,
                    required=feature.required,
                    values=values or (YES_OR_NO if feature.kind == specs.AnswerKind.ONE else ()),
                )
            )
