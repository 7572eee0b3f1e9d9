"""A coder's answers in training compared with gold, by question."""

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

CHAIN = "category.chain"  # keys of the scheme contain no point

type Comparison = tuple[str, bool]  # the key of a question, and whether the answer equals gold


@dataclass(frozen=True, slots=True)
class Share:
    """The number of answers to a question (`category`, `category.chain`, or a key) in which coder and gold agree."""

    question: str
    label: str
    equal: int
    total: int


@dataclass(frozen=True, slots=True)
class Answer:
    """The answers of coder and gold to an attribute or relation, in words; empty: no answer."""

    label: str
    own: str
    gold: str
    is_equal: bool


@dataclass(frozen=True, slots=True)
class ReasonOfGold:
    """The adjudicator's reason for an answer of gold."""

    question: str
    label: str
    reason: str
    reason_label: str
    section: str
    note: str


@dataclass(frozen=True, slots=True)
class Item:
    """A judgement of gold beside the coder's: labels of categories, and words of chains."""

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
    score: float  # its share of the mean, from 0 to 1
    reasons: Sequence[ReasonOfGold] = ()  # of decisions on gold, once results are open


@dataclass
class Answers:
    """The decisions of a coding by markable, in text order; if compared while coding, as they first were."""

    kind: str
    decisions: dict[str, Decision] = field(default_factory=dict)
    checked: tuple[str, ...] = ()  # the markables compared while it was coded, in that order

    def chains(self, key: str) -> list[frozenset[str]]:
        """Return the chains of a markable: several if it is ambiguous, only itself if it is not linked."""
        members, chains = self._chains
        return [frozenset(members[name]) for name in chains.get(key, ())] or [frozenset({key})]

    @cached_property
    def _chains(self) -> tuple[Mapping[str, Sequence[str]], Mapping[str, Sequence[str]]]:
        named = {target for decision in self.decisions.values() for target in targets_of(decision.pointers)}
        chains = chains_of(self.kind, sorted({*self.decisions, *named}, key=key_order), self.decisions)
        return members_of(chains), chains

    def members(self, key: str) -> frozenset[str]:
        """Return the members of all chains of the markable."""
        return frozenset().union(*self.chains(key))

    def attribute(self, key: str, question: AttributeSpec) -> AnswerValue | None:
        """Return the answer to an attribute; an attribute of entities may be answered at any member of the chain."""
        keys = [key, *sorted(self.members(key), key=key_order)] if question.of == Subject.ENTITY else [key]
        for name in keys:
            if name in self.decisions and (own := dict(self.decisions[name].attributes).get(question.key)) is not None:
                return own
        return None


def read_answers(project: Project, scheme: ProjectScheme, codings: Collection[int]) -> dict[int, Answers]:
    """Return the answers of codings. At most six queries, for any number of codings."""
    stored = decisions_by_coding(Judgement.objects.filter(coding__in=codings), scheme.further)
    firsts = _first_decisions(codings)
    answers = {}
    for coding in codings:
        decisions = stored.get(coding, {}) | firsts.get(coding, {})
        in_order = {key: decisions[key] for key in sorted(decisions, key=key_order)}
        answers[coding] = Answers(project.answers, in_order, tuple(firsts.get(coding, ())))
    return answers


def _first_decisions(codings: Collection[int]) -> dict[int, dict[str, Decision]]:
    """Return each coding's decisions at their first comparison with gold."""
    checked = Operation.objects.filter(coding__in=codings, kind=Operation.Kind.CHECK).order_by().values("coding")
    log = Operation.objects.filter(coding__in=checked).order_by("coding", "sequence")
    replayed: dict[int, ReplayedCoding] = defaultdict(ReplayedCoding)
    for coding, kind, payload in log.values_list("coding", "kind", "payload").iterator():
        replayed[coding].apply(kind, payload)
    return {coding: coding_log.checked for coding, coding_log in replayed.items()}


