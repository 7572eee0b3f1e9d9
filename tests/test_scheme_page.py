"""What coders are asked, shown to all members."""

import pytest

from annotations.models import Category, Project

URL = "/projects/tea/scheme/"


@pytest.mark.parametrize("role", ["manager", "adjudicator", "viewer", "coder"])
def test_every_member_sees_categories_levels_and_guidelines(signed_in, people, role):
    Project.objects.update(guidelines="Read *twice*.")
    page = signed_in(people[role]).get(URL).content.decode()
    assert "<em>twice</em>" in page
    for words in ("segment", "place", "only pointed at", "pointers to antecedents"):
        assert words in page


def test_labels_and_guidelines_cannot_bring_html(signed_in, alice, project):
    Category.objects.update(label="<script>1</script>")
    Project.objects.update(guidelines="<script>1</script>", title="<script>1</script>")
    assert "<script>1" not in signed_in(alice).get(URL).content.decode()


def test_an_outsider_and_the_anonymous_see_nothing(signed_in, client, mallory, project):
    assert signed_in(mallory).get(URL).status_code == 404
    assert client.get(URL).status_code == 302
