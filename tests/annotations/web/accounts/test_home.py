"""The list of a user's projects."""

from django.contrib.auth.models import Permission

from annotations.models import User
from tests.shared.projects import make_project


def test_home_lists_only_projects_of_member(signed_in, bob, charlie, project):
    make_project("hidden-one")
    page = signed_in(bob).get("/").content.decode()
    assert 'href="/projects/tea/"' in page
    assert "hidden-one" not in page
    assert "1 text" not in page  # a coder is not told how many there are
    assert "1 text" in signed_in(charlie).get("/").content.decode()


def test_home_offers_new_project_only_with_permission(signed_in, alice, bob):
    alice.user_permissions.add(Permission.objects.get(codename="add_project"))
    assert "/projects/new/" in signed_in(alice).get("/").content.decode()
    assert "/projects/new/" not in signed_in(bob).get("/").content.decode()


def test_home_takes_fixed_number_of_queries(signed_in, django_assert_num_queries, db):
    root = User.objects.create(username="root", is_superuser=True)
    client = signed_in(root)
    for number in (1, 2, 3):
        make_project(f"p{number}")
        with django_assert_num_queries(9):
            client.get("/")
