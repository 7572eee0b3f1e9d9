from dataclasses import dataclass, field

import pytest

from annotations.formats import Bundle, FormatError
from annotations.formats.ducview import read
from annotations.formats.model.pyramid import PeerAnnotation

ONE, TWO = "Rain fell for days.\nRivers rose.", "It rained a lot."
RULE = "-" * 17
# The text of a pyramid of DUC 2007: a number first, names between rules.
TEXT = f"#4\n\n\n{RULE}\n D0701-A.M.100.E.B\n{RULE}\n\n{ONE}\n\n{RULE}\n D0701-A.M.100.E.C\n{RULE}\n\n{TWO}\n"
EXPRESSION = r"<startDocumentRegEx><![CDATA[[-]*\n D[0-9]*-[A-Z]\.M\.100\.[A-Z]\.[A-Z]\n[-]*\n]]></startDocumentRegEx>"
PEER = "It rained there. Dogs barked."
# The words of the contributors of each SCU, and the weights.
RAINED, ROSE = [["Rain fell"], ["It rained"]], [["Rivers rose"]]
WORDS = {1: RAINED, 48: ROSE}


@dataclass(frozen=True, kw_only=True)
class Dialect:
    """A file with the expected pyramid, or with words of the expected error. peer: words of the peer for each SCU."""

    file: str | bytes
    words: dict[int, list[list[str]]] = field(default_factory=lambda: WORDS)
    weights: tuple[int, ...] = (2, 1)
    summaries: tuple[str, ...] = (ONE, TWO)
    peer: dict[int, list[list[str]]] | None = None
    findings: tuple[str, ...] = ()
    n_left_out: int = 0
    refused: str = ""


def lines_of(text: str) -> str:
    return f"<text>{''.join(f'<line>{line}</line>' for line in text.split(chr(10)))}</text>"


def part(words: str, text: str, shift: int = 0) -> str:
    start = text.index(words) + shift
    return f'<part label="{words}" start="{start}" end="{start + len(words)}"/>'


def scu(uid: int | str, label: str, *contributors: str, text: str = TEXT, tag: str = "scu", shift: int = 0) -> str:
    """Return an SCU on one line. contributors: their words, parts joined by three dots."""
    inner = "".join(
        f'<contributor label="{words}">{"".join(part(each, text, shift) for each in words.split("..."))}</contributor>'
        for words in contributors
    )
    return f'<{tag} uid="{uid}" label="{label}">{inner}</{tag}>'


SCUS = (scu(1, "It rained", "Rain fell", "It rained"), scu(48, "Rivers rose (YEAR conflicts)", "Rivers rose"))


def pyr(*scus: str, text: str = TEXT, expression: str = EXPRESSION, head: str = '<?xml version="1.0"?>\n') -> str:
    """Return a pyramid whose first SCU stands in line 5."""
    return f"{head}<pyramid>\n{expression}\n{lines_of(text)}\n" + "\n".join(scus or SCUS) + "\n</pyramid>\n"


def pan(*scus: str, text: str = PEER, behind: str = "") -> str:
    """Return a peer annotation whose first SCU stands in line 10."""
    return (
        f'<?xml version="1.0"?>\n<peerAnnotation>\n{pyr(head="").strip()}\n<annotation>{lines_of(text)}\n'
        + "\n".join(scus)
        + f"\n</annotation>{behind}\n</peerAnnotation>\n"
    )


def said(uid: int, label: str, *contributors: str, text: str = PEER) -> str:
    return scu(uid, label, *contributors, text=text, tag="peerscu")


