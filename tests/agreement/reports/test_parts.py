"""What is computed of some texts at a time is what is computed of all of them at once."""

import random
from dataclasses import replace

import numpy as np
import pytest

from agreement.data.columns import CODING, DOCUMENT, MEMBER, AnswerColumns
from agreement.data.documents import NEXT_DOCUMENT, Document
from agreement.data.project_answers import ProjectAnswers, Question
from agreement.reports import basis
from agreement.reports.coders.coders import confusion_matrix, count_together
from agreement.reports.coders.profiles import compute_text_distances
from agreement.reports.items import compute_items, count_by_filter, find_highest, summarize_ambiguity
from agreement.reports.parameters import Parameters
from agreement.reports.request import resolve
from agreement.results.categories import compute_agreement_totals, compute_category_kappa

CODERS, ROUNDS, N_TEXTS = ("ann", "ben", "cid", "dee"), ("main", "second"), 3
VALUES = {
    "categories": ("x", "y", "z"),
    "pointers": ("none", "person", "place"),
    "labels": ("a", "b", "c", "no label"),
    "numbers": ("1", "2", "3", "5"),
    "targets": ("not set", "set"),
}
ASKED = {
    "categories": [
        {},
        {"coefficient": "fleiss_kappa", "missing": "drop"},
        {"coefficient": "augmented_kappa"},
        {"coefficient": "gwet_ac1"},
        {"rounds": "second"},
        {"texts": "text-0,text-2"},
        {"coders": "ann,ben"},
        {"without": "x"},
    ],
    "pointers": [
        {},
        {"distance": "masi", "chains": "none"},
        {"distance": "passonneau", "top": "chain", "exclude_unit": "observed"},
        {"distance": "masi", "chains": "partial", "readings": "matched"},
        {"coefficient": "augmented_kappa", "chains": "none"},
        {"coefficient": "beta"},
    ],
    "labels": [{}, {"distance": "masi"}],
    "numbers": [{}, {"distance": "interval"}, {"distance": "ordinal"}, {"distance": "ratio"}],
    "targets": [{"chains": "none"}, {"distance": "jaccard", "chains": "none"}],
}
CASES = [(kind, asked) for kind, several in ASKED.items() for asked in several]


def made_answers(kind, seed):
    """Return random answers of four coders in six documents, two of each text."""
    chosen, rows = random.Random(seed), {name: [] for name in ("members", "codings", "marks", "texts", "documents")}
    for document in range(2 * N_TEXTS):
        pk, round_ = 100 + document // 2, document % 2
        key = pk + round_ * NEXT_DOCUMENT
        name = f"text-{document // 2}"
        rows["texts"].append(
            Document(key, name, name, ROUNDS[round_], round_, 1, "", True, f"version {kind} {seed} {document}")
        )
        n_units, n_others = chosen.choice([0, 1, 4, 6]), chosen.choice([0, 1])
        for unit in range(n_units + n_others):
            rows["members"].append((1000 * pk + unit + round_ * NEXT_DOCUMENT, unit % 2, chosen.random() < 0.8))
        coders = [coder for coder in range(len(CODERS)) if chosen.random() < 0.8]
        rows["documents"].append((n_units, n_others, len(coders), 0, bytes([document]) * 32))
        for coder in coders:
            judged = [unit for unit in range(n_units) if chosen.random() < 0.85]
            values = [chosen.randrange(len(VALUES[kind])) if chosen.random() < 0.9 else -1 for _ in judged]
            rows["marks"] += [(len(rows["codings"]), *mark) for mark in zip(judged, values, strict=True)]
            rows["codings"].append((len(rows["codings"]) + 1, coder, True, 0, 0, 0, 0, 0, bytes(32)))
    marks = np.array(rows["marks"], dtype=np.int64)
    columns = AnswerColumns(
        *(np.array(rows[n], t) for n, t in (("documents", DOCUMENT), ("members", MEMBER), ("codings", CODING)))
    )
    columns = columns.with_marks(marks[:, 0], unit=marks[:, 1], category=marks[:, 2], complete=marks[:, 2] >= 0)
    columns = columns.with_links(*np.array(list(made_links(kind, rows["marks"], chosen)), np.int64).reshape(-1, 3).T)
    question = Question("asked", "Asked", kind) if kind in ("labels", "numbers", "targets") else None
    return ProjectAnswers.of_columns(
        columns.with_digests(VALUES[kind], readings=True),
        CODERS,
        kind=kind,
        unmarked="missing",
        categories=VALUES[kind],
        texts=tuple(rows["texts"]),
        levels=("word", "phrase"),
        question=question,
        questions=(question,) if question else (),
        state_name=f"{kind} {seed}",
    )


def made_links(kind, marks, chosen):
    """Yield links: the mark, what it leads to, and the reading."""
    for number, (_, unit, value) in enumerate(marks):
        if kind in ("pointers", "targets") and value > 0 and unit > 0:
            targets = sorted(chosen.sample(range(unit), min(unit, chosen.choice([1, 1, 2]))))
            yield from ((number, target, reading) for reading, target in enumerate(targets))
        elif kind == "labels" and 0 <= value < 3:
            yield from ((number, label, 0) for label in sorted({value, chosen.randrange(3)}))


def figures(answers, parameters):
    """Return whatever is computed by parts."""
    selected, resolved = resolve(replace(answers, cache={}), parameters)
    items = compute_items(selected, resolved)
    totals = compute_agreement_totals(selected, resolved)
    interval = basis.compute_interval(selected, resolved)
    numbers = [
        *(column.ravel() for column in vars(items).values() if isinstance(column, np.ndarray)),
        [share for item in find_highest(selected, resolved) for share in (item.unit, item.share, *item.relations)],
        [one for text in compute_text_distances(selected, resolved) for one in (*text.coders, text.mean)],
        confusion_matrix(selected, resolved).ravel(),
        count_together(selected, resolved).ravel(),
        [*totals.rows_of_texts, *totals.counts, totals.n_judgements, totals.agreement, *totals.specific],
        [compute_category_kappa(selected, resolved).value, interval.value, interval.low, interval.high],
    ]
    counts = summarize_ambiguity(selected, resolved), count_by_filter(selected, resolved), interval.note
    return [np.array(one, dtype=np.float64) for one in numbers], counts


@pytest.mark.parametrize(
    ("kind", "asked"), CASES, ids=lambda one: str(one) if isinstance(one, str) else "-".join(one.values())
)
def test_figures_of_some_texts_at_a_time_are_those_of_all(kind, asked, monkeypatch):
    for seed in range(4):
        answers, parameters = made_answers(kind, seed), Parameters(**asked)
        monkeypatch.setattr(basis, "MIN_REMEMBERED", 10**9)
        monkeypatch.setattr(basis, "MAX_TEXTS_AT_ONCE", 10**9)
        numbers, counts = figures(answers, parameters)
        monkeypatch.setattr(basis, "MIN_REMEMBERED", 0)
        for n_texts in (1, 2, 2):  # again, of what is remembered
            monkeypatch.setattr(basis, "MAX_TEXTS_AT_ONCE", n_texts)
            found, found_counts = figures(replace(answers, state_name=f"{answers.state_name} {n_texts}"), parameters)
            assert found_counts == counts
            for one, expected in zip(found, numbers, strict=True):
                np.testing.assert_allclose(one, expected, rtol=0, atol=1e-12)
