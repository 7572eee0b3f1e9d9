"""Layers of INCEpTION and WebAnno -> scheme: UIMA type systems, layers as JSON, exported projects.

A layer of spans is a level, and its features are attributes; a layer of relations is a relation, whose features are
attributes of it; chains are entities with an index. Types of DKPro Core, which hold linguistic analyses, are passed
over, but for its chains where there is no other layer. A type system does not hold tag sets; exported layers and
projects do.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from annotations.formats.mmax2.scheme import local_name, make_key
from annotations.formats.model.document import FormatError
from annotations.formats.model.links import says_identity
from annotations.formats.model.scheme import (
    AnswerKind,
    AttributeSpec,
    CategorySpec,
    LevelSpec,
    RelationSpec,
    SchemeSpec,
    Subject,
    ValueSpec,
)
from annotations.formats.schemes.scheme_file import (
    CATEGORIES,
    INDICES,
    POINTERS,
    Keys,
    Losses,
    SchemeFile,
    base_name,
    decode_small,
    fit_help,
    fit_label,
    identity_categories,
    make_keys,
    read_json,
    with_identity,
)
from annotations.formats.syntax.xml import parse
from annotations.formats.uima.layers import LINK as BUILT_IN_LINK
from annotations.formats.uima.layers import MARKABLE

if TYPE_CHECKING:
    from lxml import etree

# Types of DKPro Core.
BUILT_IN = ("de.tudarmstadt.ukp.dkpro.core.", "org.dkpro.core.")
MOST_LAYERS = 200
MOST_FEATURES = 500
ANNOTATION, ANNOTATION_BASE = "uima.tcas.Annotation", "uima.cas.AnnotationBase"
STRING, BOOLEAN, STRINGS, STRUCTURES = "uima.cas.String", "uima.cas.Boolean", "uima.cas.StringArray", "uima.cas.FSArray"
NUMBERS = tuple(f"uima.cas.{name}" for name in ("Integer", "Long", "Short", "Byte", "Float", "Double"))
SOURCE, TARGET = "Governor", "Dependent"
LINK, CHAIN = "Link", "Chain"
# What INCEpTION keeps for itself in a type: order of chains, and where a link leads.
OWN_FEATURES = frozenset({"next", "first", "begin", "end", "sofa", SOURCE, TARGET})
SPAN_KIND, RELATION_KIND, CHAIN_KIND = "span", "relation", "chain"


class _Value(NamedTuple):
    name: str
    help: str = ""


@dataclass(slots=True)
class _Feature:
    """A feature of a layer. target: of a slot, the layer of what fills it; empty for any."""

    name: str
    label: str
    help: str = ""
    kind: AnswerKind | None = AnswerKind.TEXT
    values: tuple[_Value, ...] = ()
    required: bool = False
    is_slot: bool = False
    target: str = ""


@dataclass(slots=True)
class _Layer:
    """A layer. attached: of relations, the layer of the spans between which they run; empty for any."""

    name: str
    label: str
    kind: str
    help: str = ""
    attached: str = ""
    features: list[_Feature] = field(default_factory=list)


def read(files: Mapping[str, bytes], name: str) -> SchemeFile:
    """Return the scheme of layers. Raise FormatError with file and line."""
    losses = Losses(name)
    layers: list[_Layer] = []
    for file in _choose_files(files):
        data = decode_small(files[file], file)
        if file.lower().endswith(".json"):
            layers += _read_json_layers(read_json(data, file), file, losses)
        else:
            layers += _read_type_system(parse(data, file), file)
    named: dict[str, _Layer] = {}
    for layer in layers:
        named.setdefault(layer.name, layer)
    if len(named) > MOST_LAYERS or sum(len(layer.features) for layer in named.values()) > MOST_FEATURES:
        raise FormatError(f"there are more than {MOST_LAYERS} layers or {MOST_FEATURES} features", name)
    own = {layer_name: layer for layer_name, layer in named.items() if not layer_name.startswith(BUILT_IN)}
    if own and len(own) < len(named):
        losses.add("the layer Coreference, which every project has, is left out beside layers of its own")
    named = own or named
    if not named:
        raise FormatError("there is no layer of spans, relations or chains in it besides those of DKPro Core", name)
    return _Build(list(named.values()), losses).scheme(name)


def _choose_files(files: Mapping[str, bytes]) -> list[str]:
    """Return what is read of an upload: the description of a project, else layers, else a type system."""
    project = sorted(path for path in files if base_name(path).lower().startswith("exportedproject"))
    if project:
        return project[:1]
    layers = sorted(path for path in files if path.lower().endswith(".json"))
    if layers:
        return layers
    systems = sorted(path for path in files if "typesystem" in base_name(path).lower() or len(files) == 1)
    return systems[:1]


# ---- type systems


def _read_type_system(root: etree._Element, file: str) -> list[_Layer]:
    if local_name(root.tag) != "typeSystemDescription":
        message = f"a type system holds <typeSystemDescription>, not <{local_name(root.tag)}>"
        raise FormatError(message, file, root.sourceline)
    parents: dict[str, str] = {}
    elements: dict[str, etree._Element] = {}
    for element in root.iter("{*}typeDescription"):
        name = _text(element, "name")
        if not name:
            raise FormatError("a type has no name", file, element.sourceline)
        parents[name] = _text(element, "supertypeName")
        elements[name] = element
    values = {
        name: tuple(_Value(each) for each in _texts(element, "allowedValues"))
        for name, element in elements.items()
        if parents[name] == STRING
    }
    bases = _bases(parents)
    slots = {
        name: _text(each, "rangeTypeName")
        for name, element in elements.items()
        for each in element.iter("{*}featureDescription")
        if _text(each, "name") == "target"
    }
    layers = []
    for name, element in elements.items():
        features = {_text(each, "name"): each for each in element.iter("{*}featureDescription")}
        kind = _kind_of_type(name, bases[name], features)
        if not kind:
            continue
        attached = _text(features[SOURCE], "rangeTypeName") if kind == RELATION_KIND else ""
        label = name.rpartition(".")[2]
        label = label.removesuffix(LINK) if kind == CHAIN_KIND else label
        layer = _Layer(name, label or name, kind, _text(element, "description"), attached)
        for feature_name, feature in features.items():
            if feature_name and feature_name not in OWN_FEATURES:
                layer.features.append(_feature_of_type(feature_name, feature, values, slots))
        layers.append(layer)
    return layers


def _kind_of_type(name: str, base: str, features: Collection[str]) -> str:
    """Return the kind of the layer that a type is; empty where it is none, or not an own one."""
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
    name: str,
    element: etree._Element,
    values: Mapping[str, tuple[_Value, ...]],
    slots: Mapping[str, str],
) -> _Feature:
    """Return a feature. `slots` are the types of links in slots, with where these lead."""
    kind_of_range, of_elements = _text(element, "rangeTypeName"), _text(element, "elementType")
    feature = _Feature(name, name, _text(element, "description"), _kind_of_range(kind_of_range))
    if kind_of_range in values:
        feature.kind, feature.values = AnswerKind.ONE, values[kind_of_range]
    elif kind_of_range == STRUCTURES and of_elements in slots:
        feature.is_slot, feature.target = True, slots[of_elements]
    return feature


def _kind_of_range(name: str) -> AnswerKind | None:
    if name == STRING:
        return AnswerKind.TEXT
    if name == BOOLEAN:
        return AnswerKind.ONE
    return AnswerKind.NUMBER if name in NUMBERS else None


def _bases(parents: Mapping[str, str]) -> dict[str, str]:
    """Return for each type whether it is of annotations: the type of UIMA that it is of in the end, or nothing."""
    bases: dict[str, str] = {}
    for name in parents:
        path = list[str]()
        while name in parents and name not in bases:
            bases[name] = ""  # should the types go round in a circle
            path.append(name)
            name = parents[name]
        end = bases.get(name, name if name in (ANNOTATION, ANNOTATION_BASE, "uima.cas.TOP") else "")
        bases |= dict.fromkeys(path, end)
    return bases


def _text(element: etree._Element, name: str) -> str:
    child = element.find("{*}" + name)
    return (child.text or "").strip() if child is not None else ""


def _texts(element: etree._Element, name: str) -> Iterator[str]:
    for child in element.iterfind("{*}" + name):
        for value in child.iter("{*}string"):
            if value.text and value.text.strip():
                yield value.text.strip()


# ---- layers as JSON


def _read_json_layers(data: Any, file: str, losses: Losses) -> list[_Layer]:
    found: Any = data
    if isinstance(data, dict):
        found = data.get("layers") if "layers" in data else [data]
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise FormatError("there is no list of layers in it, as INCEpTION exports them", file)
    tag_sets = _tag_sets(data.get("tag_sets") if isinstance(data, dict) else None)
    layers = []
    for each in found:
        name = _string(each, "name")
        if not name or not isinstance(each.get("features", []), list):
            raise FormatError("a layer has a name and a list of features", file)
        if each.get("enabled") is False or name == MARKABLE:
            continue
        if name.startswith(BUILT_IN) and _string(each, "type") != CHAIN_KIND:
            continue
        kind = _string(each, "type")
        if kind not in (SPAN_KIND, RELATION_KIND, CHAIN_KIND):
            losses.add(f"{name}: layers of the kind {kind[:50]!r} are left out", file=file)
            continue
        attached = each.get("attach_type")
        attached_name = _string(attached, "name") if isinstance(attached, dict) else str(attached or "")
        layer = _Layer(name, _string(each, "uiName") or name.rpartition(".")[2], kind, _string(each, "description"))
        layer.attached = attached_name
        for feature in each.get("features", []):
            if isinstance(feature, dict) and feature.get("enabled") is not False:
                layer.features.append(_feature_of_json(feature, tag_sets))
        layers.append(layer)
    return layers


def _tag_sets(data: Any) -> dict[str, tuple[_Value, ...]]:
    sets = data if isinstance(data, list) else []
    return {_string(each, "name"): _tags(each) for each in sets if isinstance(each, dict)}


def _tags(tag_set: Mapping[str, Any]) -> tuple[_Value, ...]:
    tags = tag_set.get("tags")
    return tuple(
        _Value(_string(tag, "tag_name"), _string(tag, "tag_description"))
        for tag in (tags if isinstance(tags, list) else [])
        if isinstance(tag, dict) and _string(tag, "tag_name")
    )


def _feature_of_json(data: Mapping[str, Any], tag_sets: Mapping[str, tuple[_Value, ...]]) -> _Feature:
    name, kind = _string(data, "name"), _string(data, "type")
    feature = _Feature(
        name or "feature",
        _string(data, "uiName") or name,
        _string(data, "description"),
        _kind_of_range(kind),
        required=data.get("required") is True,
    )
    tag_set = data.get("tag_set")
    if isinstance(tag_set, dict):
        feature.values = _tags(tag_set) or tag_sets.get(_string(tag_set, "name"), ())
    if feature.values:
        feature.kind = AnswerKind.SEVERAL if kind == STRINGS else AnswerKind.ONE
    elif _string(data, "link_mode").upper() == "WITH_ROLE" or _string(data, "linkMode").upper() == "WITH_ROLE":
        feature.is_slot, feature.target = True, "" if kind == ANNOTATION else kind
    return feature


def _string(data: Mapping[str, Any], key: str) -> str:
    value = data.get(key)
    return value.strip() if isinstance(value, str) else ""


# ---- layers to a scheme


class _Build:
    """Layers while they become a scheme."""

    def __init__(self, layers: Sequence[_Layer], losses: Losses) -> None:
        self.layers, self.losses = layers, losses
        self.keys = Keys()
        self.attributes: list[AttributeSpec] = []
        self.relations: list[RelationSpec] = []
        self.level_keys: dict[str, str] = {}

    def scheme(self, name: str) -> SchemeFile:
        """Return the scheme. Raise FormatError where the layers ask nothing."""
        chains = [layer for layer in self.layers if layer.kind == CHAIN_KIND]
        spans = [layer for layer in self.layers if layer.kind == SPAN_KIND]
        running = [layer for layer in self.layers if layer.kind == RELATION_KIND]
        level_keys = self.level_keys
        for layer in [*spans, *chains[:1]]:
            level_keys[layer.name] = make_key(layer.label, level_keys.values())
        if not level_keys and running:
            level_keys["markable"] = "markable"
        for layer in chains[1:]:
            self.losses.add(f"{layer.label}: one layer of chains says identity; this one is left out")
        identity = next((layer for layer in running if says_identity(layer.name)), None) if not chains else None
        categories: tuple[CategorySpec, ...] = ()
        if chains:
            categories = self._index_categories(level_keys[chains[0].name] if spans else "")
        elif identity is not None:
            level = self._levels_of(identity.attached)[0]
            key = self.keys.make(identity.label)
            categories = identity_categories(key, fit_label(identity.label, key), level)
            categories = tuple(self._on_level(one, level) for one in categories)
            self.keys.used |= {one.key for one in categories}
            for feature in identity.features:
                self._feature(feature, (), relation=key)
        for layer in [*spans, *chains[:1]]:
            for feature in layer.features:
                self._feature(feature, self._only(level_keys[layer.name]))
        self._add_relations(layer for layer in running if layer is not identity)
        levels = self._levels(categories)
        if not any(level.coded for level in levels):
            raise FormatError("the layers ask nothing: they have no feature, relation or chain", name)
        answers = INDICES if chains else POINTERS if identity is not None else CATEGORIES
        spec = SchemeSpec(levels, categories, with_identity(categories, self.relations), tuple(self.attributes))
        return SchemeFile(spec, answers, self.losses.listed())

    def _add_relations(self, layers: Iterable[_Layer]) -> None:
        for layer in layers:
            between = self._levels_of(layer.attached)
            key = self.keys.make(layer.label)
            self._relation(key, layer.label, layer.help, between, between)
            for feature in layer.features:
                self._feature(feature, (), relation=key)

    def _levels(self, categories: Sequence[CategorySpec]) -> tuple[LevelSpec, ...]:
        """Return the levels. Those on which something is asked are coded."""
        every = self.level_keys.values()
        asked = {level for one in self.attributes for level in one.levels or every}
        asked |= {level for one in self.relations for level in one.from_levels or every}
        asked |= {level for one in categories for level in ([one.level] if one.level else every)}
        labels = {self.level_keys[layer.name]: layer.label for layer in self.layers if layer.name in self.level_keys}
        return tuple(
            LevelSpec(key, fit_label(labels.get(key, ""), key), key in asked, coders_mark=key in asked) for key in every
        )

    def _index_categories(self, level: str) -> tuple[CategorySpec, ...]:
        keys = [self.keys.make("refers"), self.keys.make("none")]
        return (
            CategorySpec(keys[0], "refers", takes_index=True, level=level),
            CategorySpec(keys[1], "does not refer", level=level),
        )

    def _on_level(self, category: CategorySpec, level: str) -> CategorySpec:
        return replace(category, level=level if len(self.level_keys) > 1 else "")

    def _only(self, level: str) -> tuple[str, ...]:
        return (level,) if len(self.level_keys) > 1 else ()

    def _levels_of(self, layer: str) -> tuple[str, ...]:
        """Return the levels of the spans that a layer names, of all where it names none that is here."""
        return (self.level_keys[layer],) if layer in self.level_keys else tuple(self.level_keys.values())

    def _relation(self, key: str, label: str, help_text: str, of: Sequence[str], to: Sequence[str]) -> None:
        from_levels = () if len(of) == len(self.level_keys) else tuple(of)
        label, help_text = fit_label(label, key), fit_help(help_text)
        self.relations.append(
            RelationSpec(
                key, label, help=help_text, from_levels=from_levels, to_levels=tuple(to), joint=True, later=True
            )
        )

    def _feature(self, feature: _Feature, levels: tuple[str, ...], relation: str = "") -> None:
        if feature.is_slot:
            self._slot(feature, levels, relation)
            return
        if feature.kind is None:
            self.losses.add(f"{feature.label}: a feature of its type is left out")
            return
        values = tuple(
            ValueSpec(key, fit_label(name, key), fit_help(helps[name]))
            for helps in [{value.name: value.help for value in feature.values}]
            for name, key in make_keys(value.name for value in feature.values).items()
        )
        if feature.kind == AnswerKind.ONE and not values:
            values = (ValueSpec("true", "yes"), ValueSpec("false", "no"))  # as the files say it
        self.attributes.append(
            AttributeSpec(
                self.keys.make(feature.name),
                fit_label(feature.label, feature.name),
                help=fit_help(feature.help),
                of=Subject.RELATION if relation else Subject.MARKABLE,
                relation=relation,
                levels=levels,
                kind=feature.kind,
                required=feature.required,
                values=values,
            )
        )

    def _slot(self, feature: _Feature, levels: tuple[str, ...], relation: str) -> None:
        if relation:
            self.losses.add(f"{feature.label}: slots of relations are left out")
            return
        self.losses.add(f"{feature.label}: the roles of its slots are left out")
        of = levels or tuple(self.level_keys.values())
        self._relation(self.keys.make(feature.name), feature.label, feature.help, of, self._levels_of(feature.target))
