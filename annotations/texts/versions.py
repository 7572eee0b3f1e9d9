"""The versions of a text by coder: answers with chains, their appearance, and differences between two versions."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from annotations.coding.chains import chain_classes, chains_of, members_of, number_chains
from annotations.coding.decisions import Decision
from annotations.coding.judgements import decisions_of
from annotations.coding.rules import given_answers
from annotations.formats.model.scheme import Subject
from annotations.models import Coding, Markable, Project, Segment, Text
from annotations.schemes.constraints import is_complete
from annotations.schemes.project_scheme import read_scheme
from annotations.texts.keywords import covered_text
from annotations.texts.passage import Badge, Highlight, Passage, Stretch, draw

MAX_NUMBERS, MAX_PARTNERS, MAX_LETTERS = 3, 8, 60


@dataclass(frozen=True, slots=True)
class ReadMarkable:
    """A markable of a text with its offsets and words."""

    pk: int
    key: str
    level: str
    words: str
    parts: list[list[int]]
    coded: bool
    predefined: bool


# Answers to attributes and targets of relations, by key of the question; readings and values are unordered.
type FurtherAnswers = dict[str, frozenset[Any]]


@dataclass(frozen=True, slots=True)
class TextVersion:
    """A coder's answers to a text: decisions, chains of each markable, and numbers of chains."""

    coding: Coding
    decisions: Mapping[str, Decision]
    keys: Sequence[str]
    chains: Mapping[str, tuple[str, ...]]
    members: Mapping[str, Sequence[str]]
    numbers: Mapping[str, int]
    further: Mapping[str, FurtherAnswers]
    unions: dict[tuple[str, ...], frozenset[str]] = field(default_factory=dict)

    def numbers_of(self, key: str) -> list[int]:
        return sorted(self.numbers[chain] for chain in self.chains.get(key, ()) if chain in self.numbers)

    def partners(self, key: str) -> frozenset[str]:
        return self._chain_of(key) - {key}

    def value(self, key: str) -> tuple[str, frozenset[str], FurtherAnswers] | None:
        """Return category, chain including the markable, and further answers; None without an answer."""
        decision = self.decisions.get(key)
        if decision is None or (decision.category is None and not decision.attributes):
            return None
        return decision.category or "", self._chain_of(key) or frozenset((key,)), self.further.get(key, {})

    def _chain_of(self, key: str) -> frozenset[str]:
        """Return the members of all chains of the markable. Markables with equal chains share one set."""
        names = self.chains.get(key, ())
        if names not in self.unions:
            self.unions[names] = frozenset(member for name in names for member in self.members[name])
        return self.unions[names]


@dataclass(frozen=True, slots=True)
class AnswerSummary:
    """An answer in words: category label, other markables of the chain, and further answers."""

    category: str
    partners: list[str]
    more: int
    numbers: list[int]
    further: list[str]


@dataclass(frozen=True, slots=True)
class Difference:
    """A markable with different answers of two coders."""

    anchor: str
    words: str
    answers: tuple[AnswerSummary | None, AnswerSummary | None]


