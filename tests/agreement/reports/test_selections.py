"""Selections change the data and not the measure, on page, API and command."""

import re
from collections.abc import Iterable
from dataclasses import replace
from io import StringIO
from itertools import combinations, product

import pytest
from django.core.management import CommandError, call_command

from agreement.data.reading import read_answers
from agreement.measures import alpha
from agreement.reports import items, overall
from agreement.reports.coders import coders
from agreement.reports.parameters import GOLD_IS_NO_CODING
from agreement.results import categories, course
from annotations.coding import operations
from annotations.coding.status import reopen_coding
from annotations.formats import plain
from annotations.formats.model.keys import markable_key
from annotations.models import Coding, Markable, Membership, Project, User
from annotations.planning.rounds import move_to_round
from annotations.planning.work.assignments import assign_texts
from annotations.projects.creation import create_project
from annotations.projects.people.members import add_member
from annotations.schemes.project_scheme import set_coder_marked_levels
from annotations.schemes.ready_made import SCHEMES
from annotations.transfers.importing.documents import import_documents
from annotations.transfers.importing.files.source_document import SourceDocument
from tests.shared.agreeing import KINDS, WALK, answer, coded_project, coding_of, convention, decide_gold, hand_in
from tests.shared.cases import cases, first_of
from tests.shared.coding import change
from tests.shared.letters import LETTERS, same, sorted_out, table_of
from tests.shared.pyramids import build, codings_of, docset, models_of, pyramid_project

pytestmark = pytest.mark.slow

CODERS = ("ann", "bea", "cem", "dee")
NOTHING_LEFT_OUT = {"gold": 0, "adjudicators": 0, "practice": 0, "repeats": 0, "open": 0}

# Two phrases come with each text; the others are marked by the coder who has them here, with the number of their chain.
GIVEN = "[Anna](a) took her dog to [the park](p) and it was fun, she said"
MARKED = {
    "text-1": {
        "ann": {"Anna": 1, "the park": 2, "her": 1, "dog": 3, "it": 3},
        "bea": {"Anna": 1, "the park": 2, "her": 1, "it": 2},
        "cem": {"Anna": 1, "the park": 2, "dog": 3, "it": 3, "she": 1, "fun": 2},
        "dee": {"Anna": 1, "the park": 2, "she": 2},
    },
    "text-2": {
        "ann": {"Anna": 1, "the park": 2, "her": 1, "she": 1},
        "bea": {"Anna": 1, "the park": 2, "her": 1, "dog": 1, "she": 1},
        "cem": {"Anna": 1, "the park": 1, "fun": 3},
    },
    "text-3": {
        "ann": {"Anna": 1, "the park": 2, "it": 2},
        "bea": {"Anna": 1, "the park": 2, "it": 2, "she": 1},
        "cem": {"Anna": 2, "the park": 2, "it": 3},
        "dee": {"Anna": 1, "her": 1, "took": 3},
    },
    "text-4": {
        "ann": {"Anna": 1, "the park": 2, "dog": 2, "fun": 2},
        "bea": {"Anna": 2, "dog": 2, "fun": 3},
        "cem": {"Anna": 1, "the park": 2, "dog": 2},
        "dee": {"the park": 2, "her": 2, "dog": 2},
    },
}
SUMMARIES = (("one", "a ferry sank at dawn"), ("two", "at dawn boats saved forty people"), ("three", "forty lived"))
PYRAMIDS = {
    "ann": {
        "sank": ["a ferry sank"],
        "dawn": ["at dawn", "dawn boats"],
        "saved": ["saved forty people", "forty lived"],
    },
    "bea": {"sank": ["ferry sank"], "dawn": ["at dawn", "boats"], "saved": ["saved forty", "forty lived"]},
    "cem": {"sank": ["a ferry sank at dawn"], "saved": ["boats saved forty people"], "lived": ["forty lived"]},
    "dee": {"dawn": ["at dawn"], "saved": ["boats saved"], "forty": ["forty people", "forty lived"]},
}
EVERY_SOME = [*combinations(CODERS, 2), *combinations(CODERS, 3), CODERS]
EACH_PUSH = [("bea", "dee"), ("ann", "cem", "dee")]
SOME = cases(EACH_PUSH, full=[who for who in EVERY_SOME if who not in EACH_PUSH])
PAIRS = [who for who in SOME if len(who) == 2]


