"""Pyramids and peer annotations -> files."""

from collections.abc import Iterable, Iterator
from itertools import chain

from annotations.formats.pyramid import NOT_IN_PYRAMID, SCU, Contributor, PeerAnnotation, Pyramid
from annotations.formats.rules import NOT_IN_XML
from annotations.formats.units import Units
from annotations.formats.xml import escaped

NON_MATCHING = "All non-matching SCUs go here"
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


def write_pyramid(pyramid: Pyramid) -> bytes:
    """A .pyr file. What it cannot hold, as `lost` says, is left out or replaced."""
    return _file("pyramid", PYRAMID_DTD, _pyramid(pyramid))


def write_peer(annotation: PeerAnnotation) -> bytes:
    """A .pan file: every SCU of the pyramid is in it, the heaviest first, whether or not the peer expresses it."""
    pyramid = annotation.pyramid
    weighed = sorted(((pyramid.weight(scu), scu) for scu in _filled(pyramid)), key=lambda pair: -pair[0])
    labels = {scu.uid: f"({weight}) {scu.label}" for weight, scu in weighed} | {NOT_IN_PYRAMID: NON_MATCHING}
    units = Units(annotation.text)
    said = (
        SCU(uid, label, annotation.marks.get(uid, ()), annotation.comments.get(uid, ""))
        for uid, label in labels.items()
    )
    scus = chain.from_iterable(_scu("peerscu", scu, annotation.text, units) for scu in said)
    body = ["<annotation>\n", *_text(annotation.text), *scus, "</annotation>\n"]
    lines = ["<peerAnnotation>\n", *_pyramid(pyramid), *body, "</peerAnnotation>\n"]
    return _file("peerAnnotation", PEER_DTD + PYRAMID_DTD, lines)


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
    units = Units(pyramid.text)
    for scu in _filled(pyramid):
        yield from _scu("scu", scu, pyramid.text, units)
    yield "</pyramid>\n"


def _verbatim(expression: str) -> str:
    """As DUCView writes it, unless a CDATA section cannot hold it."""
    if "]]>" in expression or "\r" in expression:
        return escaped(expression)
    return f"<![CDATA[{expression}]]>"


def _text(text: str) -> Iterator[str]:
    yield " <text>\n"
    for line in text.split("\n"):
        yield f"  <line>{escaped(line)}</line>\n"
    yield " </text>\n"


def _scu(tag: str, scu: SCU, text: str, units: Units) -> Iterator[str]:
    yield f' <{tag} uid="{scu.uid}"{_attribute("label", scu.label)}{_comment(scu.comment)}>\n'
    for contributor in _contributors(scu):
        words = [text[part.start : part.end].replace("\n", "") for part in contributor.parts]
        label = contributor.label or "...".join(words)
        yield f"  <contributor{_attribute('label', label)}{_comment(contributor.comment)}>\n"
        for part, word in zip(contributor.parts, words, strict=True):
            place = f'start="{units.unit(part.start)}" end="{units.unit(part.end)}"'
            yield f"   <part{_attribute('label', word)} {place}/>\n"
        yield "  </contributor>\n"
    yield f" </{tag}>\n"


def _attribute(name: str, value: str) -> str:
    return f' {name}="{escaped(value)}"'


def _comment(comment: str) -> str:
    return _attribute("comment", comment) if comment else ""
