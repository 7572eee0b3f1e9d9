"""Agreement within and between groups of coders, on page, API and command."""

import pytest
from django.core.management import CommandError, call_command

from agreement.data.coders import read_groups
from agreement.data.reading import read_answers
from agreement.measures import alpha, cross_alpha, difference, interval
from agreement.reports.basis import compute_result, select_data
from agreement.reports.coders import differences
from agreement.reports.coders.differences import compare_groups
from agreement.reports.overall import compute_report
from agreement.reports.request import resolve
from annotations.models import Project
from tests.shared.agreeing import answer, coded_project, convention

FIVE = ("alice", "bob", "carol", "dora", "eve")
GROUPS = {"alice": "expert", "bob": "expert", "carol": "naive", "dora": "naive"}


@pytest.fixture(autouse=True)
def few_permutations(monkeypatch):
    """Reduce the number of permutations to save time."""
    monkeypatch.setattr(differences, "PERMUTATIONS", 200)


@pytest.fixture(scope="module")
def walk_rows(module_rows) -> int:
    """Make a project of four texts by two experts, two naive coders and one coder without a group."""
    contents = [" ".join(f"[w{n}](m{n})" for n in range(4 + 2 * number)) for number in range(4)]
    project = answer(coded_project("walk", "poesio-artstein-2005", *contents, coders=FIVE))
    for name, group in GROUPS.items():
        project.memberships.filter(user__username=name).update(group=group)
    return project.pk


@pytest.fixture
def walk(walk_rows, charlie) -> Project:
    return Project.objects.get(pk=walk_rows)


def data_of(project, **asked):
    return select_data(*resolve(read_answers(project), convention(project, **asked)))


def test_figures_equal_library(walk):
    report = compare_groups(read_answers(walk), convention(walk), read_groups(walk))
    assert [(group.name, group.coders) for group in report.groups] == [
        ("expert", ("alice", "bob")),
        ("naive", ("carol", "dora")),
    ]
    experts, naive = (data_of(walk, coders=names) for names in ("alice,bob", "carol,dora"))
    for group, data in zip(report.groups, (experts, naive), strict=True):
        within = interval(data, alpha, "passonneau")
        assert (group.interval.value, group.interval.low) == pytest.approx((within.value, within.low))
    [pair] = report.pairs
    both = data_of(walk, coders="alice,bob,carol,dora")
    between = interval(both, cross_alpha, ("alice", "bob"), ("carol", "dora"), "passonneau")
    assert (pair.between.value, pair.between.low, pair.between.high) == (between.value, between.low, between.high)
    apart = difference(experts, naive, alpha, "passonneau")
    assert pair.difference.difference == pytest.approx(apart.difference)
    assert report.ungrouped == ("eve",)


def test_group_name_equals_list_of_its_coders(signed_in, charlie, walk):
    client, compare = signed_in(charlie), "/api/v1/projects/walk/agreement/compare/"
    named = client.get(compare, {"by": "group", "first": "expert", "second": "naive"}).json()
    listed = client.get(compare, {"by": "group", "first": "alice,bob", "second": "carol,dora"}).json()
    assert named["names"] == ["expert", "naive"]
    assert {**named, "names": None} == {**listed, "names": None}
    mixed = client.get(compare, {"by": "group", "first": "expert", "second": "eve,naive"}).json()
    assert mixed["names"] == ["expert", "eve,naive"]
    of_three = compute_result(*resolve(read_answers(walk), convention(walk, coders="eve,carol,dora")))
    assert mixed["second"] == of_three.value
    unknown = client.get(compare, {"by": "group", "first": "expert", "second": "ghost"})
    assert (unknown.status_code, list(unknown.json()["errors"])) == (400, ["second"])


def test_groups_parameter_selects_their_coders(signed_in, charlie, walk):
    client, api = signed_in(charlie), "/api/v1/projects/walk/agreement/"
    found = client.get(api, {"groups": "naive"}).json()
    expected = compute_report(*resolve(read_answers(walk), convention(walk, coders="carol,dora")))
    assert (found["value"], found["parameters"]["coders"]) == (expected.result.value, "carol,dora")
    both = client.get(api, {"groups": "naive", "coders": "eve"}).json()
    assert both["parameters"]["coders"] == "carol,dora,eve"
    wrong = client.get(api, {"groups": "ghost"})
    assert (wrong.status_code, list(wrong.json()["errors"])) == (400, ["groups"])
    with pytest.raises(CommandError, match="groups"):
        call_command("agreement", "walk", "--groups", "ghost")


def test_group_of_one_has_figures_between_but_not_within(walk):
    walk.memberships.filter(user__username="eve").update(group="model")
    report = compare_groups(read_answers(walk), convention(walk), read_groups(walk))
    model = next(group for group in report.groups if group.name == "model")
    assert model.interval.value is None
    with_model = [pair for pair in report.pairs if "model" in (pair.first, pair.second)]
    assert [pair.difference for pair in with_model] == [None, None]
    assert all(pair.between.value is not None for pair in with_model)


def test_methods_text_reports_two_groups(signed_in, charlie, walk):
    client, url = signed_in(charlie), "/projects/walk/agreement/methods/"
    [pair] = compare_groups(read_answers(walk), convention(walk), read_groups(walk), differences=False).pairs
    assert f"expert and naive {pair.between.value:z.3f}" in client.get(url).content.decode()
    assert "By group of coders" not in client.get(url, {"groups": "naive"}).content.decode()
