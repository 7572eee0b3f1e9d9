"""Replacement of coders and release of idle texts."""

from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError
from django.utils import timezone

from annotations.coding.status import submit_coding
from annotations.models import Coding, Judgement, Operation
from annotations.planning.plans.plans import apply_plan
from annotations.planning.pool import take_next_text
from annotations.planning.rounds import change_round
from annotations.planning.work.assignments import FreedPlaces, assign_texts, release_idle, replace_coder
from tests.shared.coding import judge
from tests.shared.plans import plan_request
from tests.shared.projects import person


def texts_of(name):
    return set(Coding.objects.of_people().filter(coder__username=name).values_list("text__slug", flat=True))


def begin(coding):
    judge(coding, coding.text.markables.first().key, "none")
    return coding


def test_replacement_gets_open_texts_and_begun_work_stays(large):
    round_ = large.rounds.get()
    assign_texts(large, large.texts.all()[:4], [person("ann")])
    assign_texts(large, large.texts.all()[3:4], [person("ben")])
    done, begun, *_ = Coding.objects.of_people().filter(coder__username="ann")
    for markable in done.text.markables.all():
        judge(done, markable.key, "none")
    submit_coding(done, done.coder)
    begin(begun)
    assert replace_coder(large, round_, person("ann"), person("ben")) == FreedPlaces(1, 1)
    assert texts_of("ben") == {"t01", "t02", "t03"}
    assert texts_of("ann") == {"t00", "t01", "t03"}
    assert Judgement.objects.filter(coding=begun).count() == 1
    assert replace_coder(large, round_, person("ann"), person("ben")) == FreedPlaces(0, 0)


def test_replacement_requires_another_coder_and_open_round(large, charlie):
    round_ = large.rounds.get()
    for other, reason in ((charlie, "charlie is not a coder"), (person("ann"), "two different")):
        with pytest.raises(ValidationError, match=reason):
            replace_coder(large, round_, person("ann"), other)
    change_round(round_, closed=True)
    with pytest.raises(ValidationError, match="is closed"):
        replace_coder(large, round_, person("ann"), person("ben"))
    with pytest.raises(ValidationError, match="is closed"):
        release_idle(large, round_, 3)


def test_release_frees_idle_texts_and_keeps_work(large):
    apply_plan(large, plan_request(k=2))
    round_ = large.rounds.get()
    idle, recent, *_ = Coding.objects.of_people().filter(coder__username="ann")
    for coding in (idle, recent):
        begin(coding)
    Coding.objects.of_people().update(created_at=timezone.now() - timedelta(days=9))
    Operation.objects.filter(coding=idle).update(applied_at=timezone.now() - timedelta(days=8))
    assert release_idle(large, round_, 7) == FreedPlaces(22, 1)
    assert set(Coding.objects.of_people().values_list("pk", flat=True)) == {idle.pk, recent.pk}
    assert Judgement.objects.filter(coding=idle).count() == 1
    view = apply_plan(large, plan_request(k=2))
    assert len(view.proposal.assignments[idle.text.slug]) == 3
    assert len(view.proposal.assignments[recent.text.slug]) == 2
    assert apply_plan(large, plan_request(k=2)).proposal.new == ()
    with pytest.raises(ValidationError, match="from 1 to"):
        release_idle(large, round_, 0)


def test_pool_offers_released_text_to_other_coders_only(large):
    apply_plan(large, plan_request(pool=True, k=1, allow_unconnected=True))
    coding = begin(take_next_text(large, person("ann")))
    Coding.objects.of_people().update(released_at=timezone.now())
    assert take_next_text(large, person("ann")).text != coding.text
    assert take_next_text(large, person("ben")).text == coding.text
