"""MUC-6 and MUC-7 coreference: SGML with COREF tags in the running text.

    <COREF ID="1" MIN="Fribble">Ms. Fribble</COREF> said <COREF ID="2" TYPE="IDENT" REF="1">she</COREF> is out.

If a reader would find MIN elsewhere than the head, the writer adds MINSPAN, the offsets of the head ("4-11").
"""

from annotations.formats.model.features import ALL_CHARACTERS, Feature
from annotations.formats.model.format import SLIPS, Format, Option
from annotations.formats.muc.reading import read
from annotations.formats.muc.writing import write

FORMAT = Format(
    "muc",
    "MUC coreference (SGML)",
    (".sgm", ".sgml", ".muc", ".coref"),
    read,
    write=write,
    writes_each=True,
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
