"""The link that creates the first account."""

import pytest
from django.core.cache import cache
from django.test import Client

from annotations.models import User
from annotations.projects.people.first_account import KEY, make_link

pytestmark = pytest.mark.django_db
GIVEN = {"username": "anna", "password1": "lavender-9-canoe", "password2": "lavender-9-canoe"}


def test_link_creates_superuser_and_signs_in(client):
    link = make_link()
    page = client.get(link)
    assert "Make the first account" in page.content.decode()
    assert page["Referrer-Policy"] == "strict-origin"  # other sites are not told the address
    assert "There is no account here yet" in client.get("/sign-in/").content.decode()
    answer = client.post(link, GIVEN, follow=True)
    assert answer.redirect_chain == [("/", 302)]
    assert answer.context["user"].get_username() == "anna"
    assert User.objects.filter(username="anna", is_superuser=True, is_staff=True).exists()
    assert "There is no account here yet" not in Client().get("/sign-in/").content.decode()
    assert make_link() == ""


def test_link_works_once_even_if_account_is_deleted(client):
    link = make_link()
    client.post(link, GIVEN)
    User.objects.all().delete()
    for answer in (Client().get(link), Client().post(link, GIVEN)):
        assert (answer.status_code, "This link does not work" in answer.content.decode()) == (404, True)
    assert not User.objects.exists()


def test_account_created_elsewhere_ends_link(client, alice):
    User.objects.all().delete()
    link = make_link()
    User.objects.create(username="bob")
    assert client.get(link).status_code == client.post(link, GIVEN).status_code == 404
    assert set(User.objects.values_list("username", flat=True)) == {"bob"}


def test_only_latest_link_works(client):
    first, second = make_link(), make_link()
    assert client.get(first).status_code == 404
    assert client.get(second).status_code == 200
    assert client.get("/first-account/x/").status_code == 404
    cache.delete(KEY)  # a day later
    assert client.get(second).status_code == 404


def test_link_still_works_after_wrong_form(client):
    link = make_link()
    answer = client.post(link, {**GIVEN, "password2": "other"})
    assert (answer.status_code, User.objects.exists()) == (400, False)
    assert client.post(link, {**GIVEN, "password1": "short", "password2": "short"}).status_code == 400
    assert client.post(link, GIVEN).status_code == 302
