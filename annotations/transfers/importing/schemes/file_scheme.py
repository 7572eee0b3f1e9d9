"""The scheme of files: their scheme files, completed by the answers in the files."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from annotations.formats import Answer, Document, Links
from annotations.formats.mmax2.scheme import make_key
from annotations.formats.model.answers import SEPARATOR, KeysByName, format_value
from annotations.formats.model.document import Place, text_order
from annotations.formats.model.format import CATEGORY as CATEGORY_OPTION
from annotations.formats.model.format import LEVEL
from annotations.formats.model.judgement import targets_of
from annotations.formats.model.links import implied_category, indices_to_split
from annotations.formats.model.scheme import (
    CATEGORY,
    LISTED_KINDS,
    AnswerKind,
    AnswerValue,
    AttributeSpec,
    CategorySpec,
    LevelSpec,
    ReadyMadeScheme,
    RelationSpec,
    SchemeSpec,
    ValueSpec,
    identity_relations,
)
from annotations.formats.model.scheme_json import SchemeShapeError, scheme_from_json, scheme_to_json
from annotations.formats.schemes.scheme_file import fit_label
from annotations.models import Project
from annotations.schemes.consistency import (
    MAX_ATTRIBUTES,
    MAX_CATEGORIES,
    MAX_LEVELS,
    MAX_RELATIONS,
    MAX_VALUES,
    check_scheme,
)
from annotations.transfers.exporting.codings import LINKS
from annotations.transfers.importing.report import ImportFailed

ANSWERS = {links: answers for answers, links in LINKS.items()}
# The initial conventions of the agreement page, as in the most similar ready-made scheme.
CONVENTIONS = {
    Project.Answers.POINTERS: ("poesio-artstein-2005", "missing"),
    Project.Answers.INDICES: ("masi", "singleton"),
    Project.Answers.CATEGORIES: ("kappa", "missing"),
}
MAIN_LEVEL = "markable"
NO_WAYS: Mapping[str, str] = {}
WAY_OUT = "Choose other options of the format, or map their names onto a scheme."
MAX_PROBLEMS = 5
KEY = re.compile("[-a-zA-Z0-9_]{1,50}")


@dataclass(frozen=True, slots=True)
class FoundScheme:
    """A scheme made from files, and its keys by name in the files; other levels are left out."""

    spec: SchemeSpec
    answers: str
    levels: dict[str, str]
    categories: dict[str, str]
    relations: dict[str, str]
    attributes: dict[str, str]

    def is_like(self, spec: SchemeSpec, answers: str) -> bool:
        """Return whether a scheme has the same kind of answers and equal keys of levels, categories and attributes."""
        keys, own_keys = (
            [{row.key for row in of_kind} for of_kind in (scheme.levels, scheme.categories, scheme.attributes)]
            for scheme in (spec, self.spec)
        )
        return answers == self.answers and keys == own_keys

    @property
    def ready_made(self) -> ReadyMadeScheme:
        """The scheme in the form of a ready-made scheme."""
        agreement, unmarked = CONVENTIONS[Project.Answers(self.answers)]
        # Relations hold the target levels of categories, as they may have several.
        categories = tuple(
            replace(category, points_to="", max_pointers=None, allow_later=False) for category in self.spec.categories
        )
        return ReadyMadeScheme(
            "files",
            "from the files",
            "",
            self.answers,
            self.spec.levels,
            categories,
            agreement,
            unmarked,
            relations=self.spec.relations,
            attributes=self.spec.attributes,
        )


def build_scheme(documents: Iterable[Document], ways: Mapping[str, str] = NO_WAYS) -> FoundScheme:
    """Return the scheme of the documents. Raise ImportFailed; `ways` are options to advise if there is too much."""
    draft = _Draft()
    for document in documents:
        draft.add(document)
    if not draft.marks:
        raise ImportFailed("There are no markables in the files to make a scheme from.")
    found = draft.build(ways)
    try:
        scheme_from_json(scheme_to_json(found.spec, found.answers))
    except SchemeShapeError as error:
        problems = [str(problem) for problem in error.problems]
    else:
        problems = [str(problem) for problem in check_scheme(found.spec)]
    if problems:
        told = " ".join(problems[:MAX_PROBLEMS])
        numbers = f"{len(found.spec.levels)} levels and {len(found.spec.categories)} categories"
        raise ImportFailed(f"No scheme can be made from the files, which have {numbers}: {told} {WAY_OUT}")
    return found


@dataclass(slots=True)
class _Category:
    pointing_to: Counter[str] = field(default_factory=Counter)
    most: int = 0
    later: bool = False
    has_index: bool = False
    optional: bool = False

    def add(self, answer: Answer, *, later: bool) -> None:
        """Count an answer. later: whether it points to a later markable."""
        self.pointing_to.update(target.level for target in answer.pointers)
        self.most = max(self.most, len(answer.pointers))
        self.later = self.later or later
        self.has_index = self.has_index or bool(answer.indices)
        self.optional = self.optional or answer.optional


@dataclass(slots=True)
class _Relation:
    to_levels: dict[str, None] = field(default_factory=dict)
    joint: bool = False
    later: bool = False


@dataclass(slots=True)
class _Attribute:
    """The answers to an attribute in the files. values: the distinct values while they may be listed."""

    values: dict[str, None] = field(default_factory=dict)
    several: bool = False
    listed: bool = True
    numbers: bool = True

    def add(self, value: AnswerValue) -> None:
        self.numbers = self.numbers and isinstance(value, (int, float))
        words = value if isinstance(value, tuple) else format_value(value).split(SEPARATOR)
        self.several = self.several or isinstance(value, tuple) or len(words) > 1
        if self.listed:
            self.values |= dict.fromkeys(words)
            self.listed = len(self.values) <= MAX_VALUES and all(KEY.fullmatch(word) for word in words)

    @property
    def kind(self) -> AnswerKind:
        """The kind of answers; values that cannot be keys make the attribute a text."""
        if self.numbers:
            return AnswerKind.NUMBER
        if not self.listed:
            return AnswerKind.TEXT
        return AnswerKind.SEVERAL if self.several else AnswerKind.ONE


@dataclass(slots=True)
class _Draft:
    """The content of documents, in document order."""

    schemes: list[SchemeSpec] = field(default_factory=list)
    links: Counter[Links] = field(default_factory=Counter)
    marks: Counter[str] = field(default_factory=Counter)
    coded: set[str] = field(default_factory=set)
    pointed: set[str] = field(default_factory=set)
    # By name; unnamed ones by the level of the first target (None without one) and whether there is an index.
    categories: dict[str, _Category] = field(default_factory=dict)
    unnamed: dict[tuple[str | None, bool], _Category] = field(default_factory=dict)
    relations: dict[str, _Relation] = field(default_factory=dict)
    attributes: dict[str, _Attribute] = field(default_factory=dict)

    def add(self, document: Document) -> None:
        """Add the content of a document; entities made of other entities become a relation."""
        if document.links == Links.INDICES:
            document = indices_to_split(document)
        if document.scheme is not None and document.scheme not in self.schemes:
            self.schemes.append(document.scheme)
        order = {mark.place: text_order(mark) for mark in document.marks}
        for mark in document.marks:
            self.marks[mark.level] += 1
            answer = mark.answer
            if answer is None:
                continue
            self.coded.add(mark.level)
            if answer.category:
                category = self.categories.setdefault(answer.category, _Category())
            else:
                key = (answer.pointers[0].level if answer.pointers else None, bool(answer.indices))
                category = self.unnamed.setdefault(key, _Category())
            category.add(answer, later=any(order.get(target, ()) > order[mark.place] for target in answer.pointers))
            self.pointed |= {target.level for target in answer.pointers}
            self.links[document.links] += 1
            for name, value in answer.attributes:
                self.attributes.setdefault(name, _Attribute()).add(value)
            for name, readings in answer.relations:
                relation = self.relations.setdefault(name, _Relation())
                relation.joint = relation.joint or any(len(reading) > 1 for reading in readings)
                for target in targets_of(readings):
                    relation.to_levels[target.level] = None
                    relation.later = relation.later or order.get(target, ()) > order[mark.place]
                    self.pointed.add(target.level)

    def build(self, ways: Mapping[str, str]) -> FoundScheme:
        """Return the scheme. Raise ImportFailed if the files have too many questions."""
        self._refuse_too_many(ways)
        levels = self._levels()
        spec = SchemeSpec(tuple(levels.values()), ())
        main = next((name for name, level in levels.items() if level.coded), "")
        answers = ANSWERS[next((kind for kind in (Links.POINTERS, Links.INDICES) if self.links[kind]), Links.NONE)]
        keys = {name: level.key for name, level in levels.items()}
        named = {**keys, "": keys.get("") or keys[main]}
        categories = self._categories(answers, named)
        names = {name: category.key for name, category in categories.items()}
        for (level, has_index), found in self.unnamed.items():
            known = replace(spec, categories=tuple(categories.values()))
            pointers = () if level is None else (Place(named.get(level, keys[main]), ()),)
            key = implied_category(Answer(pointers=pointers, indices=("1",) if has_index else ()), known)
            if not key:
                category = _implied_category(categories.values(), pointers, has_index=has_index)
                key = category.key
                categories[key] = category
            name = next(name for name, category in categories.items() if category.key == key)
            if pointers:
                categories[name] = _with_pointers(categories[name], found, named)
                self.categories.setdefault(name, _Category()).pointing_to.update(found.pointing_to)
        used = {CATEGORY, *(category.key for category in categories.values())}
        others, relation_keys = self._other_relations(used, named)
        attributes, attribute_keys = self._attributes(used)
        spec = SchemeSpec(
            spec.levels, tuple(categories.values()), (*self._relations(categories, named), *others), tuple(attributes)
        ).with_pointing()
        level_keys = {name: key for name, key in keys.items() if name}
        return FoundScheme(spec, answers, level_keys, names, relation_keys, attribute_keys)

    def _refuse_too_many(self, ways: Mapping[str, str]) -> None:
        """Raise ImportFailed if there are more questions than a scheme may have, before any keys are made."""
        for noun, found, most, way in (
            ("levels", self.coded | self.pointed, MAX_LEVELS, ways.get(LEVEL.key)),
            ("categories", self.categories, MAX_CATEGORIES, ways.get(CATEGORY_OPTION.key)),
            ("attributes", self.attributes, MAX_ATTRIBUTES, None),
            ("relations", self.relations, MAX_RELATIONS, None),
        ):
            if len(found) > most + 1:  # levels and categories include the empty name
                raise ImportFailed(
                    f"No scheme can be made from the files: they have {len(found)} {noun}, and a scheme has at"
                    f" most {most}. {f'Say {way}.' if way else WAY_OUT}"
                )

    def _other_relations(self, used: set[str], keys: Mapping[str, str]) -> tuple[list[RelationSpec], dict[str, str]]:
        """Return the relations other than identity, first from scheme files, and their keys by name."""
        declared = {link.key: link for scheme in self.schemes for link in scheme.relations if not link.identity}
        relations, keys_by_name = [], {}
        for name in dict.fromkeys([*declared, *self.relations]):
            said, found = declared.get(name), self.relations.get(name, _Relation())
            key = keys_by_name[name] = name if said else make_key(name, used)
            used.add(key)
            relation = said or RelationSpec(key, fit_label(name, key))
            to_levels = dict.fromkeys([*relation.to_levels, *(keys[level] for level in found.to_levels)])
            relations.append(
                replace(
                    relation,
                    to_levels=tuple(to_levels),
                    joint=relation.joint or found.joint,
                    later=relation.later or found.later,
                )
            )
        return relations, keys_by_name

    def _attributes(self, used: set[str]) -> tuple[list[AttributeSpec], dict[str, str]]:
        """Return the attributes, first from scheme files, and their keys by name."""
        declared = {attribute.key: attribute for scheme in self.schemes for attribute in scheme.attributes}
        attributes = list(declared.values())
        keys_by_name = {key: key for key in declared}
        used |= declared.keys()
        by_name = KeysByName(declared)
        for name, found in self.attributes.items():
            if by_name.find(name) is not None:
                continue
            key = keys_by_name[name] = make_key(name, used)
            used.add(key)
            kind = found.kind
            specs = tuple(ValueSpec(value, value) for value in found.values) if kind in LISTED_KINDS else ()
            attributes.append(AttributeSpec(key, fit_label(name, key), kind=kind, values=specs))
        return attributes, keys_by_name

    def _levels(self) -> dict[str, LevelSpec]:
        """Return the levels that are coded or pointed at, by name; without coded levels, all of them."""
        declared = {level.key: level for scheme in self.schemes for level in scheme.levels}
        coded = self.coded or {key for key, level in declared.items() if level.coded} or set(self.marks)
        if "" in coded and declared:  # markables without a level are on the main level
            coded = (coded - {""}) | {scheme.main_level for scheme in self.schemes if scheme.main_level}
        declared_coded = {key for key, level in declared.items() if level.coded}
        wanted = coded | self.pointed | declared_coded
        names = [name for name in dict.fromkeys([*declared, *self.marks]) if name in wanted and (name or not declared)]
        # Markables without a level are on the first coded level.
        names.sort(key=lambda name: name != "")
        levels: dict[str, LevelSpec] = {}
        for name in names:
            key = make_key(name or MAIN_LEVEL, [level.key for level in levels.values()])
            label = declared[name].label if name in declared else name or MAIN_LEVEL
            levels[name] = LevelSpec(key, fit_label(label, key), name in coded | declared_coded)
        return levels

    def _categories(self, answers: str, keys: dict[str, str]) -> dict[str, CategorySpec]:
        """Return the categories by name: first from scheme files, then from answers alone."""
        declared = {category.key: category for scheme in self.schemes for category in scheme.categories}
        categories: dict[str, CategorySpec] = {}
        used = set[str]()
        for name in dict.fromkeys([*declared, *(name for name in self.categories if name)]):
            said = declared.get(name)
            found = self.categories.get(name, _Category())
            key = make_key(name, used)
            used.add(key)
            category = said or CategorySpec(key, fit_label(name, key))
            if answers == Project.Answers.POINTERS:
                category = replace(_with_pointers(category, found, keys), takes_index=False)
            else:
                takes_index = answers == Project.Answers.INDICES and (category.takes_index or found.has_index)
                category = replace(
                    category, points_to="", max_pointers=None, allow_later=False, takes_index=takes_index
                )
            optional = category.takes_optional or found.optional
            level = keys.get(category.level, "") if category.level else ""
            categories[name] = replace(category, key=key, takes_optional=optional, level=level)
        return categories

    def _relations(self, categories: dict[str, CategorySpec], keys: dict[str, str]) -> Iterable[RelationSpec]:
        """Return the identity relations, each to all levels to which its category points."""
        by_key = {category.key: name for name, category in categories.items()}
        for relation in identity_relations(categories.values()):
            found = self.categories.get(by_key[relation.key], _Category())
            levels = dict.fromkeys([*relation.to_levels, *(keys[level] for level in found.pointing_to)])
            yield replace(relation, to_levels=tuple(levels))


def _with_pointers(category: CategorySpec, found: _Category, keys: Mapping[str, str]) -> CategorySpec:
    """Return the category extended to allow the pointers in the files."""
    pointing = category.points_to or next((keys[level] for level, _ in found.pointing_to.most_common(1)), "")
    most = category.max_pointers
    return replace(
        category,
        points_to=pointing,
        allow_later=category.allow_later or found.later,
        max_pointers=None if most is not None and found.most > most else most,
    )


def _implied_category(known: Iterable[CategorySpec], pointers: Sequence[Place], *, has_index: bool) -> CategorySpec:
    """Return a category for answers without a category and with these links."""
    used = {category.key for category in known}
    if pointers:
        level = pointers[0].level
        name = "coreference" if "coreference" not in used else f"coreference-{level}"
        return CategorySpec(make_key(name, used), fit_label(name), points_to=level)
    name = "refers" if has_index else "none"
    return CategorySpec(make_key(name, used), name, takes_index=has_index)
