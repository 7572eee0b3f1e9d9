"""Write CoNLL-U files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from annotations.formats.conll.conllu.draft import BRIDGING, COLUMNS, DEFAULT_FIELDS, META, OTHER, escape, escape_space
from annotations.formats.model.answers import format_value, name_attributes
from annotations.formats.model.document import Document, Mark, Place, text_order
from annotations.formats.model.format import File, write_each
from annotations.formats.syntax.tokens import Tokens, tokenize


def write(documents: Sequence[Document]) -> list[File]:
    """Return a file for each document."""
    return write_each(documents, ".conllu", _format_document)


def _format_document(document: Document) -> bytes:
    tokens = tokenize(document)
    indices = {mark.place: mark.answer.indices for mark in document.marks if mark.answer}
    entities = _Entities(tokens, name_attributes([document], OTHER, hyphen="_"), indices)
    for mark in sorted(document.marks, key=text_order):
        entities.add(mark)
    name = "_".join(document.name.split())
    speakers = {segment.start: segment.speaker for segment in document.segments if segment.kind == "sentence"}
    lines = [f"# newdoc id = {name}", f"# global.Entity = {DEFAULT_FIELDS}"]
    meta = zip(META, (document.title, document.language, document.direction), strict=True)
    lines += [f"# {key} = {' '.join(value.split())}" for key, value in meta if value]
    for number, sentence in enumerate(tokens.by_sentence(), start=1):
        lines.append(f"# sent_id = {name}-{number}")
        speaker = speakers.get(tokens.starts[sentence[0]])
        if speaker:
            lines.append(f"# speaker = {' '.join(speaker.split())}")
        rows, text = [], ""
        for word, token in enumerate(sentence, start=1):
            misc = _format_spaces(document.content, tokens, token) | entities.misc(token)
            written = "|".join(f"{key}={misc[key]}" for key in sorted(misc)) or "_"
            rows.append("\t".join((str(word), tokens.words[token], *["_"] * (COLUMNS - 3), written)))
            text += tokens.words[token] + ("" if misc.get("SpaceAfter") == "No" else " ")
        lines += [f"# text = {text.rstrip()}", *rows, ""]
    return "\n".join([*lines, ""]).encode()


def _format_spaces(content: str, tokens: Tokens, token: int) -> dict[str, str]:
    """Return the MISC fields for the white space after the token, and before it if it is the first."""
    start, end = tokens.starts[token], tokens.ends[token]
    last = token + 1 == len(tokens.words)
    after = content[end:] if last else content[end : tokens.starts[token + 1]]
    spaces = {}
    if token == 0 and start > 0:
        spaces["SpacesBefore"] = escape_space(content[:start])
    if not after and not last:
        spaces["SpaceAfter"] = "No"
    elif after != ("" if last else " "):
        spaces["SpacesAfter"] = escape_space(after)
    return spaces


@dataclass(slots=True)
class _Entities:
    """The brackets and links of each token. Opening and closing brackets come with their sort keys."""

    tokens: Tokens
    names: Mapping[str, str]
    indices: Mapping[Place, Sequence[str]]
    opened: dict[int, list[tuple[int, int, str]]] = field(default_factory=dict)
    closed: dict[int, list[tuple[int, int, str]]] = field(default_factory=dict)
    single: dict[int, list[str]] = field(default_factory=dict)
    split: dict[int, list[str]] = field(default_factory=dict)
    bridges: dict[int, list[str]] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)
    discontinuous: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    number: int = 0

    def misc(self, token: int) -> dict[str, str]:
        # Closing brackets come before opening ones. Mentions of one token come last if a bracket opens, else first.
        opened = [bracket for *_, bracket in sorted(self.opened.get(token, ()))]
        closed = [bracket for *_, bracket in sorted(self.closed.get(token, ()))]
        single = self.single.get(token, [])
        brackets = [*closed, *opened, *single] if opened else [*single, *closed]
        links = {"SplitAnte": self.split.get(token), "Bridge": self.bridges.get(token)}
        misc = {key: ",".join(pairs) for key, pairs in links.items() if pairs}
        return misc | ({"Entity": "".join(brackets)} if brackets else {})

    def add(self, mark: Mark) -> None:
        """Add a mark. Marks must be added in text order."""
        runs = self.tokens.find_runs(mark.parts)
        if not runs or mark.answer is None:
            return
        indices: Sequence[str] = mark.answer.indices
        new = [index for index in indices if index not in self.seen]
        self.seen |= set(new)
        if len(new) == 1 and len(indices) > 2:
            antecedents = [index for index in indices if index != new[0]]
            self.split.setdefault(runs[0][0], []).extend(f"{escape(index)}<{escape(new[0])}" for index in antecedents)
            indices = new
        head, other = self._head(mark, runs)
        other |= _answer_values(mark, self.names)
        if other and not head:
            # `other` needs a head before it; minspan says that this head has no meaning.
            head, other = "1", other | {"minspan": "_"}
        # Repeated in every mention of the mark, so that the mentions agree.
        other_text = ",".join(f"{key}:{escape(other[key])}" if other[key] else key for key in sorted(other))
        for index in indices:
            self._mention(index, runs, f"--{head}-{other_text}".rstrip("-"))
        for name, readings in mark.answer.relations:
            subtype = "" if name == BRIDGING else f":{escape(name)}"
            self.bridges.setdefault(runs[0][0], []).extend(
                f"{escape(self.indices[target][0])}<{escape(indices[0])}{subtype}"
                for reading in readings
                for target in reading
            )

    def _head(self, mark: Mark, runs: list[tuple[int, int]]) -> tuple[str, dict[str, str]]:
        """Return the position in the mention of the first least word, and all positions for `other` if several."""
        least = [token for first, last in self.tokens.find_runs(mark.head) for token in range(first, last + 1)]
        places, before = list[str](), 1
        for first, last in runs:
            places += [str(before + token - first) for token in least if first <= token <= last]
            before += last + 1 - first
        return "".join(places[:1]), {"minspan": ",".join(places)} if len(places) > 1 else {}

    def _mention(self, index: str, runs: list[tuple[int, int]], values: str) -> None:
        eid = escape(index)
        if len(runs) == 1:
            self._part(eid, *runs[0], values)
            return
        # Nested mentions of one entity are distinguished by their number of parts: if another mention has the same
        # number, the last part is repeated.
        others = [(last, parts) for last, parts in self.discontinuous.get(index, ()) if last >= runs[0][0]]
        used_counts = {parts for _, parts in others}
        parts = len(runs)
        while parts in used_counts:
            parts += 1
        self.discontinuous[index] = [*others, (runs[-1][1], parts)]
        for number, (first, last) in enumerate([*runs, *[runs[-1]] * (parts - len(runs))], start=1):
            self._part(f"{eid}[{number}/{parts}]", first, last, values)

    def _part(self, bracket: str, first: int, last: int, values: str) -> None:
        self.number += 1
        if first == last:
            self.single.setdefault(first, []).append(f"({bracket}{values})")
        else:
            self.opened.setdefault(first, []).append((-last, self.number, f"({bracket}{values}"))
            self.closed.setdefault(last, []).append((-first, -self.number, f"{bracket})"))


def _answer_values(mark: Mark, names: Mapping[str, str]) -> dict[str, str]:
    """Return the values of `other` without the least words; flags have an empty value."""
    assert mark.answer is not None
    texts = {"label": mark.label, "chain": mark.answer.name, "note": mark.answer.note}
    texts |= {names[key]: format_value(value) for key, value in mark.answer.attributes}
    flags = {"optional": mark.answer.optional, "unsure": mark.answer.unsure}
    values = {key: value for key, value in texts.items() if value}
    return values | {flag: "" for flag, is_set in flags.items() if is_set}
