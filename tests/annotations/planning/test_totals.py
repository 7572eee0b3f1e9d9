"""Totals of done and remaining work, by coder and by round."""

from datetime import date

from annotations.coding.status import submit_coding
from annotations.models import Coding, Membership
from annotations.planning.rounds import create_round
from annotations.planning.work.assignments import assign_texts
from annotations.planning.work.progress import Total, total_by
from annotations.planning.work.states import read_states
from annotations.projects.people.members import add_member
from tests.shared.coding import judge

PAGE = "/projects/tea/"
TODAY = date(2026, 11, 24)


def totals_by_coder():
    return total_by(read_states(Coding.objects.of_people().all(), TODAY), lambda coding: coding.coder)


def test_codings_are_counted_by_status_and_markables_by_decision(project, codings, keys, alice, bob):
    coded = [keys[label] for label in "abcdef"]
    n = len(coded)
    for key in coded:
        judge(codings["alice"], key, "none")
    judge(codings["bob"], keys["a"], "none")
    assert sorted(totals_by_coder(), key=lambda total: total.name) == [
        Total("alice", complete=1, decided=n, to_decide=n, to_submit=1),
        Total("bob", begun=1, decided=1, to_decide=n, left=n - 1, to_submit=1),
    ]
    submit_coding(codings["alice"], alice)
    [total] = total_by(read_states(Coding.objects.of_people().all(), TODAY), lambda _: "")
    assert total == Total("", submitted=1, begun=1, decided=n + 1, to_decide=2 * n, left=n - 1, to_submit=1)
    assert total.codings == 2


def test_coding_without_markables_counts_as_not_begun(project, codings):
    project.texts.get().markables.all().delete()
    assert Total("bob", not_begun=1, to_submit=1) in totals_by_coder()


def test_overview_has_totals_by_coder_and_by_several_rounds(signed_in, charlie, project, codings):
    add_member(project, charlie, Membership.Role.MANAGER)
    page = signed_in(charlie).get(PAGE).content.decode()
    assert "Done and left, by coder" in page
    assert "Done and left, by round" not in page
    second = project.texts.create(slug="second", title="Second", content="Milk.")
    assign_texts(project, [second], [codings["alice"].coder], create_round(project, "a-pilot"))
    page = signed_in(charlie).get(PAGE).content.decode()
    rounds = page[page.index('id="totals-rounds"') :]
    assert rounds.index("main") < rounds.index("a-pilot")
