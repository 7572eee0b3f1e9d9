"""Build a document from its draft."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from annotations.formats.conll.conllu.draft import DEFAULT_FIELDS, OTHER, Draft, Mention
from annotations.formats.model.document import Answer, Document, Links, Mark, Parts, Place, Stretch, text_order
from annotations.formats.model.findings import Finding
from annotations.formats.model.spans import merge_spans
from annotations.formats.model.text import MAX_LABEL_LENGTH

POSITION = re.compile(r"[0-9]{1,9}")
# The message and fix of each finding; for codes in READ_ANYWAY nothing is left out.
FINDING_MESSAGES = {
    "no-header": (
        "no '# global.Entity' line comes before the entities ({} lines)",
        f"read as {DEFAULT_FIELDS}; fields= says what else they are",
    ),
    "no-numbers": (
        "no '# global.Entity' line comes before the mentions, whose names have no numbers ({} lines)",
        "read as types; fields=eid reads entities",
    ),
    "types-alone": (
        "{} mentions have a type and no entity: categories=etype reads the types",
        "markables without an answer",
    ),
    "early": ("{} mentions are those of early releases of CorefUD (ClusterId)", "not read; give a later release"),
    "empty-nodes": ("{} mentions stand on empty nodes alone", "left out"),
    "inside-word": ("{} mentions begin or end inside a multi-word token", "they have all of it"),
    "duplicate": ("{} mentions stand where one of the same entity stands", "one markable"),
    "head-outside": ("{} heads or least words are not in their mention", "left out"),
    "unknown-entity": (
        "{} times SplitAnte names an entity without a mention, or an entity as its own part",
        "left out",
    ),
    "long-label": (f"{{}} labels have more than {MAX_LABEL_LENGTH} characters", "left out"),
    "unknown-bridging": ("{} times Bridge names an entity without a mention, or an entity as its own part", "left out"),
}
READ_ANYWAY = ("no-header", "no-numbers", "inside-word", "duplicate")

type Relations = dict[str, dict[Place, None]]


@dataclass(frozen=True, slots=True)
class Builder:
    """The builder of a document from its draft. typed: whether types of entities are categories."""

    draft: Draft
    typed: bool

    def document(self, name: str) -> Document:
        draft = self.draft
        draft.continues.append(False)  # for the position after the last node
        places: dict[Parts, dict[str, Mention]] = {}
        for mention in draft.mentions:
            parts = self._parts(mention.runs)
            if not parts:
                draft.report("empty-nodes", mention.line)
                continue
            if any(draft.continues[edge] for first, last in mention.runs for edge in (first, last + 1)):
                draft.report("inside-word", mention.line)
            if not (mention.eid or self.typed):
                draft.report("types-alone", mention.line)
            if places.setdefault(parts, {}).setdefault(mention.eid, mention) is not mention:
                draft.report("duplicate", mention.line)
        in_order = sorted(places, key=lambda parts: text_order(Mark(parts)))
        entities = {parts: [eid for eid in places[parts] if eid] for parts in in_order}
        indices = self._indices(entities)
        relations = self._relations(entities)
        marks = [
            self._mark(parts, list(places[parts].values()), indices[parts], relations.get(parts, {}))
            for parts in in_order
        ]
        links = Links.INDICES if any(entities.values()) or not marks else Links.NONE
        content, segments, findings = draft.content(), self._segments(), self._findings()
        title, language, direction = (draft.meta.get(key, "") for key in ("title", "language", "direction"))
        return Document(name, draft.file, content, marks, segments, links, title, language, direction, findings)

    def _parts(self, runs: Iterable[tuple[int, int]]) -> Parts:
        """Return the spans of runs of nodes in characters; adjacent and overlapping runs are merged."""
        low, high, spans = self.draft.low, self.draft.high, self.draft.spans
        tokens = merge_spans(((low[first], high[last]) for first, last in runs if low[first] <= high[last]), gap=1)
        return tuple((spans[first][0], spans[last][1]) for first, last in tokens)

    def _indices(self, own: dict[Parts, list[str]]) -> dict[Parts, tuple[str, ...]]:
        """Return the entities of each mark: its own, and the split antecedents of entities that begin with it."""
        first = {entity: parts for parts, entities in reversed(own.items()) for entity in entities}
        indices = {parts: dict.fromkeys(entities) for parts, entities in own.items()}
        for antecedent, anaphor, number in self.draft.split:
            if antecedent in first and anaphor in first and antecedent != anaphor:
                indices[first[anaphor]][antecedent] = None
            else:
                self.draft.report("unknown-entity", number)
        return {parts: tuple(entities) for parts, entities in indices.items()}

    def _relations(self, own: Mapping[Parts, Sequence[str]]) -> dict[Parts, Relations]:
        """Return targets by mark and name of the relation: the antecedent's nearest earlier mention, else its first."""
        mentions: dict[str, list[Parts]] = {}
        order = {parts: number for number, parts in enumerate(own)}
        for parts, entities in own.items():
            for entity in entities:
                mentions.setdefault(entity, []).append(parts)
        # In reverse order, so that the first of two mentions on one line is kept.
        at = {(mention.eid, mention.line): self._parts(mention.runs) for mention in reversed(self.draft.mentions)}
        relations: dict[Parts, Relations] = {}
        for name, antecedent, anaphor, number in self.draft.bridges:
            others = mentions.get(antecedent, [])
            here = target = at.get((anaphor, number)) or next(iter(mentions.get(anaphor, [])), ())
            if here and others:
                target = others[max(bisect_left(others, order[here], key=order.__getitem__) - 1, 0)]
            if target == here:
                self.draft.report("unknown-bridging", number)
            else:
                relations.setdefault(here, {}).setdefault(name, {})[Place("", target)] = None
        return relations

    def _mark(self, parts: Parts, mentions: list[Mention], indices: tuple[str, ...], relations: Relations) -> Mark:
        other: dict[str, str] = {}
        for mention in reversed(mentions):
            other |= mention.other
        heads = (self._head(mention) for mention in mentions)
        etype = next((mention.etype for mention in mentions if self.typed and mention.etype), "")
        label = other.get("label", "")
        if len(label) > MAX_LABEL_LENGTH:
            self.draft.report("long-label", mentions[0].line)
            label = ""
        answer = Answer(
            category=re.sub(r"[^\w-]+", "-", etype).strip("-"),
            indices=indices,
            optional="optional" in other,
            unsure="unsure" in other,
            note=other.get("note", ""),
            name=other.get("chain", ""),
            relations=tuple((name, tuple((target,) for target in relations[name])) for name in sorted(relations)),
            attributes=tuple(sorted((key, value) for key, value in other.items() if key not in OTHER and value)),
        )
        # A mention with a type alone is uncoded if types are not read.
        is_coded = self.typed or any(mention.eid for mention in mentions)
        head = next((head for head in heads if head), ())
        return Mark(parts, "", label, head, answer if is_coded else None, mentions[0].line)

    def _head(self, mention: Mention) -> Parts:
        """Return the least words that a mention names; if they are outside the mention, none, with a finding."""
        said = mention.other.get("minspan", mention.head)
        if said in ("", "_"):
            return ()
        positions = {int(position) if POSITION.fullmatch(position) else 0 for position in said.split(",")}
        left = sorted(positions, reverse=True)
        nodes: list[tuple[int, int]] = []
        before = 0
        for first, last in merge_spans(mention.runs):
            while left and before < left[-1] <= before + last + 1 - first:
                node = first + left.pop() - before - 1
                nodes.append((node, node))
            before += last + 1 - first
        head = () if left else self._parts(nodes)
        if not head:
            self.draft.report("head-outside", mention.line)
        return head

    def _segments(self) -> list[Stretch]:
        spans, paragraphs = self.draft.spans, [(first, "") for first in self.draft.paragraphs]
        segments = [
            Stretch(kind, spans[first][0], spans[after - 1][1], speaker=speaker)
            for kind, of_kind in (("sentence", self.draft.sentences), ("paragraph", paragraphs))
            for (first, speaker), (after, _) in pairwise([*of_kind, (len(spans), "")])
            if first < after
        ]
        return sorted(segments, key=lambda segment: (segment.start, -segment.end, segment.kind))

    def _findings(self) -> list[Finding]:
        findings = list(self.draft.findings)
        for code, (message, fix) in FINDING_MESSAGES.items():
            if lines := self.draft.reports.get(code):
                found, left_out = message.format(len(lines)), code not in READ_ANYWAY
                findings.append(Finding(code, found, self.draft.file, lines[0], fix, left_out))
        types = [] if self.typed else [mention.line for mention in self.draft.mentions if mention.eid and mention.etype]
        for name, lines in {"etype": types, **self.draft.left_out}.items():
            if lines:
                fix = "left out; categories=etype reads them" if name == "etype" else "left out"
                message = f"{len(lines)} value{'s' * (len(lines) > 1)} of the field {name!r}"
                findings.append(Finding("field", message, self.draft.file, lines[0], fix, left_out=True))
        return findings
