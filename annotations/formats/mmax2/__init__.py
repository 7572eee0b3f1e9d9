"""MMAX2 projects: words in one file, markables of each level in others, tied to the words by their ids."""

from annotations.formats.mmax2.project import bundle_projects
from annotations.formats.mmax2.reading import read
from annotations.formats.mmax2.writing import write
from annotations.formats.model.features import Feature
from annotations.formats.model.format import SLIPS, Format, Option

ATTRIBUTE = Option(
    "attribute",
    "The attribute that says what goes together, if not pointers to antecedents or, where there are none, sets",
    example="coref_class",
)

FORMAT = Format(
    "mmax2",
    "MMAX2 project",
    (".mmax",),
    read,
    bundle_projects,
    write,
    frozenset(Feature) - {Feature.TITLE, Feature.EDGES, Feature.SPACING, Feature.CONTROL_CHARACTERS},
    options=(ATTRIBUTE, SLIPS),
    options_written=(ATTRIBUTE,),
    binary=True,
    in_words=True,
    names_levels=True,
    names_categories=True,
    names_questions=True,
)
