"""Write documents as a project."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path

from annotations.formats.mmax2 import elements
from annotations.formats.mmax2.elements import HEAD, LEVEL_FILE, SCHEME_FILE, encode, format_element
from annotations.formats.mmax2.project import LAYOUT_NAMES, LAYOUTS, LINES, Runs
from annotations.formats.mmax2.scheme import ALWAYS_ASKED, ENTITY_NAME, NO_ANSWER, READING, READINGS, Value
from annotations.formats.model import scheme as specs
from annotations.formats.model.answers import format_value, name_in_files
from annotations.formats.model.document import Document, Links, Mark, Place, Readings, Stretch, text_order
from annotations.formats.model.format import File
from annotations.formats.model.judgement import targets_of
from annotations.formats.model.links import OTHER_RELATION
from annotations.formats.syntax.tokens import tokenize

SET_NAME = re.compile("set_[1-9][0-9]{0,8}")
ATTRIBUTE_NAME = re.compile("[a-z_][-a-z0-9_]*")
ANSWER = (specs.CATEGORY, "optional", "unsure", "note", "chain_name", ENTITY_NAME)
# The pointer of markables whose category does not point.
ANTECEDENT = "antecedent"
# MMAX2 finds words and markables by id only if a DTD declares the ids.
DTDS = (
    File(
        "Basedata/words.dtd", b"<!ELEMENT words (word*)>\n<!ELEMENT word (#PCDATA)>\n<!ATTLIST word id ID #REQUIRED>\n"
    ),
    File("Markables/markables.dtd", b"<!ELEMENT markables (markable*)>\n<!ATTLIST markable id ID #REQUIRED>\n"),
)
# The style sheet for the text, without which MMAX2 opens no project. MMAX2 provides functions that return the markables
# that begin and end at a word.
STYLE_FILE = "default_style.xsl"
STYLE = Path(__file__).with_name("style.xsl")
HANDLES = (("opening", "addLeftMarkableHandle", "["), ("closing", "addRightMarkableHandle", "]"))
# MMAX2 requires a file with the colours of each level; this one changes none.
CUSTOMIZATION = encode([HEAD, "<customization></customization>"])


def write(documents: Sequence[Document], attribute: str = "") -> list[File]:
    """Return a project of one coder's documents. attribute: the name of the sets, instead of coref_class."""
    scheme = documents[0].scheme or _infer_scheme(documents)
    drafts = [_Draft(document, scheme.main_level) for document in documents]
    fits = ATTRIBUTE_NAME.fullmatch(attribute) and attribute not in (*NO_ANSWER, *ANSWER)
    plan = _Plan(scheme, documents[0].links, drafts, attribute if fits else "coref_class")
    views = ["<views>", format_element("stylesheet", {}, STYLE_FILE), "</views>"]
    files = [File(elements.COMMON_PATHS, encode(elements.common_paths(plan.levels, views))), *DTDS]
    files += [
        File(f"Schemes/{level}{SCHEME_FILE}", encode(elements.scheme(plan.lines(level)))) for level in plan.levels
    ]
    files += [File(f"Customizations/{level}{elements.CUSTOMIZATION_FILE}", CUSTOMIZATION) for level in plan.levels]
    files.append(File(f"Styles/{STYLE_FILE}", _style_sheet(plan.levels)))
    for draft in drafts:
        files += draft.files(plan)
    return files


def _infer_scheme(documents: Sequence[Document]) -> specs.SchemeSpec:
    """Return a scheme from the marks and answers of documents without a scheme."""
    marks = [mark for document in documents for mark in document.marks]
    coded = {mark.level for mark in marks if mark.answer}
    levels = [specs.LevelSpec(key, key, key in coded) for key in dict.fromkeys(mark.level for mark in marks) if key]
    if not any(level.coded for level in levels):
        levels.insert(0, specs.LevelSpec("markable", "markable"))
    categories: dict[str, specs.CategorySpec] = {}
    for answer in (mark.answer for mark in marks if mark.answer and mark.answer.category):
        target = next((place.level or levels[0].key for place in answer.pointers), "")
        spec = specs.CategorySpec(answer.category, answer.category, target, takes_index=bool(answer.indices))
        categories.setdefault(answer.category, spec)
    return specs.SchemeSpec(tuple(levels), tuple(categories.values()))


