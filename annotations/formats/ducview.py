"""DUCView's pyramids (.pyr) and peer annotations (.pan).

    <pyramid>
     <startDocumentRegEx>--- .+</startDocumentRegEx>
     <text> <line>--- one</line> <line>Rain fell for days.</line> ... </text>
     <scu uid="1" label="It rained">
      <contributor label="Rain fell"> <part label="Rain fell" start="8" end="17"/> </contributor>
     </scu>
    </pyramid>

A text is its lines joined by line ends; offsets count from its beginning, ends are exclusive. DUCView is a Java
program and counts UTF-16 units; so does what is written here. A file whose labels say that it counts code points is
read so. A peer annotation holds the pyramid and, for each SCU, what the peer says of it; uid 0 is for what the pyramid
does not have.

* A part says its words, without line ends. Where they do not stand at its offsets, it is moved to the only place in
  its summary, or in the text, where they do; where there are none or several, the file is refused.
* The expression that finds the headers of summaries is run by `boundary` alone; see `pyramid.summaries_of`.
* Who coded is not in the file.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from lxml import etree

from annotations.formats.document import Finding, FormatError, decode
from annotations.formats.format import Bundle
from annotations.formats.losses import NOT_IN_XML
from annotations.formats.pyramid import (
    NOT_IN_PYRAMID,
    SCU,
    Contributor,
    Part,
    PeerAnnotation,
    Pyramid,
    summaries_of,
)
from annotations.formats.xml import parse

LONGEST_TEXT = 500_000
MOST_MOVED = 500
NON_MATCHING = "All non-matching SCUs go here"
NUMBER = re.compile(r"\d{1,9}", re.ASCII)
WEIGHT = re.compile(r"\(\d{1,9}\) ", re.ASCII)
DECLARED = re.compile(rb"\s*<\?xml[^>]{0,200}\sencoding\s*=")


def read(bundle: Bundle) -> Pyramid | PeerAnnotation:
    """What a file holds. Raises FormatError with file and line on anything else than a DUCView file."""
    file = bundle.main
    root = _root(bundle.data, file)
    if root.tag == "pyramid":
        return _Reader(file).pyramid(root)
    if root.tag == "peerAnnotation":
        return _Reader(file).peer(root)
    if root.tag == "Pyramid":
        message = "this is a pyramid of PyrEval: it holds neither the summaries nor where contributors stand in them"
        raise FormatError(message, file, root.sourceline)
    raise FormatError(f"<pyramid> or <peerAnnotation> is expected, not <{root.tag!s}>", file, root.sourceline)


def read_pyramid(bundle: Bundle) -> Pyramid:
    """The pyramid of a .pyr file. Raises FormatError as `read` does, and for a peer annotation."""
    found = read(bundle)
    if isinstance(found, PeerAnnotation):
        raise FormatError("this is a peer annotation, a pyramid is expected", bundle.main)
    return found


def read_peer(bundle: Bundle) -> PeerAnnotation:
    """The peer annotation of a .pan file. Raises FormatError as `read` does, and for a pyramid alone."""
    found = read(bundle)
    if isinstance(found, Pyramid):
        raise FormatError("this is a pyramid, a peer annotation is expected", bundle.main)
    return found


def _root(data: bytes, file: str) -> etree._Element:
    if data.startswith(b"SCU\t"):
        raise FormatError("this is a list of SCUs without the summaries; DUCView's XML is expected", file, 1)
    try:
        return parse(data, file)
    except FormatError:
        if DECLARED.match(data) or data.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise
        try:
            decode(data, file)
        except FormatError as error:
            hint = "; XML that does not declare its encoding (such as ISO-8859-1) must be UTF-8"
            raise FormatError(error.message + hint, file, error.line, error.column) from None
        raise


class _Reader:
    """Reads the elements of one file and gathers what is odd in them."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.findings: list[Finding] = []
        self.moved = 0

    def pyramid(self, root: etree._Element) -> Pyramid:
        texts = self._children(root, "text", "scu", "startDocumentRegEx")
        text = self._lines(root, texts["text"])
        expressions = texts["startDocumentRegEx"]
        if len(expressions) > 1:
            raise self._error(expressions[1], "<startDocumentRegEx> stands twice")
        boundary = "".join(expressions[0].itertext()) if expressions else ""
        summaries, wrong = summaries_of(text, boundary)
        if wrong:
            self._found("boundary", f"the expression that finds summaries {wrong}", (expressions or [root])[0])
        bare = Pyramid(text, boundary, summaries, file=self.file)
        offsets = _Offsets(text, chain.from_iterable(scu.iter("part") for scu in texts["scu"]))
        scus: dict[int, SCU] = {}
        for element in texts["scu"]:
            scu = self._scu(element, bare, offsets)
            if scu.uid in scus:
                raise self._error(element, f"the uid {scu.uid} stands twice")
            scus[scu.uid] = scu
        return Pyramid(text, boundary, summaries, tuple(scus.values()), tuple(self.findings), self.file)

    def _scu(self, element: etree._Element, pyramid: Pyramid, offsets: "_Offsets") -> SCU:
        uid = self._number(element, "uid")
        if uid == NOT_IN_PYRAMID:
            raise self._error(element, "uid 0 is for what stands outside the pyramid")
        contributors = self._contributors(element, offsets, pyramid)
        if not contributors:
            self._found("no-contributor", f"SCU {uid} has no contributor", element)
        return SCU(uid, self._attribute(element, "label"), contributors, element.get("comment") or "")

    def peer(self, root: etree._Element) -> PeerAnnotation:
        halves = self._children(root, "pyramid", "annotation", "score")
        for tag in ("pyramid", "annotation"):
            if len(halves[tag]) != 1:
                raise self._error(root, f"<{tag}> is expected once and stands {len(halves[tag])} times")
        pyramid = self.pyramid(halves["pyramid"][0])
        [annotation] = halves["annotation"]
        texts = self._children(annotation, "text", "peerscu")
        text = self._lines(annotation, texts["text"])
        offsets = _Offsets(text, chain.from_iterable(scu.iter("part") for scu in texts["peerscu"]))
        labels = {scu.uid: scu.label for scu in pyramid.scus}
        marks: dict[int, tuple[Contributor, ...]] = {}
        comments: dict[int, str] = {}
        seen = set[int]()
        for element in texts["peerscu"]:
            uid = self._number(element, "uid")
            if uid in seen:
                raise self._error(element, f"the uid {uid} stands twice")
            seen.add(uid)
            contributors = self._contributors(element, offsets, None)
            if not self._known(element, uid, labels, contributors):
                continue
            if contributors:
                marks[uid] = contributors
            if element.get("comment"):
                comments[uid] = element.get("comment") or ""
        return PeerAnnotation(pyramid, text, marks, comments, tuple(self.findings), self.file)

    def _known(
        self, element: etree._Element, uid: int, labels: dict[int, str], contributors: Sequence[Contributor]
    ) -> bool:
        """Whether the pyramid has the SCU that a peer is said to express."""
        label = self._attribute(element, "label")
        if uid == NOT_IN_PYRAMID:
            return True
        if uid not in labels:
            if contributors:
                raise self._error(element, f"the pyramid has no SCU {uid}, yet the peer has contributors to it")
            self._found("unknown-scu", f"the pyramid has no SCU {uid}", element, "left out")
            return False
        if labels[uid].split() != WEIGHT.sub("", label, count=1).split() and labels[uid].split() != label.split():
            self._found("other-label", f"the pyramid calls SCU {uid} by another label", element, "the pyramid's holds")
        return True

    def _contributors(
        self, element: etree._Element, offsets: "_Offsets", pyramid: Pyramid | None
    ) -> tuple[Contributor, ...]:
        found = []
        for child in self._children(element, "contributor")["contributor"]:
            parts = tuple(self._part(part, offsets, pyramid) for part in self._children(child, "part")["part"])
            if not parts:
                raise self._error(child, "this contributor has no part")
            contributor = Contributor(parts, self._attribute(child, "label"), child.get("comment") or "")
            if pyramid is not None:
                self._place(child, contributor, pyramid)
            found.append(contributor)
        return tuple(found)

    def _place(self, element: etree._Element, contributor: Contributor, pyramid: Pyramid) -> None:
        summaries = {pyramid.summary_at(part.start) for part in contributor.parts}
        if None in summaries:
            self._found("no-summary", "a part of this contributor stands in no summary", element)
        elif len(summaries) > 1:
            self._found("several-summaries", "the parts of this contributor stand in several summaries", element)

    def _part(self, element: etree._Element, offsets: "_Offsets", pyramid: Pyramid | None) -> Part:
        label = "".join(self._attribute(element, "label").split())
        start, end = self._number(element, "start"), self._number(element, "end")
        part = offsets.part(start, end)
        if part and offsets.says(part, label):
            return part
        self.moved += 1
        if self.moved > MOST_MOVED:
            raise self._error(element, f"more than {MOST_MOVED} parts do not say what stands at their offsets")
        at = offsets.part(start, start + 1)
        summary = pyramid.summary_at(at.start) if pyramid and at else None
        found = offsets.where(label, summary.start, summary.end) if summary else []
        found = found or offsets.where(label, 0, len(offsets.text))
        if len(found) != 1:
            times = "nowhere else" if not found else "in several places"
            message = f"these words do not stand at {start}-{end}, and {times}: {element.get('label')!r:.80}"
            raise self._error(element, message)
        fix = f"moved to {found[0].start}-{found[0].end}"
        self._found("offsets", f"the words of this part do not stand at {start}-{end}", element, fix)
        return found[0]

    def _lines(self, parent: etree._Element, texts: Sequence[etree._Element]) -> str:
        if len(texts) != 1:
            raise self._error(parent, f"<text> is expected once and stands {len(texts)} times")
        lines = self._children(texts[0], "line")["line"]
        for line in lines:
            if len(line):
                raise self._error(line, "a line holds words alone")
        text = "\n".join(line.text or "" for line in lines)
        if len(text) > LONGEST_TEXT:
            raise self._error(texts[0], f"a text of more than {LONGEST_TEXT:,} characters is not read")
        return text

    def _children(self, element: etree._Element, *tags: str) -> dict[str, list[etree._Element]]:
        """The children by their names. Others are passed over."""
        found: dict[str, list[etree._Element]] = {tag: [] for tag in tags}
        for child in element:
            if child.tag in found:
                found[str(child.tag)].append(child)
            else:
                self._found(
                    "unknown-element", f"<{child.tag!s}> is not known within <{element.tag!s}>", child, "left out"
                )
        return found

    def _attribute(self, element: etree._Element, name: str) -> str:
        value = element.get(name)
        if value is None:
            raise self._error(element, f"<{element.tag!s}> has no {name}")
        return value

    def _number(self, element: etree._Element, name: str) -> int:
        value = self._attribute(element, name).strip()
        if not NUMBER.fullmatch(value):
            raise self._error(element, f"{name} is a number of at most 9 digits, not {value[:30]!r}")
        return int(value)

    def _error(self, element: etree._Element, message: str) -> FormatError:
        return FormatError(message, self.file, element.sourceline)

    def _found(self, code: str, message: str, element: etree._Element, fix: str = "") -> None:
        self.findings.append(Finding(code, message, self.file, element.sourceline, fix))


