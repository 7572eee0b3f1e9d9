"""Read annotation.conf and visual.conf of brat: types are categories, or an attribute in a scheme of identity."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from annotations.formats.brat.names import TYPE
from annotations.formats.model import scheme as specs
from annotations.formats.model.findings import FormatError
from annotations.formats.model.links import says_identity
from annotations.formats.schemes.files import base_name, find_by_name, text_of
from annotations.formats.schemes.scheme_file import SchemeFile, SchemeReader, fit_label, make_keys

ANNOTATION, VISUAL = "annotation.conf", "visual.conf"
LEVEL = specs.LevelSpec("mention", "mention", coders_mark=True)
MACRO = re.compile(r"<([^<>\s]+)>\s*=\s*(.+)")
ANY_SPAN = ("<ENTITY>", "<ANY>")
COLOUR = re.compile(r"bgColor\s*:\s*(#[0-9a-fA-F]{6})\b")
MAX_TYPES = 1000
# The longest line after its macros are replaced: macros may name macros.
MAX_LINE_LENGTH = 20_000
YES = specs.ValueSpec("true", "yes")


@dataclass(slots=True)
class _Row:
    """A line of a section: its name, its indentation in tabs (depth), and the rest of the line."""

    name: str
    depth: int
    rest: str
    line: int
    abstract: bool = False

    def arguments(self) -> dict[str, list[str]]:
        """Return the arguments after the name, as in `Arg1:Person|Place, Value:A|B`, by their own names."""
        pairs = (part.partition(":") for part in self.rest.split(","))
        return {
            name.strip(): [role.strip() for role in meant.split("|") if role.strip()]
            for name, colon, meant in pairs
            if colon and not name.strip().startswith("<")
        }


def read(files: Mapping[str, bytes], name: str) -> SchemeFile:
    """Return the scheme of the configuration of brat. Raise FormatError with file and line."""
    file = find_by_name(files, ANNOTATION) or next(
        (path for path in sorted(files) if path.lower().endswith(".conf") and base_name(path).lower() != VISUAL), None
    )
    if file is None:
        raise FormatError(f"there is no {ANNOTATION} in it", name)
    labels, colours = _read_visual(files)
    return _Configuration(file, _read_sections(text_of(files, file), file), labels, colours).build()


def _read_sections(text: str, file: str) -> dict[str, list[_Row]]:
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
        if n_rows > MAX_TYPES:
            raise FormatError(f"there are more than {MAX_TYPES} types, relations, attributes and macros", file, number)
        macro = MACRO.fullmatch(stripped)
        if macro:
            macros[f"<{macro[1]}>"] = macro[2].strip()
            continue
        if current is None:
            raise FormatError("a line stands before the first section, such as [entities]", file, number)
        name, _, rest = re.sub(r"\s+", " ", stripped).partition(" ")
        for macro_name, meaning in macros.items():
            count = rest.count(macro_name)
            if count and len(rest) + count * len(meaning) > MAX_LINE_LENGTH:
                raise FormatError(f"its macros make more than {MAX_LINE_LENGTH} characters of the line", file, number)
            rest = rest.replace(macro_name, meaning)
        depth = len(line) - len(line.lstrip("\t"))
        current.append(_Row(name.removeprefix("!"), depth, rest, number, name.startswith("!")))
    if "entities" not in sections:
        raise FormatError("there is no section [entities]", file)
    return sections


def _section(line: str) -> str | None:
    """Return the section that a line without outer white space begins; None if it begins none."""
    name = line[1:-1]
    return name.strip().lower() if line.startswith("[") and line.endswith("]") and "]" not in name else None


def _read_visual(files: Mapping[str, bytes]) -> tuple[dict[str, str], dict[str, str]]:
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


class _Configuration(SchemeReader):
    """The builder of a scheme from a configuration."""

    def __init__(
        self, file: str, sections: Mapping[str, Sequence[_Row]], labels: Mapping[str, str], colours: Mapping[str, str]
    ) -> None:
        super().__init__(file)
        self.sections, self.labels, self.colours = sections, labels, colours
        # The types of spans that coders can choose: `!` marks the others.
        self.types = [row.name for row in sections["entities"] if not row.abstract]
        if not self.types:
            raise FormatError("there is no type of spans in [entities]", file)
        # The subtypes of each type: the name of a type also means its subtypes.
        self.below = defaultdict[str, list[str]](list)
        above: list[_Row] = []
        for row in sections["entities"]:
            del above[row.depth :]
            for other in above:
                self.below[other.name].append(row.name)
            above.append(row)
        self.question = specs.CATEGORY  # types are the values of this question
        self.values: dict[str, str] = {}  # their keys

    def build(self) -> SchemeFile:
        rows = [row for row in self.sections.get("relations", ()) if not row.abstract]
        identity = [row for row in rows if "symmetric-transitive" in row.rest or says_identity(row.name)]
        attributes: list[specs.AttributeSpec] = []
        if identity:
            for row in identity[1:]:
                self._lose(row, "one relation says identity; this one is left out")
            name = identity[0].name
            categories = self.identity_categories(name, self._label(name), LEVEL.key)
            self.values, self.question = make_keys(self.types), self.make_key(TYPE)
            values = tuple(
                specs.ValueSpec(key, self._label(name), colour=self.colours.get(name, ""))
                for name, key in self.values.items()
            )
            attributes.append(specs.AttributeSpec(self.question, TYPE, required=True, values=values))
        else:
            self.values = make_keys(self.types, self.used)
            categories = tuple(
                specs.CategorySpec(key, self._label(name), colour=self.colours.get(name, ""))
                for name, key in self.values.items()
            )
        relations: dict[str, specs.RelationSpec] = {}
        for row in rows:
            if row in identity:
                continue
            if row.name in relations:
                self._lose(row, "brat has it several times, for other types; the first is read")
            else:
                relations[row.name] = self._relation(row)
        for row in self.sections.get("attributes", ()):
            attributes += self._attribute(row, relations)
        n_events = sum(not row.abstract for row in self.sections.get("events", ()))
        if n_events:
            self.add(f"{n_events} types of events are left out: spans and relations alone are judged here")
        answers = specs.POINTERS if identity else specs.CATEGORIES
        return self.scheme_file((LEVEL,), categories, relations.values(), attributes, answers)

    def _lose(self, row: _Row, message: str) -> None:
        self.add(f"{row.name}: {message}", row.line)

    def _label(self, name: str) -> str:
        return fit_label(self.labels.get(name, ""), name)

    def _meant(self, names: Iterable[str]) -> set[str] | None:
        """Return the types that the names mean, with subtypes; None if they mean all types."""
        names = set(names)
        below = (child for name in names for child in self.below.get(name, ()))
        meant = {*names, *below} & self.values.keys()
        return None if not names.isdisjoint(ANY_SPAN) or meant == self.values.keys() else meant

    def _condition(self, names: Iterable[str]) -> specs.Condition | None:
        meant = self._meant(names) or ()
        values = tuple(key for name, key in self.values.items() if name in meant)
        return specs.Condition(self.question, values) if values else None

    def _relation(self, row: _Row) -> specs.RelationSpec:
        source, target = [*row.arguments().values(), [], []][:2]
        if target and self._meant(target) is not None:
            self._lose(row, f"the types of its targets, {', '.join(target[:20])}, are not asked for")
        key, label, condition = self.make_key(row.name), self._label(row.name), self._condition(source)
        return specs.RelationSpec(key, label, to_levels=(LEVEL.key,), later=True, asked_if=condition)

    def _attribute(self, row: _Row, relations: Mapping[str, specs.RelationSpec]) -> list[specs.AttributeSpec]:
        arguments = row.arguments()
        names = next((meant for name, meant in arguments.items() if name.lower().startswith("arg")), [])
        chosen = next((meant for name, meant in arguments.items() if name.lower() == "value"), [])
        of_relations = [name for name in names if name in relations]
        of_spans = [name for name in names if name in (*ANY_SPAN, *self.values, *self.below)]
        lost = [name for name in names if name not in of_spans and name not in of_relations]
        if lost:
            self._lose(row, f"it is not asked of {', '.join(lost[:20])}")
        values = tuple(specs.ValueSpec(key, self._label(name)) for name, key in make_keys(chosen).items()) or (YES,)
        attribute = specs.AttributeSpec("", self._label(row.name), values=values)
        made = []
        if of_spans or not names:
            made.append(replace(attribute, key=self.make_key(row.name), asked_if=self._condition(of_spans)))
        for name in of_relations:
            key = self.make_key(f"{row.name}-{name}" if made else row.name)
            made.append(replace(attribute, key=key, of=specs.Subject.RELATION, relation=relations[name].key))
        return made
