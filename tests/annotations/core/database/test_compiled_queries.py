"""Compiled queries find the rows that the ORM finds."""

from threading import Thread
from uuid import uuid4

import pytest
from django.db import connection
from django.db.models import CharField, IntegerField, UUIDField

from annotations.coding.judgements import decisions_of, decisions_of_judgements
from annotations.core.database.compiled_queries import compiled_query
from annotations.models import Coding, Membership, Operation, Project, Text, User
from annotations.schemes.project_scheme import read_scheme
from tests.shared.coding import judge


@compiled_query(IntegerField())
def coders_of(project):
    """Return the coders of a project."""
    return User.objects.filter(memberships__project=project, memberships__role=Membership.Role.CODER).order_by(
        "username"
    )


def test_query_uses_arguments_of_current_call(project, text):
    @compiled_query(IntegerField(), CharField())
    def named(of, slug):
        return Text.objects.filter(project=of, slug=slug).values_list("title", flat=True)

    assert named(project.pk, "tea") == ["Tea"]
    assert named(project.pk, "coffee") == []
    assert named(project.pk + 1, "tea") == []
    assert named(project.pk, "tea") == ["Tea"]


def test_related_rows_take_no_further_query(codings, django_assert_num_queries):
    @compiled_query(CharField())
    def of_coder(name):
        return (
            Coding.objects.of_people()
            .filter(coder__username=name)
            .select_related("text", "coder")
            .defer("text__content")
        )

    with django_assert_num_queries(1):
        [coding] = of_coder("alice")
        assert (coding.text.slug, coding.coder.username) == ("tea", "alice")
    assert coding == codings["alice"]
    assert coding.text.get_deferred_fields() == {"content"}


def test_arguments_and_rows_are_converted_like_in_orm(codings, keys):
    @compiled_query(UUIDField())
    def with_uuid(uuid):
        return Operation.objects.filter(uuid=uuid).values("kind", "payload", "applied_at")

    judge(codings["alice"], keys["a"], "none")
    [kept] = Operation.objects.values("uuid", "kind", "payload", "applied_at")
    assert with_uuid(kept.pop("uuid")) == [kept]
    assert with_uuid(uuid4()) == []


@pytest.mark.parametrize("hostile", ["' or 1=1 --", "%s", "%", "\\", "\u00e9\U0001f600", '"'])
def test_argument_is_never_read_as_sql(project, hostile):
    @compiled_query(CharField())
    def titled(title):
        return Project.objects.filter(title=title).values_list("slug", flat=True)

    assert titled(hostile) == []
    Project.objects.filter(pk=project.pk).update(title=hostile)
    assert titled(hostile) == ["tea"]


def test_compiled_decisions_equal_decisions_of_orm(codings, keys):
    coding = codings["alice"]
    judge(coding, keys["d"], "phrase", keys["c"], keys["a"], note="hm")
    judge(coding, keys["a"], "place")
    judge(codings["bob"], keys["b"], "none")
    further = read_scheme(coding.text.project_id).further
    assert decisions_of(coding) == decisions_of_judgements(coding.judgements.all(), further)
    assert [decision.markable for decision in decisions_of(coding)] == [keys["a"], keys["d"]]


@pytest.mark.django_db(transaction=True)
def test_threads_use_their_own_connections(project):
    expected = coders_of(project.pk)
    found, connections = [], []

    def ask() -> None:
        try:
            found.append(coders_of(project.pk))
            connections.append(connection.connection)
        finally:
            connection.close()

    threads = [Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert found == [expected] * 4
    assert len({id(opened) for opened in [*connections, connection.connection]}) == 5
