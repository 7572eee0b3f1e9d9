"""The API's own description."""

import re
from io import StringIO

import pytest
from django.core.management import call_command
from django.urls import get_resolver


@pytest.fixture(scope="module")
def schema():
    out = StringIO()
    call_command("spectacular", "--fail-on-warn", "--validate", "--format", "openapi-json", stdout=out)
    return out.getvalue()


def test_the_schema_is_made_without_a_warning_and_is_valid(schema):
    assert '"openapi"' in schema


def test_every_route_of_the_api_is_described(schema):
    routes = [
        str(pattern.pattern)
        for include in get_resolver().url_patterns
        if str(include.pattern) == "api/v1/" and hasattr(include, "url_patterns")
        for pattern in include.url_patterns
    ]
    assert len(routes) >= 10
    for route in routes:
        path = "/api/v1/" + re.sub(r"<\w+:(\w+)>", r"{\1}", route)
        assert f'"{path}"' in schema


@pytest.mark.parametrize("address", ["/api/v1/schema/", "/api/v1/docs/"])
def test_the_schema_and_its_page_are_open(client, db, address):
    assert client.get(address).status_code == 200
