"""Read a text and its annotations into a document."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count, islice, product

from annotations.formats.brat import names
from annotations.formats.model.document import Answer, Document, Links, Mark, Parts, Place, links_of, text_order
from annotations.formats.model.encodings import decode
from annotations.formats.model.findings import Finding, FormatError
from annotations.formats.model.format import SEPARATOR, Bundle, stem
from annotations.formats.model.links import DisjointSets, group_readings, identity_names, says_identity
from annotations.formats.model.slips import LEAVE_OUT, Slips
from annotations.formats.model.spans import Span, lie_in, merge_spans
from annotations.formats.model.text import MAX_INDEX_LENGTH, MAX_LABEL_LENGTH
from annotations.formats.syntax.units import Units

# A text without annotations and with such a name documents the other files.
ABOUT = re.compile(r"(?:readme|licen[cs]e|changelog|copying|notice)(?:[._-].*)?", re.IGNORECASE)
SPAN = re.compile(r"\s*(\d{1,9}) (\d{1,9})\s*", re.ASCII)
ENTITY_TYPE = re.compile(r".+-\d{1,9}", re.ASCII)
NUMBER = re.compile(r"[0-9]{1,4}", re.ASCII)
OWN_NOTES = (names.NOTE, names.CHAIN_NAME, names.LABEL)
# The value of a flag attribute, which is written without a value.
YES = "true"
# BioNLP adds two fields after the words: the offsets of the minimal words, and the minimal words.
MIN_WORDS = re.compile(r"\t(\d{1,9} \d{1,9})\t[^\t]*\Z", re.ASCII)
MAX_TYPE_LENGTH = 1000
MAX_NAME_LENGTH = 200
MAX_SHOWN_LENGTH = 50
MAX_GAP_LENGTH = 1000


def pair_files(file_names: Iterable[str], suffixes: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Return the files of each document: annotations with their text, or either alone if the other is missing.

    The text is in the folder of its annotations. Otherwise it is the only text of that name in any folder, which
    several coders share. A text without annotations is skipped if its name marks it as documentation (README.txt).
    """
    files = dict.fromkeys(file_names)
    # An exact name takes precedence over a name in other capital letters.
    beside = {name.lower(): name for name in files} | {name: name for name in files}
    texts = [name for name in files if name.lower().endswith(names.TEXT_SUFFIX)]
    elsewhere: dict[str, list[str]] = {}
    for name in texts:
        elsewhere.setdefault(stem(name).lower(), []).append(name)
    text_of: dict[str, str | None] = {}
    for name in files:
        if name.lower().endswith(suffixes[0]):
            text = text_file(name)
            text_of[name] = beside.get(text) or beside.get(text.lower()) or _shared_text(name, elsewhere)
    groups = [(name, text) if text else (name,) for name, text in text_of.items()]
    used = set(text_of.values())
    alone = [name for name in texts if name not in used and not ABOUT.fullmatch(stem(name))]
    return [*groups, *((name,) for name in alone)]


def text_file(name: str) -> str:
    """Return the name of the text in the folder of an annotation file; other names are returned unchanged."""
    return name[: -len(names.SUFFIX)] + names.TEXT_SUFFIX if name.lower().endswith(names.SUFFIX) else name


def _shared_text(name: str, texts: Mapping[str, Sequence[str]]) -> str | None:
    """Return the only text in any folder with this name, with or without a coder's name at its end; None otherwise."""
    whole = stem(name).lower()
    for candidate in (whole, *(whole.rpartition(sign)[0] for sign, _ in SEPARATOR.choices)):
        if len(texts.get(candidate, ())) == 1:
            return texts[candidate][0]
    return None


def read(
    bundle: Bundle, types: str = "levels", shared: str = "several", relations: str = "pointers", slips: str = ""
) -> list[Document]:
    """Return the one document of a text and its annotations. Raises FormatError with file and line on bad input."""
    main = bundle.main
    texts = [name for name in bundle.files if name.lower().endswith(names.TEXT_SUFFIX)]
    if not texts:
        message = f"the text of this file, {text_file(main)}, cannot be found, and the project has none of that name"
        raise FormatError(message, main)
    if main in texts:
        raise FormatError(
            f"the annotations of this file, {main[: -len(names.TEXT_SUFFIX)]}{names.SUFFIX}, cannot be found", main
        )
    data = bundle.files[texts[0]]
    decode(data, texts[0])  # runs all checks; the line ends are kept for the offsets
    text = data.decode()
    if not text.removeprefix("\ufeff").strip():
        raise FormatError("there is no text in this file", texts[0], 1)
    rows = list(enumerate(decode(bundle.data, main).split("\n"), start=1))
    left_out = Slips(main, slips == LEAVE_OUT)
    draft = _draft_with_spans(main, text, types, rows, left_out)
    for number, line in rows:
        if line.strip() and not line.startswith("T"):
            try:
                draft.add_line(number, line)
            except FormatError as error:
                left_out.leave_out(error, "the line", draft.findings)
    draft.findings += left_out.finish(1)
    return [draft.build(shared, relations)]