def _style_sheet(levels: Collection[str]) -> bytes:
    """Return the style sheet, with clickable brackets at markables and a line end after each line segment."""
    templates = [
        f'<xsl:template match="*[@mmax_level=\'{level}\']" mode="{mode}">'
        f"<xsl:value-of select=\"mmax:{function}(@mmax_level, @id, '{sign}')\"/></xsl:template>\n"
        for level in levels
        if level.lower() not in LAYOUT_NAMES
        for mode, function, sign in HANDLES
    ]
    for level in [level for layout in LINES for level in LAYOUTS[layout] if level in levels][:1]:
        end = "<xsl:text>&#10;</xsl:text>"
        templates.append(f'<xsl:template match="*[@mmax_level=\'{level}\']" mode="closing">{end}</xsl:template>\n')
    return STYLE.read_text().replace("<!-- levels -->\n", "".join(templates)).encode()


@dataclass(slots=True)
class _Row:
    """A markable of a file before it has an id."""

    level: str
    runs: Runs
    mark: Mark | None = None
    segment: Stretch | None = None


class _Draft:
    """A document with the rows of its levels."""

    def __init__(self, document: Document, main: str) -> None:
        self.document = document
        self.tokens = tokenize(document)
        self.marks = [mark if mark.level else replace(mark, level=main) for mark in document.marks]
        segments = {(each.kind, each.start, each.end): each for each in document.segments if each.kind in LAYOUTS}
        rows: list[_Row] = []
        for mark in sorted(self.marks, key=text_order):
            row = _Row(mark.level, self._runs(mark.parts), mark)
            same_segment = segments.get((mark.level, *mark.parts[0])) if len(mark.parts) == 1 else None
            if same_segment and same_segment.label == mark.label:
                row.segment = segments.pop((same_segment.kind, same_segment.start, same_segment.end))
            rows.append(row)
        for (kind, start, end), segment in segments.items():
            rows.append(_Row(kind, self._runs(((start, end),)), segment=segment))
        lines = self.tokens.by_sentence()
        if len(lines) > 1 and not any(segment.kind in ("sentence", "turn") for segment in document.segments):
            rows += [_Row("line", ((line[0], line[-1]),)) for line in lines]
        self.rows = [row for row in rows if row.runs]

    def _runs(self, parts: Runs) -> Runs:
        return tuple(self.tokens.find_runs(parts))

    def files(self, plan: "_Plan") -> list[File]:
        name = self.document.name
        project = ["<mmax_project>", format_element("words", {}, f"{name}_words.xml"), "<keyactions></keyactions>"]
        project += ["<gestures></gestures>", "</mmax_project>"]
        words = [
            format_element("word", {"id": f"word_{number}"}, word)
            for number, word in enumerate(self.tokens.words, start=1)
        ]
        basedata = [HEAD, '<!DOCTYPE words SYSTEM "words.dtd">', "<words>", *words, "</words>"]
        files = [File(f"{name}.mmax", encode([HEAD, *project])), File(f"Basedata/{name}_words.xml", encode(basedata))]
        order = {level: number for number, level in enumerate(plan.levels)}
        rows = sorted(self.rows, key=lambda row: (order[row.level], row.runs[0][0], -row.runs[-1][1]))
        ids = {id(row): f"markable_{number}" for number, row in enumerate(rows, start=1)}
        targets = {row.mark.place: (row.level, ids[id(row)]) for row in rows if row.mark}
        sets = _name_sets(self.marks)
        for level in plan.levels:
            lines = [
                format_element(
                    "markable",
                    {"id": ids[id(row)], "span": _format_span(row.runs), "mmax_level": level}
                    | self._attributes(row)
                    | (plan.answer_attributes(row.mark, targets, sets) if row.mark else {}),
                )
                for row in rows
                if row.level == level
            ]
            head = [HEAD, '<!DOCTYPE markables SYSTEM "markables.dtd">']
            head.append(f'<markables xmlns="www.eml.org/NameSpaces/{level}">')
            files.append(File(f"Markables/{name}_{level}{LEVEL_FILE}", encode([*head, *lines, "</markables>"])))
        return files

    def _attributes(self, row: _Row) -> dict[str, str]:
        stands_for = "segment" if row.mark is None else "both" if row.segment else "markable"
        attributes = {
            "stands_for": stands_for if row.level.lower() in LAYOUT_NAMES else "",
            "speaker": row.segment.speaker if row.segment else "",
            "label": row.mark.label if row.mark else row.segment.label if row.segment else "",
            "min_ids": _format_span(self._runs(row.mark.head)) if row.mark else "",
        }
        return {name: value for name, value in attributes.items() if value}


