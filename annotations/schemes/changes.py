"""The effects of a change of a project's scheme, before it is made.

No answers are lost: parts in use are retired or merged instead of removed. They are narrowed only if no judgement has a
forbidden answer then. The database is queried for such judgements question by question.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet

from annotations.formats.model.scheme import (
    CATEGORY,
    LISTED_KINDS,
    AttributeSpec,
    CategorySpec,
    Condition,
    RelationSpec,
    SchemeSpec,
    ValueSpec,
)
from annotations.formats.model.scheme_json import scheme_to_json
from annotations.models import AttributeAnswer, Coding, Judgement, Markable, Pointer, Project
from annotations.models.people.rights import Person, Right
from annotations.projects.permissions import project_for
from annotations.schemes.consistency import SchemeProblem, check_scheme
from annotations.schemes.project_scheme import read_scheme

MAX_VIOLATIONS = 50  # texts with violations listed for each question
MAX_MERGES = 200
# Fields for display, and what coders may mark: without effect on answers.
WORDING = ("label", "help", "colour", "coders_mark")


@dataclass(frozen=True, slots=True)
class Merge:
    """A merge of a category or a value of a question into another one, which its judgements get."""

    question: str
    value: str
    into: str

    @property
    def kind(self) -> str:
        """The kind of question: categories, or an attribute."""
        return "category" if self.question == CATEGORY else "attribute"


@dataclass(frozen=True, slots=True)
class Effect:
    """The numbers of judgements, texts and coders that a change of a question affects."""

    kind: str
    question: str
    change: str
    judgements: int
    texts: int
    coders: int


@dataclass(frozen=True, slots=True)
class Violation:
    """Judgements of a text with answers that the scheme would forbid; `text` is the address."""

    kind: str
    question: str
    text: str
    title: str
    judgements: int
    coders: int


@dataclass(frozen=True, slots=True)
class SchemeChange:
    """The effects of a change. With problems it is not made."""

    problems: list[SchemeProblem] = field(default_factory=list)
    effects: list[Effect] = field(default_factory=list)
    violations: list[Violation] = field(default_factory=list)
    changes: bool = False
    asks_otherwise: bool = False  # it changes the possible answers, not only words and order


def asks_otherwise(project: Project, spec: SchemeSpec, answers: str | None = None) -> bool:
    """Return whether the scheme changes the possible answers of the project. Reads no judgement."""
    return _asked(read_scheme(project.pk).spec, project.answers) != _asked(spec, answers or project.answers)


def project_to_change(user: Person, slug: str, spec: SchemeSpec, answers: str, merges: Sequence[Merge] = ()) -> Project:
    """Return the project. Once it has texts, only a user who sees all work may change the possible answers."""
    # Others may change words and order. Rejecting other changes by their answers would disclose answers, gold and
    # models; so would a query whether there are any.
    project = project_for(user, slug, Right.MANAGE)
    if (merges or asks_otherwise(project, spec, answers)) and project.texts.exists():
        return project_for(user, slug, Right.MANAGE_WORK)
    return project


def _asked(spec: SchemeSpec, answers: str) -> object:
    return _without_wording(scheme_to_json(spec.with_pointing(), answers))


def _without_wording(value: Any) -> object:
    """Return a scheme as JSON, or a part of it, without display fields and order."""
    if isinstance(value, dict):
        return {name: _without_wording(part) for name, part in value.items() if name not in WORDING}
    if isinstance(value, list) and all(isinstance(part, dict) for part in value):
        return {part["key"]: _without_wording(part) for part in value}
    return sorted(value) if isinstance(value, list) else value


def plan_change(
    project: Project, spec: SchemeSpec, *, answers: str | None = None, merges: Sequence[Merge] = ()
) -> SchemeChange:
    """Return the effects of replacing the project's scheme. Nothing is written."""
    # The result discloses numbers and texts of judgements, so it is for users who see all work, except for changes of
    # words. Two queries for each narrowed question or value in use.
    answers = answers or project.answers
    spec = spec.with_pointing()
    before = read_scheme(project.pk).spec
    problems = [*check_scheme(spec), *_merge_problems(before, spec, merges)]
    otherwise = bool(merges) or _asked(before, project.answers) != _asked(spec, answers)
    if answers != project.answers:
        problems += _problems_of_answers(project, answers)
    change = SchemeChange(problems, changes=otherwise or before != spec, asks_otherwise=otherwise)
    if problems or not otherwise:
        return change
    comparison = Comparison(project, before, spec, merges)
    for taken in comparison.taken():
        effect = taken.effect()
        if effect.judgements:
            numbers = f"Judgements: {effect.judgements}, texts: {effect.texts}, coders: {effect.coders}."
            change.problems.append(SchemeProblem(taken.kind, taken.question, f"{taken.message} {numbers}"))
            change.violations.extend(taken.violations())
    change.problems.extend(comparison.levels_with_markables())
    change.effects.extend(changed.effect() for changed in comparison.changed())
    return change