def _draft_with_spans(main: str, text: str, types: str, rows: Sequence[tuple[int, str]], slips: Slips) -> "_Draft":
    """Return the draft with the best fitting offsets, over the text as it is or as it was before it was resaved."""
    content = text.removeprefix("\ufeff")
    mark = len(text) - len(content)
    unix = content.replace("\r\n", "\n")
    # What the offsets do not count, for each possible earlier version of the text; of equal versions the first counts.
    copies: dict[tuple[str, int], str] = {(content, mark): ""}
    copies.setdefault((content, 0), "its byte order mark")
    copies.setdefault((unix, mark), "the CR of its line ends")
    copies.setdefault((unix, 0), "its byte order mark and the CR of its line ends")
    copies.setdefault((unix.replace("\n", "\r\n"), 0), "its line ends as they are: they were CR LF")
    best: tuple[_Draft, list[FormatError]] | None = None
    for is_wide, ((copy, before), saved) in product([False, True] if Units(text).points else [False], copies.items()):
        draft = _Draft(main, copy, before, types, Units(copy) if is_wide else None)
        errors = list(islice(draft.add_spans(rows), None if slips.are_left_out else 1))
        if best is not None and len(errors) >= len(best[1]):
            continue
        best = draft, errors
        if is_wide:
            draft.findings.append(Finding("units", "the offsets count UTF-16 units", main, fix="read so"))
        if saved:
            message = f"the offsets do not count {saved}: the text was saved anew"
            draft.findings.append(Finding("saved-anew", message, main, fix="read as it was before"))
        if not errors:
            break
    assert best is not None
    draft, errors = best
    if errors and not draft.spans and slips.are_left_out:
        raise errors[0]
    for error in errors:
        slips.leave_out(error, "the line", draft.findings)
    return draft


@dataclass(slots=True)
class _Span:
    """A markable under construction. Each target has its reading number; entities are numbers."""

    parts: Parts
    level: str
    line: int
    category: str = ""
    flags: set[str] = field(default_factory=set)
    head: Parts = ()
    targets: list[tuple[int, Place]] = field(default_factory=list)
    relations: dict[str, list[tuple[int, Place]]] = field(default_factory=dict)
    attributes: dict[str, dict[str, None]] = field(default_factory=dict)
    texts: dict[str, list[str]] = field(default_factory=dict)
    entities: set[int] = field(default_factory=set)

    @property
    def place(self) -> Place:
        return Place(self.level, self.parts)

    def text(self, name: str) -> str:
        return "\n".join(self.texts.get(name, ()))

    def answer(self, indices: tuple[str, ...]) -> Answer | None:
        values = {name: min(words) if len(words) == 1 else tuple(words) for name, words in self.attributes.items()}
        texts = {name: "\n".join(lines) for name, lines in self.texts.items() if name not in OWN_NOTES}
        answer = Answer(
            category=self.category,
            indices=indices,
            optional="Optional" in self.flags,
            unsure="Unsure" in self.flags,
            note=self.text(names.NOTE),
            name=self.text(names.CHAIN_NAME),
            relations=tuple((name, group_readings(rows)) for name, rows in sorted(self.relations.items())),
            attributes=tuple(sorted((texts | values).items())),
            **links_of(group_readings(self.targets)),
        )
        return None if "Uncoded" in self.flags and answer == Answer() else answer