def _format_span(runs: Runs) -> str:
    return ",".join(
        f"word_{first + 1}" if first == last else f"word_{first + 1}..word_{last + 1}" for first, last in runs
    )


def _name_sets(marks: Iterable[Mark]) -> dict[tuple[str, str], str]:
    """Return the set name of each level and entity; entity names other than set_N get free numbers."""
    set_names: dict[tuple[str, str], str] = {}
    for mark in sorted(marks, key=text_order):
        for index in mark.answer.indices if mark.answer else ():
            set_names[mark.level, index] = index if SET_NAME.fullmatch(index) else ""
    used_names = set(set_names.values())
    free = (name for number in count(1) if (name := f"set_{number}") not in used_names)
    return {place: name or next(free) for place, name in set_names.items()}


class _Plan:
    """The content of the project's schemes, sufficient for every document."""

    def __init__(self, scheme: specs.SchemeSpec, links: Links, drafts: Sequence[_Draft], sets: str) -> None:
        self.main, self.links, self.sets = scheme.main_level, links, sets
        self.levels = {level.key: level.coded for level in scheme.levels}  # whether the level is coded
        for row in (row for draft in drafts for row in draft.rows):
            answered = row.mark is not None and row.mark.answer is not None
            self.levels[row.level] = self.levels.get(row.level, False) or answered
        answers = [mark.answer for draft in drafts for mark in draft.marks if mark.answer]
        self.categories = {category.key: category for category in scheme.categories}
        self.relations = {relation.key: relation for relation in scheme.relations if not relation.identity}
        self.attributes = {attribute.key: attribute for attribute in scheme.attributes}
        for answer in answers:
            if answer.category:
                self.categories.setdefault(answer.category, specs.CategorySpec(answer.category, answer.category))
            for key, readings in answer.relations:
                level = next(targets_of(readings)).level or self.main
                self.relations.setdefault(key, specs.RelationSpec(key, key, to_levels=(level,)))
            for key, _ in answer.attributes:
                self.attributes.setdefault(key, specs.AttributeSpec(key, key, kind=specs.AnswerKind.TEXT))
        self.pointers: dict[str, str] = {}  # the attribute of each category that points
        for category in self.categories.values() if links == Links.POINTERS else ():
            if category.points_to:
                name = _unique_name(f"{category.key.lower()}_{ANTECEDENT}", self.pointers.values())
                self.pointers[category.key] = name
        # Whether a mark points although its category does not, and the numbers, from 1, of a markable's entities.
        self.loose = any(answer.pointers and answer.category not in self.pointers for answer in answers)
        self.numbers = range(1, max((len(answer.indices) for answer in answers), default=1) + 1)
        self.names = self._name_questions()

    def _name_questions(self) -> dict[str, str]:
        keys = [*self.relations, *self.attributes]
        taken = {specs.CATEGORY, ANTECEDENT, "xmlns", *self.pointers.values(), *NO_ANSWER, *ALWAYS_ASKED}
        taken |= {name for number in self.numbers for name in self._set_names(number)}
        # a reader does not read these names as questions
        taken |= {
            key
            for key in keys
            if READING.fullmatch(key.lower()) or key.lower().startswith(ENTITY_NAME) or key.lower().endswith(READINGS)
        }
        return {key: name.lower() for key, name in name_in_files(keys, taken).items()}

    def _set_names(self, number: int) -> tuple[str, str]:
        """Return the attribute names of the n-th set of a markable and of its entity, numbered from the second on."""
        suffix = "" if number == 1 else f"_{number}"
        return f"{self.sets}{suffix}", f"{ENTITY_NAME}{suffix}"

    def answer_attributes(
        self, mark: Mark, targets: Mapping[Place, tuple[str, str]], sets: Mapping[tuple[str, str], str]
    ) -> dict[str, str]:
        """Return the attributes of an answer; the value `empty` keeps an answer without content."""
        level, answer = mark.level, mark.answer
        if answer is None:
            return {}
        attributes = {specs.CATEGORY: answer.category or "empty"}
        if self.links == Links.POINTERS:
            name = self.pointers.get(answer.category, ANTECEDENT)
            pointers = self._pointer_attributes(level, name, answer.all_readings, targets)
            if any(pointers.values()) or answer.category in self.pointers:
                attributes |= {name: value or "empty" for name, value in pointers.items()}
        if self.links == Links.INDICES:
            attributes[self.sets] = "empty"
            for number, index in enumerate(answer.indices, start=1):
                set_name, entity_name = self._set_names(number)
                attributes[set_name] = sets[level, index]
                if sets[level, index] != index or level != self.main:
                    attributes[entity_name] = index
        texts = {
            "optional": "true" if answer.optional else "",
            "unsure": "true" if answer.unsure else "",
            "note": answer.note,
            "chain_name": answer.name,
        }
        attributes |= {name: value for name, value in texts.items() if value}
        for key, readings in answer.relations:
            attributes |= self._pointer_attributes(level, self.names[key], readings, targets)
        return attributes | {self.names[key]: format_value(value) for key, value in answer.attributes}

    def _pointer_attributes(
        self, level: str, name: str, readings: Readings, targets: Mapping[Place, tuple[str, str]]
    ) -> dict[str, str]:
        """Return the attribute of a pointer's targets, and the attribute of its readings if one has several targets."""
        numbers: dict[str, int] = {}
        groups: list[list[str]] = []
        for reading in readings:
            places = (place if place.level else Place(self.main, place.parts) for place in reading)
            ids = [targets[place] for place in places if place in targets]
            names = [target if level == of else f"{of}:{target}" for of, target in ids]
            groups.append([str(numbers.setdefault(target, len(numbers) + 1)) for target in names])
        attributes = {name: ";".join(numbers)}
        if any(len(group) > 1 for group in groups):
            attributes[f"{name}{READINGS}"] = ";".join("+".join(group) for group in groups if group)
        return attributes

    def lines(self, level: str) -> list[str]:
        lines = []
        if self.levels[level]:
            questions: list[specs.RelationSpec | specs.AttributeSpec] = [
                *(link for link in self.relations.values() if not link.from_levels or level in link.from_levels),
                *(spec for spec in self.attributes.values() if not spec.levels or level in spec.levels),
            ]
            leads = {
                (specs.CATEGORY, each.key): ["optional"] for each in self.categories.values() if each.takes_optional
            }
            elements.add_leads(leads, ((question, _condition(question)) for question in questions), self.names)
            sets = [self._set_names(number)[0] for number in self.numbers if self.links == Links.INDICES]
            lines += elements.categories(self.categories.values(), self.pointers, sets, leads)
            lines += self._link_lines(level)
            for question in questions:
                name = self.names[question.key]
                lines += elements.further(question, name, level, leads)
                if isinstance(question, specs.RelationSpec) and question.joint:
                    lines += elements.freetext(f"{name}{READINGS}")
            lines += elements.flag("optional") + elements.flag("unsure") + elements.freetext("note")
            lines += elements.freetext("chain_name")
        lines += elements.freetext("label") + elements.freetext("min_ids")
        if level.lower() in LAYOUT_NAMES:
            uses = [Value("segment"), Value("markable"), Value("both")]
            lines += elements.freetext("speaker") + elements.attribute("stands_for", "nominal_button", uses)
        return lines

    def _link_lines(self, level: str) -> list[str]:
        lines = []
        for number in self.numbers if self.links == Links.INDICES else ():
            name, entity_name = self._set_names(number)
            lines += elements.attribute(name, "markable_set", [Value(name)]) + elements.freetext(entity_name)
        # written if a reader might take a pointer for another relation
        misleads = any(OTHER_RELATION.search(name) for name in self.pointers.values())
        identity = True if self.relations or misleads else None
        for key, name in self.pointers.items():
            category = self.categories[key]
            lines += elements.pointer(name, "", category.points_to, category.max_pointers, identity)
        if self.loose:
            lines += elements.pointer(ANTECEDENT, "", level, None, identity)
        return lines


def _condition(question: specs.RelationSpec | specs.AttributeSpec) -> specs.Condition | None:
    """Return the condition of a question; an attribute of a relation requires the relation."""
    if isinstance(question, specs.AttributeSpec) and question.relation:
        return specs.Condition(relation=question.relation)
    return question.asked_if


def _unique_name(name: str, others: Collection[str]) -> str:
    """Return a unique attribute name that begins with a letter."""
    name = name if name[0].isalpha() else f"a{name}"
    while name in others:
        name = f"x{name}"
    return name