def _problems_of_answers(project: Project, answers: str) -> Iterator[SchemeProblem]:
    kind = "answers"
    if Coding.objects.filter(text__project=project).begun().exists():
        yield SchemeProblem(kind, answers, "How coders say identity is not changed once they have begun.")
    pyramids = Project.Answers.SCUS in (answers, project.answers)
    if pyramids and (project.texts.exists() or project.docsets.exists()):
        yield SchemeProblem(kind, answers, "A project with texts does not become one of pyramids, nor the other way.")


def _merge_problems(before: SchemeSpec, after: SchemeSpec, merges: Sequence[Merge]) -> Iterator[SchemeProblem]:
    if len(merges) > MAX_MERGES:
        yield SchemeProblem("merge", "merges", f"At most {MAX_MERGES} values are merged at a time.")
        return
    old, new = _values_by_question(before), _values_by_question(after)
    merged = {(merge.question, merge.value) for merge in merges}
    if len(merged) < len(merges):
        yield SchemeProblem("merge", "merges", "A value is merged twice.")
    for merge in merges:
        message = ""
        if merge.question not in old or merge.question not in new:
            message = "No question of this key has values, before and after."
        elif merge.value not in old[merge.question]:
            message = f"There is no value {merge.value!r} to be merged."
        elif merge.into not in new[merge.question]:
            message = f"There is no value {merge.into!r} to merge {merge.value!r} into."
        elif (kept := new[merge.question].get(merge.value)) is not None and not kept.retired:
            message = f"The value {merge.value!r} is merged: leave it out of the scheme, or retire it."
        elif (merge.question, merge.into) in merged:
            message = f"{merge.value!r} is merged into {merge.into!r}, which is merged itself."
        if message:
            yield SchemeProblem(merge.kind, merge.question, message)


def _values_by_question(spec: SchemeSpec) -> dict[str, dict[str, CategorySpec | ValueSpec]]:
    """Return the categories, and the listed values of each attribute, by key."""
    listed = {attribute.key: attribute.values for attribute in spec.attributes if attribute.kind in LISTED_KINDS}
    questions: dict[str, Sequence[CategorySpec | ValueSpec]] = {CATEGORY: spec.categories, **listed}
    return {question: {value.key: value for value in values} for question, values in questions.items()}


@dataclass(frozen=True, slots=True)
class Concerned:
    """Judgements affected by a change of a question, with the change or the problem."""

    kind: str
    question: str
    message: str
    judgements: QuerySet[Judgement]

    def effect(self) -> Effect:
        """Return the numbers of affected judgements, texts and coders."""
        numbers = self.judgements.order_by().aggregate(
            judgements=Count("pk", distinct=True),
            texts=Count("coding__text", distinct=True),
            coders=Count("coding__coder", distinct=True),
        )
        return Effect(self.kind, self.question, self.message, **numbers)

    def violations(self) -> list[Violation]:
        """Return the texts, up to the limit."""
        rows = (
            self.judgements.order_by()
            .values("coding__text__slug", "coding__text__title")
            .annotate(judgements=Count("pk", distinct=True), coders=Count("coding__coder", distinct=True))
            .order_by("coding__text__slug")
            .values_list("coding__text__slug", "coding__text__title", "judgements", "coders")
        )
        return [Violation(self.kind, self.question, *row) for row in rows[:MAX_VIOLATIONS]]


