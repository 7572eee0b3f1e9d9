"""Write the TypeScript types of the API, from its OpenAPI schema.

Run `manage.py spectacular --format openapi-json | python -m scripts.api_types > static/js/api.d.ts`.
"""

import json
import re
import sys
from typing import TypedDict

ROOTS = (
    "JudgePayload",
    "DecidePayload",
    "MarkableState",
    "LevelState",
    "CategoryState",
    "RelationState",
    "AttributeState",
    "ComparedItem",
    "SchemePreview",
    "Merge",
    "QueueCoder",
    "SCUName",
)
REFERENCE = re.compile(r"#/components/schemas/(\w+)")
NAMES = {"integer": "number", "number": "number", "string": "string", "boolean": "boolean"}

Schema = TypedDict(
    "Schema",
    {
        "$ref": str,
        "additionalProperties": "Schema",
        "allOf": list["Schema"],
        "anyOf": list["Schema"],
        "description": str,
        "enum": list[str],
        "items": "Schema",
        "maxItems": int,
        "minItems": int,
        "nullable": bool,
        "oneOf": list["Schema"],
        "properties": dict[str, "Schema"],
        "required": list[str],
        "type": str,
    },
    total=False,
)


def render_types(components: dict[str, Schema]) -> str:
    """Return a TypeScript interface for each root and for all types that they use."""
    lines = ["// Written by scripts/api_types.py from the API's description. The browser does not load this file."]
    names = list(ROOTS)
    for name in names:
        component = components[name]
        named = dict.fromkeys(REFERENCE.findall(json.dumps(component)))
        names += [used for used in named if used not in names and "properties" in components[used]]
        lines += ["", f"export interface {name} {{"]
        for key, schema in component["properties"].items():
            if "description" in schema:
                lines.append(f"  /** {schema['description']} */")
            optional = "" if key in component.get("required", []) else "?"
            lines.append(f"  {key}{optional}: {spell_type(schema, components)};")
        lines.append("}")
    return "\n".join(lines) + "\n"


def spell_type(schema: Schema, components: dict[str, Schema]) -> str:
    """Return a schema as a type of TypeScript."""
    if schema.get("nullable"):
        return f"{spell_type({**schema, 'nullable': False}, components)} | null"
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return name if "properties" in components[name] else spell_type(components[name], components)
    if "enum" in schema:
        return " | ".join(json.dumps(value) for value in schema["enum"])
    if choices := schema.get("allOf") or schema.get("anyOf") or schema.get("oneOf"):
        return " | ".join(spell_type(choice, components) for choice in choices)
    if "items" in schema:
        item = spell_type(schema["items"], components)
        if schema.get("maxItems", 0) == schema.get("minItems") == 2:
            return f"[{item}, {item}]"
        return f"({item})[]" if "|" in item else f"{item}[]"
    if "additionalProperties" in schema:
        return f"Record<string, {spell_type(schema['additionalProperties'], components)}>"
    return NAMES.get(schema.get("type", ""), "unknown")


if __name__ == "__main__":
    sys.stdout.write(render_types(json.load(sys.stdin)["components"]["schemas"]))