def slug_of(scheme: str, who: Iterable[str]) -> str:
    return f"{scheme}-{'-'.join(who)}"


def people(names: Iterable[str]) -> list[User]:
    return [User.objects.get_or_create(username=name)[0] for name in names]


def project_of(scheme: str, who: tuple[str, ...]) -> Project:
    """Make a project of these coders, who create the markables that they judge."""
    if scheme == "pyramid":
        project = pyramid_project(slug_of(scheme, who), one_contributor=False)
        codings = codings_of(models_of(docset(project, *people(who), summaries=SUMMARIES)))
        for name in who:
            build(codings[name], PYRAMIDS[name])
        return project
    project = create_project(slug_of(scheme, who), "Alone", SCHEMES[scheme])
    set_coder_marked_levels(project, project.levels.filter(coded=True))
    for number, (slug, of_text) in enumerate(MARKED.items()):
        import_documents(project, [SourceDocument(plain.parse(f"{GIVEN} {number}", f"{slug}.txt"), None)])
        for user in people(name for name in who if name in of_text):
            add_member(project, user, Membership.Role.CODER)
            assign_texts(project, project.texts.filter(slug=slug), [user])
    move_to_round(project, project.texts.filter(slug__in=["text-1", "text-2"]), "pilot")
    for coding in Coding.objects.of_people().filter(text__project=project).select_related("coder", "text"):
        changes = list(judgements(project, coding, MARKED[coding.text.slug][coding.coder.username]))
        operations.apply(coding, coding.coder, 0, changes)
    return hand_in(project)


def judgements(project: Project, coding: Coding, chains: dict[str, int]) -> Iterable[operations.Change]:
    """Return the changes that mark the words and put them in chains or give them a category."""
    [level] = project.levels.filter(coded=True).values_list("key", flat=True)
    content, last = coding.text.content, dict[int, str]()
    for words, chain in sorted(chains.items(), key=lambda item: content.index(item[0])):
        start = content.index(words)
        key = markable_key(level, [[start, start + len(words)]])
        if project.answers == Project.Answers.CATEGORIES:
            yield change(markable=key, category=[*LETTERS.values()][chain - 1])
        elif project.answers == Project.Answers.INDICES:
            yield change(markable=key, category="refers", indices=[str(chain)])
        elif chain in last:
            yield change(markable=key, category="phrase", pointers=[last[chain]])
        else:
            yield change(markable=key, category="none" if chain < 3 else "place", pointers=[])
        last[chain] = key


@pytest.fixture(scope="module", params=["poesio-artstein-2005", "passonneau-2004", "sortal-classes", "pyramid"])
def scheme(module_rows, request) -> str:
    """Make a project of all coders, and one of every two and every three coders."""
    for who in EVERY_SOME:
        project_of(request.param, who)
    return request.param


@pytest.fixture(params=["singleton", "label", "missing"])
def read_project(scheme, request):
    """Return a function that returns the answers and parameters of the project of some coders."""

    def read_project(who: tuple[str, ...], **asked: str):
        project = Project.objects.get(slug=slug_of(scheme, who))
        units = asked.get("units", "")
        return read_answers(project, units), convention(project, unmarked=request.param, **asked)

    return read_project


