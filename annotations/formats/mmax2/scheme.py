"""Annotation schemes of MMAX2: the questions of a level. Values that lead to sets or pointers are categories."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from annotations.formats.model.findings import FormatError
from annotations.formats.model.links import OTHER_RELATION
from annotations.formats.model.scheme import CategorySpec
from annotations.formats.syntax.xml import local_name

if TYPE_CHECKING:
    from lxml import etree

MAX_KEY_LENGTH = 50
MAX_ATTRIBUTES = 200
MAX_VALUES = 1000
UNSET = ("", "empty", "none", "not_set")
# `phrase_antecedent_2` is the second reading of `phrase_antecedent`.
READING = re.compile(r"(?P<first>.+)_(?:[2-9]|[1-9][0-9]{1,3})")
SET_NAME = re.compile("set_[0-9]+")
LIMIT = re.compile("[0-9]{1,4}")
POINTER_NAME = re.compile("(?:(?P<level>[^:;]+):)?markable_[0-9]+")
# Attributes that describe a markable but answer no question.
NO_ANSWER = frozenset({"label", "number", "speaker", "stands_for", "min_ids", "min_words", "id", "span", "mmax_level"})
# Attributes that every judgement may have, without a question in the scheme.
ALWAYS_ASKED = frozenset({"optional", "unsure", "note", "comment", "chain_name"})
ENTITY_NAME = "entity_name"
# `bridging_readings="1+2;3"`: the first two targets of `bridging` form one reading.
READINGS = "_readings"


class Kind(StrEnum):
    NOMINAL = "nominal"
    FREETEXT = "freetext"
    SET = "markable_set"
    POINTER = "markable_pointer"


class Value(NamedTuple):
    name: str
    label: str = ""
    next: tuple[str, ...] = ()  # ids of the attributes that are asked if it is chosen


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute of a scheme. id and name are in small letters, as data and scheme may differ in case."""

    id: str
    name: str
    kind: Kind
    values: tuple[Value, ...] = ()
    domain: str = ""
    most: int | None = None  # the maximum number of targets of a pointer
    label: str = ""  # the text shown to annotators
    identity: bool | None = None  # whether a pointer makes chains; None if the file does not say


class Link(NamedTuple):
    """A set or pointer attribute, and the key of the level of its targets."""

    name: str
    domain: str


class Branch(NamedTuple):
    """The consequence of a value: a category, or another attribute to ask."""

    category: str = ""
    inner: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """The questions of a level: links, categories, relations and further attributes."""

    kind: Kind = Kind.FREETEXT
    links: tuple[Link, ...] = ()
    root: str = ""
    # The branch of each value, for the attributes that determine the category.
    branches: Mapping[str, Mapping[str, Branch]] = field(default_factory=dict)
    categories: tuple[CategorySpec, ...] = ()
    declared: frozenset[str] = frozenset()
    relations: tuple[Link, ...] = ()  # the pointers that do not express identity
    # The other attributes, each with its values by lower-case value; empty for a free text.
    further: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    @property
    def coded(self) -> bool:
        return bool(self.links or self.root)

    def category(self, attributes: Mapping[str, str]) -> str | None:
        """Return the category from the attributes of a markable; empty if unset, None if unknown."""
        name = self.root
        while name:
            value = attributes.get(name, "")
            branch = self.branches[name].get(value) or self.branches[name].get(value.lower())
            if branch is None:
                return "" if value.lower() in UNSET else None
            if branch.category:
                return branch.category
            name = branch.inner
        return ""


def is_own_name(name: str) -> bool:
    """Return whether an attribute name has a fixed meaning here, regardless of the scheme."""
    return name in NO_ANSWER | ALWAYS_ASKED or name.startswith(ENTITY_NAME) or name.endswith(READINGS)


