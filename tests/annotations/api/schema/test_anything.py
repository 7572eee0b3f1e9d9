"""Random requests, valid or not, never cause an error of the server.

Requests at the limits of each rule of the schema are in `tests/attacks/test_schema_rules.py`.
"""

import copy
import json
import random
from collections.abc import Mapping

import pytest
import schemathesis
from django.test import Client
from hypothesis import HealthCheck
from schemathesis.specs.openapi.schemas import OpenApiSchema

from annotations.api.serializers.problems import ConflictSerializer, InvalidSerializer, ProblemSerializer
from annotations.projects.people.members import add_member
from tests.shared.api import schema_of_api
from tests.shared.cases import examples
from tests.shared.projects import make_shared_project, person
from tests.shared.pyramids import build, codings_of, docset, models_of, pyramid_project

# What addresses may name: mostly what is there, so that requests get further than "there is no such thing".
THERE = {"slug": ["tea", "ferry"], "text": ["tea", "sinking"], "docset": ["sinking"], "key": ["phrase:4-14"]}


def described(phase: str) -> OpenApiSchema:
    """Return the schema of the API, from which requests of one of schemathesis's phases follow."""
    found = schemathesis.openapi.from_dict(copy.deepcopy(schema_of_api()))
    found.config.phases.update(phases=[phase])
    return found


SCHEMA = described("fuzzing")
# What problems have, by their status; 0 is any other.
MEMBERS = {
    0: set(ProblemSerializer().fields),
    400: set(InvalidSerializer().fields),
    409: set(ConflictSerializer().fields),
}


def make_world() -> dict[str, Client]:
    """Make two projects that Charlie manages, one of them of pyramids; Alice codes in both. Return who is signed in."""
    make_shared_project()
    other = pyramid_project()
    people = {name: person(name) for name in ("alice", "bob", "charlie")}
    alice, bob, charlie = people.values()
    add_member(other, charlie, "manager")
    build(codings_of(models_of(docset(other, alice, bob)))["alice"], {"s": ["The ferry sank"]}, hand_in=False)
    clients = {"alice": Client(), "charlie": Client()}
    for name, client in clients.items():
        client.force_login(people[name])
    return clients


@pytest.fixture(scope="module")
def clients(module_rows: None) -> dict[str, Client]:
    """Make the projects once for all operations; the changes of each are rolled back."""
    return make_world()


@SCHEMA.parametrize()
@examples(4, *HealthCheck)
def test_requests_never_cause_server_errors(case, clients, db):
    send(case, clients)


def send(case: schemathesis.Case, clients: Mapping[str, Client]) -> None:
    """Send the request as Alice or Charlie, and assert that the schema has the answer."""
    draw = random.Random(repr((case.path_parameters, case.query, case.body)))
    client = clients[draw.choice(["alice", "charlie"])]
    for name, there in THERE.items():
        if name in case.path_parameters and draw.random() < 0.7:
            case.path_parameters[name] = draw.choice(there)
    sent = case.as_transport_kwargs()
    body = sent.get("json")
    # The test client raises what the server would answer 500 to.
    reply = client.generic(
        case.method,
        case.formatted_path,
        data=b"" if body is None else json.dumps(body).encode(),
        content_type=case.media_type or "application/json",
        query_params=case.query or {},
    )
    assert reply.status_code < 500
    # A method that the schema does not have is answered 405.
    assert reply.status_code == 405 or str(reply.status_code) in case.operation.definition.raw["responses"]
    if reply.status_code >= 400 and reply.content:
        assert reply["Content-Type"] == "application/problem+json"
        assert reply.json()["code"]
        assert reply.json().keys() <= MEMBERS.get(reply.status_code, MEMBERS[0])
