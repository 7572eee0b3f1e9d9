"""The answers of a coder in training beside those of the gold, question by question."""

from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from agreement.measures import distance
from agreement.measures.values import unite_readings
from annotations.adjudication.decisions.answers import say_answer, say_readings
from annotations.coding.chains import chains_of, members_of
from annotations.coding.decisions import Decision
from annotations.coding.judgements import decisions_by_coding
from annotations.coding.log.replay import ReplayedCoding
from annotations.formats.model.judgement import targets_of
from annotations.formats.model.keys import key_order, split_key
from annotations.formats.model.scheme import CATEGORY, AnswerKind, AnswerValue, AttributeSpec, Subject
from annotations.models import Judgement, Operation, Project, Round
from annotations.schemes.project_scheme import ProjectScheme

CHAIN = "category.chain"  # no key of the scheme has a point

type Comparison = tuple[str, bool]  # the key of a question, and whether the answer is that of the gold


@dataclass(frozen=True, slots=True)
class Share:
    """How many of the gold's answers to a question (`category`, `category.chain`, or a key) the coder gave, too."""

    question: str
    label: str
    equal: int
    total: int


@dataclass(frozen=True, slots=True)
class Answer:
    """What coder and gold answer to an attribute or relation, in words; empty: nothing."""

    label: str
    own: str
    gold: str
    is_equal: bool


@dataclass(frozen=True, slots=True)
class ReasonOfGold:
    """Why gold answers a question as it does, as who decided it said."""

    question: str
    label: str
    reason: str
    reason_label: str
    section: str
    note: str


@dataclass(frozen=True, slots=True)
class Item:
    """A judgement of the gold beside what the coder answered: labels of categories, and words of chains."""

    markable: str
    words: str
    is_judged: bool  # whether the gold judges it at all
    is_as_gold: bool  # whether all answers are equal
    category: str | None
    gold_category: str | None
    chain: Sequence[str]
    gold_chain: Sequence[str]
    answers: Sequence[Answer]
    explanation: str
    score: float  # its part of the mean, from 0 to 1
    reasons: Sequence[ReasonOfGold] = ()  # of decisions on gold, once results are open


@dataclass
class Answers:
    """The decisions of a coding by markable, in text order: the first ones of those compared while it was coded."""

    kind: str
    decisions: dict[str, Decision] = field(default_factory=dict)
    checked: tuple[str, ...] = ()  # the markables compared while it was coded, in that order

    def chains(self, key: str) -> list[frozenset[str]]:
        """Return the chains of a markable, which is alone where nothing links it; several where it is ambiguous."""
        members, chains = self._chains
        return [frozenset(members[name]) for name in chains.get(key, ())] or [frozenset({key})]

    @cached_property
    def _chains(self) -> tuple[Mapping[str, Sequence[str]], Mapping[str, Sequence[str]]]:
        named = {target for one in self.decisions.values() for target in targets_of(one.pointers)}
        chains = chains_of(self.kind, sorted({*self.decisions, *named}, key=key_order), self.decisions)
        return members_of(chains), chains

    def members(self, key: str) -> frozenset[str]:
        """Return whatever is in a chain with the markable."""
        return frozenset().union(*self.chains(key))

    def attribute(self, key: str, question: AttributeSpec) -> AnswerValue | None:
        """Return the answer to an attribute: of an entity that of any member of the chain."""
        keys = [key, *sorted(self.members(key), key=key_order)] if question.of == Subject.ENTITY else [key]
        for one in keys:
            if one in self.decisions and (found := dict(self.decisions[one].attributes).get(question.key)) is not None:
                return found
        return None