class _Offsets:
    """A text, its offsets as a file counts them, and its characters without white space: what labels agree in."""

    def __init__(self, text: str, parts: Iterable[etree._Element]) -> None:
        self.text = text
        self.places = [place for place, character in enumerate(text) if not character.isspace()]
        self.squeezed = "".join(text.split())
        self.before = [0]  # how many characters that are no white space stand before each offset
        for character in text:
            self.before.append(self.before[-1] + (not character.isspace()))
        self.units: dict[int, int] | None = None
        if max(text, default="") > "\uffff":
            counted, given = _units(text), list(parts)
            self.units = max(counted, None, key=lambda units: self._fitting(given, units))

    def _fitting(self, parts: Iterable[etree._Element], units: dict[int, int] | None) -> int:
        """How many parts say what stands at their offsets when they are counted so."""
        self.units = units
        found = 0
        for element in parts:
            start, end = element.get("start") or "", element.get("end") or ""
            if NUMBER.fullmatch(start) and NUMBER.fullmatch(end):
                part = self.part(int(start), int(end))
                found += bool(part and self.says(part, "".join((element.get("label") or "").split())))
        return found

    def part(self, start: int, end: int) -> Part | None:
        """The part between two offsets as the file counts them, or None where that is none."""
        if self.units is not None:
            start, end = self.units.get(start, -1), self.units.get(end, -1)
        return Part(start, end) if 0 <= start < end <= len(self.text) else None

    def says(self, part: Part, label: str) -> bool:
        """Whether a label without white space is what stands there. Takes no longer than the label is long."""
        start, end = self.before[part.start], self.before[part.end]
        return end - start == len(label) and self.squeezed.startswith(label, start)

    def where(self, label: str, start: int, end: int) -> list[Part]:
        """The first two places between two offsets where a label without white space stands."""
        low, high = self.before[start], self.before[end]
        found: list[Part] = []
        while label and len(found) < 2:
            at = self.squeezed.find(label, low, high)
            if at < 0:
                break
            found.append(Part(self.places[at], self.places[at + len(label) - 1] + 1))
            low = at + 1
        return found


