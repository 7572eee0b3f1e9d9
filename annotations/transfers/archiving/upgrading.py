"""Bring the tables of an older archive to what a project has now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils import timezone

from annotations.core.text import natural_key
from annotations.formats.model.scheme import CATEGORY, Condition
from annotations.formats.project import Table
from annotations.models import Coding, GuidelinesReading, Operation, Project
from annotations.models.coding import pointing_categories
from annotations.models.round import MAIN
from annotations.projects.guidelines import record_guidelines
from annotations.schemes.singletons import mark_singletons
from annotations.transfers.archiving.tables import TABLES, archived_fields, shape_of


def add_relations(tables: Mapping[str, Table]) -> dict[str, Table]:
    """Return the tables with relations of identity in place of what categories said of their pointers before them.

    As the migration does it: several pointers of a judgement are alternatives, in the order of their targets.
    """
    categories, pointers = tables["categories"], tables["pointers"]
    if "points_to" not in categories.columns:
        return dict(tables)
    category_of = tables["judgements"]["category"]
    order = sorted(range(len(categories)), key=lambda row: (categories["position"][row], categories["key"][row]))
    # A judgement without category has no pointers, unless an older archive brought them.
    first = order[0] + 1 if order else 0
    pointing: list[int] = [category_of[judgement - 1] or first for judgement in pointers["judgement"]]
    related = sorted({*pointing, *(row + 1 for row, level in enumerate(categories["points_to"]) if level)} - {0})
    lines = {category: line for line, category in enumerate(related, start=1)}
    relations: dict[str, list[Any]] = {
        "key": [categories["key"][category - 1] for category in related],
        "label": [categories["label"][category - 1] for category in related],
        "identity": [True] * len(related),
        "max_targets": [categories["max_pointers"][category - 1] for category in related],
        "later": [categories["allow_later"][category - 1] for category in related],
        "asked_if": [Condition(CATEGORY, (categories["key"][category - 1],)).state() for category in related],
        "position": [categories["position"][category - 1] for category in related],
    }
    targets = [(lines[category], level) for category in related if (level := categories["points_to"][category - 1])]
    kept = [row for row, category in enumerate(pointing) if category]
    readings = _number_readings(tables)
    return {
        **tables,
        "relations": Table(tables["relations"].shape, relations),
        "relation_targets": Table(
            tables["relation_targets"].shape,
            {"relation": [line for line, _ in targets], "level": [level for _, level in targets]},
        ),
        "pointers": Table(
            pointers.shape,
            {
                **{name: [column[row] for row in kept] for name, column in pointers.columns.items()},
                "relation": [lines[pointing[row]] for row in kept],
                "reading": [readings[row] for row in kept],
            },
        ),
    }


def _number_readings(tables: Mapping[str, Table]) -> list[int]:
    """Return the number of the reading of each pointer, from 0 for each judgement, in the order of the targets."""
    pointers, markables = tables["pointers"], tables["markables"]
    rows: dict[int, list[int]] = {}
    for row, judgement in enumerate(pointers["judgement"]):
        rows.setdefault(judgement, []).append(row)
    readings = [0] * len(pointers)
    for of_judgement in rows.values():
        if len(of_judgement) > 1:
            targets = {row: pointers["target"][row] - 1 for row in of_judgement}
            of_judgement.sort(key=lambda row: (markables["start"][targets[row]], -markables["end"][targets[row]], row))
            for number, row in enumerate(of_judgement):
                readings[row] = number
    return readings


def add_rounds(tables: Mapping[str, Table]) -> dict[str, Table]:
    """Return the tables with rounds in place of the labels that texts had before, as the migration makes them."""
    texts, codings = tables["texts"], tables["codings"]
    if "round" not in texts.columns:
        return dict(tables)
    labels = [label or MAIN for label in texts["round"]]
    names = sorted(set(labels), key=natural_key)
    lines = {name: line for line, name in enumerate(names, start=1)}
    round_of_coding = [lines[labels[text - 1]] for text in codings["text"]]
    versions = _versions_at_the_beginning(tables, round_of_coding)
    rounds: dict[str, list[Any]] = {
        "name": names,
        "position": list(range(len(names))),
        "guidelines_version": [versions.get(line, (None, None))[0] for line in lines.values()],
        "scheme_version": [versions.get(line, (None, None))[1] for line in lines.values()],
    }
    members = sorted((lines[label], text) for text, label in enumerate(labels, start=1))
    return {
        **tables,
        "rounds": Table(tables["rounds"].shape, rounds),
        "texts": Table(texts.shape, {name: column for name, column in texts.columns.items() if name != "round"}),
        "round_texts": Table(
            tables["round_texts"].shape,
            {"round": [line for line, _ in members], "text": [text for _, text in members]},
        ),
        "codings": Table(codings.shape, {**codings.columns, "round": round_of_coding}),
    }


def _versions_at_the_beginning(
    tables: Mapping[str, Table], round_of_coding: Sequence[int]
) -> dict[int, tuple[int | None, int]]:
    """Return the versions of guidelines and scheme when each round began, as the log tells it."""
    operations, guidelines = tables["operations"], tables["guidelines_versions"]
    schemes = operations.columns.get("scheme_version", [1] * len(operations))
    began: dict[int, tuple[Any, int]] = {}
    for coding, kind, moment, scheme in zip(
        operations["coding"], operations["kind"], operations["applied_at"], schemes, strict=True
    ):
        if kind not in (Operation.Kind.CORRECT, Operation.Kind.MERGE):
            line = round_of_coding[coding - 1]
            before = began.get(line, (moment, scheme))
            began[line] = min(before[0], moment), min(before[1], scheme)
    saved = list(zip(guidelines["number"], guidelines["created_at"], strict=True))
    return {
        line: (max((number for number, at in saved if at <= moment), default=None), scheme)
        for line, (moment, scheme) in began.items()
    }


def add_fields(tables: Mapping[str, Table]) -> dict[str, Table]:
    """Return the tables with the fields that came after their archive, each with its default."""
    complete = {}
    for archived in TABLES:
        table = tables[archived.name]
        defaults: dict[str, list[Any]] = {
            name: [field.get_default()] * len(table)
            for name, field in archived_fields(archived).items()
            if name not in table.columns
        }
        complete[archived.name] = Table(shape_of(archived), {**table.columns, **defaults})
    return complete


def upgrade_project(project: Project, tables: Mapping[str, Table]) -> None:
    """Do with a project, restored from these tables as they were read, what migrations did with those here."""
    if "singleton" not in tables["categories"].columns:
        mark_singletons(project.categories.exclude(pk__in=pointing_categories().values("pk")))
    if "scores_shown" not in tables["project"].columns:
        project.scores_shown = True
        project.save(update_fields=["scores_shown"])
    if project.guidelines and not len(tables["guidelines_versions"]):
        _make_first_version(project)
    if "viewed_at" not in tables["codings"].columns:
        submitted = Coding.objects.filter(text__project=project, status=Coding.Status.SUBMITTED)
        submitted.update(viewed_at=timezone.now())


def _make_first_version(project: Project) -> None:
    """Make the guidelines version 1, which the members of the project have read."""
    version = record_guidelines(project, None)
    if version is not None:
        users = project.memberships.values_list("user", flat=True)
        GuidelinesReading.objects.bulk_create(
            [GuidelinesReading(project=project, user_id=user, number=version.number) for user in users]
        )
