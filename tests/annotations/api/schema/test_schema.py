"""The OpenAPI schema of the API."""

import json
import re
from io import StringIO

import pytest
from django.conf import settings
from django.core.management import call_command
from django.urls import get_resolver

from annotations.coding.log.payloads import PAYLOADS
from scripts.api_types import render_types


@pytest.fixture(scope="module")
def schema():
    out = StringIO()
    call_command("spectacular", "--fail-on-warn", "--validate", "--format", "openapi-json", stdout=out)
    return out.getvalue()


def test_schema_is_valid_without_warnings(schema):
    assert '"openapi"' in schema


def test_types_of_scripts_match_schema(schema):
    written = (settings.BASE_DIR / "static/js/api.d.ts").read_text(encoding="utf-8")
    assert written == render_types(json.loads(schema)["components"]["schemas"]), (
        "run the command in scripts/api_types.py"
    )


def test_schema_describes_every_route(schema):
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


def test_every_operation_declares_its_problems(schema):
    described = json.loads(schema)
    problems = {f"#/components/schemas/{name}" for name in ("Problem", "Invalid", "Conflict")}
    missing = []
    for path, operations in described["paths"].items():
        for method, operation in operations.items():
            expected = {"400", "401", "429", "500", "503"}
            expected |= {"404"} if "{" in path else set()
            expected |= {"403"} if "{slug}" in path or method != "get" else set()
            expected |= {"413", "415"} if "requestBody" in operation else set()
            headers = {
                parameter["name"] for parameter in operation.get("parameters", ()) if parameter["in"] == "header"
            }
            expected |= {"412", "428"} if "If-Match" in headers else set()
            expected |= {"422"} if "Idempotency-Key" in headers else set()
            if missed := expected - operation["responses"].keys():
                missing.append((method, path, missed))
            for status, response in operation["responses"].items():
                if "$ref" in response:
                    response = described["components"]["responses"][response["$ref"].rpartition("/")[2]]
                if status >= "4":
                    [(content_type, content)] = response["content"].items()
                    assert (content_type, content["schema"]["$ref"] in problems) == ("application/problem+json", True)
                    assert response["description"]
    assert missing == []


def test_operations_of_coding_are_typed_by_kind(schema):
    described = json.loads(schema)["components"]["schemas"]
    kinds = described["ChangeRequest"]["discriminator"]["mapping"]
    assert kinds.keys() == PAYLOADS.keys()
    for kind, address in kinds.items():
        operation = described[address.rpartition("/")[2]]["properties"]
        payload = described[operation["payload"]["$ref"].rpartition("/")[2]]
        assert payload["properties"].keys() == PAYLOADS[kind].keys()
