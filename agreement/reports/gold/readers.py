"""What comparisons with gold share: who reads whose answers of which texts, periods, and frequent differences."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from agreement.data.documents import Document
from agreement.data.project_answers import ProjectAnswers
from agreement.reports.coders.timing import divide_evenly, order_by_time
from agreement.reports.request.parameters import InvalidParameter, Parameters
from annotations.coding.active_time import Activity
from annotations.models import Membership, Project
from annotations.projects.letters import letters_of_coders, sees_names

LETTERS = "letters"


@dataclass(frozen=True, slots=True)
class Reader:
    """Somebody who reads: managers see names, all others letters, but for their own name.

    Who codes (`codes`) reads of texts that they have submitted alone, and of the answers of others nothing but figures.
    """

    sees_names: bool
    name: str = ""
    codes: bool = False

    @classmethod
    def of(cls, project: Project, username: str) -> Reader:
        """Return the reader for whom the project was read, whose name is this."""
        role = project.role  # type: ignore[attr-defined]
        codes = role in (Membership.Role.CODER, Membership.Role.MANAGER_CODER)
        return cls(sees_names(project), username if codes else "", codes)

    @classmethod
    def from_option(cls, option: str) -> Reader:
        """Return the reader that `as_option` names."""
        who, _, name = option.partition(" ")
        return cls(who != LETTERS, name, bool(name))

    def as_option(self) -> str:
        """Return the reader in a word; empty for one who sees names."""
        return "" if self.sees_names else f"{LETTERS} {self.name}".strip()

    def check(self, parameters: Parameters) -> None:
        """Raise InvalidParameter where coders are chosen by names that the reader does not see."""
        if parameters.coders and not self.sees_names:
            message = "here coders are letters, and cannot be chosen by name: leave out coders and groups."
            raise InvalidParameter("coders", message)

    def name_coders(self, project: Project, coders: Iterable[str]) -> dict[str, str]:
        """Return what each coder of the project is called; letters are in an order that tells nothing of names."""
        names = list(coders)
        called = {} if self.sees_names else letters_of_coders(project, names)
        return called | {name: name for name in names if self.sees_names or name == self.name}

    def documents(self, answers: ProjectAnswers) -> frozenset[int] | None:
        """Return the documents of which somebody who codes may read; None for all. `answers` are all of the project.

        These are texts that they have submitted, and that are not before them in another round.
        """
        if not self.codes:
            return None
        columns = answers.columns
        own = np.array([answers.names[number] == self.name for number in columns.codings["coder"].tolist()], np.bool_)
        texts = [answers.texts[place] for place in columns.document_of_coding[own].tolist()]
        submitted = columns.codings["submitted"][own].tolist()
        is_open = {text.text_pk for text, done in zip(texts, submitted, strict=True) if not done}
        return frozenset(text.pk for text in texts if text.text_pk not in is_open)


def rename[N: Any](coders: Sequence[N], called: Mapping[str, str]) -> tuple[N, ...]:
    """Return what is said of coders with the names that they are called."""
    return tuple(replace(one, name=called[one.name]) for one in coders)


def rename_each[N: Any](parts: Sequence[N], called: Mapping[str, str]) -> tuple[N, ...]:
    """Return parts of a report with the `coders` of each as they are called."""
    return tuple(replace(one, coders=rename(one.coders, called)) for one in parts)


def split_by_time(texts: Sequence[Document], work: Mapping[tuple[int, str], Activity]) -> list[tuple[Document, ...]]:
    """Return the texts in the order in which they were finished, in periods of about equally many."""
    ordered = order_by_time(texts, work)
    return [ordered[start:end] for start, end in pairwise([0, *divide_evenly(len(ordered))])]


@dataclass(frozen=True, slots=True)
class Frequent[D]:
    """In what way answers differ from gold, and all differences of that kind, each with its coder."""

    found: Sequence[tuple[str, D]]

    @property
    def number(self) -> int:
        return len(self.found)

    @property
    def n_coders(self) -> int:
        return len({coder for coder, _ in self.found})

    @property
    def example(self) -> D:
        return self.found[0][1]


def count_alike[D](differences: Mapping[str, Sequence[D]], key: Callable[[D], Any]) -> list[Frequent[D]]:
    """Return the differences of some coders by their kinds, the most frequent first, then by the key of the kind."""
    alike: dict[Any, list[tuple[str, D]]] = defaultdict(list)
    for coder, of_coder in differences.items():
        for one in of_coder:
            alike[key(one)].append((coder, one))
    return [Frequent(alike[kind]) for kind in sorted(alike, key=lambda kind: (-len(alike[kind]), kind))]
