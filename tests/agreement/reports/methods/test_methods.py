"""The methods paragraph, and the change of the figure by each choice."""

from dataclasses import asdict, replace

import pytest
from django.db.models import Count

from agreement.data.reading import read_answers
from agreement.models import FiguresVersion
from agreement.reports import methods, overall
from agreement.reports.methods import REFERENCES, VENUE_FIELDS
from agreement.reports.parameters import CHOICES, COEFFICIENTS, InvalidParameter, Parameters
from agreement.reports.request import choices_of, resolve
from agreement.results import grid
from annotations.models import Judgement, Markable
from tests.shared.agreeing import WALK, answer, coded_project, hand_in
from tests.shared.coding import judge
from tests.shared.letters import same, sorted_out

SCHEMES = {"pointers": "poesio-artstein-2005", "indices": "passonneau-2004", "categories": "sortal-classes"}
BY = {"pointers": "pointers to antecedents", "indices": "indices of entities", "categories": "categories"}


@pytest.fixture(scope="module")
def answered_rows(module_rows):
    return {
        kind: answer(coded_project(kind, scheme, WALK, f"{WALK} 2", f"{WALK} 3")) for kind, scheme in SCHEMES.items()
    }


@pytest.fixture(params=SCHEMES)
def answered(request, answered_rows, db):
    return read_answers(answered_rows[request.param])


@pytest.fixture
def pointed(answered_rows, db):
    return read_answers(answered_rows["pointers"])


@pytest.fixture
def three(three):
    return read_answers(three)


def methods_of(found, **asked):
    report = overall.compute_report(found, Parameters(**asked))
    return methods.describe_methods(found, report), report


def test_paragraph_reports_data_figures_and_program(answered):
    found, report = methods_of(answered)
    for part in (
        f"2 coders annotated 3 texts by {BY[answered.kind]}, {report.result.n_judgements} judgements in all.",
        "Krippendorff’s alpha",
        f"Over {report.result.n_units} markables it is {report.result.value:.3f}",
        f"95% interval {report.interval.low:z.3f} to {report.interval.high:z.3f},",
        "jackknife over 3 texts",
        f"observed disagreement {report.result.observed:.3f}, expected {report.result.expected:.3f}.",
        f"Computed with {methods.program_name()}; fingerprint of the input {answered.fingerprint}.",
    ):
        assert part in found.paragraph


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"distance": "passonneau"}, "(0 for equal sets, 1/3 where one contains the other, 2/3 where they intersect"),
        ({"distance": "passonneau", "thirds": "rounded"}, ".33 where one contains the other, .67 where"),
        (
            {"distance": "masi-product"},
            "the product of Passonneau’s distance between sets (0, 1/3, 2/3 or 1) and the Jaccard distance",
        ),
        ({"chains": "none"}, "is the set of its immediate antecedents;"),
        ({"chains": "partial"}, "is what precedes it in its chain, with all discourse segments;"),
        ({"top": "chain"}, "the first member of a chain has it as its value, too."),
        ({"exclude_unit": "observed"}, "excluded from its own sets for observed disagreement."),
        ({"exclude_unit": "both"}, "excluded from its own sets for observed and expected disagreement."),
        ({"empty": "disjoint"}, "The empty set was taken to be disjoint from all others."),
        ({"unmarked": "singleton"}, "counts as referring to nothing else."),
        ({"coefficient": "fleiss_kappa"}, "Reliability is Siegel and Castellan’s K."),
        ({"coefficient": "gwet_ac1"}, "Reliability is Gwet’s AC1."),
        ({"texts": "text-1,text-3"}, "Only these texts were used: text-1, text-3."),
        ({"coders": "bob,alice"}, "Only these coders were used: alice, bob."),
        ({"without": "none"}, "Markables to which more than half of their coders give none are left out."),
        ({"without": "place,none"}, "give none, or to which they give place are left out."),
        ({"texts": "text-1,text-3"}, "(no interval: it takes 3 texts, and there are 2)"),
    ],
)
def test_paragraph_reports_each_choice(pointed, asked, said):
    assert said in methods_of(pointed, **asked)[0].paragraph
    usual = methods_of(pointed)[0].paragraph
    assert said not in usual or all(asked[name] == getattr(Parameters(), name) for name in asked)


