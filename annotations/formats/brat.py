r"""brat standoff: a text X.txt and its annotations X.ann.

    T1	Mention 0 4	Anna
    T2	Mention 10 13;18 21	her dog
    *	Coreference T1 T2
    R1	Antecedent Arg1:T2 Arg2:T1

* The text stays as it is, line ends included. Offsets count its code points. A byte order mark counts as one, as it
  does in brat, but is no part of the text. What a T line quotes must be what stands there.
* A T line is a markable, its type the level; Mention is the level that the project codes. brat cuts a span at line
  ends; what only such white space parts is one part.
* Each * line is an entity, whatever its name. A T in several stands in several, one in none is an entity of its own.
* LitBank names entities by the types of T lines of their own; an option reads them so.
* An R line is a pointer from its first argument, the anaphor, to its second. Where there are * lines, R lines are left
  out, each name reported.
* Attributes: Category (with a key), Optional, Unsure, Uncoded (there is no answer), Unlinked (the answer is that it
  goes together with nothing: then it is not an entity of its own either).
* Notes: AnnotatorNotes are the coder's note, a line each; ChainName, Label and Min are what the coder calls the chain,
  the short name of the markable and the offsets of its least words.
* Events, normalisations, and other attributes and notes are left out and reported. annotation.conf is written, so that
  brat shows the rest, and not read.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from annotations.formats.document import (
    LONGEST_INDEX,
    LONGEST_LABEL,
    Answer,
    Document,
    Finding,
    FormatError,
    Links,
    Mark,
    Parts,
    Place,
    decode,
    in_text_order,
)
from annotations.formats.format import Bundle, File, Format, Option, stem
from annotations.formats.losses import Feature

MENTION = "Mention"
COREFERENCE, ANTECEDENT = "Coreference", "Antecedent"
CATEGORY = "Category"
FLAGS = ("Optional", "Unsure", "Uncoded", "Unlinked")
NOTE, CHAIN_NAME, LABEL, LEAST = "AnnotatorNotes", "ChainName", "Label", "Min"
SUFFIX, TEXT_SUFFIX, CONFIGURATION = ".ann", ".txt", "annotation.conf"

SPAN = re.compile(r"\s*(\d{1,9}) (\d{1,9})\s*", re.ASCII)
ENTITY_TYPE = re.compile(r".+-\d{1,9}", re.ASCII)
LINE_END = re.compile(r"\r\n?|\n")
BREAK = re.compile(r"[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
SPACE = re.compile(r"\s+")
LONGEST_TYPE = 1000
LONGEST_NAME = 200
LONGEST_SHOWN = 50
LONGEST_GAP = 1000


def pairs(names: Iterable[str], suffixes: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Annotations with their text; those that lack one, and texts that lack annotations, alone."""
    there = {name: name for name in names}
    small = {name.lower(): name for name in there}
    found: list[tuple[str, ...]] = []
    for name in there:
        other = there.get(_beside(name)) or small.get(_beside(name).lower())
        if name.lower().endswith(suffixes[0]):
            found.append((name, other) if other else (name,))
        elif name.lower().endswith(suffixes) and not other:
            found.append((name,))
    return found


def _beside(name: str) -> str:
    """The name of the file that belongs to this one."""
    return name[: -len(SUFFIX)] + (TEXT_SUFFIX if name.lower().endswith(SUFFIX) else SUFFIX)


def read(bundle: Bundle, types: str = "levels", shared: str = "several", relations: str = "pointers") -> list[Document]:
    """The one document of a text and its annotations. Raises FormatError with file and line on bad input."""
    main = bundle.main
    texts = [name for name in bundle.files if name.lower().endswith(TEXT_SUFFIX)]
    if not texts or main in texts:
        kind = "annotations" if texts else "text"
        raise FormatError(f"the {kind} of this file, {_beside(main)}, cannot be found", main)
    data = bundle.files[texts[0]]
    decode(data, texts[0])  # all its checks, but the line ends stay as they are
    text = data.decode()
    content = text.removeprefix("\ufeff")
    if not content.strip():
        raise FormatError("there is no text in this file", texts[0], 1)
    draft = _Draft(main, content, len(text) - len(content), types)
    rows = list(enumerate(decode(bundle.data, main).split("\n"), start=1))
    # Lines may name what comes after them: the spans are read first, wherever they stand.
    for number, line in rows:
        if line.startswith("T"):
            draft.span(number, line)
    for number, line in rows:
        if line.strip() and not line.startswith("T"):
            draft.other(number, line)
    return [draft.build(shared, relations)]


