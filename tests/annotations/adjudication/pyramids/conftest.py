"""Fixtures of agreed pyramids: a docset that two coders have submitted, drafts, and operations on them."""

from uuid import uuid4

import pytest

from annotations.adjudication.drafts import DraftRequest, draft_gold
from annotations.adjudication.proposal import Method
from annotations.coding import operations
from annotations.coding.operations import Change
from annotations.models import Coding, Docset, Membership
from annotations.projects.people.members import add_member
from tests.shared.projects import person
from tests.shared.pyramids import build, codings_of, docset, models_of, pyramid_project

DAWN = {"at dawn": ["at dawn", "At dawn"]}
BOATS = {"boats": ["Boats saved forty people"]}


@pytest.fixture
def ferry(alice, bob, charlie) -> Docset:
    """Return a docset with submitted pyramids of Alice and Bob; only Bob has the SCU of the boats."""
    project = pyramid_project()
    add_member(project, person("adam"), Membership.Role.ADJUDICATOR)
    made = docset(project, alice, bob)
    codings = codings_of(models_of(made))
    build(codings["alice"], DAWN)
    build(codings["bob"], {key.upper(): words for key, words in (DAWN | BOATS).items()})
    return made


def agreed_of(made: Docset) -> Coding:
    codings = Coding.objects.of_people().select_related("text__project", "coder", "round")
    return codings.get(text__docset=made, kind="agreed")


def draft(made: Docset, method: Method = Method.MOST, **fields: str) -> Coding:
    report = draft_gold(made.project, DraftRequest(method, **fields))
    assert (report.drafted, report.begun) == (["sinking"], [])
    return agreed_of(made)


def send(coding: Coding, kind: str, payload: dict[str, object], **more: object) -> None:
    coding.refresh_from_db()
    operations.apply(coding, coding.coder, coding.version, [Change(uuid4(), kind, payload, **more)])
