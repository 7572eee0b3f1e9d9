"""The values of coders by the sets that are stored with their marks are those of the links."""

import random
from dataclasses import replace
from itertools import product

import pytest

from agreement.data.reading import read_answers
from agreement.data.reliability import reliability_data
from tests.shared.agreeing import WALK, answer, coded_project
from tests.shared.questions import any_answers, question_project


@pytest.mark.parametrize(
    "make",
    [
        lambda: answer(coded_project("walk", "poesio-artstein-2005", WALK, f"{WALK} twice")),
        lambda: answer(coded_project("walk", "passonneau-2004", WALK, f"{WALK} twice")),
        *[lambda seed=seed: question_project("asked", any_answers(random.Random(seed))) for seed in range(6)],
    ],
)
def test_values_from_stored_sets_equal_values_from_links(db, make):
    answers = read_answers(make()).select(["open"])
    assert answers.columns.has_sets
    for chosen in (answers, answers.select(["open"], answers.coders[:1]), answers.restrict(answers.texts[1:])):
        by_links = replace(chosen, columns=replace(chosen.columns, has_sets=False))
        for unmarked, top in product(["missing", "singleton", "label"], ["category", "chain"]):
            options = {"chains": "full", "top": top, "unmarked": unmarked}
            found, linked = reliability_data(chosen, **options), reliability_data(by_links, **options)
            assert found.values == linked.values
            assert found.to_frame().equals(linked.to_frame())
