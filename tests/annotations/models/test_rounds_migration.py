"""The migration of a database with labels of rounds to rounds, and back."""

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from tests.shared.cases import only_in_full

type Targets = list[tuple[str, str]]


def migrated(targets: Targets) -> Any:
    """Migrate the database, and return the models that it then has."""
    MigrationExecutor(connection).migrate(targets)
    return MigrationExecutor(connection).loader.project_state(targets).apps


@pytest.fixture
def targets(transactional_db: None) -> Iterator[tuple[Targets, Targets]]:
    """Let the database be as it was before rounds, and afterwards as it is; return what it was and is."""
    latest = MigrationExecutor(connection).loader.graph.leaf_nodes()
    before = [node for node in latest if node[0] != "annotations"] + [("annotations", "0024_merges_of_schemes")]
    migrated(before)
    yield before, latest
    migrated(latest)


def make_project(apps: Any, slug: str, labels: dict[str, str]) -> Any:
    """Make a project with a coding of each text, by Alice, who has worked on the first."""
    get = lambda name: apps.get_model("annotations", name).objects  # noqa: E731
    alice, _ = get("User").get_or_create(username="alice")
    project = get("Project").create(slug=slug, title=slug, answers="categories", scheme_version=3)
    get("GuidelinesVersion").create(project=project, number=1, body="Point.", created_at=timezone.now())
    for number, (name, label) in enumerate(labels.items()):
        text = get("Text").create(project=project, slug=name, title=name, content="x", round=label)
        coding = get("Coding").create(text=text, coder=alice, kind="text")
        if number == 0:
            get("Operation").create(
                coding=coding, sequence=1, uuid=uuid4(), kind="submit", payload={}, user=alice,
                applied_at=timezone.now(), scheme_version=2,
            )  # fmt: skip
    return project


def rounds_of(apps: Any, slug: str) -> list[tuple[Any, ...]]:
    rounds = apps.get_model("annotations", "Round").objects.filter(project__slug=slug).order_by("position")
    fields = ("name", "kind", "position", "guidelines_version", "scheme_version")
    return [(*values, sorted(texts(apps, slug, values[0]))) for values in rounds.values_list(*fields)]


def texts(apps: Any, slug: str, name: str) -> list[str]:
    memberships = apps.get_model("annotations", "RoundText").objects
    return list(memberships.filter(round__project__slug=slug, round__name=name).values_list("text__slug", flat=True))


LABELS = {"a": "pilot-10", "b": "pilot-2", "c": "", "d": "main", "e": "pilot-2"}


def test_labels_become_rounds_in_their_natural_order_and_codings_are_in_that_of_their_text(targets):
    before, latest = targets
    apps = migrated(before)
    make_project(apps, "tea", LABELS)
    make_project(apps, "milk", {"a": "pilot"})
    make_project(apps, "empty", {})
    apps = migrated(latest)
    assert rounds_of(apps, "tea") == [
        ("main", "main", 0, None, None, ["c", "d"]),
        ("pilot-2", "main", 1, None, None, ["b", "e"]),
        ("pilot-10", "main", 2, 1, 2, ["a"]),  # work began there
    ]
    assert rounds_of(apps, "milk") == [("pilot", "main", 0, 1, 2, ["a"])]
    assert rounds_of(apps, "empty") == []
    codings = apps.get_model("annotations", "Coding").objects.filter(text__project__slug="tea").order_by("text__slug")
    assert list(codings.values_list("text__slug", "round__name", "occasion")) == [
        ("a", "pilot-10", 1), ("b", "pilot-2", 1), ("c", "main", 1), ("d", "main", 1), ("e", "pilot-2", 1),
    ]  # fmt: skip


@only_in_full("the way back through later migrations is long")
def test_the_way_back_gives_labels_and_keeps_codings_unless_a_text_is_coded_twice(targets):
    before, latest = targets
    apps = migrated(before)
    make_project(apps, "tea", LABELS)
    make_project(apps, "milk", {"a": ""})
    apps = migrated(latest)
    first = apps.get_model("annotations", "Coding").objects.filter(text__slug="a", text__project__slug="tea").get()
    main = apps.get_model("annotations", "Round").objects.get(name="main", project=first.round.project)
    codings = apps.get_model("annotations", "Coding").objects
    second = codings.create(text=first.text, coder=first.coder, kind="text", round=main)
    with pytest.raises(RuntimeError, match="The text 'a' of the project 'tea' is coded by one coder in several rounds"):
        migrated(before)
    second.delete()
    apps = migrated(before)
    found = apps.get_model("annotations", "Text").objects
    # that "c" had no label beside those of "main" is not known any more
    assert dict(found.filter(project__slug="tea").values_list("slug", "round")) == LABELS | {"c": "main"}
    assert list(found.filter(project__slug="milk").values_list("round", flat=True)) == [""]
    assert apps.get_model("annotations", "Coding").objects.count() == 6
