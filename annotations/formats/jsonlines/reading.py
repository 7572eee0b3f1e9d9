"""Reading JSON lines: documents and the marks of each line."""

import io
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from annotations.formats.jsonlines.dialects import BOOKCOREF, NAMES, Evidence, Layout, find_layout, named_clusters
from annotations.formats.jsonlines.lines import Json, Line, count_unread, read_objects, show_unread, spans_in, to_offset
from annotations.formats.jsonlines.text import LineText
from annotations.formats.model.document import Answer, Document, Links, Mark, Parts, Place, text_order
from annotations.formats.model.findings import Finding, FormatError
from annotations.formats.model.format import Bundle, stem
from annotations.formats.model.links import SPLIT, add_relation, group_readings
from annotations.formats.model.scheme import AnswerValue
from annotations.formats.model.slips import LEAVE_OUT
from annotations.formats.model.text import MAX_INDEX_LENGTH

# Keys with lists that every dialect reads or checks.
READ = ("text", "sent_id", "plurals", "includes", "mentions", "attributes")


def read(bundle: Bundle, offsets: str = "", clusters: str = "", slips: str = "") -> list[Document]:
    """Return the documents of a file. Raises FormatError with file and line on any other JSON."""
    return list(read_each(bundle.main, io.BytesIO(bundle.data), offsets, clusters, slips))


def read_each(
    file: str, data: Iterable[bytes], offsets: str = "", clusters: str = "", slips: str = ""
) -> Iterator[Document]:
    """Yield the documents of a file, as `read` returns them. data: its lines, each with its end."""
    yield from _Reader(file, offsets, clusters, slips == LEAVE_OUT).read(data)


