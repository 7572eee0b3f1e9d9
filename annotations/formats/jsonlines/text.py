"""The text of a line, and the positions of its mentions."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate, chain, groupby, pairwise

from annotations.formats.jsonlines.dialects import CONVENTIONS, Layout, RawMention, Spans, alternatives, to_span
from annotations.formats.jsonlines.lines import Json, Line, count_unread, show_unread, to_offset
from annotations.formats.model.document import Parts, Stretch
from annotations.formats.model.findings import FormatError
from annotations.formats.model.text import MAX_SPEAKER_LENGTH
from annotations.formats.syntax.tokens import join_words
from annotations.formats.syntax.units import Units

NOBODY = ("", "-", "_", "*")


@dataclass(slots=True)
class LineText:
    """The text of a line, the positions of its words, and the mentions looked up so far."""

    line: Line
    layout: Layout
    content: str = ""
    sentences: list[list[str]] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    spans: list[tuple[int, int]] = field(default_factory=list)
    before: list[int] = field(default_factory=list)
    is_elsewhere: bool = False
    units: Units | None = None
    counted: Spans = field(init=False)
    mentions: list[RawMention] = field(default_factory=list)
    blank: int = 0
    further: int = 0

    def __post_init__(self) -> None:
        text = self._own_text()
        self.sentences = self._read_sentences()
        self.starts = [0, *accumulate(len(words) for words in self.sentences)]
        self.words = list(chain.from_iterable(self.sentences))
        # A word of white space alone has no span in the text.
        self.before = [0, *accumulate(bool(word.strip()) for word in self.words)]
        spans = None if text is None else _align(self.words, text)
        in_words = CONVENTIONS[self.layout.convention].in_words
        if text is not None and (spans is not None or not in_words or not self.layout.words):
            self.content, self.spans = text, spans or []
        else:
            self.content, self.spans = join_words(list(filter(None, map(str.strip, words))) for words in self.sentences)
        if text is not None and spans is None and self.layout.words:
            left_out = "the words are joined by a blank" if in_words else "sentences left out"
            self.line.report("other-words", "the words do not stand in 'text' one after the other", left_out)
        if not self.content.strip() and not self.is_elsewhere:
            raise self.line.error("there is no word in this text")
        self.units = None if in_words else Units(self.content)
        self.counted = Spans(self.words, self.content, in_words=in_words)

    def _own_text(self) -> str | None:
        text = self.line.record.get("text")
        if text is not None:
            return self.line.string(text, "'text'")
        if CONVENTIONS[self.layout.convention].in_words:
            return None
        if self.layout.clusters and not self.layout.words and _say_words(self.line.record[self.layout.clusters]):
            self.is_elsewhere = True
            return None
        unread = show_unread(count_unread(self.line.record, ()))
        message = "there is no 'text' whose characters could be counted"
        if not self.layout.is_certain:
            message = "there are no 'sentences' in this line, and no 'text'"
        if unread:
            message += f"; there are {unread}, and clusters=KEY says which are read"
        raise self.line.error(message)

    def _read_sentences(self) -> list[list[str]]:
        key = self.layout.words
        if not key:
            if self.line.record.get("text") is None and not self.is_elsewhere:
                raise self.line.error("there are no 'sentences' in this line")
            if CONVENTIONS[self.layout.convention].in_words and self.layout.clusters:
                raise self.line.error("there are no 'sentences' in this line, whose words could be counted")
            return []
        value = self.line.record[key]
        if key == "sentences":
            sentences = self.line.list_of(value, "'sentences'")
            return [self.line.strings(item, f"sentences[{number}]") for number, item in enumerate(sentences)]
        words = self.line.strings(self.line.list_of(value, f"'{key}'"), key)
        return self._by_sentence(words) if key == "cased_words" else [words]

    def _by_sentence(self, words: list[str]) -> list[list[str]]:
        """Return the words in sentences by `sent_id`, which has a sentence number for each word."""
        value = self.line.record.get("sent_id")
        if value is None:
            return [words]
        numbers = self.line.list_of(value, "'sent_id'")
        if len(numbers) != len(words):
            raise self.line.error(f"'sent_id' has {len(numbers)} entries for {len(words)} words")
        last = 0
        for place, number in enumerate(numbers):
            if type(number) is not int or not last <= number <= len(words):
                raise self.line.error(f"sent_id[{place}] is not the number of its sentence, or of the one before")
            last = number
        by_sentence = groupby(zip(numbers, words, strict=True), key=lambda pair: pair[0])
        return [[word for _, word in pairs] for _, pairs in by_sentence]

    def segments(self) -> list[Stretch]:
        if not self.spans or not (self.layout.words == "sentences" or "sent_id" in self.line.record):
            return []
        segments = []
        for (start, after), speaker in zip(pairwise(self.starts), self._speakers(), strict=True):
            first, end = self.before[start], self.before[after]
            if first < end:
                segments.append(Stretch("sentence", self.spans[first][0], self.spans[end - 1][1], speaker=speaker))
        return segments

    def _speakers(self) -> list[str]:
        """Return the speaker of each sentence: its own entry, or the entry of its first word."""
        key, unit, expected = "speakers", "sentence", len(self.sentences)
        if self.layout.words == "cased_words":
            key, unit, expected = "speaker", "word", len(self.words)
        value = self.line.record.get(key)
        nobody = [""] * len(self.sentences)
        if value is None:
            return nobody
        if not isinstance(value, list) or len(value) != expected:
            self.line.report("speakers", f"'{key}' has not one entry a {unit}", "speakers left out")
            return nobody
        if key == "speaker":
            value = [value[start] for start, words in zip(self.starts, self.sentences, strict=False) if words]
        return [self._speaker(item[0] if isinstance(item, list) and item else item) for item in value]

    def _speaker(self, value: Json) -> str:
        # Some files number the speakers.
        speaker = str(value) if type(value) in (str, int) else ""
        if len(speaker) > MAX_SPEAKER_LENGTH:
            raise self.line.error(f"a speaker's name has more than {MAX_SPEAKER_LENGTH} characters")
        speaker = self.line.storable(speaker, "a speaker's name").strip()
        return "" if speaker in NOBODY else speaker

    def find(self, value: Json, name: str, words: str = "") -> Parts:
        """Return the parts of a mention, empty if it has no word or is a slip. words: its words in the file."""
        try:
            return self._characters(self._raw_mention(value, name, words), name)
        except FormatError as error:
            self.line.note_slip(error)
            return ()

    def _raw_mention(self, value: Json, name: str, words: str) -> RawMention:
        ends = self.line.list_of(value, name)
        base, length = 0, len(self.words) if CONVENTIONS[self.layout.convention].in_words else len(self.content)
        if self.layout.by_sentence:
            if len(ends) < 3:
                raise self.line.error(f"{name} is not a sentence, a first and a last word")
            number, *ends = ends
            if type(number) is not int or not 0 <= number < len(self.sentences):
                raise self.line.error(f"{name} is in the sentence {str(number)[:30]}, of {len(self.sentences)}")
            base, length = self.starts[number], len(self.sentences[number])
        if len(ends) < 2:
            raise self.line.error(f"{name} is not a first and a last offset")
        if type(ends[0]) is not type(ends[1]):
            raise self.line.error(f"{name} is not of whole numbers")
        first, last = to_offset(ends[0]), to_offset(ends[1])
        if first is None or last is None:
            raise self.line.error(f"{name} is not of whole numbers")
        if len(ends) > 2:
            words = ends[2] if isinstance(ends[2], str) else ""
            self.further += not isinstance(ends[2], str)
        return RawMention(first, last, base, length, words)

    def _characters(self, mention: RawMention, name: str) -> Parts:
        convention = self.layout.convention
        if self.is_elsewhere:
            start, end = CONVENTIONS[convention].span(mention.first, mention.last)
            if not 0 <= start < end:
                raise self.line.error(f"{name}, [{mention.first}, {mention.last}], stands in no text")
            return ((start, end),)
        span = to_span(convention, mention, self.units)
        if span is None:
            in_words = CONVENTIONS[convention].in_words
            of = " sentence's" if self.layout.by_sentence else " text's"
            unit = "words" if in_words else "characters"
            message = f"{name}, [{mention.first}, {mention.last}], does not stand in the{of} {mention.length} {unit}"
            ways = [name for name in alternatives(convention) if to_span(name, mention, self.units)]
            would = f"; it would with {' or '.join(f'offsets={name}' for name in ways)}" if ways else ""
            raise self.line.error(f"{message} with offsets={convention}{would}")
        self.mentions.append(mention)
        start, end = span
        if not CONVENTIONS[convention].in_words:
            parts = ((start, end),) if self.counted.before[start] < self.counted.before[end] else ()
        else:
            start, end = self.before[start], self.before[end]
            parts = ((self.spans[start][0], self.spans[end - 1][1]),) if start < end else ()
        self.blank += not parts
        return parts


def _say_words(clusters: Json) -> bool:
    """Return whether the first mention has its words after its offsets."""
    for cluster in clusters if isinstance(clusters, list) else ():
        for mention in cluster if isinstance(cluster, list) else ():
            return isinstance(mention, list) and len(mention) > 2 and isinstance(mention[2], str)
    return False


def _align(words: Sequence[str], text: str) -> list[tuple[int, int]] | None:
    """Return the span of each word that is not white space; None if the words do not make up the text."""
    spans = []
    position = 0
    for word in words:
        word = word.strip()
        if not word:
            continue
        while position < len(text) and text[position].isspace():
            position += 1
        if not text.startswith(word, position):
            return None
        spans.append((position, position + len(word)))
        position += len(word)
    return None if text[position:].strip() else spans
