"""Which keys of a line hold what, in the dialects of public corpora and programs, and which of them are not read."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from annotations.formats.jsonlines.lines import Json, Line
from annotations.formats.jsonlines.offsets import CHARACTERS, CONVENTIONS, EXCLUSIVE, INCLUSIVE

NAMES = ("doc_key", "document_id", "doc_id", "id")
WORDS = ("sentences", "tokens", "cased_words")
CLUSTERS, PRECO, WL_COREF, RUCOCO, BOOKCOREF = "clusters", "mention_clusters", "span_clusters", "entities", "characters"
# Names of the ends of a span that is an object.
STARTS, ENDS = ("start", "begin", "start_offset"), ("end", "end_offset")
# A list of numbers is a span if it has no more members: other lists number the words of a sentence.
MAX_SPAN = 5
# So many keys that are not read are named, and so many characters of each.
MAX_NAMED, MAX_KEY = 6, 50


class Layout(NamedTuple):
    """What is read of a line: its words, the mentions that go together, and how these are counted.

    words, clusters: a key, or nothing. by_sentence: mentions are [sentence, first, last]. reason: what the convention
    follows from, where the line is of another dialect than that of OntoNotes. is_certain: somebody has said it.
    """

    words: str
    clusters: str
    convention: str
    by_sentence: bool = False
    reason: str = ""
    is_certain: bool = False


def find_layout(line: Line, offsets: str, clusters: str) -> Layout:
    """Return what is read of a line. offsets, clusters: what the user has said of these, or nothing."""
    record = line.record
    words = next((key for key in WORDS if record.get(key) is not None), "")
    key = clusters if clusters in record else "" if clusters else _clusters_key(record, words)
    by_sentence = words == "sentences" and _counts_in_sentences(record, key)
    said = offsets or record.get("offsets")
    if isinstance(said, str) and said in CONVENTIONS:
        if by_sentence and not CONVENTIONS[said].in_words:
            ways = f"offsets={INCLUSIVE} or offsets={EXCLUSIVE}"
            raise line.error(f'"{key}" of [sentence, first, last] count words, not with offsets={said}: say {ways}')
        return Layout(words, key, said, by_sentence, is_certain=True)
    if key == PRECO and by_sentence:
        reason = f'"{PRECO}" of [sentence, start, end] have ends that are not included, as in PreCo'
        return Layout(words, key, EXCLUSIVE, True, reason)
    if by_sentence:
        reason = f'"{key}" are read as [sentence, first word, last word]'
        return Layout(words, key, INCLUSIVE, True, reason)
    if words == "cased_words":
        reason = 'mentions of "cased_words" have ends that are not included, as in wl-coref'
        return Layout(words, key, EXCLUSIVE, False, reason if key else "")
    if not words:
        reason = f'without words "{key}" count the characters of "text"'
        return Layout(words, key, CHARACTERS, False, reason if key else "")
    return Layout(words, key, INCLUSIVE)


def _clusters_key(record: Mapping[str, Json], words: str) -> str:
    """Return the key of the mentions that go together; nothing where the line is not coded."""
    if CLUSTERS in record:
        return CLUSTERS
    if words == "sentences" and PRECO in record and _counts_in_sentences(record, PRECO):
        return PRECO
    if words == "cased_words" and WL_COREF in record:
        return WL_COREF
    if not words and "text" in record and _is_of_clusters(record.get(RUCOCO)):
        return RUCOCO
    return BOOKCOREF if named_clusters(record) else ""


def named_clusters(record: Mapping[str, Json]) -> list[tuple[str, Json]]:
    """Return the names of characters with their mentions."""
    characters = record.get(BOOKCOREF)
    if isinstance(characters, dict):
        return [(name, mentions) for name, mentions in characters.items() if isinstance(mentions, list)]
    named: list[tuple[str, Json]] = []
    for each in characters if isinstance(characters, list) else ():
        if isinstance(each, dict) and isinstance(name := each.get("name"), str):
            mentions = next((each[key] for key in ("cluster", "mentions") if isinstance(each.get(key), list)), None)
            if mentions is not None:
                named.append((name, mentions))
    return named


def _is_of_clusters(value: Json) -> bool:
    """Return whether it is a list of lists of lists, as clusters are."""
    if not isinstance(value, list) or not all(isinstance(each, list) for each in value):
        return False
    return all(isinstance(mention, list) for each in value if isinstance(each, list) for mention in each)


def _counts_in_sentences(record: Mapping[str, Json], key: str) -> bool:
    """Return whether mentions are three numbers, the first that of a sentence; but for PreCo all have to fit."""
    value, sentences = record.get(key), record.get("sentences")
    if not isinstance(value, list) or not isinstance(sentences, list):
        return False
    mentions = [mention for cluster in value if isinstance(cluster, list) for mention in cluster]
    if key == PRECO:
        return not mentions or any(isinstance(mention, list) and len(mention) == 3 for mention in mentions)
    return bool(mentions) and all(_fits_sentence(mention, sentences) for mention in mentions)


def _fits_sentence(mention: Json, sentences: list[Json]) -> bool:
    match mention:
        case [int(number), int(first), int(last)] if bool not in map(type, mention) and 0 <= number < len(sentences):
            words = sentences[number]
            return isinstance(words, list) and 0 <= first <= last <= len(words)
    return False


def count_unread(record: Mapping[str, Json], read: Collection[str]) -> list[tuple[str, int]]:
    """Return the keys that are not read and hold spans, or are called clusters, with how many spans, most first."""
    counts = [(key, sum(1 for _ in spans_in(value))) for key, value in record.items() if key not in read]
    named = ((key, count) for key, count in counts if count or ("cluster" in key and record[key]))
    return sorted(named, key=lambda each: -each[1])


def show_unread(counts: Sequence[tuple[str, int]]) -> str:
    """Return the keys that are not read, with their numbers of spans."""
    shown = ", ".join(
        f'"{key[:MAX_KEY]}" ({count or "no"} span{"s" * (count != 1)})' for key, count in counts[:MAX_NAMED]
    )
    return shown + f" and {len(counts) - MAX_NAMED} more keys" * (len(counts) > MAX_NAMED)


def spans_in(value: Json) -> Iterator[Json]:
    """Yield the spans in a value, however deep they lie."""
    stack = [value]
    while stack:
        value = stack.pop()
        if isinstance(value, dict):
            if all(any(type(value.get(key)) is int for key in keys) for keys in (STARTS, ENDS)):
                yield value
            else:
                stack += value.values()
        elif isinstance(value, list):
            if value and all(_is_span(each) for each in value):
                yield from value
            else:
                stack += value


def _is_span(value: Json) -> bool:
    if not isinstance(value, list) or not 2 <= len(value) <= MAX_SPAN:
        return False
    first, last = to_offset(value[0]), to_offset(value[1])
    return first is not None and last is not None and (first <= last or len(value) > 2)


def to_offset(value: Json) -> int | None:
    """Return a whole number, which some corpora write as a string; None where it is none."""
    if type(value) is int:
        return value
    return int(value) if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 20 else None
