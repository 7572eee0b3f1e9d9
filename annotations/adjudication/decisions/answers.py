"""The answers of gold and agreed pyramids to decided questions, in words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cached_property

from annotations.adjudication.proposal import Item
from annotations.coding.chains import Chains, chains_of, members_of
from annotations.coding.decisions import Decision
from annotations.coding.judgements import decisions_by_coding
from annotations.coding.readings import Readings
from annotations.formats.model.keys import key_order, split_key
from annotations.formats.model.scheme import CATEGORY, AnswerValue, AttributeSpec, Subject
from annotations.models import SCU, Judgement, Project
from annotations.schemes.project_scheme import ProjectScheme, read_scheme
from annotations.texts.keywords import covered_text

NO_ANSWER = "no answer"


@dataclass(frozen=True)
class GoldAnswers:
    """The answers of a gold coding, or of an agreed pyramid with the labels of its SCUs by key."""

    scheme: ProjectScheme
    kind: str
    content: str
    decisions: Mapping[str, Decision]
    scus: Mapping[str, str]

    def describe(self, item: Item) -> str:
        """Return the answer to an item with labels of the scheme, words of the text and labels of SCUs."""
        decision = self.decisions.get(item.markable, Decision(item.markable))
        if item.question == CATEGORY:
            return self._category(decision) or NO_ANSWER
        relations = dict(decision.relations)
        if item.question in relations:
            return say_readings(relations[item.question], self._words)
        return self._attribute(item) or NO_ANSWER

    def _category(self, decision: Decision) -> str:
        if self.kind == Project.Answers.SCUS:
            return ", ".join(self.scus.get(index) or f"SCU {index}" for index in decision.indices)
        label = next((spec.label for spec in self.scheme.spec.categories if spec.key == decision.category), "")
        # of each chain, the words of its first other member
        members = ([key for key in self._members[f"#{name}"] if key != decision.markable] for name in decision.indices)
        linked = say_readings(decision.pointers, self._words)
        linked = linked or ", ".join(self._words(others[0]) for others in members if others)
        return f"{label}: {linked}" if linked else label

    def _attribute(self, item: Item) -> str:
        """Return the answer at the markable, else the answer of its chain, which any member may give."""
        names = self._chains.get(item.markable, ())
        members = [item.markable, *(key for name in names if len(names) == 1 for key in self._members[name])]
        spec = next((spec for spec in self.scheme.spec.attributes if spec.key == item.question), None)
        if spec is None:
            return ""
        for key in members if spec.of == Subject.ENTITY else members[:1]:
            answer = dict(self.decisions.get(key, Decision(key)).attributes).get(item.question)
            if answer is not None:
                return say_answer(answer, spec)
        return ""

    @cached_property
    def _chains(self) -> Chains:
        named = {key for decision in self.decisions.values() for key in (decision.markable, *decision.targets())}
        return chains_of(self.kind, sorted(named, key=key_order), self.decisions)

    @cached_property
    def _members(self) -> dict[str, list[str]]:
        return members_of(self._chains)

    def _words(self, key: str) -> str:
        split = split_key(key)
        return covered_text(self.content, split.parts) if split is not None else key


def say_answer(answer: AnswerValue | None, question: AttributeSpec) -> str:
    """Return an answer to an attribute with the labels of its values; empty if there is none."""
    if answer is None:
        return ""
    labels = {value.key: value.label for value in question.values}
    values = answer if isinstance(answer, tuple) else (answer,)
    return ", ".join(labels.get(value, value) if isinstance(value, str) else f"{value:g}" for value in values)


def say_readings(readings: Readings, words_of: Callable[[str], str]) -> str:
    """Return the words of the targets of a relation, with all its readings."""
    return " or ".join(" + ".join(map(words_of, reading)) for reading in readings)


def read_gold_answers(
    project: Project, gold: Collection[tuple[int, int]], contents: Mapping[int, str]
) -> dict[int, GoldAnswers]:
    """Return the answers of gold codings, given with the keys of their texts, by primary key. At most nine queries."""
    keys = [pk for pk, _ in gold]
    scheme = read_scheme(project.pk)
    decisions = decisions_by_coding(Judgement.objects.filter(coding__in=keys), scheme.further)
    scus: dict[int, dict[str, str]] = defaultdict(dict)
    if project.answers == Project.Answers.SCUS:
        for coding, key, label in SCU.objects.filter(coding__in=keys).values_list("coding", "key", "label"):
            scus[coding][key] = label
    return {
        pk: GoldAnswers(scheme, project.answers, contents[text], decisions.get(pk, {}), scus[pk]) for pk, text in gold
    }
