"""A baseline that links mentions with the same head, and pronouns with the nearest mention that fits.

`python -m examples.baseline_coder --project SLUG` codes the assignments of the key COINDEX_KEY at COINDEX_URL. The
rules are for English, need no dictionary, and give the same answers each time.
"""

import re
import sys
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from coindex.client.answers import CodingState
from examples.assignments import Antecedents, Mention, parser_of, run


class Features(NamedTuple):
    """Person, number and gender; an unknown feature is empty and matches every other."""

    person: int = 3
    number: str = ""
    gender: str = ""


PRONOUNS = {
    word: features
    for features, words in (
        (Features(1, "singular"), "i me my mine myself"),
        (Features(1, "plural"), "we us our ours ourselves"),
        (Features(2), "you your yours yourself yourselves"),
        (Features(3, "singular", "masculine"), "he him his himself"),
        (Features(3, "singular", "feminine"), "she her hers herself"),
        (Features(3, "singular", "neuter"), "it its itself this that"),
        (Features(3, "plural"), "they them their theirs themselves these those"),
    )
    for word in words.split()
}


def _set_of(words: str) -> frozenset[str]:
    return frozenset(words.split())


DETERMINERS = _set_of(
    "a an the this that these those my your his her its our their some any every each no another all both"
)
# Words that begin a phrase after the head: "the kettle on the stove".
AFTER_HEAD = _set_of("of in on at with for from by to under over about who whom whose which that where")
# Words without an antecedent, or whose antecedent cannot be found by its head.
WITHOUT_ANTECEDENT = _set_of(
    "who whom whose which what there nobody nothing somebody something everybody everything anybody one"
)
MASCULINE = _set_of("man men boy boys father son brother husband king uncle mr sir gentleman")
FEMININE = _set_of("woman women girl girls mother daughter sister wife queen aunt mrs ms lady")
PLURAL = _set_of("people men women children")
# Mentions in each cache, because every mention is compared with all before it.
CACHED = 20_000
WORD = re.compile(r"\w+(?:-\w+)*")


@lru_cache(CACHED)
def words_of(mention: Mention) -> tuple[str, ...]:
    """Return the words of a mention in lower case, without possessive endings."""
    return tuple(WORD.findall(re.sub(r"['’]s?(?!\w)", "", mention.words.casefold())))


@lru_cache(CACHED)
def head_of(mention: Mention) -> str:
    """Return the head of a mention: the one that the text marks, else the last word before a following phrase."""
    words = list(words_of(mention))
    if len(words) == 1:
        return words[0]
    if mention.head and (named := WORD.findall(mention.head.casefold())):
        return str(named[-1])
    while len(words) > 1 and words[0] in DETERMINERS:
        words.pop(0)
    ends = next((place for place, word in enumerate(words) if place and word in AFTER_HEAD), len(words))
    return words[ends - 1] if words else ""


@lru_cache(CACHED)
def features_of(mention: Mention) -> Features:
    """Return the features of a pronoun, or those that the words of another mention suggest."""
    words, head = words_of(mention), head_of(mention)
    if len(words) == 1 and head in PRONOUNS:
        return PRONOUNS[head]
    is_plural = head in PLURAL or "and" in words or bool(re.search(r"[^siu]s$", head))
    named = {head, *words[:1]}
    gender = "masculine" if named & MASCULINE else "feminine" if named & FEMININE else ""
    return Features(3, "plural" if is_plural else "singular", gender)


def is_pronoun(mention: Mention) -> bool:
    """Return whether the mention is a single pronoun."""
    words = words_of(mention)
    return len(words) == 1 and words[0] in PRONOUNS


def may_corefer(mention: Mention, earlier: Mention) -> bool:
    """Return whether a mention may corefer with an earlier one; overlapping mentions may not."""
    if earlier.end > mention.start or head_of(mention) in WITHOUT_ANTECEDENT:
        return False
    if not is_pronoun(mention):
        return not is_pronoun(earlier) and head_of(mention) == head_of(earlier) != ""
    own, other = features_of(mention), features_of(earlier)
    if own.person != 3:
        return own == other and mention.speaker == earlier.speaker
    return own.person == other.person and all(
        not a or not b or a == b for a, b in ((own.number, other.number), (own.gender, other.gender))
    )


def find_antecedents(mentions: Sequence[Mention]) -> dict[str, str | None]:
    """Return the antecedent of each mention: the nearest one before it that it may corefer with, or None."""
    return {
        mention.key: next(
            (earlier.key for earlier in reversed(mentions[:place]) if may_corefer(mention, earlier)), None
        )
        for place, mention in enumerate(mentions)
    }


def decide(state: CodingState, mentions: Sequence[Mention]) -> tuple[Antecedents, list[str]]:
    """Decide all mentions of a text; only English pronouns are known."""
    language = state["text"].get("language") or "en"
    if not language.startswith("en"):
        print(f"{state['text']['slug']}: the pronouns of {language} are not known, heads alone count", file=sys.stderr)
    return find_antecedents(mentions), []


def main(arguments: Sequence[str] | None = None) -> int:
    """Code the assignments, and return the exit status."""
    return run(parser_of(__doc__).parse_args(arguments), decide)


if __name__ == "__main__":
    sys.exit(main())
