"""How much of the processors one person has."""

import pytest
from django.test import Client

from annotations.models import Token
from annotations.projects.people.tokens import create_token


@pytest.fixture
def used_up(settings):
    """Let any request use up the bound."""
    settings.PROCESSOR_SECONDS_A_MINUTE = 0


def statuses(client, address, **headers):
    """Return the statuses up to the first that is not 200: a request may take less than a millisecond."""
    found = [200]
    while found[-1] == 200 and len(found) < 500:
        found.append(client.get(address, headers=headers).status_code)
    return found


def test_who_has_used_up_the_minute_waits_and_others_do_not(signed_in, alice, bob, project, used_up):
    client = signed_in(alice)
    assert statuses(client, "/projects/tea/")[-1] == 429
    page, problem = client.get("/projects/tea/"), client.get("/api/v1/projects/")
    assert (page.status_code, "Wait a moment" in page.content.decode()) == (429, True)
    assert (problem.status_code, problem.json()["code"]) == (429, "throttled")
    assert 0 < int(page["Retry-After"]) <= 60
    assert signed_in(bob).get("/projects/tea/").status_code == 200


def test_a_key_and_an_address_of_strangers_are_somebody_too(alice, project, used_up):
    secrets = [create_token(alice, name, Token.Scope.READ, 1)[1] for name in ("script", "other")]
    keys = [f"Bearer {secrets[0]}", f"bearer   {secrets[0]}", f"Bearer {secrets[1]}"]
    for key in keys:
        Client().get("/api/v1/projects/", headers={"Authorization": key})
    assert statuses(Client(), "/api/v1/projects/", Authorization=keys[0])[-1] == 429
    assert [Client().get("/api/v1/projects/", headers={"Authorization": key}).status_code for key in keys] == [429] * 3
    assert Client(REMOTE_ADDR="10.0.0.8").get("/api/v1/projects/", headers={"Authorization": "x"}).status_code == 401
    assert Client().get("/sign-in/").status_code == 200
    assert statuses(Client(), "/sign-in/")[-1] == 429
    assert Client().get("/sign-in/", headers={"Authorization": "Bearer made-up"}).status_code == 429
    assert Client().get("/healthz").status_code == 200
    assert Client(REMOTE_ADDR="10.0.0.9").get("/sign-in/").status_code == 200