def _units(text: str) -> dict[int, int]:
    """The offset in code points for each offset in UTF-16 units that does not cut a character."""
    found, unit = {}, 0
    for place, character in enumerate(text):
        found[unit] = place
        unit += 2 if character > "\uffff" else 1
    found[unit] = len(text)
    return found


# From here on: writing.

PYRAMID_DTD = """\
 <!ELEMENT pyramid (startDocumentRegEx?, text, scu*)>
 <!ELEMENT startDocumentRegEx (#PCDATA)>
 <!ELEMENT text (line*)>
 <!ELEMENT line (#PCDATA)>
 <!ELEMENT scu (contributor+)>
 <!ATTLIST scu uid CDATA #REQUIRED label CDATA #REQUIRED comment CDATA #IMPLIED>
 <!ELEMENT contributor (part+)>
 <!ATTLIST contributor label CDATA #REQUIRED comment CDATA #IMPLIED>
 <!ELEMENT part EMPTY>
 <!ATTLIST part label CDATA #REQUIRED start CDATA #REQUIRED end CDATA #REQUIRED>
"""
PEER_DTD = """\
 <!ELEMENT peerAnnotation (pyramid, annotation)>
 <!ELEMENT annotation (text, peerscu+)>
 <!ELEMENT peerscu (contributor*)>
 <!ATTLIST peerscu uid CDATA #REQUIRED label CDATA #REQUIRED comment CDATA #IMPLIED>
"""
SPECIAL = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\t": "&#9;", "\n": "&#10;", "\r": "&#13;"}
)


