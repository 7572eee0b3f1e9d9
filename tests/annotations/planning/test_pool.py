"""The pool: who takes what, never more than the plan says, and what goes back."""

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


def test_a_coder_takes_texts_until_none_is_left_and_none_twice(pool):
    for name in ("ann", "ben"):
        taken = [take_next_text(pool, person(name)).text.slug for _ in range(12)]
        assert len(set(taken)) == 12
    with pytest.raises(ValidationError, match="No text of the round main is left for you"):
        take_next_text(pool, person("cem"))
    assert not pools_of(pool, person("cem"))[0].is_free


def test_what_was_taken_and_not_begun_goes_back_after_its_time(pool):
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


def test_a_maximum_holds_in_a_pool(pool):
    pool.rounds.get().plan.coders.filter(coder__username="ann").update(maximum=1)
    take_next_text(pool, person("ann"))
    with pytest.raises(ValidationError, match="You have your 1 text of the round main"):
        take_next_text(pool, person("ann"))


def test_nobody_takes_more_than_they_can_begin(pool):
    put_texts(pool, MAX_RESERVED)
    apply_plan(pool, plan_request(pool=True))
    for _ in range(MAX_RESERVED):
        take_next_text(pool, person("ann"))
    with pytest.raises(ValidationError, match="Begin them first"):
        take_next_text(pool, person("ann"))


def test_who_takes_no_part_and_what_is_closed_or_archived_is_refused(pool, mallory):
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


def test_the_pools_of_a_coder_cost_one_query_whatever_the_size(pool, django_assert_num_queries):
    ann = person("ann")
    with django_assert_num_queries(1):
        assert [state.is_free for state in pools_of(pool, ann)] == [True]


def put_texts(project, n_texts):
    texts = (Text(project=project, slug=f"text-{n:03}", title="Text", content="some words") for n in range(n_texts))
    put_into_round(current_round(project), Text.objects.bulk_create(texts))


def rush(n_coders, n_texts, k):
    """Return a project with a pool of so many texts, and its coders."""
    project = create_project("rush", "Rush", SCHEMES["poesio-artstein-2005"])
    coders = [person(f"coder-{number:02}") for number in range(n_coders)]
    for coder in coders:
        add_member(project, coder, Membership.Role.CODER)
    put_texts(project, n_texts)
    apply_plan(project, plan_request(pool=True, k=k))
    return project, coders


def draw_at_once(project, coders):
    """Let each of the coders take texts until they are refused, all at the same time."""
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
def test_a_maximum_holds_for_a_coder_who_asks_from_several_windows_at_once():
    project, [coder] = rush(n_coders=1, n_texts=12, k=1)
    PlanCoder.objects.update(maximum=3)
    draw_at_once(project, [coder] * 6)
    assert Coding.objects.of_people().filter(coder=coder).count() == 3


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_twenty_clients_at_once_fill_a_pool_of_a_hundred_texts_exactly():
    project, coders = rush(n_coders=20, n_texts=100, k=2)
    draw_at_once(project, coders)
    pairs = list(Coding.objects.of_people().values_list("text", "coder"))
    assert len(pairs) == len(set(pairs)) == 200
    assert set(Counter(text for text, _ in pairs).values()) == {2}