def variations(scheme: str) -> list[dict[str, str]]:
    """Return parameters besides coders: other measures, other units, and excluded categories."""
    kinds = {
        "poesio-artstein-2005": [
            {"distance": "masi", "exclude_unit": "observed"},
            {"chains": "none", "coefficient": "fleiss_kappa"},
            {"top": "chain", "chains": "partial"},
            {"without": "none"},
            {"without": "none,place", "coefficient": "gwet_ac1", "missing": "drop"},
        ],
        "passonneau-2004": [{"distance": "jaccard", "empty": "disjoint"}, {"coefficient": "multi_kappa"}],
        "sortal-classes": [{"coefficient": "alpha"}, {"without": "person"}, {"without": "group,loc"}],
        "pyramid": [{"units": "spans"}, {"units": "spans", "distance": "nominal"}, {"distance": "dice"}],
    }
    return [{}, *kinds[scheme]]


def keys_of_units() -> dict[int, tuple[str, str]]:
    return {pk: (text, key) for pk, text, key in Markable.objects.values_list("pk", "text__slug", "key")}


def test_chosen_coders_have_figures_of_separate_project(scheme, read_project):
    for who, asked in product(SOME, variations(scheme)):
        whole, parameters = read_project(CODERS, **asked)
        found = overall.compute_report(whole, replace(parameters, coders=",".join(who)))
        expected = overall.compute_report(*read_project(who, **asked))
        same(found.result, expected.result)
        same(found.interval, expected.interval)
        assert found.coders == expected.coders == who
        assert [row.text.slug for row in found.texts] == [row.text.slug for row in expected.texts]
        for row, alone in zip(found.texts, expected.texts, strict=True):
            same(row.result, alone.result)
            assert row.shift == pytest.approx(alone.shift, abs=1e-12)


@pytest.mark.parametrize("who", SOME)
def test_chosen_coders_have_items_of_separate_project(scheme, read_project, who):
    key = keys_of_units()
    for asked in variations(scheme):
        whole, parameters = read_project(CODERS, **asked)
        rows = []
        for found in (
            items.compute_items(whole, replace(parameters, coders=",".join(who))),
            items.compute_items(*read_project(who, **asked)),
        ):
            shares = dict(zip([key[unit] for unit in found.unit.tolist()], found.share_of(...).tolist(), strict=True))
            relations = dict(zip([key[unit] for unit in found.unit.tolist()], found.relations.tolist(), strict=True))
            rows.append((shares, relations, found.n_coders.tolist(), found.n_values.tolist()))
        assert rows[0][0] == pytest.approx(rows[1][0], abs=1e-12)
        assert rows[0][1:] == rows[1][1:]


@pytest.mark.parametrize("who", SOME)
def test_chosen_coders_have_categories_of_separate_project(scheme, read_project, who):
    for asked in variations(scheme):
        whole, parameters = read_project(CODERS, **asked)
        chosen, alone = (whole, replace(parameters, coders=",".join(who))), read_project(who, **asked)
        same(categories.compute_category_kappa(*chosen), categories.compute_category_kappa(*alone))
        assert categories.compute_by_category(*chosen) == pytest.approx(categories.compute_by_category(*alone))
        found, expected = (categories.compute_agreement_table(*case) for case in (chosen, alone))
        assert (found.names, found.counts.tolist()) == (expected.names, expected.counts.tolist())
        assert coders.count_agreeing_coders(*chosen) == coders.count_agreeing_coders(*alone)


def test_matrix_cell_equals_project_of_two_coders(scheme, read_project):
    for asked in variations(scheme):
        whole, parameters = read_project(CODERS, **asked)
        for measure in coders.measures_for(whole.kind):
            matrix = coders.compute_pair_matrix(whole, parameters, measure)
            for pair in PAIRS:
                alone = coders.compute_pair_matrix(*read_project(pair, **asked), measure).value(*pair)
                assert matrix.value(*pair) == pytest.approx(alone, abs=1e-12), (asked, measure, pair)
        for part in coders.leave_out_each_coder(whole, parameters).parts:
            rest = tuple(name for name in CODERS if name != part.name)
            same(part.result, overall.compute_report(*read_project(rest, **asked)).result)