@dataclass(slots=True)
class _Span:
    """A markable while lines come in that say something of it. entities: by the order of their lines."""

    parts: Parts
    level: str
    line: int
    category: str = ""
    flags: set[str] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)
    name: str = ""
    label: str = ""
    head: Parts = ()
    targets: dict[Place, None] = field(default_factory=dict)
    entities: set[int] = field(default_factory=set)

    @property
    def place(self) -> Place:
        return Place(self.level, self.parts)

    def answer(self, indices: tuple[str, ...]) -> Answer | None:
        answer = Answer(
            self.category,
            tuple(self.targets),
            indices,
            "Optional" in self.flags,
            "Unsure" in self.flags,
            "\n".join(self.notes),
            self.name,
        )
        return None if "Uncoded" in self.flags and answer == Answer() else answer


@dataclass(slots=True)
class _Draft:
    """A text while lines come in. mark: how many characters of the file stand before the content.

    named: the entities that types of T lines name, by number. sets: the numbers of those that * lines make.
    """

    file: str
    content: str
    mark: int
    types: str
    spans: dict[str, _Span] = field(default_factory=dict)
    marks: dict[Place, _Span] = field(default_factory=dict)
    named: dict[str, int] = field(default_factory=dict)
    sets: list[int] = field(default_factory=list)
    relations: list[tuple[str, _Span, _Span, int]] = field(default_factory=list)
    left_out: dict[str, list[int]] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)

    def _find(self, code: str, message: str, number: int, fix: str) -> None:
        self.findings.append(Finding(code, message, self.file, number, fix))

    def _leave_out(self, what: str, number: int) -> None:
        self.left_out.setdefault(what[:LONGEST_NAME], []).append(number)

    def span(self, number: int, line: str) -> None:
        """A T line."""
        key, _, rest = line.partition("\t")
        data, _, quoted = rest.partition("\t")
        kind, _, given = data.partition(" ")
        if key in self.spans:
            raise FormatError(f"{key[:LONGEST_SHOWN]} is given twice", self.file, number)
        if len(kind) > LONGEST_TYPE:
            raise FormatError(f"a type has more than {LONGEST_TYPE} characters", self.file, number)
        spans = self._offsets(given, number)
        if quoted:
            self._check(key, spans, quoted, number)
        else:
            self._leave_out("spans without the words that they mark: their offsets are not checked", number)
        span = _Span(_joined(spans, self.content), "", number)
        entity = self._typed(span, kind)
        first = self.marks.setdefault(span.place, span)
        if first is not span and self.types != "chains":
            self._find("duplicate", f"{key} stands on the same words as another", number, "they are one markable")
        first.category = first.category or span.category
        if entity is not None:
            first.entities.add(entity)
        self.spans[key] = first

    def _offsets(self, given: str, number: int) -> list[tuple[int, int]]:
        """The fragments of a span, in the order of the file."""
        spans = []
        for fragment in given.split(";"):
            found = SPAN.fullmatch(fragment)
            if found is None:
                message = f"this is not a list of offsets such as 0 4;8 11: {given[:LONGEST_SHOWN]!r}"
                raise FormatError(message, self.file, number)
            start, end = (max(0, int(offset) - self.mark) for offset in found.groups())
            if start >= end:
                raise FormatError(f"a span ends where it begins, or before: {fragment}", self.file, number)
            if end > len(self.content):
                raise FormatError(f"the text ends before {end + self.mark}", self.file, number)
            spans.append((start, end))
        return spans

    def _check(self, key: str, spans: Sequence[tuple[int, int]], quoted: str, number: int) -> None:
        """Raise FormatError where other words stand in the text than in the line."""
        length = sum(end - start for start, end in spans)
        # White space may differ; the bound keeps lines that quote little of much from costing much.
        words = [self.content[start:end] for start, end in spans] if length <= 10 * len(quoted) + 100 else []
        said = (quoted[0].isspace(), quoted.split())
        if said not in ((join.join(words)[:1].isspace(), join.join(words).split()) for join in (" ", "")):
            start, end = spans[0][0], spans[-1][1]
            stands = self.content[start : min(end, start + LONGEST_SHOWN)]
            raise FormatError(
                f"{key[:LONGEST_SHOWN]} quotes {quoted[:LONGEST_SHOWN]!r}, but from {start + self.mark} on the text "
                f"has {stands!r}",
                self.file,
                number,
            )

    def _typed(self, span: _Span, kind: str) -> int | None:
        """Give the span what its type means; the number of the entity where it names one."""
        if kind == MENTION or self.types == "none":
            return None
        if self.types == "levels":
            span.level = kind
        elif self.types == "categories":
            span.category = kind
        elif ENTITY_TYPE.fullmatch(kind):
            return self.named.setdefault(kind, len(self.named))
        return None

    def other(self, number: int, line: str) -> None:
        """Any other line. Raises FormatError on one that is none of brat's."""
        key, tab, rest = line.partition("\t")
        data, _, words = rest.partition("\t")
        said = data.split()
        if not tab or key[:1] not in tuple("R*AMNE#"):
            message = f"a line begins with T, R, *, A, M, N, E or #, a number and a tab, not {line[:LONGEST_SHOWN]!r}"
            raise FormatError(message, self.file, number)
        if len(said) < 2:
            raise FormatError(f"{key[:LONGEST_SHOWN]} says nothing of anything", self.file, number)
        match key[0]:
            case "*":
                self._set(said[1:], number)
            case "R":
                self._relation(said, number)
            case "A":
                self._attribute(said, number)
            case "#":
                self._note(said, words, number)
            case "E":
                self._leave_out("events", number)
            case "M":
                self._leave_out("modifications", number)
            case _:
                self._leave_out("normalisations", number)

    def _known(self, key: str, number: int) -> _Span | None:
        span = self.spans.get(key)
        if span is None:
            self._find("id-unknown", f"{key[:LONGEST_SHOWN]!r} is no span", number, "it is left out")
        return span

    def _set(self, members: Sequence[str], number: int) -> None:
        spans = [span for key in members if (span := self._known(key, number)) is not None]
        if spans:
            entity = len(self.spans) + len(self.sets)
            self.sets.append(entity)
            for span in spans:
                span.entities.add(entity)

    def _relation(self, said: Sequence[str], number: int) -> None:
        arguments = [key for role, colon, key in (argument.partition(":") for argument in said[1:]) if role and colon]
        if len(arguments) != 2 or len(said) != 3:
            raise FormatError("a relation is a name and two arguments such as Arg1:T2", self.file, number)
        one, other = (self._known(key, number) for key in arguments)
        if one is not None and other is not None:
            self.relations.append((said[0], one, other, number))

    def _attribute(self, said: Sequence[str], number: int) -> None:
        name, key, value = said[0], said[1], " ".join(said[2:])
        if name not in (CATEGORY, *FLAGS):
            self._leave_out(f"attributes {name}", number)
            return
        span = self._known(key, number)
        if span is None:
            return
        if name in FLAGS:
            span.flags.add(name)
        elif not value:
            self._find("category", f"{key} has a category without a name", number, "it is left out")
        elif span.category and span.category != value:
            message = f"{key} is {value[:LONGEST_SHOWN]!r}, but {span.category[:LONGEST_SHOWN]!r} before"
            self._find("category", message, number, "the first stays")
        else:
            span.category = value

    def _note(self, said: Sequence[str], words: str, number: int) -> None:
        name, key = said[:2]
        if name not in (NOTE, CHAIN_NAME, LABEL, LEAST) or not key.startswith("T"):
            self._leave_out(f"notes {name}" if key.startswith("T") else f"notes on {key[:1]} lines", number)
            return
        span = self._known(key, number)
        longest = {CHAIN_NAME: LONGEST_NAME, LABEL: LONGEST_LABEL}.get(name, len(words))
        if span is None:
            return
        if len(words) > longest:
            self._find("long", f"the {name} of {key} has more than {longest} characters", number, "it is left out")
        elif name == NOTE:
            span.notes.append(words)
        elif name == CHAIN_NAME:
            span.name = words
        elif name == LABEL:
            span.label = words
        else:
            span.head = _joined(self._offsets(words, number), self.content)

    def build(self, shared: str, relations: str) -> Document:
        spans = sorted(self.marks.values(), key=lambda span: in_text_order(Mark(span.parts, span.level)))
        if shared == "merge":
            _merge(spans)
        pointing = relations == "pointers" and not self.sets and not self.named
        self._point(pointing)
        for what, numbers in self.left_out.items():
            self._find("left-out", f"{len(numbers)} {what}", numbers[0], "left out")
        linked = Links.INDICES if self.sets or self.named else Links.NONE
        if any(span.targets for span in spans):
            linked = Links.POINTERS
        return Document(
            stem(self.file),
            self.file,
            self.content,
            [
                Mark(span.parts, span.level, span.label, span.head, span.answer(indices), span.line)
                for span, indices in zip(spans, self._indices(spans), strict=True)
            ],
            links=linked,
            findings=sorted(self.findings, key=lambda finding: finding.line or 0),
        )

    def _point(self, pointing: bool) -> None:
        for name, one, other, number in self.relations:
            if not pointing:
                self._leave_out(f"relations {name}", number)
            elif one is other:
                self._find("self", f"a relation {name[:LONGEST_SHOWN]} from a span to itself", number, "it is left out")
            else:
                one.targets[other.place] = None

    def _indices(self, spans: Sequence[_Span]) -> Iterator[tuple[str, ...]]:
        """The names of the entities of each span: those of the file, or numbers in text order."""
        # Of two long names that are the same when shortened the second is a number.
        short = {_shortened(name): number for name, number in reversed(self.named.items())}
        names = {number: name for name, number in short.items()}
        linked = bool(self.sets or self.named)
        counted = 0
        for span in spans:
            indices = []
            alone = linked and not span.entities and not span.flags & {"Uncoded", "Unlinked"}
            for entity in [-1] if alone else sorted(span.entities):
                name = names.get(entity)
                if name is None:
                    counted += 1
                    name = str(counted)
                    if not alone:
                        names[entity] = name
                indices.append(name)
            yield tuple(indices)


