"""The versions of a text, a coder's each: answers with chains, how they are shown, and where two of them differ."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from annotations.coding.chains import chains_of, look, members_of, number_chains
from annotations.coding.decisions import Decision
from annotations.coding.judgements import decisions_of
from annotations.coding.rules import given_answers
from annotations.formats.model.scheme import Subject
from annotations.models import Coding, Markable, Project, Segment, Text
from annotations.schemes.constraints import is_complete
from annotations.schemes.project_scheme import read_scheme
from annotations.texts.keywords import covered_text
from annotations.texts.passage import Badge, Highlight, Passage, Stretch, draw

MOST_NUMBERS, MOST_PARTNERS, MOST_LETTERS = 3, 8, 60


@dataclass(frozen=True, slots=True)
class ReadMarkable:
    """A markable of a text: where it stands, and what its words are."""

    pk: int
    key: str
    level: str
    words: str
    parts: list[list[int]]
    coded: bool
    predefined: bool


# Answers to attributes and targets of relations, by the keys of the questions; readings and values have no order.
type FurtherAnswers = dict[str, frozenset[Any]]


@dataclass(frozen=True, slots=True)
class TextVersion:
    """One coder's answers to a text: the decisions, the chains of each markable, and the numbers that chains wear."""

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
        """Return category, chain with the markable itself, and further answers; None where the coder has given none."""
        decision = self.decisions.get(key)
        if decision is None or (decision.category is None and not decision.attributes):
            return None
        return decision.category or "", self._chain_of(key) or frozenset((key,)), self.further.get(key, {})

    def _chain_of(self, key: str) -> frozenset[str]:
        """Return the members of all chains that the markable is in. Markables of equal chains share one set."""
        names = self.chains.get(key, ())
        if names not in self.unions:
            self.unions[names] = frozenset(other for name in names for other in self.members[name])
        return self.unions[names]


@dataclass(frozen=True, slots=True)
class AnswerSummary:
    """An answer in words: the label of the category, the markables in a chain with this one, and further answers."""

    category: str
    partners: list[str]
    more: int
    numbers: list[int]
    further: list[str]


@dataclass(frozen=True, slots=True)
class Difference:
    """A markable to which two coders gave different answers."""

    anchor: str
    words: str
    answers: tuple[AnswerSummary | None, AnswerSummary | None]