def test_against_rest_is_mean_of_projects_of_two_coders(scheme, read_project):
    for asked in first_of(variations(scheme)):
        for stage in course.compute_stages(*read_project(CODERS, **asked), "round", {}):
            only = {"texts": ",".join(text.slug for text in stage.texts)}
            values = {
                pair: overall.compute_report(*read_project(pair, **asked, **only)).result.value
                for pair in combinations(CODERS, 2)
            }
            for name, found in stage.against_rest.items():
                own = [value for pair, value in values.items() if name in pair and value is not None]
                assert found == pytest.approx(sum(own) / len(own) if own else None, abs=1e-12)


SELECTED = {
    "coders": "alice,bob,carol",
    "texts": "text-1,text-2,text-3",
    "rounds": "main,pilot",
    "include": "adjudicators,open,practice,repeats",
}


@pytest.fixture
def rounds(charlie):
    """Return a function that makes a project of three texts in two rounds, with answers of three coders."""

    def rounds(kind: str, preset: str = "") -> Project:
        texts = (WALK, f"{WALK} 2", f"{WALK} 3")
        project = answer(coded_project("walk", kind, *texts, coders=("alice", "bob", "carol")))
        Project.objects.filter(pk=project.pk).update(preset=preset or project.preset)
        move_to_round(project, project.texts.filter(slug="text-1"), "pilot")
        move_to_round(project, project.texts.exclude(slug="text-1"), "main")
        return project

    return rounds


@pytest.mark.parametrize("kind", KINDS)
def test_choosing_everything_equals_no_selection(ask_all, rounds, kind):
    project = rounds(kind)
    usual = ask_all("walk")
    assert usual["parameters"] == replace(convention(project), unmarked=project.unmarked).query()
    for asked in (*({name: value} for name, value in SELECTED.items()), SELECTED):
        found = ask_all("walk", **asked)
        assert found["parameters"] == usual["parameters"] | asked
        assert found | {"parameters": usual["parameters"]} == usual


def test_parameter_overrides_one_setting_of_convention(ask_all, rounds):
    rounds("passonneau-2004")
    kept = {"coefficient": "alpha", "distance": "passonneau", "exclude_unit": "both", "thirds": "rounded"}
    for asked, expected in (
        ({"coders": "alice,carol"}, {}),
        ({"texts": "text-2,text-3", "without": "none"}, {}),
        ({"exclude_unit": "observed"}, {"exclude_unit": "observed"}),
        ({"distance": "dice", "coders": "alice,bob"}, {"distance": "dice"}),
        ({"coefficient": "fleiss_kappa"}, {"coefficient": "fleiss_kappa"}),
        ({"preset": "masi"}, {"distance": "masi", "exclude_unit": "none", "thirds": "exact"}),
        ({"preset": "masi", "thirds": "rounded"}, {"distance": "masi", "exclude_unit": "none"}),
    ):
        found = ask_all("walk", **asked)["parameters"]
        assert {name: found[name] for name in kept} == kept | expected, asked


@pytest.mark.parametrize("kind", ["sortal-classes", "poesio-artstein-2005"])
def test_distance_switches_kappa_convention_to_alpha(ask_all, rounds, kind):
    rounds(kind, "kappa" if kind == "sortal-classes" else "poesio-artstein-2005-k")
    assert ask_all("walk")["parameters"]["coefficient"] == "fleiss_kappa"
    found = ask_all("walk", distance="nominal")["parameters"]
    assert (found["coefficient"], found["distance"]) == ("alpha", "nominal")
    asked = {"distance": "nominal", "coefficient": "gwet_ac1"}
    assert ask_all("walk", **asked)["parameters"]["coefficient"] == "gwet_ac1"


