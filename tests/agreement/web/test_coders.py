"""The pages of the coders and of two of them: who agrees with whom, and how each works."""

from dataclasses import replace

import pytest

from agreement.data.reading import read_answers
from agreement.measures import RELATIONS
from agreement.reports import items
from agreement.reports.basis import pick_texts
from agreement.reports.coders import coders as reports
from agreement.reports.coders.profiles import compute_profiles, seconds_per_judgement
from agreement.reports.parameters import default_preset
from agreement.reports.wording import RELATION_LABELS
from tests.shared.agreeing import WALK, answer, coded_project, digits, figures, hand_in, links, table
from tests.shared.coding import judge
from tests.shared.work import work_by_text

URL = "/projects/walk/agreement/coders/"
CONVENTION = default_preset("poesio-artstein-2005", "pointers").parameters


@pytest.mark.parametrize(
    ("measure", "asked"),
    [("coefficient", {}), ("lea", {"texts": "text-1"}), ("cohen_kappa", {"coders": "alice,carol"})],
)
def test_each_coder_has_the_figures_of_the_reports(signed_in, charlie, walk, measure, asked):
    page = signed_in(charlie).get(URL, asked | {"measure": measure}).content.decode()
    found = read_answers(walk)
    parameters = replace(CONVENTION, **asked)
    matrix = reports.compute_pair_matrix(found, parameters, measure)
    rest = reports.leave_out_each_coder(found, parameters)
    profiles = {one.coder: one for one in compute_profiles(found, parameters)}
    without = reports.intervals_without_each_coder(found, parameters)
    selected = found.select((), filter(None, parameters.coders.split(",")))
    seconds = seconds_per_judgement(selected, pick_texts(selected, parameters), work_by_text(walk).activities)
    rows = []
    for part in rest.parts:
        one = profiles[part.name]
        rest_of = part.result.value, without[part.name].low, without[part.name].high, part.change
        own = one.n_judgements, one.n_ambiguous, one.mean_chain, one.mean_link, seconds[one.coder]
        rows.append(digits(*rest_of, *own))
    assert figures(page, "each") == rows
    assert figures(page, "matrix") == [digits(*(matrix.value(a, b) for b in matrix.coders)) for a in matrix.coders]
    assert [row[0] for row in table(page, "matrix")] == list(matrix.coders)
    rest_rows = [digits(matrix.against_rest(name), len(matrix.of_coder(name))) for name in matrix.coders]
    assert figures(page, "rest") == rest_rows
    assert [row[0] for row in table(page, "each")] == sorted(profiles)


def test_categories_are_counted_by_coder_and_by_how_many_agree(signed_in, charlie, walk):
    page = signed_in(charlie).get(URL).content.decode()
    found = read_answers(walk)
    profiles = compute_profiles(found, CONVENTION)
    used = [name for name in found.categories if any(one.categories[name] for one in profiles)]
    rows = figures(page, "bias")
    assert [row[::3] for row in rows] == [digits(*(one.categories[name] for name in used)) for one in profiles]
    shares = [[one.categories[name] / one.n_judgements for name in used] for one in profiles]
    assert [row[1::3] for row in rows] == [digits(*share) for share in shares]
    for column in range(len(used)):
        assert sum(float(row[3 * column + 2]) for row in rows) == pytest.approx(0, abs=1e-12)
    counts = reports.count_agreeing_coders(found, CONVENTION)
    assert figures(page, "agreed") == [digits(*one.units[::-1]) for one in counts if one.category]
    assert figures(page, "agreed_at_least") == [digits(*(one.at_least(k) for k in (3, 2, 1))) for one in counts]
    assert figures(page, "confusion") == [digits(*row) for row in reports.confusion_matrix(found, CONVENTION).tolist()]