def _shortened(name: str) -> str:
    half = LONGEST_INDEX // 2 - 1
    return name if len(name) <= LONGEST_INDEX else f"{name[:half]}…{name[-half:]}"


def _joined(spans: Iterable[tuple[int, int]], content: str) -> Parts:
    """The fragments in text order, those in one that touch or are parted by a line end and white space alone."""
    parts: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if parts and (start <= parts[-1][1] or _broken(content, parts[-1][1], start)):
            parts[-1] = (parts[-1][0], max(end, parts[-1][1]))
        else:
            parts.append((start, end))
    return tuple(parts)


def _broken(content: str, start: int, end: int) -> bool:
    between = content[start : min(end, start + LONGEST_GAP)]
    return end - start <= LONGEST_GAP and between.isspace() and LINE_END.search(between) is not None


def _merge(spans: Iterable[_Span]) -> None:
    """Make one entity of all that share a span."""
    root: dict[int, int] = {}

    def find(entity: int) -> int:
        while root.setdefault(entity, entity) != entity:
            root[entity] = root[root[entity]]
            entity = root[entity]
        return entity

    spans = list(spans)
    for span in spans:
        for entity in span.entities:
            root[find(entity)] = find(min(span.entities))
    for span in spans:
        span.entities = {find(entity) for entity in span.entities}


