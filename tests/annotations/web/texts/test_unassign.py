"""Unassigning texts that have not begun."""

from annotations.docsets.creation import add_peer
from annotations.models import Coding
from annotations.planning.work.assignments import assign_peers
from tests.shared.coding import judge
from tests.shared.pyramids import docset as make_docset
from tests.shared.pyramids import pyramid_project

URL = "/projects/tea/texts/tea/codings/alice/unassign/"


def test_unstarted_assignment_is_unassigned(manager, codings):
    assert URL in manager.get("/projects/tea/texts/tea/").content.decode()
    page = manager.post(URL, follow=True).content.decode()
    assert "Unassigned “Tea” from alice." in page
    assert list(Coding.objects.of_people().values_list("coder__username", flat=True)) == ["bob"]
    assert manager.post(URL).status_code == 404


def test_begun_assignment_stays_even_after_answers_are_cleared(manager, codings, keys):
    judge(codings["alice"], keys["a"], "none")
    judge(codings["alice"], keys["a"], None)
    assert URL not in manager.get("/projects/tea/texts/tea/").content.decode()
    assert "alice has begun “Tea”" in manager.post(URL, follow=True).content.decode()
    assert Coding.objects.of_people().count() == 2


def test_pyramid_stays_assigned_while_peers_depend_on_it(manager, alice, charlie):
    project = pyramid_project()
    project.memberships.create(user=charlie, role="manager")
    docset = make_docset(project, alice)
    assign_peers(docset, [add_peer(docset, "p", "P", "It sank.")], [alice], agreed=False)
    pyramid, peer = (f"/projects/ferry/texts/{slug}/codings/alice/unassign/" for slug in ("sinking", "p"))
    assert {pyramid, peer} <= set(manager.get("/projects/ferry/docsets/sinking/").content.decode().split('"'))
    assert "unassign these first" in manager.post(pyramid, {"kind": "pyramid"}, follow=True).content.decode()
    manager.post(peer, {"kind": "peer"})
    manager.post(pyramid, {"kind": "pyramid"})
    assert not Coding.objects.of_people().filter(text__docset=docset).exists()
