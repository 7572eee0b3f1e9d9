"""Rows of the database -> the answers of pyramids whose units are words."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np

from agreement.data.answers.answers import CoderAnswers, TextAnswers
from agreement.data.answers.categories import Categories
from agreement.data.answers.reading import select_texts
from agreement.data.codings.table import CodingRow
from agreement.data.pyramids.scu_words import scus_by_word
from annotations.models import Index, Markable, Project


def read_word_answers(
    project: Project, categories: Categories, rows: list[CodingRow], texts: list[int]
) -> dict[int, TextAnswers]:
    """Return the answers of pyramids whose units are the words of the summaries, with the SCUs of their contributors.

    Two queries. Who codes only part of the words has said of the others that they are in no SCU once it is submitted.
    """
    selection = select_texts(project, texts)
    words: dict[int, list[tuple[int, int, int, str]]] = {text: [] for text in texts}
    markables = Markable.objects.filter(level__coded=False, **selection).order_by("start")
    for text, pk, key, start, end in markables.values_list("text_id", "pk", "key", "start", "end"):
        if text in words:
            words[text].append((start, end, pk, key))
    link_selection = {f"judgement__coding__{name}": value for name, value in selection.items()}
    contributors: dict[int, list[tuple[Any, str]]] = defaultdict(list)
    entities = Index.objects.filter(judgement__category__isnull=False, **link_selection).order_by("pk")
    for coding, parts, scu in entities.values_list("judgement__coding_id", "judgement__markable__parts", "entity"):
        contributors[coding].append((parts, scu))
    indexing = int(np.flatnonzero(categories.indexes)[0])
    answers: dict[int, list[CoderAnswers]] = defaultdict(list)
    for row in rows:
        scus = scus_by_word([(start, end) for start, end, *_ in words[row.text]], contributors[row.pk])
        unit = np.array(sorted(scus), dtype=np.int64)
        words_of: dict[str, list[int]] = defaultdict(list)
        for word in unit.tolist():
            for scu in scus[word]:
                words_of[scu].append(word)
        names = tuple(sorted(words_of, key=lambda scu: (words_of[scu], scu)))
        place = {scu: number for number, scu in enumerate(names)}
        links = [
            (at, place[scu])
            for at, word in enumerate(unit.tolist())
            for scu in sorted(scus[word], key=place.__getitem__)
        ]
        pairs = np.array(links, dtype=np.int64).reshape(-1, 2)
        category, complete = np.full(len(unit), indexing), np.ones(len(unit), dtype=np.bool_)
        answers[row.text].append(
            CoderAnswers(
                coder=row.coder,
                submitted=row.submitted,
                reason=row.reason,
                marked=unit,
                unit=unit,
                category=category,
                complete=complete,
                link_of=pairs[:, 0],
                link_to=pairs[:, 1],
                indices=names,
                coding=row.pk,
            )
        )
    return {
        text: TextAnswers(
            pk=text,
            units=tuple(pk for *_, pk, _ in of_text),
            others=(),
            keys=tuple(key for *_, key in of_text),
            categories=categories.keys,
            given=np.ones(len(of_text), dtype=np.bool_),
            coder_answers=tuple(answers[text]),
        )
        for text, of_text in words.items()
    }