@dataclass(slots=True)
class _Reader:
    """A reader of the lines of a file. names: the line of each document. told: dialects already reported."""

    file: str
    offsets: str
    clusters: str
    keeps_going: bool
    names: dict[str, int] = field(default_factory=dict)
    refused: list[FormatError] = field(default_factory=list)
    told: set[str] = field(default_factory=set)
    evidence: dict[str, Evidence] = field(default_factory=dict)

    def read(self, data: Iterable[bytes]) -> Iterator[Document]:
        last: tuple[Document, list[Finding]] | None = None
        for number, record in read_objects(self.file, data, self._refuse):
            line = Line(self.file, number, record, self.keeps_going)
            try:
                document = self._build(line)
            except FormatError as error:
                self._refuse(error)
                continue
            if last is not None:
                yield last[0]
            last = document, line.findings
        if last is None:
            raise self.refused[0] if self.refused else FormatError("there is no text in this file", self.file, 1)
        # Findings about all lines go to the last document.
        document, findings = last
        findings += [
            Finding("slips", error.message, self.file, error.line, "its document is left out", left_out=True)
            for error in self.refused
        ]
        findings += [
            Finding("offsets", message, self.file, None, fix, left_out)
            for evidence in self.evidence.values()
            for message, fix, left_out in evidence.doubts()
        ]
        yield document

    def _refuse(self, error: FormatError) -> None:
        if not self.keeps_going:
            raise error
        self.refused.append(error)

    def _build(self, line: Line) -> Document:
        layout = find_layout(line, self.offsets, self.clusters)
        name, key = self._name(line)
        wanted = name
        while name in self.names:
            name = f"{name}-{line.number}"
        if name != wanted:
            line.report("same-name", f"{key} {wanted} is in line {self.names[wanted]} too", f"called {name}")
        text = LineText(line, layout)
        line_marks = LineMarks(text)
        marks = line_marks.read()
        if layout.reason and layout.reason not in self.told:
            self.told.add(layout.reason)
            line.report("dialect", layout.reason, f"read with offsets={layout.convention}")
        if text.is_elsewhere:
            message = "the line has no 'text': that of the project is taken"
            line.report("text-elsewhere", message, "the words of mentions are not compared with it")
        elif not layout.is_certain or self.offsets:
            has_text = bool(layout.words) and line.record.get("text") is not None
            evidence = self.evidence.setdefault(layout.convention, Evidence(layout.convention))
            evidence.add(text.mentions, text.counted, has_text=has_text)
        unread = self._report_unread(line, layout, text, line_marks)
        line.report_slips()
        segments = text.segments()
        self.names[name] = line.number
        links = Links.INDICES if layout.clusters else Links.NONE
        is_uncoded = not layout.clusters and not unread and not marks
        document = Document(name, self.file, text.content, marks, segments, links, findings=line.findings)
        return replace(document, without_text=text.is_elsewhere, is_uncoded=is_uncoded)

    def _name(self, line: Line) -> tuple[str, str]:
        """Return a slug as the document's name, and its key. Without one the file and line number make the name."""
        key = next((key for key in NAMES if line.record.get(key) is not None), NAMES[0])
        value = line.record.get(key)
        name = str(value) if type(value) is int and key != NAMES[0] else "" if value is None else value
        if not isinstance(name, str):
            raise line.error(f"{key} is not a string")
        if len(name) > MAX_INDEX_LENGTH:
            raise line.error(f"{key} has more than {MAX_INDEX_LENGTH} characters")
        return re.sub(r"[^\w-]+", "-", name).strip("-") or f"{stem(self.file)}-{line.number}", key

    def _report_unread(self, line: Line, layout: Layout, text: LineText, marks: "LineMarks") -> bool:
        """Report the keys that hold spans and are not read; return whether there are any."""
        read = {*READ, layout.words, layout.clusters, f"{layout.clusters}_strings"}
        # These keys are read only together with others.
        read |= {BOOKCOREF} if named_clusters(line.record) else set()
        read |= {"relations"} if "attributes" in line.record else set()
        read |= {"speakers", "speaker"} if layout.words else set()
        unread = count_unread(line.record, read)
        if not marks.listed and (mentions := _count_unlinked(line, layout, text)):
            unread = sorted([*unread, ("mentions", mentions)], key=lambda pair: -pair[1])
        if not unread:
            return False
        if layout.clusters:
            line.report("unread", f"not read: {show_unread(unread)}", "left out", left_out=True)
        else:
            message = f'no "{self.clusters or "clusters"}"; there are {show_unread(unread)}'
            line.report("unread", message, "left out; clusters=KEY says which are read", left_out=True)
        return True


def _count_unlinked(line: Line, layout: Layout, text: LineText) -> int:
    linked = {(mention.first, mention.last) for mention in text.mentions}
    ends = slice(1, 3) if layout.by_sentence else slice(2)
    mentions = (mention for mention in spans_in(line.record.get("mentions")) if isinstance(mention, list))
    return sum(tuple(to_offset(offset) for offset in mention[ends]) not in linked for mention in mentions)


