"""CoNLL-U files with coreference in the MISC column, as in CorefUD and GUM: `Entity=(e1-person-2(e2)`.

Read:
* The text is the words with the spacing that SpaceAfter, SpacesAfter, SpacesBefore and SpacesInToken give. Sentences
  are parted by a blank, `# newpar` begins a new line. `# newdoc` begins a text.
* Of a multi-word token the surface form stands in the text; what begins or ends on one of its words does so on it.
* Empty nodes count as words of a mention but have no characters: a mention of empty nodes alone is left out.
* `# global.Entity` names the fields of a mention, from its line on; without it they are eid-etype-head-other.
  minspan, or else head, gives the least words (MIN).
* `SplitAnte=e1<e3,e2<e3`: the first mention of e3 is in the chains e3, e1 and e2.
* Bridging is counted and left out, and so are entity types unless the option "categories" asks for them.

Written are eid-etype-head-other, every other column empty. `other` holds what has no field of its own: minspan (`_` for
none, where the head is only a filler), chars and minchars for a markable or MIN that begins or ends in white space
(`0_5`: characters counted from the mention's first word), label, chain (what the coder calls it), note, optional,
unsure. A markable in several chains is a mention for each of them; where all but one of three or more were named
before, it is a mention of the new one with SplitAnte. What has a meaning in the format is written as
`&#45;` (the character's number), a comma as `%2C`.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from annotations.formats.document import (
    LONGEST_INDEX,
    LONGEST_LABEL,
    LONGEST_SPEAKER,
    Answer,
    Document,
    Finding,
    FormatError,
    Links,
    Mark,
    Parts,
    Stretch,
    decode,
    in_text_order,
)
from annotations.formats.format import Bundle, File, Format, Option, one_each, stem
from annotations.formats.losses import Feature
from annotations.formats.tokens import Tokens, tokens_of

COLUMNS = 10
NUMBER = re.compile(r"(?P<first>[0-9]{1,9})(?:-(?P<last>[0-9]{1,9})|(?P<empty>\.[0-9]{1,9}))?")
CHUNK = re.compile(r"\((?P<open>[^()]+)(?P<closed>\))?|(?P<close>[^()]+)\)")
PART = re.compile(r"(?P<eid>.+)\[(?P<part>[0-9]{1,4})/(?P<parts>[0-9]{1,4})\]")
POSITION = re.compile(r"[0-9]{1,9}")
CHARACTERS = re.compile(r"(-?[0-9]{1,9})_(-?[0-9]{1,9})")
LANGUAGE = re.compile(r"[A-Za-z0-9_-]{1,35}")
REFERENCE = re.compile(r"&#([0-9]{1,7});|%2C")
MEANT = re.compile(r"[\s\x00-\x20\x7f&%=|,<>()\[\]-]")
SPACE = re.compile(r"\\([stnrp\\])")
SPACES = {" ": r"\s", "\t": r"\t", "\n": r"\n", "\r": r"\r", "|": r"\p", "\\": r"\\"}
SPACED = {escape[1]: character for character, escape in SPACES.items()}
DEFAULT_FIELDS = "eid-etype-head-other"
SPACING = ("SpaceAfter", "SpacesAfter", "SpacesBefore", "SpacesInToken")
LINKING = ("Entity", "SplitAnte", "Bridge")
META = {"meta::title": "title", "meta::language": "language", "meta::direction": "direction"}
LEFT_OUT, ETYPE = "none", "etype"


def read(bundle: Bundle, categories: str = LEFT_OUT) -> list[Document]:
    """The documents of a file. Raises FormatError with file and line on anything that is not CoNLL-U."""
    reader = _Reader(bundle.main)
    lines = decode(bundle.data, bundle.main).split("\n")
    for number, line in enumerate(lines, start=1):
        if line.startswith("#"):
            reader.comment(number, line)
        elif line.strip():
            reader.token(number, line)
        else:
            reader.end_sentence()
    reader.end_document()
    if not reader.drafts:
        raise FormatError("there is no word in this file", bundle.main, 1)
    return [draft.build(name, categories) for name, draft in _named(reader.drafts)]


@dataclass(frozen=True, slots=True)
class _Fields:
    """Where the fields of a mention stand; None for those that it does not have."""

    eid: int = 0
    etype: int | None = None
    head: int | None = None
    minspan: int | None = None
    other: int | None = None


def _fields(value: str, file: str, line: int) -> _Fields:
    names = value.split("-")
    # Those in capitals, and entity, are the names of earlier releases.
    known = {"GRP": "eid", "entity": "etype", "MIN": "minspan"}
    places = {known.get(name, name): place for place, name in reversed(list(enumerate(names)))}
    if "eid" not in places:
        raise FormatError("global.Entity names neither eid nor GRP", file, line)
    wanted = ("etype", "head", "minspan", "other")
    return _Fields(places["eid"], *(places.get(name) for name in wanted))


def _unescaped(value: str) -> str:
    def character(found: re.Match[str]) -> str:
        if found[1] is None:
            return ","
        code = int(found[1])
        # What is no character of a text stays as it is written.
        return chr(code) if 0 < code < 0xD800 or 0xE000 <= code < 0x110000 else found[0]

    return REFERENCE.sub(character, value) if "&" in value or "%" in value else value


def _escaped(value: str) -> str:
    return MEANT.sub(lambda found: "%2C" if found[0] == "," else f"&#{ord(found[0])};", value)


@dataclass(slots=True)
class _Reader:
    """What goes on from line to line, and the documents so far."""

    file: str
    drafts: list["_Draft"] = field(default_factory=list)
    draft: "_Draft | None" = None
    fields: _Fields | None = None
    begun: int | None = None
    name: str = ""
    meta: dict[str, str] = field(default_factory=dict)
    paragraph: bool = False
    speaker: str = ""

    def comment(self, number: int, line: str) -> None:
        key, _, value = line[1:].partition("=")
        key, value = key.strip(), value.strip()
        if key in ("newdoc", "newdoc id"):
            if self.draft is not None and self.draft.in_sentence:
                raise FormatError("a document begins inside a sentence (an empty line is missing)", self.file, number)
            self.end_document()
            if len(value) > LONGEST_INDEX:
                raise FormatError(f"a document's name has more than {LONGEST_INDEX} characters", self.file, number)
            self.begun, self.name, self.meta = number, value, {}
        elif key in ("newpar", "newpar id"):
            self.paragraph = True
        elif key == "speaker":
            if len(value) > LONGEST_SPEAKER:
                raise FormatError(f"a speaker's name has more than {LONGEST_SPEAKER} characters", self.file, number)
            self.speaker = "" if value == "_" else value
        elif key == "global.Entity":
            self.fields = _fields(value, self.file, number)
        elif key in META and self._fits(key, value):
            self.meta[META[key]] = value

    def _fits(self, key: str, value: str) -> bool:
        if key == "meta::direction":
            return value in ("ltr", "rtl")
        return key != "meta::language" or LANGUAGE.fullmatch(value) is not None

    def token(self, number: int, line: str) -> None:
        if self.draft is None:
            self.draft = _Draft(self.file, self.begun or number, self.name, self.meta)
            self.drafts.append(self.draft)
        if not self.draft.in_sentence:
            self.draft.begin_sentence(self.speaker, self.paragraph)
            self.speaker, self.paragraph = "", False
        self.draft.add(number, line, self.fields)

    def end_sentence(self) -> None:
        if self.draft is not None:
            self.draft.end_sentence()

    def end_document(self) -> None:
        if self.draft is not None:
            self.draft.finish()
        elif self.begun is not None:
            raise FormatError("this document has no word", self.file, self.begun)
        self.draft = self.begun = None


@dataclass(slots=True)
class _Mention:
    """A mention while its parts come in. runs: first and last node of each part that is closed."""

    eid: str
    line: int
    parts: int
    opened: int = 1
    etype: str = ""
    head: str = ""
    other: dict[str, str] = field(default_factory=dict)
    runs: list[tuple[int, int]] = field(default_factory=list)
    start: int = 0


@dataclass(frozen=True, slots=True)
class _Edges:
    """Where tokens start and end, to find them by their characters."""

    starts: list[int]
    ends: list[int]

    @classmethod
    def of(cls, spans: Iterable[tuple[int, int]]) -> "_Edges":
        spans = list(spans)
        return cls([start for start, _ in spans], [end for _, end in spans])

    def runs(self, parts: Parts) -> list[tuple[int, int]]:
        """First and last token of each part; parts without a token between them are one."""
        runs: list[tuple[int, int]] = []
        for start, end in parts:
            first, last = bisect_left(self.starts, start), bisect_right(self.ends, end) - 1
            if first > last:
                continue
            if runs and first <= runs[-1][1] + 1:
                runs[-1] = (runs[-1][0], last)
            else:
                runs.append((first, last))
        return runs

    def parts(self, runs: Iterable[tuple[int, int]]) -> Parts:
        return tuple((self.starts[first], self.ends[last]) for first, last in runs)


@dataclass(slots=True)
class _Draft:
    """A document while its lines come in.

    Nodes are words and empty nodes, tokens are what stands in the text. low, high: for each node the token it is of;
    for an empty node the next token and the one before, so that no token lies between. joined: whether the node is a
    further word of its token.
    """

    file: str
    line: int
    name: str
    meta: Mapping[str, str]
    pieces: list[str] = field(default_factory=list)
    length: int = 0
    gap: str = ""
    gap_given: bool = True
    new_line: bool = False
    spans: list[tuple[int, int]] = field(default_factory=list)
    low: list[int] = field(default_factory=list)
    high: list[int] = field(default_factory=list)
    joined: list[bool] = field(default_factory=list)
    sentences: list[tuple[int, str]] = field(default_factory=list)
    paragraphs: list[int] = field(default_factory=list)
    in_sentence: bool = False
    last_word: int = 0
    surface_from: int = 0
    surface_until: int = 0
    surface_line: int = 0
    mentions: list[_Mention] = field(default_factory=list)
    open: dict[str, list[tuple[_Mention, int, int]]] = field(default_factory=dict)
    waiting: dict[tuple[str, int, int], list[_Mention]] = field(default_factory=dict)
    split: list[tuple[str, str, int]] = field(default_factory=list)
    found: dict[str, tuple[int, int]] = field(default_factory=dict)

    def error(self, message: str, number: int) -> FormatError:
        return FormatError(message, self.file, number)

    def odd(self, code: str, line: int, count: int = 1) -> None:
        """Count something odd; its first line is kept."""
        first, before = self.found.get(code, (line, 0))
        self.found[code] = (first, before + count)

    def begin_sentence(self, speaker: str, paragraph: bool) -> None:
        self.in_sentence = True
        self.last_word = self.surface_from = self.surface_until = 0
        self.sentences.append((len(self.spans), speaker))
        if paragraph:
            self.paragraphs.append(len(self.spans))
            self.new_line = True

    def end_sentence(self) -> None:
        if self.surface_until > self.last_word:
            raise self.error("the sentence ends inside this multi-word token", self.surface_line)
        self.in_sentence = False
        self.surface_until = 0

    def add(self, number: int, line: str, fields: _Fields | None) -> None:
        cells = line.split("\t")
        if len(cells) != COLUMNS:
            raise self.error(f"a line has {COLUMNS} columns parted by tabs, this one has {len(cells)}", number)
        found = NUMBER.fullmatch(cells[0])
        if found is None:
            raise self.error(f"the first column is no number of a word: {cells[0][:50]!r}", number)
        misc = self._misc(cells[9], number)
        first = int(found["first"])
        if found["last"] is not None:
            self._surface(number, first, int(found["last"]), cells[1], misc)
            return
        if found["empty"] is not None:
            self._node(len(self.spans), len(self.spans) - 1)
        else:
            self._word(number, first, cells[1], misc)
        if "Entity" in misc:
            if fields is None:
                self.odd("no-header", number)
            self._brackets(number, misc["Entity"], fields or _fields(DEFAULT_FIELDS, self.file, number))
        if "SplitAnte" in misc:
            self._split_antecedents(number, misc["SplitAnte"])
        if "Bridge" in misc:
            self.odd("bridging", number, misc["Bridge"].count(",") + 1)

    def _misc(self, cell: str, number: int) -> dict[str, str]:
        misc: dict[str, str] = {}
        for pair in cell.split("|"):
            key, is_pair, value = pair.partition("=")
            if not is_pair or key not in (*SPACING, *LINKING):
                continue
            if key in misc:
                raise self.error(f"{key} stands twice in the last column", number)
            misc[key] = value
        return misc

    def _node(self, low: int, high: int, joined: bool = False) -> None:
        self.low.append(low)
        self.high.append(high)
        self.joined.append(joined)

    def _word(self, number: int, word: int, form: str, misc: Mapping[str, str]) -> None:
        if word != self.last_word + 1:
            raise self.error(f"this is word {word}, but word {self.last_word + 1} comes next", number)
        self.last_word = word
        if word > self.surface_until:
            self._token(number, form, misc)
        token = len(self.spans) - 1
        self._node(token, token, joined=self.surface_from < word <= self.surface_until)

    def _surface(self, number: int, first: int, last: int, form: str, misc: Mapping[str, str]) -> None:
        if first != self.last_word + 1 or first <= self.surface_until or last < first:
            raise self.error(f"a multi-word token {first}-{last} cannot stand after word {self.last_word}", number)
        if any(key in misc for key in LINKING):
            raise self.error("a multi-word token has no entities of its own: they stand on its words", number)
        self.surface_from, self.surface_until, self.surface_line = first, last, number
        self._token(number, form, misc)

    def _token(self, number: int, form: str, misc: Mapping[str, str]) -> None:
        words = _spaced(misc["SpacesInToken"]) if "SpacesInToken" in misc else form
        if not words.strip():
            raise self.error("the form of this word is empty", number)
        before = _spaced(misc.get("SpacesBefore", ""))
        if self.new_line and self.spans and not self.gap_given and not before:
            self.gap = "\n"
        self.new_line = False
        self.pieces += (self.gap, before, words)
        start = self.length + len(self.gap) + len(before)
        self.length = start + len(words)
        self.spans.append((start, self.length))
        self.gap_given = "SpacesAfter" in misc
        self.gap = _spaced(misc["SpacesAfter"]) if self.gap_given else "" if misc.get("SpaceAfter") == "No" else " "

    def _brackets(self, number: int, cell: str, fields: _Fields) -> None:
        node = len(self.low) - 1
        position = 0
        while position < len(cell) or not cell:
            chunk = CHUNK.match(cell, position)
            if chunk is None:
                raise self.error(f"these are not the brackets of entities: {cell[position:][:50]!r}", number)
            position = chunk.end()
            if chunk["open"] is None:
                self._close(number, node, chunk["close"], fields)
                continue
            mention, bracket = self._opened(number, chunk["open"].split("-"), fields)
            if chunk["closed"]:
                mention.runs.append((node, node))
            else:
                self.open.setdefault(bracket, []).append((mention, node, number))

    def _opened(self, number: int, values: list[str], fields: _Fields) -> tuple[_Mention, str]:
        """The mention that a bracket opens, or opens a further part of, and what closes the bracket."""

        def value(place: int | None) -> str:
            return "" if place is None or place >= len(values) or values[place] == "_" else values[place]

        bracket = values[fields.eid] if fields.eid < len(values) else ""
        part = PART.fullmatch(bracket) if bracket.endswith("]") else None
        eid = _unescaped(part["eid"] if part else bracket)
        if not eid:
            raise self.error("a bracket opens without the name of an entity", number)
        if len(eid) > LONGEST_INDEX:
            raise self.error(f"an entity's name has more than {LONGEST_INDEX} characters", number)
        here, parts = (int(part["part"]), int(part["parts"])) if part else (1, 1)
        if not 1 <= here <= parts:
            raise self.error(f"there is no part {here} of {parts}", number)
        if here == 1:
            other = _pairs(value(fields.other))
            if value(fields.minspan):
                other.setdefault("minspan", value(fields.minspan))
            mention = _Mention(eid, number, parts, 1, _unescaped(value(fields.etype)), value(fields.head), other)
            self.mentions.append(mention)
        else:
            before = self.waiting.get((eid, here, parts))
            if not before:
                raise self.error(f"part {here} of {parts} of {eid} comes without the part before it", number)
            mention = before.pop()
            mention.opened = here
        if here < parts:
            self.waiting.setdefault((eid, here + 1, parts), []).append(mention)
        return mention, bracket

    def _close(self, number: int, node: int, closing: str, fields: _Fields) -> None:
        # Only early releases repeat other fields here.
        values = closing.split("-")
        bracket = values[fields.eid] if fields.eid < len(values) else values[0]
        started = self.open.get(bracket)
        if not started:
            raise self.error(f"the bracket {bracket[:50]}) closes nothing", number)
        mention, first, _ = started.pop()
        mention.runs.append((first, node))

    def _split_antecedents(self, number: int, value: str) -> None:
        for pair in value.split(","):
            antecedent, is_pair, anaphor = (_unescaped(each) for each in pair.partition("<"))
            if not (antecedent and is_pair and anaphor):
                raise self.error(f"this is not ANTECEDENT<ANAPHOR: {pair[:50]!r}", number)
            self.split.append((antecedent, anaphor, number))

    def finish(self) -> None:
        self.end_sentence()
        if not self.spans:
            raise self.error("this document has no word", self.line)
        for bracket, started in self.open.items():
            if started:
                raise self.error(f"the bracket ({bracket[:50]} is never closed", started[-1][2])
        for mention in self.mentions:
            if mention.opened < mention.parts:
                message = f"only {mention.opened} of {mention.parts} parts of {mention.eid} are there"
                raise self.error(message, mention.line)

    def build(self, name: str, categories: str) -> Document:
        content = "".join([*self.pieces, self.gap if self.gap_given else ""])
        self.length = len(content)
        edges = _Edges.of(self.spans)
        places: dict[Parts, dict[str, _Mention]] = {}
        for mention in self.mentions:
            tokens = self._tokens(mention.runs)
            if not tokens:
                self.odd("empty-nodes", mention.line)
                continue
            mention.start = self.spans[tokens[0][0]][0]
            parts = edges.parts(tokens)
            if "chars" in mention.other:
                exact = _characters(mention.start, mention.other["chars"], self.length)
                parts = exact if edges.runs(exact) == tokens else parts
            if any(self._inside_token(run) for run in mention.runs):
                self.odd("inside-word", mention.line)
            if places.setdefault(parts, {}).setdefault(mention.eid, mention) is not mention:
                self.odd("duplicate", mention.line)
        in_order = sorted(places, key=lambda parts: in_text_order(Mark(parts)))
        indices = self._indices({parts: list(places[parts]) for parts in in_order})
        marks = [self._mark(parts, list(places[parts].values()), indices[parts], categories) for parts in in_order]
        return Document(
            name,
            self.file,
            content,
            marks,
            self._segments(),
            Links.INDICES,
            self.meta.get("title", ""),
            self.meta.get("language", ""),
            self.meta.get("direction", ""),
            self._findings(),
        )

    def _indices(self, own: Mapping[Parts, Sequence[str]]) -> dict[Parts, tuple[str, ...]]:
        """The entities of each mark: its own ones and split antecedents of those that begin with it."""
        first: dict[str, Parts] = {}
        for parts, entities in own.items():
            for entity in entities:
                first.setdefault(entity, parts)
        found = {parts: dict.fromkeys(entities) for parts, entities in own.items()}
        for antecedent, anaphor, number in self.split:
            if antecedent in first and anaphor in first and antecedent != anaphor:
                found[first[anaphor]][antecedent] = None
            else:
                self.odd("unknown-entity", number)
        return {parts: tuple(entities) for parts, entities in found.items()}

    def _tokens(self, runs: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
        """The first and last token of each run of nodes; those that follow each other or overlap are one."""
        tokens: list[tuple[int, int]] = []
        for first, last in sorted((self.low[first], self.high[last]) for first, last in runs):
            if first > last:
                continue
            if tokens and first <= tokens[-1][1] + 1:
                tokens[-1] = (tokens[-1][0], max(last, tokens[-1][1]))
            else:
                tokens.append((first, last))
        return tokens

    def _inside_token(self, run: tuple[int, int]) -> bool:
        first, after = run[0], run[1] + 1
        return self.joined[first] or (after < len(self.joined) and self.joined[after])

    def _mark(self, parts: Parts, mentions: list[_Mention], indices: tuple[str, ...], categories: str) -> Mark:
        other: dict[str, str] = {}
        for mention in reversed(mentions):
            other |= mention.other
        heads = (self._head(mention) for mention in mentions)
        types = (mention.etype for mention in mentions if categories == ETYPE)
        etype = next((etype for etype in types if etype), "")
        label = other.get("label", "")
        if len(label) > LONGEST_LABEL:
            self.odd("long-label", mentions[0].line)
            label = ""
        answer = Answer(
            category=re.sub(r"[^\w-]+", "-", etype).strip("-"),
            indices=indices,
            optional="optional" in other,
            unsure="unsure" in other,
            note=other.get("note", ""),
            name=other.get("chain", ""),
        )
        return Mark(parts, "", label, next((head for head in heads if head), ()), answer, mentions[0].line)

    def _head(self, mention: _Mention) -> Parts:
        """The least words that a mention names; none, and a finding, where they are not its own."""
        if "minchars" in mention.other:
            head = _characters(mention.start, mention.other["minchars"], self.length)
        else:
            said = mention.other.get("minspan", mention.head)
            if said in ("", "_"):
                return ()
            head = self._words_at(mention.runs, said.split(","))
        if not head:
            self.odd("head-outside", mention.line)
        return head

    def _words_at(self, runs: Iterable[tuple[int, int]], positions: Sequence[str]) -> Parts:
        """The characters of the words at those places of the mention, counted from 1; none where one is not there."""
        if not all(POSITION.fullmatch(position) for position in positions):
            return ()
        left = sorted({int(position) for position in positions}, reverse=True)
        nodes: list[tuple[int, int]] = []
        before, reached = 0, -1
        for first, last in sorted(runs):
            first = max(first, reached + 1)
            while left and before < left[-1] <= before + last + 1 - first:
                node = first + left.pop() - before - 1
                nodes.append((node, node))
            before += max(last + 1 - first, 0)
            reached = max(last, reached)
        tokens = [] if left else self._tokens(nodes)
        return tuple((self.spans[first][0], self.spans[last][1]) for first, last in tokens)

    def _segments(self) -> list[Stretch]:
        firsts = [first for first, _ in self.sentences]
        segments = [
            Stretch("sentence", *self._from_to(first, end), speaker=speaker)
            for (first, speaker), end in zip(self.sentences, [*firsts[1:], len(self.spans)], strict=True)
            if first < end
        ]
        segments += [
            Stretch("paragraph", *self._from_to(first, end))
            for first, end in zip(self.paragraphs, [*self.paragraphs[1:], len(self.spans)], strict=False)
            if first < end
        ]
        return sorted(segments, key=lambda segment: (segment.start, -segment.end, segment.kind))

    def _from_to(self, first: int, end: int) -> tuple[int, int]:
        return self.spans[first][0], self.spans[end - 1][1]

    def _findings(self) -> list[Finding]:
        return [
            Finding(code, message.format(self.found[code][1]), self.file, self.found[code][0], fix)
            for code, message, fix in FINDINGS
            if code in self.found
        ]


FINDINGS = (
    ("no-header", "no '# global.Entity' line comes before the entities ({} lines)", f"read as {DEFAULT_FIELDS}"),
    ("empty-nodes", "{} mentions stand on empty nodes alone", "left out"),
    ("inside-word", "{} mentions begin or end inside a multi-word token", "they have all of it"),
    ("duplicate", "{} mentions stand where one of the same entity stands", "one markable"),
    ("head-outside", "{} heads or least words are not in their mention", "left out"),
    (
        "unknown-entity",
        "{} times SplitAnte names an entity without a mention, or an entity as its own part",
        "left out",
    ),
    ("long-label", f"{{}} labels have more than {LONGEST_LABEL} characters", "left out"),
    ("bridging", "{} bridging links", "left out"),
)


def _spaced(value: str) -> str:
    return SPACE.sub(lambda found: SPACED[found[1]], value)


def _pairs(value: str) -> dict[str, str]:
    pairs = (pair.partition(":") for pair in value.split(",") if pair)
    return {_unescaped(key): _unescaped(said) for key, _, said in pairs}


def _characters(base: int, value: str, length: int) -> Parts:
    """Stretches of a text of that length, counted from the base; none where they are not in it or not in order."""
    found: list[tuple[int, int]] = []
    for each in value.split(","):
        pair = CHARACTERS.fullmatch(each)
        if pair is None:
            return ()
        start, end = base + int(pair[1]), base + int(pair[2])
        if not (found[-1][1] if found else -1) < start < end <= length:
            return ()
        found.append((start, end))
    return tuple(found)


def _named(drafts: Sequence[_Draft]) -> list[tuple[str, _Draft]]:
    """Documents named by the file, where it holds one, else as they are called in it."""
    called = stem(drafts[0].file)
    if len(drafts) == 1:
        return [(called, drafts[0])]
    seen: dict[str, _Draft] = {}
    for number, draft in enumerate(drafts, start=1):
        name = draft.name or f"{called} {number}"
        if name in seen:
            raise draft.error(f"the document {name} stands twice (also in line {seen[name].line})", draft.line)
        seen[name] = draft
    return list(seen.items())


def write(documents: Sequence[Document], categories: str = LEFT_OUT) -> list[File]:
    """A file for each document."""
    return one_each(documents, ".conllu", lambda document: _written(document, categories))


def _written(document: Document, categories: str) -> bytes:
    tokens = tokens_of(document)
    entities = _Entities(_Edges.of(tokens.spans))
    for mark in sorted(document.marks, key=in_text_order):
        entities.add(mark, categories)
    name = "_".join(document.name.split())
    said = {segment.start: segment.speaker for segment in document.segments if segment.kind == "sentence"}
    lines = [f"# newdoc id = {name}", f"# global.Entity = {DEFAULT_FIELDS}"]
    for key, value in zip(META, (document.title, document.language, document.direction), strict=True):
        if value:
            lines.append(f"# {key} = {' '.join(value.split())}")
    for number, sentence in enumerate(tokens.by_sentence(), start=1):
        lines.append(f"# sent_id = {name}-{number}")
        speaker = said.get(tokens.spans[sentence[0]][0])
        if speaker:
            lines.append(f"# speaker = {' '.join(speaker.split())}")
        rows, text = [], ""
        for word, token in enumerate(sentence, start=1):
            start, end = tokens.spans[token]
            form = document.content[start:end]
            misc = _spaces(document.content, tokens, token) | entities.misc(token)
            rows.append("\t".join((str(word), form, *["_"] * (COLUMNS - 3), _joined(misc))))
            text += form + ("" if misc.get("SpaceAfter") == "No" else " ")
        lines += [f"# text = {text.rstrip()}", *rows, ""]
    return "\n".join([*lines, ""]).encode()


def _joined(misc: Mapping[str, str]) -> str:
    return "|".join(f"{key}={misc[key]}" for key in sorted(misc)) or "_"


def _spaces(content: str, tokens: Tokens, token: int) -> dict[str, str]:
    """What says which white space stands after the token, and before it where it is the first."""
    start, end = tokens.spans[token]
    last = token + 1 == len(tokens.spans)
    after = content[end:] if last else content[end : tokens.spans[token + 1][0]]
    found = {}
    if token == 0 and start > 0:
        found["SpacesBefore"] = _with_escapes(content[:start])
    if not after and not last:
        found["SpaceAfter"] = "No"
    elif after != ("" if last else " "):
        found["SpacesAfter"] = _with_escapes(after)
    return found


def _with_escapes(spaces: str) -> str:
    return "".join(SPACES.get(space, space) for space in spaces)


@dataclass(slots=True)
class _Entities:
    """The brackets on each token. Each opening and closing has what it is sorted by."""

    edges: _Edges
    opened: dict[int, list[tuple[int, int, str]]] = field(default_factory=dict)
    closed: dict[int, list[tuple[int, int, str]]] = field(default_factory=dict)
    alone: dict[int, list[str]] = field(default_factory=dict)
    split: dict[int, list[str]] = field(default_factory=dict)
    named: set[str] = field(default_factory=set)
    torn: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    number: int = 0

    def misc(self, token: int) -> dict[str, str]:
        # What closes comes before what opens; what does both after what opens and before what closes, if it can.
        opened = [bracket for *_, bracket in sorted(self.opened.get(token, ()))]
        closed = [bracket for *_, bracket in sorted(self.closed.get(token, ()))]
        alone = self.alone.get(token, [])
        brackets = [*closed, *opened, *alone] if opened else [*alone, *closed]
        found = {"Entity": "".join(brackets)} if brackets else {}
        if token in self.split:
            found["SplitAnte"] = ",".join(self.split[token])
        return found

    def add(self, mark: Mark, categories: str) -> None:
        """Write a mark that comes after all others so far in text order."""
        runs = self.edges.runs(mark.parts)
        if not runs or mark.answer is None:
            return
        indices: Sequence[str] = mark.answer.indices
        new = [index for index in indices if index not in self.named]
        self.named |= set(new)
        if len(new) == 1 and len(indices) > 2:
            antecedents = [index for index in indices if index != new[0]]
            pairs = [f"{_escaped(index)}<{_escaped(new[0])}" for index in antecedents]
            self.split.setdefault(runs[0][0], []).extend(pairs)
            indices = new
        etype = _escaped(mark.answer.category) if categories == ETYPE else ""
        head, other = self._head(mark, runs)
        other |= _of_answer(mark)
        if self.edges.parts(runs) != mark.parts:
            other["chars"] = self._characters(mark.parts, runs)
        if other and not head:
            # A head must stand before `other`; minspan says that it means nothing.
            head, other = "1", other | {"minspan": "_"}
        # In every mention of the mark: their places must be the same.
        said = ",".join(f"{key}:{_escaped(other[key])}" if other[key] else key for key in sorted(other))
        for index in indices:
            self._mention(index, runs, f"-{etype}-{head}-{said}".rstrip("-"))

    def _head(self, mark: Mark, runs: list[tuple[int, int]]) -> tuple[str, dict[str, str]]:
        """The place of the first of the least words in the mention, and what else says which they are."""
        if not mark.head:
            return "", {}
        whole = self.edges.runs(mark.head)
        wanted = {token for first, last in whole for token in range(first, last + 1)}
        words = (token for first, last in runs for token in range(first, last + 1))
        places = [place for place, token in enumerate(words, start=1) if token in wanted]
        head = str(places[0]) if places else "1"
        if self.edges.parts(whole) != mark.head or len(places) < len(wanted):
            return head, {"minchars": self._characters(mark.head, runs)}
        return head, {"minspan": ",".join(map(str, places))} if len(places) > 1 else {}

    def _characters(self, parts: Parts, runs: list[tuple[int, int]]) -> str:
        base = self.edges.starts[runs[0][0]]
        return ",".join(f"{start - base}_{end - base}" for start, end in parts)

    def _mention(self, index: str, runs: list[tuple[int, int]], values: str) -> None:
        eid = _escaped(index)
        if len(runs) == 1:
            self._part(eid, *runs[0], values)
            return
        # Mentions of one entity that lie in each other are told apart by the number of their parts: where another has
        # the same, the last part is repeated.
        others = [(last, parts) for last, parts in self.torn.get(index, ()) if last >= runs[0][0]]
        taken = {parts for _, parts in others}
        parts = len(runs)
        while parts in taken:
            parts += 1
        self.torn[index] = [*others, (runs[-1][1], parts)]
        for number, (first, last) in enumerate([*runs, *[runs[-1]] * (parts - len(runs))], start=1):
            self._part(f"{eid}[{number}/{parts}]", first, last, values)

    def _part(self, bracket: str, first: int, last: int, values: str) -> None:
        self.number += 1
        if first == last:
            self.alone.setdefault(first, []).append(f"({bracket}{values})")
        else:
            self.opened.setdefault(first, []).append((-last, self.number, f"({bracket}{values}"))
            self.closed.setdefault(last, []).append((-first, -self.number, f"{bracket})"))


def _of_answer(mark: Mark) -> dict[str, str]:
    """What `other` says besides the least words; an empty value for a mere yes."""
    assert mark.answer is not None
    said = {"label": mark.label, "chain": mark.answer.name, "note": mark.answer.note}
    found = {key: value for key, value in said.items() if value}
    if mark.answer.optional:
        found["optional"] = ""
    if mark.answer.unsure:
        found["unsure"] = ""
    return found


FORMAT = Format(
    "conllu",
    "CorefUD / CoNLL-U",
    (".conllu",),
    read,
    write=write,
    carries=frozenset(
        {
            Feature.INDICES,
            Feature.SEVERAL_CHAINS,
            Feature.ENTITY_NAMES,
            Feature.DISCONTINUOUS,
            Feature.EDGES,
            Feature.CROSSING,
            Feature.HEADS,
            Feature.OPTIONAL,
            Feature.UNSURE,
            Feature.NOTES,
            Feature.NAMES,
            Feature.LABELS,
            Feature.SENTENCES,
            Feature.SPEAKERS,
            Feature.TITLE,
            Feature.SPACING,
            Feature.CONTROL_CHARACTERS,
        }
    ),
    options=(Option("categories", "Entity types", ((LEFT_OUT, "left out"), (ETYPE, "are the categories (etype)"))),),
)