class ReadText:
    """A text to read: its content, its markables in text order with their words, and the scheme."""

    def __init__(self, project: Project, text: Text) -> None:
        """Read the text with all markables in use. Five queries, and two more if there are attributes."""
        self.text, self.answers, self.scheme = text, project.answers, read_scheme(project.pk)
        self.constraints = self.scheme.constraints
        rows = Markable.objects.filter(text=text).in_use().order_by("start", "-end", "level__coded", "key")
        self.markables = [
            ReadMarkable(pk, key, level, _words(text.content, parts), parts, coded, predefined)
            for pk, key, level, parts, coded, predefined in rows.values_list(
                "pk", "key", "level__key", "parts", "level__coded", "predefined"
            )
        ]
        self.words = {markable.key: markable.words for markable in self.markables}
        self.labels = {category.key: category.label for category in self.scheme.spec.categories}
        attributes = self.scheme.spec.attributes
        self.value_labels = {(spec.key, value.key): value.label for spec in attributes for value in spec.values}
        segments = Segment.objects.filter(text=text).values_list("kind", "start", "end", "label", "speaker")
        self.segments = [Stretch(*row) for row in segments]

    def version(self, coding: Coding, beside: TextVersion | None = None) -> TextVersion:
        """Return the version of a coder; its chains take the numbers of matching chains of `beside`. Three queries."""
        decisions = {decision.markable: decision for decision in decisions_of(coding, self.scheme.further)}
        keys = [markable.key for markable in self.markables if markable.predefined or markable.key in decisions]
        chains = chains_of(self.answers, keys, decisions)
        members = members_of(chains)
        numbers = number_chains(members, beside.members, beside.numbers) if beside else number_chains(members)
        further = self._further_answers(decisions, chains, members)
        return TextVersion(coding, decisions, keys, chains, members, numbers, further)

    def _further_answers(
        self,
        decisions: Mapping[str, Decision],
        chains: Mapping[str, Sequence[str]],
        members: Mapping[str, Sequence[str]],
    ) -> dict[str, FurtherAnswers]:
        """Return the answers other than the category of each markable; chains give the answers of its entities."""
        if not (self.scheme.further.attributes or self.scheme.further.relations):
            return {}
        entity = {key for key, spec in self.constraints["attributes"].items() if spec["of"] == Subject.ENTITY}
        chain_answers = {
            chain: _first_answers((decisions[member] for member in its if member in decisions), entity)
            for chain, its in members.items()
        }
        answers: dict[str, FurtherAnswers] = {}
        for key, decision in decisions.items():
            own = _first_answers([decision])
            entities = [chain_answers[name] for name in chains.get(key, ())] or [own]
            answers[key] = {name: frozenset(map(frozenset, its)) for name, its in decision.relations}
            answers[key] |= {name: answer for name, answer in own.items() if name not in entity}
            for name in entity:
                if said := frozenset[Any]().union(*(given.get(name, ()) for given in entities)):
                    answers[key][name] = said
        return answers

    def passage(
        self, version: TextVersion | None, lit: Iterable[str] = (), column: str = "a", *, labels: bool = False
    ) -> Passage:
        """Return the text with a coder's answers, or with predefined markables only. `lit` are highlighted."""
        shown = set(version.keys) if version else {markable.key for markable in self.markables if markable.predefined}
        lit = set(lit)
        highlights = []
        for item in self.markables:
            if item.key in shown:
                highlight = Highlight(item.key, item.parts, anchor=f"{column}-{item.pk}", coded=item.coded)
                if version is not None:
                    highlight = self._answered(highlight, item.level, version, labels=labels)
                elif not item.coded:
                    highlight = replace(highlight, classes="is-target")
                if item.key in lit:
                    highlight = replace(highlight, classes=f"{highlight.classes} texts-differs".strip())
                highlights.append(highlight)
        return draw(self.text.content, self.segments, highlights)

    def _answered(self, highlight: Highlight, level: str, version: TextVersion, *, labels: bool) -> Highlight:
        decision, numbers = version.decisions.get(highlight.key), version.numbers_of(highlight.key)
        category = self.labels.get(decision.category, "") if decision and decision.category else ""
        further = self._in_words(version.further.get(highlight.key, {}))
        classes = [] if highlight.coded else ["is-target"]
        if numbers:
            classes.append(chain_classes(numbers[0]))
        if len(numbers) > 1:
            classes.append("is-ambiguous")
        if highlight.coded and not (decision and self._is_complete(level, decision)):
            classes.append("is-undecided")
        badges = [Badge(str(number), number) for number in numbers]
        if len(badges) > MAX_NUMBERS:
            badges = [*badges[: MAX_NUMBERS - 1], Badge(f"+{len(badges) - MAX_NUMBERS + 1}")]
        if decision and decision.unsure:
            badges.append(Badge("?"))
        return replace(
            highlight,
            classes=" ".join(classes),
            badges=badges,
            title="; ".join(filter(None, [category, *further])) or ("no answer" if highlight.coded else ""),
            label=category if labels else "",
        )

    def _is_complete(self, level: str, decision: Decision) -> bool:
        answers = given_answers(self.constraints, level, decision)
        return is_complete(self.constraints, answers, has_index=bool(decision.indices))

    def differences(self, first: TextVersion, second: TextVersion) -> list[Difference]:
        """Return the coded markables with different answers or chain members, in text order."""
        keys = self.different_keys(first, second)
        return [
            Difference(str(row.pk), row.words, (self._summary(first, row.key), self._summary(second, row.key)))
            for row in self.markables
            if row.key in keys
        ]

    def different_keys(self, first: TextVersion, second: TextVersion) -> set[str]:
        """Return the keys of the coded markables with different answers."""
        return {row.key for row in self.markables if row.coded and first.value(row.key) != second.value(row.key)}

    def notes(self, version: TextVersion) -> list[tuple[str, str, str]]:
        """Return anchor, words and note of the markables with a note of the coder."""
        return [
            (str(markable.pk), markable.words, note)
            for markable in self.markables
            if markable.key in version.decisions and (note := version.decisions[markable.key].note)
        ]

    def _summary(self, version: TextVersion, key: str) -> AnswerSummary | None:
        value = version.value(key)
        if value is None:
            return None
        partners = version.partners(key)
        named = [markable.words for markable in self.markables if markable.key in partners]
        return AnswerSummary(
            self.labels.get(value[0], value[0]),
            named[:MAX_PARTNERS],
            len(named) - len(named[:MAX_PARTNERS]),
            version.numbers_of(key),
            self._in_words(value[2]),
        )

    def _in_words(self, answers: FurtherAnswers) -> list[str]:
        """Return the answers other than the category, in the order of the scheme."""
        texts = []
        for key, relation in self.constraints["relations"].items():
            if key in answers:
                readings = (" + ".join(self.words.get(m, m) for m in sorted(its)) for its in answers[key])
                texts.append(f"{relation['label']}: {' or '.join(sorted(readings))}")
        for key, attribute in self.constraints["attributes"].items():
            if key in answers:
                values = sorted(self.value_labels.get((key, str(value)), str(value)) for value in answers[key])
                texts.append(f"{attribute['label']}: {', '.join(values)}")
        return texts


def _first_answers(decisions: Iterable[Decision], attributes: Collection[str] | None = None) -> FurtherAnswers:
    """Return the first answer to each attribute, optionally only to these attributes, of decisions in text order."""
    first: FurtherAnswers = {}
    for decision in decisions:
        for name, answer in decision.attributes:
            if attributes is None or name in attributes:
                first.setdefault(name, frozenset(answer if isinstance(answer, tuple) else (answer,)))
    return first


def _words(content: str, parts: Sequence[Sequence[int]]) -> str:
    words = covered_text(content, parts)
    return words if len(words) <= MAX_LETTERS else f"{words[: MAX_LETTERS - 1]}…"