@dataclass(slots=True)
class LineMarks:
    """A builder of the marks of a line. listed: the mentions that other keys refer to by number."""

    text: LineText
    clusters: list[Json] = field(default_factory=list)
    listed: list[Parts] = field(default_factory=list)
    places: dict[Parts, dict[int, None]] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)
    plurals: dict[Parts, dict[Place, None]] = field(default_factory=dict)
    attributes: dict[Parts, dict[str, AnswerValue] | None] | None = None
    relations: dict[Parts, dict[str, dict[tuple[int, Place], None]]] = field(default_factory=dict)

    def read(self) -> list[Mark]:
        """Return the marks, with clusters as entities numbered in text order."""
        line, key = self.text.line, self.text.layout.clusters
        characters = named_clusters(line.record)
        if key == BOOKCOREF:
            self.clusters = [mentions for _, mentions in characters]
        else:
            self.clusters = line.list_of(line.record.get(key) or [], f"'{key or 'clusters'}'")
        self.listed = self._list_mentions()
        self.attributes = self._attributes()
        self.places = {parts: {} for parts in self.listed if parts}
        belongs, twice = self._fill_clusters(key or "clusters")
        self._find_plurals(belongs)
        self._find_includes()
        self._find_names(characters, key)
        if self.attributes is not None:
            self._find_relations()
        if self.text.blank:
            line.report("white-space", f"{self.text.blank} mentions have no word in them", "left out", left_out=True)
        if twice:
            line.report("duplicate", f"{twice} mentions stand twice in a cluster", "one markable")
        if self.text.further:
            message = f"{self.text.further} mentions have more than a first and a last offset"
            line.report("further", message, "what follows these is left out", left_out=True)
        return self._marks()

    def _marks(self) -> list[Mark]:
        indices: dict[int, str] = {}
        marks = []
        for parts in sorted(self.places, key=lambda parts: text_order(Mark(parts))):
            numbers = sorted(self.places[parts])
            answer = Answer(indices=tuple(indices.setdefault(number, str(len(indices) + 1)) for number in numbers))
            if self.names:
                answer.name = next((self.names[number] for number in numbers if number in self.names), "")
            said = self.attributes.get(parts) if self.attributes is not None else {}
            answer.attributes = tuple(sorted((said or {}).items()))
            of_mark = sorted(self.relations.get(parts, {}).items())
            answer.relations = tuple((name, group_readings(targets)) for name, targets in of_mark)
            if parts in self.plurals:
                answer = add_relation(answer, SPLIT, (tuple(self.plurals[parts]),))
            is_coded = said is not None or answer != Answer()
            marks.append(Mark(parts, answer=answer if is_coded else None, line=self.text.line.number))
        return marks

    def _fill_clusters(self, key: str) -> tuple[dict[int, int], int]:
        """Find the clusters of each mention. Return the clusters of listed mentions, and the number of duplicates."""
        belongs: dict[int, int] = {}
        named: dict[Parts, int] = {}
        twice = 0
        words = self._words_beside(key)
        for number, cluster in enumerate(self.clusters):
            for place, member in enumerate(self.text.line.list_of(cluster, f"{key}[{number}]")):
                name = f"{key}[{number}][{place}]"
                if type(member) is int:
                    if (mention := self._number(member, name)) is None:
                        continue
                    parts = self.listed[mention]
                    belongs.setdefault(mention, number)
                else:
                    parts = self.text.find(member, name, words[number][place] if words else "")
                    named.setdefault(parts, number)
                    if isinstance(member, list) and len(member) > 3 and isinstance(member[3], str):
                        self._name_cluster(number, member[3], name)
                if parts:
                    numbers = self.places.setdefault(parts, {})
                    twice += number in numbers
                    numbers[number] = None
        return {mention: named[parts] for mention, parts in enumerate(self.listed) if parts in named} | belongs, twice

    def _words_beside(self, key: str) -> list[list[str]]:
        """Return the words of mentions from KEY_strings; empty unless it has the shape of the clusters."""
        value = self.text.line.record.get(f"{key}_strings")
        if not isinstance(value, list) or len(value) != len(self.clusters):
            return []
        words = []
        for cluster, strings in zip(self.clusters, value, strict=True):
            if not isinstance(cluster, list) or not isinstance(strings, list) or len(cluster) != len(strings):
                return []
            words.append([string if isinstance(string, str) else "" for string in strings])
        return words

    def _list_mentions(self) -> list[Parts]:
        clusters, record, line = self.clusters, self.text.line.record, self.text.line
        numbers = any(type(member) is int for cluster in clusters if isinstance(cluster, list) for member in cluster)
        if not numbers and "plurals" not in record and not self._has_attributes():
            return []
        mentions = line.list_of(record.get("mentions"), "'mentions'")
        return [self.text.find(mention, f"mentions[{number}]") for number, mention in enumerate(mentions)]

    def _number(self, number: Json, name: str) -> int | None:
        """Return the number of a mention; None, with a slip, if there is no such mention."""
        if type(number) is int and 0 <= number < len(self.listed):
            return number
        self.text.line.note_slip(self.text.line.error(f"{name} is not the number of a mention"))
        return None

    def _name_cluster(self, number: int, entity: str, name: str) -> None:
        if number not in self.names and entity:
            if len(entity) > MAX_INDEX_LENGTH:
                raise self.text.line.error(f"{name} has a name of more than {MAX_INDEX_LENGTH} characters")
            self.names[number] = self.text.line.storable(entity, f"{name}, a name,")

    def _find_names(self, characters: Sequence[tuple[str, Json]], key: str) -> None:
        """Name each cluster whose mentions equal the mentions of a character."""
        if key == BOOKCOREF:
            for number, (entity, _) in enumerate(characters):
                self._name_cluster(number, entity, f"characters[{number}]")
            return
        members = self._members() if characters else {}
        clusters = {frozenset(places): number for number, places in members.items()}
        unknown = []
        for number, (entity, mentions) in enumerate(characters):
            counted = len(self.text.mentions), self.text.blank, self.text.further
            places_in = [
                self.text.find(mention, f"characters[{number}] at {place}")
                for place, mention in enumerate(self.text.line.list_of(mentions, f"characters[{number}]"))
            ]
            # These mentions are already counted in their clusters.
            del self.text.mentions[counted[0] :]
            self.text.blank, self.text.further = counted[1:]
            cluster = clusters.get(frozenset(places_in))
            if cluster is not None:
                self._name_cluster(cluster, entity, f"characters[{number}]")
            else:
                unknown.append(entity)
        if unknown:
            message = f"{len(unknown)} of the 'characters' are not one of the clusters: {unknown[0][:50]}"
            self.text.line.report("characters", message, "their names are left out", left_out=True)

    def _members(self) -> dict[int, list[Parts]]:
        members: dict[int, list[Parts]] = {}
        for parts in sorted(self.places, key=lambda parts: text_order(Mark(parts))):
            for number in self.places[parts]:
                members.setdefault(number, []).append(parts)
        return members

    def _find_plurals(self, belongs: dict[int, int]) -> None:
        """Find the parts of each plural mention; a plural outside the clusters joins the clusters of its parts."""
        line = self.text.line
        of_cluster = belongs.copy()
        entities = len(self.clusters)
        for place, pair in enumerate(line.list_of(line.record.get("plurals") or [], "'plurals'")):
            name = f"plurals[{place}]"
            ends = line.list_of(pair, name)
            if len(ends) != 2:
                raise line.error(f"{name} is not an anaphor and its antecedent")
            anaphor, antecedent = (self._number(number, name) for number in ends)
            if anaphor is None or antecedent is None or anaphor == antecedent:
                continue
            if not self.listed[anaphor] or not self.listed[antecedent]:
                continue
            if antecedent not in belongs:
                belongs[antecedent] = entities
                self.places[self.listed[antecedent]][entities] = None
                entities += 1
            if anaphor in of_cluster:
                self.plurals.setdefault(self.listed[anaphor], {})[Place("", self.listed[antecedent])] = None
            else:
                self.places[self.listed[anaphor]][belongs[antecedent]] = None

    def _find_includes(self) -> None:
        """Find the parts of the first mention of each cluster that `includes` other clusters."""
        line = self.text.line
        includes = line.record.get("includes")
        if includes is None:
            return
        includes = line.list_of(includes, "'includes'")
        if len(includes) != len(self.clusters):
            raise line.error(f"'includes' has {len(includes)} entries for {len(self.clusters)} clusters")
        members = self._members()
        missing = 0
        for number, children in enumerate(includes):
            for place, child in enumerate(line.list_of(children, f"includes[{number}]")):
                if type(child) is not int or not 0 <= child < len(self.clusters) or child == number:
                    line.note_slip(line.error(f"includes[{number}][{place}] is not the number of another cluster"))
                    continue
                whole = members.get(number, [()])[0]
                part = whole
                if whole and child in members:
                    # The last mention that begins before the whole, else the first.
                    before = bisect_left(members[child], whole[0][0], key=lambda parts: parts[0][0])
                    part = members[child][max(before - 1, 0)]
                if part == whole:
                    missing += 1
                else:
                    self.plurals.setdefault(whole, {})[Place("", part)] = None
        if missing:
            message = f"{missing} of the 'includes' are of clusters without a mention of their own"
            line.report("includes", message, "left out", left_out=True)

    def _has_attributes(self) -> bool:
        """Return whether `attributes` has an object or null for each mention."""
        attributes, mentions = self.text.line.record.get("attributes"), self.text.line.record.get("mentions")
        if not isinstance(attributes, list) or not isinstance(mentions, list):
            return False
        return len(attributes) == len(mentions) and all(item is None or isinstance(item, dict) for item in attributes)

    def _attributes(self) -> dict[Parts, dict[str, AnswerValue] | None] | None:
        """Return the attributes of each mention, None for a mention without an answer; None without `attributes`."""
        line = self.text.line
        if not self._has_attributes():
            if "attributes" in line.record:
                message = "'attributes' has not an object, or null, for each of the 'mentions'"
                line.report("attributes", message, "attributes and relations left out", left_out=True)
            return None
        found: dict[Parts, dict[str, AnswerValue] | None] = {}
        for number, answers in enumerate(line.list_of(line.record["attributes"], "'attributes'")):
            mine = found.setdefault(self.listed[number], None)
            if isinstance(answers, dict):
                found[self.listed[number]] = {**self._answers(answers, f"attributes[{number}]"), **(mine or {})}
        return found

    def _answers(self, answers: Mapping[str, Json], name: str) -> dict[str, AnswerValue]:
        values = {}
        for key, value in answers.items():
            if value in (None, "", []):
                continue
            try:
                values[self.text.line.storable(key, name)] = self._answer(value, f"{name}, {key[:50]!r},")
            except FormatError as error:
                self.text.line.note_slip(error)
        return values

    def _answer(self, value: Json, name: str) -> AnswerValue:
        line = self.text.line
        match value:
            case bool():
                return str(value).lower()
            case int():
                return value
            case str():
                return line.storable(value, name)
            case list():
                return tuple(dict.fromkeys(line.string(item, name) for item in value))
        raise line.error(f"{name} is not a string, a number or a list of strings")

    def _find_relations(self) -> None:
        """Find the targets of each mention by relation, with their reading numbers."""
        line = self.text.line
        for place, row in enumerate(line.list_of(line.record.get("relations") or [], "'relations'")):
            name = f"relations[{place}]"
            try:
                source, relation, reading, target = self._relation(line.list_of(row, name), name, place)
            except FormatError as error:
                line.note_slip(error)
                continue
            if source and target and source != target:
                self.relations.setdefault(source, {}).setdefault(relation, {})[reading, Place("", target)] = None

    def _relation(self, ends: Sequence[Json], name: str, place: int) -> tuple[Parts, str, int, Parts]:
        line = self.text.line
        if len(ends) not in (3, 4) or not isinstance(ends[2], str) or not ends[2]:
            raise line.error(f"{name} is not a mention, another one and what the first is to it")
        if not all(type(number) is int and 0 <= number < len(self.listed) for number in ends[:2]):
            raise line.error(f"{name} is not the number of a mention")
        source, target = (self.listed[number] for number in ends[:2] if isinstance(number, int))
        # Without a reading number each target is a reading of its own, with a negative number.
        reading = ends[3] if len(ends) == 4 else -1 - place
        if type(reading) is not int or (len(ends) == 4 and reading < 0):
            raise line.error(f"{name}: its reading is not a whole number")
        return source, line.storable(ends[2], name), reading, target