class ReadText:
    """A text that is read: its content, its markables in text order with their words, and the scheme."""

    def __init__(self, project: Project, text: Text) -> None:
        """Read the text with all markables in use. Five queries, and two more where there are attributes."""
        self.text, self.answers, self.scheme = text, project.answers, read_scheme(project.pk)
        self.constraints = self.scheme.constraints
        rows = Markable.objects.filter(text=text).in_use().order_by("start", "-end", "level__coded", "key")
        self.markables = [
            ReadMarkable(pk, key, level, _words(text.content, parts), parts, coded, predefined)
            for pk, key, level, parts, coded, predefined in rows.values_list(
                "pk", "key", "level__key", "parts", "level__coded", "predefined"
            )
        ]
        self.words = {one.key: one.words for one in self.markables}
        self.labels = {category.key: category.label for category in self.scheme.spec.categories}
        attributes = self.scheme.spec.attributes
        self.value_labels = {(one.key, value.key): value.label for one in attributes for value in one.values}
        segments = Segment.objects.filter(text=text).values_list("kind", "start", "end", "label", "speaker")
        self.segments = [Stretch(*row) for row in segments]

    def version(self, coding: Coding, beside: TextVersion | None = None) -> TextVersion:
        """Return the version of a coder; its chains wear the numbers of those `beside` it. Three queries."""
        decisions = {decision.markable: decision for decision in decisions_of(coding, self.scheme.further)}
        keys = [one.key for one in self.markables if one.predefined or one.key in decisions]
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
        """Return the answers after the category of each markable; those of its entities are those of its chains."""
        if not (self.scheme.further.attributes or self.scheme.further.relations):
            return {}
        entity = {key for key, one in self.constraints["attributes"].items() if one["of"] == Subject.ENTITY}
        of_chains = {
            chain: _first_answers((decisions[one] for one in its if one in decisions), entity)
            for chain, its in members.items()
        }
        answers: dict[str, FurtherAnswers] = {}
        for key, decision in decisions.items():
            own = _first_answers([decision])
            found = [of_chains[name] for name in chains.get(key, ())] or [own]
            answers[key] = {name: frozenset(map(frozenset, its)) for name, its in decision.relations}
            answers[key] |= {name: answer for name, answer in own.items() if name not in entity}
            for name in entity:
                if said := frozenset[Any]().union(*(one.get(name, ()) for one in found)):
                    answers[key][name] = said
        return answers

    def passage(
        self, version: TextVersion | None, lit: Iterable[str] = (), column: str = "a", *, labels: bool = False
    ) -> Passage:
        """Return the text as a coder answered, or with the markables that every coder sees. `lit` stand out."""
        shown = set(version.keys) if version else {one.key for one in self.markables if one.predefined}
        lit = set(lit)
        highlights = []
        for one in self.markables:
            if one.key in shown:
                highlight = Highlight(one.key, one.parts, anchor=f"{column}-{one.pk}", coded=one.coded)
                if version is not None:
                    highlight = self._answered(highlight, one.level, version, labels=labels)
                elif not one.coded:
                    highlight = replace(highlight, classes="is-target")
                if one.key in lit:
                    highlight = replace(highlight, classes=f"{highlight.classes} texts-differs".strip())
                highlights.append(highlight)
        return draw(self.text.content, self.segments, highlights)

    def _answered(self, one: Highlight, level: str, version: TextVersion, *, labels: bool) -> Highlight:
        decision, numbers = version.decisions.get(one.key), version.numbers_of(one.key)
        category = self.labels.get(decision.category, "") if decision and decision.category else ""
        further = self._in_words(version.further.get(one.key, {}))
        classes = [] if one.coded else ["is-target"]
        if numbers:
            classes.append(look(numbers[0]))
        if len(numbers) > 1:
            classes.append("is-ambiguous")
        if one.coded and not (decision and self._is_complete(level, decision)):
            classes.append("is-undecided")
        badges = [Badge(str(number), number) for number in numbers]
        if len(badges) > MOST_NUMBERS:
            badges = [*badges[: MOST_NUMBERS - 1], Badge(f"+{len(badges) - MOST_NUMBERS + 1}")]
        if decision and decision.unsure:
            badges.append(Badge("?"))
        return replace(
            one,
            classes=" ".join(classes),
            badges=badges,
            title="; ".join(filter(None, [category, *further])) or ("no answer" if one.coded else ""),
            label=category if labels else "",
        )

    def _is_complete(self, level: str, decision: Decision) -> bool:
        answers = given_answers(self.constraints, level, decision)
        return is_complete(self.constraints, answers, has_index=bool(decision.indices))

    def differences(self, first: TextVersion, second: TextVersion) -> list[Difference]:
        """Return the coded markables with another answer or other members of their chain, in text order."""
        keys = self.different_keys(first, second)
        return [
            Difference(str(one.pk), one.words, (self._summary(first, one.key), self._summary(second, one.key)))
            for one in self.markables
            if one.key in keys
        ]

    def different_keys(self, first: TextVersion, second: TextVersion) -> set[str]:
        """Return the keys of those markables."""
        return {one.key for one in self.markables if one.coded and first.value(one.key) != second.value(one.key)}

    def notes(self, version: TextVersion) -> list[tuple[str, str, str]]:
        """Return anchor, words and note of the markables of which the coder wrote a note."""
        return [
            (str(one.pk), one.words, note)
            for one in self.markables
            if one.key in version.decisions and (note := version.decisions[one.key].note)
        ]

    def _summary(self, version: TextVersion, key: str) -> AnswerSummary | None:
        value = version.value(key)
        if value is None:
            return None
        partners = version.partners(key)
        named = [one.words for one in self.markables if one.key in partners]
        return AnswerSummary(
            self.labels.get(value[0], value[0]),
            named[:MOST_PARTNERS],
            len(named) - len(named[:MOST_PARTNERS]),
            version.numbers_of(key),
            self._in_words(value[2]),
        )

    def _in_words(self, answers: FurtherAnswers) -> list[str]:
        """Return the answers to the questions after the category, in the order of the scheme."""
        found = []
        for key, relation in self.constraints["relations"].items():
            if key in answers:
                readings = (" + ".join(self.words.get(one, one) for one in sorted(its)) for its in answers[key])
                found.append(f"{relation['label']}: {' or '.join(sorted(readings))}")
        for key, attribute in self.constraints["attributes"].items():
            if key in answers:
                values = sorted(self.value_labels.get((key, str(one)), str(one)) for one in answers[key])
                found.append(f"{attribute['label']}: {', '.join(values)}")
        return found


def _first_answers(decisions: Iterable[Decision], attributes: Collection[str] | None = None) -> FurtherAnswers:
    """Return the first answer to each attribute, or to each of these, of decisions in text order."""
    found: FurtherAnswers = {}
    for decision in decisions:
        for name, answer in decision.attributes:
            if attributes is None or name in attributes:
                found.setdefault(name, frozenset(answer if isinstance(answer, tuple) else (answer,)))
    return found


def _words(content: str, parts: Sequence[Sequence[int]]) -> str:
    words = covered_text(content, parts)
    return words if len(words) <= MOST_LETTERS else f"{words[: MOST_LETTERS - 1]}…"
