"""Scheme -> annotation schemes of MMAX2, one for each level, and the common_paths.xml that names them.

What MMAX2 cannot ask is taken out first and named. A condition becomes `next` of the value that leads to the question.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from annotations.formats.losses.rules import NOT_IN_XML
from annotations.formats.mmax2.scheme import ALWAYS_ASKED, ENTITY_NAME, NO_ANSWER, READINGS, make_key
from annotations.formats.model.document import FormatError
from annotations.formats.model.format import File
from annotations.formats.model.scheme import (
    CATEGORY,
    LISTED_KINDS,
    AnswerKind,
    AttributeSpec,
    CategorySpec,
    Condition,
    LevelSpec,
    RelationSpec,
    SchemeSpec,
    Subject,
)
from annotations.formats.schemes.mmax2_reading import COMMON_PATHS, SCHEME_SUFFIX
from annotations.formats.schemes.scheme_file import CATEGORIES, INDICES, POINTERS, with_identity
from annotations.formats.syntax.xml import escape

HEAD = '<?xml version="1.0" encoding="UTF-8"?>'
SETS = "coref_class"
MOST_TARGETS = 9999
MOST_BUTTONS = 6
PATHS = {
    "basedata": "Basedata/",
    "scheme": "Schemes/",
    "style": "Styles/",
    "customization": "Customizations/",
    "markable": "Markables/",
}


def write(spec: SchemeSpec, answers: str) -> tuple[list[File], list[str]]:
    """Return the scheme files, and what they cannot say. Raise FormatError on a scheme of pyramids."""
    spec, answers, losses = reduce_scheme(spec, answers)
    files = [File(COMMON_PATHS, _encode(_common_paths(spec)))]
    for level in spec.levels:
        lines = _LevelLines(spec, answers, level.key).lines() if level.coded else []
        data = _encode([HEAD, "<annotationscheme>", *lines, "</annotationscheme>"])
        files.append(File(f"Schemes/{level.key}{SCHEME_SUFFIX}", data))
    return files, losses


def reduce_scheme(spec: SchemeSpec, answers: str) -> tuple[SchemeSpec, str, list[str]]:
    """Return the scheme without what MMAX2 cannot say, how it is answered, and a sentence for each thing taken out.

    Raise FormatError on a scheme of pyramids.
    """
    if answers not in (POINTERS, INDICES, CATEGORIES):
        raise FormatError("a scheme of pyramids has no place in MMAX2", "mmax2")
    reduction = _Reduction(spec, answers)
    return reduction.reduce(), reduction.answers, reduction.losses


@dataclass(slots=True)
class _Reduction:
    """A scheme while what MMAX2 cannot say is taken out."""

    spec: SchemeSpec
    answers: str
    losses: list[str] = field(default_factory=list)
    # New keys of levels and questions by the old ones.
    level_keys: dict[str, str] = field(default_factory=dict)
    keys: dict[str, str] = field(default_factory=dict)

    def _lose(self, key: str, message: str) -> None:
        self.losses.append(f"{key}: {message}")

    def reduce(self) -> SchemeSpec:
        """Return the scheme that is left."""
        spec = self.spec = self._without_retired()
        self._rename(spec)
        levels = tuple(self._level(level) for level in spec.levels)
        coded = [level.key for level in levels if level.coded]
        self._link(spec)
        categories = tuple(self._category(category, spec) for category in spec.categories)
        offered = {each.key: {each.level} if each.level else set(coded) for each in categories}
        # On which levels each question is asked: an attribute where its condition can hold.
        asked_on: dict[str, set[str]] = {}
        others = [each for each in spec.relations if not each.identity]
        relations: dict[str, RelationSpec] = {}
        attributes: dict[str, AttributeSpec] = {}
        # A relation may follow from an attribute, and an attribute from a relation.
        waiting: list[RelationSpec | AttributeSpec] = [*others, *spec.attributes]
        while waiting:
            one = next((each for each in waiting if self._precondition(each) in {"", *asked_on}), None)
            if one is None:
                for each in waiting:
                    self._lose(each.key, "the question that leads to it is not in MMAX2; it is left out")
                break
            waiting.remove(one)
            on = self._levels_of(one, coded, offered, asked_on)
            if not on:
                self._lose(one.key, "no level asks it; it is left out")
                continue
            if isinstance(one, RelationSpec):
                relation = self._relation(one, on, coded)
                if relation is not None:
                    relations[one.key] = relation
                    asked_on[one.key] = on
            else:
                attributes[one.key] = self._attribute(one, on, coded)
                asked_on[one.key] = on
        levels = tuple(
            replace(level, coded=level.coded and any(level.key in on for on in [*offered.values(), *asked_on.values()]))
            for level in levels
        )
        for level in levels:
            if level.key in coded and not level.coded:
                self._lose(level.key, "the level asks nothing, and is not coded in MMAX2")
        coded_left = [level.key for level in levels if level.coded]
        every = set(coded_left)
        ordered_relations = self._in_order(
            [relations[each.key] for each in others if each.key in relations], coded_left
        )
        ordered_attributes = self._in_order(
            [attributes[each.key] for each in spec.attributes if each.key in attributes], coded_left
        )
        ordered_categories = self._in_order(list(categories), coded_left)

        def some(on: Sequence[str]) -> tuple[str, ...]:
            return () if set(on) == every else tuple(on)

        def fit[Spec: (RelationSpec, AttributeSpec)](one: Spec, on: Sequence[str]) -> Spec:
            """Return the question with a condition that names the categories of its levels alone, in their order."""
            if one.asked_if is None or one.asked_if.question != CATEGORY:
                return one
            named = [each for each in ordered_categories if each.key in one.asked_if.values]
            values = tuple(each.key for each in named if not each.level or each.level in on)
            return replace(one, asked_if=Condition(CATEGORY, values))

        relations_left = [
            replace(fit(one, one.from_levels), from_levels=some(one.from_levels)) for one in ordered_relations
        ]
        return SchemeSpec(
            levels,
            tuple(replace(each, level="" if [each.level] == coded_left else each.level) for each in ordered_categories),
            with_identity(ordered_categories, relations_left),
            tuple(replace(fit(one, one.levels), levels=some(one.levels)) for one in ordered_attributes),
        )

    def _without_retired(self) -> SchemeSpec:
        """Return the scheme without what is no longer offered, which MMAX2 would offer."""
        spec = self.spec
        questions: list[CategorySpec | RelationSpec | AttributeSpec] = [*spec.categories, *spec.relations]
        for question in [*questions, *spec.attributes]:
            if question.retired:
                self._lose(question.key, "it is retired, and left out")
        for attribute in spec.attributes:
            for value in attribute.values:
                if value.retired:
                    self._lose(f"{attribute.key}: {value.key}", "it is retired, and left out")
        categories = tuple(one for one in spec.categories if not one.retired)
        gone = {one.key for one in spec.categories if one.retired}
        return replace(
            spec,
            categories=categories,
            relations=tuple(
                one
                for one in spec.relations
                if not one.retired and not (one.identity and one.asked_if and gone.issuperset(one.asked_if.values))
            ),
            attributes=tuple(
                replace(one, values=tuple(value for value in one.values if not value.retired))
                for one in spec.attributes
                if not one.retired
            ),
        )

    def _rename(self, spec: SchemeSpec) -> None:
        """Choose keys: MMAX2 writes names of attributes in small letters, and reserves some."""
        for level in spec.levels:
            taken = {key.lower() for key in self.level_keys.values()}
            key = level.key if level.key.lower() not in taken else make_key(f"{level.key}-2", self.level_keys.values())
            self.level_keys[level.key] = key
            if key != level.key:
                self._lose(level.key, f"MMAX2 does not tell small letters from capitals; the level is called {key}")
        used = {CATEGORY, *(category.key for category in spec.categories)}
        self.keys |= {one.key: one.key for one in spec.relations if one.identity}
        others: list[RelationSpec | AttributeSpec] = [each for each in spec.relations if not each.identity]
        for one in [*others, *spec.attributes]:
            name = one.key.lower()
            if name in NO_ANSWER or name in ALWAYS_ASKED or name in (SETS, CATEGORY) or name.startswith(ENTITY_NAME):
                name = f"x-{name}"
            if name.endswith(READINGS):
                name = f"{name}-x"
            name = name if name[0].isalpha() else f"a{name}"
            key = make_key(name, used)
            used.add(key)
            self.keys[one.key] = key
            if key != one.key:
                self._lose(one.key, f"MMAX2 cannot call it so; it is called {key}")

    def _level(self, level: LevelSpec) -> LevelSpec:
        key = self.level_keys[level.key]
        if level.label != level.key:
            self._lose(level.key, f"the level is called by its key, not {level.label!r}")
        if level.coders_mark:
            self._lose(level.key, "MMAX2 does not say whether coders mark its markables")
        return LevelSpec(key, key, level.coded)

    def _link(self, spec: SchemeSpec) -> None:
        """Choose how identity is said: as the scheme has it, if any category says it."""
        says = {
            POINTERS: any(self._points(category, spec) for category in spec.categories),
            INDICES: any(category.takes_index for category in spec.categories),
            CATEGORIES: True,
        }[self.answers]
        if not says:
            self.losses.append("no category says identity, so that MMAX2 asks for categories only")
            self.answers = CATEGORIES

    def _points(self, category: CategorySpec, spec: SchemeSpec) -> RelationSpec | None:
        relation = spec.identity_relation(category.key)
        return relation if relation is not None and relation.to_levels else None

    def _category(self, category: CategorySpec, spec: SchemeSpec) -> CategorySpec:
        key = category.key
        relation = self._points(category, spec)
        self._texts(key, category.help, category.colour)
        if category.singleton:
            self._lose(key, "MMAX2 does not say that it is a singleton")
        if category.takes_index and self.answers != INDICES:
            self._lose(key, "the scheme does not answer by indices; it takes none")
        points_to, most = "", None
        if relation is not None and self.answers != POINTERS:
            self._lose(key, "the scheme does not answer by pointers; it takes none")
        elif relation is not None:
            points_to, most = self.level_keys[relation.to_levels[0]], self._most(relation)
            self._relation_losses(relation)
            if (relation.key, relation.label, relation.help) != (key, category.label, ""):
                self._lose(relation.key, f"the relation of identity is called as its category, {key}")
        return CategorySpec(
            key,
            _fit(category.label),
            points_to,
            most,
            takes_index=category.takes_index and self.answers == INDICES,
            takes_optional=category.takes_optional,
            level=self.level_keys[category.level] if category.level else "",
        )

    def _texts(self, key: str, help_text: str, colour: str = "") -> None:
        if help_text:
            self._lose(key, "its help is left out")
        if colour:
            self._lose(key, "its colour is left out")

    def _most(self, relation: RelationSpec) -> int | None:
        if relation.max_targets is not None and relation.max_targets > MOST_TARGETS:
            self._lose(relation.key, "MMAX2 does not bound its targets")
            return None
        return relation.max_targets

    def _relation_losses(self, relation: RelationSpec) -> None:
        key = relation.key
        if len(relation.to_levels) > 1:
            self._lose(key, f"a pointer of MMAX2 goes to one level: {self.level_keys[relation.to_levels[0]]}")
        if relation.joint:
            self._lose(key, "MMAX2 does not say that targets may be meant together")
        if relation.later:
            self._lose(key, "MMAX2 does not say whether a target may stand later")

    def _precondition(self, one: RelationSpec | AttributeSpec) -> str:
        """Return the key of the question that has to be there before this one; empty where there is none."""
        if isinstance(one, AttributeSpec) and one.of == Subject.RELATION:
            return "" if self._is_identity(one.relation) else one.relation
        condition = one.asked_if
        if condition is None or condition.question == CATEGORY:
            return ""
        key = condition.relation or condition.question
        return "" if self._is_identity(key) else key

    def _is_identity(self, relation: str) -> bool:
        return any(each.identity and each.key == relation for each in self.spec.relations)

    def _condition(self, one: RelationSpec | AttributeSpec) -> Condition | None:
        """Return when it is asked, in the words of the scheme: of a relation of identity where its category is."""
        relation = ""
        if isinstance(one, AttributeSpec) and one.of == Subject.RELATION:
            relation = one.relation
        elif one.asked_if is not None:
            relation = one.asked_if.relation
        if not relation:
            return one.asked_if
        identity = next((each for each in self.spec.relations if each.identity and each.key == relation), None)
        return Condition(relation=relation) if identity is None else identity.asked_if

    def _levels_of(
        self,
        one: RelationSpec | AttributeSpec,
        coded: Sequence[str],
        offered: Mapping[str, set[str]],
        asked_on: Mapping[str, set[str]],
    ) -> set[str]:
        """Return the coded levels where the question can come up."""
        named = one.from_levels if isinstance(one, RelationSpec) else one.levels
        on = {self.level_keys[key] for key in named} & set(coded) if named else set(coded)
        condition = self._condition(one)
        if condition is None:
            return on
        if condition.question == CATEGORY:
            return on & {level for value in condition.values for level in offered.get(value, ())}
        if condition.question and not self._in_scheme_order(condition, condition.question).values:
            return set()
        return on & asked_on[condition.relation or condition.question]

    def _relation(self, relation: RelationSpec, on: set[str], coded: Sequence[str]) -> RelationSpec | None:
        self._texts(relation.key, relation.help)
        if not relation.to_levels:
            self._lose(relation.key, "it is no longer offered, and left out")
            return None
        self._relation_losses(relation)
        return RelationSpec(
            self.keys[relation.key],
            _fit(relation.label),
            from_levels=tuple(level for level in coded if level in on),
            to_levels=(self.level_keys[relation.to_levels[0]],),
            max_targets=self._most(relation),
            asked_if=self._renamed(self._condition(relation)),
        )

    def _attribute(self, attribute: AttributeSpec, on: set[str], coded: Sequence[str]) -> AttributeSpec:
        key = attribute.key
        self._texts(key, attribute.help)
        for value in attribute.values:
            self._texts(f"{key}: {value.key}", value.help, value.colour)
        kind = attribute.kind
        if kind == AnswerKind.SEVERAL:
            self._lose(key, "one of its values can be chosen in MMAX2, not several")
        if kind == AnswerKind.NUMBER:
            self._lose(key, "a number is a free text in MMAX2")
        kind = AnswerKind.ONE if kind in LISTED_KINDS else AnswerKind.TEXT
        if attribute.required:
            self._lose(key, "MMAX2 does not require an answer")
        if attribute.of == Subject.ENTITY:
            self._lose(key, "MMAX2 asks it of each markable, not once of the entity")
        if attribute.primary_of:
            self._lose(key, "MMAX2 does not say that it is a second choice")
        condition = self._renamed(self._condition(attribute))
        of_relation = condition.relation if condition is not None else ""
        if attribute.of == Subject.RELATION and not of_relation:
            self._lose(key, "it is asked where the category of the relation is chosen")
        if attribute.of == Subject.RELATION and attribute.asked_if not in (
            None,
            Condition(relation=attribute.relation),
        ):
            self._lose(key, "MMAX2 asks it wherever the relation is set")
        if attribute.of != Subject.RELATION and attribute.asked_if is not None and attribute.asked_if.relation:
            self._lose(key, "it is a question of the relation by which it is asked")
        return AttributeSpec(
            self.keys[key],
            _fit(attribute.label),
            of=Subject.RELATION if of_relation else Subject.MARKABLE,
            relation=of_relation,
            levels=tuple(level for level in coded if level in on),
            kind=kind,
            asked_if=None if of_relation else condition,
            values=tuple(replace(value, label=_fit(value.label), help="", colour="") for value in attribute.values),
        )

    def _renamed(self, condition: Condition | None) -> Condition | None:
        if condition is None:
            return None
        if condition.question == CATEGORY:
            return self._in_scheme_order(condition)
        if condition.relation:
            return Condition(relation=self.keys[condition.relation])
        return self._in_scheme_order(replace(condition, question=self.keys[condition.question]), condition.question)

    def _in_scheme_order(self, condition: Condition, attribute: str = "") -> Condition:
        """Return the condition with its values in the order in which they are offered; others lead nowhere."""
        if attribute:
            values = next(one.values for one in self.spec.attributes if one.key == attribute)
            order = [value.key for value in values]
        else:
            order = [category.key for category in self.spec.categories]
        return replace(condition, values=tuple(value for value in order if value in condition.values))

    def _in_order[Spec: (CategorySpec, RelationSpec, AttributeSpec)](
        self, specs: list[Spec], coded: Sequence[str]
    ) -> list[Spec]:
        """Return the questions as the files have them, level by level."""

        def first_level(spec: Spec) -> int:
            if isinstance(spec, CategorySpec):
                on: Iterable[str] = [spec.level] if spec.level else coded
            else:
                on = spec.from_levels if isinstance(spec, RelationSpec) else spec.levels
            return min((coded.index(level) for level in on if level in coded), default=0)

        ordered = sorted(specs, key=first_level)
        if ordered != specs:
            self.losses.append("the order of questions of several levels is that of the levels")
        return ordered


def _fit(label: str) -> str:
    return " ".join(NOT_IN_XML.sub("\ufffd", label).split())


@dataclass(slots=True)
class _LevelLines:
    """The attributes of a level's file. The scheme is one that MMAX2 can hold."""

    spec: SchemeSpec
    answers: str
    level: str

    def lines(self) -> list[str]:
        """Return the elements of the file."""
        leads = self._leads()
        categories = [each for each in self.spec.categories if each.level in ("", self.level)]
        lines = self._category_lines(categories, leads)
        for one in self._questions():
            if isinstance(one, RelationSpec):
                pointer = _pointer_details(one.to_levels[0], one.max_targets, identity=False)
                lines += _attribute(one.key, one.label, "markable_pointer", _set_or_not(leads(one.key, "")), pointer)
            elif one.kind == AnswerKind.TEXT:
                lines += _attribute(one.key, one.label, "freetext", [(one.key, "", [])])
            else:
                kind = "nominal_button" if len(one.values) <= MOST_BUTTONS else "nominal_list"
                chosen = [(value.key, value.label, leads(one.key, value.key)) for value in one.values]
                lines += _attribute(one.key, one.label, kind, chosen)
        if any(category.takes_optional for category in categories):
            lines += _attribute("optional", "", "nominal_button", [("false", "", []), ("true", "", [])])
        return lines

    def _category_lines(self, categories: Sequence[CategorySpec], leads: Callable[[str, str], list[str]]) -> list[str]:
        """Return the categories with the pointers and sets by which they say identity."""
        names, values = self._identity_names(), []
        for category in categories:
            to = [names[category.key]] if category.key in names else []
            to += [SETS] if category.takes_index else []
            to += leads(CATEGORY, category.key)
            to += ["optional"] if category.takes_optional else []
            values.append((category.key, category.label, to))
        lines = _attribute(CATEGORY, "", "nominal_button", values) if values else []
        for category in categories:
            if category.key in names:
                pointer = _pointer_details(category.points_to, category.max_pointers, identity=True)
                lines += _attribute(names[category.key], category.label, "markable_pointer", _set_or_not([]), pointer)
        if any(category.takes_index for category in categories):
            lines += _attribute(SETS, "", "markable_set", [(SETS, "", [])])
        return lines

    def _questions(self) -> list[RelationSpec | AttributeSpec]:
        return [
            *(each for each in self.spec.relations if not each.identity and self._is_asked(each.from_levels)),
            *(each for each in self.spec.attributes if self._is_asked(each.levels)),
        ]

    def _is_asked(self, levels: Sequence[str]) -> bool:
        return not levels or self.level in levels

    def _identity_names(self) -> dict[str, str]:
        """Return what the pointer of each category that points is called."""
        used = {CATEGORY, *(each.key for each in self._questions())}
        names: dict[str, str] = {}
        for category in self.spec.categories:
            if category.points_to and self.answers == POINTERS:
                name = f"{category.key.lower()}_antecedent"
                names[category.key] = make_key(name if name[0].isalpha() else f"a{name}", used)
                used.add(names[category.key])
        return names

    def _leads(self) -> Callable[[str, str], list[str]]:
        """Return a function that names the questions to which the value of a question, or a pointer, leads."""
        found: dict[tuple[str, str], list[str]] = {}
        for one in self._questions():
            condition = one.asked_if
            if isinstance(one, AttributeSpec) and one.relation:
                condition = Condition(relation=one.relation)
            if condition is None:
                continue
            for value in condition.values or ("",):
                found.setdefault((condition.relation or condition.question, value), []).append(one.key)
        return lambda question, value: found.get((question, value), [])