def make_key(name: str, others: Collection[str] = ()) -> str:
    """Return a unique key made from a name, of letters, digits, `-` and `_`."""
    ascii_only = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    plain = re.sub(r"[^-a-zA-Z0-9_]+", "-", ascii_only).strip("-")[:MAX_KEY_LENGTH] or "level"
    key, number = plain, 2
    while key in others:
        key = f"{plain[: MAX_KEY_LENGTH - 8]}-{number}"
        number += 1
    return key


def read_scheme(root: etree._Element, file: str) -> tuple[Attribute, ...]:
    if local_name(root.tag) != "annotationscheme":
        message = f"a scheme file holds <annotationscheme>, not <{local_name(root.tag)}>"
        raise FormatError(message, file, root.sourceline)
    attributes: list[Attribute] = []
    left = MAX_VALUES
    for element in root.iter("{*}attribute"):
        # `next` names the attributes by id, in capital or small letters.
        identity, name = element.get("id", "").strip().lower(), element.get("name", "").strip().lower()
        if not identity or not name:
            raise FormatError("an attribute of a scheme has an id and a name", file, element.sourceline)
        values = tuple(value for child in element.iterchildren("{*}value") if (value := _read_value(child)).name)
        left -= len(values)
        most = element.get("max_size", "").strip()
        attributes.append(
            Attribute(
                identity,
                name,
                _parse_kind(element.get("type", "nominal_list")),
                values,
                element.get("target_domain", "").strip(),
                int(most) or None if LIMIT.fullmatch(most) else None,
                element.get("text", "").strip() or element.get("name", "").strip(),
                {"true": True, "false": False}.get(element.get("identity", "").strip().lower()),
            )
        )
        if len(attributes) > MAX_ATTRIBUTES or left < 0:
            message = f"a scheme has at most {MAX_ATTRIBUTES} attributes and {MAX_VALUES} values"
            raise FormatError(message, file, element.sourceline)
    return tuple(attributes)


def _read_value(element: etree._Element) -> Value:
    leads = (lead.strip().lower() for lead in element.get("next", "").split(","))
    following = tuple(dict.fromkeys(lead for lead in leads if lead))
    return Value(element.get("name", "").strip(), element.get("text", "").strip(), following)


def _parse_kind(name: str) -> Kind:
    name = name.strip().lower()
    if name.startswith("nominal"):
        return Kind.NOMINAL
    return next((kind for kind in (Kind.SET, Kind.POINTER) if name.split(":")[0] == kind), Kind.FREETEXT)


def guess_attributes(rows: Iterable[Mapping[str, str]]) -> tuple[Attribute, ...]:
    """Return the attributes of a level without a scheme file, guessed from their values."""
    values: dict[str, dict[str, None]] = {}
    for attributes in rows:
        for name, value in attributes.items():
            if name not in NO_ANSWER:
                values.setdefault(name, {})[value] = None
    return tuple(_guess_attribute(name, texts) for name, texts in values.items())


def _guess_attribute(name: str, values: Iterable[str]) -> Attribute:
    pieces = [piece.strip() for value in values if value.lower() not in UNSET for piece in value.split(";")]
    if pieces and all(SET_NAME.fullmatch(piece) for piece in pieces):
        return Attribute(name, name, Kind.SET)
    targets = [POINTER_NAME.fullmatch(piece) for piece in pieces]
    domains = [target["level"] or "" for target in targets if target]
    if domains and len(domains) == len(pieces):
        return Attribute(name, name, Kind.POINTER, domain=domains[0])
    return Attribute(name, name, Kind.FREETEXT)


def choose_kind(schemes: Iterable[Sequence[Attribute]], chosen: str) -> Kind:
    """Return the kind of a project's links: pointers, else sets, else NOMINAL. FREETEXT if `chosen` is unknown."""
    attributes = [attribute for scheme in schemes for attribute in scheme]
    if chosen:
        return next((attribute.kind for attribute in attributes if attribute.name == chosen), Kind.FREETEXT)
    pointers = [attribute for attribute in attributes if attribute.kind == Kind.POINTER]
    if any(not _is_other(attribute) for attribute in pointers):
        return Kind.POINTER
    if any(attribute.kind == Kind.SET for attribute in attributes):
        return Kind.SET
    return Kind.POINTER if any(attribute.identity is not False for attribute in pointers) else Kind.NOMINAL


