"""The migration of a database of 0.1.0 to relations, and back."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from tests.shared.cases import only_in_full


def migrated(targets: list[tuple[str, str]]) -> Any:
    """Migrate the database, and return the models that it then has."""
    executor = MigrationExecutor(connection)
    executor.migrate(targets)
    return MigrationExecutor(connection).loader.project_state(targets).apps


@pytest.fixture
def targets(transactional_db: None) -> Iterator[list[tuple[str, str]]]:
    """Let the database be as it was before relations, and afterwards as it is."""
    latest = MigrationExecutor(connection).loader.graph.leaf_nodes()
    before = [node for node in latest if node[0] != "annotations"] + [("annotations", "0018_corrections")]
    migrated(before)
    yield latest
    migrated(latest)


def make_rows(apps: Any) -> dict[str, Any]:
    """Make what a database of 0.1.0 may hold: alternatives, a category that no longer points, none at all."""
    get = lambda name: apps.get_model("annotations", name).objects  # noqa: E731
    user = get("User").create(username="alice")
    project = get("Project").create(slug="tea", title="Tea", answers="pointers")
    phrase = get("Level").create(project=project, key="phrase", label="phrase")
    turn = get("Level").create(project=project, key="turn", label="turn", coded=False)
    categories = {
        key: get("Category").create(project=project, key=key, label=key.title(), position=position, **fields)
        for position, (key, fields) in enumerate(
            [
                ("phrase", {"points_to": phrase, "max_pointers": 3, "allow_later": True}),
                ("segment", {"points_to": turn}),
                ("place", {}),
                ("former", {}),
            ]
        )
    }
    text = get("Text").create(project=project, slug="tea", title="Tea", content="x" * 50)
    marks = [
        get("Markable").create(
            text=text, level=phrase, key=f"phrase:{start}-{end}", parts=[[start, end]], start=start, end=end
        )
        for start, end in [(0, 2), (0, 5), (7, 9), (11, 13), (15, 17), (19, 21)]
    ]
    coding = get("Coding").create(text=text, coder=user, kind="text")

    def judge(mark: int, category: str | None, *targets: int) -> None:
        judgement = get("Judgement").create(
            coding=coding, markable=marks[mark], category=categories[category] if category else None
        )
        for target in targets:
            get("Pointer").create(judgement=judgement, target=marks[target])

    judge(3, "phrase", 2, 0, 1)
    judge(2, "phrase", 1)
    judge(4, "former", 0)
    judge(1, None, 0)
    judge(0, "place")
    return {"marks": [mark.key for mark in marks]}


def pointers_of(apps: Any) -> list[tuple[Any, ...]]:
    rows = apps.get_model("annotations", "Pointer").objects.order_by("judgement", "target__start", "-target__end")
    return list(rows.values_list("judgement__markable__key", "relation__key", "reading", "target__key"))


def test_categories_that_point_become_relations_and_pointers_alternatives_in_text_order(targets):
    marks = make_rows(migrated(before_of(targets)))["marks"]
    apps = migrated(targets)
    relations = apps.get_model("annotations", "Relation").objects.order_by("position")
    fields = ("key", "label", "identity", "max_targets", "joint", "later", "asked_if", "to_levels__key")
    assert list(relations.values_list(*fields)) == [
        ("phrase", "Phrase", True, 3, False, True, {"question": "category", "values": ["phrase"]}, "phrase"),
        ("segment", "Segment", True, None, False, False, {"question": "category", "values": ["segment"]}, "turn"),
        ("former", "Former", True, None, False, False, {"question": "category", "values": ["former"]}, None),
    ]
    assert set(pointers_of(apps)) == {
        (marks[3], "phrase", 0, marks[1]),  # of two that start together the longer one is first
        (marks[3], "phrase", 1, marks[0]),
        (marks[3], "phrase", 2, marks[2]),
        (marks[2], "phrase", 0, marks[1]),
        (marks[4], "former", 0, marks[0]),
        (marks[1], "phrase", 0, marks[0]),
    }


def before_of(targets: list[tuple[str, str]]) -> list[tuple[str, str]]:
    return [node for node in targets if node[0] != "annotations"] + [("annotations", "0018_corrections")]


@only_in_full("the way back through later migrations is long")
def test_the_migration_can_be_taken_back(targets):
    before = before_of(targets)
    make_rows(migrated(before))
    apps = migrated(targets)
    get = lambda name: apps.get_model("annotations", name).objects  # noqa: E731
    project, first = get("Project").get(), get("Pointer").order_by("pk").first()
    other = get("Relation").create(project=project, key="bridging", label="bridging")
    for relation, reading in ((first.relation_id, 9), (other.pk, 0)):
        get("Pointer").create(
            judgement_id=first.judgement_id, relation_id=relation, reading=reading, target_id=first.target_id
        )
    part = get("Attribute").create(project=project, key="part", label="part", of="relation", relation=other)
    get("Attribute").create(project=project, key="part-2", label="part", of="relation", relation=other, primary_of=part)
    value = get("AttributeValue").create(attribute=part, key="whole", label="whole")
    get("AttributeAnswer").create(judgement_id=first.judgement_id, attribute=part, value=value)
    apps = migrated(before)
    categories = apps.get_model("annotations", "Category").objects.order_by("position")
    assert list(categories.values_list("key", "points_to__key", "max_pointers", "allow_later")) == [
        ("phrase", "phrase", 3, True),
        ("segment", "turn", None, False),
        ("place", None, None, False),
        ("former", None, None, False),
    ]
    assert apps.get_model("annotations", "Pointer").objects.count() == 6
