"""Read files into pyramids and peer annotations."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

from annotations.formats.model.encodings import decode
from annotations.formats.model.findings import Finding, FormatError
from annotations.formats.model.format import Bundle
from annotations.formats.model.pyramid import NOT_IN_PYRAMID, SCU, Contributor, ContributorPart, PeerAnnotation, Pyramid
from annotations.formats.syntax.headers import find_summaries
from annotations.formats.syntax.units import Units
from annotations.formats.syntax.xml import parse

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

MAX_TEXT_LENGTH = 500_000
MAX_MOVED = 500
NUMBER = re.compile(r"\d{1,9}", re.ASCII)
WEIGHT = re.compile(r"\((\d{1,9})\) ", re.ASCII)
ATTRIBUTES = {
    "scu": ("uid", "label", "comment"),
    "peerscu": ("uid", "label", "comment"),
    "contributor": ("label", "comment"),
    "part": ("label", "start", "end"),
}
LEFT_OUT = "left out"
DECLARED = re.compile(rb"\s*<\?xml[^>]{0,200}\sencoding\s*=")


def read(bundle: Bundle) -> Pyramid | PeerAnnotation:
    """Return the pyramid or peer annotation of a file. Raises FormatError with file and line on any other file."""
    file = bundle.main
    root = _parse_root(bundle.data, file)
    reader = _Reader(file)
    if root.tag in ("pyramid", "peerAnnotation"):
        reader.report_attributes(root)
        return reader.pyramid(root) if root.tag == "pyramid" else reader.peer(root)
    if root.tag == "Pyramid":
        message = "this is a pyramid of PyrEval: it holds neither the summaries nor where contributors stand in them"
        raise FormatError(message, file, root.sourceline)
    raise FormatError(f"<pyramid> or <peerAnnotation> is expected, not <{root.tag!s}>", file, root.sourceline)


def read_pyramid(bundle: Bundle) -> Pyramid:
    """Return the pyramid of a .pyr file. Raises FormatError as `read` does, and for a peer annotation."""
    content = read(bundle)
    if isinstance(content, PeerAnnotation):
        raise FormatError("this is a peer annotation, a pyramid is expected", bundle.main)
    return content


def read_peer(bundle: Bundle) -> PeerAnnotation:
    """Return the peer annotation of a .pan file. Raises FormatError as `read` does, and for a .pyr file."""
    content = read(bundle)
    if isinstance(content, Pyramid):
        raise FormatError("this is a pyramid, a peer annotation is expected", bundle.main)
    return content


def _parse_root(data: bytes, file: str) -> Element:
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
    """A reader of the elements of one file, which collects findings."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.findings: list[Finding] = []
        self.moved = 0

    def report_attributes(self, root: Element) -> None:
        """Report the number of attributes unknown to DUCView, by element and name."""
        found: dict[tuple[str, str], list[Element]] = {}
        for element in root.iter(*ATTRIBUTES):
            for name in map(str, element.attrib):
                if name not in ATTRIBUTES[str(element.tag)]:
                    found.setdefault((str(element.tag), name), []).append(element)
        for (tag, name), elements in found.items():
            message = f"{len(elements)} values of the attribute {name[:50]} of <{tag}>"
            self._report("unknown-attribute", message, elements[0], LEFT_OUT)

    def pyramid(self, root: Element) -> Pyramid:
        children = self._children(root, "text", "scu", "startDocumentRegEx")
        text = self._lines(root, children["text"])
        expressions = children["startDocumentRegEx"]
        if len(expressions) > 1:
            raise self._error(expressions[1], "<startDocumentRegEx> appears twice")
        boundary = "".join(expressions[0].itertext()) if expressions else ""
        parts = [part for scu in children["scu"] for part in scu.iter("part")]
        offsets = _Offsets(text, parts)
        summaries, wrong = find_summaries(text, boundary, [part.start for part in offsets.matching(parts)])
        if wrong:
            self._report("boundary", f"the expression that finds summaries {wrong}", (expressions or [root])[0])
        without_scus = Pyramid(text, boundary, summaries, file=self.file)
        scus: dict[int, SCU] = {}
        for element in children["scu"]:
            uid = self._number(element, "uid")
            if uid == NOT_IN_PYRAMID:
                raise self._error(element, "uid 0 is for what stands outside the pyramid")
            contributors = self._contributors(element, offsets, without_scus)
            if not contributors:
                self._report("no-contributor", f"SCU {uid} has no contributor", element)
            label = self._attribute(element, "label")
            if uid in scus:
                raise self._error(element, f"the uid {uid} appears twice")
            scus[uid] = SCU(uid, label, contributors, element.get("comment") or "")
        return Pyramid(text, boundary, summaries, tuple(scus.values()), tuple(self.findings), self.file)

    def peer(self, root: Element) -> PeerAnnotation:
        halves = self._children(root, "pyramid", "annotation", "score")
        for tag in ("pyramid", "annotation"):
            if len(halves[tag]) != 1:
                raise self._error(root, f"<{tag}> is expected once and appears {len(halves[tag])} times")
        pyramid = self.pyramid(halves["pyramid"][0])
        [annotation] = halves["annotation"]
        texts = self._children(annotation, "text", "peerscu")
        text = self._lines(annotation, texts["text"])
        offsets = _Offsets(text, [part for scu in texts["peerscu"] for part in scu.iter("part")])
        scus = {scu.uid: scu for scu in pyramid.scus}
        marks: dict[int, tuple[Contributor, ...]] = {}
        comments: dict[int, str] = {}
        seen = set[int]()
        for element in texts["peerscu"]:
            uid = self._number(element, "uid")
            if uid in seen:
                raise self._error(element, f"the uid {uid} appears twice")
            seen.add(uid)
            contributors = self._contributors(element, offsets, None)
            if not self._is_known(element, uid, pyramid, scus.get(uid), bool(contributors)):
                continue
            if contributors:
                marks[uid] = contributors
            if element.get("comment"):
                comments[uid] = element.get("comment") or ""
        return PeerAnnotation(pyramid, text, marks, comments, tuple(self.findings), self.file)

    def _is_known(self, element: Element, uid: int, pyramid: Pyramid, scu: SCU | None, is_said: bool) -> bool:
        """Return whether the pyramid has the SCU of a peer's element; report a different label or weight."""
        label = self._attribute(element, "label")
        if uid == NOT_IN_PYRAMID:
            return True
        if scu is None:
            if is_said:
                raise self._error(element, f"the pyramid has no SCU {uid}, yet the peer has contributors to it")
            self._report("unknown-scu", f"the pyramid has no SCU {uid}", element, LEFT_OUT)
            return False
        words = scu.label.split()
        if words == label.split():
            return True
        weight = WEIGHT.match(label)
        if words != WEIGHT.sub("", label, count=1).split():
            self._report("other-label", f"the pyramid calls SCU {uid} by another label", element, "the pyramid's holds")
        elif weight and int(weight[1]) != pyramid.weight(scu):
            message = f"SCU {uid} weighs {weight[1]} here, and {pyramid.weight(scu)} by its contributors"
            self._report("other-weight", message, element, "each summary counts once")
        return True

    def _contributors(self, element: Element, offsets: _Offsets, pyramid: Pyramid | None) -> tuple[Contributor, ...]:
        contributors = []
        for child in self._children(element, "contributor")["contributor"]:
            parts = tuple(self._part(part, offsets, pyramid) for part in self._children(child, "part")["part"])
            if not parts:
                raise self._error(child, "this contributor has no part")
            contributor = Contributor(parts, self._attribute(child, "label"), child.get("comment") or "")
            summaries = {pyramid.summary_at(part.start) for part in parts} if pyramid else set()
            if None in summaries:
                self._report("no-summary", "a part of this contributor is in no summary", child)
            elif len(summaries) > 1:
                self._report("several-summaries", "the parts of this contributor are in several summaries", child)
            contributors.append(contributor)
        return tuple(contributors)

    def _part(self, element: Element, offsets: _Offsets, pyramid: Pyramid | None) -> ContributorPart:
        label = "".join(self._attribute(element, "label").split())
        start, end = self._number(element, "start"), self._number(element, "end")
        part = offsets.part(start, end)
        if part and offsets.matches(part, label):
            return part
        self.moved += 1
        if self.moved > MAX_MOVED:
            raise self._error(element, f"more than {MAX_MOVED} parts do not say what stands at their offsets")
        at = offsets.part(start, start + 1)
        summary = pyramid.summary_at(at.start) if pyramid and at else None
        places = offsets.find(label, summary.start, summary.end) if summary else []
        places = places or offsets.find(label, 0, len(offsets.text))
        if len(places) != 1:
            times = "nowhere else" if not places else "in several places"
            message = f"these words do not stand at {start}-{end}, and {times}: {element.get('label')!r:.80}"
            raise self._error(element, message)
        fix = f"moved to {places[0].start}-{places[0].end}"
        self._report("offsets", f"the words of this part do not stand at {start}-{end}", element, fix)
        return places[0]

    def _lines(self, parent: Element, texts: Sequence[Element]) -> str:
        if len(texts) != 1:
            raise self._error(parent, f"<text> is expected once and appears {len(texts)} times")
        lines = self._children(texts[0], "line")["line"]
        for line in lines:
            if len(line):
                raise self._error(line, "a line holds words alone")
        text = "\n".join(line.text or "" for line in lines)
        if len(text) > MAX_TEXT_LENGTH:
            raise self._error(texts[0], f"a text of more than {MAX_TEXT_LENGTH:,} characters is not read")
        return text

    def _children(self, element: Element, *tags: str) -> dict[str, list[Element]]:
        """Return the children by tag; children with other tags are reported."""
        children: dict[str, list[Element]] = {tag: [] for tag in tags}
        for child in element:
            if child.tag in children:
                children[str(child.tag)].append(child)
            else:
                message = f"<{child.tag!s}> is not known within <{element.tag!s}>"
                self._report("unknown-element", message, child, LEFT_OUT)
        return children

    def _attribute(self, element: Element, name: str) -> str:
        value = element.get(name)
        if value is None:
            raise self._error(element, f"<{element.tag!s}> has no {name}")
        return value

    def _number(self, element: Element, name: str) -> int:
        value = self._attribute(element, name).strip()
        if not NUMBER.fullmatch(value):
            raise self._error(element, f"{name} is a number of at most 9 digits, not {value[:30]!r}")
        return int(value)

    def _error(self, element: Element, message: str) -> FormatError:
        return FormatError(message, self.file, element.sourceline)

    def _report(self, code: str, message: str, element: Element, fix: str = "") -> None:
        self.findings.append(Finding(code, message, self.file, element.sourceline, fix, left_out=fix == LEFT_OUT))