@dataclass(frozen=True, slots=True)
class MovedPointers:
    """The pointers of a merged category, which move to the identity relation of the new category, if any."""

    category: str
    relation: str
    to: str


class Comparison:
    """The scheme of a project and another one, with the judgements that a difference affects."""

    def __init__(self, project: Project, before: SchemeSpec, after: SchemeSpec, merges: Iterable[Merge]) -> None:
        self.project = project
        self.before = before
        self.after = after
        self.merges = list(merges)
        self.into = {(merge.question, merge.value): merge.into for merge in self.merges}
        self.moved = [
            MovedPointers(value, old.key, new.key if new is not None else "")
            for (question, value), into in self.into.items()
            if question == CATEGORY and (old := before.identity_relation(value)) is not None
            for new in [after.identity_relation(into)]
        ]
        self.judgements = Judgement.objects.filter(coding__text__project=project)
        self.new_categories = {category.key: category for category in after.categories}
        self.new_relations = {relation.key: relation for relation in after.relations}
        self.new_attributes = {attribute.key: attribute for attribute in after.attributes}

    @cached_property
    def in_use(self) -> set[tuple[str, str]]:
        """The categories and values in use, each with its question. Two queries."""
        categories = self.judgements.filter(category__isnull=False).order_by().values_list("category__key").distinct()
        answers = AttributeAnswer.objects.filter(attribute__project=self.project, value__isnull=False).order_by()
        values = answers.values_list("attribute__key", "value__key").distinct()
        return {*((CATEGORY, key) for (key,) in categories), *values}

    def taken(self) -> Iterator[Concerned]:
        """Yield the removals, each with the judgements that they affect."""
        yield from self._levels()
        for category in self.before.categories:
            yield from self._category(category)
        for relation in self.before.relations:
            yield from self._relation(relation)
        for attribute in self.before.attributes:
            yield from self._attribute(attribute)

    def changed(self) -> Iterator[Concerned]:
        """Yield merges and retirements, each with the judgements that they affect."""
        old, new = _values_by_question(self.before), _values_by_question(self.after)
        for merge in self.merges:
            values = {**old[merge.question], **new[merge.question]}
            message = f"{values[merge.value].label} is merged into {values[merge.into].label}."
            yield Concerned(merge.kind, merge.question, message, self._answering(merge.question, merge.value))
        for category in _retired(self.before.categories, self.after.categories):
            yield Concerned("category", category.key, "It is retired.", self._answering(CATEGORY, category.key))
        for relation in _retired(self.before.relations, self.after.relations):
            yield Concerned("relation", relation.key, "It is retired.", self._pointing(relation.key))
        retired = _retired(self.before.attributes, self.after.attributes)
        for attribute in self.before.attributes:
            key = attribute.key
            if attribute in retired:
                yield Concerned("attribute", key, "It is retired.", self._answering(key))
            if key in self.new_attributes:
                for value in _retired(attribute.values, self.new_attributes[key].values):
                    yield Concerned("attribute", key, f"{value.key} is retired.", self._answering(key, value.key))

    def levels_with_markables(self) -> Iterator[SchemeProblem]:
        kept = {level.key for level in self.after.levels}
        for level in self.before.levels:
            markables = Markable.objects.filter(level__project=self.project, level__key=level.key)
            if level.key not in kept and markables.exists():
                yield SchemeProblem("level", level.key, "It has markables, and cannot be left out.")

    def _answering(self, question: str, value: str | None = None) -> QuerySet[Judgement]:
        """Return the judgements that answer a question, or answer it with this value."""
        # A scheme may have thousands of values, so values without answers are not queried.
        if value is not None and (question, value) not in self.in_use:
            return self.judgements.none()
        if question == CATEGORY:
            return self.judgements.filter(category__key=value)
        answers = AttributeAnswer.objects.filter(judgement=OuterRef("pk"), attribute__key=question)
        if value is not None:
            answers = answers.filter(value__key=value)
        return self.judgements.filter(Exists(answers))

    def _pointing(self, relation: str) -> QuerySet[Judgement]:
        return self.judgements.filter(_points(relation))

    def _is_set(self, relation: str) -> Q:
        """Return the condition that a judgement will have targets of a relation after the merges."""
        is_set = Q(_points(relation))
        if leaving := [moved.category for moved in self.moved if moved.relation == relation != moved.to]:
            is_set &= ~Q(category__key__in=leaving)
        for moved in self.moved:
            if moved.to == relation != moved.relation:
                is_set |= Q(_points(moved.relation), category__key=moved.category)
        return is_set

    def _unasked(self, having: QuerySet[Judgement], condition: Condition | None) -> QuerySet[Judgement]:
        """Return the judgements that do not meet the condition after the merges."""
        if condition is None:
            return having.none()
        if condition.relation:
            return having.exclude(self._is_set(condition.relation))
        merged = {value: into for (question, value), into in self.into.items() if question == condition.question}
        values = {value for value in condition.values if value not in merged}
        values |= {value for value, into in merged.items() if into in condition.values}
        if condition.question == CATEGORY:
            return having.exclude(category__key__in=values)
        answers = AttributeAnswer.objects.filter(
            judgement=OuterRef("pk"), attribute__key=condition.question, value__key__in=values
        )
        return having.filter(~Exists(answers))

    def _condition_narrows(self, old: Condition | None, new: Condition | None) -> bool:
        if new is None:
            return False
        merged = any(question == new.question for question, _ in self.into)
        return old is None or merged or self._loses_pointers(new.relation) or old != new

    def _loses_pointers(self, relation: str) -> bool:
        return any(moved.relation == relation != moved.to for moved in self.moved)

    def _levels(self) -> Iterator[Concerned]:
        coded = set(self.after.coded_levels)
        for level in self.before.levels:
            if level.coded and level.key not in coded:
                having = self.judgements.filter(markable__level__key=level.key)
                yield Concerned("level", level.key, "Its markables are judged: it cannot become uncoded.", having)

    def _lost_levels(self, old: Sequence[str], new: Sequence[str]) -> set[str]:
        """Return the levels where a question is no longer asked; an empty list means all coded levels."""
        return {*(old or self.before.coded_levels)} - {*(new or self.after.coded_levels)}

    def _category(self, category: CategorySpec) -> Iterator[Concerned]:
        key = category.key
        if (CATEGORY, key) not in self.in_use:
            return
        having = self._answering(CATEGORY, key)
        into = self.into.get((CATEGORY, key), key)
        new = self.new_categories.get(into)
        if new is None:
            yield Concerned("category", key, "It is in use: retire it, or merge it into another.", having)
            return
        lost = self._lost_levels([category.level] if category.level else (), [new.level] if new.level else ())
        if lost:
            message = f"It is for {new.level or 'coded levels'} alone, and is elsewhere."
            yield Concerned("category", into, message, having.filter(markable__level__key__in=lost))
        if category.takes_index and not new.takes_index:
            yield Concerned("category", into, "It takes no index, and has some.", having.filter(indices__isnull=False))
        old_identity = self.before.identity_relation(key)
        if into != key and old_identity is not None:
            identity = self.after.identity_relation(into)
            pointing = self._pointing(old_identity.key).filter(category__key=key)
            if identity is None or not identity.to_levels or identity.retired:
                message = f"It takes no antecedent, and those of {key} would be lost."
                yield Concerned("category", into, message, pointing)
            else:
                yield from self._narrowed(old_identity, identity)

    def _relation(self, relation: RelationSpec) -> Iterator[Concerned]:
        key = relation.key
        new = self.new_relations.get(key)
        if new is None:
            having = self._pointing(key)
            if relation.identity and relation.asked_if is not None:
                moved = [value for value in relation.asked_if.values if (CATEGORY, value) in self.into]
                having = having.exclude(category__key__in=moved)
            yield Concerned("relation", key, "It is in use: retire it.", having)
            return
        if relation.identity != new.identity:
            message = "It is in use, and what says identity stays so."
            yield Concerned("relation", key, message, self._pointing(key))
            return
        yield from self._narrowed(relation, new)
        if self._condition_narrows(relation.asked_if, new.asked_if):
            message = "It would no longer be asked where it has targets."
            having = self.judgements.filter(self._is_set(key))
            yield Concerned("relation", key, message, self._unasked(having, new.asked_if))
        lost = set() if new.identity else self._lost_levels(relation.from_levels, new.from_levels)
        if lost:
            having = self._pointing(key).filter(markable__level__key__in=lost)
            yield Concerned("relation", key, f"It has targets on {_names(lost)}.", having)

    def _narrowed(self, old: RelationSpec, new: RelationSpec) -> Iterator[Concerned]:
        """Yield the judgements with targets that the relation's later version, or another relation, would forbid."""
        pointers = Pointer.objects.filter(relation__project=self.project, relation__key=old.key)

        def concerned(pointers: QuerySet[Any, Any], message: str) -> Concerned:
            having = self.judgements.filter(pk__in=pointers.values("judgement"))
            return Concerned("relation", new.key, message, having)

        if {*old.to_levels} - {*new.to_levels}:
            yield concerned(pointers.exclude(target__level__key__in=new.to_levels), "It has targets on other levels.")
        if new.max_targets is not None and (old.max_targets is None or old.max_targets > new.max_targets):
            many = pointers.values("judgement").annotate(n=Count("target", distinct=True))
            yield concerned(many.filter(n__gt=new.max_targets), f"It has more than {new.max_targets} targets.")
        if old.joint and not new.joint:
            readings = pointers.values("judgement", "reading").annotate(n=Count("target"))
            yield concerned(readings.filter(n__gt=1), "It has targets that are meant together.")
        if old.later and not new.later:
            start = F("judgement__markable__start")
            longer = Q(target__start=start, target__end__lt=F("judgement__markable__end"))
            yield concerned(pointers.filter(Q(target__start__gt=start) | longer), "It has later targets.")

    def _attribute(self, attribute: AttributeSpec) -> Iterator[Concerned]:
        key = attribute.key
        having = self._answering(key)
        new = self.new_attributes.get(key)
        if new is None:
            yield Concerned("attribute", key, "It is in use: retire it.", having)
            return
        merged_relations = {moved.to for moved in self.moved if moved.relation == attribute.relation}
        if (attribute.of, attribute.kind) != (new.of, new.kind) or (
            new.relation != attribute.relation and new.relation not in merged_relations
        ):
            message = "It is in use: of what it is asked, and how it is answered, stays. Retire it, and add another."
            yield Concerned("attribute", key, message, having)
            return
        kept = {value.key for value in new.values}
        for value in attribute.values:
            if value.key not in kept and (key, value.key) not in self.into:
                message = f"{value.key} is in use: retire it, or merge it into another."
                yield Concerned("attribute", key, message, self._answering(key, value.key))
        if self._condition_narrows(attribute.asked_if, new.asked_if):
            message = "It would no longer be asked where it has an answer."
            yield Concerned("attribute", key, message, self._unasked(having, new.asked_if))
        if new.relation and (new.relation != attribute.relation or self._loses_pointers(new.relation)):
            message = f"It has answers where {new.relation} would not be set."
            yield Concerned("attribute", key, message, self._unasked(having, Condition(relation=new.relation)))
        lost = self._lost_levels(attribute.levels, new.levels)
        if lost:
            elsewhere = having.filter(markable__level__key__in=lost)
            yield Concerned("attribute", key, f"It has answers on {_names(lost)}.", elsewhere)


def _retired[Asked: CategorySpec | RelationSpec | AttributeSpec | ValueSpec](
    before: Iterable[Asked], after: Iterable[Asked]
) -> list[Asked]:
    """Return the questions or values that are offered before and retired after."""
    retired = {asked.key for asked in after if asked.retired}
    return [asked for asked in before if asked.key in retired and not asked.retired]


def _points(relation: str) -> Exists:
    """Return the condition that a judgement sets a relation."""
    return Exists(Pointer.objects.filter(judgement=OuterRef("pk"), relation__key=relation))


def _names(levels: Iterable[str]) -> str:
    return " and ".join(sorted(levels))


def merges_by_question(merges: Iterable[Merge]) -> Mapping[str, Mapping[str, str]]:
    """Return the new values by old value, for each question."""
    by_question: dict[str, dict[str, str]] = {}
    for merge in merges:
        by_question.setdefault(merge.question, {})[merge.value] = merge.into
    return by_question
