from typing import Any

from annotations.formats import Links
from tests.annotations.formats.dialects import Dialect, check_dialect, each_of, read_files

TEXT = "Anna saw her dog. She waved."
MARKED = (
    '<COREF ID="1">Anna</COREF> saw <COREF ID="2" MIN="dog"><COREF ID="3" TYPE="IDENT" REF="1">her</COREF> dog'
    '</COREF>. <COREF ID="4" TYPE="IDENT" REF="3">She</COREF> waved.'
)
POINTERS = {"her": ["Anna"], "She": ["her"]}
MARKABLES = ["Anna", "her dog", "her", "She"]
CHAINS = [["Anna", "her", "She"], ["her dog"]]


def muc(content: str | bytes, text: str = TEXT, **expected: Any) -> Dialect:
    return Dialect(files={"walk.sgm": content}, text=text, **expected)


def tagged(*attributes: str, tag: str = "COREF") -> str:
    """Return the text with the four tags, each with attributes."""
    anna, dog, her, she = attributes
    close = f"</{tag}>"
    return (
        f"<{tag} {anna}>Anna{close} saw <{tag} {dog}><{tag} {her}>her{close} dog{close}. <{tag} {she}>She{close} waved."
    )


ONTONOTES = tagged(*(f'ID="{entity}" TYPE="IDENT"' for entity in (8, 12, 8, 8)))

