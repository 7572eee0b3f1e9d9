"""Files -> documents."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from annotations.formats.model.document import (
    LONGEST_LABEL,
    Answer,
    Document,
    Finding,
    FormatError,
    Links,
    Mark,
    Parts,
    Place,
    Stretch,
    decode,
    text_order,
)
from annotations.formats.model.format import Bundle, name_documents
from annotations.formats.model.links import merge_marks
from annotations.formats.muc.least import find_spans, parse_spans
from annotations.formats.muc.zones import BODIES, HEADERS, SEGMENT_KINDS, Span, coded_spans, lies_inside
from annotations.formats.syntax.sgml import Tag, scan

NAMING = ("DOCNO", "DOCID")
ATTRIBUTES = ("ID", "REF", "TYPE", "MIN", "MINSPAN", "STATUS", "STAT")
DOCUMENT = re.compile(r"<DOC[\s/>]", re.IGNORECASE)
DEEPEST = 50
# Of tags that say nothing of coreference so many names are reported.
MOST_NAMES = 20


@dataclass(slots=True)
class _Zone:
    """What a tag of header or body encloses."""

    tag: Tag
    start: int
    end: int = -1


@dataclass(slots=True)
class _Coref:
    """What a COREF tag encloses. zone: in which it was opened."""

    tag: Tag
    start: int
    zone: _Zone | None
    end: int = -1

    def attribute(self, name: str) -> str:
        return self.tag.attributes.get(name, "").strip()


def read(bundle: Bundle, zones: str = "leave") -> list[Document]:
    """Return the documents of a file. Raises FormatError with file, line and column on bad input."""
    file = bundle.main
    decode(bundle.data, file)  # all its checks, but the line ends stay as they are
    text = bundle.data.decode("utf-8-sig")
    drafts: list[_Draft] = []
    draft = None if DOCUMENT.search(text) else _Draft(file, 1, tagged=False)
    if draft is not None:
        drafts.append(draft)
    outside = False
    for item in scan(text, file):
        if isinstance(item, Tag) and item.name == "DOC":
            draft = _open_document(file, item, draft, drafts)
        elif draft is not None:
            draft.add(item)
        elif isinstance(item, Tag) and item.name == "COREF":
            raise FormatError("a COREF is outside <DOC>", file, item.line, item.column)
        else:
            outside = outside or (isinstance(item, str) and not item.isspace())
    if draft is not None and draft.tagged:
        raise FormatError("the file ends inside this document: </DOC> is missing", file, draft.line)
    if draft is not None:
        draft.finish()
    if not drafts:
        raise FormatError("there is no document in this file", file, 1)
    if outside:
        drafts[0].findings.append(
            Finding("text-outside", "text is outside <DOC>", file, fix="it is left out", left_out=True)
        )
    names = name_documents(file, [(draft.number, draft.line) for draft in drafts])
    return [draft.build(name, zones) for name, draft in zip(names, drafts, strict=True)]


def _open_document(file: str, tag: Tag, draft: "_Draft | None", drafts: "list[_Draft]") -> "_Draft | None":
    """Return the document that is open after a DOC tag; a new one is added to the drafts."""
    if tag.closing:
        if draft is None or not draft.tagged:
            raise FormatError("a document ends here that has not begun", file, tag.line, tag.column)
        draft.finish()
        return None
    if draft is not None:
        message = f"a document begins before the one of line {draft.line} has ended"
        raise FormatError(message, file, tag.line, tag.column)
    drafts.append(_Draft(file, tag.line))
    return drafts[-1]


@dataclass(slots=True)
class _Draft:
    """A document while its tags come in. number: what its DOCNO or DOCID says."""

    file: str
    line: int
    tagged: bool = True
    number: str = ""
    pieces: list[str] = field(default_factory=list)
    length: int = 0
    open: list[_Coref] = field(default_factory=list)
    corefs: list[_Coref] = field(default_factory=list)
    open_zones: list[_Zone] = field(default_factory=list)
    zones: list[_Zone] = field(default_factory=list)
    open_segments: dict[str, tuple[int, str]] = field(default_factory=dict)
    segments: list[Stretch] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    others: dict[str, tuple[int, int]] = field(default_factory=dict)

    def add(self, item: Tag | str) -> None:
        if isinstance(item, str):
            self.pieces.append(item)
            self.length += len(item)
        elif item.name == "COREF":
            self._coref(item)
        elif item.name in SEGMENT_KINDS:
            self._end_segments(item.name)
            if not item.closing:
                self.open_segments[item.name] = (self.length, item.attributes.get("LABEL", ""))
        elif item.name in HEADERS or item.name in BODIES:
            # Zones begin and end no paragraph or sentence but those that nobody closed.
            self._end_segments("P", "S")
            self._zone(item)
        elif not item.closing and (item.name in self.others or len(self.others) < MOST_NAMES):
            line, number = self.others.get(item.name, (item.line, 0))
            self.others[item.name] = (line, number + 1)

    def _coref(self, tag: Tag) -> None:
        zone = self.open_zones[-1] if self.open_zones else None
        if not tag.closing:
            if len(self.open) == DEEPEST:
                raise self._error(f"COREF tags nest deeper than {DEEPEST}", tag)
            self.corefs.append(_Coref(tag, self.length, zone))
            self.open.append(self.corefs[-1])
            return
        if not self.open:
            raise self._error("</COREF> closes nothing", tag)
        coref = self.open.pop()
        if coref.zone is not zone:
            raise self._error(f"the COREF of line {coref.tag.line} crosses another tag", tag)
        coref.end = self.length

    def _zone(self, tag: Tag) -> None:
        if not tag.closing:
            if len(self.open_zones) == DEEPEST:
                raise self._error(f"tags nest deeper than {DEEPEST}", tag)
            self.open_zones.append(_Zone(tag, self.length))
            return
        if not self.open_zones:
            raise self._error(f"</{tag.name}> closes nothing", tag)
        zone = self.open_zones.pop()
        if zone.tag.name != tag.name:
            raise self._error(f"</{tag.name}> stands where the <{zone.tag.name}> of line {zone.tag.line} is open", tag)
        if self.open and self.open[-1].zone is zone:
            raise self._error(f"this COREF is not closed before </{tag.name}>", self.open[-1].tag)
        zone.end = self.length
        if tag.name not in BODIES:
            self.segments.append(Stretch("header", zone.start, zone.end, tag.name))
        if not self.open_zones:
            self.zones.append(zone)

    def _end_segments(self, *names: str) -> None:
        for name in names:
            if name in self.open_segments:
                start, label = self.open_segments.pop(name)
                self.segments.append(Stretch(SEGMENT_KINDS[name], start, self.length, label))

    def _error(self, message: str, tag: Tag) -> FormatError:
        return FormatError(message, self.file, tag.line, tag.column)

    def _report(self, code: str, message: str, coref: _Coref, fix: str, *, left_out: bool = False) -> None:
        name = f"COREF {coref.attribute('ID')[:LONGEST_LABEL]}".rstrip()
        self.findings.append(Finding(code, f"{name} {message}", self.file, coref.tag.line, fix, left_out))

    def finish(self) -> None:
        unclosed: list[_Zone | _Coref] = [*self.open_zones[-1:], *self.open[-1:]]
        if unclosed:
            raise self._error(f"this <{unclosed[0].tag.name}> is never closed", unclosed[0].tag)
        self._end_segments(*SEGMENT_KINDS)
        for name, (line, number) in self.others.items():
            message = f"the tag <{name[:LONGEST_LABEL]}> ({number}) says nothing of coreference"
            self.findings.append(
                Finding("tag", message, self.file, line, "it is left out, its words are kept", left_out=True)
            )
        content = "".join(self.pieces)
        if not content.strip():
            raise FormatError("there is no text in this document", self.file, self.line)
        self.pieces = [content]
        numbers = [content[zone.start : zone.end].split() for zone in self.zones if zone.tag.name in NAMING]
        self.number = next((" ".join(words) for words in numbers if words), "")

    def build(self, name: str, zones: str) -> Document:
        [content] = self.pieces
        marks: dict[Place, Mark] = {}
        for coref, mark in self._marks(content, self._ignored_corefs(content, zones)):
            before = marks.setdefault(mark.place, mark)
            if before is not mark:
                self._report("duplicate", "has the same words as another", coref, "they are one markable")
                marks[mark.place] = merge_marks(before, mark)
        return Document(
            name,
            self.file,
            content,
            sorted(map(_remove_self_pointer, marks.values()), key=text_order),
            sorted(_trim_segments(self.segments, content), key=lambda each: (each.start, -each.end, each.kind)),
            Links.POINTERS if marks else Links.NONE,
            findings=sorted(self.findings, key=lambda finding: finding.line or 0),
        )

    def _ignored_corefs(self, content: str, zones: str) -> set[int]:
        """Return the numbers of the COREF tags that make no markable."""
        coded: list[Span] | None = None
        if zones == "leave" and any(zone.tag.name in BODIES for zone in self.zones):
            coded = coded_spans([(zone.tag.name, zone.start, zone.end) for zone in self.zones], content)
        ignored = set()
        for number, coref in enumerate(self.corefs):
            if not content[coref.start : coref.end].strip():
                self._report("no-words", "has no words", coref, "it is left out", left_out=True)
                ignored.add(number)
            elif coded is not None and not lies_inside(coref.start, coref.end, coded):
                self._report("zone", "stands where MUC-6 codes nothing", coref, "it is left out", left_out=True)
                ignored.add(number)
        return ignored

    def _marks(self, content: str, ignored: set[int]) -> Iterator[tuple[_Coref, Mark]]:
        """Yield the markables with their tags, in the order of these."""
        numbers_by_id = self._by_id()
        leads_to = _skip_removed(self._refs(numbers_by_id), ignored)
        places = [Place("", ((coref.start, coref.end),)) for coref in self.corefs]
        unknown: set[str] = set()
        for number, coref in enumerate(self.corefs):
            if number in ignored:
                continue
            for key in [key for key in coref.tag.attributes if key not in ATTRIBUTES and key not in unknown]:
                unknown.add(key)
                self._report("attribute", f"has {key[:LONGEST_LABEL]}, which MUC does not have", coref, "passed over")
            status = (coref.attribute("STATUS") or coref.attribute("STAT")).upper()
            if status not in ("", "OPT"):
                self._report("status", f"has the status {status[:LONGEST_LABEL]!r}, not OPT", coref, "passed over")
            label = coref.attribute("ID")
            if label == str(number + 1) or len(label) > LONGEST_LABEL or numbers_by_id.get(label) != number:
                label = ""
            target = leads_to.get(number)
            answer = Answer(pointers=() if target is None else (places[target],), optional=status == "OPT")
            yield coref, Mark(places[number].parts, "", label, self._head(coref, content), answer, coref.tag.line)

    def _by_id(self) -> dict[str, int]:
        """Return the numbers of the COREF tags by their IDs."""
        numbers: dict[str, int] = {}
        for number, coref in enumerate(self.corefs):
            name = coref.attribute("ID")
            if not name:
                self._report("no-id", "has no ID", coref, "nothing points to it")
            elif numbers.setdefault(name, number) != number:
                line = self.corefs[numbers[name]].tag.line
                self._report("id-twice", f"has the ID of another in line {line}", coref, "a REF means the first")
        return numbers

    def _refs(self, numbers_by_id: Mapping[str, int]) -> dict[int, int]:
        """Return which COREF tags refer to which."""
        refs = {}
        for number, coref in enumerate(self.corefs):
            if "REF" not in coref.tag.attributes:
                continue
            name, kind = coref.attribute("REF"), coref.attribute("TYPE").upper()
            short_name = name[:LONGEST_LABEL]
            if kind not in ("", "IDENT"):
                self._report(
                    "type",
                    f"has the type {kind[:LONGEST_LABEL]!r}, not IDENT",
                    coref,
                    "its REF is left out",
                    left_out=True,
                )
            elif name not in numbers_by_id:
                self._report(
                    "ref-unknown",
                    f"refers to {short_name!r}, which is no ID",
                    coref,
                    "the REF is left out",
                    left_out=True,
                )
            elif numbers_by_id[name] == number:
                self._report("ref-self", "refers to itself", coref, "the REF is left out", left_out=True)
            else:
                refs[number] = numbers_by_id[name]
        return refs

    def _head(self, coref: _Coref, content: str) -> Parts:
        """Return where the least words stand."""
        least = coref.attribute("MIN")
        if not least:
            return ()
        words = content[coref.start : coref.end]
        spans = parse_spans(coref.attribute("MINSPAN"), least, words)
        if not spans:
            spans, several = find_spans(least, words)
            if not spans:
                message = f"has the MIN {least[:LONGEST_LABEL]!r}, which is not in its words"
                self._report("min-outside", message, coref, "the MIN is left out", left_out=True)
            elif several:
                message = f"has the MIN {least[:LONGEST_LABEL]!r} several times in its words"
                self._report("min-twice", message, coref, "the first is taken")
        return tuple((coref.start + start, coref.start + end) for start, end in spans)


def _skip_removed(refs: Mapping[int, int], removed: set[int]) -> dict[int, int]:
    """Return which tag each one leads to: past removed ones, to what these refer to.

    A ring of them leads nowhere.
    """
    past: dict[int, int | None] = {}
    for number in removed:
        way: list[int] = []
        at: int | None = number
        while at is not None and at in removed and at not in past:
            past[at] = None
            way.append(at)
            at = refs.get(at)
        past |= dict.fromkeys(way, past[at] if at is not None and at in removed else at)
    targets = {number: past[target] if target in removed else target for number, target in refs.items()}
    return {number: target for number, target in targets.items() if target is not None and target != number}


def _remove_self_pointer(mark: Mark) -> Mark:
    if mark.answer is None or mark.place not in mark.answer.pointers:
        return mark
    pointers = tuple(target for target in mark.answer.pointers if target != mark.place)
    return replace(mark, answer=replace(mark.answer, pointers=pointers))


def _trim_segments(segments: Sequence[Stretch], content: str) -> Iterator[Stretch]:
    """Yield the segments without white space at their edges, none of them empty, none twice."""
    seen = set()
    for segment in segments:
        words = content[segment.start : segment.end]
        start, end = segment.end - len(words.lstrip()), segment.start + len(words.rstrip())
        if start < end and (segment.kind, start, end) not in seen:
            seen.add((segment.kind, start, end))
            yield replace(segment, start=start, end=end)
