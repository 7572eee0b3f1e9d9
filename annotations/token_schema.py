"""How the schema of the API names keys. Read when the program is ready, as it needs the views."""

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension


class TokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """`Authorization: Bearer KEY`."""

    target_class = "annotations.tokens.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:  # noqa: ARG002 - the same for all
        return {"type": "http", "scheme": "bearer"}
