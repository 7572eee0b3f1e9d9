"""CoNLL-U files with coreference in the MISC column, as in CorefUD and GUM: `Entity=(e1-person-2(e2)`.

Read:
* The text is the words with the spacing that SpaceAfter, SpacesAfter, SpacesBefore and SpacesInToken give. Sentences
  are parted by a blank, `# newpar` begins a new line. `# newdoc` begins a text.
* Of a multi-word token the surface form stands in the text. Where its words make it up (He and 's of He's), mentions
  begin and end on them; where they do not (zu and dem of zum), what begins or ends on one of them does so on it.
* Empty nodes count as words of a mention but have no characters: a mention of empty nodes alone is left out.
* `# global.Entity` names the fields of a mention, from its line on; without it they are those of the option "fields",
  else eid-etype-head-other, or types alone where no name has a digit. Types alone are markables without an entity.
  minspan, or else head, gives the least words (MIN).
* `SplitAnte=e1<e3,e2<e3`: the first mention of e3 is in the chains e3, e1 and e2.
* `Bridge=e1<e3:part` is a relation of e3, called by its subtype or else bridging, to the nearest mention of e1 before.
* Entity types are left out unless the option "categories" asks for them. Whatever else `other` says of a mention is an
  answer to an attribute.

Written are eid-etype-head-other, every other column empty. `other` holds what has no field of its own: minspan (`_` for
none, where the head is only a filler), label, chain (what the coder calls it), note, optional, unsure. A markable in
several chains is a mention for each of them; where all but one of three or more were named before, it is a mention of
the new one with SplitAnte. What has a meaning in the format is written as `&#45;` (the character's number), a comma as
`%2C`.
"""

from annotations.formats.conll.conllu.draft import DEFAULT_FIELDS
from annotations.formats.conll.conllu.reading import ETYPE, LEFT_OUT, read
from annotations.formats.conll.conllu.writing import write
from annotations.formats.model.features import ALL_CHARACTERS, ANSWER_DETAILS, Feature
from annotations.formats.model.format import SLIPS, Format, Option

__all__ = ["FORMAT", "read", "write"]

FORMAT = Format(
    "conllu",
    "CorefUD / CoNLL-U",
    (".conllu",),
    read,
    write=write,
    in_words=True,
    supported_features=frozenset(
        {
            Feature.RELATIONS,
            Feature.ATTRIBUTES,
            Feature.SPLIT,
            Feature.INDICES,
            Feature.SEVERAL_CHAINS,
            Feature.ENTITY_NAMES,
            Feature.DISCONTINUOUS,
            Feature.CROSSING,
            Feature.HEADS,
            Feature.SENTENCES,
            Feature.SPEAKERS,
            Feature.TITLE,
        }
    )
    | ANSWER_DETAILS
    | ALL_CHARACTERS,
    options=(
        Option("categories", "Entity types", ((LEFT_OUT, "left out"), (ETYPE, "are the categories (etype)"))),
        Option("fields", "Fields of a mention, where no line “global.Entity” names them", example=DEFAULT_FIELDS),
        SLIPS,
    ),
    names_categories=True,
    names_questions=True,
    ways={"category": "categories=none"},
)
