"""Rows of the database -> the answers of pyramids whose units are words."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from agreement.data.categories import Categories
from agreement.data.columns import AnswerColumns
from agreement.data.judgements import CodedDocument, MemberRow, collect_members, select_texts
from agreement.data.links import number_indices, tidy_readings
from annotations.coding.markables.markables import Parts
from annotations.coding.pyramids.pyramid_rules import Span, held_words
from annotations.models import Index, Markable, Project


def read_words(project: Project, categories: Categories, documents: Sequence[CodedDocument]) -> AnswerColumns:
    """Return the answers of pyramids whose units are the words of the summaries, with the SCUs of their contributors.

    Two queries. Who codes only part of the words has said of the others that they are in no SCU once it is submitted.
    """
    selection = select_texts(project, (coded.document for coded in documents))
    words = defaultdict[int, list[MemberRow]](list)
    markables = Markable.objects.filter(level__coded=False, **selection).order_by("start")
    for text, pk, key, start, end, level in markables.values_list("text_id", "pk", "key", "start", "end", "level_id"):
        words[text].append((False, start, -end, key, pk, level, True))
    selection = select_texts(project, (coded.document for coded in documents), "judgement__coding__")
    contributors = defaultdict[int, list[tuple[Any, str]]](list)
    entities = Index.objects.filter(judgement__category__isnull=False, **selection).order_by("pk")
    for of_coding, parts, scu in entities.values_list("judgement__coding_id", "judgement__markable__parts", "entity"):
        contributors[of_coding].append((parts, scu))
    columns, places = collect_members(categories, documents, words), list[tuple[int, int]]()
    marks_of = defaultdict[tuple[int, str], list[int]](list)
    codings = [(coded.document, row.pk) for coded in documents for row in coded.rows]
    for coding, (document, pk) in enumerate(codings):
        spans = [(start, -end) for _, start, end, *_ in words[document.text_pk]]
        for word, scus in sorted(scus_by_word(spans, contributors[pk]).items()):
            for scu in scus:
                marks_of[coding, scu].append(len(places))
            places.append((coding, word))
    coding_of, unit = np.array(places, dtype=np.int64).reshape(-1, 2).T
    of, to, indices = number_indices(marks_of, len(codings))
    indexing = int(np.flatnonzero(categories.indexes)[0])
    columns = columns.with_marks(coding_of, unit=unit, category=np.full(len(unit), indexing), complete=unit >= 0)
    columns = columns.with_links(*tidy_readings(of, to, to))
    return replace(columns, indices=tuple(indices)).with_digests(categories.keys)


def scus_by_word(words: Sequence[Span], contributors: Iterable[tuple[Parts, str]]) -> dict[int, set[str]]:
    """Return the SCUs of each word that has any, by the word's place; `words` are in text order and do not overlap."""
    scus_of_word = defaultdict[int, set[str]](set)
    for parts, scu in contributors:
        for place in held_words(words, parts):
            scus_of_word[place].add(scu)
    return scus_of_word
