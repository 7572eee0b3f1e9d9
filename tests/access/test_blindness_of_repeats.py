"""Coders of a repeat see nothing of their first occasion."""

from datetime import UTC, datetime
from itertools import product

import pytest

from annotations.coding.status import submit_coding
from annotations.models import AttributeAnswer, Coding, Index, Pointer, RepeatPlan, User
from annotations.texts.questions import ask, record_question_read, reply_to, resolve_question
from tests.access.walk import HER_QUESTION, Visit, all_visits, visited
from tests.shared.cases import cases, is_full
from tests.shared.coding import judge


def add_first_occasion(project):
    """Make Bob's coding the second occasion of a text that he coded, asked about and submitted before."""
    bob = User.objects.get(username="bob")
    coding = Coding.objects.of_people().get(text__project=project, coder=bob, round__name="main")
    text = coding.text
    asked = ask(text, bob, "Secret?", "phrase:4-14", uuid=HER_QUESTION)
    reply_to(asked, User.objects.get(username="charlie"), "Secret.", resolve=True)
    resolve_question(asked, bob)
    record_question_read(asked, bob)
    Coding.objects.of_people().filter(pk=coding.pk).update(occasion=2, created_at=datetime(2026, 1, 3, tzinfo=UTC))
    first = Coding.objects.create(text=text, coder=bob, round=coding.round)
    alone = "none"  # in every scheme
    for key in text.markables.filter(level__coded=True).values_list("key", flat=True):
        judge(first, key, alone, note="before")
    level = project.levels.get(key="phrase")
    mark = text.markables.create(level=level, key="phrase:0-1", parts=[[0, 1]], start=0, end=1, predefined=False)
    marked = first.judgements.create(markable=mark, note="before", name="before")
    AttributeAnswer.objects.create(judgement=marked, attribute=project.attributes.get(), text="before")
    if (relation := project.relations.filter(identity=True).first()) is not None:
        targets = text.markables.filter(predefined=True, level__coded=True).order_by("start")[:2]
        for reading, target in enumerate(targets):
            Pointer.objects.create(judgement=marked, relation=relation, reading=reading, target=target)
    else:
        Index.objects.create(judgement=marked, entity="before")
    submit_coding(first, bob)
    RepeatPlan.objects.create(round=coding.round, number=1, days=0, applied_at=datetime(2026, 1, 3, tzinfo=UTC))


@pytest.mark.parametrize(
    ("kind", "role"),
    [
        *product(cases(["marking"], full=["pointers", "indices"]), ["coder"]),
        *cases([], full=[("marking", "manager-coder")]),
    ],
)
def test_coders_see_nothing_of_first_occasion_in_repeat(alice, bob, charlie, signed_in, kind, role):
    visits = all_visits(kind, whole=is_full())
    visits += [
        Visit("GET", f"{address}?{choice}")
        for address in (
            "/projects/tea/texts/tea/code/",
            "/api/v1/projects/tea/texts/tea/coding/",
            "/api/v1/projects/tea/texts/tea/codings/bob/",
            "/projects/tea/texts/",
            "/projects/tea/questions/",
        )
        for choice in ("round=main", "occasion=1", "occasion=2", "sort=submitted", "sort=-submitted", "state=resolved")
    ]
    once = visited(bob, visits, signed_in, kind, alice_works=False, role_of_bob=role)
    again = visited(bob, visits, signed_in, kind, alice_works=False, role_of_bob=role, before=add_first_occasion)
    for visit, now, then in zip(visits, again, once, strict=True):
        assert now == then, visit
    manager = [Visit("GET", "/api/v1/projects/tea/codings/"), Visit("GET", "/api/v1/projects/tea/questions/")]
    once = visited(charlie, manager, signed_in, kind, alice_works=False)
    again = visited(charlie, manager, signed_in, kind, alice_works=False, before=add_first_occasion)
    assert all(now != then for now, then in zip(again, once, strict=True))
