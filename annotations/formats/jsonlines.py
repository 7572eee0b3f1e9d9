"""JSON lines in the style of OntoNotes: one text a line, its coreference clusters as pairs of word numbers.

    {"doc_key": "walk", "sentences": [["Anna", "sang"], ["She", "won"]], "clusters": [[[0, 0], [2, 2]]]}

Read:
* `sentences`, or `tokens` for one list of words; `speakers` of the same shape. The text is `text` where the line has
  one and the words stand in it one after the other, else the words joined by a blank, one sentence a line.
* A mention is its first and last word, counted through the whole text from 0. The option "offsets" says whether the
  last one is included, or that they are characters of `text`, the end excluded.
* With `mentions` a cluster may be the numbers of its mentions; a mention in no cluster goes together with nothing.
  `plurals` are pairs of an anaphor and one of its split antecedents, by number: an anaphor in a cluster of its own is
  made of these, another one is in the chain of each.
* `attributes` has for each of the mentions its answers, or null where nobody answered: `[{"gender": "f"}, {}, null]`.
  Several values are a list. Beside it `relations` are mentions, by number, with what the first is to the second:
  `[[2, 0, "bridging"]]`; a number after that is the reading, and targets of one reading are meant together.
* A line without `clusters` is a text that is not coded. Other keys are not read.

Written is one file: doc_key, sentences, speakers ("-" for nobody), clusters, and `text`, which keeps the spacing. Where
clusters do not say all, `mentions`, `attributes`, `relations` and `plurals` are written too.
"""

import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, chain

from annotations.formats.model.document import (
    LONGEST_INDEX,
    LONGEST_SPEAKER,
    Answer,
    Document,
    Finding,
    FormatError,
    Links,
    Mark,
    Parts,
    Place,
    Stretch,
    decode_lines,
    group_readings,
    number_targets,
    text_order,
)
from annotations.formats.model.features import Feature
from annotations.formats.model.format import Bundle, File, Format, Option, stem
from annotations.formats.model.links import SPLIT, add_relation
from annotations.formats.model.scheme import AnswerValue
from annotations.formats.model.text import is_storable
from annotations.formats.syntax.tokens import tokenize

INCLUSIVE, EXCLUSIVE, CHARACTERS = "inclusive", "exclusive", "characters"
PATH = "documents.jsonlines"
# Offsets and numbers of mentions are smaller; answers may be that large.
MOST_DIGITS = 20
# Line ends to some readers of lines, though not to JSON.
LINE_ENDS = str.maketrans({end: f"\\u{ord(end):04x}" for end in "\x85\u2028\u2029"})
NOBODY = ("", "-", "_", "*")

type Json = dict[str, Json] | list[Json] | str | int | float | bool | None


def read(bundle: Bundle, offsets: str = INCLUSIVE) -> list[Document]:
    """Return the documents of a file. Raises FormatError with file and line on anything that is not such JSON."""
    return list(read_each(bundle.main, io.BytesIO(bundle.data), offsets))


def read_each(file: str, data: Iterable[bytes], offsets: str = INCLUSIVE) -> Iterator[Document]:
    """Yield the documents of a file, as `read` returns them. data: its lines, each with its end."""
    seen: dict[str, int] = {}
    for number, line in enumerate(decode_lines(data, file), start=1):
        if not line.strip():
            continue
        draft = _Draft(file, number, _parse_line(line, file, number), offsets)
        name = wanted = draft.name()
        while name in seen:
            name = f"{name}-{number}"
        if name != wanted:
            draft.report("same-name", f"doc_key {wanted} is in line {seen[wanted]} too", f"called {name}")
        seen[name] = number
        yield draft.build(name)
    if not seen:
        raise FormatError("there is no text in this file", file, 1)


