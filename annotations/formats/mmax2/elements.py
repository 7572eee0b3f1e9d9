"""XML elements that project files and scheme files share: the schemes of levels, and `common_paths.xml`."""

from collections.abc import Iterable, Mapping, Sequence

from annotations.formats.losses.rules import NOT_IN_XML
from annotations.formats.mmax2.scheme import Value
from annotations.formats.model.scheme import CATEGORY, AnswerKind, AttributeSpec, CategorySpec, Condition, RelationSpec
from annotations.formats.syntax.xml import escape

HEAD = '<?xml version="1.0" encoding="UTF-8"?>'
COMMON_PATHS = "common_paths.xml"
LEVEL_FILE = "_level.xml"
SCHEME_FILE = "_scheme.xml"
CUSTOMIZATION_FILE = "_customization.xml"
FOLDERS = {
    "basedata": "Basedata/",
    "scheme": "Schemes/",
    "style": "Styles/",
    "customization": "Customizations/",
    "markable": "Markables/",
}
NOT_SET, SET = "not_set", "set"

type Leads = Mapping[tuple[str, str], Sequence[str]]


def encode(lines: Iterable[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def format_element(name: str, attributes: Mapping[str, str], content: str | None = None) -> str:
    """Return an element as text; an empty element if the content is None."""
    attribute_text = "".join(f' {key}="{_escape(value)}"' for key, value in attributes.items())
    return f"<{name}{attribute_text}/>" if content is None else f"<{name}{attribute_text}>{_escape(content)}</{name}>"


def _escape(text: str) -> str:
    return escape(NOT_IN_XML.sub("\ufffd", text))


def common_paths(levels: Iterable[str], views: Sequence[str] = ()) -> list[str]:
    lines = [HEAD, "<common_paths>"]
    lines += [format_element(f"{name}_path", {}, folder) for name, folder in FOLDERS.items()]
    lines += [*views, "<annotations>"]
    for level in levels:
        files = {"schemefile": f"{level}{SCHEME_FILE}", "customization_file": f"{level}{CUSTOMIZATION_FILE}"}
        lines.append(format_element("level", {"name": level} | files, f"$_{level}{LEVEL_FILE}"))
    return [*lines, "</annotations>", "</common_paths>"]


def scheme(lines: Iterable[str]) -> list[str]:
    return [HEAD, "<annotationscheme>", *lines, "</annotationscheme>"]


def attribute(name: str, kind: str, values: Iterable[Value], details: Mapping[str, str] | None = None) -> list[str]:
    """Return the lines of an attribute and its values; `next` of a value names the attributes that it leads to."""
    attributes = {"id": f"at_{name}", "name": name, "type": kind, **(details or {})}
    lines = [f"{format_element('attribute', attributes)[:-2]}>"]
    for number, value in enumerate(values, start=1):
        leads = ",".join(f"at_{key}" for key in value.next)
        cells = {"id": f"v_{name}_{number}", "name": value.name, "text": value.label, "next": leads}
        lines.append(format_element("value", {key: cell for key, cell in cells.items() if cell}))
    return [*lines, "</attribute>"]


def freetext(name: str, label: str = "") -> list[str]:
    return attribute(name, "freetext", [Value(name)], {"text": label} if label else None)


def flag(name: str) -> list[str]:
    return attribute(name, "nominal_button", [Value("false"), Value("true")])


def pointer(
    name: str, label: str, domain: str, most: int | None, identity: bool | None, leads: Sequence[str] = ()
) -> list[str]:
    """Return the lines of a pointer to markables of the level `domain`. identity: None to leave it unwritten."""
    details = {"text": label} if label else {}
    details |= {"target_domain": domain, "max_size": str(most or -1)}
    details |= {} if identity is None else {"identity": str(identity).lower()}
    return attribute(name, "markable_pointer", [Value(NOT_SET), Value(SET, next=tuple(leads))], details)


def categories(
    specs: Iterable[CategorySpec], pointers: Mapping[str, str], sets: Sequence[str], leads: Leads
) -> list[str]:
    """Return the lines of the categories, which lead to their pointers and, if they take an index, to the sets."""
    values = []
    for spec in specs:
        to = [pointers[spec.key]] if spec.key in pointers else []
        to += (*(sets if spec.takes_index else ()), *leads.get((CATEGORY, spec.key), ()))
        values.append(Value(spec.key, spec.label, tuple(to)))
    return attribute(CATEGORY, "nominal_button", values)


def further(
    question: RelationSpec | AttributeSpec, name: str, level: str, leads: Leads, kind: str = "nominal_list"
) -> list[str]:
    """Return the lines of a further question: a pointer without identity, a list of values or a free text."""
    if isinstance(question, RelationSpec):
        domain, to = next(iter(question.to_levels), level), leads.get((question.key, SET), ())
        return pointer(name, question.label, domain, question.max_targets, identity=False, leads=to)
    if question.kind != AnswerKind.ONE:
        return freetext(name, question.label)
    values = [
        Value(value.key, value.label, tuple(leads.get((question.key, value.key), ()))) for value in question.values
    ]
    return attribute(name, kind, values, {"text": question.label})


def add_leads(
    leads: dict[tuple[str, str], list[str]],
    questions: Iterable[tuple[RelationSpec | AttributeSpec, Condition | None]],
    names: Mapping[str, str],
) -> None:
    """Add the question names that each value leads to by their conditions; SET is the value of a relation."""
    for question, condition in questions:
        if condition is not None:
            for value in condition.values or (SET,):
                leads.setdefault((condition.relation or condition.question, value), []).append(names[question.key])
