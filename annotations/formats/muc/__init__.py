"""MUC-6 and MUC-7 coreference: SGML with COREF tags in the running text.

    <COREF ID="1" MIN="Fribble">Ms. Fribble</COREF> said <COREF ID="2" TYPE="IDENT" REF="1">she</COREF> is out.

* The text of a document is all that stands between <DOC> and </DOC> without the tags, each line end as it is. A file
  without <DOC> is one document. Several in a file are named by their DOCNO or DOCID.
* Zones of the header become segments named by their tags; <p>, <s> and <TURN>, closed or not, become paragraphs,
  sentences and turns; all of them without the white space at their edges.
* Coded are HL, DATELINE, the second DD, and TXT or TEXT without the lines that begin with @. A COREF elsewhere is left
  out; what pointed to it points to what it pointed to. Where there is no TXT or TEXT, all is coded.
* Every COREF is answered, by a pointer or by none: where entities are asked for, one without links is an entity of one.
  REF may point forward. STATUS (or STAT) OPT is optional.
* Where no COREF has a REF, and several have one ID, an ID is that of an entity, as in OntoNotes.
* An ID is the label of its markable, unless it only counts the COREF tags of the document from 1.
* MIN is looked for in the markable, all white space being one blank; its first place is the head, one as whole words
  before others. Alternatives are parted by |. Where this would find other words than the head, the writer adds
  MINSPAN, the characters of the markable that are meant (MINSPAN="4-11").
"""

from annotations.formats.model.features import ALL_CHARACTERS, Feature
from annotations.formats.model.format import SLIPS, Format, Option
from annotations.formats.muc.reading import read
from annotations.formats.muc.writing import write

__all__ = ["FORMAT", "read", "write"]

FORMAT = Format(
    "muc",
    "MUC coreference (SGML)",
    (".sgm", ".sgml", ".muc", ".coref"),
    read,
    write=write,
    supported_features=frozenset(
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
        }
    )
    | ALL_CHARACTERS,
    options=(
        Option(
            "zones",
            "Markables outside the zones that MUC-6 codes",
            (("leave", "are left out, each of them named"), ("keep", "are kept")),
        ),
        SLIPS,
    ),
)
