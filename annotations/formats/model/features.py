"""The features of documents that formats may lack, and the display of a markable that loses one."""

from enum import StrEnum

from annotations.formats.model.document import Document, Mark

MAX_EXAMPLE_LENGTH = 60


class Feature(StrEnum):
    """A feature that a document may have, described in words; features are in the order of their removal."""

    CONTROL_CHARACTERS = "control characters (each becomes U+FFFD)"
    NO_SENTENCES = "other sentences than turns or lines, one after the other"
    LEVELS = "markables of other levels, and pointers to them"
    RELATIONS = "answers to relations besides identity"
    ATTRIBUTES = "answers to attributes"
    PLURAL = "antecedents that are meant together (alternatives instead)"
    POINTERS = "which antecedent was named (the chains stay)"
    SPLIT_RELATION = "what a plural entity is made of, several ways or part by part (whole entities instead)"
    SPLIT = "what a plural entity is made of (it stays, as an entity of its own)"
    INDICES = "the entities of markables in several chains (antecedents instead)"
    AMBIGUITY = "several antecedents of one markable (the nearest earlier one stays)"
    LATER = "antecedents that come later in the text"
    SEVERAL_CHAINS = "a markable in several chains (the first stays)"
    ENTITY_NAMES = "the names of entities (they are numbered)"
    UNCODED = "markables without an answer"
    UNLINKED = "markables answered as going together with nothing"
    DISCONTINUOUS = "gaps in markables (the words between are taken in)"
    EDGES = "white space at the edges of markables and of least words (trimmed)"
    CROSSING = "markables that cross an earlier one"
    CROSSING_IN_CHAIN = "markables that cross an earlier one of the same chain"
    TARGETS = (
        "which markable of an entity a relation names, and which together (the nearest earlier one instead, each alone)"
    )
    ANTECEDENTS = "which antecedent was named (the nearest earlier one that is not optional instead)"
    CATEGORIES = "categories that do not follow from the links"
    LINKED_CATEGORIES = "categories beside links that do not follow from them"
    HEADS = "least words (MIN)"
    OPTIONAL = "answers called optional"
    UNSURE = "answers called unsure"
    NOTES = "notes"
    NAMES = "what the coder calls a chain"
    LABELS = "short names of markables"
    SENTENCES = "sentences"
    SPEAKERS = "who says what"
    SEGMENTS = "turns, paragraphs and headers"
    TITLE = "title, language and direction of the text"
    SPACING = "white space other than one blank between words and a line end after a sentence"
    LEADING = "white space before the first word other than blanks (blanks instead), and markables that begin in it"


ALL_FEATURES = frozenset(Feature)
# Features of texts, not of answers: in a text that is cut for all its coders, each coder loses the same.
OF_TEXTS = frozenset(
    {
        Feature.CONTROL_CHARACTERS,
        Feature.NO_SENTENCES,
        Feature.SENTENCES,
        Feature.SPEAKERS,
        Feature.SEGMENTS,
        Feature.TITLE,
    }
)
# Details of an answer other than its category and links.
ANSWER_DETAILS = frozenset({Feature.OPTIONAL, Feature.UNSURE, Feature.NOTES, Feature.NAMES, Feature.LABELS})
# Features that all formats of words with chains support.
CHAINS_OF_WORDS = frozenset(
    {Feature.INDICES, Feature.SEVERAL_CHAINS, Feature.CROSSING, Feature.SENTENCES, Feature.SPEAKERS}
)
ALL_CHARACTERS = frozenset({Feature.SPACING, Feature.LEADING, Feature.CONTROL_CHARACTERS})
# Features that many formats lack: the layout of the text, and details of entities other than their mentions.
LAYOUT = frozenset({Feature.SPEAKERS, Feature.SEGMENTS, Feature.TITLE})
ENTITIES = frozenset({Feature.SPLIT_RELATION, Feature.SPLIT, Feature.ENTITY_NAMES, Feature.TARGETS})


def describe_mark(document: Document, mark: Mark) -> str:
    """Return the words and offsets of a markable, as an example shows them."""
    words = " … ".join(document.content[start:end] for start, end in mark.parts)
    words = words if len(words) <= MAX_EXAMPLE_LENGTH else f"{words[:MAX_EXAMPLE_LENGTH]}…"
    return f"“{words}” ({','.join(f'{start}-{end}' for start, end in mark.parts)})"