def test_paragraph_reports_omitted_markables_with_reason(three):
    # one unit of text-1 has two coders, and text-3 has no answers of carol
    assert "left out" not in methods_of(three)[0].paragraph.replace("a coder left out", "")
    assert "3 markables coded by fewer than two coders" in methods_of(three, coders="alice,carol")[0].paragraph
    dropped = methods_of(three, coefficient="fleiss_kappa", missing="drop")[0]
    assert "4 markables not coded by all coders" in dropped.paragraph


@pytest.mark.parametrize("answers", [{"text-1": {"alice": "pgl"}}, {"text-1": {"alice": "pp", "bob": "pp"}}, {}])
def test_paragraph_explains_undefined_coefficient(db, answers):
    found, report = methods_of(read_answers(sorted_out(answers)))
    assert f"The coefficient is undefined: {report.result.note}." in found.paragraph
    assert "interval" not in found.paragraph
    assert "jackknife" not in found.paragraph
    assert found.references == (REFERENCES["alpha"],)


@pytest.mark.parametrize(
    ("scheme", "asked", "keys"),
    [
        ("categories", {}, ["alpha", "jackknife"]),
        ("categories", {"coefficient": "fleiss_kappa"}, ["fleiss_kappa", "jackknife"]),
        ("indices", {"distance": "passonneau"}, ["alpha", "passonneau", "jackknife"]),
        ("indices", {"distance": "masi"}, ["alpha", "masi", "jackknife"]),
        ("indices", {"distance": "dice"}, ["alpha", "jackknife"]),
        ("indices", {"coefficient": "gwet_ac1", "distance": "masi"}, ["gwet_ac1", "jackknife"]),
        ("pointers", {"distance": "masi-product"}, ["alpha", "masi", "chains", "jackknife"]),
        ("pointers", {"coefficient": "multi_kappa"}, ["multi_kappa", "chains", "jackknife"]),
    ],
)
def test_references_cite_methods_in_use_only(answered_rows, db, scheme, asked, keys):
    found, _ = methods_of(read_answers(answered_rows[scheme]), **asked)
    assert found.references == tuple(REFERENCES[key] for key in keys)


@pytest.mark.slow
@pytest.mark.parametrize("coefficient", CHOICES["coefficient"])
def test_every_change_differs_in_exactly_one_choice(answered, coefficient):
    if COEFFICIENTS[coefficient].of_labels and answered.kind == "indices":
        with pytest.raises(InvalidParameter, match="it needs categories, or pointers"):
            grid.vary_choices(answered, Parameters(coefficient))
        return
    chains = "none" if COEFFICIENTS[coefficient].of_labels and answered.kind == "pointers" else "full"
    base, *changes = grid.vary_choices(answered, Parameters(coefficient, chains=chains))
    assert (base.name, base.choice, base.moved) == ("", "", None)
    asked = asdict(base.parameters)
    for change in changes:
        differs = {name for name, value in asdict(change.parameters).items() if value != asked[name]}
        assert differs == {change.name}
        assert getattr(change.parameters, change.name) == change.choice
        same(change.interval.result, overall.compute_report(answered, change.parameters).result)
        if change.interval.value is None:
            assert change.moved is None
        else:
            assert change.moved == change.interval.value - base.interval.value
    chosen = [(change.name, change.choice) for change in changes]
    assert len(chosen) == len(set(chosen))


