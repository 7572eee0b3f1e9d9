"""A submitted coding without markables counts in every figure, count and draft."""

import pytest
from django.core.management import call_command

from agreement.data.reading import read_answers
from agreement.reports.coders.differences import compare_occasions
from agreement.reports.coders.models import compute_alt_test
from agreement.reports.coreference import compare_chains
from agreement.reports.methods import describe_data
from agreement.reports.overall import compute_report
from agreement.reports.request import resolve
from annotations.adjudication.states import gold_states
from annotations.coding.status import submit_coding
from annotations.models import Coding, Membership, Project, Round, User
from annotations.planning.work.assignments import assign_texts
from annotations.projects.people.members import add_member
from annotations.schemes.project_scheme import read_scheme
from tests.agreement.measures import exact
from tests.shared.agreeing import KINDS, WALK, coded_project, coding_of, convention
from tests.shared.coding import judge
from tests.shared.projects import person
from tests.shared.pyramids import build, codings_of, docset, models_of, pyramid_project

ANNOTATED = """\
T1	Mention 0 3	Ann
T2	Mention 8 10	Bo
T3	Mention 15 19	they
T4	Mention 25 28	him
*	Coref T1 T3
*	Coref T2 T4
"""
# Of four texts Cora has two chains of two in each; the others have them in the first text alone.
OTHERS = ("ben", "dora")


def import_marked(folder, coders) -> Project:
    for coder in coders:
        (folder / coder).mkdir(parents=True)
        for number in range(1, 5):
            (folder / coder / f"t{number}.txt").write_text(f"Ann met Bo and they left him {number}")
            (folder / coder / f"t{number}.ann").write_text(ANNOTATED if coder == "cora" or number == 1 else "")
    slug, options = "-".join(coders), {"coder_from": "parent", "option": ["empty=take"], "verbosity": 0}
    call_command("import_codings", "brat", str(folder), project=slug, create=True, **options)
    project = Project.objects.get(slug=slug)
    add_member(project, person("charlie"), Membership.Role.MANAGER)
    return project


@pytest.fixture(scope="module")
def marked_rows(module_rows, tmp_path_factory) -> int:
    return import_marked(tmp_path_factory.mktemp("files"), ("cora", "ben")).pk


@pytest.fixture
def marked(marked_rows, db) -> Project:
    return Project.objects.get(pk=marked_rows)


def values_of_cora_and_ben():
    """Return the values of both coders: the chain of a mention, or the mention alone if it is not marked."""
    table = {}
    for text in range(1, 5):
        mentions = [(text, number) for number in range(4)]
        for number, mention in enumerate(mentions):
            together = frozenset((mention, mentions[(number + 2) % 4]))
            table[mention] = [together, together if text == 1 else frozenset((mention,))]
    return table


def test_empty_coding_counts_on_page_api_and_command(marked, ask_all):
    found = ask_all("cora-ben", coefficient="alpha", distance="masi", unmarked="singleton")
    value, _, _ = exact.alpha(values_of_cora_and_ben(), "masi")
    assert found["value"] == pytest.approx(float(value), abs=1e-12)
    assert (found["n_units"], found["coders"], found["left_out"]) == (16, ["ben", "cora"], {})


def test_empty_coding_lowers_all_scores(marked):
    report = compare_chains(read_answers(marked), convention(marked), "ben", "cora")
    figures = [report.overall.scores[name] for name in ("muc", "b_cubed", "ceaf_e", "lea", "conll_average")]
    assert [(score.recall, score.precision) for score in figures] == [(1.0, 0.25)] * 5
    assert [score.f1 for score in figures] == pytest.approx([0.4] * 5)


def draft(project: Project) -> dict[str, tuple[str, int, int]]:
    """Draft gold by majority; return the state, contested items and judgements of each text."""
    call_command("draft_gold", project.slug, method="most", verbosity=0)
    gold = Coding.objects.filter(text__project=project, kind=Coding.Kind.GOLD)
    states = gold_states(list(gold.select_related("text")))
    return {
        state.coding.text.slug: (str(state.state), len(state.contested), state.coding.judgements.count())
        for state in states
    }