def _is_other(pointer: Attribute) -> bool:
    """Return whether a pointer is a relation other than identity, by the file or else by its name."""
    return not pointer.identity if pointer.identity is not None else bool(OTHER_RELATION.search(pointer.name))


def level_key(keys: Mapping[str, str], name: str, other: str = "") -> str:
    """Return the key of the level with a name, exact or in small letters; `other` if there is none."""
    return keys.get(name) or keys.get(name.lower()) or other


def add_further(question: Question, attributes: Sequence[Attribute], level: str, keys: Mapping[str, str]) -> Question:
    """Return the question with the other attributes of its level; pointers are relations only on coded levels."""
    read = {link.name for link in question.links} | question.branches.keys()
    left = [attribute for attribute in attributes if attribute.name not in read and not is_own_name(attribute.name)]
    pointers = [attribute for attribute in left if attribute.kind == Kind.POINTER and question.coded]
    relations = tuple(Link(attribute.name, level_key(keys, attribute.domain, level)) for attribute in pointers)
    further = {
        each.name: {value.name.lower(): value.name for value in each.values} if each.kind == Kind.NOMINAL else {}
        for each in left
        if each.kind in (Kind.NOMINAL, Kind.FREETEXT)
    }
    return replace(question, relations=relations, further=further)


class QuestionBuilder:
    """A builder of the question of a level from its attributes. chosen: the only attribute to use, or empty."""

    def __init__(
        self, attributes: Sequence[Attribute], level: str, keys: Mapping[str, str], kind: Kind, chosen: str
    ) -> None:
        self.attributes, self.kind = attributes, kind
        self.reached = _reachable_attributes(attributes)
        self.first_readings = {(attribute.kind, _first_reading(attribute.name)) for attribute in attributes}
        self.categories: dict[str, CategorySpec] = {}
        self.links: list[Attribute] = []  # the sets or pointers that express identity
        candidates = [attribute for attribute in attributes if not chosen or attribute.name == chosen]
        if kind == Kind.NOMINAL:
            nominal = [each for each in candidates if each.kind == kind and each.name not in ("optional", "unsure")]
            self.root = next((each for each in nominal if each.name == "category"), next(iter(nominal), None))
        else:
            self.root = self._choose_root(_link_attributes(candidates, kind))
        # The target level of each link, by the link's id.
        self.domains = {link.id: level_key(keys, link.domain, level) for link in self.links}

    def _choose_root(self, links: Sequence[Attribute]) -> Attribute | None:
        """Return the root attribute; keep the links under it and the links under no attribute."""
        names, reached = {link.id for link in links}, self.reached
        roots = [each for each in self.attributes if each.kind == Kind.NOMINAL and names & reached[each.id]]
        led = {identity for attribute in roots for identity in reached[attribute.id]}
        # Prefer roots that no other root leads to, and of these the root with most links.
        first = [each for each in roots if not any(each.id in reached[other.id] for other in roots)] or roots
        root = max(first, key=lambda attribute: len(names & reached[attribute.id]), default=None)
        below = reached[root.id] if root else set()
        self.links += [link for link in links if link.id in below] + [link for link in links if link.id not in led]
        return root

    def question(self) -> Question:
        if self.root is None and not self.links:
            return Question()
        firsts = {link.name: link for link in self.links}
        links = dict.fromkeys(Link(link.name, self.domains[link.id]) for link in self.links)
        for attribute in self.attributes:
            first = firsts.get(_first_reading(attribute.name))
            if first and attribute.kind == first.kind and attribute.name not in firsts:
                links[Link(attribute.name, self.domains[first.id])] = None
        branches = self._build_branches(self.root) if self.root else {}
        if self.root is None:
            # No nominal attribute leads to the sets or pointers.
            for link in self.links:
                self._add_category(link.name, link.name, [link])
            self.categories.setdefault("none", CategorySpec("none", "none"))
        root, categories = self.root.name if self.root else "", tuple(self.categories.values())
        declared = frozenset(attribute.name for attribute in self.attributes) - NO_ANSWER
        return Question(self.kind, tuple(links), root, branches, categories, declared)

    def _add_category(self, name: str, label: str, to: Sequence[Attribute], *, optional: bool = False) -> str:
        """Add a category that leads to these sets or pointers, and return its key."""
        key = make_key(name, self.categories)
        category = CategorySpec(key, label, takes_optional=optional)
        if self.kind == Kind.SET:
            category = replace(category, takes_index=bool(to))
        elif to:
            limits = [0 if (link.kind, link.name) in self.first_readings else link.most or 0 for link in to]
            most = max(limits) if all(limits) else None
            category = replace(category, points_to=self.domains[to[0].id], max_pointers=most)
        self.categories[key] = category
        return key

    def _build_branches(self, root: Attribute) -> dict[str, dict[str, Branch]]:
        """Return the branches of the root by attribute and value, and add their categories."""
        by_id = {attribute.id: attribute for attribute in self.attributes}
        branches: dict[str, dict[str, Branch]] = {}
        seen, left = {root.id}, [root]
        while left:
            attribute = left.pop()
            branch = branches.setdefault(attribute.name, {})
            for value in attribute.values:
                if value.name in branch:
                    continue
                following = [by_id[key] for key in value.next if key in by_id]
                after = {identity for each in following for identity in (each.id, *self.reached[each.id])}
                to = [link for link in self.links if link.id in after]
                nominal = (attribute for attribute in following if attribute.kind == Kind.NOMINAL)
                inner = next((each for each in nominal if not self.reached[each.id].isdisjoint(self.domains)), None)
                # A value that leads to several levels is replaced by the values of the attribute it leads to.
                if len({self.domains[link.id] for link in to}) > 1 and inner and inner.id not in seen:
                    seen.add(inner.id)
                    left.append(inner)
                    branch[value.name] = Branch(inner=inner.name)
                else:
                    optional = any(attribute.name == "optional" for attribute in following)
                    key = self._add_category(value.name, value.label or value.name, to, optional=optional)
                    branch[value.name] = Branch(key)
            for name, followed in list(branch.items()):
                branch.setdefault(name.lower(), followed)
        return branches


