"""Rows of the database -> the answers of pyramids whose units are words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np

from agreement.data.categories import Categories
from agreement.data.columns import AnswerColumns
from agreement.data.judgements import CodedDocument, CodingIndex, build_columns, collect_members, select_texts
from agreement.data.pyramids.scu_words import scus_by_word
from annotations.models import Index, Markable, Project


def read_words(project: Project, categories: Categories, documents: Sequence[CodedDocument]) -> AnswerColumns:
    """Return the answers of pyramids whose units are the words of the summaries, with the SCUs of their contributors.

    Two queries. Who codes only part of the words has said of the others that they are in no SCU once it is submitted.
    """
    selection = select_texts(project, documents)
    words = defaultdict[int, list[tuple[bool, int, int, str, int, int, bool]]](list)
    markables = Markable.objects.filter(level__coded=False, **selection).order_by("start")
    for text, pk, key, start, end, level in markables.values_list("text_id", "pk", "key", "start", "end", "level_id"):
        words[text].append((False, start, -end, key, pk, level, True))
    link_selection = {f"judgement__coding__{name}": value for name, value in selection.items()}
    contributors = defaultdict[int, list[tuple[Any, str]]](list)
    entities = Index.objects.filter(judgement__category__isnull=False, **link_selection).order_by("pk")
    for of_coding, parts, scu in entities.values_list("judgement__coding_id", "judgement__markable__parts", "entity"):
        contributors[of_coding].append((parts, scu))
    marks, links, indices = list[tuple[int, int]](), list[tuple[int, int, int]](), list[tuple[str, ...]]()
    codings = CodingIndex.of(documents)
    for place, (row, document) in enumerate(zip(codings.rows, codings.document.tolist(), strict=True)):
        spans = [(start, -end) for _, start, end, *_ in words[documents[document].document.text_pk]]
        scus = scus_by_word(spans, contributors[row.pk])
        words_of = defaultdict[str, list[int]](list)
        for word in sorted(scus):
            for scu in scus[word]:
                words_of[scu].append(word)
        indices.append(tuple(sorted(words_of, key=lambda scu: (words_of[scu], scu))))
        number = {scu: place_of_scu for place_of_scu, scu in enumerate(indices[-1])}
        for word in sorted(scus):
            of_word = sorted(number[scu] for scu in scus[word])
            links += [(len(marks), to, reading) for reading, to in enumerate(of_word)]
            marks.append((place, word))
    coding, unit = np.array(marks, dtype=np.int64).reshape(-1, 2).T
    of, to, reading = np.array(links, dtype=np.int64).reshape(-1, 3).T
    indexing = int(np.flatnonzero(categories.indexes)[0])
    complete, is_other = np.ones(len(unit), dtype=np.bool_), np.zeros(len(unit), dtype=np.bool_)
    return build_columns(
        collect_members(categories, documents, words),
        codings,
        np.array([row.submitted for row in codings.rows], dtype=np.bool_),
        (coding, unit, np.full(len(unit), indexing), complete, is_other),
        (of, to, reading),
        indices,
    ).with_digests(categories.keys)