def test_empty_coding_counts_in_gold_draft_and_alt_test(marked, tmp_path):
    of_three = import_marked(tmp_path / "files", ("cora", *OTHERS))
    for project in (marked, of_three):
        assert draft(project) == {"t1": ("decided", 0, 4)} | dict.fromkeys(("t2", "t3", "t4"), ("open", 4, 0))
    report = compute_alt_test(read_answers(of_three), convention(of_three, unmarked="singleton"), "cora", "", "")
    assert (report.test.n_units, report.test.n_texts) == (16, 4)


def test_counts_include_empty_codings(marked):
    described = describe_data(*resolve(read_answers(marked), convention(marked)))
    assert (described.n_coders, described.n_texts, described.coders_per_document) == (2, 4, (2, 2, 2, 2))


def test_open_coding_without_judgements_does_not_count(marked):
    dora = person("dora")
    add_member(marked, dora, Membership.Role.CODER)
    assign_texts(marked, marked.texts.all(), [dora])
    found = read_answers(marked).select()
    assert (found.coders, found.left_out) == (("ben", "cora"), ())
    for coding in Coding.objects.of_people().filter(coder=dora):
        submit_coding(coding, dora)
    assert read_answers(marked).select().coders == ("ben", "cora", "dora")


def test_empty_coding_belongs_to_its_scheme_version(marked):
    version = marked.scheme_version
    of_version = read_answers(marked, scheme_versions=frozenset([version])).select()
    of_other = read_answers(marked, scheme_versions=frozenset([version + 1])).select()
    assert (of_version.coders, of_other.coders) == (("ben", "cora"), ())
    assert {coder for rows in of_version.rows_by_text() for coder, _ in rows} == {"ben", "cora"}
    assert sum(map(len, of_version.rows_by_text())) == 8


@pytest.mark.parametrize("scheme", KINDS)
def test_empty_coding_counts_in_every_scheme(db, signed_in, scheme):
    coded_project("walk", scheme, WALK, coders=("alice", "bob", "carl"))
    coding = coding_of("text-1", "alice", text__project__slug="walk")
    judge_first(coding)
    client = signed_in(person("bob"))
    address = "/api/v1/projects/walk/texts/text-1/coding/"
    seen = {"If-Match": client.get(address)["ETag"]}
    sent = client.patch(address, {"status": "submitted"}, content_type="application/json", headers=seen)
    assert sent.status_code == 200
    submit_coding(coding, coding.coder)
    manager, url = signed_in(person("charlie")), "/api/v1/projects/walk/agreement/"
    for unmarked in ("singleton", "label"):
        found = manager.get(url, {"unmarked": unmarked}).json()
        assert (found["coders"], found["n_units"]) == (["alice", "bob"], 5)
    assert manager.get(url, {"unmarked": "missing"}).json()["value"] is None


def judge_first(coding: Coding) -> None:
    """Judge one markable, if possible with a category without pointers or index."""
    constraints = read_scheme(coding.text.project_id).constraints["categories"]
    category = next(
        (key for key, asked in constraints.items() if not asked["takes_index"] and not asked["identity"]), None
    )
    markable = coding.text.markables.filter(level__coded=True).earliest("start")
    judge(coding, markable.key, category or next(iter(constraints)))


def test_empty_pyramid_counts(db):
    people = [person(name) for name in ("alice", "bob")]
    text = models_of(docset(pyramid_project(), *people, summaries=[("one", "A storm came."), ("two", "Storm!")]))
    codings = codings_of(text)
    build(codings["alice"], {"storm": ["storm", "Storm"]})
    submit_coding(codings["bob"], codings["bob"].coder)
    found = read_answers(text.project).select()
    assert found.coders == ("alice", "bob")
    assert compute_report(found, convention(text.project)).result.n_units == 4


def test_empty_recheck_is_compared(marked):
    recheck = Round.objects.create(project=marked, name="again", kind=Round.Kind.RECHECK, position=9)
    cora = User.objects.get(username="cora")
    assign_texts(marked, marked.texts.all(), [cora], round_=recheck)
    for coding in Coding.objects.of_people().filter(round=recheck):
        submit_coding(coding, cora)
    [found] = compare_occasions(read_answers(marked), convention(marked, unmarked="singleton")).rechecks
    assert (found.codings, found.texts, dict(found.texts_left_out)) == (4, 4, {})
    assert found.n_units == 16