@pytest.mark.parametrize(
    ("coefficient", "scheme", "names"),
    [
        ("alpha", "categories", {"coefficient", "unmarked"}),
        ("fleiss_kappa", "categories", {"coefficient", "unmarked", "missing"}),
        ("alpha", "indices", {"coefficient", "unmarked", "distance", "exclude_unit", "readings"}),
        ("alpha", "pointers", {"coefficient", "unmarked", "distance", "exclude_unit", "chains", "top", "readings"}),
        ("gwet_ac1", "pointers", {"coefficient", "unmarked", "missing", "chains", "top", "readings"}),
        ("beta", "indices", {"coefficient", "unmarked", "missing", "distance", "readings"}),
    ],
)
def test_changes_cover_every_relevant_choice(answered_rows, db, coefficient, scheme, names):
    found = read_answers(answered_rows[scheme])
    changes = grid.vary_choices(found, Parameters(coefficient))[1:]
    base = replace(Parameters(coefficient), unmarked=found.unmarked)
    if coefficient == "alpha" and scheme == "pointers":
        of_sets = {change.name for change in grid.vary_choices(found, Parameters(distance="passonneau"))}
        assert {"empty", "thirds"} <= of_sets
    expected = {(name, key) for name in names for key in choices_of(name, scheme, base) if key != getattr(base, name)}
    if scheme != "categories":  # it is of alternatives, and chains are none
        expected.remove(("coefficient", "augmented_kappa"))
    assert {(change.name, change.choice) for change in changes} == expected


@pytest.mark.parametrize("reference", REFERENCES.values(), ids=REFERENCES)
def test_reference_is_valid_bibtex_entry(reference):
    head, *fields, end = reference.bibtex.splitlines()
    assert (head, end) == (f"@{reference.kind}{{{reference.key},", "}")
    assert {field.strip().partition(" ")[0] for field in fields} >= {"author", "title", "year"}
    assert f"{VENUE_FIELDS[reference.kind]} = {{{reference.venue}}}," in reference.bibtex
    assert str(reference).startswith(reference.authors[0])
    assert f"({reference.year}). {reference.title}." in str(reference)


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        (
            {"text-1": {"alice": "pg", "bob": "pp"}, "text-2": {"alice": "pg", "bob": "gg"}},
            "Every coder coded every text.",
        ),
        ({"text-1": {"alice": "pg", "bob": "pp"}, "text-2": {"bob": "pg", "carol": "gg"}}, "coded by 2 of them."),
        (
            {
                "text-1": {"alice": "pg", "bob": "pp", "carol": "pg"},
                "text-2": {"bob": "p"},
                "text-3": {"bob": "p", "carol": "g"},
            },
            "coded by 1 to 3 of them (median 2).",
        ),
    ],
)
def test_description_of_data_matches_rows(db, answers, said):
    project = sorted_out(answers)
    judgements = Judgement.objects.filter(coding__text__project=project)
    data = methods.describe_data(*resolve(read_answers(project), Parameters()))
    by_text = judgements.values("coding__text").annotate(n=Count("coding__coder", distinct=True))
    assert data.n_judgements == judgements.count()
    assert data.n_coders == judgements.values("coding__coder").distinct().count()
    assert (data.n_texts, list(data.coders_per_document)) == (len(by_text), sorted(row["n"] for row in by_text))
    assert (data.n_given, data.n_marked) == (Markable.objects.filter(text__project=project).count(), 0)
    assert said in methods_of(read_answers(project))[0].paragraph


def test_paragraph_reports_origin_of_markables(project, text, codings, keys):
    level = project.levels.get(key="phrase")
    own = {"key": "phrase:0-1", "parts": [[0, 1]], "start": 0, "end": 1}
    mark = text.markables.create(level=level, predefined=False, **own)
    for coding in codings.values():
        judge(coding, keys["a"], "none")
        coding.judgements.create(markable=mark, category=project.categories.get(key="none"))
    found = read_answers(hand_in(project))
    given = text.markables.filter(level__coded=True, predefined=True).count()
    assert f"{given} markables were given with the texts, and coders marked 1 more." in methods_of(found)[0].paragraph
    text.markables.exclude(pk=mark.pk).filter(level__coded=True).update(predefined=False)
    FiguresVersion.increase(project.pk)  # as after a repair by hand
    assert "Coders marked the markables themselves." in methods_of(read_answers(project))[0].paragraph
