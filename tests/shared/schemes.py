"""Schemes with attributes and relations of all kinds, and random ones."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any
from uuid import uuid4

from django.db.models import QuerySet

from annotations.coding import operations
from annotations.formats import plain
from annotations.formats.model.scheme import (
    CATEGORY,
    AnswerKind,
    AttributeSpec,
    CategorySpec,
    Condition,
    LevelSpec,
    ReadyMadeScheme,
    RelationSpec,
    Subject,
    ValueSpec,
)
from annotations.models import Coding, Membership, Project, User
from annotations.planning.work.assignments import assign_texts
from annotations.projects.creation import create_project
from annotations.projects.people.members import add_member
from annotations.schemes.ready_made import SCHEMES
from annotations.transfers.importing.documents import import_documents
from annotations.transfers.importing.files.source_document import SourceDocument
from tests.shared.coding import change
from tests.shared.projects import DIALOGUE

GENDERS = tuple(ValueSpec(key, label) for key, label in (("f", "feminine"), ("m", "masculine"), ("n", "neuter")))

# Anaphora with bridging, and an attribute of each kind.
RICH = replace(
    SCHEMES["poesio-artstein-2005"],
    relations=(
        RelationSpec(
            "bridging",
            "bridging",
            help="What it belongs to.",
            from_levels=("phrase",),
            to_levels=("phrase",),
            joint=True,
            max_targets=3,
            asked_if=Condition(CATEGORY, ("phrase", "place", "none")),
        ),
    ),
    attributes=(
        AttributeSpec("gender", "gender", asked_if=Condition(CATEGORY, ("phrase", "place")), values=GENDERS),
        AttributeSpec(
            "gender-2",
            "other gender",
            asked_if=Condition("gender", ("f", "m")),
            primary_of="gender",
            values=GENDERS,
        ),
        AttributeSpec(
            "kinds",
            "kinds",
            levels=("phrase",),
            kind=AnswerKind.SEVERAL,
            values=tuple(ValueSpec(key, key, colour="#00ff7f") for key in ("a", "b", "c")),
        ),
        AttributeSpec("count", "how many", kind=AnswerKind.NUMBER),
        AttributeSpec("gloss", "gloss", kind=AnswerKind.TEXT),
        AttributeSpec(
            "part",
            "part of what",
            of=Subject.RELATION,
            relation="bridging",
            values=(ValueSpec("whole", "whole"), ValueSpec("owner", "owner")),
        ),
        AttributeSpec("animacy", "animacy", of=Subject.ENTITY, values=(ValueSpec("yes", "animate"),)),
    ),
)

# Bridging with a kind, a question of its own branch, and an attribute of the entity.
BRIDGING = replace(
    SCHEMES["poesio-artstein-2005"],
    relations=(
        RelationSpec(
            "bridging",
            "bridging",
            help="What it belongs to.",
            from_levels=("phrase",),
            to_levels=("phrase",),
            asked_if=Condition(CATEGORY, ("none",)),
        ),
    ),
    attributes=(
        AttributeSpec(
            "how",
            "how related",
            of=Subject.RELATION,
            relation="bridging",
            required=True,
            values=(ValueSpec("part", "part of"), ValueSpec("own", "possession")),
        ),
        AttributeSpec(
            "use",
            "use",
            asked_if=Condition(CATEGORY, ("place",)),
            values=(ValueSpec("a", "heating"), ValueSpec("b", "other")),
        ),
        AttributeSpec("which", "which use", kind=AnswerKind.TEXT, asked_if=Condition("use", ("b",))),
        AttributeSpec(
            "gender",
            "gender",
            of=Subject.ENTITY,
            asked_if=Condition(CATEGORY, ("phrase", "place")),
            values=GENDERS,
        ),
    ),
)


def rich_project(slug: str, scheme: ReadyMadeScheme = RICH, coder: User | None = None, **options: Any) -> Project:
    """Make a project of the dialogue with that scheme, which the coder has to code."""
    project = create_project(slug, slug.title(), scheme, **options)
    import_documents(project, [SourceDocument(plain.parse(DIALOGUE, "tea.txt"), None)])
    change_rows(project.relations.filter(identity=True), joint=True)
    if coder is not None:
        add_member(project, coder, Membership.Role.CODER)
        assign_texts(project, project.texts.all(), [coder])
    return project


def change_rows(rows: QuerySet[Any], **fields: Any) -> None:
    """Change rows of schemes past `write_scheme`; they are read again."""
    rows.update(**fields)
    Project.objects.update(scheme_stamp=uuid4())


def coding_of(project: Project) -> Coding:
    return Coding.objects.of_people().select_related("text__project", "coder").get(text__project=project)


def any_scheme(draw: random.Random) -> ReadyMadeScheme:
    """Draw a scheme of phrases and turns, which may have no categories."""
    levels = (LevelSpec("phrase", "phrase"), LevelSpec("turn", "turn", coded=draw.random() < 0.2))
    coded = [level.key for level in levels if level.coded]
    categories = tuple(
        CategorySpec(
            f"c{number}",
            f"category {number}",
            draw.choice(["", "phrase", "turn"]),
            level=draw.choice(["", "", *coded]),
        )
        for number in range(draw.choice([0, 1, 2, 3]))
    )
    categories = tuple(
        replace(category, max_pointers=draw.choice([None, None, 1]), allow_later=draw.random() < 0.5)
        if category.points_to
        else category
        for category in categories
    )
    keys = [category.key for category in categories]

    def some(keys: list[str]) -> tuple[str, ...]:
        return tuple(draw.sample(keys, draw.randint(1, len(keys))))

    def condition(attributes: list[AttributeSpec], relations: list[str]) -> Condition | None:
        leading = [attribute for attribute in attributes if attribute.values and attribute.of != Subject.ENTITY]
        kinds = [None, *([CATEGORY] if keys else []), *(["attribute"] if leading else [])]
        match draw.choice([*kinds, *(["relation"] if relations else [])]):
            case "attribute":
                attribute = draw.choice(leading)
                return Condition(attribute.key, some([value.key for value in attribute.values]))
            case "relation":
                return Condition(relation=draw.choice(relations))
            case str():
                return Condition(CATEGORY, some(keys))
        return None

    relations: list[RelationSpec] = []
    for number in range(draw.choice([0, 1, 2])):
        relations.append(
            RelationSpec(
                f"r{number}",
                f"relation {number}",
                from_levels=draw.choice([(), tuple(coded[:1])]),
                to_levels=draw.choice([("phrase",), ("turn",), ("phrase", "turn")]),
                max_targets=draw.choice([None, 2]),
                joint=draw.random() < 0.6,
                later=draw.random() < 0.5,
                asked_if=condition([], [relation.key for relation in relations]),
            )
        )
    attributes: list[AttributeSpec] = []
    for number in range(draw.choice([0, 2, 4]) or (0 if categories else 2)):
        kind = draw.choice(list(AnswerKind))
        of = draw.choice(
            [Subject.MARKABLE, Subject.MARKABLE, Subject.ENTITY, *([Subject.RELATION] if relations else [])]
        )
        listed = kind in (AnswerKind.ONE, AnswerKind.SEVERAL)
        attributes.append(
            AttributeSpec(
                # keys that every object of a script has, too
                ("a0", "a1", "toString", "constructor")[number],
                f"attribute {number}",
                of=of,
                relation=draw.choice(relations).key if of == Subject.RELATION else "",
                levels=draw.choice([(), tuple(coded[:1])]),
                kind=kind,
                required=draw.random() < 0.5,
                asked_if=condition(attributes, [relation.key for relation in relations]),
                values=tuple(ValueSpec(f"v{value}", f"value {value}") for value in range(3)) if listed else (),
            )
        )
    return ReadyMadeScheme(
        "any", "Any", "", "pointers", levels, categories, "poesio-artstein-2005",
        relations=tuple(relations), attributes=tuple(attributes),
    )  # fmt: skip


def any_answer(draw: random.Random, scheme: ReadyMadeScheme, marks: list[str]) -> operations.Change:
    """Draw a judgement that the scheme may allow or not; an operation on a markable now and then."""
    key = draw.choice(marks)
    kind = draw.choices(["judge", "clear", "unmark", "move"], [12, 1, 1, 1])[0]
    if kind == "move":
        return change("move", markable=key, to=draw.choice(marks))
    if kind != "judge":
        return change(kind, markable=key)
    category = draw.choice([*scheme.categories, None])
    payload: dict[str, Any] = {"markable": key, "category": category and category.key}
    if category is not None and category.points_to and draw.random() < 0.8:
        payload["pointers"] = any_readings(draw, [mark for mark in marks if mark.startswith(category.points_to)])
    relations = {
        relation.key: any_readings(draw, [mark for mark in marks if mark.partition(":")[0] in relation.to_levels])
        for relation in scheme.relations
        if draw.random() < 0.5
    }
    if relations:
        payload["relations"] = relations
    attributes = {attribute.key: any_value(draw, attribute) for attribute in scheme.attributes if draw.random() < 0.6}
    if attributes:
        payload["attributes"] = attributes
    return change("judge", **payload)


def any_readings(draw: random.Random, targets: list[str]) -> Any:
    if draw.random() < 0.6:
        return draw.sample(targets, draw.randint(0, 2))
    return [draw.sample(targets, draw.randint(1, 2)) for _ in range(draw.randint(1, 2))]


def any_value(draw: random.Random, attribute: AttributeSpec) -> Any:
    values = [value.key for value in attribute.values]
    match attribute.kind:
        case AnswerKind.ONE:
            return draw.choice(values)
        case AnswerKind.SEVERAL:
            return draw.sample(values, draw.randint(0, len(values)))
        case AnswerKind.TEXT:
            return draw.choice(["", "so", "é \U0001f600"])
    return draw.choice([0, 3, -2.5, 1e15])


def marks_of(coding: Coding) -> list[str]:
    """Return the keys of all markables, and of some phrases that the coder may mark."""
    return [
        *coding.text.markables.filter(predefined=True).values_list("key", flat=True),
        *(f"phrase:{start}-{start + 2}" for start in range(0, 60, 5)),
    ]


def send_any(draw: random.Random, coding: Coding, scheme: ReadyMadeScheme, times: int) -> int:
    """Send so many random operations, and return how many were taken."""
    marks, taken = marks_of(coding), 0
    for _ in range(times):
        try:
            operations.apply(coding, coding.coder, taken, [any_answer(draw, scheme, marks)])
        except operations.OperationRejected:
            continue
        taken += 1
    coding.refresh_from_db()
    return taken