class _Offsets:
    """A text, the file's unit of offsets, and the characters without white space, which labels are compared with."""

    def __init__(self, text: str, parts: Sequence[Element]) -> None:
        self.text = text
        self.places = [place for place, character in enumerate(text) if not character.isspace()]
        self.squeezed = "".join(text.split())
        # The number of characters other than white space before each offset.
        self.before = list(accumulate((not character.isspace() for character in text), initial=0))
        self.units: Units | None = None
        if max(text, default="") > "\uffff":
            in_characters = sum(1 for _ in self.matching(parts))
            self.units = Units(text)
            if in_characters > sum(1 for _ in self.matching(parts)):
                self.units = None

    def matching(self, parts: Iterable[Element]) -> Iterator[ContributorPart]:
        """Yield the parts whose label equals the text at their offsets."""
        for element in parts:
            start, end = element.get("start") or "", element.get("end") or ""
            if NUMBER.fullmatch(start.strip()) and NUMBER.fullmatch(end.strip()):
                part = self.part(int(start), int(end))
                if part and self.matches(part, "".join((element.get("label") or "").split())):
                    yield part

    def part(self, start: int, end: int) -> ContributorPart | None:
        """Return the part between two offsets in the file's unit, or None if the offsets are invalid."""
        first, last = (start, end) if self.units is None else (self.units.point(start), self.units.point(end))
        if first is None or last is None or not 0 <= first < last <= len(self.text):
            return None
        return ContributorPart(first, last)

    def matches(self, part: ContributorPart, label: str) -> bool:
        """Return whether a label without white space equals the text of a part, in time linear in the label."""
        start, end = self.before[part.start], self.before[part.end]
        return end - start == len(label) and self.squeezed.startswith(label, start)

    def find(self, label: str, start: int, end: int) -> list[ContributorPart]:
        """Return the first two occurrences of a label without white space between two offsets."""
        low, high = self.before[start], self.before[end]
        places: list[ContributorPart] = []
        while label and len(places) < 2:
            at = self.squeezed.find(label, low, high)
            if at < 0:
                break
            places.append(ContributorPart(self.places[at], self.places[at + len(label) - 1] + 1))
            low = at + 1
        return places
