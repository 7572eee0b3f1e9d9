"""Documents -> a project."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from annotations.formats.losses.rules import NOT_IN_XML
from annotations.formats.mmax2.project import LAYOUT_NAMES, LAYOUTS, LEVEL_FILE, SCHEME_FILE, Runs
from annotations.formats.mmax2.scheme import ALWAYS_ASKED, ENTITY_NAME, NO_ANSWER, READING, READINGS
from annotations.formats.mmax2.style import STYLE_FILE, style_lines
from annotations.formats.model.answers import format_value, name_in_files
from annotations.formats.model.document import (
    Answer,
    Document,
    Links,
    Mark,
    Place,
    Readings,
    Stretch,
    targets_of,
    text_order,
)
from annotations.formats.model.format import File
from annotations.formats.model.links import OTHER_RELATION
from annotations.formats.model.scheme import (
    CATEGORY,
    AnswerKind,
    AttributeSpec,
    CategorySpec,
    Condition,
    LevelSpec,
    RelationSpec,
    SchemeSpec,
)
from annotations.formats.syntax.tokens import Tokens, tokenize
from annotations.formats.syntax.xml import escape

SET_NAME = re.compile("set_[1-9][0-9]{0,8}")
ATTRIBUTE_NAME = re.compile("[a-z_][-a-z0-9_]*")
# What else stands in an answer.
ANSWER = ("category", "optional", "unsure", "note", "chain_name", "entity_name")
HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
# MMAX2 finds words and markables by their ids only where a DTD calls them that.
DTDS = (
    File(
        "Basedata/words.dtd", b"<!ELEMENT words (word*)>\n<!ELEMENT word (#PCDATA)>\n<!ATTLIST word id ID #REQUIRED>\n"
    ),
    File("Markables/markables.dtd", b"<!ELEMENT markables (markable*)>\n<!ATTLIST markable id ID #REQUIRED>\n"),
)
CUSTOMIZATION_FILE = "_customization.xml"
# MMAX2 asks for a file with the colours of each level; this one leaves them as they are.
CUSTOMIZATION = f"{HEAD}<customization></customization>\n".encode()
# What shows where lines end: the first that there is.
LINES = ("sentence", "turn", "line")


def write(documents: Sequence[Document], attribute: str = "") -> list[File]:
    """Return a project of one coder's documents. attribute: what the sets are called, if not coref_class."""
    drafts = [_Draft(document) for document in documents]
    fits = ATTRIBUTE_NAME.fullmatch(attribute) and attribute not in (*NO_ANSWER, *ANSWER)
    plan = _Plan.of(drafts, attribute if fits else "coref_class")
    files = [File("common_paths.xml", _encode(_common_paths_lines(plan))), *DTDS]
    files += [File(f"Schemes/{level.key}{SCHEME_FILE}", _encode(_scheme_lines(plan, level))) for level in plan.levels]
    files += [File(f"Customizations/{level.key}{CUSTOMIZATION_FILE}", CUSTOMIZATION) for level in plan.levels]
    files.append(File(f"Styles/{STYLE_FILE}", _encode(_stylesheet_lines(plan))))
    for draft in drafts:
        files += draft.files(plan)
    return files