THREE = {
    "text-1": {"alice": "ppgl", "bob": "pggl", "carol": "plgl"},
    "text-2": {"alice": "gpl", "bob": "gpp", "carol": "ggp"},
    "text-3": {"alice": "lpp", "bob": "lpg", "carol": "lgg"},
}


def without_answers(*left_out: tuple[str, str]) -> dict[str, dict[str, str]]:
    return {
        text: {name: letters for name, letters in given.items() if (text, name) not in left_out}
        for text, given in THREE.items()
    }


@pytest.fixture(scope="module")
def three_rows(module_rows) -> Project:
    project = sorted_out(THREE)
    Project.objects.filter(pk=project.pk).update(preset="alpha-nominal")
    return project


def reopen(project, text, coder):
    coding = coding_of(text, coder, text__project=project)
    reopen_coding(coding, coding.coder)


def make_adjudicator(project: Project, coder: str) -> None:
    """Make an adjudicator of a coder who has coded."""
    project.memberships.filter(user__username=coder).update(role=Membership.Role.ADJUDICATOR)


def make_open(project):
    reopen(project, "text-1", "bob")
    reopen(project, "text-2", "carol")


def make_adjudicated(project):
    make_adjudicator(project, "carol")


def make_both(project):
    """Give an adjudicator an open coding, which has two reasons not to count."""
    make_open(project)
    make_adjudicated(project)


OF_CAROL = [(text, "carol") for text in THREE]
# what is done, the answers that count then, and how many codings do not and why
STATES = [
    (make_open, [("text-1", "bob"), ("text-2", "carol")], {"open": 2}, "2 codings begun and not submitted"),
    (make_adjudicated, OF_CAROL, {"adjudicators": 3}, "3 codings by adjudicators"),
    (
        make_both,
        [*OF_CAROL, ("text-1", "bob")],
        {"adjudicators": 3, "open": 1},
        "3 codings by adjudicators and 1 coding begun and not submitted",
    ),
]


@pytest.mark.parametrize(("make", "missing", "counts", "words"), STATES)
def test_omitted_codings_are_counted_and_included_by_reason(
    ask_all, signed_in, charlie, three, make, missing, counts, words
):
    make(three)
    answers = without_answers(*missing)
    names = sorted({name for given in answers.values() for name in given})
    found = ask_all("tea")
    assert found["value"] == pytest.approx(alpha(table_of(answers, names)).value)
    assert (found["coders"], found["codings_left_out"]) == (names, NOTHING_LEFT_OUT | counts)
    included = ask_all("tea", include=",".join(counts))
    assert included["value"] == pytest.approx(alpha(table_of(THREE)).value)
    assert (included["coders"], included["codings_left_out"]) == (["alice", "bob", "carol"], NOTHING_LEFT_OUT)
    assert ask_all("tea", include="practice,repeats")["codings_left_out"] == NOTHING_LEFT_OUT | counts
    for asked, said in (({}, True), ({"include": ",".join(counts)}, False)):
        page = signed_in(charlie).get("/projects/tea/agreement/", asked).content.decode()
        assert re.findall(r'<p[^>]* id="not-counted">Not counted: (.*)\.</p>', page) == [words] * said
        assert sorted(set(re.findall(r'name="include"[^>]*value="(\w+)"', page)) & {"open", "adjudicators"}) == sorted(
            counts
        )
        printed = StringIO()
        call_command("agreement", "tea", stdout=printed, **asked)
        assert (f"\nnot counted: {words}\n" in printed.getvalue()) == said


def test_reports_count_omitted_codings(signed_in, charlie, rounds):
    reopen(rounds("poesio-artstein-2005"), "text-2", "bob")
    client = signed_in(charlie)
    for report, page, asked in (
        ("coreference", "coreference", {"first": "alice", "second": "bob"}),
        ("compare", "difference", {"by": "group", "first": "alice,bob", "second": "alice,carol"}),
        ("planning", "planning", {}),
    ):
        found = client.get(f"/api/v1/projects/walk/agreement/{report}/", asked).json()
        assert found["codings_left_out"] == NOTHING_LEFT_OUT | {"open": 1}
        shown = client.get(f"/projects/walk/agreement/{page}/", asked).content.decode()
        assert "Not counted: 1 coding begun and not submitted." in shown


