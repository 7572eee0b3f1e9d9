"""Read annotation schemes of MMAX2. As in texts, values whose `next` is a pointer or set are categories."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from annotations.formats.mmax2.elements import COMMON_PATHS, SCHEME_FILE
from annotations.formats.mmax2.scheme import (
    NO_ANSWER,
    Attribute,
    Kind,
    Question,
    QuestionBuilder,
    Value,
    is_own_name,
    level_key,
    read_scheme,
)
from annotations.formats.model import scheme as specs
from annotations.formats.model.findings import FormatError
from annotations.formats.model.links import OTHER_RELATION, says_identity
from annotations.formats.schemes.files import base_name, find_by_name, xml_of
from annotations.formats.schemes.scheme_file import SchemeFile, SchemeReader, fit_label, fit_question, make_keys
from annotations.formats.syntax.xml import local_name

MAX_LEVELS = 50
ANSWERS = {Kind.POINTER: specs.POINTERS, Kind.SET: specs.INDICES}


class _LevelFile(NamedTuple):
    name: str
    file: str
    attributes: tuple[Attribute, ...]


def read(files: Mapping[str, bytes], name: str) -> SchemeFile:
    """Return the scheme of MMAX2 scheme files, one for each level. Raise FormatError with file and line."""
    levels, declared = _read_levels(files, name)
    every = [attribute for level in levels for attribute in level.attributes]
    kind = Kind.SET if any(attribute.kind == Kind.SET for attribute in every) else Kind.NOMINAL
    kind = Kind.POINTER if any(_is_identity(attribute, every) for attribute in every) else kind
    merger = _Merger(name)
    names = dict.fromkeys([level.name for level in levels] + declared)
    known = {name.lower() for name in names}
    targets = (attribute.domain for attribute in every if attribute.kind == Kind.POINTER)
    keys = make_keys([*names, *(target for target in targets if target and target.lower() not in known)])
    if len(keys) > MAX_LEVELS:
        raise FormatError(f"there are more than {MAX_LEVELS} levels", name)
    lookup = {level_name.lower(): key for level_name, key in keys.items()} | keys
    coded = set[str]()
    before = 0
    for level in levels:
        if _Level(level, keys[level.name], lookup, kind, merger).add_questions(before):
            coded.add(keys[level.name])
        before += len(level.attributes)
    if not coded:
        raise FormatError("this scheme asks nothing: it has no nominal attribute, free text, set or pointer", name)
    built = tuple(specs.LevelSpec(key, fit_label(level_name, key), key in coded) for level_name, key in keys.items())
    return merger.build(built, ANSWERS.get(kind, specs.CATEGORIES))


def _read_levels(files: Mapping[str, bytes], name: str) -> tuple[list[_LevelFile], list[str]]:
    """Return the levels with their attributes, and the names of all declared levels."""
    common = find_by_name(files, COMMON_PATHS)
    places: dict[str, str] = {}
    declared: list[str] = []
    if common is not None:
        for element in xml_of(files, common).iter("{*}level"):
            level = element.get("name", "").strip()
            if not level:
                raise FormatError("a level has no name", common, element.sourceline)
            declared.append(level)
            scheme = base_name(element.get("schemefile", "").strip()) or f"{level}{SCHEME_FILE}"
            if file := find_by_name(files, scheme):
                places[level] = file
    else:
        for path in sorted(files):
            is_named = path.lower().endswith(".xml" if len(files) == 1 else SCHEME_FILE)
            if is_named and local_name(xml_of(files, path).tag) == "annotationscheme":
                level = base_name(path)[: -len(".xml")].removesuffix("_scheme") or "markable"
                places.setdefault(level, path)
    if not places:
        raise FormatError("no scheme file of MMAX2 is in it: XML with <annotationscheme>", name)
    if max(len(places), len(declared)) > MAX_LEVELS:
        raise FormatError(f"there are more than {MAX_LEVELS} levels", name)
    read_files = {file: read_scheme(xml_of(files, file), file) for file in dict.fromkeys(places.values())}
    return [_LevelFile(level, file, read_files[file]) for level, file in places.items()], declared


def _is_identity(attribute: Attribute, attributes: Sequence[Attribute]) -> bool:
    """Return whether a pointer expresses identity: as the file says, else by its name and the names of others."""
    if attribute.kind != Kind.POINTER:
        return False
    if attribute.identity is not None:
        return attribute.identity
    pointers = [attribute for attribute in attributes if attribute.kind == Kind.POINTER]
    if any(attribute.identity is not None or says_identity(attribute.name) for attribute in pointers):
        return says_identity(attribute.name)
    return not any(attribute.kind == Kind.SET for attribute in attributes) and not OTHER_RELATION.search(attribute.name)


type _Spec = specs.CategorySpec | specs.RelationSpec | specs.AttributeSpec


@dataclass(slots=True)
class _Merged:
    """A question with its name and first position in the files, and the keys of its levels."""

    name: str
    spec: _Spec
    levels: list[str]
    place: int


class _Merger(SchemeReader):
    """The questions of all levels. Questions in the same words on several levels are merged."""

    def __init__(self, file: str) -> None:
        super().__init__(file)
        self.merged: dict[str, _Merged] = {}

    def merge(self, spec: _Spec, level: str, place: int = 0) -> str:
        """Add a question of a level and return its key. place: its position in the files; 0 for categories."""
        for key, known in self.merged.items():
            if known.name == spec.key and level not in known.levels and (both := _merge(known.spec, spec)):
                known.spec = both
                known.levels.append(level)
                return key
        key = self.make_key(spec.key)
        self.merged[key] = _Merged(spec.key, replace(spec, key=key), [level], place)
        return key

    def build(self, levels: Sequence[specs.LevelSpec], answers: str) -> SchemeFile:
        coded = [level.key for level in levels if level.coded]
        categories: list[specs.CategorySpec] = []
        relations: list[specs.RelationSpec] = []
        attributes: list[specs.AttributeSpec] = []
        for question in sorted(self.merged.values(), key=lambda question: question.place):
            on = [key for key in coded if key in question.levels]
            some = () if len(on) == len(coded) else tuple(on)
            match question.spec:
                case specs.CategorySpec() as category:
                    if 1 < len(on) < len(coded):
                        names = ", ".join(question.levels)
                        self.add(f"the category {category.key} is offered on {names} only; here on every coded level")
                    categories.append(replace(category, level=on[0] if len(some) == 1 else ""))
                case specs.RelationSpec() as relation:
                    relations.append(replace(relation, from_levels=some))
                case specs.AttributeSpec() as attribute:
                    attributes.append(replace(attribute, levels=some))
        return self.scheme_file(levels, categories, relations, _with_questions_first(attributes), answers)


def _merge(known: _Spec, spec: _Spec) -> _Spec | None:
    """Return the questions of two levels as one, with the condition values of both; None if they differ."""
    spec = replace(spec, key=known.key)
    if spec == known:
        return known
    if isinstance(known, specs.CategorySpec) or isinstance(spec, specs.CategorySpec):
        return None
    condition, other = known.asked_if, spec.asked_if
    if replace(spec, asked_if=condition) != known or condition is None or other is None:
        return None
    if condition.relation or condition.question != other.question:
        return None
    values = dict.fromkeys((*condition.values, *other.values))
    return replace(known, asked_if=specs.Condition(condition.question, tuple(values)))


def _with_questions_first(attributes: Iterable[specs.AttributeSpec]) -> list[specs.AttributeSpec]:
    """Return the attributes in their order, but each after the attribute of its condition."""
    waiting = list(attributes)
    ordered: dict[str, specs.AttributeSpec] = {}
    while waiting:
        done = {"", specs.CATEGORY, *ordered}
        attribute = next(each for each in waiting if each.asked_if is None or each.asked_if.question in done)
        waiting.remove(attribute)
        ordered[attribute.key] = attribute
    return list(ordered.values())


# A source of an attribute: CATEGORY or the id of another attribute, and its value; empty for a pointer.
type _Source = tuple[str, str]


class _Level:
    """The scheme file of a level, from which its questions are made."""

    def __init__(self, level: _LevelFile, key: str, levels: Mapping[str, str], kind: Kind, merger: _Merger) -> None:
        self.name, self.file, self.key = level.name, level.file, key
        self.levels, self.merger = levels, merger
        every = level.attributes
        self.by_id = {attribute.id: attribute for attribute in every}
        says = {attribute.id for attribute in every if attribute.kind != Kind.POINTER or _is_identity(attribute, every)}
        asked = [attribute for attribute in every if attribute.id in says and attribute.name not in NO_ANSWER]
        self.question = Question()
        if kind != Kind.NOMINAL:
            self.question = QuestionBuilder(asked, key, levels, kind, "").question()
        has_category = any(each.name == specs.CATEGORY and each.kind == Kind.NOMINAL and each.values for each in asked)
        if not self.question.coded and has_category:
            self.question = QuestionBuilder(asked, key, levels, Kind.NOMINAL, "").question()
        self.linked = {link.name for link in self.question.links}
        self.left = [attribute for attribute in every if self._is_question(attribute)]
        self.category_keys: dict[str, str] = {}
        # The keys of questions by the id of their attribute, and of their values by their names in the file.
        self.made: dict[str, str] = {}
        self.values: dict[str, dict[str, str]] = {}

    def _is_question(self, attribute: Attribute) -> bool:
        name = attribute.name
        if is_own_name(name) or name in self.question.branches or name in self.linked:
            return False
        if attribute.kind == Kind.SET:
            self._lose(f"{name}: a scheme has one set or pointer that says identity; this one is left out")
            return False
        if attribute.kind == Kind.NOMINAL and not attribute.values:
            self._lose(f"{name}: it has no values and is left out")
            return False
        return True

    def _lose(self, message: str) -> None:
        self.merger.add(f"{self.name}: {message}", file=self.file)

    def add_questions(self, before: int) -> bool:
        """Add the questions of the level; return whether it has any. before: the number of earlier attributes."""
        for category in self.question.categories:
            spec = replace(category, label=fit_label(category.label, category.key))
            self.category_keys[category.key] = self.merger.merge(spec, self.key)
        sources = self._sources()
        waiting = list(self.left)
        while waiting:
            known = {specs.CATEGORY, *self.made}
            ready = next((each for each in waiting if known.issuperset(by for by, _ in sources[each.id])), None)
            if ready is None:
                ready = waiting[0]
                self._lose(f"{ready.name}: it is asked by its own answer in the end; here it is asked always")
                sources[ready.id] = []
            waiting.remove(ready)
            place = before + list(self.by_id).index(ready.id)
            self.made[ready.id] = self.merger.merge(self._spec(ready, sources[ready.id]), self.key, place)
        return bool(self.question.categories or self.made)

    def _sources(self) -> dict[str, list[_Source]]:
        """Return the sources of each question by its id: categories, values of other attributes, or set pointers."""
        sources: dict[str, list[_Source]] = {attribute.id: [] for attribute in self.left}
        left = set(sources)
        for attribute in self.by_id.values():
            for value in attribute.values:
                for identity in value.next:
                    if identity in left:
                        sources[identity] += self._sources_of(attribute, value)
                    elif identity not in self.by_id:
                        self._lose(f"{attribute.name}: {value.name} leads to {identity[:100]!r}, which is not there")
        return sources

    def _sources_of(self, attribute: Attribute, value: Value) -> list[_Source]:
        if attribute.name in self.question.branches:
            return [(specs.CATEGORY, key) for key in self._categories_below(attribute.name, value.name)]
        if attribute.name in self.linked:
            # A pointer of identity is set if its category is chosen.
            roots = (each for root in self.question.branches for each in self.by_id.values() if each.name == root)
            leading = ((root, value) for root in roots for value in root.values if attribute.id in value.next)
            return [source for root, value in leading for source in self._sources_of(root, value)]
        if attribute.kind == Kind.POINTER:
            return [(attribute.id, "")] if value.name.lower() != "not_set" else []
        return [(attribute.id, value.name)] if attribute in self.left else []

    def _categories_below(self, name: str, value: str) -> list[str]:
        """Return the categories that remain possible once an attribute has a value."""
        found: list[str] = []
        waiting, seen = [self.question.branches[name].get(value)], {name}
        while waiting:
            branch = waiting.pop()
            if branch is None:
                continue
            if branch.category:
                found.append(self.category_keys[branch.category])
            elif branch.inner not in seen:
                seen.add(branch.inner)
                waiting += self.question.branches[branch.inner].values()
        return sorted(dict.fromkeys(found), key=list(self.category_keys.values()).index)

    def _spec(self, attribute: Attribute, sources: Sequence[_Source]) -> specs.RelationSpec | specs.AttributeSpec:
        condition = self._condition(attribute, sources)
        label, help_text = fit_question(attribute.label, attribute.name)
        if attribute.kind == Kind.POINTER:
            return specs.RelationSpec(
                attribute.name,
                label,
                help=help_text,
                to_levels=(level_key(self.levels, attribute.domain, self.key),),
                max_targets=attribute.most,
                asked_if=condition,
            )
        labels = {value.name: value.label for value in reversed(attribute.values)}
        keys = make_keys(value.name for value in attribute.values) if attribute.kind == Kind.NOMINAL else {}
        self.values[attribute.id] = keys
        of_relation = condition.relation if condition else ""
        return specs.AttributeSpec(
            attribute.name,
            label,
            help=help_text,
            of=specs.Subject.RELATION if of_relation else specs.Subject.MARKABLE,
            relation=of_relation,
            kind=specs.AnswerKind.ONE if attribute.kind == Kind.NOMINAL else specs.AnswerKind.TEXT,
            asked_if=None if of_relation else condition,
            values=tuple(specs.ValueSpec(key, fit_label(labels[name], name)) for name, key in keys.items()),
        )

    def _condition(self, attribute: Attribute, sources: Sequence[_Source]) -> specs.Condition | None:
        """Return the condition of an attribute; None without sources, or if one condition cannot express them."""
        questions = list(dict.fromkeys(by for by, _ in sources))
        if not questions:
            return None
        if len(questions) > 1:
            names = [key if key == specs.CATEGORY else self.by_id[key].name for key in questions]
            self._lose(f"{attribute.name}: it is asked by {' and by '.join(names)}; here it is asked always")
            return None
        question = questions[0]
        values = tuple(dict.fromkeys(value for _, value in sources))
        if question == specs.CATEGORY:
            return specs.Condition(specs.CATEGORY, values)
        if self.by_id[question].kind == Kind.POINTER:
            return specs.Condition(relation=self.made[question])
        keys = self.values[question]
        if not keys.keys() >= set(values):
            self._lose(f"{attribute.name}: it is asked by {self.by_id[question].name}, a text; here it is asked always")
            return None
        return specs.Condition(self.made[question], tuple(dict.fromkeys(keys[value] for value in values)))
