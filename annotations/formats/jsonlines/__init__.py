"""JSON lines in the style of OntoNotes: one text a line, its coreference clusters as pairs of word numbers.

    {"doc_key": "walk", "sentences": [["Anna", "sang"], ["She", "won"]], "clusters": [[[0, 0], [2, 2]]]}

A mention is its first and last word, from 0. The option "offsets", or else the keys (`dialects`), may say otherwise.
"""

from annotations.formats.jsonlines.dialects import CHARACTERS, CONVENTIONS, EXCLUSIVE, INCLUSIVE
from annotations.formats.jsonlines.reading import read, read_each
from annotations.formats.jsonlines.writing import write
from annotations.formats.model.features import ALL_CHARACTERS, CHAINS_OF_WORDS, Feature
from annotations.formats.model.format import SLIPS, Format, Option

OFFSETS = Option(
    "offsets",
    "Offsets",
    (("", "as the keys of the files say, else words"), *((name, rule.label) for name, rule in CONVENTIONS.items())),
)
OFFSETS_WRITTEN = Option(
    "offsets", "Offsets", tuple((name, CONVENTIONS[name].label) for name in (INCLUSIVE, EXCLUSIVE, CHARACTERS))
)
CLUSTERS = Option("clusters", "Key of the chains in the files", example="predicted_clusters")

FORMAT = Format(
    "jsonlines",
    "JSON lines",
    (".jsonlines", ".jsonl", ".json"),
    read,
    write=write,
    in_words=True,
    names_questions=True,
    supported_features=CHAINS_OF_WORDS
    | ALL_CHARACTERS
    | {
        Feature.RELATIONS,
        Feature.ATTRIBUTES,
        Feature.SPLIT_RELATION,
        Feature.SPLIT,
        Feature.TARGETS,
        Feature.UNCODED,
        Feature.UNLINKED,
        Feature.CROSSING_IN_CHAIN,
    },
    options=(OFFSETS, CLUSTERS, SLIPS),
    options_written=(OFFSETS_WRITTEN,),
    read_each=read_each,
)