def _parse_line(line: str, file: str, number: int) -> dict[str, Json]:
    """Return the object that a line is."""

    def whole(digits: str) -> int:
        if len(digits) > MOST_DIGITS:
            raise FormatError(f"a number of {len(digits)} digits is too long", file, number)
        return int(digits)

    def constant(name: str) -> None:
        raise FormatError(f"{name} is not JSON", file, number)

    def once(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
        fields = dict(pairs)
        if len(fields) < len(pairs):
            seen: set[str] = set()
            twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
            raise FormatError(f"the key {twice[:50]!r} appears twice in one object", file, number)
        return fields

    try:
        value: Json = json.loads(
            line, parse_int=whole, parse_float=str, parse_constant=constant, object_pairs_hook=once
        )
    except json.JSONDecodeError as error:
        raise FormatError(f"this is not JSON: {error.msg}", file, number, error.colno) from None
    except RecursionError:
        raise FormatError("lists or objects are nested too deeply", file, number) from None
    if not isinstance(value, dict):
        raise FormatError("a line is one JSON object, this one is something else", file, number)
    return value


@dataclass(slots=True)
class _Draft:
    """A text while it is made of its line.

    spans: the characters of each word that has some. before: how many such words stand before each word, and in all.
    """

    file: str
    line: int
    record: Mapping[str, Json]
    offsets: str
    content: str = ""
    sentences: list[list[str]] = field(default_factory=list)
    spans: list[tuple[int, int]] = field(default_factory=list)
    before: list[int] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    def error(self, message: str) -> FormatError:
        return FormatError(message, self.file, self.line)

    def report(self, code: str, message: str, fix: str, *, left_out: bool = False) -> None:
        self.findings.append(Finding(code, message, self.file, self.line, fix, left_out))

    def name(self) -> str:
        """Return the text's name: doc_key as a slug, or else the file's with the number of the line."""
        key = self.record.get("doc_key")
        if key is not None and not isinstance(key, str):
            raise self.error("doc_key is not a string")
        if key and len(key) > LONGEST_INDEX:
            raise self.error(f"doc_key has more than {LONGEST_INDEX} characters")
        return re.sub(r"[^\w-]+", "-", key or "").strip("-") or f"{stem(self.file)}-{self.line}"

    def build(self, name: str) -> Document:
        text = self._text()
        self.sentences = self._sentences(optional=self.offsets == CHARACTERS)
        words = list(chain.from_iterable(self.sentences))
        # A word of white space alone has no characters of its own.
        self.before = [0, *accumulate(bool(word.strip()) for word in words)]
        spans = None if text is None else _align(words, text)
        if text is not None and (spans is not None or self.offsets == CHARACTERS):
            self.content, self.spans = text, spans or []
        else:
            self.content, self.spans = _join_words(self.sentences)
        if text is not None and spans is None:
            left_out = "sentences left out" if self.offsets == CHARACTERS else "the words are joined by a blank"
            self.report("other-words", "the words do not stand in 'text' one after the other", left_out)
        if not self.content.strip():
            raise self.error("there is no word in this text")
        marks = self._marks()
        links = Links.INDICES if "clusters" in self.record else Links.NONE
        return Document(name, self.file, self.content, marks, self._segments(), links, findings=self.findings)

    def _text(self) -> str | None:
        text = self.record.get("text")
        if text is None:
            if self.offsets == CHARACTERS:
                raise self.error("there is no 'text' whose characters could be counted")
            return None
        if not isinstance(text, str):
            raise self.error("'text' is not a string")
        return self._clean(text, "'text'")

    def _clean(self, text: str, what: str) -> str:
        if not is_storable(text):
            raise self.error(f"{what} has a NUL or half a surrogate pair in it")
        return text

    def _list(self, value: Json, what: str) -> list[Json]:
        if not isinstance(value, list):
            raise self.error(f"{what} is not a list")
        return value

    def _sentences(self, optional: bool) -> list[list[str]]:
        value = self.record.get("sentences")
        if value is None and "tokens" in self.record:
            value = [self.record["tokens"]]
        if value is None and optional:
            return []
        if value is None:
            raise self.error("there are no 'sentences' in this line")
        return [
            [self._word(word, f"sentences[{number}][{place}]") for place, word in enumerate(words)]
            for number, each in enumerate(self._list(value, "'sentences'"))
            for words in [self._list(each, f"sentences[{number}]")]
        ]

    def _word(self, value: Json, what: str) -> str:
        if not isinstance(value, str):
            raise self.error(f"{what} is not a string")
        return self._clean(value, what)

    def _segments(self) -> list[Stretch]:
        if "sentences" not in self.record or not self.spans:
            return []
        segments, word = [], 0
        for words, speaker in zip(self.sentences, self._speakers(), strict=True):
            first, end = self.before[word], self.before[word + len(words)]
            word += len(words)
            if first < end:
                segments.append(Stretch("sentence", self.spans[first][0], self.spans[end - 1][1], speaker=speaker))
        return segments

    def _speakers(self) -> list[str]:
        """Return who says each sentence: the speaker of its first word, where each word has one."""
        value = self.record.get("speakers")
        nobody = [""] * len(self.sentences)
        if value is None:
            return nobody
        if not isinstance(value, list) or len(value) != len(self.sentences):
            self.report("speakers", "'speakers' has not one entry a sentence", "speakers left out")
            return nobody
        return [self._speaker(each[0] if isinstance(each, list) and each else each) for each in value]

    def _speaker(self, value: Json) -> str:
        # Some files number the speakers.
        speaker = str(value) if type(value) in (str, int) else ""
        if len(speaker) > LONGEST_SPEAKER:
            raise self.error(f"a speaker's name has more than {LONGEST_SPEAKER} characters")
        speaker = self._clean(speaker, "a speaker's name").strip()
        return "" if speaker in NOBODY else speaker

    def _marks(self) -> list[Mark]:
        """Return the clusters as entities, numbered in text order."""
        clusters = self._list(self.record.get("clusters") or [], "'clusters'")
        listed = self._listed(clusters)
        attributes = self._attributes(listed)
        # The clusters of each place.
        places: dict[Parts, dict[int, None]] = {parts: {} for parts in listed if parts}
        # The cluster of each mention that is listed, and of each place that a cluster names itself.
        belongs: dict[int, int] = {}
        named: dict[Parts, int] = {}
        blank = listed.count(())
        twice = 0
        for number, each in enumerate(clusters):
            for place, member in enumerate(self._list(each, f"clusters[{number}]")):
                what = f"clusters[{number}][{place}]"
                if type(member) is int:
                    parts = listed[self._numbered(member, listed, what)]
                    belongs.setdefault(member, number)
                else:
                    parts = self._mention(member, what)
                    named.setdefault(parts, number)
                    blank += not parts
                if parts:
                    numbers = places.setdefault(parts, {})
                    twice += number in numbers
                    numbers[number] = None
        belongs = {mention: named[parts] for mention, parts in enumerate(listed) if parts in named} | belongs
        plurals = self._plurals(listed, places, belongs, len(clusters))
        relations = self._relations(listed) if attributes is not None else {}
        if blank:
            self.report("white-space", f"{blank} mentions have no word in them", "left out", left_out=True)
        if twice:
            self.report("duplicate", f"{twice} mentions stand twice in a cluster", "one markable")
        names: dict[int, str] = {}
        marks = []
        for parts in sorted(places, key=lambda parts: text_order(Mark(parts))):
            indices = tuple(names.setdefault(number, str(len(names) + 1)) for number in sorted(places[parts]))
            answer = Answer(indices=indices)
            if attributes is not None:
                answer.attributes = tuple(sorted((attributes.get(parts) or {}).items()))
                of_mark = sorted(relations.get(parts, {}).items())
                answer.relations = tuple((name, group_readings(targets)) for name, targets in of_mark)
            if parts in plurals:
                answer = add_relation(answer, SPLIT, (tuple(plurals[parts]),))
            uncoded = attributes is not None and attributes.get(parts) is None and answer == Answer()
            marks.append(Mark(parts, answer=None if uncoded else answer, line=self.line))
        return marks

    def _listed(self, clusters: Sequence[Json]) -> list[Parts]:
        """Return the mentions that clusters or plurals name by number; `()` where one has no word in it."""
        numbers = any(isinstance(each, list) and any(type(member) is int for member in each) for each in clusters)
        if not numbers and "plurals" not in self.record and not self._has_attributes():
            return []
        mentions = self._list(self.record.get("mentions"), "'mentions'")
        return [self._mention(mention, f"mentions[{number}]") for number, mention in enumerate(mentions)]

    def _numbered(self, number: Json, listed: Sequence[Parts], what: str) -> int:
        if type(number) is not int or not 0 <= number < len(listed):
            raise self.error(f"{what} is not the number of a mention")
        return number

    def _has_attributes(self) -> bool:
        """Return whether `attributes` has an entry for each mention; another shape is no shape of ours."""
        attributes, mentions = self.record.get("attributes"), self.record.get("mentions")
        if not isinstance(attributes, list) or not isinstance(mentions, list):
            return False
        return len(attributes) == len(mentions) and all(each is None or isinstance(each, dict) for each in attributes)

    def _attributes(self, listed: Sequence[Parts]) -> dict[Parts, dict[str, AnswerValue] | None] | None:
        """Return the answers to attributes of each mention, None of one that nobody answered; None without any."""
        if not self._has_attributes():
            if "attributes" in self.record:
                message = "'attributes' has not an object, or null, for each of the 'mentions'"
                self.report("attributes", message, "attributes and relations left out", left_out=True)
            return None
        found: dict[Parts, dict[str, AnswerValue] | None] = {}
        for number, answers in enumerate(self._list(self.record["attributes"], "'attributes'")):
            what = f"attributes[{number}]"
            mine = found.setdefault(listed[number], None)
            if isinstance(answers, dict):
                values = {
                    self._clean(name, what): self._answer(value, f"{what}, {name[:50]!r},")
                    for name, value in answers.items()
                    if value not in (None, "", [])
                }
                found[listed[number]] = {**values, **(mine or {})}
        return found

    def _answer(self, value: Json, what: str) -> AnswerValue:
        match value:
            case bool():
                return str(value).lower()
            case int() | str():
                return self._clean(value, what) if isinstance(value, str) else value
            case list():
                return tuple(dict.fromkeys(self._word(each, what) for each in value))
        raise self.error(f"{what} is not a string, a number or a list of strings")

    def _relations(self, listed: Sequence[Parts]) -> dict[Parts, dict[str, list[tuple[int, Place]]]]:
        """Return the targets of each mention by relation, each with the number of its reading."""
        found: dict[Parts, dict[str, dict[tuple[int, Parts], None]]] = {}
        for place, row in enumerate(self._list(self.record.get("relations") or [], "'relations'")):
            what = f"relations[{place}]"
            ends = self._list(row, what)
            if len(ends) not in (3, 4) or not isinstance(ends[2], str) or not ends[2]:
                raise self.error(f"{what} is not a mention, another one and what the first is to it")
            source, target = (listed[self._numbered(number, listed, what)] for number in ends[:2])
            # Without the number of a reading each target is one; numbers of our own are negative.
            reading = ends[3] if len(ends) == 4 else -1 - place
            if type(reading) is not int or (len(ends) == 4 and reading < 0):
                raise self.error(f"{what}: its reading is not a whole number")
            name = self._clean(ends[2], what)
            if source and target and source != target:
                found.setdefault(source, {}).setdefault(name, {})[reading, target] = None
        return {
            source: {name: [(reading, Place("", target)) for reading, target in rows] for name, rows in named.items()}
            for source, named in found.items()
        }

    def _plurals(
        self,
        listed: Sequence[Parts],
        places: Mapping[Parts, dict[int, None]],
        belongs: dict[int, int],
        entities: int,
    ) -> dict[Parts, dict[Place, None]]:
        """Return of what each mention in a cluster of its own is made; another one gets the clusters of its parts."""
        plurals: dict[Parts, dict[Place, None]] = {}
        of_cluster = belongs.copy()
        for place, pair in enumerate(self._list(self.record.get("plurals") or [], "'plurals'")):
            what = f"plurals[{place}]"
            ends = self._list(pair, what)
            if len(ends) != 2:
                raise self.error(f"{what} is not an anaphor and its antecedent")
            anaphor, antecedent = (self._numbered(number, listed, what) for number in ends)
            if not listed[anaphor] or not listed[antecedent] or anaphor == antecedent:
                continue
            if antecedent not in belongs:
                belongs[antecedent] = entities
                places[listed[antecedent]][entities] = None
                entities += 1
            if anaphor in of_cluster:
                plurals.setdefault(listed[anaphor], {})[Place("", listed[antecedent])] = None
            else:
                places[listed[anaphor]][belongs[antecedent]] = None
        return plurals

    def _mention(self, value: Json, what: str) -> Parts:
        """Return the characters of a mention; none where it has no word in it."""
        ends = self._list(value, what)
        if len(ends) < 2:
            raise self.error(f"{what} is not a first and a last offset")
        first, last = ends[0], ends[1]
        if type(first) is not int or type(last) is not int:
            raise self.error(f"{what} is not of whole numbers")
        end = last + 1 if self.offsets == INCLUSIVE else last
        length = len(self.content) if self.offsets == CHARACTERS else len(self.before) - 1
        unit = "characters" if self.offsets == CHARACTERS else "words"
        if not 0 <= first < end <= length:
            raise self.error(f"{what}, [{first}, {last}], does not stand in the text's {length} {unit}")
        if self.offsets == CHARACTERS:
            return ((first, end),) if self.content[first:end].strip() else ()
        first, end = self.before[first], self.before[end]
        return ((self.spans[first][0], self.spans[end - 1][1]),) if first < end else ()


def _align(words: Sequence[str], text: str) -> list[tuple[int, int]] | None:
    """Return where each word that is not white space stands in the text; None where they do not make it up."""
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


def _join_words(sentences: Sequence[Sequence[str]]) -> tuple[str, list[tuple[int, int]]]:
    """Return the words joined by a blank, one sentence a line, and where each that is not white space stands."""
    spans, lines, position = [], [], 0
    for sentence in sentences:
        words = [word.strip() for word in sentence if word.strip()]
        for word in words:
            spans.append((position, position + len(word)))
            position += len(word) + 1
        if words:
            lines.append(" ".join(words))
    return "\n".join(lines), spans


def write(documents: Sequence[Document], offsets: str = INCLUSIVE) -> list[File]:
    """Return one file with a line for each document."""
    lines = io.BytesIO()
    for document in documents:
        lines.write(_format_document(document, offsets).encode())
    return [File(PATH, lines.getvalue())]


def _format_document(document: Document, offsets: str) -> str:
    tokens = tokenize(document)
    marks = sorted(document.marks, key=text_order)
    mentions: list[list[int]] = []
    clusters: dict[str, list[list[int]]] = {}
    for mark in marks:
        [(first, last)], [part] = tokens.find_runs(mark.parts), mark.parts
        mentions.append({INCLUSIVE: [first, last], EXCLUSIVE: [first, last + 1], CHARACTERS: list(part)}[offsets])
        for index in mark.answer.indices if mark.answer else ():
            clusters.setdefault(index, []).append(mentions[-1])
    speakers = {segment.start: segment.speaker for segment in document.segments if segment.kind == "sentence"}
    sentences = tokens.by_sentence()
    record = {
        "doc_key": document.name,
        "sentences": [[document.content[slice(*tokens.spans[token])] for token in words] for words in sentences],
        "speakers": [[speakers.get(tokens.starts[words[0]]) or "-"] * len(words) for words in sentences],
        "clusters": list(clusters.values()),
        "text": document.content,
        **_further_fields(marks, mentions),
    }
    return json.dumps(record, ensure_ascii=False).translate(LINE_ENDS) + "\n"


def _further_fields(marks: Sequence[Mark], mentions: Sequence[list[int]]) -> dict[str, object]:
    """Return the fields that say what clusters do not; none where they say all."""
    answers = [mark.answer for mark in marks]
    if all(answer and answer.indices and not answer.attributes and not answer.relations for answer in answers):
        return {}
    numbers = {mark.place: number for number, mark in enumerate(marks)}
    fields: dict[str, object] = {
        "mentions": mentions,
        "attributes": [None if answer is None else dict(answer.attributes) for answer in answers],
        "relations": [list(row) for mark in marks for row in _relation_rows(mark, numbers)],
    }
    plurals = [
        [numbers[mark.place], numbers[target]]
        for mark in marks
        if mark.answer
        for name, readings in mark.answer.relations
        if _is_plural(mark.answer, name)
        for target in readings[0]
    ]
    return {**fields, "plurals": plurals} if plurals else fields


def _is_plural(answer: Answer, name: str) -> bool:
    """Return whether `plurals` can say the relation: what the mark is made of, in one way."""
    return name == SPLIT and bool(answer.indices) and len(dict(answer.relations)[SPLIT]) == 1


def _relation_rows(mark: Mark, numbers: Mapping[Place, int]) -> Iterator[tuple[int | str, ...]]:
    """Yield the relations from a mark that `plurals` do not say."""
    answer = mark.answer or Answer()
    for name, readings in answer.relations:
        if not _is_plural(answer, name):
            for reading, target in number_targets(readings):
                yield numbers[mark.place], numbers[target], name, *((reading,) if reading else ())


OFFSETS = Option(
    "offsets",
    "Offsets",
    (
        (INCLUSIVE, "words, the last one included (OntoNotes)"),
        (EXCLUSIVE, "words, the end not included"),
        (CHARACTERS, "characters of “text”, the end not included"),
    ),
)

FORMAT = Format(
    "jsonlines",
    "JSON lines",
    (".jsonlines", ".jsonl"),
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
            Feature.SPACING,
            Feature.LEADING,
            Feature.CONTROL_CHARACTERS,
        }
    ),
    options=(OFFSETS,),
    options_written=(OFFSETS,),
    read_each=read_each,
)