@dataclass(slots=True)
class _Draft:
    """A document under construction. mark: the number of characters of the file before the content."""

    file: str
    content: str
    mark: int
    types: str
    units: Units | None = None
    spans: dict[str, _Span] = field(default_factory=dict)
    marks: dict[Place, _Span] = field(default_factory=dict)
    named_entities: dict[str, int] = field(default_factory=dict)
    sets: list[tuple[str, list[_Span], int]] = field(default_factory=list)
    relations: list[tuple[str, str, _Span, _Span, int]] = field(default_factory=list)
    readings: dict[str, int] = field(default_factory=dict)
    left_out: dict[str, list[int]] = field(default_factory=dict)
    unchecked: list[int] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    def _error(self, message: str, number: int) -> FormatError:
        return FormatError(message, self.file, number)

    def _report(self, code: str, message: str, number: int, fix: str = "") -> None:
        """Report that a line is read differently; without a fix it is left out."""
        self.findings.append(Finding(code, message, self.file, number, fix or "it is left out", left_out=not fix))

    def _leave_out(self, what: str, number: int) -> None:
        self.left_out.setdefault(what[:MAX_NAME_LENGTH], []).append(number)

    def add_spans(self, rows: Iterable[tuple[int, str]]) -> Iterator[FormatError]:
        """Add the markables of T lines; yield the error of each T line that is left out."""
        for number, line in rows:
            if line.startswith("T"):
                try:
                    self._add_span(number, line)
                except FormatError as error:
                    yield error

    def _add_span(self, number: int, line: str) -> None:
        key, _, rest = line.partition("\t")
        data, _, quoted = rest.partition("\t")
        least = MIN_WORDS.search(quoted)
        quoted = quoted[: least.start()] if least else quoted
        kind, _, offsets = data.partition(" ")
        if "\t" not in line:
            raise self._error("a T line has a tab behind its number and before its words", number)
        if key in self.spans:
            raise self._error(f"{key[:MAX_SHOWN_LENGTH]} is given twice", number)
        if len(kind) > MAX_TYPE_LENGTH:
            raise self._error(f"a type has more than {MAX_TYPE_LENGTH} characters", number)
        spans = self._offsets(offsets, number)
        head = self._offsets(least[1], number) if least else []
        if quoted:
            self._check(key, spans, quoted, number)
        else:
            self.unchecked.append(number)
        span = _Span(_join_fragments(spans, self.content), "", number)
        self._apply_type(span, kind)
        first = self.marks.setdefault(span.place, span)
        if first is not span and self.types != "chains":
            self._report("duplicate", f"{key} has the same words as another", number, "they are one markable")
        first.category = first.category or span.category
        if head:
            self._least(first, key, head, number)
        first.entities |= span.entities
        self.spans[key] = first

    def _offsets(self, text: str, number: int) -> list[tuple[int, int]]:
        spans = []
        for fragment in text.split(";"):
            match = SPAN.fullmatch(fragment)
            if match is None:
                raise self._error(
                    f"this is not a list of offsets such as 0 4;8 11: {text[:MAX_SHOWN_LENGTH]!r}", number
                )
            start, end = (max(0, int(offset) - self.mark) for offset in match.groups())
            if start >= end:
                raise self._error(f"a span ends where it begins, or before: {fragment}", number)
            if end > (self.units.length if self.units else len(self.content)):
                raise self._error(f"the text ends before {end + self.mark}", number)
            if self.units:
                first, last = self.units.point(start), self.units.point(end)
                if first is None or last is None:
                    raise self._error(f"a span begins or ends inside a character: {fragment}", number)
                start, end = first, last
            spans.append((start, end))
        return spans

    def _check(self, key: str, spans: Sequence[tuple[int, int]], quoted: str, number: int) -> None:
        """Raise FormatError if the text at the offsets differs from the words of the line."""
        length = sum(end - start for start, end in spans)
        # White space may differ; the bound avoids reading a long span for a short quotation.
        words = [self.content[start:end] for start, end in spans] if length <= 10 * len(quoted) + 100 else []
        quotation = (quoted[0].isspace(), quoted.split())
        if quotation not in ((join.join(words)[:1].isspace(), join.join(words).split()) for join in (" ", "")):
            start, end = spans[0][0], spans[-1][1]
            stands = self.content[start : min(end, start + MAX_SHOWN_LENGTH)]
            message = f"quotes {quoted[:MAX_SHOWN_LENGTH]!r}, but from {start + self.mark} on the text has {stands!r}"
            raise self._error(f"{key[:MAX_SHOWN_LENGTH]} {message}", number)

    def _apply_type(self, span: _Span, kind: str) -> None:
        if self.types == "attribute":
            span.attributes[names.TYPE] = {kind: None}
        elif kind == names.MENTION:
            return
        elif self.types == "levels":
            span.level = kind
        elif self.types == "categories":
            span.category = kind
        elif self.types == "chains" and ENTITY_TYPE.fullmatch(kind):
            span.entities.add(self.named_entities.setdefault(kind, len(self.named_entities)))

    def add_line(self, number: int, line: str) -> None:
        """Add a line that is no T line. Raises FormatError if it is not a line of brat."""
        key, tab, rest = line.partition("\t")
        data, _, words = rest.partition("\t")
        fields = data.split()
        if not tab or key[:1] not in tuple("R*AMNE#"):
            message = (
                f"a line begins with T, R, *, A, M, N, E or #, a number and a tab, not {line[:MAX_SHOWN_LENGTH]!r}"
            )
            raise self._error(message, number)
        if len(fields) < 2:
            raise self._error(f"{key[:MAX_SHOWN_LENGTH]} says nothing of anything", number)
        match key[0]:
            case "*":
                if spans := [span for key in fields[1:] if (span := self._find_span(key, number)) is not None]:
                    self.sets.append((fields[0], spans, number))
            case "R":
                self._relation(key, fields, number)
            case "A":
                self._attribute(fields, number)
            case "#":
                self._note(fields, words, number)
            case other:
                self._leave_out({"E": "events", "M": "modifications", "N": "normalisations"}[other], number)

    def _find_span(self, key: str, number: int, of_others: str = "") -> _Span | None:
        """Return the span of a T line's key, or None. of_others: what is left out if the key is of another line."""
        if of_others and not key.startswith("T"):
            self._leave_out(of_others, number)
            return None
        span = self.spans.get(key)
        if span is None:
            self._report("id-unknown", f"{key[:MAX_SHOWN_LENGTH]!r} is no span", number)
        return span

    def _relation(self, key: str, fields: Sequence[str], number: int) -> None:
        arguments = [(role, key) for role, colon, key in (arg.partition(":") for arg in fields[1:]) if role and colon]
        # In BioNLP the role names the anaphor, and a relation may have several antecedents.
        arguments.sort(key=lambda argument: not argument[0].lower().startswith("anaph"))
        further = [role for role, _ in arguments[2:] if not role.lower().startswith("antecedent")]
        if len(arguments) < 2 or further or len(fields) != len(arguments) + 1:
            raise self._error("a relation is a name and two arguments such as Arg1:T2", number)
        span, *others = (self._find_span(key, number) for _, key in arguments)
        for target in others:
            if span is not None and target is not None:
                self.relations.append((key, fields[0], span, target, number))

    def _attribute(self, fields: Sequence[str], number: int) -> None:
        name, key, value = fields[0], fields[1], " ".join(fields[2:])
        if key.startswith("R") and name == names.READING and NUMBER.fullmatch(value):
            self.readings[key] = int(value)
            return
        span = self._find_span(key, number, f"attributes {name}")
        if span is None:
            return
        if name not in (names.CATEGORY, *names.FLAGS):
            span.attributes.setdefault(name, {})[value or YES] = None
        elif name in names.FLAGS:
            span.flags.add(name)
        elif not value:
            self._report("category", f"{key} has a category without a name", number)
        elif span.category and span.category != value:
            message = f"{key} is {value[:MAX_SHOWN_LENGTH]!r}, but {span.category[:MAX_SHOWN_LENGTH]!r} before"
            self._report("category", message, number, "the first stays")
        else:
            span.category = value

    def _note(self, fields: Sequence[str], words: str, number: int) -> None:
        name, key = fields[:2]
        span = self._find_span(key, number, f"notes on {key[:1]} lines")
        if span is None:
            return
        longest = {names.CHAIN_NAME: MAX_NAME_LENGTH, names.LABEL: MAX_LABEL_LENGTH}.get(name)
        if name == names.LEAST:
            self._least(span, key, self._offsets(words, number), number)
        elif longest is None:
            span.texts.setdefault(name, []).append(words)
        elif len(words) > longest:
            self._report("long", f"the {name} of {key} has more than {longest} characters", number)
        else:
            span.texts[name] = [words]

    def _least(self, span: _Span, key: str, spans: Iterable[Span], number: int) -> None:
        head = _join_fragments(spans, self.content)
        if lie_in(head, span.parts):
            span.head = head
        else:
            self._report("min-outside", f"the {names.LEAST} of {key} is not in its words", number)

    def build(self, shared: str, relations: str) -> Document:
        spans = sorted(self.marks.values(), key=lambda span: text_order(Mark(span.parts, span.level)))
        self._add_sets()
        if shared == "merge":
            sets = DisjointSets[int]()
            for span in spans:
                for entity in span.entities:
                    sets.merge(entity, min(span.entities))
            for span in spans:
                span.entities = {sets.find(entity) for entity in span.entities}
        self._point(relations)
        if self.unchecked:
            message = f"{len(self.unchecked)} spans without the words that they mark"
            self._report("without-words", message, self.unchecked[0], "their offsets are not checked")
        for what, numbers in self.left_out.items():
            code = f"left-out-{what.partition(' ')[0]}"
            self.findings.append(Finding(code, f"{len(numbers)} {what}", self.file, numbers[0], "left out", True))
        has_pointers = any(span.targets for span in spans)
        # A file with the flag Unlinked records entities even if it has no * line.
        is_unlinked = not has_pointers and any("Unlinked" in span.flags for span in spans)
        has_entities = bool(self.sets or self.named_entities) or is_unlinked
        marks = [
            Mark(span.parts, span.level, span.text(names.LABEL), span.head, span.answer(indices), span.line)
            for span, indices in zip(spans, self._indices(spans, has_entities), strict=True)
        ]
        links = Links.POINTERS if has_pointers else Links.INDICES if has_entities else Links.NONE
        findings = sorted(self.findings, key=lambda finding: finding.line or 0)
        return Document(stem(self.file), self.file, self.content, marks, links=links, findings=findings)

    def _add_sets(self) -> None:
        identity = identity_names(name for name, _, _ in self.sets)
        for place, (name, spans, number) in enumerate(self.sets):
            if name not in identity:
                self._leave_out(f"equivalences {name}", number)
                continue
            for span in spans:
                span.entities.add(len(self.spans) + place)
        self.sets = [row for row in self.sets if row[0] in identity]

    def _point(self, relations: str) -> None:
        """Add the antecedents and the targets of other relations from the R lines."""
        pointing = relations != "leave" and not self.sets and not self.named_entities
        plain = {name for _, name, _, _, _ in self.relations if not name.startswith(names.RELATION)}
        identity = plain if relations == "all" else identity_names(plain)
        if relations == "names":
            identity = set(filter(says_identity, plain))
        lines = {key: number for number, (key, *_) in enumerate(self.relations, start=1)}
        asked = dict[str, list[int]]()
        for key, name, span, target, number in self.relations:
            is_other = name.startswith(names.RELATION) or (name not in identity and (pointing or relations == "names"))
            if not (pointing or is_other):
                self._leave_out(f"relations {name}", number)
            elif span is target:
                self._report("self", f"a relation {name[:MAX_SHOWN_LENGTH]} from a span to itself", number)
            else:
                rows = span.relations.setdefault(name.removeprefix(names.RELATION), []) if is_other else span.targets
                rows.append((self.readings.get(key, -lines[key]), target.place))
                if not is_other and relations != "all" and not says_identity(name):
                    asked.setdefault(name[:MAX_NAME_LENGTH], []).append(number)
        for name, numbers in asked.items():
            message = f"{len(numbers)} relations {name} are read as pointers to antecedents"
            self._report("identity", message, numbers[0], "relations=names reads them as relations of that name")

    def _indices(self, spans: Sequence[_Span], has_entities: bool) -> Iterator[tuple[str, ...]]:
        """Yield the entity names of each span: names from the file, or numbers in text order."""
        half = MAX_INDEX_LENGTH // 2 - 1
        # If two long names are equal when shortened, the second entity gets a number.
        short = {
            name if len(name) <= MAX_INDEX_LENGTH else f"{name[:half]}…{name[-half:]}": number
            for name, number in reversed(self.named_entities.items())
        }
        known = {number: name for name, number in short.items()}
        numbers = map(str, count(1))
        for span in spans:
            for entity in sorted(span.entities):
                if entity not in known:
                    known[entity] = next(numbers)
            is_singleton = has_entities and not span.entities and not span.flags & {"Uncoded", "Unlinked"}
            yield (next(numbers),) if is_singleton else tuple(known[entity] for entity in sorted(span.entities))


def _join_fragments(spans: Iterable[Span], content: str) -> Parts:
    """Return the fragments in text order, joined if they touch or are split only by white space with a line end."""
    parts: list[Span] = []
    for start, end in merge_spans(spans):
        between = content[parts[-1][1] : start] if parts and start - parts[-1][1] <= MAX_GAP_LENGTH else ""
        if between.isspace() and names.LINE_END.search(between):
            parts[-1] = (parts[-1][0], end)
        else:
            parts.append((start, end))
    return tuple(parts)