def write_pyramid(pyramid: Pyramid) -> bytes:
    """A .pyr file. What it cannot hold, as `lost` says, is left out or replaced."""
    return _file("pyramid", PYRAMID_DTD, _pyramid(pyramid))


def write_peer(annotation: PeerAnnotation) -> bytes:
    """A .pan file: every SCU of the pyramid is in it, the heaviest first, whether or not the peer expresses it."""
    pyramid = annotation.pyramid
    weighed = sorted(((pyramid.weight(scu), scu) for scu in _filled(pyramid)), key=lambda pair: -pair[0])
    labels = {scu.uid: f"({weight}) {scu.label}" for weight, scu in weighed} | {NOT_IN_PYRAMID: NON_MATCHING}
    offsets = _counted(annotation.text)
    scus = chain.from_iterable(
        _scu("peerscu", SCU(uid, label, annotation.marks.get(uid, ()), annotation.comments.get(uid, "")), *offsets)
        for uid, label in labels.items()
    )
    body = ["<annotation>\n", *_text(annotation.text), *scus, "</annotation>\n"]
    return _file("peerAnnotation", PEER_DTD + PYRAMID_DTD, ["<peerAnnotation>\n", *_pyramid(pyramid), *body, END])


END = "</peerAnnotation>\n"


def lost(written: Pyramid | PeerAnnotation) -> list[str]:
    """What writing leaves out or replaces, in words; empty where the file holds everything."""
    pyramid = written if isinstance(written, Pyramid) else written.pyramid
    found = [
        f"SCU {scu.uid} ({scu.label[:60]}) has no contributor and is left out"
        for scu in pyramid.scus
        if not _contributors(scu)
    ]
    texts = [pyramid.text, pyramid.boundary, *chain.from_iterable(_words(scu) for scu in pyramid.scus)]
    if isinstance(written, PeerAnnotation):
        uids = {NOT_IN_PYRAMID, *(scu.uid for scu in _filled(pyramid))}
        found += [f"contributors to SCU {uid} are left out" for uid in written.marks if uid not in uids]
        texts += [written.text, *written.comments.values()]
        texts += chain.from_iterable(_words(SCU(uid, "", scus)) for uid, scus in written.marks.items())
    replaced = sum(len(NOT_IN_XML.findall(text)) for text in texts)
    if replaced:
        found.append(f"{replaced} characters that XML cannot hold become U+FFFD")
    return found