@pytest.mark.parametrize(
    ("included", "left_out", "missing"),
    [("adjudicators", {"open": 1}, [("text-1", "bob")]), ("open", {"adjudicators": 3}, OF_CAROL)],
)
def test_each_reason_is_included_separately(ask_all, three, included, left_out, missing):
    make_both(three)
    found = ask_all("tea", include=included)
    assert found["codings_left_out"] == NOTHING_LEFT_OUT | left_out
    assert found["value"] == pytest.approx(alpha(table_of(without_answers(*missing), found["coders"])).value)


def test_omitted_codings_are_limited_to_selection(ask_all, three):
    make_open(three)
    for asked, number in (
        ({"coders": "alice,bob"}, 1),
        ({"coders": "alice,carol"}, 1),
        ({"texts": "text-1"}, 1),
        ({"coders": "alice,carol", "texts": "text-1"}, 0),
        ({"texts": "text-3"}, 0),
    ):
        assert ask_all("tea", **asked)["codings_left_out"]["open"] == number, asked


def test_include_accepts_lists_and_repeated_parameters(signed_in, charlie, three):
    make_both(three)
    for query in ("open&include=adjudicators", "open,adjudicators", "adjudicators,%20open"):
        found = signed_in(charlie).get(f"/api/v1/projects/tea/agreement/?include={query}").json()
        assert found["parameters"]["include"] == "adjudicators,open"
        assert found["codings_left_out"] == NOTHING_LEFT_OUT


@pytest.mark.parametrize("who", [("alice", "bob"), ("alice", "carol"), ("bob", "carol"), ("alice", "bob", "carol")])
@pytest.mark.parametrize("without", ["person", "group", "loc", "group,loc", "person,loc"])
def test_chosen_coders_decide_which_units_are_left_out(ask_all, three, who, without):
    chosen, left_out = ",".join(who), without.split(",")
    letters = {letter for letter, name in LETTERS.items() if name in left_out}
    rest: dict[str, dict[str, str]] = {}
    for text, given in THREE.items():
        rows = list(zip(*(given[name] for name in who), strict=True))
        kept = [row for row in rows if not any(2 * row.count(letter) > len(row) for letter in letters)]
        rest[text] = {name: "".join(row[n] for row in kept) for n, name in enumerate(who)}
    expected = alpha(table_of(rest, who))
    asked = {"coders": chosen, "without": without}
    result = overall.compute_report(read_answers(three), convention(three, **asked)).result
    same(result, expected)
    if result.value is not None:
        assert ask_all("tea", **asked)["value"] == result.value


@pytest.mark.parametrize("included", ["gold", "open,gold"])
def test_gold_is_counted_as_left_out_and_never_included(ask_all, signed_in, charlie, three, included):
    before = ask_all("tea")
    decide_gold(three, "alice")
    assert ask_all("tea") == before | {"codings_left_out": NOTHING_LEFT_OUT | {"gold": 3}}
    assert ask_all("tea", texts="text-1", coders="alice,bob")["codings_left_out"] == NOTHING_LEFT_OUT | {"gold": 1}
    refused = signed_in(charlie).get("/api/v1/projects/tea/agreement/", {"include": included})
    assert (refused.status_code, refused.json()["errors"]) == (400, {"include": [GOLD_IS_NO_CODING]})
    assert signed_in(charlie).get("/projects/tea/agreement/", {"include": included}).status_code == 400
    with pytest.raises(CommandError, match="the page Gold"):
        call_command("agreement", "tea", include=included)
