"""brat standoff: a text X.txt and its annotations X.ann.

    T1	Mention 0 4	Anna
    T2	Mention 10 13;18 21	her dog
    *	Coreference T1 T2
    R1	Antecedent Arg1:T2 Arg2:T1

A T line is a markable, a * line an entity, an R line a pointer or another relation. docs/formats.md describes
what is read, written, kept and lost.
"""

from annotations.formats.brat.names import SUFFIX, TEXT_SUFFIX
from annotations.formats.brat.reading import pair_files, read, text_file
from annotations.formats.brat.writing import write
from annotations.formats.model.features import ENTITIES, LAYOUT, Feature
from annotations.formats.model.format import SLIPS, Format, Option

FORMAT = Format(
    "brat",
    "brat standoff",
    (SUFFIX, TEXT_SUFFIX),
    read,
    pair_files,
    write,
    frozenset(Feature) - ENTITIES - LAYOUT - {Feature.SENTENCES},
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