def _link_attributes(attributes: Sequence[Attribute], kind: Kind) -> list[Attribute]:
    """Return the attributes of a kind that may express identity: one set, or pointers that are no other relation.

    Further readings are left out, as they follow the first. If all pointers are other relations, all are returned.
    """
    of_kind = {each.name: each for each in attributes if each.kind == kind and each.identity is not False}
    links = [attribute for attribute in of_kind.values() if _first_reading(attribute.name) not in of_kind]
    if kind == Kind.SET:
        return sorted(links, key=lambda attribute: not attribute.name.startswith("coref"))[:1]
    return [attribute for attribute in links if not _is_other(attribute)] or links


def _first_reading(name: str) -> str:
    reading = READING.fullmatch(name)
    return reading["first"] if reading else ""


def _reachable_attributes(attributes: Sequence[Attribute]) -> dict[str, set[str]]:
    """Return the ids of all attributes that the values of each attribute lead to, by its id."""
    leads: dict[str, set[str]] = {attribute.id: set() for attribute in attributes}
    for attribute in attributes:
        leads[attribute.id].update(key for value in attribute.values for key in value.next if key in leads)
    reached = {}
    for start in leads:
        reached[start] = set[str]()
        left = [start]
        while left:
            new = leads[left.pop()] - reached[start]
            reached[start] |= new
            left += new
    return reached
