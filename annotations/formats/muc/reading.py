"""Read files into documents."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from annotations.formats.model.document import Answer, Document, Links, Mark, Parts, Place, Stretch, text_order
from annotations.formats.model.encodings import decode
from annotations.formats.model.findings import Finding, FormatError
from annotations.formats.model.format import Bundle, name_documents
from annotations.formats.model.links import index_places, merge_marks, unlinked_places
from annotations.formats.model.slips import LEAVE_OUT, Slips
from annotations.formats.model.spans import Span, lie_in
from annotations.formats.model.text import MAX_INDEX_LENGTH, MAX_LABEL_LENGTH
from annotations.formats.syntax.sgml import Tag, scan

# HEADER is a header that MUC has no tag for; unlike the zones it may cross other tags.
SEGMENT_KINDS = {"HEADER": "header", "TURN": "turn", "P": "paragraph", "S": "sentence"}
SEGMENT_TAGS = {"header": "HEADER", "turn": "TURN", "paragraph": "p", "sentence": "s"}
BODIES = ("TXT", "TEXT")
HEADERS = (
    "AN", "CO", "CODER", "DATE", "DATELINE", "DD", "DOCID", "DOCNO", "G", "GV", "HL", "IN", "NWORDS", "PREAMBLE", "RE",
    "SLUG", "SO", "ST", "STORYID", "TRAILER",
)  # fmt: skip
CODED = ("HL", "DATELINE")
TABLE_LINE = re.compile(r"(?:\A|(?<=[\r\n]))@[^\r\n]*")
SPANS = re.compile(r"\d{1,9}-\d{1,9}(?:,\d{1,9}-\d{1,9}){0,99}", re.ASCII)
MAX_MIN_LENGTH = 1000
MAX_ALTERNATIVES = 5
MAX_PLACES = 100
NAMING = ("DOCNO", "DOCID")
ATTRIBUTES = ("ID", "REF", "TYPE", "MIN", "MINSPAN", "STATUS", "STAT")
DOCUMENT = re.compile(r"<DOC[\s/>]", re.IGNORECASE)
MAX_DEPTH = 50
# The number of unknown tags, attributes and types that are reported by name; further ones are counted together.
MAX_NAMES = 1000
OTHER_TYPE = re.compile("APPOS|ATTR|BRIDG|PART|PRED")
# A word with its part of speech, and the share of such words from which this is reported.
TAGGED_WORD = re.compile(r"\S+/(?:[A-Z]{1,5}\$?|[-.,:`'#$]{1,2}|-[A-Z]{3}-)")
MIN_TAGGED = 0.9


@dataclass(slots=True)
class _Zone:
    """A stretch in a tag of a header or body."""

    tag: Tag
    start: int
    end: int = -1


@dataclass(slots=True)
class _Coref(_Zone):
    """A stretch in a COREF tag. zone: the zone in which the tag was opened."""

    zone: _Zone | None = None

    def attribute(self, name: str) -> str:
        return self.tag.attributes.get(name, "").strip()

    @property
    def part(self) -> str:
        return self.zone.tag.attributes.get("PARTNO", "") if self.zone else ""


def read(bundle: Bundle, zones: str = "leave", slips: str = "") -> list[Document]:
    """Return the documents of a file. Raises FormatError with file, line and column on bad input."""
    file = bundle.main
    decode(bundle.data, file)  # runs all checks; the line ends are kept
    text = bundle.data.decode("utf-8-sig")
    left_out = Slips(file, slips == LEAVE_OUT)
    draft = None if DOCUMENT.search(text) else _Draft(file, 1, left_out, tagged=False)
    drafts = [draft] if draft else []
    outside = False
    for item in scan(text, file):
        if isinstance(item, Tag) and item.name == "DOC":
            draft = _open_document(file, item, draft, left_out)
            drafts += [draft] if draft else []
        elif draft is not None:
            draft.add(item)
        elif isinstance(item, Tag) and item.name == "COREF":
            raise FormatError("a COREF is outside <DOC>", file, item.line, item.column)
        else:
            outside = outside or (isinstance(item, str) and not item.isspace())
    if draft is not None:
        if draft.tagged:
            raise FormatError("the file ends inside this document: </DOC> is missing", file, draft.line)
        draft.finish()
    if not drafts:
        raise FormatError("there is no document in this file", file, 1)
    if outside:
        finding = Finding("text-outside", "text is outside <DOC>", file, fix="it is left out", left_out=True)
        drafts[0].findings.append(finding)
    drafts[0].findings += left_out.finish(1)
    names = name_documents(file, [(draft.number, draft.line) for draft in drafts])
    return [draft.build(name, zones) for name, draft in zip(names, drafts, strict=True)]


def _open_document(file: str, tag: Tag, draft: "_Draft | None", slips: Slips) -> "_Draft | None":
    if tag.closing:
        if draft is None or not draft.tagged:
            raise FormatError("a document ends here that has not begun", file, tag.line, tag.column)
        draft.finish()
        return None
    if draft is not None:
        message = f"a document begins before the one of line {draft.line} has ended"
        raise FormatError(message, file, tag.line, tag.column)
    number = next((tag.attributes[name] for name in (*NAMING, "ID") if tag.attributes.get(name)), "")
    return _Draft(file, tag.line, slips, number=number)


@dataclass(slots=True)
class _Draft:
    """A document under construction. counts: findings of names unknown to MUC, each with its lines."""

    file: str
    line: int
    slips: Slips
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
    counts: dict[Finding, list[int]] = field(default_factory=dict)

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
            # The edges of a zone end paragraphs and sentences without closing tags.
            self._end_segments("P", "S")
            self._zone(item)
        elif not item.closing:
            message = f"tags <{item.name[:MAX_LABEL_LENGTH]}>, which say nothing of coreference"
            self._count("tag", message, item, "left out, their words are kept")

    def _coref(self, tag: Tag) -> None:
        zone = self.open_zones[-1] if self.open_zones else None
        if not tag.closing:
            if len(self.open) == MAX_DEPTH:
                raise self._error(f"COREF tags nest deeper than {MAX_DEPTH}", tag)
            self.corefs.append(_Coref(tag, self.length, zone=zone))
            self.open.append(self.corefs[-1])
            return
        if not self.open:
            self._slip("</COREF> closes nothing", tag)
            return
        coref = self.open.pop()
        if coref.zone is not zone:
            self._slip(f"the COREF of line {coref.tag.line} crosses another tag", tag, coref)
        coref.end = self.length

    def _zone(self, tag: Tag) -> None:
        if not tag.closing:
            if len(self.open_zones) == MAX_DEPTH:
                raise self._error(f"tags nest deeper than {MAX_DEPTH}", tag)
            self.open_zones.append(_Zone(tag, self.length))
            return
        if not self.open_zones:
            raise self._error(f"</{tag.name}> closes nothing", tag)
        zone = self.open_zones.pop()
        if zone.tag.name != tag.name:
            raise self._error(f"</{tag.name}> stands where the <{zone.tag.name}> of line {zone.tag.line} is open", tag)
        while self.open and self.open[-1].zone is zone:
            coref = self.open.pop()
            self._slip(f"this COREF is not closed before </{tag.name}>", coref.tag, coref)
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

    def _slip(self, message: str, tag: Tag, coref: _Coref | None = None) -> None:
        """Leave out the COREF with a slip. Raises the error if slips are not left out."""
        self.slips.in_mention(self._error(message, tag), self.findings)
        if coref is not None:
            self.corefs.remove(coref)

    def _count(self, code: str, what: str, tag: Tag, fix: str = "left out") -> None:
        finding = Finding(code, what, self.file, fix=fix, left_out=fix.startswith("left out"))
        if finding not in self.counts and len(self.counts) >= MAX_NAMES:
            finding = Finding("other-names", "tags, attributes and types of other names", self.file, left_out=True)
        self.counts.setdefault(finding, []).append(tag.line)

    def _report(self, code: str, message: str, coref: _Coref, fix: str = "it is left out") -> None:
        name = f"COREF {coref.attribute('ID')[:MAX_LABEL_LENGTH]}".rstrip()
        left_out = fix.endswith("is left out")
        self.findings.append(Finding(code, f"{name} {message}", self.file, coref.tag.line, fix, left_out))

    def finish(self) -> None:
        if self.open_zones:
            raise self._error(f"this <{self.open_zones[-1].tag.name}> is never closed", self.open_zones[-1].tag)
        for coref in reversed(self.open):
            self._slip("this <COREF> is never closed", coref.tag, coref)
        self._end_segments(*SEGMENT_KINDS)
        content = "".join(self.pieces)
        words = content.split()
        tagged = [word for word in words if TAGGED_WORD.fullmatch(word)]
        if tagged and len(tagged) >= len(words) * MIN_TAGGED:
            message = f"the words have tags behind a slash, such as {tagged[0][:MAX_LABEL_LENGTH]}"
            self.findings.append(Finding("word-tags", message, self.file, self.line, "they are part of the text"))
        if not content.strip():
            raise FormatError("there is no text in this document", self.file, self.line)
        self.pieces = [content]
        numbers = [content[zone.start : zone.end].split() for zone in self.zones if zone.tag.name in NAMING]
        self.number = next((" ".join(words) for words in numbers if words), self.number)

    def build(self, name: str, zones: str) -> Document:
        [content] = self.pieces
        marks: dict[Place, Mark] = {}
        ids = [identity for coref in self.corefs if (identity := coref.attribute("ID"))]
        # In OntoNotes an ID names an entity.
        names_entities = len(set(ids)) < len(ids) and not any("REF" in coref.tag.attributes for coref in self.corefs)
        for coref, mark in self._marks(content, self._ignored_corefs(content, zones), names_entities=names_entities):
            before = marks.setdefault(mark.place, mark)
            if before is not mark:
                self._report("duplicate", "has the same words as another", coref, "they are one markable")
                marks[mark.place] = merge_marks(before, mark)
        for finding, lines in self.counts.items():
            self.findings.append(replace(finding, message=f"{len(lines)} {finding.message}", line=lines[0]))
        links = Links.INDICES if names_entities else Links.POINTERS if marks else Links.NONE
        in_order = sorted(marks.values(), key=text_order)
        segments = sorted(_trim_segments(self.segments, content), key=lambda span: (span.start, -span.end, span.kind))
        findings = sorted(self.findings, key=lambda finding: finding.line or 0)
        document = Document(name, self.file, content, in_order, segments, links, findings=findings)
        return index_places(document, unlinked_places(document)) if names_entities else document

    def _ignored_corefs(self, content: str, zones: str) -> set[int]:
        coded: list[Span] | None = None
        if zones == "leave" and any(zone.tag.name in BODIES for zone in self.zones):
            coded = coded_spans([(zone.tag.name, zone.start, zone.end) for zone in self.zones], content)
        ignored = set()
        for number, coref in enumerate(self.corefs):
            if not content[coref.start : coref.end].strip():
                self._report("no-words", "has no words", coref)
                ignored.add(number)
            elif coded is not None and not lie_in([(coref.start, coref.end)], coded):
                self._report("zone", "stands where MUC-6 codes nothing", coref)
                ignored.add(number)
        return ignored

    def _marks(self, content: str, ignored: set[int], *, names_entities: bool) -> Iterator[tuple[_Coref, Mark]]:
        """Yield each tag with its markable, in the order of the tags."""
        numbers_by_id = {} if names_entities else self._by_id()
        leads_to = _skip_removed(self._refs(numbers_by_id), ignored)
        places = [Place("", ((coref.start, coref.end),)) for coref in self.corefs]
        n_parts = len({coref.part for coref in self.corefs})
        for number, coref in enumerate(self.corefs):
            if number in ignored:
                continue
            for key in [key for key in coref.tag.attributes if key not in ATTRIBUTES]:
                self._count("attribute", f"attributes {key[:MAX_LABEL_LENGTH]}, which MUC does not have", coref.tag)
            index, kind = "", coref.attribute("TYPE").upper()
            if names_entities:
                if OTHER_TYPE.search(kind):
                    self._count("type", f"COREF of the type {kind[:MAX_LABEL_LENGTH]}, not IDENT", coref.tag)
                    continue
                if kind not in ("", "IDENT"):
                    self._count("ident", f"types {kind[:MAX_LABEL_LENGTH]} of COREF", coref.tag, "read as IDENT")
                # In OntoNotes the IDs start again in each part.
                index = coref.attribute("ID") and f"{f'{coref.part}-' * (n_parts > 1)}{coref.attribute('ID')}"
                if len(index) > MAX_INDEX_LENGTH:
                    raise self._error(f"an ID has more than {MAX_INDEX_LENGTH} characters", coref.tag)
            status = (coref.attribute("STATUS") or coref.attribute("STAT")).upper()
            if status not in ("", "OPT"):
                self._report("status", f"has the status {status[:MAX_LABEL_LENGTH]!r}, not OPT", coref, "passed over")
            label = coref.attribute("ID")
            if label == str(number + 1) or len(label) > MAX_LABEL_LENGTH or numbers_by_id.get(label) != number:
                label = ""
            target = leads_to.get(number)
            # A pointer between two tags on the same words is dropped.
            pointers = () if target is None or places[target] == places[number] else (places[target],)
            answer = Answer(pointers=pointers, indices=(index,) if index else (), optional=status == "OPT")
            yield coref, Mark(places[number].parts, "", label, self._head(coref, content), answer, coref.tag.line)

    def _by_id(self) -> dict[str, int]:
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
        refs = {}
        for number, coref in enumerate(self.corefs):
            if "REF" not in coref.tag.attributes:
                continue
            name, kind = coref.attribute("REF"), coref.attribute("TYPE").upper()
            if kind not in ("", "IDENT"):
                self._count("type", f"REF of the type {kind[:MAX_LABEL_LENGTH]}, not IDENT", coref.tag)
            elif name not in numbers_by_id:
                message = f"refers to {name[:MAX_LABEL_LENGTH]!r}, which is no ID"
                self._report("ref-unknown", message, coref, "the REF is left out")
            elif numbers_by_id[name] == number:
                self._report("ref-self", "refers to itself", coref, "the REF is left out")
            else:
                refs[number] = numbers_by_id[name]
        return refs

    def _head(self, coref: _Coref, content: str) -> Parts:
        least = coref.attribute("MIN")
        if not least:
            return ()
        words = content[coref.start : coref.end]
        spans = parse_spans(coref.attribute("MINSPAN"), least, words)
        if not spans:
            spans, several = find_spans(least, words)
            if not spans:
                message = f"has the MIN {least[:MAX_LABEL_LENGTH]!r}, which is not in its words"
                self._report("min-outside", message, coref, "the MIN is left out")
            elif several:
                message = f"has the MIN {least[:MAX_LABEL_LENGTH]!r} several times in its words"
                self._report("min-twice", message, coref, "the first is taken")
        return tuple((coref.start + start, coref.start + end) for start, end in spans)


def _skip_removed(refs: Mapping[int, int], removed: set[int]) -> dict[int, int]:
    """Return the target of each tag, past removed tags; a cycle of removed tags leads to none."""
    past: dict[int, int | None] = {}
    for number in removed:
        way: list[int] = []
        at: int | None = number
        while at in removed and at not in past:
            past[at] = None
            way.append(at)
            at = refs.get(at)
        past |= dict.fromkeys(way, past[at] if at in removed else at)
    targets = {number: past[target] if target in removed else target for number, target in refs.items()}
    return {number: target for number, target in targets.items() if target is not None and target != number}


def _trim_segments(segments: Sequence[Stretch], content: str) -> Iterator[Stretch]:
    """Yield the segments without white space at their edges, except empty and duplicate segments."""
    seen = set()
    for segment in segments:
        words = content[segment.start : segment.end]
        start, end = segment.end - len(words.lstrip()), segment.start + len(words.rstrip())
        if start < end and (segment.kind, start, end) not in seen:
            seen.add((segment.kind, start, end))
            yield replace(segment, start=start, end=end)


def coded_spans(zones: Sequence[tuple[str, int, int]], content: str) -> list[Span]:
    """Return the stretches in which MUC-6 codes coreference, in text order."""
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


def least_words(spans: Sequence[Span], words: str) -> str:
    """Return the words of a head on one line, as in MIN."""
    return " ".join(" ".join(words[start:end] for start, end in spans).split())


def parse_spans(minspan: str, least: str, words: str) -> list[Span]:
    """Return the spans of MINSPAN; empty if they are invalid or do not fit MIN."""
    if not SPANS.fullmatch(minspan):
        return []
    spans = [(int(start), int(end)) for start, _, end in (span.partition("-") for span in minspan.split(","))]
    edges = [edge for span in spans for edge in span]
    fits = all(edge < after for edge, after in pairwise(edges)) and edges[-1] <= len(words)
    return spans if fits and least_words(spans, words) == least else []


def find_spans(least: str, words: str) -> tuple[list[Span], bool]:
    """Return the first span of MIN in a markable's words, if any, and whether there are several."""
    flat = " ".join(words.split())
    for alternative in (least, *least.split("|", MAX_ALTERNATIVES)[:MAX_ALTERNATIVES]):
        wanted = " ".join(alternative.split())
        places = _find_places(wanted, flat) if 0 < len(wanted) <= MAX_MIN_LENGTH else []
        if places:
            start, last = (_position_in_words(words, flat, edge) for edge in (places[0], places[0] + len(wanted) - 1))
            return [(start, last + 1)], len(places) > 1
    return [], False


def _find_places(wanted: str, words: str) -> list[int]:
    """Return the positions as whole words among the first MAX_PLACES, or else all of these."""
    places: list[int] = []
    at = words.find(wanted)
    while at >= 0 and len(places) < MAX_PLACES:
        places.append(at)
        at = words.find(wanted, at + 1)
    padded = f" {words} "

    def whole(at: int) -> bool:
        begins = not (padded[at].isalnum() and wanted[0].isalnum())
        return begins and not (wanted[-1].isalnum() and padded[at + len(wanted) + 1].isalnum())

    return [at for at in places if whole(at)] or places


def _position_in_words(words: str, flat: str, position: int) -> int:
    """Return the position in `words` of a character of `flat`, which is `words` with single blanks."""
    before = flat.count(" ", 0, position)
    within = position - (flat.rfind(" ", 0, position) + 1)
    return len(words) - len(words.split(None, before)[before]) + within
