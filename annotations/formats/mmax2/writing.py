"""Documents -> a project."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from annotations.formats.document import Answer, Document, Links, Mark, Place, Stretch, in_text_order
from annotations.formats.format import File
from annotations.formats.mmax2.project import LAYOUT_NAMES, LAYOUTS, LEVEL_FILE, SCHEME_FILE, Runs
from annotations.formats.mmax2.scheme import NO_ANSWER
from annotations.formats.mmax2.style import STYLE_FILE, style
from annotations.formats.rules import NOT_IN_XML
from annotations.formats.scheme import CategorySpec, LevelSpec, SchemeSpec
from annotations.formats.tokens import Tokens, tokens_of
from annotations.formats.xml import escaped

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
    """A project of one coder's documents. attribute: what the sets are called, if not coref_class."""
    drafts = [_Draft(document) for document in documents]
    fits = ATTRIBUTE_NAME.fullmatch(attribute) and attribute not in (*NO_ANSWER, *ANSWER)
    plan = _Plan.of(drafts, attribute if fits else "coref_class")
    files = [File("common_paths.xml", _encoded(_common_paths(plan))), *DTDS]
    files += [File(f"Schemes/{level.key}{SCHEME_FILE}", _encoded(_scheme(plan, level))) for level in plan.levels]
    files += [File(f"Customizations/{level.key}{CUSTOMIZATION_FILE}", CUSTOMIZATION) for level in plan.levels]
    files.append(File(f"Styles/{STYLE_FILE}", _encoded(_style(plan))))
    for draft in drafts:
        files += draft.files(plan)
    return files


