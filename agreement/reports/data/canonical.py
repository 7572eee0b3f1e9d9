"""The data as they are compared: what coders answered, and one integer for each value (Passonneau 2004)."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import cast

import numpy as np

from agreement.data.columns import NO_CATEGORY, CodingAnswers
from agreement.data.documents import Document
from agreement.data.given_answers import describe_answer
from agreement.data.keys import read_keys
from agreement.data.project_answers import ProjectAnswers
from agreement.measures import ReliabilityData
from agreement.measures.data.cells import MISSING
from agreement.measures.values import Ints, Value
from agreement.reports.request.basis import pick_texts, select_data
from agreement.reports.request.parameters import Parameters
from agreement.reports.request.resolution import resolve


@dataclass(frozen=True, eq=False)
class CanonicalForm:
    """Units by coders, an integer for each value: Table 2 of Passonneau 2004. Rows are in the order of the texts.

    `numbers` (units, coders) has an integer for each value, from 1: sets in the order of their members, then labels. It
    is 0 where a coder has no value.
    """

    extract: ProjectAnswers
    texts: tuple[Document, ...]
    data: ReliabilityData
    numbers: Ints

    @cached_property
    def _codes(self) -> Ints:
        """The code in the data of each integer."""
        numbers, first = np.unique(self.numbers, return_index=True)
        codes = np.full(self.data.n_values + 1, MISSING, dtype=np.int64)
        codes[numbers] = self.data.codes.ravel()[first]
        return codes

    def value(self, number: int) -> Value:
        """Return the value that an integer stands for."""
        return self.data.value(int(self._codes[number]))

    @cached_property
    def row_of(self) -> Mapping[Hashable, int]:
        """The row of each unit, from 1."""
        return {unit: row for row, unit in enumerate(self.data.units, start=1)}

    @cached_property
    def judgements_by_value(self) -> Ints:
        """How many judgements give each value; the first entry is of no value."""
        return np.bincount(self.numbers.ravel(), minlength=self.data.n_values + 1)

    def unit_of(self, row: int) -> int:
        """Return the markable of a row, which counts from 0."""
        return cast(int, self.data.units[row])

    def text_of(self, row: int) -> Document:
        """Return the text of a row, which counts from 0."""
        return self.texts[int(self.data.document_of_unit[row])]

    def raw_answers(self, rows: Sequence[int], labels: Mapping[str, str] | None = None) -> list[list[str]]:
        """Return what each coder answered of these rows, which count from 0: Table 1 of Passonneau 2004.

        An answer is its indices, its category with the rows or keys of what it points to (a plus is between targets
        that are meant together), or its category alone. It is empty where there is none. labels: what categories are
        called; without them they have their keys.
        """
        line_of = {self.data.units[row]: line for line, row in enumerate(rows)}
        column = {coder: number for number, coder in enumerate(self.data.coders)}
        found = [[""] * len(column) for _ in rows]
        texts = [self.texts[number] for number in sorted({int(self.data.document_of_unit[row]) for row in rows})]
        keys = read_keys(texts) if self.extract.kind in ("pointers", "targets") else {}
        for _, coder, coding in self.extract.codings_in(texts):
            if coder in column:
                units = coding.members["key"][coding.marks["unit"]].tolist()
                for mark, unit in enumerate(units):
                    if unit in line_of and coding.marks["category"][mark] != NO_CATEGORY:
                        words = self._describe_answer(coding, mark, labels or {}, keys)
                        found[line_of[unit]][column[coder]] = words
        return found

    def _describe_answer(
        self, coding: CodingAnswers, mark: int, labels: Mapping[str, str], keys: Mapping[int, str]
    ) -> str:
        answers = self.extract
        key = answers.categories[int(coding.marks["category"][mark])]
        category = labels.get(key, key)
        of_mark = coding.links[coding.links["of"] == mark]
        links = of_mark["to"].tolist()
        if answers.kind == "labels":
            names = "|".join(answers.categories[number] for number in links) or key
            return describe_answer(answers, coding, mark) if labels else names
        if not links:
            return category if coding.marks["complete"][mark] else f"{category}?"
        if answers.kind == "categories":
            second = answers.categories[links[0]]
            return f"{category}, {labels.get(second, second)}"
        if answers.kind == "indices":
            return ", ".join(answers.columns.indices[coding.place][link] for link in links)
        readings: dict[int, list[str]] = {}
        for number, link in zip(of_mark["reading"].tolist(), links, strict=True):
            member = int(coding.members["key"][link])
            readings.setdefault(number, []).append(str(self.row_of.get(member, keys[member])))
        return f"{category}: {', '.join(' + '.join(together) for together in readings.values())}"


def build_canonical_form(extract: ProjectAnswers, parameters: Parameters) -> CanonicalForm:
    """Return the data that the parameters select, in their canonical form. Raises InvalidParameter."""
    extract, parameters = resolve(extract, parameters)
    data = select_data(extract, parameters)
    numbers = data.to_frame().fillna(0).to_numpy(dtype=np.int64).reshape(data.codes.shape)
    return CanonicalForm(extract, pick_texts(extract, parameters), data, numbers)