def write(documents: Sequence[Document]) -> list[File]:
    """A text and its annotations for each document, and the configuration with which brat shows them."""
    files = []
    for document in documents:
        files.append(File(f"{document.name}{TEXT_SUFFIX}", _text(document).encode()))
        files.append(File(f"{document.name}{SUFFIX}", "".join(f"{line}\n" for line in _lines(document)).encode()))
    return [*files, File(CONFIGURATION, _configuration(documents).encode())] if files else []


def _text(document: Document) -> str:
    """The text; one that begins with a byte order mark of its own gets another before it."""
    return "\ufeff" * document.content.startswith("\ufeff") + document.content


def _lines(document: Document) -> Iterator[str]:
    marks = sorted(document.marks, key=in_text_order)
    ids = {mark.place: f"T{number}" for number, mark in enumerate(marks, start=1)}
    before = len(_text(document)) - len(document.content)
    for mark in marks:
        spans = [span for part in mark.parts for span in _fragments(part, document.content)]
        words = BREAK.sub(" ", " ".join(document.content[start:end] for start, end in spans))
        yield f"{ids[mark.place]}\t{mark.level or MENTION} {_offsets(spans, before)}\t{words}"
    yield from _links(marks, ids)
    attributes = (said for mark in marks for said in _attributes(mark, ids[mark.place], document.links))
    yield from (f"A{number}\t{said}" for number, said in enumerate(attributes, start=1))
    notes = (said for mark in marks for said in _notes(mark, ids[mark.place], before))
    yield from (f"#{number}\t{said}" for number, said in enumerate(notes, start=1))


def _fragments(part: tuple[int, int], content: str) -> Iterator[tuple[int, int]]:
    """The part cut at line ends as brat cuts it, without the white space around them."""
    start, end = part
    for space in SPACE.finditer(content, *part):
        if part[0] < space.start() and space.end() < end and LINE_END.search(space.group()):
            yield start, space.start()
            start = space.end()
    yield start, end


