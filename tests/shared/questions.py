"""A project whose coders answer every kind of question, and what they answered, as written down."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

from annotations.coding import operations
from annotations.formats import plain
from annotations.formats.model.scheme import (
    CATEGORY,
    AnswerKind,
    AttributeSpec,
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
from tests.shared.agreeing import hand_in
from tests.shared.coding import change, judge_all
from tests.shared.schemes import change_rows


def values(*keys: str) -> tuple[ValueSpec, ...]:
    return tuple(ValueSpec(key, key.upper()) for key in keys)


GENDERS = values("f", "m", "n")
QUESTIONS = replace(
    SCHEMES["poesio-artstein-2005"],
    relations=(RelationSpec("bridging", "Bridging", to_levels=("phrase",), joint=True),),
    attributes=(
        AttributeSpec("gender", "Gender", asked_if=Condition(CATEGORY, ("phrase", "place")), values=GENDERS),
        AttributeSpec(
            "second", "Other gender", primary_of="gender", asked_if=Condition("gender", ("f", "m")), values=GENDERS
        ),
        AttributeSpec("topics", "Topics", kind=AnswerKind.SEVERAL, values=values("x", "y", "z")),
        AttributeSpec("count", "How many", kind=AnswerKind.NUMBER, asked_if=Condition("gender", ("f",))),
        AttributeSpec("gloss", "Gloss", kind=AnswerKind.TEXT),
        AttributeSpec("part", "Part of", of=Subject.RELATION, relation="bridging", values=values("whole", "owner")),
        AttributeSpec("animacy", "Animacy", of=Subject.ENTITY, values=values("yes", "no")),
    ),
)  # fmt: skip
LABELS = ReadyMadeScheme(
    "labels", "Labels", "", "categories", (LevelSpec("phrase", "phrase"),), (), "alpha-nominal",
    attributes=(AttributeSpec("topics", "Topics", kind=AnswerKind.SEVERAL, values=values("x", "y", "z")),),
)  # fmt: skip
CODERS = ("alice", "bob", "carol")

# By coder and text, what is answered on each markable by its letter: the fields of an operation.
type Given = dict[tuple[str, str], dict[str, dict[str, Any]]]


def question_project(slug: str, given: Given, scheme: ReadyMadeScheme = QUESTIONS, n_units: int = 6) -> Project:
    """Make a project in which coders gave these answers and handed them in, managed by Charlie."""
    project = create_project(slug, slug.title(), scheme)
    marked = " ".join(f"[w{number}](m{number})" for number in range(n_units))
    files = [f"{text}.txt" for text in sorted({text for _, text in given})]
    import_documents(project, [SourceDocument(plain.parse(f"{marked} .", file), None) for file in files])
    change_rows(project.relations.filter(identity=True), joint=True)
    people = [User.objects.get_or_create(username=name)[0] for name in (*CODERS, "charlie")]
    for user in people:
        add_member(project, user, Membership.Role.MANAGER if user.username == "charlie" else Membership.Role.CODER)
    assign_texts(project, project.texts.all(), people[:-1])
    for coding in Coding.objects.of_people().filter(text__project=project).select_related("coder", "text__project"):
        keys = dict(coding.text.markables.values_list("label", "key"))
        answers = given.get((coding.coder.username, coding.text.slug), {})
        judge_all(coding, [judgement_of(letter, fields, keys) for letter, fields in answers.items()])
    return hand_in(project)


def judgement_of(letter: str, fields: dict[str, Any], keys: dict[str, str]) -> operations.Change:
    """Return the change by which a markable is given these answers, in which markables are letters."""
    payload = dict(fields) | {"markable": keys[letter]}
    if "pointers" in fields:
        payload["pointers"] = in_keys(fields["pointers"], keys)
    if "relations" in fields:
        relations = fields["relations"].items()
        payload["relations"] = {relation: in_keys(readings, keys) for relation, readings in relations}
    return change(**payload)


def in_keys(readings: list[list[str]], keys: dict[str, str]) -> list[list[str]]:
    return [[keys[letter] for letter in together] for together in readings]


def any_answers(draw: random.Random, texts: int = 3, n_units: int = 6) -> Given:
    """Draw answers to all questions: coders agree more often than not, and leave out markables and answers."""
    given: Given = {}
    for text in range(1, texts + 1):
        truth = [_any_judgement(draw, number) for number in range(n_units)]
        for coder in CODERS:
            own = {}
            for number, judgement in enumerate(truth):
                if draw.random() < 0.9:
                    own[f"m{number}"] = judgement if draw.random() < 0.6 else _any_judgement(draw, number)
            given[coder, f"text-{text}"] = own
    return given


def _any_judgement(draw: random.Random, number: int) -> dict[str, Any]:
    before = [f"m{earlier}" for earlier in range(number)]
    category = draw.choice(["phrase", "phrase", "place", "none"]) if before else "place"
    judgement: dict[str, Any] = {"category": category}
    if category == "phrase":
        judgement["pointers"] = _any_readings(draw, before)
    attributes: dict[str, Any] = {"topics": draw.sample(["x", "y", "z"], draw.choice([0, 1, 1, 2]))}
    if category != "none" and draw.random() < 0.8:
        attributes["gender"] = draw.choice("ffmn")
        if attributes["gender"] != "n" and draw.random() < 0.4:
            attributes["second"] = draw.choice("fmn")
        if attributes["gender"] == "f" and draw.random() < 0.8:
            attributes["count"] = draw.choice([-2.5, 1, 1, 2, 7])
    if draw.random() < 0.7:
        attributes["gloss"] = draw.choice(["so", " so", "than", "é \U0001f600"])
    if category != "none" and draw.random() < 0.5:
        attributes["animacy"] = draw.choice(["yes", "no"])
    if before and draw.random() < 0.6:
        judgement["relations"] = {"bridging": _any_readings(draw, before)}
        if draw.random() < 0.8:
            attributes["part"] = draw.choice(["whole", "owner"])
    judgement["attributes"] = {name: value for name, value in attributes.items() if value != []}
    return judgement


def _any_readings(draw: random.Random, targets: list[str]) -> list[list[str]]:
    readings = {
        tuple(sorted(draw.sample(targets, min(draw.choice([1, 1, 1, 2]), len(targets)))))
        for _ in range(draw.choice([1, 1, 1, 2]))
    }
    return [list(reading) for reading in sorted(readings)]
