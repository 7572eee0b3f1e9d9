"""Deleting and ordering texts, and unassigning coders, by the API."""

from annotations.models import Coding, Text
from tests.shared.coding import judge

PROJECT = "/api/v1/projects/tea/"
URL = f"{PROJECT}texts/tea/"
SEEN = {"If-Match": "*"}


def test_text_deletion_requires_number_of_begun_codings(manager, text, codings, keys):
    judge(codings["alice"], keys["a"], "none")
    assert manager.delete(URL).status_code == 428
    refused = manager.delete(URL, headers=SEEN)
    assert (refused.status_code, refused.json()["errors"]) == (
        400,
        {"begun": ["Codings that have begun: 1. Send this number to confirm."]},
    )
    assert Text.objects.filter(pk=text.pk).exists()
    assert manager.delete(f"{URL}?begun=1", headers=SEEN).status_code == 204
    assert not Text.objects.filter(pk=text.pk).exists()


def test_only_unstarted_codings_are_unassigned(manager, codings, keys):
    judge(codings["alice"], keys["a"], "none")
    assert manager.delete(f"{URL}codings/bob/", headers=SEEN).status_code == 204
    refused = manager.delete(f"{URL}codings/alice/", headers=SEEN)
    assert "has begun" in refused.json()["errors"]["non_field_errors"][0]
    assert list(Coding.objects.of_people().values_list("coder__username", flat=True)) == ["alice"]


def test_text_moves_to_position(manager, project):
    for slug in ("coffee", "water"):
        Text.objects.create(project=project, slug=slug, title=slug.title(), content="words", position=5)
    for place, expected in ((1, ["water", "tea", "coffee"]), (99, ["tea", "coffee", "water"])):
        body = {"position": place}
        url = f"{PROJECT}texts/water/"
        assert manager.patch(url, body, content_type="application/json", headers=SEEN).status_code == 200
        assert list(project.texts.values_list("slug", flat=True)) == expected
    assert manager.patch(URL, {}, content_type="application/json", headers=SEEN).status_code == 400