NO_NUMBERS = said(48, "(1) Rivers rose (YEAR conflicts)")
PYRAMIDS = {
    "DUC 2007: names between rules, a number before the first": Dialect(file=pyr()),
    "an internal DTD, CRLF": Dialect(
        file=pyr(head='<?xml version="1.0"?>\n<!DOCTYPE pyramid [\n <!ELEMENT pyramid (text,scu*)>\n]>\n').replace(
            "\n", "\r\n"
        )
    ),
    "no expression, lines of dashes": Dialect(file=pyr(expression=""), findings=("summaries is missing; lines that",)),
    "an expression of Java that is not run": Dialect(
        file=pyr(expression="<startDocumentRegEx>(?&lt;=\\n)-+\\n D.*</startDocumentRegEx>"),
        findings=("is not run: RE2 refuses it: invalid perl operator: (?<=; lines that begin with ---",),
    ),
    "offsets that are one too high": Dialect(
        file=pyr(*(scu(1, "It rained", "Rain fell", "It rained", shift=1), SCUS[1])),
        findings=("do not stand at 62-71 (moved to 61-70)", "do not stand at 152-161 (moved to 151-160)"),
    ),
    "offsets that count CRLF": Dialect(
        file=pyr(scu(1, "It rained", "Rain fell", "It rained", text=TEXT.replace("\n", "\r\n")), SCUS[1]),
        findings=("moved to 61-70", "moved to 151-160"),
    ),
    "weights and summaries as attributes": Dialect(
        file=pyr().replace('<scu uid="1"', '<scu weight="2" uid="1"').replace("<contributor", '<contributor model="B"'),
        findings=(
            "1 values of the attribute weight of <scu> (left out)",
            "3 values of the attribute model of <contrib",
        ),
        n_left_out=2,
    ),
    "two contributors of one summary": Dialect(
        file=pyr(scu(1, "It rained", "Rain fell", "for days", "It rained"), SCUS[1]),
        words={1: [["Rain fell"], ["for days"], ["It rained"]], 48: ROSE},
    ),
    "UTF-16": Dialect(file=pyr().encode("utf-16")),
    "a bare ampersand": Dialect(
        file=pyr().replace("a lot", "R&D"), refused="d1.pyr:4:346: this is not well-formed XML"
    ),
    "an entity of HTML": Dialect(file=pyr().replace("a lot", "&eacute;"), refused="Entity 'eacute' not defined"),
    "an element that is not known": Dialect(
        file=pyr(*SCUS, "<note>hm</note>"), findings=("<note> is not known within <pyramid> (left out)",), n_left_out=1
    ),
    "an SCU without a contributor": Dialect(
        file=pyr(*SCUS, '<scu uid="2" label="Dogs barked"></scu>'),
        words=WORDS | {2: []},
        weights=(2, 1, 0),
        findings=("SCU 2 has no contributor",),
    ),
    "a contributor of two summaries": Dialect(
        file=pyr(scu(1, "It rained", "Rivers rose...It rained")),
        words={1: [["Rivers rose", "It rained"]]},
        weights=(1,),
        findings=("the parts of this contributor are in several summaries",),
    ),
    "a contributor in a header": Dialect(
        file=pyr(scu(1, "It rained", "D0701-A.M.100.E.C")),
        words={1: [["D0701-A.M.100.E.C"]]},
        weights=(0,),
        findings=("a part of this contributor is in no summary",),
    ),
}
PEERS = {
    "DUC 2007: weights before labels, uid 0 last": Dialect(
        file=pan(
            said(1, "(2) It rained", "It rained"), NO_NUMBERS, said(0, "All non-matching SCUs go here", "Dogs barked")
        ),
        peer={1: [["It rained"]], 0: [["Dogs barked"]]},
    ),
    "a contributor of two parts": Dialect(
        file=pan(said(1, "(2) It rained", "It rained...there"), NO_NUMBERS), peer={1: [["It rained", "there"]]}
    ),
    "no weights before labels": Dialect(
        file=pan(said(1, "It rained", "It rained"), NO_NUMBERS), peer={1: [["It rained"]]}
    ),
    "weights of another pyramid": Dialect(
        file=pan(said(1, "(3) It rained", "It rained"), NO_NUMBERS),
        peer={1: [["It rained"]]},
        findings=("d1.pyr:10: SCU 1 weighs 3 here, and 2 by its contributors (each summary counts once)",),
    ),
    "labels of another pyramid": Dialect(
        file=pan(said(1, "(2) It poured", "It rained"), NO_NUMBERS),
        peer={1: [["It rained"]]},
        findings=("the pyramid calls SCU 1 by another label (the pyramid's holds)",),
    ),
    "SCUs of the pyramid alone that the peer expresses": Dialect(
        file=pan(said(1, "(2) It rained", "It rained")), peer={1: [["It rained"]]}
    ),
    "a score behind the annotation": Dialect(
        file=pan(said(1, "(2) It rained", "It rained"), behind="<score>.5</score>"), peer={1: [["It rained"]]}
    ),
    "code points for UTF-16 units": Dialect(
        file=pan(said(1, "(2) It rained", "It rained", text=f"😀 {PEER}"), text=f"😀 {PEER}"), peer={1: [["It rained"]]}
    ),
    "UTF-16 units": Dialect(
        file=pan(said(1, "(2) It rained", "It rained", text=f"xxx{PEER}"), text=f"😀 {PEER}"), peer={1: [["It rained"]]}
    ),
    "an SCU that the pyramid does not have, and the peer neither": Dialect(
        file=pan(said(1, "(2) It rained", "It rained"), said(7, "(1) Dogs barked")),
        peer={1: [["It rained"]]},
        findings=("the pyramid has no SCU 7 (left out)",),
        n_left_out=1,
    ),
}
CASES = [
    *(pytest.param(dialect, id=f"pyramid, {name}") for name, dialect in PYRAMIDS.items()),
    *(pytest.param(dialect, id=f"peer, {name}") for name, dialect in PEERS.items()),
]


@pytest.mark.parametrize("dialect", CASES)
def test_dialect_is_read_or_refused(dialect):
    bundle = Bundle.of("d1.pyr", dialect.file if isinstance(dialect.file, bytes) else dialect.file.encode())
    if dialect.refused:
        with pytest.raises(FormatError) as caught:
            read(bundle)
        assert dialect.refused in str(caught.value)
        return
    found = read(bundle)
    pyramid = found.pyramid if isinstance(found, PeerAnnotation) else found
    told = [str(finding) for finding in found.findings]
    assert len(told) == len(dialect.findings), told
    assert all(any(words in finding for finding in told) for words in dialect.findings), told
    assert sum(finding.left_out for finding in found.findings) == dialect.n_left_out
    assert tuple(map(pyramid.content, pyramid.summaries)) == dialect.summaries
    assert {each.uid: words_of(pyramid.text, each.contributors) for each in pyramid.scus} == dialect.words
    assert tuple(map(pyramid.weight, pyramid.scus)) == dialect.weights
    assert isinstance(found, PeerAnnotation) == (dialect.peer is not None)
    if isinstance(found, PeerAnnotation):
        assert {uid: words_of(found.text, contributors) for uid, contributors in found.marks.items()} == dialect.peer


def words_of(text: str, contributors) -> list[list[str]]:
    return [[text[each.start : each.end] for each in contributor.parts] for contributor in contributors]