def _offsets(spans: Iterable[tuple[int, int]], before: int) -> str:
    return ";".join(f"{start + before} {end + before}" for start, end in spans)


def _links(marks: Sequence[Mark], ids: Mapping[Place, str]) -> Iterator[str]:
    entities: dict[str, list[str]] = {}
    pointers = 0
    for mark in marks:
        answer = mark.answer or Answer()
        for index in answer.indices:
            entities.setdefault(index, []).append(ids[mark.place])
        for target in answer.pointers:
            pointers += 1
            yield f"R{pointers}\t{ANTECEDENT} Arg1:{ids[mark.place]} Arg2:{ids[target]}"
    for members in entities.values():
        yield f"*\t{COREFERENCE} {' '.join(members)}"


def _attributes(mark: Mark, key: str, links: Links) -> Iterator[str]:
    answer = mark.answer
    if answer is None:
        yield f"Uncoded {key}"
        return
    if answer.category:
        yield f"{CATEGORY} {key} {answer.category}"
    if links == Links.INDICES and not answer.indices:
        yield f"Unlinked {key}"
    if answer.optional:
        yield f"Optional {key}"
    if answer.unsure:
        yield f"Unsure {key}"


def _notes(mark: Mark, key: str, before: int) -> Iterator[str]:
    answer = mark.answer or Answer()
    if answer.note:
        yield from (f"{NOTE} {key}\t{line}" for line in LINE_END.split(answer.note))
    if answer.name:
        yield f"{CHAIN_NAME} {key}\t{LINE_END.sub(' ', answer.name)}"
    if mark.label:
        yield f"{LABEL} {key}\t{LINE_END.sub(' ', mark.label)}"
    if mark.head:
        yield f"{LEAST} {key}\t{_offsets(mark.head, before)}"


def _configuration(documents: Sequence[Document]) -> str:
    marks = [mark for document in documents for mark in document.marks]
    types = sorted({mark.level or MENTION for mark in marks}) or [MENTION]
    categories = sorted({mark.answer.category for mark in marks if mark.answer and mark.answer.category})
    attributes = [f"{CATEGORY}\tArg:<ENTITY>, Value:{'|'.join(categories)}"] if categories else []
    attributes += [f"{flag}\tArg:<ENTITY>" for flag in FLAGS]
    relations = [
        f"{ANTECEDENT}\tArg1:<ENTITY>, Arg2:<ENTITY>",
        f"{COREFERENCE}\tArg1:<ENTITY>, Arg2:<ENTITY>, <REL-TYPE>:symmetric-transitive",
    ]
    sections = {"entities": types, "relations": relations, "events": [], "attributes": attributes}
    return "\n".join(f"[{name}]\n" + "".join(f"{line}\n" for line in lines) for name, lines in sections.items())


FORMAT = Format(
    "brat",
    "brat standoff",
    (SUFFIX, TEXT_SUFFIX),
    read,
    pairs,
    write,
    frozenset(
        {
            Feature.NO_SENTENCES,
            Feature.LEVELS,
            Feature.POINTERS,
            Feature.INDICES,
            Feature.AMBIGUITY,
            Feature.LATER,
            Feature.SEVERAL_CHAINS,
            Feature.CATEGORIES,
            Feature.UNCODED,
            Feature.UNLINKED,
            Feature.DISCONTINUOUS,
            Feature.EDGES,
            Feature.CROSSING,
            Feature.CROSSING_IN_CHAIN,
            Feature.ANTECEDENTS,
            Feature.HEADS,
            Feature.OPTIONAL,
            Feature.UNSURE,
            Feature.NOTES,
            Feature.NAMES,
            Feature.LABELS,
            Feature.SPACING,
            Feature.CONTROL_CHARACTERS,
        }
    ),
    (
        Option(
            "types",
            "Types of T lines",
            (
                ("levels", "are levels (Mention: the coded one)"),
                ("categories", "are categories"),
                ("chains", "with a number (London-1) are entities, others say nothing (LitBank)"),
                ("none", "say nothing"),
            ),
        ),
        Option(
            "shared",
            "A span in several * lines",
            (("several", "stands in several entities"), ("merge", "makes them one entity")),
        ),
        Option(
            "relations",
            "R lines in a file without * lines",
            (("pointers", "point from the first argument to the second"), ("leave", "are left out")),
        ),
    ),
)
