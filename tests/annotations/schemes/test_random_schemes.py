"""Log, tables, archive and completeness agree after random operations under random schemes."""

import io
import random

import pytest

from annotations.coding.judgements import decisions_of, judgements_of
from annotations.coding.log.replay import log_mismatches
from annotations.coding.rules import given_answers
from annotations.models import Coding, Judgement
from annotations.models.coding import complete, complete_without_attributes
from annotations.schemes.consistency import check_scheme
from annotations.schemes.constraints import is_complete
from annotations.schemes.project_scheme import read_scheme
from annotations.texts.cloning import clone_project
from annotations.transfers.archiving import archive_project, restore_project
from tests.shared.cases import cases
from tests.shared.coding import judge
from tests.shared.schemes import any_scheme, coding_of, rich_project, send_any

SEEDS = cases(range(6), full=range(6, 40))


@pytest.mark.parametrize("seed", SEEDS)
def test_log_equals_tables_after_random_operations(alice, seed):
    draw = random.Random(seed)
    scheme = any_scheme(draw)
    assert check_scheme(scheme.spec) == []
    project = rich_project("any", scheme, alice, coders_mark=draw.random() < 0.7)
    stored = read_scheme(project.pk).spec
    assert stored.categories == scheme.spec.categories
    assert stored.attributes == scheme.spec.attributes
    coding = coding_of(project)
    assert send_any(draw, coding, scheme, 80)
    assert list(log_mismatches(coding)) == []
    assert complete_by_tables(coding) == complete_by_rules(coding)
    assert_archive_is_equal(project)
    clone = clone_project(project, "clone", "Clone", alice)
    assert read_scheme(clone.pk).spec == stored


def complete_by_tables(coding: Coding) -> set[str]:
    return set(coding.judgements.filter(complete()).values_list("markable__key", flat=True))


def complete_by_rules(coding: Coding) -> set[str]:
    constraints = read_scheme(coding.text.project_id).constraints
    levels = dict(coding.judgements.values_list("markable__key", "markable__level__key"))
    return {
        one.markable
        for one in decisions_of(coding)
        if is_complete(constraints, given_answers(constraints, levels[one.markable], one), has_index=bool(one.indices))
    }


def assert_archive_is_equal(project) -> None:
    out, again = io.BytesIO(), io.BytesIO()
    archive_project(project, out)
    copy = restore_project(out.getvalue(), slug="copy").project
    assert copy is not None
    assert judgements_of(coding_of(copy)) == judgements_of(coding_of(project))
    assert read_scheme(copy.pk).spec == read_scheme(project.pk).spec
    assert list(log_mismatches(coding_of(copy))) == []
    type(project).objects.filter(pk=project.pk).update(slug="old")
    type(project).objects.filter(pk=copy.pk).update(slug="any")
    copy.refresh_from_db()
    archive_project(copy, again)
    assert again.getvalue() == out.getvalue()


def test_both_completeness_conditions_agree_without_attributes(project, codings, keys, alice):
    judge(codings["alice"], keys["a"], "none")
    judge(codings["alice"], keys["c"], "phrase", keys["a"])
    judge(codings["alice"], keys["d"], "phrase")
    for condition in (complete(), complete_without_attributes()):
        found = Judgement.objects.filter(condition).values_list("markable__key", flat=True)
        assert set(found) == {keys["a"], keys["c"]}
