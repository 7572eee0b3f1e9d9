"""Write a scheme as annotation schemes of MMAX2, one per level, with common_paths.xml and a list of losses."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from annotations.formats.losses.rules import NOT_IN_XML
from annotations.formats.mmax2 import elements
from annotations.formats.mmax2.scheme import READINGS, Value, is_own_name, make_key
from annotations.formats.model import scheme as specs
from annotations.formats.model.findings import FormatError
from annotations.formats.model.format import File

SETS = "coref_class"
MAX_TARGETS = 9999
MAX_BUTTONS = 6

type _Question = specs.RelationSpec | specs.AttributeSpec


def write(spec: specs.SchemeSpec, answers: str) -> tuple[list[File], list[str]]:
    """Return the scheme files and the losses. Raise FormatError on a scheme of pyramids."""
    if answers not in (specs.POINTERS, specs.INDICES, specs.CATEGORIES):
        raise FormatError("a scheme of pyramids has no place in MMAX2", "mmax2")
    writer = _Writer(spec, answers)
    return writer.files(), writer.losses


class _Writer:
    """The writer of a scheme. losses: a sentence for each fact that MMAX2 cannot express."""

    def __init__(self, spec: specs.SchemeSpec, answers: str) -> None:
        self.answers = answers
        self.losses: list[str] = []
        self.spec = spec = self._without_retired(spec)
        self.identity = {relation.key: relation for relation in spec.relations if relation.identity}
        self.questions: list[_Question] = [
            *(relation for relation in spec.relations if not relation.identity),
            *spec.attributes,
        ]
        # The names of levels and questions in MMAX2, by their keys.
        self.levels = self._name_levels()
        self.names = self._name_questions()

    def _lose(self, key: str, losses: Mapping[str, object]) -> None:
        self.losses += [f"{key}: {sentence}" for sentence, is_true in losses.items() if is_true]

    def _without_retired(self, spec: specs.SchemeSpec) -> specs.SchemeSpec:
        """Return the scheme without its retired parts, which MMAX2 would offer."""
        categories, relations = self._offered(spec.categories), self._offered(spec.relations)
        attributes = self._offered(spec.attributes)
        values = {attribute.key: self._offered(attribute.values, f"{attribute.key}: ") for attribute in spec.attributes}
        gone = {category.key for category in spec.categories if category.retired}
        relations = tuple(
            relation
            for relation in relations
            if not (relation.identity and relation.asked_if and gone.issuperset(relation.asked_if.values))
        )
        attributes = tuple(replace(attribute, values=values[attribute.key]) for attribute in attributes)
        return replace(spec, categories=categories, relations=relations, attributes=attributes)

    def _offered[Spec: (specs.CategorySpec, specs.RelationSpec, specs.AttributeSpec, specs.ValueSpec)](
        self, listed: Sequence[Spec], where: str = ""
    ) -> tuple[Spec, ...]:
        for spec in listed:
            self._lose(f"{where}{spec.key}", {"it is retired, and left out": spec.retired})
        return tuple(spec for spec in listed if not spec.retired)

    def _name_levels(self) -> dict[str, str]:
        names: dict[str, str] = {}
        for level in self.spec.levels:
            taken = {name.lower() for name in names.values()}
            name = level.key if level.key.lower() not in taken else make_key(f"{level.key}-2", names.values())
            message = f"MMAX2 does not tell small letters from capitals; the level is called {name}"
            self._lose(level.key, {message: name != level.key})
            names[level.key] = name
        return names

    def _name_questions(self) -> dict[str, str]:
        """Return the names of questions by key: MMAX2 writes names in small letters, and reserves some."""
        used = {specs.CATEGORY, *(category.key for category in self.spec.categories)}
        names: dict[str, str] = {}
        for question in self.questions:
            name = question.key.lower()
            if name.endswith(READINGS):
                name = f"{name}-x"
            if name in (SETS, specs.CATEGORY) or is_own_name(name):
                name = f"x-{name}"
            names[question.key] = make_key(name if name[0].isalpha() else f"a{name}", used)
            used.add(names[question.key])
            message = f"MMAX2 cannot call it so; it is called {names[question.key]}"
            self._lose(question.key, {message: names[question.key] != question.key})
        return names

    def files(self) -> list[File]:
        for level in self.spec.levels:
            losses = {
                f"the level is called by its key, not {level.label!r}": level.label != level.key,
                "MMAX2 does not say whether coders mark its markables": level.coders_mark,
            }
            self._lose(level.key, losses)
        coded = [self.levels[level.key] for level in self.spec.levels if level.coded]
        self._choose_answers()
        categories = [self._category(category) for category in self.spec.categories]
        offered = {category.key: {category.level} if category.level else set(coded) for category in categories}
        asked_on = self._find_levels(coded, offered)
        asking = {level for levels in (*offered.values(), *asked_on.values()) for level in levels}
        for name in coded:
            self._lose(name, {"the level asks nothing, and is not coded in MMAX2": name not in asking})
        coded = [name for name in coded if name in asking]
        relations = [relation for relation in self.spec.relations if relation.key in asked_on]
        attributes = [attribute for attribute in self.spec.attributes if attribute.key in asked_on]
        questions: list[_Question] = [
            *self._by_level(relations, asked_on, coded),
            *self._by_level(attributes, asked_on, coded),
        ]
        categories = self._by_level(categories, offered, coded)
        files = [File(elements.COMMON_PATHS, elements.encode(elements.common_paths(self.levels.values())))]
        for name in self.levels.values():
            here = [question for question in questions if name in asked_on[question.key]]
            lines = self._lines(name, categories, here) if name in coded else []
            files.append(File(f"Schemes/{name}{elements.SCHEME_FILE}", elements.encode(elements.scheme(lines))))
        return files

    def _by_level[Spec: (specs.CategorySpec, specs.RelationSpec, specs.AttributeSpec)](
        self, questions: list[Spec], asked_on: Mapping[str, set[str]], coded: Sequence[str]
    ) -> list[Spec]:
        """Return the questions in the order of the files, level by level."""
        order = {level: number for number, level in enumerate(coded)}
        ordered = sorted(
            questions, key=lambda question: min((order[on] for on in asked_on[question.key] if on in order), default=0)
        )
        if ordered != questions:
            self.losses.append("the order of questions of several levels is that of the levels")
        return ordered

    def _choose_answers(self) -> None:
        """Keep the scheme's way to express identity if a category uses it; else choose categories only."""
        says = {
            specs.POINTERS: any(self._pointer(category) for category in self.spec.categories),
            specs.INDICES: any(category.takes_index for category in self.spec.categories),
            specs.CATEGORIES: True,
        }[self.answers]
        if not says:
            self.losses.append("no category says identity, so that MMAX2 asks for categories only")
            self.answers = specs.CATEGORIES

    def _pointer(self, category: specs.CategorySpec) -> specs.RelationSpec | None:
        relation = self.spec.identity_relation(category.key)
        return relation if relation is not None and relation.to_levels else None

    def _category(self, category: specs.CategorySpec) -> specs.CategorySpec:
        """Return the category as MMAX2 can offer it, with the level that it points to."""
        relation = self._pointer(category)
        self._lose_texts(category.key, category.help, category.colour)
        losses = {
            "MMAX2 does not say that it is a singleton": category.singleton,
            "the scheme does not answer by indices; it takes none": category.takes_index
            and self.answers != specs.INDICES,
            "the scheme does not answer by pointers; it takes none": relation and self.answers != specs.POINTERS,
        }
        self._lose(category.key, losses)
        points_to, most = "", None
        if relation is not None and self.answers == specs.POINTERS:
            points_to, most = self.levels[relation.to_levels[0]], self._most(relation)
            self._lose_of_relation(relation)
            differs = (relation.key, relation.label, relation.help) != (category.key, category.label, "")
            self._lose(relation.key, {f"the relation of identity is called as its category, {category.key}": differs})
        return specs.CategorySpec(
            category.key,
            _fit(category.label),
            points_to,
            most,
            takes_index=category.takes_index and self.answers == specs.INDICES,
            takes_optional=category.takes_optional,
            level=self.levels[category.level] if category.level else "",
        )

    def _lose_texts(self, key: str, help_text: str, colour: str = "") -> None:
        self._lose(key, {"its help is left out": help_text, "its colour is left out": colour})

    def _most(self, relation: specs.RelationSpec) -> int | None:
        too_many = relation.max_targets is not None and relation.max_targets > MAX_TARGETS
        self._lose(relation.key, {"MMAX2 does not bound its targets": too_many})
        return None if too_many else relation.max_targets

    def _lose_of_relation(self, relation: specs.RelationSpec) -> None:
        level = self.levels[relation.to_levels[0]]
        losses = {
            f"a pointer of MMAX2 goes to one level: {level}": len(relation.to_levels) > 1,
            "MMAX2 does not say that targets may be meant together": relation.joint,
            "MMAX2 does not say whether a target may stand later": relation.later,
        }
        self._lose(relation.key, losses)

    def _condition(self, question: _Question) -> specs.Condition | None:
        """Return the condition of a question; for an identity relation, its category is the condition."""
        relation = question.asked_if.relation if question.asked_if else ""
        if isinstance(question, specs.AttributeSpec) and question.of == specs.Subject.RELATION:
            relation = question.relation
        if not relation:
            return question.asked_if
        return self.identity[relation].asked_if if relation in self.identity else specs.Condition(relation=relation)

    def _find_levels(self, coded: Sequence[str], offered: Mapping[str, set[str]]) -> dict[str, set[str]]:
        """Return the levels of each question by its key: the levels on which its condition can hold."""
        asked_on: dict[str, set[str]] = {}
        values = {attribute.key: {value.key for value in attribute.values} for attribute in self.spec.attributes}
        # A relation may depend on an attribute, and an attribute on a relation.
        waiting = list(self.questions)
        while waiting:
            known = {"", specs.CATEGORY, *asked_on}
            question = next((question for question in waiting if _source(self._condition(question)) in known), None)
            if question is None:
                break
            condition = self._condition(question)
            waiting.remove(question)
            named = question.from_levels if isinstance(question, specs.RelationSpec) else question.levels
            on = {self.levels[key] for key in named} & set(coded) if named else set(coded)
            if condition is not None and condition.question == specs.CATEGORY:
                on &= {level for value in condition.values for level in offered.get(value, ())}
            elif (
                condition is not None and condition.question and values[condition.question].isdisjoint(condition.values)
            ):
                on = set()
            elif condition is not None:
                on &= asked_on[_source(condition)]
            self._lose(question.key, {"no level asks it; it is left out": not on})
            if on and self._is_said(question, condition):
                asked_on[question.key] = on
        for question in waiting:
            self._lose(question.key, {"the question that leads to it is not in MMAX2; it is left out": True})
        return asked_on

    def _is_said(self, question: _Question, condition: specs.Condition | None) -> bool:
        """Return whether MMAX2 can ask a question, and add the losses of the question."""
        self._lose_texts(question.key, question.help)
        if isinstance(question, specs.RelationSpec):
            self._lose(question.key, {"it is no longer offered, and left out": not question.to_levels})
            if question.to_levels:
                self._lose_of_relation(question)
                self._most(question)
            return bool(question.to_levels)
        for value in question.values:
            self._lose_texts(f"{question.key}: {value.key}", value.help, value.colour)
        of_relation, asked_if = question.of == specs.Subject.RELATION, question.asked_if
        by_category = of_relation and not (condition and condition.relation)
        losses = {
            "one of its values can be chosen in MMAX2, not several": question.kind == specs.AnswerKind.SEVERAL,
            "a number is a free text in MMAX2": question.kind == specs.AnswerKind.NUMBER,
            "MMAX2 does not require an answer": question.required,
            "MMAX2 asks it of each markable, not once of the entity": question.of == specs.Subject.ENTITY,
            "MMAX2 does not say that it is a second choice": question.primary_of,
            "it is asked where the category of the relation is chosen": by_category,
            "MMAX2 asks it wherever the relation is set": of_relation
            and asked_if not in (None, specs.Condition(relation=question.relation)),
            "it is a question of the relation by which it is asked": not of_relation and asked_if and asked_if.relation,
        }
        self._lose(question.key, losses)
        return True

    def _lines(self, level: str, categories: Sequence[specs.CategorySpec], questions: Sequence[_Question]) -> list[str]:
        leads: dict[tuple[str, str], list[str]] = {}
        elements.add_leads(leads, ((question, self._condition(question)) for question in questions), self.names)
        used = {specs.CATEGORY, *(self.names[question.key] for question in questions)}
        pointers: dict[str, str] = {}
        for category in categories:
            if category.points_to:
                name = f"{category.key.lower()}_antecedent"
                pointers[category.key] = make_key(name if name[0].isalpha() else f"a{name}", used)
                used.add(pointers[category.key])
        here = [category for category in categories if category.level in ("", level)]
        optional = [category.key for category in here if category.takes_optional]
        for key in optional:
            leads.setdefault((specs.CATEGORY, key), []).append("optional")
        lines = elements.categories(here, pointers, [SETS], leads) if here else []
        for category in here:
            if category.key in pointers:
                name, most = pointers[category.key], category.max_pointers
                lines += elements.pointer(name, category.label, category.points_to, most, identity=True)
        if any(category.takes_index for category in here):
            lines += elements.attribute(SETS, "markable_set", [Value(SETS)])
        for question in questions:
            kind = "nominal_list"
            if isinstance(question, specs.AttributeSpec) and len(question.values) <= MAX_BUTTONS:
                kind = "nominal_button"
            lines += elements.further(self._fitted(question), self.names[question.key], level, leads, kind)
        return lines + (elements.flag("optional") if optional else [])

    def _fitted(self, question: _Question) -> _Question:
        label = _fit(question.label)
        if isinstance(question, specs.RelationSpec):
            most = question.max_targets if (question.max_targets or 0) <= MAX_TARGETS else None
            return replace(question, label=label, max_targets=most, to_levels=(self.levels[question.to_levels[0]],))
        values = tuple(replace(value, label=_fit(value.label)) for value in question.values)
        kind = specs.AnswerKind.ONE if question.kind in specs.LISTED_KINDS else specs.AnswerKind.TEXT
        return replace(question, label=label, kind=kind, values=values)


def _source(condition: specs.Condition | None) -> str:
    """Return the question or relation on which the condition depends; empty for none."""
    return condition.relation or condition.question if condition else ""


def _fit(label: str) -> str:
    return " ".join(NOT_IN_XML.sub("\ufffd", label).split())
