r"""brat standoff: a text X.txt and its annotations X.ann.

    T1	Mention 0 4	Anna
    T2	Mention 10 13;18 21	her dog
    *	Coreference T1 T2
    R1	Antecedent Arg1:T2 Arg2:T1

* The text stays as it is, line ends included. Offsets count its code points, or UTF-16 units where only these fit. A
  byte order mark counts as one, as it does in brat, but is no part of the text. What a T line quotes must be what
  stands there.
* A T line is a markable, its type the level; Mention is the level that the project codes. brat cuts a span at line
  ends; what only such white space parts is one part.
* Each * line is an entity; of several names those that say identity are. A T in several stands in
  several, one in none is an entity of its own, as is one without R lines from or to it where an entity is asked for.
* LitBank names entities by the types of T lines of their own; an option reads them so.
* An R line is a pointer from its first argument, the anaphor, to its second; of several names those that say identity
  are, and the others are relations. Where there are * lines, R lines are left out, each name reported. `Relation-KEY`
  is another relation, with or without * lines; by an option every R line is one that does not say identity. R lines
  of one span with equal numbers as attribute Reading are meant together.
* Attributes: Category (with a key), Optional, Unsure, Uncoded (there is no answer), Unlinked (the answer is that it
  goes together with nothing: then it is not an entity of its own either).
* Notes: AnnotatorNotes are the coder's note, a line each; ChainName, Label and Min are what the coder calls the chain,
  the short name of the markable and the offsets of its least words.
* Other attributes and notes of T lines are answers to attributes: several values a line each, a text a note for each
  of its lines.
* Events, normalisations, and attributes and notes of other lines are left out and reported. annotation.conf is written,
  so that brat shows the rest, and not read.
"""

from annotations.formats.brat.names import SUFFIX, TEXT_SUFFIX
from annotations.formats.brat.reading import pair_files, read, text_file
from annotations.formats.brat.writing import write
from annotations.formats.model.features import Feature
from annotations.formats.model.format import SLIPS, Format, Option

__all__ = ["FORMAT", "pair_files", "read", "write"]

FORMAT = Format(
    "brat",
    "brat standoff",
    (SUFFIX, TEXT_SUFFIX),
    read,
    pair_files,
    write,
    frozenset(Feature)
    - {
        Feature.SPLIT_RELATION,
        Feature.SPLIT,
        Feature.ENTITY_NAMES,
        Feature.TARGETS,
        Feature.SENTENCES,
        Feature.SPEAKERS,
        Feature.SEGMENTS,
        Feature.TITLE,
    },
    (
        Option(
            "types",
            "Types of T lines",
            (
                ("levels", "are levels (Mention: the coded one)"),
                ("categories", "are categories"),
                ("attribute", "are answers to the attribute “type”"),
                ("chains", "with a number (London-1) are entities, others say nothing (LitBank)"),
                ("none", "say nothing"),
            ),
        ),
        Option(
            "shared",
            "A span in several * lines",
            (("several", "belongs to several entities"), ("merge", "makes them one entity")),
        ),
        Option(
            "relations",
            "R lines (in a file with * lines they never point)",
            (
                ("pointers", "point from the first argument to the second: of several names those called coreference"),
                ("names", "called antecedent, coreference or the like point; others are relations by their names"),
                ("all", "point, whatever their names"),
                ("leave", "are left out"),
            ),
        ),
        SLIPS,
    ),
    names_levels=True,
    names_categories=True,
    names_questions=True,
    ways={
        "level": "types=categories, types=attribute, types=chains or types=none",
        "category": "types=levels or types=none",
    },
    text_of=text_file,
)
