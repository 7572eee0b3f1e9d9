"""The pool: taking texts, limits and returned texts."""

from collections import Counter
from datetime import timedelta
from threading import Barrier, Thread

import pytest
from django.core.exceptions import ValidationError
from django.db import connections
from django.utils import timezone

from annotations.models import Coding, Membership, PlanCoder, Text
from annotations.planning.plans.plans import apply_plan
from annotations.planning.pool import MAX_RESERVED, pools_of, take_next_text
from annotations.planning.rounds import change_round
from annotations.projects.creation import create_project
from annotations.projects.locks import set_archived
from annotations.projects.people.members import add_member
from annotations.projects.rounds import current_round, put_into_round
from annotations.schemes.ready_made import SCHEMES
from tests.shared.coding import judge
from tests.shared.plans import plan_request
from tests.shared.projects import person


@pytest.fixture
def pool(large):
    apply_plan(large, plan_request(pool=True))
    return large


def test_coders_take_each_text_once_until_pool_is_empty(pool):
    for name in ("ann", "ben"):
        taken = [take_next_text(pool, person(name)).text.slug for _ in range(12)]
        assert len(set(taken)) == 12
    with pytest.raises(ValidationError, match="No text of the round main is left for you"):
        take_next_text(pool, person("cem"))
    assert not pools_of(pool, person("cem"))[0].is_free


def test_unbegun_texts_return_to_pool_after_reservation(pool):
    for name in ("ann", "ben"):
        for _ in range(12):
            take_next_text(pool, person(name))
    begun = Coding.objects.of_people().filter(coder__username="ann").first()
    judge(begun, begun.text.markables.first().key, "none")
    Coding.objects.of_people().filter(coder__username="ann").update(
        reserved_until=timezone.now() - timedelta(minutes=1)
    )
    assert pools_of(pool, person("cem"))[0].is_free
    taken = [take_next_text(pool, person("cem")).text_id for _ in range(11)]
    assert begun.text_id not in taken
    assert list(Coding.objects.of_people().filter(coder__username="ann")) == [begun]
    with pytest.raises(ValidationError, match="No text of the round main is left for you"):
        take_next_text(pool, person("cem"))


def test_maximum_holds_in_pool(pool):
    pool.rounds.get().plan.coders.filter(coder__username="ann").update(maximum=1)
    take_next_text(pool, person("ann"))
    with pytest.raises(ValidationError, match="You have your 1 text of the round main"):
        take_next_text(pool, person("ann"))


def test_coder_must_begin_reserved_texts_before_taking_more(pool):
    put_texts(pool, MAX_RESERVED)
    apply_plan(pool, plan_request(pool=True))
    for _ in range(MAX_RESERVED):
        take_next_text(pool, person("ann"))
    with pytest.raises(ValidationError, match="Begin them first"):
        take_next_text(pool, person("ann"))


def test_pool_refuses_outsiders_closed_rounds_and_archived_projects(pool, mallory):
    with pytest.raises(ValidationError, match="no pool"):
        take_next_text(pool, mallory)
    change_round(pool.rounds.get(), closed=True)
    with pytest.raises(ValidationError, match="no pool"):
        take_next_text(pool, person("ann"))
    change_round(pool.rounds.get(), closed=False)
    assert take_next_text(pool, person("ann"), "main")
    with pytest.raises(ValidationError, match="no pool"):
        take_next_text(pool, person("ann"), "ghost")
    set_archived(pool, archived=True)
    assert pools_of(pool, person("ann")) == []
    with pytest.raises(Exception, match="archived"):
        take_next_text(pool, person("ann"))


def test_pools_of_coder_take_one_query(pool, django_assert_num_queries):
    ann = person("ann")
    with django_assert_num_queries(1):
        assert [state.is_free for state in pools_of(pool, ann)] == [True]


def put_texts(project, n_texts):
    texts = (Text(project=project, slug=f"text-{n:03}", title="Text", content="some words") for n in range(n_texts))
    put_into_round(current_round(project), Text.objects.bulk_create(texts))


def make_pool(n_coders, n_texts, k):
    """Return a project with a pool of `n_texts` texts, and its coders."""
    project = create_project("rush", "Rush", SCHEMES["poesio-artstein-2005"])
    coders = [person(f"coder-{number:02}") for number in range(n_coders)]
    for coder in coders:
        add_member(project, coder, Membership.Role.CODER)
    put_texts(project, n_texts)
    apply_plan(project, plan_request(pool=True, k=k))
    return project, coders


def take_texts_concurrently(project, coders):
    """Let all coders take texts at the same time until they are refused."""
    barrier, errors = Barrier(len(coders)), []

    def draw(coder):
        try:
            barrier.wait()
            while True:
                take_next_text(project, coder)
        except ValidationError:  # none is left, or they have as many as they may
            pass
        except Exception as error:
            errors.append(error)
        finally:
            connections.close_all()

    threads = [Thread(target=draw, args=[coder]) for coder in coders]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_maximum_holds_for_concurrent_requests_of_one_coder():
    project, [coder] = make_pool(n_coders=1, n_texts=12, k=1)
    PlanCoder.objects.update(maximum=3)
    take_texts_concurrently(project, [coder] * 6)
    assert Coding.objects.of_people().filter(coder=coder).count() == 3


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_twenty_concurrent_coders_fill_pool_of_100_texts_exactly():
    project, coders = make_pool(n_coders=20, n_texts=100, k=2)
    take_texts_concurrently(project, coders)
    pairs = list(Coding.objects.of_people().values_list("text", "coder"))
    assert len(pairs) == len(set(pairs)) == 200
    assert set(Counter(text for text, _ in pairs).values()) == {2}
