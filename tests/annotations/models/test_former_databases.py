"""Databases of former versions are migrated: categories that point to relations, labels of rounds to rounds; and back.

The way through all later migrations is long, so that both are asked for on one way.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple
from uuid import uuid4

import pytest
from django.core.management import call_command
from django.db import connection
from django.utils import timezone

from annotations.core.database.migrations import make_single_executor, models_of_database
from tests.shared.cases import only_in_full

type State = list[tuple[str, str]]


class States(NamedTuple):
    """The migrations of a database before relations, before rounds, and now."""

    before_relations: State
    before_rounds: State
    latest: State


def migrated(state: State) -> Any:
    """Migrate the database, and return the models that it then has."""
    make_single_executor().migrate(state)
    apps = models_of(state)
    # a backup is written and read by these, also where one app is complete and the other is not
    assert labels_of(models_of_database()) == labels_of(apps)
    return apps


def migrated_by_command() -> Any:
    """Migrate the database as whoever upgrades does, and return the models that it then has."""
    call_command("migrate", verbosity=0)
    return models_of_database()


def labels_of(apps: Any) -> set[str]:
    return {model._meta.label for model in apps.get_models() if model._meta.app_label in ("agreement", "annotations")}


def models_of(state: State) -> Any:
    """Return the models of a database that is migrated so far."""
    return make_single_executor().loader.project_state(state).apps


def tables() -> dict[str, tuple[set[Any], set[Any]]]:
    """Return the columns of each table, and what it asks of them, without names, which may be of former tables."""
    introspection = connection.introspection
    found = {}
    with connection.cursor() as cursor:
        for table in introspection.table_names(cursor):
            columns = {
                (column.name, column.type_code, column.null_ok, column.internal_size, column.default)
                for column in introspection.get_table_description(cursor, table)
            }
            constraints = {
                (
                    tuple(own["columns"] or ()), own["primary_key"], own["unique"], own["foreign_key"],
                    own["check"], own["index"], own.get("type"),
                )
                for own in introspection.get_constraints(cursor, table).values()
            }  # fmt: skip
            found[table] = columns, constraints
    return found


@pytest.fixture
def states(transactional_db: None) -> Iterator[States]:
    """Let the database be as it was before relations, and afterwards as it is."""
    latest = make_single_executor().loader.graph.leaf_nodes()
    made_new = tables()
    # what agreement stores now refers to rounds, which came later
    others = [node for node in latest if node[0] not in ("annotations", "agreement")] + [("agreement", "0006_results")]
    first, second = ([*others, ("annotations", name)] for name in ("0018_corrections", "0024_merges_of_schemes"))
    migrated(first)
    yield States(first, second, latest)
    migrated_by_command()
    found = tables()
    assert found.keys() == made_new.keys()
    assert {name: found[name] for name in made_new if found[name] != made_new[name]} == {}


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


@pytest.mark.slow
def test_categories_that_point_become_relations_and_labels_rounds_in_their_natural_order(states):
    marks = make_rows(models_of(states.before_relations))["marks"]
    apps = migrated(states.before_rounds)
    make_project(apps, "labels", LABELS)
    make_project(apps, "milk", {"a": "pilot"})
    make_project(apps, "empty", {})
    apps = migrated_by_command()
    assert_relations(apps, marks)
    assert_rounds(apps)


def assert_relations(apps: Any, marks: list[str]) -> None:
    """Pointers become alternatives in text order."""
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


def assert_rounds(apps: Any) -> None:
    """Codings are in the round of their text."""
    assert rounds_of(apps, "labels") == [
        ("main", "main", 0, None, None, ["c", "d"]),
        ("pilot-2", "main", 1, None, None, ["b", "e"]),
        ("pilot-10", "main", 2, 1, 2, ["a"]),  # work began there
    ]
    assert rounds_of(apps, "milk") == [("pilot", "main", 0, 1, 2, ["a"])]
    assert rounds_of(apps, "empty") == []
    codings = (
        apps.get_model("annotations", "Coding").objects.filter(text__project__slug="labels").order_by("text__slug")
    )
    assert list(codings.values_list("text__slug", "round__name", "occasion")) == [
        ("a", "pilot-10", 1), ("b", "pilot-2", 1), ("c", "main", 1), ("d", "main", 1), ("e", "pilot-2", 1),
    ]  # fmt: skip


@only_in_full("the way back through later migrations is long")
def test_relations_can_be_taken_back(states):
    make_rows(models_of(states.before_relations))
    apps = migrated(states.latest)
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
    apps = migrated(states.before_relations)
    categories = apps.get_model("annotations", "Category").objects.order_by("position")
    assert list(categories.values_list("key", "points_to__key", "max_pointers", "allow_later")) == [
        ("phrase", "phrase", 3, True),
        ("segment", "turn", None, False),
        ("place", None, None, False),
        ("former", None, None, False),
    ]
    assert apps.get_model("annotations", "Pointer").objects.count() == 6


@only_in_full("the way back through later migrations is long")
def test_the_way_back_gives_labels_and_keeps_codings_unless_a_text_is_coded_twice(states):
    _, before, latest = states
    apps = migrated(before)
    make_project(apps, "labels", LABELS)
    make_project(apps, "milk", {"a": ""})
    apps = migrated(latest)
    first = apps.get_model("annotations", "Coding").objects.filter(text__slug="a", text__project__slug="labels").get()
    main = apps.get_model("annotations", "Round").objects.get(name="main", project=first.round.project)
    codings = apps.get_model("annotations", "Coding").objects
    second = codings.create(text=first.text, coder=first.coder, kind="text", round=main)
    with pytest.raises(
        RuntimeError, match="The text 'a' of the project 'labels' is coded by one coder in several rounds"
    ):
        migrated(before)
    second.delete()
    apps = migrated(before)
    found = apps.get_model("annotations", "Text").objects
    # that "c" had no label beside those of "main" is not known any more
    assert dict(found.filter(project__slug="labels").values_list("slug", "round")) == LABELS | {"c": "main"}
    assert list(found.filter(project__slug="milk").values_list("round", flat=True)) == [""]
    assert apps.get_model("annotations", "Coding").objects.count() == 6
