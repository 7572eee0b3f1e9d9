"""The list of projects: search, pages, managers and progress."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotations.coding.status import reopen_coding, submit_coding
from annotations.models import Coding, Membership
from annotations.projects.listing import PAGE_SIZE, describe_projects, find_projects
from annotations.projects.people.members import activity_of_members, add_member
from tests.shared.projects import make_project


@pytest.fixture
def managed(project, codings, charlie):
    """Return a project that Charlie manages; of two codings, Bob's is submitted."""
    add_member(project, charlie, Membership.Role.MANAGER)
    submit_coding(codings["bob"], codings["bob"].coder)
    return project


def entry(user):
    [found] = describe_projects(user, list(find_projects(user)))
    return found


def test_manager_sees_all_progress_and_coder_only_own(managed, charlie, alice, bob):
    of_manager = entry(charlie)
    assert (of_manager.role, of_manager.texts, of_manager.submitted, of_manager.assigned) == ("manager", 1, 1, 2)
    assert of_manager.managers == ["charlie"]
    for coder, submitted in ((alice, 0), (bob, 1)):
        own = entry(coder)
        assert (own.role, own.texts, own.submitted, own.assigned) == ("coder", None, submitted, 1)


def test_search_matches_all_words_of_title_and_address(managed, charlie):
    for slug, title in (("pilot-2026", "News of May"), ("main", "News of June")):
        other = make_project(slug, "muc-ident", "[It](a) rains.")
        other.title = title
        other.save()
        add_member(other, charlie, Membership.Role.MANAGER)
    found = {
        search: [project.slug for project in find_projects(charlie, search)]
        for search in ("", "news", "NEWS june", "pilot", "100%", "\\", "x" * 500)
    }
    assert found == {
        "": ["main", "pilot-2026", "tea"], "news": ["main", "pilot-2026"], "NEWS june": ["main"],
        "pilot": ["pilot-2026"], "100%": [], "\\": [], "x" * 500: [],
    }  # fmt: skip


def test_project_list_shows_progress_and_empty_search(signed_in, managed, charlie):
    page = signed_in(charlie).get("/").content.decode()
    assert "1 of 2 submitted" in page
    assert "Managed by charlie" in page
    assert "Search projects" not in page  # there is one
    assert "No project matches." in signed_in(charlie).get("/", {"q": "coffee\0"}).content.decode()


@pytest.mark.slow
def test_project_list_has_pages_and_takes_fixed_number_of_queries(signed_in, managed, charlie):
    client = signed_in(charlie)

    def queries():
        with CaptureQueriesContext(connection) as found:
            client.get("/")
        return len(found)

    before = queries()
    for number in range(PAGE_SIZE):
        add_member(make_project(f"p-{number}", "muc-ident", "[It](a) rains."), charlie, Membership.Role.MANAGER)
    assert queries() == before
    first, second = (client.get("/", {"page": page}).content.decode() for page in (1, 2))
    assert (first.count('class="card"'), second.count('class="card"')) == (PAGE_SIZE, 1)
    assert "Search projects" in first


def test_members_page_shows_activity_unless_manager_is_blind(signed_in, managed, charlie, bob):
    found = activity_of_members(managed)
    assert (found[bob.pk].assigned, found[bob.pk].submitted) == (1, 1)
    assert found[bob.pk].last is not None
    page = signed_in(charlie).get("/projects/tea/members/").content.decode()
    assert "1 of 1" in page
    assert "0 of 1" in page
    assert "no assignments" in page  # charlie
    membership = managed.memberships.get(user=charlie)
    add_member(managed, bob.__class__.objects.create(username="dora"), Membership.Role.MANAGER)
    membership.role = Membership.Role.MANAGER_CODER
    membership.save()
    blind = signed_in(charlie).get("/projects/tea/members/").content.decode()
    assert "Last active" not in blind
    assert "1 of 1" not in blind


def test_reopening_by_manager_is_no_activity_of_coder(managed, charlie, bob):
    coding = Coding.objects.of_people().get(coder=bob)
    before = activity_of_members(managed)[bob.pk].last
    reopen_coding(coding, charlie, "Look again")
    assert activity_of_members(managed)[bob.pk].last == before is not None
