"""Drafts of CoNLL-U documents, built line by line."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise

from annotations.formats.conll.columns import BLANK, MIN_BLANKS
from annotations.formats.conll.documents import DocumentDraft
from annotations.formats.model.findings import FormatError
from annotations.formats.model.text import MAX_INDEX_LENGTH

COLUMNS = 10
DEFAULT_FIELDS = "eid-etype-head-other"
READ_FIELDS = ("eid", "etype", "head", "minspan", "other")
# Names of fields in earlier releases.
EARLY_NAMES = {"GRP": "eid", "entity": "etype", "MIN": "minspan"}
# The keys of `other` that are not attributes.
OTHER = ("minspan", "label", "chain", "note", "optional", "unsure")
BRIDGING = "bridging"
META = {"meta::title": "title", "meta::language": "language", "meta::direction": "direction"}
REFERENCE = re.compile(r"&#([0-9]{1,7});|%2C")
SPECIAL = re.compile(r"[\s\x00-\x20\x7f&%=|,<>()\[\]-]")
SPACE_ESCAPE = re.compile(r"\\([stnrp\\])")
SPACE_ESCAPES = {" ": r"\s", "\t": r"\t", "\n": r"\n", "\r": r"\r", "|": r"\p", "\\": r"\\"}
SPACE_CHARACTERS = {escape[1]: character for character, escape in SPACE_ESCAPES.items()}
NUMBER = re.compile(r"(?P<first>[0-9]{1,9})(?:-(?P<last>[0-9]{1,9})|(?P<empty>\.[0-9]{1,9}))?")
CHUNK = re.compile(r"\((?P<open>[^()]+)(?P<closed>\))?|(?P<close>[^()]+)\)")
PART = re.compile(r"(?P<eid>.+)\[(?P<part>[0-9]{1,4})/(?P<parts>[0-9]{1,4})\]")
POSITIONS = re.compile(r"[0-9]+(?:,[0-9]+)*")
# Fields with free values, which may contain hyphens if the field is the last.
FREE = ("other", "identity")
SPACING = ("SpaceAfter", "SpacesAfter", "SpacesBefore", "SpacesInToken")
# The key of entities in early releases of CorefUD.
EARLY = "ClusterId"
LINKING = ("Entity", "SplitAnte", "Bridge")


def unescape(value: str) -> str:
    def character(match: re.Match[str]) -> str:
        if match[1] is None:
            return ","
        code = int(match[1])
        # A code that is no character of a text stays as it is written.
        return chr(code) if 0 < code < 0xD800 or 0xE000 <= code < 0x110000 else match[0]

    return REFERENCE.sub(character, value) if "&" in value or "%" in value else value


def escape(value: str) -> str:
    return SPECIAL.sub(lambda match: "%2C" if match[0] == "," else f"&#{ord(match[0])};", value)


def unescape_space(value: str) -> str:
    """Return the white space that a value of SpacesAfter, SpacesBefore or SpacesInToken encodes."""
    return SPACE_ESCAPE.sub(lambda match: SPACE_CHARACTERS[match[1]], value)


def escape_space(spaces: str) -> str:
    return "".join(SPACE_ESCAPES.get(space, space) for space in spaces)


@dataclass(frozen=True, slots=True)
class Fields:
    """The names of all fields of a mention, and the positions of the fields that are read, at least eid or etype."""

    names: tuple[str, ...]
    places: Mapping[str, int]

    @property
    def has_entities(self) -> bool:
        return "eid" in self.places

    def value(self, values: Sequence[str], name: str) -> str:
        place = self.places.get(name, len(values))
        return "" if place >= len(values) or values[place] == "_" else values[place]

    def bracket(self, values: Sequence[str]) -> str:
        """Return the value that pairs the brackets of a mention: its entity, or its type if there are no entities."""
        place = self.places["eid" if self.has_entities else "etype"]
        return values[place] if place < len(values) else ""


def parse_fields(value: str, file: str, line: int | None = None) -> Fields:
    names = [EARLY_NAMES.get(name, name) for name in value.split("-")]
    places = {name: names.index(name) for name in READ_FIELDS if name in names}
    if "eid" not in places and "etype" not in places:
        message = "global.Entity names neither an entity (eid or GRP) nor a type (etype) of mentions"
        raise FormatError(f"{message}, but {value[:100]}", file, line)
    return Fields(tuple(value.split("-")), places)


@dataclass(slots=True)
class Mention:
    """A mention that is built part by part. runs: first and last node of each part. eid: empty for types alone."""

    eid: str
    line: int
    parts: int
    opened: int = 1
    etype: str = ""
    head: str = ""
    other: dict[str, str] = field(default_factory=dict)
    runs: list[tuple[int, int]] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class Draft(DocumentDraft):
    """A document that is built line by line. Nodes are words and empty nodes; tokens are the pieces of the text."""

    meta: Mapping[str, str]
    has_words: bool = False
    pieces: list[str] = field(default_factory=list)
    length: int = 0
    gap: str = ""
    gap_given: bool = True
    new_line: bool = False
    spans: list[tuple[int, int]] = field(default_factory=list)
    # The token of each node. An empty node has the next token (low) and the previous token (high), an empty range.
    low: list[int] = field(default_factory=list)
    high: list[int] = field(default_factory=list)
    continues: list[bool] = field(default_factory=list)  # whether the node is a further word of its token
    sentences: list[tuple[int, str]] = field(default_factory=list)
    paragraphs: list[int] = field(default_factory=list)
    in_sentence: bool = False
    last_word: int = 0
    surface_from: int = 0
    surface_until: int = 0
    surface_line: int = 0
    surface_node: int = 0
    surface_words: list[tuple[int, str]] = field(default_factory=list)
    mentions: list[Mention] = field(default_factory=list)
    open: dict[str, list[tuple[Mention, int, int]]] = field(default_factory=dict)
    waiting: dict[tuple[str, int, int], list[Mention]] = field(default_factory=dict)
    split: list[tuple[str, str, int]] = field(default_factory=list)
    bridges: list[tuple[str, str, str, int]] = field(default_factory=list)
    reports: dict[str, list[int]] = field(default_factory=dict)
    left_out: dict[str, list[int]] = field(default_factory=dict)  # the lines of values that are not read, by field

    def report(self, code: str, line: int) -> None:
        self.reports.setdefault(code, []).append(line)

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

    def add(self, number: int, line: str, fields: Fields) -> bool:
        """Add the word or node of a line. Return whether the line has mentions."""
        cells = line.split("\t")
        if len(cells) != COLUMNS:
            raise self.error(f"a line has {COLUMNS} columns parted by tabs, this one has {len(cells)}", number)
        match = NUMBER.fullmatch(cells[0])
        if match is None:
            raise self.error(f"the first column is no number of a word: {cells[0][:50]!r}", number)
        misc = self._misc(cells[9], number)
        first = int(match["first"])
        if match["last"] is not None:
            self._surface(number, first, int(match["last"]), cells[1], misc)
            return False
        if match["empty"] is not None:
            self._node(len(self.spans), len(self.spans) - 1)
        else:
            self._word(number, first, cells[1], misc)
        if "Entity" in misc:
            self._brackets(number, misc["Entity"], fields)
        for key in ("SplitAnte", "Bridge"):
            if key in misc:
                self._links(number, misc[key], is_bridge=key == "Bridge")
        return "Entity" in misc

    def _misc(self, cell: str, number: int) -> dict[str, str]:
        misc: dict[str, str] = {}
        for pair in cell.split("|"):
            key, is_pair, value = pair.partition("=")
            if key == EARLY:
                self.report("early", number)
            elif key in misc and is_pair:
                self.slip(f"{key} appears twice in the last column", number)
            elif is_pair and key in (*SPACING, *LINKING):
                misc[key] = value
        return misc

    def _node(self, low: int, high: int, continues: bool = False) -> None:
        self.low.append(low)
        self.high.append(high)
        self.continues.append(continues)

    def _word(self, number: int, word: int, form: str, misc: Mapping[str, str]) -> None:
        if word != self.last_word + 1:
            raise self.error(f"this is word {word}, but word {self.last_word + 1} comes next", number)
        self.last_word = word
        if word > self.surface_until:
            self._token(number, form, misc)
        token = len(self.spans) - 1
        self._node(token, token, continues=self.surface_from < word <= self.surface_until)
        if word <= self.surface_until:
            self.surface_words.append((len(self.low) - 1, form))
            if word == self.surface_until:
                self._split_surface()

    def _surface(self, number: int, first: int, last: int, form: str, misc: Mapping[str, str]) -> None:
        if first != self.last_word + 1 or first <= self.surface_until or last < first:
            raise self.error(f"a multi-word token {first}-{last} cannot stand after word {self.last_word}", number)
        if any(key in misc for key in LINKING):
            self.slip("a multi-word token has no entities of its own: they stand on its words", number)
        self.surface_from, self.surface_until, self.surface_line = first, last, number
        self.surface_node, self.surface_words = len(self.low), []
        self._token(number, form, misc)

    def _split_surface(self) -> None:
        """Replace a multi-word token by its words if they spell it: `He` and `'s` for `He's`."""
        start, _ = self.spans[-1]
        forms = [form for _, form in self.surface_words]
        if "".join(forms) != self.pieces[-1] or not all(forms):
            return
        token = len(self.spans) - 1
        self.spans[-1:] = pairwise(accumulate((len(form) for form in forms), initial=start))
        words = dict(self.surface_words)
        for node in range(self.surface_node, len(self.low)):
            # An empty node is between the previous token and the next.
            self.low[node], self.high[node] = (token, token) if node in words else (token, token - 1)
            self.continues[node] = False
            token += node in words

    def _token(self, number: int, form: str, misc: Mapping[str, str]) -> None:
        words = unescape_space(misc["SpacesInToken"]) if "SpacesInToken" in misc else form
        if not words.strip():
            raise self.error("the form of this word is empty", number)
        self.has_words = self.has_words or not BLANK.fullmatch(words)
        before = unescape_space(misc.get("SpacesBefore", ""))
        if self.new_line and self.spans and not self.gap_given and not before:
            self.gap = "\n"
        self.new_line = False
        self.pieces += (self.gap, before, words)
        start = self.length + len(self.gap) + len(before)
        self.length = start + len(words)
        self.spans.append((start, self.length))
        self.gap_given = "SpacesAfter" in misc
        self.gap = (
            unescape_space(misc["SpacesAfter"]) if self.gap_given else "" if misc.get("SpaceAfter") == "No" else " "
        )

    def _brackets(self, number: int, cell: str, fields: Fields) -> None:
        node = len(self.low) - 1
        position = 0
        while position < len(cell) or not cell:
            chunk = CHUNK.match(cell, position)
            if chunk is None:
                self.slip(f"these are not the brackets of entities: {cell[position:][:50]!r}", number)
                return
            position = chunk.end()
            if chunk["open"] is None:
                self._close(number, node, chunk["close"], fields)
                continue
            try:
                mention, bracket = self._opened(number, self._values(number, chunk["open"], fields), fields)
            except FormatError as error:
                self.slip(error.message, number)
                continue
            if chunk["closed"]:
                mention.runs.append((node, node))
            else:
                self.open.setdefault(bracket, []).append((mention, node, number))

    def _values(self, number: int, opened: str, fields: Fields) -> list[str]:
        """Return the values of a mention. Extra hyphens belong to a free last field if heads are numbers."""
        values = opened.split("-")
        n_fields = len(fields.names)
        if len(values) <= n_fields:
            return values
        numbers = [values[fields.places[name]] for name in ("head", "minspan") if name in fields.places]
        numbers = [number for number in numbers if number]
        if fields.names[-1] in FREE and numbers and all(map(POSITIONS.fullmatch, numbers)):
            return [*values[: n_fields - 1], "-".join(values[n_fields - 1 :])]
        message = f"({opened[:50]} has {len(values)} values for the {n_fields} fields {'-'.join(fields.names)}"
        raise self.error(f"{message}: a hyphen in a value is written &#45;, and fields=... names other fields", number)

    def _opened(self, number: int, values: list[str], fields: Fields) -> tuple[Mention, str]:
        """Return the mention that a bracket opens or continues, and the value that closes the bracket."""
        bracket = fields.bracket(values)
        part = PART.fullmatch(bracket) if bracket.endswith("]") else None
        name = unescape(part["eid"] if part else bracket)
        eid = name if fields.has_entities else ""
        if not name:
            raise self.error("a bracket opens without the name of an entity", number)
        if len(name) > MAX_INDEX_LENGTH:
            raise self.error(f"an entity's name has more than {MAX_INDEX_LENGTH} characters", number)
        part_number, parts = (int(part["part"]), int(part["parts"])) if part else (1, 1)
        if not 1 <= part_number <= parts:
            raise self.error(f"there is no part {part_number} of {parts}", number)
        if part_number == 1:
            pairs = (pair.partition(":") for pair in fields.value(values, "other").split(",") if pair)
            other = {unescape(key): unescape(text) for key, _, text in pairs}
            if minspan := fields.value(values, "minspan"):
                other.setdefault("minspan", minspan)
            etype = unescape(fields.value(values, "etype")) if fields.has_entities else name
            for place, field_name in enumerate(fields.names[: len(values)]):
                if place not in fields.places.values() and values[place] not in ("", "_"):
                    self.left_out.setdefault(field_name, []).append(number)
            mention = Mention(eid, number, parts, 1, etype, fields.value(values, "head"), other)
            self.mentions.append(mention)
        else:
            before = self.waiting.get((name, part_number, parts))
            if not before:
                raise self.error(f"part {part_number} of {parts} of {name} comes without the part before it", number)
            mention = before.pop()
            mention.opened = part_number
        if part_number < parts:
            self.waiting.setdefault((name, part_number + 1, parts), []).append(mention)
        return mention, bracket

    def _close(self, number: int, node: int, closing: str, fields: Fields) -> None:
        # Only early releases repeat other fields in closing brackets.
        values = closing.split("-")
        bracket = fields.bracket(values) or values[0]
        started = self.open.get(bracket)
        if not started:
            self.slip(f"the bracket {bracket[:50]}) closes nothing", number)
            return
        mention, first, _ = started.pop()
        mention.runs.append((first, node))

    def _links(self, number: int, value: str, *, is_bridge: bool) -> None:
        """Add split antecedents, or bridging links, which may have a subtype."""
        for link in value.split(","):
            pair, _, subtype = link.partition(":") if is_bridge else (link, "", "")
            antecedent, is_pair, anaphor = (unescape(side) for side in pair.partition("<"))
            if not (antecedent and is_pair and anaphor):
                self.slip(f"this is not ANTECEDENT<ANAPHOR{':SUBTYPE' * is_bridge}: {link[:50]!r}", number)
            elif len(subtype) > MAX_INDEX_LENGTH:
                self.slip(f"the subtype of a bridging link has more than {MAX_INDEX_LENGTH} characters", number)
            elif is_bridge:
                self.bridges.append((unescape(subtype) or BRIDGING, antecedent, anaphor, number))
            else:
                self.split.append((antecedent, anaphor, number))

    def finish(self) -> None:
        self.end_sentence()
        if not self.spans:
            raise self.error("this document has no word", self.line)
        if not self.has_words and len(self.spans) >= MIN_BLANKS:
            message = "this document has no words: each form is _, as in releases from which the text was taken out"
            raise self.error(message, self.line)
        unclosed = set[int]()
        for bracket, started in self.open.items():
            for mention, _, number in reversed(started):
                self.slip(f"the bracket ({bracket[:50]} is never closed", number)
                unclosed.add(id(mention))
        closed = [mention for mention in self.mentions if id(mention) not in unclosed]
        for mention in closed:
            if mention.opened < mention.parts:
                message = f"only {mention.opened} of {mention.parts} parts of {mention.eid or mention.etype} are there"
                self.slip(message, mention.line)
        self.mentions = [mention for mention in closed if mention.opened >= mention.parts]

    def content(self) -> str:
        return "".join([*self.pieces, self.gap if self.gap_given else ""])
