"""JSON lines in the style of OntoNotes: one text a line, its coreference clusters as pairs of word numbers.

    {"doc_key": "walk", "sentences": [["Anna", "sang"], ["She", "won"]], "clusters": [[[0, 0], [2, 2]]]}

Read:
* `sentences`, or `tokens` for one list of words; `speakers` of the same shape. The text is `text` where the line has
  one and the words stand in it one after the other, else the words joined by a blank, one sentence a line.
* A mention is its first and last word, counted through the whole text from 0. The option "offsets" says whether the
  last one is included, or what else is counted; without it `dialects` tells by the keys, and a finding says what the
  numbers look like otherwise.
* With `mentions` a cluster may be the numbers of its mentions; a mention in no cluster goes together with nothing.
  `plurals` are pairs of an anaphor and one of its split antecedents, by number: an anaphor in a cluster of its own is
  made of these, another one is in the chain of each. `includes` has for each cluster those that it is made of.
* `attributes` has for each of the mentions its answers, or null where nobody answered: `[{"gender": "f"}, {}, null]`.
  Several values are a list. Beside it `relations` are mentions, by number, with what the first is to the second:
  `[[2, 0, "bridging"]]`; a number after that is the reading, and targets of one reading are meant together.
* A line without `clusters` is a text that is not coded. Other keys that hold spans are counted in a finding; the option
  "clusters" says which of them is read.

Written is one file: doc_key, sentences, speakers ("-" for nobody), clusters, and `text`, which keeps the spacing. Where
clusters do not say all, `mentions`, `attributes`, `relations` and `plurals` are written too, and `offsets` where the
numbers leave open how they are counted.
"""

from annotations.formats.jsonlines.offsets import CHARACTERS, CONVENTIONS, EXCLUSIVE, INCLUSIVE
from annotations.formats.jsonlines.reading import read, read_each
from annotations.formats.jsonlines.writing import write
from annotations.formats.model.features import ALL_CHARACTERS, Feature
from annotations.formats.model.format import SLIPS, Format, Option

OFFSETS = Option(
    "offsets",
    "Offsets",
    (("", "as the keys of the files say, else words"), *((name, each.label) for name, each in CONVENTIONS.items())),
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
    supported_features=frozenset(
        {
            Feature.RELATIONS,
            Feature.ATTRIBUTES,
            Feature.SPLIT_RELATION,
            Feature.SPLIT,
            Feature.TARGETS,
            Feature.INDICES,
            Feature.SEVERAL_CHAINS,
            Feature.UNCODED,
            Feature.UNLINKED,
            Feature.CROSSING,
            Feature.CROSSING_IN_CHAIN,
            Feature.SENTENCES,
            Feature.SPEAKERS,
        }
    )
    | ALL_CHARACTERS,
    options=(OFFSETS, CLUSTERS, SLIPS),
    options_written=(OFFSETS_WRITTEN,),
    read_each=read_each,
)

__all__ = ["FORMAT", "read", "read_each", "write"]
