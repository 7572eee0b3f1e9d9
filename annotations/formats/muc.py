"""MUC-6 and MUC-7 coreference: SGML with COREF tags in the running text.

    <COREF ID="1" MIN="Fribble">Ms. Fribble</COREF> said <COREF ID="2" TYPE="IDENT" REF="1">she</COREF> is out.

* The text of a document is all that stands between <DOC> and </DOC> without the tags, each line end as it is. A file
  without <DOC> is one document. Several in a file are named by their DOCNO or DOCID.
* Zones of the header become segments named by their tags; <p>, <s> and <TURN>, closed or not, become paragraphs,
  sentences and turns; all of them without the white space at their edges.
* Coded are HL, DATELINE, the second DD, and TXT or TEXT without the lines that begin with @. A COREF elsewhere is left
  out; what pointed to it points to what it pointed to. Where there is no TXT or TEXT, all is coded.
* Every COREF is answered, by a pointer or by none. REF may point forward. STATUS (or STAT) OPT is optional.
* An ID is the label of its markable, unless it only counts the COREF tags of the document from 1.
* MIN is looked for in the markable, all white space being one blank; its first place is the head, one as whole words
  before others. Alternatives are parted by |. Where this would find other words than the head, the writer adds
  MINSPAN, the characters of the markable that are meant (MINSPAN="4-11").
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from annotations.formats.document import (
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
    in_text_order,
)
from annotations.formats.format import Bundle, File, Format, Option, one_each, stem
from annotations.formats.losses import Feature
from annotations.formats.sgml import Tag, escaped, opening, scanned

# HEADER is a header that MUC has no tag for; unlike the zones it may cross other tags.
SEGMENTS = {"HEADER": "header", "TURN": "turn", "P": "paragraph", "S": "sentence"}
WRITTEN_AS = {"header": "HEADER", "turn": "TURN", "paragraph": "p", "sentence": "s"}
BODIES = ("TXT", "TEXT")
HEADERS = (
    "AN", "CO", "CODER", "DATE", "DATELINE", "DD", "DOCID", "DOCNO", "G", "GV", "HL", "IN", "NWORDS", "PREAMBLE", "RE",
    "SLUG", "SO", "ST", "STORYID", "TRAILER",
)  # fmt: skip
NAMING = ("DOCNO", "DOCID")
CODED = ("HL", "DATELINE")
ATTRIBUTES = ("ID", "REF", "TYPE", "MIN", "MINSPAN", "STATUS", "STAT")

DOCUMENT = re.compile(r"<DOC[\s/>]", re.IGNORECASE)
TABLE_LINE = re.compile(r"(?:\A|(?<=[\r\n]))@[^\r\n]*")
REST_OF_LINE = re.compile(r"[^\S\r\n]*+(?:\r\n?|\n)")
SPANS = re.compile(r"\d{1,9}-\d{1,9}(?:,\d{1,9}-\d{1,9}){0,99}", re.ASCII)
DEEPEST = 50
LONGEST_MIN = 1000
MOST_ALTERNATIVES = 20
MOST_PLACES = 100

type Span = tuple[int, int]


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

    def said(self, attribute: str) -> str:
        return self.tag.attributes.get(attribute, "").strip()


def read(bundle: Bundle, zones: str = "leave") -> list[Document]:
    """The documents of a file. Raises FormatError with file, line and column on bad input."""
    file = bundle.main
    decode(bundle.data, file)  # all its checks, but the line ends stay as they are
    text = bundle.data.decode("utf-8-sig")
    drafts: list[_Draft] = []
    draft = None if DOCUMENT.search(text) else _Draft(file, 1, tagged=False)
    if draft is not None:
        drafts.append(draft)
    outside = False
    for item in scanned(text, file):
        if isinstance(item, Tag) and item.name == "DOC":
            draft = _document(file, item, draft, drafts)
        elif draft is not None:
            draft.take(item)
        elif isinstance(item, Tag) and item.name == "COREF":
            raise FormatError("a COREF stands outside <DOC>", file, item.line, item.column)
        else:
            outside = outside or (isinstance(item, str) and not item.isspace())
    if draft is not None and draft.tagged:
        raise FormatError("the file ends inside this document: </DOC> is missing", file, draft.line)
    if draft is not None:
        draft.finish()
    if not drafts:
        raise FormatError("there is no document in this file", file, 1)
    if outside:
        drafts[0].findings.append(Finding("text-outside", "text stands outside <DOC>", file, fix="it is left out"))
    return [draft.build(name, zones) for name, draft in _named(drafts).items()]


def _document(file: str, tag: Tag, draft: "_Draft | None", drafts: "list[_Draft]") -> "_Draft | None":
    """The document that is open after a DOC tag; a new one is added to the drafts."""
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


def _named(drafts: "Sequence[_Draft]") -> "dict[str, _Draft]":
    """Documents named by the file, where it holds one, else by their numbers."""
    called = stem(drafts[0].file)
    if len(drafts) == 1:
        return {called: drafts[0]}
    named: dict[str, _Draft] = {}
    for count, draft in enumerate(drafts, start=1):
        name = draft.number or f"{called} {count}"
        if name in named:
            message = f"document {name[:LONGEST_LABEL]} stands twice (also in line {named[name].line})"
            raise FormatError(message, draft.file, draft.line)
        named[name] = draft
    return named


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

    def take(self, item: Tag | str) -> None:
        if isinstance(item, str):
            self.pieces.append(item)
            self.length += len(item)
        elif item.name == "COREF":
            self._coref(item)
        elif item.name in SEGMENTS:
            self._end_segments(item.name)
            if not item.closing:
                self.open_segments[item.name] = (self.length, item.attributes.get("LABEL", ""))
        elif item.name in HEADERS or item.name in BODIES:
            # Zones begin and end no paragraph or sentence but those that nobody closed.
            self._end_segments("P", "S")
            self._zone(item)

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
                self.segments.append(Stretch(SEGMENTS[name], start, self.length, label))

    def _error(self, message: str, tag: Tag) -> FormatError:
        return FormatError(message, self.file, tag.line, tag.column)

    def _find(self, code: str, message: str, coref: _Coref, fix: str) -> None:
        called = f"COREF {coref.said('ID')[:LONGEST_LABEL]}".rstrip()
        self.findings.append(Finding(code, f"{called} {message}", self.file, coref.tag.line, fix))

    def finish(self) -> None:
        unclosed: list[_Zone | _Coref] = [*self.open_zones[-1:], *self.open[-1:]]
        if unclosed:
            raise self._error(f"this <{unclosed[0].tag.name}> is never closed", unclosed[0].tag)
        self._end_segments(*SEGMENTS)
        content = "".join(self.pieces)
        if not content.strip():
            raise FormatError("there is no text in this document", self.file, self.line)
        self.pieces = [content]
        numbers = [content[zone.start : zone.end].split() for zone in self.zones if zone.tag.name in NAMING]
        self.number = next((" ".join(words) for words in numbers if words), "")

    def build(self, name: str, zones: str) -> Document:
        [content] = self.pieces
        marks: dict[Place, Mark] = {}
        for coref, mark in self._marks(content, self._gone(content, zones)):
            before = marks.setdefault(mark.place, mark)
            if before is not mark:
                self._find("duplicate", "stands on the same words as another", coref, "they are one markable")
                marks[mark.place] = _both(before, mark)
        return Document(
            name,
            self.file,
            content,
            sorted(map(_not_to_itself, marks.values()), key=in_text_order),
            sorted(_trimmed(self.segments, content), key=lambda each: (each.start, -each.end, each.kind)),
            Links.POINTERS if marks else Links.NONE,
            findings=sorted(self.findings, key=lambda finding: finding.line or 0),
        )

    def _gone(self, content: str, zones: str) -> set[int]:
        """The numbers of the COREF tags that make no markable."""
        coded: list[Span] | None = None
        if zones == "leave" and any(zone.tag.name in BODIES for zone in self.zones):
            coded = _coded([(zone.tag.name, zone.start, zone.end) for zone in self.zones], content)
        gone = set()
        for number, coref in enumerate(self.corefs):
            if not content[coref.start : coref.end].strip():
                self._find("no-words", "has no words", coref, "it is left out")
                gone.add(number)
            elif coded is not None and not _inside(coref.start, coref.end, coded):
                self._find("zone", "stands where MUC-6 codes nothing", coref, "it is left out")
                gone.add(number)
        return gone

    def _marks(self, content: str, gone: set[int]) -> Iterator[tuple[_Coref, Mark]]:
        """The markables with their tags, in the order of these."""
        named = self._by_id()
        leads_to = _past(self._refs(named), gone)
        places = [Place("", ((coref.start, coref.end),)) for coref in self.corefs]
        unknown: set[str] = set()
        for number, coref in enumerate(self.corefs):
            if number in gone:
                continue
            for key in [key for key in coref.tag.attributes if key not in ATTRIBUTES and key not in unknown]:
                unknown.add(key)
                self._find("attribute", f"has {key[:LONGEST_LABEL]}, which MUC does not have", coref, "passed over")
            status = (coref.said("STATUS") or coref.said("STAT")).upper()
            if status not in ("", "OPT"):
                self._find("status", f"has the status {status[:LONGEST_LABEL]!r}, not OPT", coref, "passed over")
            label = coref.said("ID")
            if label == str(number + 1) or len(label) > LONGEST_LABEL or named.get(label) != number:
                label = ""
            target = leads_to.get(number)
            answer = Answer(pointers=() if target is None else (places[target],), optional=status == "OPT")
            yield coref, Mark(places[number].parts, "", label, self._head(coref, content), answer, coref.tag.line)

    def _by_id(self) -> dict[str, int]:
        """The numbers of the COREF tags by their IDs."""
        named: dict[str, int] = {}
        for number, coref in enumerate(self.corefs):
            name = coref.said("ID")
            if not name:
                self._find("no-id", "has no ID", coref, "nothing points to it")
            elif named.setdefault(name, number) != number:
                line = self.corefs[named[name]].tag.line
                self._find("id-twice", f"has the ID of another in line {line}", coref, "a REF means the first")
        return named

    def _refs(self, named: Mapping[str, int]) -> dict[int, int]:
        """Which COREF tags refer to which."""
        refs = {}
        for number, coref in enumerate(self.corefs):
            if "REF" not in coref.tag.attributes:
                continue
            name, kind = coref.said("REF"), coref.said("TYPE").upper()
            shown = name[:LONGEST_LABEL]
            if kind not in ("", "IDENT"):
                self._find("type", f"has the type {kind[:LONGEST_LABEL]!r}, not IDENT", coref, "its REF is left out")
            elif name not in named:
                self._find("ref-unknown", f"refers to {shown!r}, which is no ID", coref, "the REF is left out")
            elif named[name] == number:
                self._find("ref-self", "refers to itself", coref, "the REF is left out")
            else:
                refs[number] = named[name]
        return refs

    def _head(self, coref: _Coref, content: str) -> Parts:
        """Where the least words stand."""
        least = coref.said("MIN")
        if not least:
            return ()
        words = content[coref.start : coref.end]
        spans = _spans(coref.said("MINSPAN"), least, words)
        if not spans:
            spans, several = _found(least, words)
            if not spans:
                message = f"has the MIN {least[:LONGEST_LABEL]!r}, which is not in its words"
                self._find("min-outside", message, coref, "the MIN is left out")
            elif several:
                message = f"has the MIN {least[:LONGEST_LABEL]!r} several times in its words"
                self._find("min-twice", message, coref, "the first is taken")
        return tuple((coref.start + start, coref.start + end) for start, end in spans)


def _coded(zones: Sequence[tuple[str, int, int]], content: str) -> list[Span]:
    """The stretches in which MUC-6 codes coreference, in text order."""
    coded: list[Span] = []
    dates = 0
    for name, start, end in zones:
        dates += name == "DD"
        if name in BODIES:
            position = start
            for line in TABLE_LINE.finditer(content[start:end]):
                coded.append((position, start + line.start()))
                position = start + line.end()
            coded.append((position, end))
        elif name in CODED or (name == "DD" and dates == 2):
            coded.append((start, end))
    return coded


def _inside(start: int, end: int, stretches: Sequence[Span]) -> bool:
    number = bisect_right(stretches, start, key=lambda stretch: stretch[0]) - 1
    return number >= 0 and end <= stretches[number][1]


def _past(refs: Mapping[int, int], gone: set[int]) -> dict[int, int]:
    """Which tag each one leads to: past those that are gone, to what these refer to. A ring of them leads nowhere."""
    past: dict[int, int | None] = {}
    for number in gone:
        way: list[int] = []
        at: int | None = number
        while at is not None and at in gone and at not in past:
            past[at] = None
            way.append(at)
            at = refs.get(at)
        past |= dict.fromkeys(way, past[at] if at is not None and at in gone else at)
    found = {number: past[target] if target in gone else target for number, target in refs.items()}
    return {number: target for number, target in found.items() if target is not None and target != number}


def _both(mark: Mark, other: Mark) -> Mark:
    """The first of two on the same words, with the pointers of both."""
    assert mark.answer is not None
    assert other.answer is not None
    pointers = tuple(dict.fromkeys((*mark.answer.pointers, *other.answer.pointers)))
    answer = replace(mark.answer, pointers=pointers)
    return replace(mark, label=mark.label or other.label, head=mark.head or other.head, answer=answer)


def _not_to_itself(mark: Mark) -> Mark:
    if mark.answer is None or mark.place not in mark.answer.pointers:
        return mark
    pointers = tuple(target for target in mark.answer.pointers if target != mark.place)
    return replace(mark, answer=replace(mark.answer, pointers=pointers))


def _trimmed(segments: Sequence[Stretch], content: str) -> Iterator[Stretch]:
    """The segments without white space at their edges, none of them empty, none twice."""
    seen = set()
    for segment in segments:
        words = content[segment.start : segment.end]
        start, end = segment.end - len(words.lstrip()), segment.start + len(words.rstrip())
        if start < end and (segment.kind, start, end) not in seen:
            seen.add((segment.kind, start, end))
            yield replace(segment, start=start, end=end)


def _least(spans: Sequence[Span], words: str) -> str:
    """A head as MIN has it: on one line."""
    return " ".join(" ".join(words[start:end] for start, end in spans).split())


def _spans(given: str, least: str, words: str) -> list[Span]:
    """What MINSPAN says, if it says something that fits MIN."""
    if not SPANS.fullmatch(given):
        return []
    spans = [(int(start), int(end)) for start, _, end in (span.partition("-") for span in given.split(","))]
    edges = [edge for span in spans for edge in span]
    fits = all(one < other for one, other in pairwise(edges)) and edges[-1] <= len(words)
    return spans if fits and _least(spans, words) == least else []


def _found(least: str, words: str) -> tuple[list[Span], bool]:
    """Where MIN stands in the words of the markable, and whether it does so several times."""
    flat = " ".join(words.split())
    for alternative in (least, *least.split("|", MOST_ALTERNATIVES)[:MOST_ALTERNATIVES]):
        wanted = " ".join(alternative.split())
        places = _places(wanted, flat) if 0 < len(wanted) <= LONGEST_MIN else []
        if places:
            last = places[0] + len(wanted) - 1
            return [(_unflattened(words, flat, places[0]), _unflattened(words, flat, last) + 1)], len(places) > 1
    return [], False


def _places(wanted: str, words: str) -> list[int]:
    """Where it stands as whole words, else where it stands at all; after many places the rest is not looked at."""
    places: list[int] = []
    at = words.find(wanted)
    while at >= 0 and len(places) < MOST_PLACES:
        places.append(at)
        at = words.find(wanted, at + 1)
    padded = f" {words} "

    def whole(at: int) -> bool:
        begins = not (padded[at].isalnum() and wanted[0].isalnum())
        return begins and not (wanted[-1].isalnum() and padded[at + len(wanted) + 1].isalnum())

    return [at for at in places if whole(at)] or places


def _unflattened(words: str, flat: str, position: int) -> int:
    """Where in the words a character stands that stands here when all white space is one blank."""
    before = flat.count(" ", 0, position)
    within = position - (flat.rfind(" ", 0, position) + 1)
    return len(words) - len(words.split(None, before)[before]) + within


def write(documents: Sequence[Document]) -> list[File]:
    """A file for each document; it has a TXT, and the zones of a MUC header, where all markables are within these."""
    return one_each(documents, ".sgm", lambda document: _written(document).encode())


@dataclass(frozen=True, slots=True)
class _Element:
    """What is written around a stretch of the text. rank: of two around the same words the lower is outside."""

    start: int
    end: int
    rank: int
    name: str
    attributes: Mapping[str, str] = field(default_factory=dict)


def _written(document: Document) -> str:
    zones = _zones(document)
    elements = [*zones, *_segments(document, zones), *_corefs(document)]
    elements.sort(key=lambda element: (element.start, -element.end, element.rank))
    tags: list[tuple[int, int, int, str]] = []
    for number, element in enumerate(elements):
        # In one place tags are closed before others open, the last that was opened first.
        tags.append((element.end, 0, -number, f"</{element.name}>"))
        tags.append((element.start, 1, number, opening(element.name, element.attributes)))
    pieces, position = ["<DOC>"], 0
    for at, _, _, tag in sorted(tags):
        pieces += [escaped(document.content[position:at]), tag]
        position = at
    return "".join((*pieces, escaped(document.content[position:]), "</DOC>\n"))


def _zones(document: Document) -> list[_Element]:
    """The zones that can be written as such: all else stands wholly inside each or wholly outside."""
    headers = [segment for segment in document.segments if segment.kind == "header"]
    marks = [(mark.parts[0][0], mark.parts[-1][1]) for mark in document.marks]
    others = [*marks, *((segment.start, segment.end) for segment in document.segments)]

    def crossed(zone: _Element) -> bool:
        return any(
            start < zone.end and zone.start < end and not (zone.start <= start and end <= zone.end)
            for start, end in others
        )

    named = [_Element(header.start, header.end, 1, header.label) for header in headers if header.label in HEADERS]
    named = [zone for zone in named if not crossed(zone)]
    body = _body(headers, document.content)
    with_body = sorted([*named, body], key=lambda zone: zone.start)
    coded = _coded([(zone.name, zone.start, zone.end) for zone in with_body], document.content)
    has_words = bool(document.content[body.start : body.end].strip())
    if has_words and not crossed(body) and all(_inside(start, end, coded) for start, end in marks):
        return with_body
    return named


def _body(headers: Sequence[Stretch], content: str) -> _Element:
    """TXT around the most that stands before, between or after headers."""
    spans = sorted((header.start, header.end) for header in headers)
    edges = [0, *(edge for span in spans for edge in span), len(content)]
    start, end = max(zip(edges[::2], edges[1::2], strict=True), key=lambda gap: gap[1] - gap[0])
    rest = REST_OF_LINE.match(content, start, end) if start else None
    return _Element(rest.end() if rest else start, end, 0, "TXT")


def _segments(document: Document, zones: Sequence[_Element]) -> Iterator[_Element]:
    """The segments that are no zones."""
    written = {(zone.name, zone.start, zone.end) for zone in zones}
    ranks = list(WRITTEN_AS)
    for segment in document.segments:
        if (segment.label, segment.start, segment.end) in written and segment.kind == "header":
            continue
        attributes = {"LABEL": segment.label} if segment.label else {}
        yield _Element(segment.start, segment.end, 2 + ranks.index(segment.kind), WRITTEN_AS[segment.kind], attributes)


def _corefs(document: Document) -> Iterator[_Element]:
    ids = _ids(document.marks)
    for mark in document.marks:
        answer = mark.answer or Answer()
        [(start, end)] = mark.parts
        attributes = {"ID": ids[mark.place]}
        for target in answer.pointers:
            attributes |= {"TYPE": "IDENT", "REF": ids[target]}
        if mark.head and start <= mark.head[0][0] and mark.head[-1][1] <= end:
            attributes |= _min([(one - start, other - start) for one, other in mark.head], document.content[start:end])
        if answer.optional:
            attributes["STATUS"] = "OPT"
        yield _Element(start, end, 9, "COREF", attributes)


def _min(spans: Sequence[Span], words: str) -> dict[str, str]:
    least = _least(spans, words)
    if _found(least, words)[0] == list(spans):
        return {"MIN": least}
    return {"MIN": least, "MINSPAN": ",".join(f"{start}-{end}" for start, end in spans)}


def _ids(marks: Sequence[Mark]) -> dict[Place, str]:
    """The labels, each once; the others are counted."""
    labels = {mark.label for mark in marks}
    spare = iter(range(len(marks) + 1, 3 * len(marks) + 1))
    ids: dict[Place, str] = {}
    used: set[str] = set()
    for number, mark in enumerate(sorted(marks, key=in_text_order), start=1):
        name = mark.label if mark.label and mark.label not in used else str(number)
        while name != mark.label and name in labels:
            name = str(next(spare))
        used.add(name)
        ids[mark.place] = name
    return ids


FORMAT = Format(
    "muc",
    "MUC coreference (SGML)",
    (".sgm", ".sgml", ".muc"),
    read,
    write=write,
    carries=frozenset(
        {
            Feature.NO_SENTENCES,
            Feature.POINTERS,
            Feature.LATER,
            Feature.UNLINKED,
            Feature.HEADS,
            Feature.OPTIONAL,
            Feature.LABELS,
            Feature.SENTENCES,
            Feature.SEGMENTS,
            Feature.SPACING,
            Feature.CONTROL_CHARACTERS,
        }
    ),
    options=(
        Option(
            "zones",
            "Markables outside the zones that MUC-6 codes",
            (("leave", "are left out, each of them named"), ("keep", "are kept")),
        ),
    ),
)
