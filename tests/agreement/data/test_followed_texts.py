"""Texts that are coded for the first time, and docsets with their peers, are followed from look to look."""

import pytest

from agreement.data import reading
from agreement.data.pyramids import read_pyramids
from agreement.data.reading import read_answers
from agreement.reports import basis
from agreement.reports.items import compute_items
from agreement.reports.overall import compute_report
from agreement.reports.parameters import default_preset
from annotations.docsets.creation import add_named_peer
from annotations.models import Coding, User
from annotations.planning.plans.plans import apply_plan
from annotations.planning.pool import take_next_text
from annotations.planning.work.assignments import assign_texts
from annotations.planning.work.progress import read_progress
from annotations.planning.work.remaining import count_remaining
from annotations.texts.changes import delete_text, deletion_figures
from tests.shared.coding import judge
from tests.shared.following import another_process, figures
from tests.shared.plans import make_large_project, plan_request
from tests.shared.pyramids import build, codings_of, docset, models_of, pyramid_project


@pytest.fixture(autouse=True)
def store_all_answers(db, monkeypatch):
    monkeypatch.setattr(reading, "MIN_STORED", 1)
    monkeypatch.setattr(basis, "MIN_REMEMBERED", 0)
    monkeypatch.setattr(basis, "MAX_TEXTS_AT_ONCE", 2)


def take_and_judge(project, name):
    """Take the next text as a coder does, and judge a markable of it."""
    coding = take_next_text(project, User.objects.get(username=name), "pool")
    judge(coding, coding.text.markables.order_by("start").first().key, None)
    return coding.text


@pytest.mark.slow
def test_first_codings_of_pool_texts_are_followed(monkeypatch):
    project = make_large_project()
    project.rounds.update(name="pool")
    apply_plan(project, plan_request("pool", pool=True))
    known = {take_and_judge(project, name) for name in ("ann", "ben", "cem")}
    figures(project)
    new = set()
    for name in ("ann", "ben", "ann", "cem", "ben"):
        new.add(take_and_judge(project, name))
        followed = figures(project)
        with another_process(monkeypatch):
            assert followed == figures(project)
    assert len(new - known) > 1


def test_codings_of_new_text_between_others_are_followed(monkeypatch):
    project = make_large_project()
    texts = {text.slug: text for text in project.texts.all()}
    people = list(User.objects.filter(username__in=("ann", "ben")))
    assign_texts(project, [texts["t01"], texts["t08"]], people)
    figures(project)
    for slug in ("t05", "t00", "t11"):
        for coder in people:
            Coding.objects.create(text=texts[slug], coder=coder, round=project.rounds.get())
        followed = figures(project)
        slugs = [text.slug for text in read_answers(project).texts]
        assert slugs == sorted(slugs)
        with another_process(monkeypatch):
            assert followed == figures(project)


def figures_of_pyramids(project):
    """Return what pages say of pyramids and peers, to the last digit."""
    found, spans = read_answers(project), read_answers(project, "spans")
    report = compute_report(found, default_preset(project.preset, found.answers).parameters)
    return {
        "result": report.result,
        "interval": (report.interval.low, report.interval.high),
        "fingerprints": (found.fingerprint, spans.fingerprint),
        "texts": [(text.slug, text.round) for text in found.texts],
        "items": compute_items(found, report.parameters).share_of(...).tolist(),
        "progress": read_progress(project),
        "remaining": count_remaining(project),
        "pyramids": repr(read_pyramids(project)),
    }


@pytest.mark.slow
def test_docsets_and_peers_are_followed(alice, bob, monkeypatch):
    project = pyramid_project()
    first = docset(project, alice, bob)
    for coding in codings_of(models_of(first)).values():
        build(coding, {"s": ["the"]})
    steps = [
        lambda: docset(project, alice, bob, slug="other"),
        lambda: [build(coding, {"s": ["the"]}, hand_in=False) for coding in codings_of(models_of(second())).values()],
        lambda: add_named_peer(first, "peer", "The ferry sank in the night."),
        lambda: add_named_peer(second(), "peer", "The ferry sank."),
        lambda: assign_texts(project, [peer()], [alice, bob]),
        lambda: delete_text(peer(), deletion_figures(project.texts.filter(pk=peer().pk)).tag),
    ]

    def second():
        return project.docsets.get(slug="other")

    def peer():
        return project.texts.filter(role="peer").order_by("pk").first()

    figures_of_pyramids(project)
    for step in steps:
        step()
        followed = figures_of_pyramids(project)
        with another_process(monkeypatch):
            assert followed == figures_of_pyramids(project)
    assert read_answers(project).coders == ("alice", "bob")