def read_answers(project: Project, scheme: ProjectScheme, codings: Collection[int]) -> dict[int, Answers]:
    """Return what codings answer. Six queries at most, whatever their number."""
    stored = decisions_by_coding(Judgement.objects.filter(coding__in=codings), scheme.further)
    firsts = _first_decisions(codings)
    answers = {}
    for coding in codings:
        decisions = stored.get(coding, {}) | firsts.get(coding, {})
        in_order = {key: decisions[key] for key in sorted(decisions, key=key_order)}
        answers[coding] = Answers(project.answers, in_order, tuple(firsts.get(coding, ())))
    return answers


def _first_decisions(codings: Collection[int]) -> dict[int, dict[str, Decision]]:
    """Return what each coding said of the markables that were compared with the gold, when they first were."""
    checked = Operation.objects.filter(coding__in=codings, kind=Operation.Kind.CHECK).order_by().values("coding")
    log = Operation.objects.filter(coding__in=checked).order_by("coding", "sequence")
    replayed: dict[int, ReplayedCoding] = defaultdict(ReplayedCoding)
    for coding, kind, payload in log.values_list("coding", "kind", "payload").iterator():
        replayed[coding].apply(kind, payload)
    return {coding: one.checked for coding, one in replayed.items()}


@dataclass(frozen=True)
class Comparer:
    """How answers are compared with gold under a scheme. Answers in free text are not, and no remarks."""

    scheme: ProjectScheme
    answers: str
    measure: str

    @cached_property
    def labels(self) -> dict[str, str]:
        """The questions in the order of the scheme."""
        attributes = {one.key: one.label for one in self._attributes}
        relations = {one.key: one.label for one in self.scheme.spec.relations if not one.identity}
        chain = {} if self.answers == Project.Answers.CATEGORIES else {CHAIN: "Chain"}
        return {CATEGORY: "Category"} | chain | attributes | relations

    @cached_property
    def _attributes(self) -> list[AttributeSpec]:
        return [one for one in self.scheme.spec.attributes if one.kind != AnswerKind.TEXT]

    def compare(self, key: str, own: Answers, gold: Answers) -> Iterator[Comparison]:
        """Yield the questions that the gold answers, or a relation that the coder set, and whether both are equal."""
        decided, answered = gold.decisions[key], own.decisions.get(key, Decision(key))
        if decided.category is not None:
            yield CATEGORY, answered.category == decided.category
            if CHAIN in self.labels:
                yield CHAIN, answered.category is not None and set(own.chains(key)) == set(gold.chains(key))
        of_gold = dict(decided.attributes)
        for question in self._attributes:
            if question.key in of_gold:
                yield question.key, _comparable(own.attribute(key, question)) == _comparable(of_gold[question.key])
        relations, wanted = dict(answered.relations), dict(decided.relations)
        for one in self.scheme.spec.relations:
            if not one.identity and (one.key in relations or one.key in wanted):
                yield one.key, _sets(relations.get(one.key, ())) == _sets(wanted.get(one.key, ()))

    def score(self, key: str, own: Answers, gold: Answers) -> tuple[float, int]:
        """Return what a markable adds to the sum of scores, and of how many that sum is the mean."""
        if self.measure == Round.PassMeasure.ANSWERS:
            found = [is_equal for _, is_equal in self.compare(key, own, gold)]
            return float(sum(found)), len(found)
        decided, answered = gold.decisions[key].category, own.decisions.get(key)
        if decided is None:
            return 0.0, 0
        score = float(answered is not None and answered.category == decided)
        if score and self.measure == Round.PassMeasure.MASI:
            score = 1.0 - distance(unite_readings(own.chains(key)), unite_readings(gold.chains(key)), "masi")
        return score, 1

    def mean(self, own: Answers, gold: Answers) -> float | None:
        """Return the score of a coding, from 0 to 1; None where the gold judges nothing."""
        scores = [self.score(key, own, gold) for key in gold.decisions]
        number = sum(count for _, count in scores)
        return sum(score for score, _ in scores) / number if number else None

    def shares(self, own: Answers, gold: Answers) -> list[Share]:
        """Return the share of equal answers to each question that the gold answers."""
        found: dict[str, list[bool]] = defaultdict(list)
        for key in gold.decisions:
            for question, is_equal in self.compare(key, own, gold):
                found[question].append(is_equal)
        return [
            Share(question, label, sum(found[question]), len(found[question]))
            for question, label in self.labels.items()
            if question in found
        ]


