"""CoNLL-U files with coreference in the MISC column, as in CorefUD and GUM: `Entity=(e1-person-2(e2)`."""

from annotations.formats.conll.conllu.draft import DEFAULT_FIELDS
from annotations.formats.conll.conllu.reading import ETYPE, LEFT_OUT, read
from annotations.formats.conll.conllu.writing import write
from annotations.formats.model.features import ALL_CHARACTERS, ANSWER_DETAILS, CHAINS_OF_WORDS, Feature
from annotations.formats.model.format import SLIPS, Format, Option

FORMAT = Format(
    "conllu",
    "CorefUD / CoNLL-U",
    (".conllu",),
    read,
    write=write,
    writes_each=True,
    in_words=True,
    supported_features=CHAINS_OF_WORDS
    | ANSWER_DETAILS
    | ALL_CHARACTERS
    | {
        Feature.RELATIONS,
        Feature.ATTRIBUTES,
        Feature.SPLIT,
        Feature.ENTITY_NAMES,
        Feature.DISCONTINUOUS,
        Feature.HEADS,
        Feature.TITLE,
    },
    options=(
        Option("categories", "Entity types", ((LEFT_OUT, "left out"), (ETYPE, "are the categories (etype)"))),
        Option("fields", "Fields of a mention, where no line “global.Entity” names them", example=DEFAULT_FIELDS),
        SLIPS,
    ),
    names_categories=True,
    names_questions=True,
    ways={"category": "categories=none"},
)