def _encode(lines: Iterable[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def _format_element(name: str, attributes: Mapping[str, str], content: str | None = None) -> str:
    """Return an element as text; without content it is an empty one."""
    attribute_text = "".join(f' {key}="{_escape(value)}"' for key, value in attributes.items())
    return f"<{name}{attribute_text}/>" if content is None else f"<{name}{attribute_text}>{_escape(content)}</{name}>"


def _escape(text: str) -> str:
    return escape(NOT_IN_XML.sub("\ufffd", text))


@dataclass(slots=True)
class _Row:
    """A markable of a file before it has an id."""

    level: str
    runs: Runs
    mark: Mark | None = None
    segment: Stretch | None = None


class _Draft:
    """A document with the rows that its levels hold."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.tokens: Tokens = tokenize(document)
        self.scheme = document.scheme or _infer_scheme(document)
        main = self.scheme.main_level
        self.marks = [mark if mark.level else replace(mark, level=main) for mark in document.marks]
        segments = {(each.kind, each.start, each.end): each for each in document.segments if each.kind in LAYOUTS}
        self.rows: list[_Row] = []
        for mark in sorted(self.marks, key=text_order):
            row = _Row(mark.level, tuple(self.tokens.find_runs(mark.parts)), mark)
            same_segment = segments.get((mark.level, *mark.parts[0])) if len(mark.parts) == 1 else None
            if same_segment and same_segment.label == mark.label:
                row.segment = segments.pop((same_segment.kind, same_segment.start, same_segment.end))
            self.rows.append(row)
        for (kind, start, end), segment in segments.items():
            self.rows.append(_Row(kind, tuple(self.tokens.find_runs(((start, end),))), segment=segment))
        if not any(each.kind in ("sentence", "turn") for each in document.segments):
            self.rows += self._lines()
        self.rows = [row for row in self.rows if row.runs]

    def _lines(self) -> Iterable[_Row]:
        """Return the lines of a text that has several."""
        words = self.tokens.by_sentence()
        return [_Row("line", ((run[0], run[-1]),)) for run in words] if len(words) > 1 else []

    def answers(self) -> Iterable[Answer]:
        return (mark.answer for mark in self.marks if mark.answer)

    def files(self, plan: "_Plan") -> list[File]:
        name = self.document.name
        project = ["<mmax_project>", _format_element("words", {}, f"{name}_words.xml"), "<keyactions></keyactions>"]
        project += ["<gestures></gestures>", "</mmax_project>"]
        words = [
            _format_element("word", {"id": f"word_{number}"}, self.document.content[start:end])
            for number, (start, end) in enumerate(self.tokens.spans, start=1)
        ]
        basedata = [f'{HEAD}<!DOCTYPE words SYSTEM "words.dtd">', "<words>", *words, "</words>"]
        files = [
            File(f"{name}.mmax", _encode([HEAD.rstrip(), *project])),
            File(f"Basedata/{name}_words.xml", _encode(basedata)),
        ]
        order = {level.key: number for number, level in enumerate(plan.levels)}
        rows = sorted(self.rows, key=lambda row: (order[row.level], row.runs[0][0], -row.runs[-1][1]))
        ids = {id(row): f"markable_{number}" for number, row in enumerate(rows, start=1)}
        targets = {row.mark.place: (row.level, ids[id(row)]) for row in rows if row.mark}
        sets = _name_sets(self.marks)
        for level in plan.levels:
            lines = [
                _format_element(
                    "markable",
                    {"id": ids[id(row)], "span": _format_span(row.runs), "mmax_level": level.key}
                    | self._attributes(plan, row, targets, sets),
                )
                for row in rows
                if row.level == level.key
            ]
            namespace = f'<markables xmlns="www.eml.org/NameSpaces/{level.key}">'
            markables = [f'{HEAD}<!DOCTYPE markables SYSTEM "markables.dtd">', namespace, *lines, "</markables>"]
            files.append(File(f"Markables/{name}_{level.key}{LEVEL_FILE}", _encode(markables)))
        return files

    def _attributes(
        self,
        plan: "_Plan",
        row: _Row,
        targets: Mapping[Place, tuple[str, str]],
        sets: Mapping[tuple[str, str], str],
    ) -> dict[str, str]:
        attributes: dict[str, str] = {}
        if row.level.lower() in LAYOUT_NAMES:
            attributes["stands_for"] = "segment" if row.mark is None else "both" if row.segment else "markable"
        if row.segment and row.segment.speaker:
            attributes["speaker"] = row.segment.speaker
        label = row.mark.label if row.mark else row.segment.label if row.segment else ""
        if label:
            attributes["label"] = label
        if row.mark and row.mark.head:
            attributes["min_ids"] = _format_span(self.tokens.find_runs(row.mark.head))
        if row.mark and row.mark.answer:
            attributes |= _answer_attributes(plan, row.level, row.mark.answer, targets, sets)
        return attributes


def _answer_attributes(
    plan: "_Plan",
    level: str,
    answer: Answer,
    targets: Mapping[Place, tuple[str, str]],
    sets: Mapping[tuple[str, str], str],
) -> dict[str, str]:
    """Return the attributes that hold an answer. Where it says nothing, `empty` says that it is one all the same."""
    attributes = {"category": answer.category or "empty"}
    if plan.links == Links.POINTERS:
        pointers = _pointer_attributes(
            plan, level, plan.pointers.get(answer.category, "antecedent"), answer.all_readings, targets
        )
        if any(pointers.values()) or answer.category in plan.pointers:
            attributes |= {name: value or "empty" for name, value in pointers.items()}
    if plan.links == Links.INDICES:
        attributes[plan.sets] = "empty"
        for number, index in enumerate(answer.indices, start=1):
            name = sets[level, index]
            attributes[_numbered_name(plan.sets, number)] = name
            if name != index or level != plan.main:
                attributes[_numbered_name("entity_name", number)] = index
    texts = {
        "optional": "true" if answer.optional else "",
        "unsure": "true" if answer.unsure else "",
        "note": answer.note,
        "chain_name": answer.name,
    }
    attributes |= {name: value for name, value in texts.items() if value}
    for key, readings in answer.relations:
        attributes |= _pointer_attributes(plan, level, plan.names[key], readings, targets)
    return attributes | {plan.names[key]: format_value(value) for key, value in answer.attributes}


def _pointer_attributes(
    plan: "_Plan", level: str, name: str, readings: Readings, targets: Mapping[Place, tuple[str, str]]
) -> dict[str, str]:
    """Return the attribute with the targets of a pointer, and one that says which of them are meant together."""
    numbers: dict[str, int] = {}
    groups: list[list[str]] = []
    for reading in readings:
        places = (place if place.level else Place(plan.main, place.parts) for place in reading)
        ids = [targets[place] for place in places if place in targets]
        names = [target if level == of else f"{of}:{target}" for of, target in ids]
        groups.append([str(numbers.setdefault(target, len(numbers) + 1)) for target in names])
    attributes = {name: ";".join(numbers)}
    if any(len(group) > 1 for group in groups):
        attributes[f"{name}{READINGS}"] = ";".join("+".join(group) for group in groups if group)
    return attributes


def _numbered_name(name: str, number: int) -> str:
    return name if number == 1 else f"{name}_{number}"


def _format_span(runs: Iterable[tuple[int, int]]) -> str:
    return ",".join(
        f"word_{first + 1}" if first == last else f"word_{first + 1}..word_{last + 1}" for first, last in runs
    )


def _name_sets(marks: Iterable[Mark]) -> dict[tuple[str, str], str]:
    """Return the set of each entity at each level. MMAX2 counts sets, so names of another form are numbered."""
    set_names: dict[tuple[str, str], str] = {}
    for mark in sorted(marks, key=text_order):
        for index in mark.answer.indices if mark.answer else ():
            set_names[mark.level, index] = index if SET_NAME.fullmatch(index) else ""
    used_names, number = set(set_names.values()), 0
    for place, name in set_names.items():
        if not name:
            number += 1
            while f"set_{number}" in used_names:
                number += 1
            set_names[place] = f"set_{number}"
    return set_names


def _infer_scheme(document: Document) -> SchemeSpec:
    """Return a scheme for a document that has none: what its marks and answers show."""
    coded = {mark.level for mark in document.marks if mark.answer}
    levels = [LevelSpec(key, key, key in coded) for key in dict.fromkeys(mark.level for mark in document.marks) if key]
    if not any(level.coded for level in levels):
        levels.insert(0, LevelSpec("markable", "markable"))
    categories: dict[str, CategorySpec] = {}
    for mark in document.marks:
        if mark.answer and mark.answer.category and mark.answer.category not in categories:
            target = next((place.level or levels[0].key for place in mark.answer.pointers), "")
            category = mark.answer.category
            categories[category] = CategorySpec(category, category, target, takes_index=bool(mark.answer.indices))
    return SchemeSpec(tuple(levels), tuple(categories.values()))


@dataclass(frozen=True, slots=True)
class _Level:
    key: str
    coded: bool


@dataclass(slots=True)
class _Plan:
    """What the project's schemes hold: enough for every document.

    pointers: the attribute of each category that points. readings: how many entities a markable has at most.
    names: the attributes of further questions, by their keys.
    """

    main: str
    sets: str
    links: Links
    levels: list[_Level]
    categories: list[CategorySpec]
    pointers: dict[str, str] = field(default_factory=dict)
    loose: bool = False
    readings: int = 1
    names: Mapping[str, str] = field(default_factory=dict)
    relations: list[RelationSpec] = field(default_factory=list)
    attributes: list[AttributeSpec] = field(default_factory=list)

    @classmethod
    def of(cls, drafts: Sequence[_Draft], sets: str) -> "_Plan":
        answers = [answer for draft in drafts for answer in draft.answers()]
        categories: dict[str, CategorySpec] = {}
        coded: dict[str, bool] = {}
        for draft in drafts:
            categories |= {each.key: each for each in draft.scheme.categories if each.key not in categories}
            for level in draft.scheme.levels:
                coded[level.key] = coded.get(level.key, False) or level.coded
            for row in draft.rows:
                answered = row.mark is not None and row.mark.answer is not None
                coded[row.level] = coded.get(row.level, False) or answered
        categories |= {
            answer.category: CategorySpec(answer.category, answer.category)
            for answer in answers
            if answer.category and answer.category not in categories
        }
        kinds = [draft.document.links for draft in drafts if draft.document.links != Links.NONE]
        links = kinds[0] if kinds else _infer_links(categories.values())
        main = next((draft.scheme.main_level for draft in drafts), "")
        levels = [_Level(key, is_coded) for key, is_coded in coded.items()]
        plan = cls(main, sets, links, levels, list(categories.values()))
        if links == Links.POINTERS:
            for each in plan.categories:
                if each.points_to:
                    plan.pointers[each.key] = _unique_name(f"{each.key.lower()}_antecedent", plan.pointers.values())
        plan.loose = any(answer.pointers and answer.category not in plan.pointers for answer in answers)
        plan.readings = max((len(answer.indices) for answer in answers), default=1)
        plan._add_further([draft.scheme for draft in drafts], answers)
        return plan

    def _add_further(self, schemes: Iterable[SchemeSpec], answers: Iterable[Answer]) -> None:
        """Name the attributes and relations that schemes ask for, and those that answers have."""
        relations: dict[str, RelationSpec] = {}
        attributes: dict[str, AttributeSpec] = {}
        for scheme in schemes:
            relations |= {each.key: each for each in scheme.relations if not each.identity}
            attributes |= {each.key: each for each in scheme.attributes}
        for answer in answers:
            for key, readings in answer.relations:
                level = next(targets_of(readings)).level or self.main
                relations.setdefault(key, RelationSpec(key, key, to_levels=(level,)))
            for key, _ in answer.attributes:
                attributes.setdefault(key, AttributeSpec(key, key, kind=AnswerKind.TEXT))
        keys = [*relations, *attributes]
        sets = [
            _numbered_name(name, number) for name in (self.sets, ENTITY_NAME) for number in range(1, self.readings + 1)
        ]
        taken = {CATEGORY, "antecedent", "xmlns", *self.pointers.values(), *sets, *NO_ANSWER, *ALWAYS_ASKED}
        taken |= {key for key in keys if _has_meaning(key.lower())}
        self.names = {key: name.lower() for key, name in name_in_files(keys, taken).items()}
        self.relations, self.attributes = list(relations.values()), list(attributes.values())

    def leads(self, level: str) -> dict[tuple[str, str], list[str]]:
        """Return the attributes to which the values of questions lead at a level, and pointers that are set."""
        leads: dict[tuple[str, str], list[str]] = {}
        for each in self.further(level):
            condition = each.asked_if
            if isinstance(each, AttributeSpec) and each.relation in self.names:
                condition = Condition(relation=each.relation)
            if condition is not None and (condition.question == CATEGORY or self.names.get(condition.question)):
                for value in condition.values:
                    leads.setdefault((condition.question, value), []).append(f"at_{self.names[each.key]}")
            elif condition is not None and condition.relation in self.names:
                leads.setdefault((condition.relation, "set"), []).append(f"at_{self.names[each.key]}")
        return leads

    def further(self, level: str) -> list[RelationSpec | AttributeSpec]:
        """Return the further questions of a level."""
        return [
            *(each for each in self.relations if not each.from_levels or level in each.from_levels),
            *(each for each in self.attributes if not each.levels or level in each.levels),
        ]


def _has_meaning(name: str) -> bool:
    """Return whether a reader takes a name for something else than a question."""
    return bool(READING.fullmatch(name)) or name.startswith(ENTITY_NAME) or name.endswith(READINGS)


def _infer_links(categories: Iterable[CategorySpec]) -> Links:
    categories = list(categories)
    if any(each.points_to for each in categories):
        return Links.POINTERS
    return Links.INDICES if any(each.takes_index for each in categories) else Links.NONE


def _unique_name(name: str, others: Iterable[str]) -> str:
    """Return a name for an attribute: it begins with a letter, and no other is called so."""
    name = name if name[0].isalpha() else f"a{name}"
    others = set(others)
    while name in others:
        name = f"x{name}"
    return name


def _common_paths_lines(plan: _Plan) -> list[str]:
    lines = [HEAD.rstrip(), "<common_paths>"]
    for name in ("basedata", "scheme", "style", "customization", "markable"):
        folder = {"basedata": name, "markable": "markables"}.get(name, f"{name}s")
        lines.append(_format_element(f"{name}_path", {}, f"{folder.capitalize()}/"))
    lines += ["<views>", _format_element("stylesheet", {}, STYLE_FILE), "</views>", "<annotations>"]
    for level in plan.levels:
        scheme = {"name": level.key, "schemefile": f"{level.key}{SCHEME_FILE}"}
        scheme["customization_file"] = f"{level.key}{CUSTOMIZATION_FILE}"
        lines.append(_format_element("level", scheme, f"$_{level.key}{LEVEL_FILE}"))
    return [*lines, "</annotations>", "</common_paths>"]


def _stylesheet_lines(plan: _Plan) -> list[str]:
    keys = [level.key for level in plan.levels]
    lines = [name for layout in LINES for name in LAYOUTS[layout] if name in keys][:1]
    return [HEAD.rstrip(), *style_lines([key for key in keys if key.lower() not in LAYOUT_NAMES], lines)]


def _scheme_lines(plan: _Plan, level: _Level) -> list[str]:
    lines = [HEAD.rstrip(), "<annotationscheme>"]
    if level.coded:
        leads = plan.leads(level.key)
        lines += _category_lines(plan, leads)
        lines += _link_lines(plan, level)
        lines += _further_lines(plan, level, leads)
        lines += _attribute_lines("optional", "nominal_button", [{"name": "false"}, {"name": "true"}])
        lines += _attribute_lines("unsure", "nominal_button", [{"name": "false"}, {"name": "true"}])
        lines += _freetext_lines("note") + _freetext_lines("chain_name")
    lines += _freetext_lines("label") + _freetext_lines("min_ids")
    if level.key.lower() in LAYOUT_NAMES:
        uses = [{"name": use} for use in ("segment", "markable", "both")]
        lines += _freetext_lines("speaker") + _attribute_lines("stands_for", "nominal_button", uses)
    return [*lines, "</annotationscheme>"]


def _further_lines(plan: _Plan, level: _Level, leads: Mapping[tuple[str, str], Sequence[str]]) -> list[str]:
    """Return the further questions of a level: pointers that say no identity, values, free texts."""
    lines = []
    for each in plan.further(level.key):
        name, label = plan.names[each.key], {"text": each.label}
        if isinstance(each, RelationSpec):
            domain = next(iter(each.to_levels), level.key)
            details = {"target_domain": domain, "max_size": str(each.max_targets or -1), "identity": "false"}
            to = leads.get((each.key, "set"), ())
            values = [POINTER_VALUES[0], {**POINTER_VALUES[1], **({"next": ",".join(to)} if to else {})}]
            lines += _attribute_lines(name, "markable_pointer", values, label | details)
            if each.joint:
                lines += _freetext_lines(f"{name}{READINGS}")
        elif each.kind == AnswerKind.ONE:
            values = [
                {"name": value.key, "text": value.label}
                | ({"next": ",".join(to)} if (to := leads.get((each.key, value.key), ())) else {})
                for value in each.values
            ]
            lines += _attribute_lines(name, "nominal_list", values, label)
        else:
            lines += _attribute_lines(name, "freetext", [{"name": name}], label)
    return lines


def _category_lines(plan: _Plan, further: Mapping[tuple[str, str], Sequence[str]]) -> list[str]:
    values = []
    for each in plan.categories:
        leads = [f"at_{plan.pointers[each.key]}"] if each.key in plan.pointers else []
        if each.takes_index and plan.links == Links.INDICES:
            leads += [f"at_{_numbered_name(plan.sets, number)}" for number in range(1, plan.readings + 1)]
        leads += ["at_optional"] if each.takes_optional else []
        leads += further.get((CATEGORY, each.key), ())
        value = {"name": each.key, "text": each.label}
        values.append(value | ({"next": ",".join(leads)} if leads else {}))
    return _attribute_lines("category", "nominal_button", values)


def _link_lines(plan: _Plan, level: _Level) -> list[str]:
    """Return the sets or pointers, as the categories lead to them."""
    lines = []
    if plan.links == Links.INDICES:
        for number in range(1, plan.readings + 1):
            name = _numbered_name(plan.sets, number)
            lines += _attribute_lines(name, "markable_set", [{"name": name}]) + _freetext_lines(
                _numbered_name("entity_name", number)
            )
    # said where a reader might take a pointer for another relation
    misleads = any(OTHER_RELATION.search(name) for name in plan.pointers.values())
    identity = {"identity": "true"} if plan.relations or misleads else {}
    for each in plan.categories:
        if each.key in plan.pointers:
            limits = {"target_domain": each.points_to, "max_size": str(each.max_pointers or -1)} | identity
            lines += _attribute_lines(plan.pointers[each.key], "markable_pointer", POINTER_VALUES, limits)
    if plan.loose:
        lines += _attribute_lines(
            "antecedent",
            "markable_pointer",
            POINTER_VALUES,
            {"target_domain": level.key, "max_size": "-1"} | identity,
        )
    return lines


POINTER_VALUES: Sequence[Mapping[str, str]] = ({"name": "not_set"}, {"name": "set"})


def _freetext_lines(name: str) -> list[str]:
    return _attribute_lines(name, "freetext", [{"name": name}])


def _attribute_lines(
    name: str, kind: str, values: Sequence[Mapping[str, str]], more: Mapping[str, str] | None = None
) -> list[str]:
    head = _format_element("attribute", {"id": f"at_{name}", "name": name, "type": kind, **(more or {})})
    of_value = [
        _format_element("value", {"id": f"v_{name}_{number}", **value}) for number, value in enumerate(values, start=1)
    ]
    return [f"{head[:-2]}>", *of_value, "</attribute>"]