DIALECTS = {
    "MUC-6: header, second DD, lines that begin with @": muc(
        "<DOC>\n<DOCNO> 911-3 </DOCNO>\n<DD> = 911 </DD>\n<HL> <COREF ID='0'>Dogs</COREF> </HL>\n<TXT>\n<p>\n"
        f"{MARKED}\n</p>\n@ <COREF ID='9' REF='0'>dogs</COREF>\n</TXT>\n</DOC>\n",
        text=f"\n 911-3 \n = 911 \n Dogs \n\n\n{TEXT}\n\n@ dogs\n\n",
        pointers=POINTERS,
        markables=["Dogs", *MARKABLES],
        findings=("COREF 9 stands where MUC-6 codes nothing",),
    ),
    "MUC-7: attributes without quotes, MIN with alternatives, optional": muc(
        "<DOC>\n<DOCID> nyt.1 </DOCID>\n<STORYID cat=w pri=u> A1 </STORYID>\n<TEXT>\n"
        + tagged("ID=1", 'ID=2 MIN="cat|dog" STATUS="OPT"', "ID=3 TYPE=IDENT REF=1", "ID=4 TYPE=IDENT REF=3")
        + "\n</TEXT>\n</DOC>",
        text=f"\n nyt.1 \n A1 \n\n{TEXT}\n\n",
        pointers=POINTERS,
        markables=MARKABLES,
    ),
    "Stanford: words with tags of parts of speech, names in tags of their own": muc(
        '<s> <COREF ID="13">\n<PERSON> Anna/NNP</PERSON></COREF> saw/VBD <COREF ID="14" TYPE="IDENT" REF="13"> '
        "her/PRP$</COREF> dog/NN ./. </s>",
        text=" \n Anna/NNP saw/VBD  her/PRP$ dog/NN ./. ",
        pointers={" her/PRP$": ["\n Anna/NNP"]},
        findings=("1 tags <PERSON>", "the words have tags behind a slash, such as Anna/NNP"),
    ),
    "OntoNotes: an ID for each entity": muc(
        f'<DOC DOCNO="nw/walk@all@on">\n<TEXT PARTNO="000">\n{ONTONOTES}\n</TEXT>\n</DOC>\n',
        text=f"\n\n{TEXT}\n\n",
        chains={"8": ["Anna", "her", "She"], "12": ["her dog"]},
    ),
    "OntoNotes: parts that count anew, appositions": muc(
        '<DOC DOCNO="walk">\n<TEXT PARTNO="000">\n<COREF ID="8" TYPE="IDENT">Anna</COREF> saw <COREF ID="8" '
        'TYPE="IDENT">her</COREF>.\n</TEXT>\n<TEXT PARTNO="001">\n<COREF ID="8" TYPE="IDENT">A dog</COREF>, '
        '<COREF ID="9" TYPE="APPOS" SUBTYPE="ATTRIB">a pet</COREF>. <COREF ID="8" TYPE="IDENT">It</COREF> barked.\n'
        "</TEXT>\n</DOC>",
        text="\n\nAnna saw her.\n\n\nA dog, a pet. It barked.\n\n",
        chains={"000-8": ["Anna", "her"], "001-8": ["A dog", "It"]},
        findings=("1 COREF of the type APPOS, not IDENT", "1 attributes SUBTYPE"),
    ),
    "xrenner: groups with types and information status": muc(
        '<DOC DOCNO="walk">\n<TEXT PARTNO="000">\n'
        + tagged(
            'ID="1" ENTITY="person" INFSTAT="new"',
            'ID="2" ENTITY="animal" INFSTAT="new"',
            'ID="1" ENTITY="person" INFSTAT="giv" TYPE="ana"',
            'ID="1" ENTITY="person" INFSTAT="giv" TYPE="ana"',
        )
        + "\n</TEXT>\n</DOC>\n",
        text=f"\n\n{TEXT}\n\n",
        chains=CHAINS,
        findings=("4 attributes ENTITY", "4 attributes INFSTAT", "2 types ANA of COREF (read as IDENT)"),
    ),
    "a course: numbered sentences, IDs without REF": muc(
        '<TXT>\n<S ID="1"> <COREF ID="1">Anna</COREF> saw <COREF ID="X4">her dog</COREF>. </S>\n</TXT>\n',
        text="\n Anna saw her dog. \n\n",
        markables=["Anna", "her dog"],
        links=Links.POINTERS,
    ),
    "tags of issues with several names": muc(
        "<ANAPHOR ID='1'>this issue</ANAPHOR> <B>and</B> <B>so</B> on",
        text="this issue and so on",
        markables=[],
        findings=("2 tags <B>", "1 tags <ANAPHOR>"),
    ),
    "GNOME: elements of names and links": muc(
        tagged(*(f"id='ne{number}'" for number in range(4)), tag="ne")
        + '<ante current="ne2" rel="ident"><anchor ID="ne0"></ante>',
        markables=[],
        findings=("4 tags <NE>", "1 tags <ANTE>", "1 tags <ANCHOR>"),
    ),
    "line ends of Windows and a byte order mark": muc(
        b"\xef\xbb\xbf" + MARKED.replace(". ", ".\r\n").encode(), text=TEXT.replace(". ", ".\r\n"), pointers=POINTERS
    ),
    "other types of links": muc(
        tagged('ID="1"', 'ID="2" TYPE="PART" REF="1"', 'ID="3" TYPE="BRIDGE" REF="1"', 'ID="4" TYPE="PART" REF="2"'),
        markables=MARKABLES,
        findings=("2 REF of the type PART, not IDENT (left out)", "1 REF of the type BRIDGE"),
    ),
    "several antecedents": muc(
        tagged('ID="1"', 'ID="2"', 'ID="3" REF="1"', 'ID="4" REF="1 2"'),
        pointers={"her": ["Anna"]},
        findings=("COREF 4 refers to '1 2', which is no ID",),
    ),
    "a tag that is not closed": muc(
        '<TXT><COREF ID="1">Anna saw.</TXT>',
        refused="this COREF is not closed before </TXT>; slips=leave-out leaves out the mention",
    ),
    "slips, left out": muc(
        '<TXT><COREF ID="1">Anna</COREF> saw <COREF ID="9">her</TXT> </COREF><COREF ID="2" REF="1">She',
        options={"slips": "leave-out", "zones": "keep"},
        text="Anna saw her She",
        markables=["Anna"],
        findings=("is not closed before </TXT>", "</COREF> closes nothing", "this <COREF> is never closed"),
    ),
}


@each_of(DIALECTS)
def test_dialect_is_read_or_refused(dialect):
    check_dialect("muc", dialect)


def test_documents_are_named_by_attributes():
    documents = "".join(f'<DOC {name}="{number}">a</DOC>' for number, name in enumerate(("DOCNO", "docid", "id"), 1))
    assert [document.name for document in read_files("muc", muc(documents))] == ["1", "2", "3"]