def _words(scu: SCU) -> Iterator[str]:
    yield from (scu.label, scu.comment)
    for contributor in scu.contributors:
        yield from (contributor.label, contributor.comment)


def _contributors(scu: SCU) -> list[Contributor]:
    return [contributor for contributor in scu.contributors if contributor.parts]


def _filled(pyramid: Pyramid) -> list[SCU]:
    """The SCUs that a file can hold: it has none without contributors."""
    return [scu for scu in pyramid.scus if _contributors(scu)]


def _file(root: str, dtd: str, body: Iterable[str]) -> bytes:
    head = f'<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE {root} [\n{dtd}]>\n'
    return NOT_IN_XML.sub("\N{REPLACEMENT CHARACTER}", head + "".join(body)).encode()


def _pyramid(pyramid: Pyramid) -> Iterator[str]:
    yield "<pyramid>\n"
    if pyramid.boundary:
        yield f"<startDocumentRegEx>{_verbatim(pyramid.boundary)}</startDocumentRegEx>\n"
    yield from _text(pyramid.text)
    offsets = _counted(pyramid.text)
    for scu in _filled(pyramid):
        yield from _scu("scu", scu, *offsets)
    yield "</pyramid>\n"


def _verbatim(expression: str) -> str:
    """As DUCView writes it, unless a CDATA section cannot hold it."""
    if "]]>" in expression or "\r" in expression:
        return expression.translate(SPECIAL)
    return f"<![CDATA[{expression}]]>"


def _text(text: str) -> Iterator[str]:
    yield " <text>\n"
    for line in text.split("\n"):
        yield f"  <line>{line.translate(SPECIAL)}</line>\n"
    yield " </text>\n"


def _counted(text: str) -> tuple[str, list[int]]:
    """The text, and each of its offsets in UTF-16 units."""
    offsets = [0]
    for character in text:
        offsets.append(offsets[-1] + (2 if character > "\uffff" else 1))
    return text, offsets


def _scu(tag: str, scu: SCU, text: str, offsets: list[int]) -> Iterator[str]:
    yield f' <{tag} uid="{scu.uid}"{_attribute("label", scu.label)}{_comment(scu.comment)}>\n'
    for contributor in _contributors(scu):
        words = [text[part.start : part.end].replace("\n", "") for part in contributor.parts]
        label = contributor.label or "...".join(words)
        yield f"  <contributor{_attribute('label', label)}{_comment(contributor.comment)}>\n"
        for part, word in zip(contributor.parts, words, strict=True):
            place = f'start="{offsets[part.start]}" end="{offsets[part.end]}"'
            yield f"   <part{_attribute('label', word)} {place}/>\n"
        yield "  </contributor>\n"
    yield f" </{tag}>\n"


def _attribute(name: str, value: str) -> str:
    return f' {name}="{value.translate(SPECIAL)}"'


def _comment(comment: str) -> str:
    return _attribute("comment", comment) if comment else ""