def _pointer_details(domain: str, most: int | None, *, identity: bool) -> dict[str, str]:
    return {"target_domain": domain, "max_size": str(most or -1), "identity": "true" if identity else "false"}


def _set_or_not(leads: list[str]) -> list[tuple[str, str, list[str]]]:
    return [("not_set", "", []), ("set", "", leads)]


def _attribute(
    name: str,
    label: str,
    kind: str,
    values: Iterable[tuple[str, str, list[str]]],
    details: Mapping[str, str] | None = None,
) -> list[str]:
    """Return an attribute with its values, each with its label and the attributes that it leads to."""
    attributes = {"id": f"at_{name}", "name": name, "text": label, "type": kind, **(details or {})}
    lines = [f"<attribute{_format(attributes)}>"]
    for number, (value, text, leads) in enumerate(values, start=1):
        to = ",".join(f"at_{each}" for each in leads)
        details_of_value = {"id": f"v_{name}_{number}", "name": value, "text": text, "next": to}
        lines.append(f"<value{_format(details_of_value)}/>")
    return [*lines, "</attribute>"]


def _format(attributes: Mapping[str, str]) -> str:
    return "".join(f' {key}="{escape(value)}"' for key, value in attributes.items() if value)


def _common_paths(spec: SchemeSpec) -> list[str]:
    lines = [HEAD, "<common_paths>"]
    lines += [f"<{name}_path>{path}</{name}_path>" for name, path in PATHS.items()]
    lines.append("<annotations>")
    for level in spec.levels:
        attributes = {"name": level.key, "schemefile": f"{level.key}{SCHEME_SUFFIX}"}
        attributes["customization_file"] = f"{level.key}_customization.xml"
        lines.append(f"<level{_format(attributes)}>$_{level.key}_level.xml</level>")
    return [*lines, "</annotations>", "</common_paths>"]


def _encode(lines: Iterable[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()