def _comparable(answer: AnswerValue | None) -> Hashable:
    return frozenset(answer) if isinstance(answer, tuple) else answer


def _sets(readings: Iterable[Iterable[str]]) -> frozenset[frozenset[str]]:
    return frozenset(map(frozenset, readings))


@dataclass(frozen=True)
class Describer:
    """How the answers of a coding of a text and of its gold are said in words."""

    comparer: Comparer
    content: str

    @cached_property
    def _categories(self) -> dict[str, str]:
        return {one.key: one.label for one in self.comparer.scheme.spec.categories}

    def words(self, key: str) -> str:
        place = split_key(key)
        return " … ".join(self.content[start:end] for start, end in place.parts) if place else key

    def item(self, key: str, own: Answers, gold: Answers, known: frozenset[str] | None = None) -> Item:
        """Return a markable with its answers; of chains only `known` members, and those its gold points to."""
        decided, answered = gold.decisions.get(key, Decision(key)), own.decisions.get(key, Decision(key))
        is_judged = decided.category is not None or bool(decided.attributes)
        compared = dict(self.comparer.compare(key, own, gold)) if is_judged else {}
        own_chain, gold_chain = own.members(key), gold.members(key)
        if known is not None:
            if CHAIN in compared:
                compared[CHAIN] = own_chain & known == gold_chain & known
            own_chain, gold_chain = own_chain & known, gold_chain & (known | frozenset(targets_of(decided.pointers)))
        score, number = self.comparer.score(key, own, gold) if is_judged else (0.0, 0)
        return Item(
            markable=key,
            words=self.words(key),
            is_judged=is_judged,
            is_as_gold=is_judged and all(compared.values()),
            category=self._categories.get(answered.category or ""),
            gold_category=self._categories.get(decided.category or ""),
            chain=self._chain(own_chain) if answered.category is not None else [],
            gold_chain=self._chain(gold_chain) if is_judged else [],
            answers=list(self._answers(key, own, gold, compared)),
            explanation=decided.note if is_judged else "",
            score=score / number if number else 0.0,
        )

    def _chain(self, members: Iterable[str]) -> list[str]:
        return [self.words(key) for key in sorted(members, key=key_order)]

    def _answers(self, key: str, own: Answers, gold: Answers, compared: Mapping[str, bool]) -> Iterator[Answer]:
        spec, empty = self.comparer.scheme.spec, Decision(key)
        of_gold, answered = gold.decisions.get(key, empty), own.decisions.get(key, empty)
        for attribute in spec.attributes:
            if attribute.key in compared:
                said = say_answer(own.attribute(key, attribute), attribute)
                decided = say_answer(dict(of_gold.attributes)[attribute.key], attribute)
                yield Answer(attribute.label, said, decided, compared[attribute.key])
        for relation in spec.relations:
            if relation.key in compared and not relation.identity:
                said = say_readings(dict(answered.relations).get(relation.key, ()), self.words)
                decided = say_readings(dict(of_gold.relations).get(relation.key, ()), self.words)
                yield Answer(relation.label, said, decided, compared[relation.key])


def compare_checked(describer: Describer, own: Answers, gold: Answers) -> list[Item]:
    """Return what the coder has compared so far, in that order.

    Chains have only members that were compared before, and what the coder points to: others would tell of the rest.
    """
    items = []
    known: frozenset[str] = frozenset()
    for key in own.checked:
        known |= {key}
        seen = known | frozenset(targets_of(own.decisions[key].pointers))
        items.append(describer.item(key, own, gold, seen))
    return items