def _encoded(lines: Iterable[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def _element(name: str, attributes: Mapping[str, str], content: str | None = None) -> str:
    """An element as text; without content it is an empty one."""
    said = "".join(f' {key}="{_escaped(value)}"' for key, value in attributes.items())
    return f"<{name}{said}/>" if content is None else f"<{name}{said}>{_escaped(content)}</{name}>"


def _escaped(text: str) -> str:
    return escaped(NOT_IN_XML.sub("\ufffd", text))


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
        self.tokens: Tokens = tokens_of(document)
        self.scheme = document.scheme or _told_by(document)
        main = self.scheme.main_level
        self.marks = [mark if mark.level else replace(mark, level=main) for mark in document.marks]
        segments = {(each.kind, each.start, each.end): each for each in document.segments if each.kind in LAYOUTS}
        self.rows: list[_Row] = []
        for mark in sorted(self.marks, key=in_text_order):
            row = _Row(mark.level, tuple(self.tokens.of(mark.parts)), mark)
            shown = segments.get((mark.level, *mark.parts[0])) if len(mark.parts) == 1 else None
            if shown and shown.label == mark.label:
                row.segment = segments.pop((shown.kind, shown.start, shown.end))
            self.rows.append(row)
        for (kind, start, end), segment in segments.items():
            self.rows.append(_Row(kind, tuple(self.tokens.of(((start, end),))), segment=segment))
        if not any(each.kind in ("sentence", "turn") for each in document.segments):
            self.rows += self._lines()
        self.rows = [row for row in self.rows if row.runs]

    def _lines(self) -> Iterable[_Row]:
        """The lines of a text that has several."""
        words = self.tokens.by_sentence()
        return [_Row("line", ((run[0], run[-1]),)) for run in words] if len(words) > 1 else []

    def answers(self) -> Iterable[Answer]:
        return (mark.answer for mark in self.marks if mark.answer)

    def files(self, plan: "_Plan") -> list[File]:
        name = self.document.name
        project = ["<mmax_project>", _element("words", {}, f"{name}_words.xml"), "<keyactions></keyactions>"]
        project += ["<gestures></gestures>", "</mmax_project>"]
        words = [
            _element("word", {"id": f"word_{number}"}, self.document.content[start:end])
            for number, (start, end) in enumerate(self.tokens.spans, start=1)
        ]
        basedata = [f'{HEAD}<!DOCTYPE words SYSTEM "words.dtd">', "<words>", *words, "</words>"]
        files = [
            File(f"{name}.mmax", _encoded([HEAD.rstrip(), *project])),
            File(f"Basedata/{name}_words.xml", _encoded(basedata)),
        ]
        order = {level.key: number for number, level in enumerate(plan.levels)}
        rows = sorted(self.rows, key=lambda row: (order[row.level], row.runs[0][0], -row.runs[-1][1]))
        ids = {id(row): f"markable_{number}" for number, row in enumerate(rows, start=1)}
        targets = {row.mark.place: (row.level, ids[id(row)]) for row in rows if row.mark}
        sets = _sets(self.marks)
        for level in plan.levels:
            lines = [
                _element(
                    "markable",
                    {"id": ids[id(row)], "span": _span(row.runs), "mmax_level": level.key}
                    | self._attributes(plan, row, targets, sets),
                )
                for row in rows
                if row.level == level.key
            ]
            namespace = f'<markables xmlns="www.eml.org/NameSpaces/{level.key}">'
            markables = [f'{HEAD}<!DOCTYPE markables SYSTEM "markables.dtd">', namespace, *lines, "</markables>"]
            files.append(File(f"Markables/{name}_{level.key}{LEVEL_FILE}", _encoded(markables)))
        return files

    def _attributes(
        self,
        plan: "_Plan",
        row: _Row,
        targets: Mapping[Place, tuple[str, str]],
        sets: Mapping[tuple[str, str], str],
    ) -> dict[str, str]:
        found: dict[str, str] = {}
        if row.level.lower() in LAYOUT_NAMES:
            found["stands_for"] = "segment" if row.mark is None else "both" if row.segment else "markable"
        if row.segment and row.segment.speaker:
            found["speaker"] = row.segment.speaker
        label = row.mark.label if row.mark else row.segment.label if row.segment else ""
        if label:
            found["label"] = label
        if row.mark and row.mark.head:
            found["min_ids"] = _span(self.tokens.of(row.mark.head))
        if row.mark and row.mark.answer:
            found |= _answer(plan, row.level, row.mark.answer, targets, sets)
        return found


def _answer(
    plan: "_Plan",
    level: str,
    answer: Answer,
    targets: Mapping[Place, tuple[str, str]],
    sets: Mapping[tuple[str, str], str],
) -> dict[str, str]:
    """The attributes that hold an answer. Where it says nothing, `empty` says that it is one all the same."""
    found = {"category": answer.category or "empty"}
    if plan.links == Links.POINTERS:
        places = (place if place.level else Place(plan.main, place.parts) for place in answer.pointers)
        named = [targets[place] for place in places if place in targets]
        names = [name if level == of else f"{of}:{name}" for of, name in named]
        if names or answer.category in plan.pointers:
            found[plan.pointers.get(answer.category, "antecedent")] = ";".join(names) or "empty"
    if plan.links == Links.INDICES:
        found[plan.sets] = "empty"
        for number, index in enumerate(answer.indices, start=1):
            name = sets[level, index]
            found[_reading(plan.sets, number)] = name
            if name != index or level != plan.main:
                found[_reading("entity_name", number)] = index
    said = {
        "optional": "true" if answer.optional else "",
        "unsure": "true" if answer.unsure else "",
        "note": answer.note,
        "chain_name": answer.name,
    }
    return found | {name: value for name, value in said.items() if value}


def _reading(name: str, number: int) -> str:
    return name if number == 1 else f"{name}_{number}"


def _span(runs: Iterable[tuple[int, int]]) -> str:
    return ",".join(
        f"word_{first + 1}" if first == last else f"word_{first + 1}..word_{last + 1}" for first, last in runs
    )


def _sets(marks: Iterable[Mark]) -> dict[tuple[str, str], str]:
    """The set of each entity at each level. MMAX2 counts sets, so names of another form are numbered."""
    found: dict[tuple[str, str], str] = {}
    for mark in sorted(marks, key=in_text_order):
        for index in mark.answer.indices if mark.answer else ():
            found[mark.level, index] = index if SET_NAME.fullmatch(index) else ""
    taken, number = set(found.values()), 0
    for place, name in found.items():
        if not name:
            number += 1
            while f"set_{number}" in taken:
                number += 1
            found[place] = f"set_{number}"
    return found


def _told_by(document: Document) -> SchemeSpec:
    """A scheme for a document that has none: what its marks and answers show."""
    coded = {mark.level for mark in document.marks if mark.answer}
    levels = [LevelSpec(key, key, key in coded) for key in dict.fromkeys(mark.level for mark in document.marks) if key]
    if not any(level.coded for level in levels):
        levels.insert(0, LevelSpec("markable", "markable"))
    found: dict[str, CategorySpec] = {}
    for mark in document.marks:
        if mark.answer and mark.answer.category and mark.answer.category not in found:
            target = next((place.level or levels[0].key for place in mark.answer.pointers), "")
            category = mark.answer.category
            found[category] = CategorySpec(category, category, target, takes_index=bool(mark.answer.indices))
    return SchemeSpec(tuple(levels), tuple(found.values()))


@dataclass(frozen=True, slots=True)
class _Level:
    key: str
    coded: bool


@dataclass(slots=True)
class _Plan:
    """What the project's schemes hold: enough for every document.

    pointers: the attribute of each category that points. readings: how many entities a markable has at most.
    """

    main: str
    sets: str
    links: Links
    levels: list[_Level]
    categories: list[CategorySpec]
    pointers: dict[str, str] = field(default_factory=dict)
    loose: bool = False
    readings: int = 1

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
        linked = [draft.document.links for draft in drafts if draft.document.links != Links.NONE]
        links = linked[0] if linked else _links_of(categories.values())
        main = next((draft.scheme.main_level for draft in drafts), "")
        levels = [_Level(key, is_coded) for key, is_coded in coded.items()]
        plan = cls(main, sets, links, levels, list(categories.values()))
        if links == Links.POINTERS:
            for each in plan.categories:
                if each.points_to:
                    plan.pointers[each.key] = _unlike(f"{each.key.lower()}_antecedent", plan.pointers.values())
        plan.loose = any(answer.pointers and answer.category not in plan.pointers for answer in answers)
        plan.readings = max((len(answer.indices) for answer in answers), default=1)
        return plan


def _links_of(categories: Iterable[CategorySpec]) -> Links:
    categories = list(categories)
    if any(each.points_to for each in categories):
        return Links.POINTERS
    return Links.INDICES if any(each.takes_index for each in categories) else Links.NONE


def _unlike(name: str, taken: Iterable[str]) -> str:
    """A name for an attribute: it begins with a letter, and no other is called so."""
    name = name if name[0].isalpha() else f"a{name}"
    taken = set(taken)
    while name in taken:
        name = f"x{name}"
    return name


def _common_paths(plan: _Plan) -> list[str]:
    lines = [HEAD.rstrip(), "<common_paths>"]
    for name in ("basedata", "scheme", "style", "customization", "markable"):
        folder = {"basedata": name, "markable": "markables"}.get(name, f"{name}s")
        lines.append(_element(f"{name}_path", {}, f"{folder.capitalize()}/"))
    lines += ["<views>", _element("stylesheet", {}, STYLE_FILE), "</views>", "<annotations>"]
    for level in plan.levels:
        scheme = {"name": level.key, "schemefile": f"{level.key}{SCHEME_FILE}"}
        scheme["customization_file"] = f"{level.key}{CUSTOMIZATION_FILE}"
        lines.append(_element("level", scheme, f"$_{level.key}{LEVEL_FILE}"))
    return [*lines, "</annotations>", "</common_paths>"]


def _style(plan: _Plan) -> list[str]:
    keys = [level.key for level in plan.levels]
    lines = [name for layout in LINES for name in LAYOUTS[layout] if name in keys][:1]
    return [HEAD.rstrip(), *style([key for key in keys if key.lower() not in LAYOUT_NAMES], lines)]


def _scheme(plan: _Plan, level: _Level) -> list[str]:
    lines = [HEAD.rstrip(), "<annotationscheme>"]
    if level.coded:
        lines += _categories(plan)
        lines += _links(plan, level)
        lines += _attribute("optional", "nominal_button", [{"name": "false"}, {"name": "true"}])
        lines += _attribute("unsure", "nominal_button", [{"name": "false"}, {"name": "true"}])
        lines += _freetext("note") + _freetext("chain_name")
    lines += _freetext("label") + _freetext("min_ids")
    if level.key.lower() in LAYOUT_NAMES:
        uses = [{"name": use} for use in ("segment", "markable", "both")]
        lines += _freetext("speaker") + _attribute("stands_for", "nominal_button", uses)
    return [*lines, "</annotationscheme>"]


def _categories(plan: _Plan) -> list[str]:
    values = []
    for each in plan.categories:
        leads = [f"at_{plan.pointers[each.key]}"] if each.key in plan.pointers else []
        if each.takes_index and plan.links == Links.INDICES:
            leads += [f"at_{_reading(plan.sets, number)}" for number in range(1, plan.readings + 1)]
        leads += ["at_optional"] if each.takes_optional else []
        value = {"name": each.key, "text": each.label}
        values.append(value | ({"next": ",".join(leads)} if leads else {}))
    return _attribute("category", "nominal_button", values)


def _links(plan: _Plan, level: _Level) -> list[str]:
    """The sets or pointers, as the categories lead to them."""
    lines = []
    if plan.links == Links.INDICES:
        for number in range(1, plan.readings + 1):
            name = _reading(plan.sets, number)
            lines += _attribute(name, "markable_set", [{"name": name}]) + _freetext(_reading("entity_name", number))
    for each in plan.categories:
        if each.key in plan.pointers:
            limits = {"target_domain": each.points_to, "max_size": str(each.max_pointers or -1)}
            lines += _attribute(plan.pointers[each.key], "markable_pointer", POINTED, limits)
    if plan.loose:
        lines += _attribute("antecedent", "markable_pointer", POINTED, {"target_domain": level.key, "max_size": "-1"})
    return lines


POINTED: Sequence[Mapping[str, str]] = ({"name": "not_set"}, {"name": "set"})


def _freetext(name: str) -> list[str]:
    return _attribute(name, "freetext", [{"name": name}])


def _attribute(
    name: str, kind: str, values: Sequence[Mapping[str, str]], more: Mapping[str, str] | None = None
) -> list[str]:
    head = _element("attribute", {"id": f"at_{name}", "name": name, "type": kind, **(more or {})})
    of_value = [
        _element("value", {"id": f"v_{name}_{number}", **value}) for number, value in enumerate(values, start=1)
    ]
    return [f"{head[:-2]}>", *of_value, "</attribute>"]
