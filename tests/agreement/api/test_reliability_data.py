"""GET /api/v1/projects/SLUG/agreement/data/: from it the library computes what the pages show."""

import json
from itertools import product

import pytest
from django.core.management import call_command

from agreement.data.reading import read_answers
from agreement.measures import SET_DISTANCES, ReliabilityData, alpha, fleiss_kappa, gwet_ac1
from agreement.reports.basis import compute_result
from agreement.reports.parameters import Parameters
from agreement.reports.request import resolve
from annotations.formats import Bundle
from annotations.formats.tables.matrix import read_csv, read_json
from annotations.models import Membership, Project, User
from annotations.projects.people.members import add_member
from tests.shared.agreeing import KINDS, WALK, answer, coded_project

DEMOS = ("news", "dialogue", "sortal", "links")
EZCOREF = "ezcoref"
CONVENTIONS = [
    {"exclude_unit": "none", "empty": "subset", "thirds": "exact"},
    {"exclude_unit": "both", "empty": "subset", "thirds": "rounded"},
    {"exclude_unit": "observed", "empty": "disjoint", "thirds": "exact"},
]


@pytest.fixture
def load(db, settings, request):
    def load(slug: str) -> Project:
        settings.LOCAL = True
        if slug == EZCOREF:
            folder = str(request.getfixturevalue("samples") / "ezcoref" / "conll2012")
            call_command("import_codings", "conll2012", folder, "--project=ezcoref", "--coder-from=parent", "--create")
        else:
            call_command("load_demo", slug, verbosity=0)
        project = Project.objects.get(slug=slug)
        add_member(project, request.getfixturevalue("charlie"), Membership.Role.MANAGER)
        return project

    return load


@pytest.fixture
def download(signed_in, charlie, tmp_path):
    def download(slug: str, form: str = "csv", **asked: str):
        reply = signed_in(charlie).get(f"/api/v1/projects/{slug}/agreement/data/", {**asked, "form": form})
        assert reply.status_code == 200, reply.content
        path = tmp_path / f"data.{'json' if form == 'json' else 'csv'}"
        path.write_bytes(reply.content)
        return path

    return download


def constructions(answers: str) -> list[dict[str, str]]:
    if answers != "pointers":
        return [{"unmarked": unmarked} for unmarked in ("singleton", "label", "missing")]
    return [
        {"chains": chains, "top": top} for chains, top in product(["none", "partial", "full"], ["category", "chain"])
    ]


@pytest.mark.slow
@pytest.mark.parametrize("slug", [*DEMOS, EZCOREF])
def test_library_reproduces_figures_of_pages_from_file(load, download, slug):
    project = load(slug)
    found = read_answers(project)
    distances = SET_DISTANCES if project.answers != "categories" else ("nominal",)
    for construction in constructions(project.answers):
        for form in ("csv", "raw"):
            data = ReliabilityData.from_matrix(download(slug, form, **construction), raw=form == "raw")
            for distance, options in product(distances, CONVENTIONS):
                parameters = Parameters(distance=distance, **construction, **options)
                expected = compute_result(*resolve(found, parameters))
                computed = alpha(data, distance, **options)
                for name in ("value", "observed", "expected", "n_units"):
                    assert getattr(computed, name) == getattr(expected, name), name
            for name, coefficient in (("fleiss_kappa", fleiss_kappa), ("gwet_ac1", gwet_ac1)):
                expected = compute_result(*resolve(found, Parameters(coefficient=name, **construction)))
                assert coefficient(data).value == expected.value


def test_csv_and_json_have_same_data(load, download):
    load(EZCOREF)
    table, objects = download(EZCOREF), download(EZCOREF, "json")
    found = read_csv(Bundle.of("m.csv", table.read_bytes()))
    assert found == read_json(Bundle.of("m.json", objects.read_bytes()))
    assert len(found.rows) == ReliabilityData.from_matrix(table).to_frame().shape[0] == 371
    assert json.loads(objects.read_bytes())[0]["text"] == found.rows[0].text


@pytest.mark.parametrize("kind", KINDS)
def test_values_are_markable_keys_or_categories(charlie, signed_in, kind):
    project = answer(coded_project("walk", kind, WALK))
    rows = signed_in(charlie).get("/api/v1/projects/walk/agreement/data/").json()
    keys = set(project.texts.get().markables.values_list("key", flat=True))
    assert [row["unit"] for row in rows] == sorted(
        {row["unit"] for row in rows}, key=lambda key: int(key.partition(":")[2].partition("-")[0])
    )
    categories = set(project.categories.values_list("key", flat=True))
    values = [value for row in rows for value in row["values"].values()]
    assert values
    assert all(value in categories if isinstance(value, str) else keys.issuperset(value) for value in values)
    assert all(list(row["values"]) == ["alice", "bob"] for row in rows)


def test_parameters_select_data(charlie, signed_in):
    answer(coded_project("walk", "poesio-artstein-2005", WALK, WALK + ".", coders=("alice", "bob", "carol")))
    client = signed_in(charlie)

    def rows(**asked: str) -> list[dict]:
        return client.get("/api/v1/projects/walk/agreement/data/", asked).json()

    some = rows(texts="text-1", coders="alice,carol")
    assert {row["text"] for row in some} == {"text-1"}
    assert all(list(row["values"]) == ["alice", "carol"] for row in some)
    assert len(rows()) == 2 * len(some)
    assert rows(chains="none") != rows(chains="full") != rows(chains="partial")
    assert len(rows(without="none")) < len(rows())


def test_csv_escapes_formulas_except_in_raw_form(charlie, signed_in, download):
    User.objects.create(username="@sum")
    answer(coded_project("walk", "sortal-classes", WALK, coders=("@sum", "bob")))
    guarded, raw = download("walk").read_bytes(), download("walk", "raw").read_bytes()
    assert guarded.startswith(b"text,unit,'@sum,bob\n")
    assert raw == guarded.replace(b"'@sum", b"@sum")
    assert ReliabilityData.from_matrix(download("walk")).coders == ("@sum", "bob")
    assert ReliabilityData.from_matrix(download("walk", "raw"), raw=True).coders == ("@sum", "bob")


def test_data_are_sent_as_file_and_unknown_form_gets_400(charlie, signed_in):
    answer(coded_project("walk", "poesio-artstein-2005", WALK))
    client, address = signed_in(charlie), "/api/v1/projects/walk/agreement/data/"
    types = {"csv": "text/csv; charset=utf-8", "json": "application/json"}
    for form, ending in (("csv", "csv"), ("raw", "csv"), ("json", "json"), (None, "json")):
        reply = client.get(address, {} if form is None else {"form": form})
        assert reply["Content-Type"] == types[ending]
        assert reply["Content-Disposition"] == f'attachment; filename="walk-data.{ending}"'
    for form in ("xlsx", "", "\x00", "<script>1"):
        reply = client.get(address, {"form": form})
        assert (reply.status_code, reply.json()["errors"]) == (400, {"form": ["Choose one of json, csv, raw."]})


def test_project_without_answers_has_units_and_no_values(charlie, download):
    coded_project("walk", "poesio-artstein-2005", WALK)
    assert download("walk").read_bytes().startswith(b"text,unit\n")
    data = ReliabilityData.from_matrix(download("walk"))
    assert (data.coders, alpha(data).value) == ((), None)
    assert all(row["values"] == {} for row in json.loads(download("walk", "json").read_bytes()))
