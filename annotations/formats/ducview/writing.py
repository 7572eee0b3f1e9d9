"""Write pyramids and peer annotations as files."""

from collections.abc import Iterable, Iterator
from itertools import chain

from annotations.formats.losses.rules import NOT_IN_XML
from annotations.formats.model.pyramid import NOT_IN_PYRAMID, SCU, Contributor, PeerAnnotation, Pyramid
from annotations.formats.syntax.units import Units
from annotations.formats.syntax.xml import escape

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
    """Return a .pyr file; `find_losses` lists what is left out or replaced."""
    return _format_file("pyramid", PYRAMID_DTD, _pyramid_lines(pyramid))


def write_peer(annotation: PeerAnnotation) -> bytes:
    """Return a .pan file with every SCU of the pyramid, the heaviest first."""
    pyramid = annotation.pyramid
    weighed = sorted(((pyramid.weight(scu), scu) for scu in _writable_scus(pyramid)), key=lambda pair: -pair[0])
    labels = {scu.uid: f"({weight}) {scu.label}" for weight, scu in weighed} | {NOT_IN_PYRAMID: NON_MATCHING}
    units = Units(annotation.text)
    scus_of_peer = (
        SCU(uid, label, annotation.marks.get(uid, ()), annotation.comments.get(uid, ""))
        for uid, label in labels.items()
    )
    scus = chain.from_iterable(_scu_lines("peerscu", scu, annotation.text, units) for scu in scus_of_peer)
    body = ["<annotation>\n", *_text_lines(annotation.text), *scus, "</annotation>\n"]
    lines = ["<peerAnnotation>\n", *_pyramid_lines(pyramid), *body, "</peerAnnotation>\n"]
    return _format_file("peerAnnotation", PEER_DTD + PYRAMID_DTD, lines)


def find_losses(written: Pyramid | PeerAnnotation) -> list[str]:
    """Return a message for each loss of writing; empty if the file holds everything."""
    pyramid = written if isinstance(written, Pyramid) else written.pyramid
    without = (scu for scu in pyramid.scus if not _contributors(scu))
    losses = [f"SCU {scu.uid} ({scu.label[:60]}) has no contributor and is left out" for scu in without]
    texts = [pyramid.text, pyramid.boundary, *chain.from_iterable(_all_texts(scu) for scu in pyramid.scus)]
    if isinstance(written, PeerAnnotation):
        uids = {NOT_IN_PYRAMID, *(scu.uid for scu in _writable_scus(pyramid))}
        losses += [f"contributors to SCU {uid} are left out" for uid in written.marks if uid not in uids]
        texts += [written.text, *written.comments.values()]
        texts += chain.from_iterable(_all_texts(SCU(uid, "", scus)) for uid, scus in written.marks.items())
    replaced = sum(len(NOT_IN_XML.findall(text)) for text in texts)
    if replaced:
        losses.append(f"{replaced} characters that XML cannot hold become U+FFFD")
    return losses


def _all_texts(scu: SCU) -> Iterator[str]:
    yield from (scu.label, scu.comment)
    for contributor in scu.contributors:
        yield from (contributor.label, contributor.comment)


def _contributors(scu: SCU) -> list[Contributor]:
    return [contributor for contributor in scu.contributors if contributor.parts]


def _writable_scus(pyramid: Pyramid) -> list[SCU]:
    """Return the SCUs with contributors, the only SCUs that a file can hold."""
    return [scu for scu in pyramid.scus if _contributors(scu)]


def _format_file(root: str, dtd: str, body: Iterable[str]) -> bytes:
    head = f'<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE {root} [\n{dtd}]>\n'
    return NOT_IN_XML.sub("\N{REPLACEMENT CHARACTER}", head + "".join(body)).encode()


def _pyramid_lines(pyramid: Pyramid) -> Iterator[str]:
    yield "<pyramid>\n"
    if pyramid.boundary:
        # DUCView writes a CDATA section, which cannot hold every expression.
        is_plain = "]]>" not in pyramid.boundary and "\r" not in pyramid.boundary
        boundary = f"<![CDATA[{pyramid.boundary}]]>" if is_plain else escape(pyramid.boundary)
        yield f"<startDocumentRegEx>{boundary}</startDocumentRegEx>\n"
    yield from _text_lines(pyramid.text)
    units = Units(pyramid.text)
    for scu in _writable_scus(pyramid):
        yield from _scu_lines("scu", scu, pyramid.text, units)
    yield "</pyramid>\n"


def _text_lines(text: str) -> Iterator[str]:
    yield " <text>\n"
    for line in text.split("\n"):
        yield f"  <line>{escape(line)}</line>\n"
    yield " </text>\n"


def _scu_lines(tag: str, scu: SCU, text: str, units: Units) -> Iterator[str]:
    yield f' <{tag} uid="{scu.uid}"{_label_and_comment(scu.label, scu.comment)}>\n'
    for contributor in _contributors(scu):
        words = [text[part.start : part.end].replace("\n", "") for part in contributor.parts]
        yield f"  <contributor{_label_and_comment(contributor.label or '...'.join(words), contributor.comment)}>\n"
        for part, word in zip(contributor.parts, words, strict=True):
            place = f'start="{units.unit(part.start)}" end="{units.unit(part.end)}"'
            yield f"   <part{_label_and_comment(word, '')} {place}/>\n"
        yield "  </contributor>\n"
    yield f" </{tag}>\n"


def _label_and_comment(label: str, comment: str) -> str:
    return f' label="{escape(label)}"' + (f' comment="{escape(comment)}"' if comment else "")
