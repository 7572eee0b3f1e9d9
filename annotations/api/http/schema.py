"""Extensions of the OpenAPI schema: the problem responses of each request, and the kinds of operations."""

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

from drf_spectacular.extensions import OpenApiSerializerExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import ComponentIdentity, ResolvedComponent
from rest_framework.permissions import SAFE_METHODS

from annotations.api.http.endpoints import IF_MATCH
from annotations.api.http.problems import CONTENT_TYPE, TITLES
from annotations.api.serializers.problems import InvalidSerializer, ProblemSerializer
from annotations.coding.log.payloads import PAYLOADS, payload_schema

ALWAYS = (400, 401, 429, 500, 503)  # possible for any request
WITH_RETRY_AFTER = (429, 503)  # answers with the header Retry-After


class ProblemSchema(AutoSchema):
    """The schema of an API method with its problem responses; views declare conflicts (409) themselves."""

    def get_operation(self, path: str, *args: Any, **kwargs: Any) -> dict[str, Any] | None:
        operation: dict[str, Any] | None = super().get_operation(path, *args, **kwargs)
        if operation is not None:
            for status in sorted({*ALWAYS, *self._statuses(path, operation)}):
                operation["responses"].setdefault(str(status), self._problem(status))
        return operation

    def _statuses(self, path: str, operation: dict[str, Any]) -> Iterator[int]:
        changes = self.method not in SAFE_METHODS
        parameters = {(parameter["in"], parameter["name"]) for parameter in operation.get("parameters", ())}
        if changes or "{slug}" in path:
            yield 403
        if "{" in path or ("query", "cursor") in parameters:
            yield 404
        if ("header", IF_MATCH.name) in parameters:
            yield from (412, 428)
        if changes:
            yield from (413, 415)
        if ("header", "Idempotency-Key") in parameters:
            yield 422
        if changes and "{slug}" in path:
            yield 423

    def _problem(self, status: int) -> dict[str, str]:
        """Return a reference to the problem response of this status."""
        serializer = InvalidSerializer if status == 400 else ProblemSerializer
        schema = self.resolve_serializer(serializer(), "response").ref
        response = {"description": TITLES[status], "content": {CONTENT_TYPE: {"schema": schema}}}
        if status in WITH_RETRY_AFTER:
            response["headers"] = {"Retry-After": {"schema": {"type": "integer"}, "description": "seconds"}}
        return component_ref(self, f"Problem{status}", response, ResolvedComponent.RESPONSE)


class OperationExtension(OpenApiSerializerExtension):  # type: ignore[no-untyped-call]
    """The operations of a coding by kind, each with the schema of its payload."""

    target_class = "annotations.api.serializers.coding.ChangeSerializer"

    def map_serializer(self, auto_schema: AutoSchema, direction: Any) -> dict[str, Any]:
        common = auto_schema._map_serializer(self.target, direction, bypass_extensions=True)  # type: ignore[no-untyped-call]
        mapping = {}
        for kind in PAYLOADS:
            schema = deepcopy(common)
            payload = component_ref(auto_schema, f"{kind.title()}Payload", payload_schema(kind))
            schema["properties"] |= {"kind": {"type": "string", "enum": [kind]}, "payload": payload}
            mapping[kind] = component_ref(auto_schema, f"{kind.title()}OperationRequest", schema)["$ref"]
        return {
            "oneOf": [{"$ref": address} for address in mapping.values()],
            "discriminator": {"propertyName": "kind", "mapping": mapping},
        }


def component_ref(
    auto_schema: AutoSchema, name: str, schema: dict[str, Any], kind: str = ResolvedComponent.SCHEMA
) -> dict[str, str]:
    """Return a reference to the component of this name; register the component if it is missing."""
    identity = ComponentIdentity(name)  # type: ignore[no-untyped-call]
    component = ResolvedComponent(name, kind, schema, identity)  # type: ignore[no-untyped-call]
    auto_schema.registry.register_on_missing(component)
    return component.ref