def test_of_one_coder_it_says_who(signed_in, charlie, walk):
    client = signed_in(charlie)
    assert "Only carol has submitted a coding" in client.get(URL, {"coders": "carol"}).content.decode()
    answer(coded_project("alone", "poesio-artstein-2005", WALK, coders=("alice",)))
    page = client.get("/projects/alone/agreement/coders/").content.decode()
    assert "Two coders are needed" in page
    assert [row[0] for row in table(page, "times")] == ["alice"]


AGREEMENT = "/projects/walk/agreement/"
URL_OF_PAIR = f"{AGREEMENT}coders/alice/bob/"


def expected(project, parameters):
    two = replace(parameters, coders="alice,bob")
    found = read_answers(project)
    matrices = {name: reports.compute_pair_matrix(found, two, name) for name in reports.MEASURES}
    pair = {one.measure: one for one in reports.measure_pair(found, parameters, "alice", "bob")}
    return [digits(matrix.value("alice", "bob"), pair[name].low, pair[name].high) for name, matrix in matrices.items()]


@pytest.mark.parametrize("asked", [{}, {"coefficient": "fleiss_kappa"}, {"texts": "text-1", "coders": "alice,carol"}])
def test_two_coders_have_every_measure_to_the_last_digit(signed_in, charlie, walk, asked):
    page = signed_in(charlie).get(URL_OF_PAIR, asked).content.decode()
    assert figures(page, "measures") == expected(walk, replace(CONVENTION, **asked))
    assert len(figures(page, "measures")) == len(reports.MEASURES)


def test_relations_and_categories_of_the_two_are_counted(signed_in, charlie, walk):
    page = signed_in(charlie).get(URL_OF_PAIR).content.decode()
    found, two = read_answers(walk), replace(CONVENTION, coders="alice,bob")
    counts = items.compute_items(found, two).relations.sum(axis=0).tolist()
    assert [row[0] for row in table(page, "relations")] == list(RELATION_LABELS.values())
    assert figures(page, "relations") == [digits(count, count / sum(counts)) for count in counts]
    rows = reports.confusion_matrix(found, two, ("alice", "bob"))
    assert figures(page, "confusion") == [digits(*row) for row in rows.tolist()]


def test_in_the_other_order_the_categories_change_sides(signed_in, charlie, walk):
    client = signed_in(charlie)
    there, back = (client.get(f"{AGREEMENT}coders/{pair}/").content.decode() for pair in ("alice/bob", "bob/alice"))
    assert figures(there, "measures") == figures(back, "measures")
    assert figures(back, "confusion") == [list(row) for row in zip(*figures(there, "confusion"), strict=True)]
    assert figures(back, "confusion") != figures(there, "confusion")


def test_relation_leads_to_as_many_items_as_it_counts(signed_in, charlie, walk):
    client = signed_in(charlie)
    page = client.get(URL_OF_PAIR).content.decode()
    for name, [_, count, _] in zip(RELATIONS, table(page, "relations"), strict=True):
        [address] = links(page, f"relation={name}")
        found = client.get(address).content.decode()
        assert len(table(found, "items")) == int(count), name


@pytest.mark.parametrize(
    "pair", ["alice/alice", "alice/charlie", "ghost/bob", "alice/%00", "%3Cscript%3E1/bob", "alice/Bob"]
)
def test_who_has_not_answered_makes_no_pair(signed_in, charlie, walk, pair):
    assert signed_in(charlie).get(f"{AGREEMENT}coders/{pair}/").status_code == 404


def test_two_who_share_no_text_have_a_page(signed_in, charlie):
    project = coded_project("walk", "poesio-artstein-2005", WALK, WALK)
    for name, slug in (("alice", "text-1"), ("bob", "text-2")):
        coding = project.texts.get(slug=slug).codings.of_people().get(coder__username=name)
        judge(coding, coding.text.markables.filter(level__coded=True).first().key, "none")
    hand_in(project)
    for asked in ({}, {"texts": "text-1"}, {"coefficient": "fleiss_kappa"}):
        assert signed_in(charlie).get(URL_OF_PAIR, asked).status_code == 200
