"""The types of answers have the fields that the schema of the API has."""

from __future__ import annotations

import pytest

from coindex.client import answers

# Types whose component has the same name, and the others.
SAME = (
    "CodingRow", "CodingState", "CodingVersion", "Correction", "GoldState", "Invitation", "JudgementRow",
    "MarkableRow", "MarkableState", "Model", "ModelKey", "Member", "OperationRow", "Project", "Question", "Round",
    "RoundRow", "Scheme", "Task", "Text", "TextDetail", "Transfer",
)  # fmt: skip
COMPONENTS = {name: name for name in SAME} | {
    "Agreement": "Report",
    "Judgement": "Decision",
    "LoggedOperation": "Operation",
    "NewInvitation": "InvitationMade",
    "Plan": "PlanView",
}
# What JSON has where the type says this.
NAMES = {"str": "string", "int": "integer", "float": "number", "bool": "boolean", "list": "array", "dict": "object"}
ALIASES = {"Targets": "array", "Spans": "array", "Scheme": "object", "CodingVersion": "object"}


def test_every_answer_type_has_component():
    types = {name for name, type_ in vars(answers).items() if isinstance(type_, type) and hasattr(type_, "__total__")}
    assert types == COMPONENTS.keys()


def kind_of(schema: dict, described: dict) -> tuple[str | None, bool]:
    """Return the type of a field in JSON, and whether it may be null."""
    nullable = bool(schema.get("nullable"))
    for part in (*schema.get("allOf", ()), *schema.get("oneOf", ())):
        kind, null = kind_of(part, described)
        nullable |= null
        schema = schema if kind is None else {"type": kind}
    if "$ref" in schema:
        kind, null = kind_of(described[schema["$ref"].rpartition("/")[2]], described)
        return kind, nullable or null
    if schema.get("enum") == [None]:
        return None, True
    return schema.get("type", "string" if "enum" in schema else None), nullable


@pytest.mark.parametrize("name", COMPONENTS)
def test_answer_type_has_fields_of_component(schema, name):
    described = schema["components"]["schemas"]
    component, found = described[COMPONENTS[name]], getattr(answers, name)
    assert found.__annotations__.keys() == component["properties"].keys()
    differ = {}
    for field, annotation in found.__annotations__.items():
        written = annotation.__forward_arg__.removeprefix("NotRequired[").removesuffix(
            "]" * ("NotRequired" in annotation.__forward_arg__)
        )
        kind, nullable = kind_of(component["properties"][field], described)
        base = written.removesuffix(" | None").partition("[")[0]
        said = NAMES.get(base) or ALIASES.get(base)
        if kind is not None and (said, written.endswith(" | None")) != (kind, nullable):
            differ[field] = (written, kind, nullable)
    assert differ == {}
