"""annotation.conf of brat, with the labels and colours of visual.conf -> scheme.

Types of spans are the categories of one level. Where a relation says identity, identity is the first question, and
types are an attribute. Types below another one are all meant where that is named; `!` marks one that nobody chooses.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from annotations.formats.brat.names import TYPE
from annotations.formats.model.document import FormatError
from annotations.formats.model.links import says_identity
from annotations.formats.model.scheme import (
    CATEGORY,
    AnswerKind,
    AttributeSpec,
    CategorySpec,
    Condition,
    LevelSpec,
    RelationSpec,
    SchemeSpec,
    Subject,
    ValueSpec,
    identity_relations,
)
from annotations.formats.schemes.scheme_file import (
    CATEGORIES,
    POINTERS,
    Keys,
    Losses,
    SchemeFile,
    base_name,
    find_by_name,
    fit_label,
    identity_categories,
    make_keys,
    text_of,
)

ANNOTATION, VISUAL = "annotation.conf", "visual.conf"
LEVEL = LevelSpec("mention", "mention", coders_mark=True)
MACRO = re.compile(r"<([^<>\s]+)>\s*=\s*(.+)")
# brat's own names for all spans of a kind.
ANY_SPAN = ("<ENTITY>", "<ANY>")
COLOUR = re.compile(r"bgColor\s*:\s*(#[0-9a-fA-F]{6})\b")
MOST_TYPES = 1000
# Characters of a line whose macros are replaced: macros may name macros.
LONGEST_LINE = 20_000
# What an attribute without values is in the files.
YES = ValueSpec("true", "yes")


@dataclass(slots=True)
class _Row:
    """A line of a section: its name, how far it is indented, and what else it says."""

    name: str
    depth: int
    rest: str
    line: int
    abstract: bool = False


@dataclass(slots=True)
class _Types:
    """The types of spans that can be chosen, with those that are above others."""

    chosen: dict[str, None] = field(default_factory=dict)
    below: dict[str, list[str]] = field(default_factory=dict)

    def meant(self, names: Iterable[str]) -> list[str] | None:
        """Return the types that are meant by names of types; None for all of them."""
        found: dict[str, None] = {}
        for name in dict.fromkeys(names):
            if name in ANY_SPAN:
                return None
            found |= dict.fromkeys(each for each in (name, *self.below.get(name, ())) if each in self.chosen)
        return None if found.keys() == self.chosen.keys() else [each for each in self.chosen if each in found]


def read(files: Mapping[str, bytes], name: str) -> SchemeFile:
    """Return the scheme of the configuration of brat. Raise FormatError with file and line."""
    file = find_by_name(files, ANNOTATION) or next(
        (path for path in sorted(files) if path.lower().endswith(".conf") and base_name(path).lower() != VISUAL), None
    )
    if file is None:
        raise FormatError(f"there is no {ANNOTATION} in it", name)
    labels, colours = _read_visual(files)
    sections = _read_sections(text_of(files, file), file)
    return _Configuration(file, sections, labels, colours).build()


def _read_sections(text: str, file: str) -> dict[str, list[_Row]]:
    """Return the lines of each section, macros replaced."""
    sections: dict[str, list[_Row]] = {}
    current: list[_Row] | None = None
    macros: dict[str, str] = {}
    n_rows = 0
    for number, line in enumerate(text.split("\n"), start=1):
        stripped = line.strip()
        if not stripped or stripped.startswith("#") or re.fullmatch("-+", stripped):
            continue
        section = _section(stripped)
        if section is not None:
            current = sections.setdefault(section, [])
            continue
        n_rows += 1
        if n_rows > MOST_TYPES:
            message = f"there are more than {MOST_TYPES} types, relations, attributes and macros"
            raise FormatError(message, file, number)
        macro = MACRO.fullmatch(stripped)
        if macro:
            macros[f"<{macro[1]}>"] = macro[2].strip()
            continue
        if current is None:
            raise FormatError("a line stands before the first section, such as [entities]", file, number)
        name, _, rest = re.sub(r"\s+", " ", stripped).partition(" ")
        for macro_name, meaning in macros.items():
            count = rest.count(macro_name)
            if count and len(rest) + count * len(meaning) > LONGEST_LINE:
                raise FormatError(f"its macros make more than {LONGEST_LINE} characters of the line", file, number)
            rest = rest.replace(macro_name, meaning)
        depth = len(line) - len(line.lstrip("\t"))
        current.append(_Row(name.removeprefix("!"), depth, rest, number, name.startswith("!")))
    if "entities" not in sections:
        raise FormatError("there is no section [entities]", file)
    return sections


def _section(line: str) -> str | None:
    """Return the section that a line without white space around it begins; None where it begins none."""
    name = line[1:-1]
    return name.strip().lower() if line.startswith("[") and line.endswith("]") and "]" not in name else None


def _read_visual(files: Mapping[str, bytes]) -> tuple[dict[str, str], dict[str, str]]:
    """Return the labels of types, and their colours."""
    file = find_by_name(files, VISUAL)
    labels: dict[str, str] = {}
    colours: dict[str, str] = {}
    section = ""
    for line in text_of(files, file).split("\n") if file else ():
        heading = _section(line.strip())
        if heading is not None:
            section = heading
        elif section == "labels" and "|" in line and not line.strip().startswith("#"):
            name, label = (part.strip() for part in line.split("|")[:2])
            labels.setdefault(name, label)
        elif section == "drawing":
            colour = COLOUR.search(line)
            if colour and line.split():
                colours.setdefault(line.split()[0], colour[1].lower())
    return labels, colours


class _Configuration:
    """A configuration while it becomes a scheme."""

    def __init__(
        self,
        file: str,
        sections: Mapping[str, Sequence[_Row]],
        labels: Mapping[str, str],
        colours: Mapping[str, str],
    ) -> None:
        self.sections, self.labels, self.colours = sections, labels, colours
        self.losses = Losses(file)
        self.types = self._read_types(sections["entities"])
        if not self.types.chosen:
            raise FormatError("there is no type of spans in [entities]", file)
        self.keys = Keys()

    def build(self) -> SchemeFile:
        """Return the scheme."""
        rows = self.sections.get("relations", ())
        identity = [row for row in rows if not row.abstract and self._is_identity(row)]
        attributes: list[AttributeSpec] = []
        if identity:
            for row in identity[1:]:
                self._lose(row, "one relation says identity; this one is left out")
            name = identity[0].name
            categories = identity_categories(self.keys.make(name), self._label(name), LEVEL.key)
            self.keys.used.add(categories[1].key)
            values = make_keys(self.types.chosen)
            question = self.keys.make(TYPE)
            specs = tuple(
                ValueSpec(key, self._label(one), "", self.colours.get(one, "")) for one, key in values.items()
            )
            attributes.append(AttributeSpec(question, TYPE, required=True, values=specs))
        else:
            values = {name: self.keys.make(name) for name in self.types.chosen}
            question = CATEGORY
            categories = tuple(
                CategorySpec(key, self._label(name), colour=self.colours.get(name, "")) for name, key in values.items()
            )
        relations: dict[str, RelationSpec] = {}
        for row in rows:
            if row.abstract or row in identity:
                continue
            if row.name in relations:
                self._lose(row, "brat has it several times, for other types; the first is read")
            else:
                relations[row.name] = self._relation(row, question, values)
        keys = {name: relation.key for name, relation in relations.items()}
        for row in self.sections.get("attributes", ()):
            attributes += self._attribute(row, question, values, keys)
        n_events = sum(not row.abstract for row in self.sections.get("events", ()))
        if n_events:
            self.losses.add(f"{n_events} types of events are left out: spans and relations alone are judged here")
        spec = SchemeSpec(
            (LEVEL,), categories, (*identity_relations(categories), *relations.values()), tuple(attributes)
        )
        return SchemeFile(spec, POINTERS if identity else CATEGORIES, self.losses.listed())

    def _lose(self, row: _Row, message: str) -> None:
        self.losses.add(f"{row.name}: {message}", row.line)

    def _label(self, name: str) -> str:
        return fit_label(self.labels.get(name, ""), name)

    def _read_types(self, rows: Sequence[_Row]) -> _Types:
        types = _Types()
        above: list[_Row] = []
        for row in rows:
            del above[row.depth :]
            if not row.abstract:
                types.chosen[row.name] = None
            for other in above:
                types.below.setdefault(other.name, []).append(row.name)
            above.append(row)
        return types

    def _is_identity(self, row: _Row) -> bool:
        return "symmetric-transitive" in row.rest or says_identity(row.name)

    def _arguments(self, row: _Row) -> dict[str, list[str]]:
        """Return what a line says after the name: `Arg1:Person|Place, Value:A|B`."""
        pairs = (part.partition(":") for part in row.rest.split(","))
        return {
            name.strip(): [each.strip() for each in meant.split("|") if each.strip()]
            for name, colon, meant in pairs
            if colon and not name.strip().startswith("<")
        }

    def _condition(self, names: Sequence[str], question: str, values: Mapping[str, str]) -> Condition | None:
        meant = self.types.meant(names)
        return None if not meant else Condition(question, tuple(values[name] for name in meant))

    def _relation(self, row: _Row, question: str, values: Mapping[str, str]) -> RelationSpec:
        arguments = list(self._arguments(row).values())
        source, target = ([*arguments, [], []])[:2]
        if target and self.types.meant(target) is not None:
            self._lose(row, f"the types of its targets, {', '.join(target[:20])}, are not asked for")
        return RelationSpec(
            self.keys.make(row.name),
            self._label(row.name),
            to_levels=(LEVEL.key,),
            later=True,
            asked_if=self._condition(source, question, values),
        )

    def _attribute(
        self, row: _Row, question: str, values: Mapping[str, str], relations: Mapping[str, str]
    ) -> list[AttributeSpec]:
        arguments = self._arguments(row)
        names = next((meant for name, meant in arguments.items() if name.lower().startswith("arg")), [])
        chosen = next((meant for name, meant in arguments.items() if name.lower() == "value"), [])
        of_relations = [name for name in names if name in relations]
        of_spans = [name for name in names if name in ANY_SPAN or name in self.types.chosen or name in self.types.below]
        lost = [name for name in names if name not in of_spans and name not in of_relations]
        if lost:
            self._lose(row, f"it is not asked of {', '.join(lost[:20])}")
        if names and not of_spans and not of_relations:
            return []
        specs = tuple(ValueSpec(key, self._label(one)) for one, key in make_keys(chosen).items()) or (YES,)
        label = self._label(row.name)
        made = []
        if of_spans or not names:
            condition = self._condition(of_spans, question, values)
            made.append(AttributeSpec(self.keys.make(row.name), label, asked_if=condition, values=specs))
        for name in of_relations:
            made.append(
                AttributeSpec(
                    self.keys.make(row.name if not made else f"{row.name}-{name}"),
                    label,
                    of=Subject.RELATION,
                    relation=relations[name],
                    kind=AnswerKind.ONE,
                    values=specs,
                )
            )
        return made
