"""Versions of a scheme: incomplete codings, and undone merges."""

from dataclasses import replace
from html import unescape

import pytest

from annotations.coding.log.replay import log_mismatches
from annotations.coding.status import submit_coding
from annotations.formats.model.scheme import CATEGORY, AttributeSpec, ValueSpec
from annotations.models import Judgement, Project
from annotations.revision import completeness
from annotations.revision.saving import save_scheme
from annotations.schemes.changes import Merge
from annotations.schemes.project_scheme import read_scheme
from tests.shared.coding import judge

VERSIONS = "/projects/tea/scheme/versions/"
TO_COMPLETE = "/projects/tea/scheme/to-complete/"
CONFIRMED = {"confirmed": "1"}


@pytest.fixture
def merged(codings, keys, project, charlie):
    """Let Alice and Bob judge, and merge the category place into none."""
    judge(codings["alice"], keys["a"], "place")
    judge(codings["bob"], keys["a"], "none")
    spec = read_scheme(project.pk).spec
    categories = tuple(category for category in spec.categories if category.key != "place")
    save_scheme(project, replace(spec, categories=categories), charlie, merges=[Merge(CATEGORY, "place", "none")])
    return project


@pytest.fixture
def required(codings, keys, project, charlie, alice):
    """Let Alice submit and Bob judge, and then require a gender of each markable."""
    judge(codings["alice"], keys["a"], "place")
    judge(codings["bob"], keys["a"], "none")
    codings["alice"].refresh_from_db()
    submit_coding(codings["alice"], alice)
    spec = read_scheme(project.pk).spec
    gender = AttributeSpec("gender", "gender", required=True, values=(ValueSpec("f", "f"),))
    save_scheme(project, replace(spec, attributes=(gender,)), charlie)
    return project


def test_manager_undoes_merge_once_confirmed(signed_in, charlie, merged, codings):
    client = signed_in(charlie)
    assert client.get(VERSIONS).content.decode().count("Undo its merges") == 1
    question = client.post(f"{VERSIONS}2/undo/").content.decode()
    assert "Undo the merges of version 2?" in question
    assert set(Judgement.objects.values_list("category__key", flat=True)) == {"none"}
    page = client.post(f"{VERSIONS}2/undo/", CONFIRMED, follow=True).content.decode()
    assert "The merges of version 2 are undone. The scheme has version 3 now." in page
    assert set(Judgement.objects.values_list("category__key", flat=True)) == {"none", "place"}
    for coding in codings.values():
        coding.refresh_from_db()
        assert list(log_mismatches(coding)) == []
    again = client.post(f"{VERSIONS}2/undo/", CONFIRMED, follow=True).content.decode()
    assert "Version 2 has merged no answers that are still as it left them." in again


def test_coder_cannot_see_or_undo_merges(signed_in, alice, merged):
    client = signed_in(alice)
    assert "Undo its merges" not in client.get(VERSIONS).content.decode()
    assert client.post(f"{VERSIONS}2/undo/", CONFIRMED).status_code == 403


def test_codings_that_lack_new_required_answers_can_be_reopened(manager, signed_in, alice, required):
    page = manager.get(TO_COMPLETE).content.decode()
    assert page.count("<tr><th scope") == 2 + 1
    assert page.count('action="/projects/tea/texts/tea/codings/alice/reopen/"') == 1
    assert "codings/bob/reopen" not in page
    page = signed_in(alice).get(TO_COMPLETE).content.decode()  # a coder sees the own texts alone
    assert '<td data-head="Coder">alice</td><td data-head="State">submitted</td>' in page
    assert 'href="/projects/tea/texts/tea/code/"' in page
    assert "bob" not in page
    assert "/reopen/" not in page


def test_list_shows_judgements_made_before_version(signed_in, charlie, required, codings, keys):
    client = signed_in(charlie)
    assert client.get(f"{TO_COMPLETE}?before=2").content.decode().count('<td data-head="Coder">bob</td>') == 1
    judge(codings["bob"], keys["a"], "place")
    page = client.get(f"{TO_COMPLETE}?before=2").content.decode()
    assert '<td data-head="Coder">alice</td>' in page
    assert '<td data-head="Coder">bob</td>' not in page
    assert '<td data-head="Words">“the kettle”</td>' in page


def test_list_shows_first_words_of_many_judgements(manager, codings, keys, project, monkeypatch):
    monkeypatch.setattr(completeness, "MAX_JUDGEMENTS", 2)
    monkeypatch.setattr(completeness, "MAX_WORDS_LENGTH", 4)
    for letter in "cba":
        judge(codings["alice"], keys[letter], "place")
    Project.objects.update(scheme_version=2)
    page = " ".join(unescape(manager.get(f"{TO_COMPLETE}?before=2").content.decode()).split())
    numbers, cell = '<td class="num" data-head="Judgements">3</td>', '<td data-head="Words">'
    assert f'{numbers} {cell}“the”, “the” <span class="muted">and more</span></td>' in page


def test_unknown_versions_are_refused(manager, required):
    for before in ("1", "3", "x", "9" * 30):
        reply = manager.get(f"{TO_COMPLETE}?before={before}")
        assert reply.status_code == 400
        assert "The scheme has no such version." in reply.content.decode()


def test_lists_take_few_queries(manager, required, django_assert_max_num_queries):
    for address in (TO_COMPLETE, f"{TO_COMPLETE}?before=2", VERSIONS):
        with django_assert_max_num_queries(14):
            manager.get(address)