@dataclass(frozen=True)
class Comparer:
    """The rules for comparing answers with gold under a scheme. Free text and remarks are not compared."""

    scheme: ProjectScheme
    answers: str
    measure: str

    @cached_property
    def labels(self) -> dict[str, str]:
        """The labels of questions in the order of the scheme."""
        attributes = {spec.key: spec.label for spec in self._attributes}
        relations = {spec.key: spec.label for spec in self.scheme.spec.relations if not spec.identity}
        chain = {} if self.answers == Project.Answers.CATEGORIES else {CHAIN: "Chain"}
        return {CATEGORY: "Category"} | chain | attributes | relations

    @cached_property
    def _attributes(self) -> list[AttributeSpec]:
        return [spec for spec in self.scheme.spec.attributes if spec.kind != AnswerKind.TEXT]

    def compare(self, key: str, own: Answers, gold: Answers) -> Iterator[Comparison]:
        """Yield whether the answers are equal, for questions with an answer in gold and relations set by the coder."""
        decided, answered = gold.decisions[key], own.decisions.get(key, Decision(key))
        if decided.category is not None:
            yield CATEGORY, answered.category == decided.category
            if CHAIN in self.labels:
                yield CHAIN, answered.category is not None and set(own.chains(key)) == set(gold.chains(key))
        in_gold = dict(decided.attributes)
        for question in self._attributes:
            if question.key in in_gold:
                yield question.key, _comparable(own.attribute(key, question)) == _comparable(in_gold[question.key])
        relations, wanted = dict(answered.relations), dict(decided.relations)
        for relation in self.scheme.spec.relations:
            if not relation.identity and (relation.key in relations or relation.key in wanted):
                yield relation.key, _sets(relations.get(relation.key, ())) == _sets(wanted.get(relation.key, ()))

    def score(self, key: str, own: Answers, gold: Answers) -> tuple[float, int]:
        """Return what a markable adds to the sum of scores, and to the number of items that divides it."""
        if self.measure == Round.PassMeasure.ANSWERS:
            equalities = [is_equal for _, is_equal in self.compare(key, own, gold)]
            return float(sum(equalities)), len(equalities)
        decided, answered = gold.decisions[key].category, own.decisions.get(key)
        if decided is None:
            return 0.0, 0
        score = float(answered is not None and answered.category == decided)
        if score and self.measure == Round.PassMeasure.MASI:
            score = 1.0 - distance(unite_readings(own.chains(key)), unite_readings(gold.chains(key)), "masi")
        return score, 1

    def mean(self, own: Answers, gold: Answers) -> float | None:
        """Return the score of a coding, from 0 to 1; None if gold judges nothing."""
        scores = [self.score(key, own, gold) for key in gold.decisions]
        number = sum(count for _, count in scores)
        return sum(score for score, _ in scores) / number if number else None

    def shares(self, own: Answers, gold: Answers) -> list[Share]:
        """Return the share of equal answers for each question with an answer in gold."""
        by_question: dict[str, list[bool]] = defaultdict(list)
        for key in gold.decisions:
            for question, is_equal in self.compare(key, own, gold):
                by_question[question].append(is_equal)
        return [
            Share(question, label, sum(by_question[question]), len(by_question[question]))
            for question, label in self.labels.items()
            if question in by_question
        ]


def _comparable(answer: AnswerValue | None) -> Hashable:
    return frozenset(answer) if isinstance(answer, tuple) else answer


def _sets(readings: Iterable[Iterable[str]]) -> frozenset[frozenset[str]]:
    return frozenset(map(frozenset, readings))


@dataclass(frozen=True)
class Describer:
    """The answers of a coding and of its gold, in words."""

    comparer: Comparer
    content: str

    @cached_property
    def _categories(self) -> dict[str, str]:
        return {category.key: category.label for category in self.comparer.scheme.spec.categories}

    def words(self, key: str) -> str:
        split = split_key(key)
        return " … ".join(self.content[start:end] for start, end in split.parts) if split else key

    def item(self, key: str, own: Answers, gold: Answers, known: frozenset[str] | None = None) -> Item:
        """Return a markable with its answers; chains are limited to `known` members and the targets of gold."""
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
        gold_decision, answered = gold.decisions.get(key, empty), own.decisions.get(key, empty)
        for attribute in spec.attributes:
            if attribute.key in compared:
                said = say_answer(own.attribute(key, attribute), attribute)
                decided = say_answer(dict(gold_decision.attributes)[attribute.key], attribute)
                yield Answer(attribute.label, said, decided, compared[attribute.key])
        for relation in spec.relations:
            if relation.key in compared and not relation.identity:
                said = say_readings(dict(answered.relations).get(relation.key, ()), self.words)
                decided = say_readings(dict(gold_decision.relations).get(relation.key, ()), self.words)
                yield Answer(relation.label, said, decided, compared[relation.key])


def compare_checked(describer: Describer, own: Answers, gold: Answers) -> list[Item]:
    """Return the markables that the coder has compared so far, in that order.

    Chains have only members that were compared earlier and the coder's own targets, so that nothing else is disclosed.
    """
    items = []
    known: frozenset[str] = frozenset()
    for key in own.checked:
        known |= {key}
        seen = known | frozenset(targets_of(own.decisions[key].pointers))
        items.append(describer.item(key, own, gold, seen))
    return items
