"""Results of attributes and relations on pages, API and command."""

import random
import re
from io import StringIO

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from agreement.data.reading import read_answers
from agreement.reports.overall import compute_report
from agreement.reports.parameters import default_preset
from annotations.models import Project, User
from tests.shared.agreeing import cost, digits, figures, links, table
from tests.shared.questions import LABELS, any_answers, question_project

pytestmark = pytest.mark.django_db

PAGES = [
    "", "items/", "coders/", "coders/alice/bob/", "categories/", "texts/", "course/", "data/", "methods/", "grid/",
    "compare/", "difference/", "coreference/", "items/text-1/{key}/",
]  # fmt: skip
# One of each kind.
KINDS = ["gender", "topics", "count", "bridging"]


@pytest.fixture(scope="module")
def asked_rows(module_rows):
    return question_project("asked", any_answers(random.Random(6)))


@pytest.fixture
def asked(asked_rows, db):
    return Project.objects.get(pk=asked_rows.pk)


@pytest.fixture
def client(signed_in, asked):
    return signed_in(User.objects.get(username="charlie"))


def words_of(page):
    """Return the words of a page without the explanations of terms."""
    body = re.sub(
        r'<div[^>]*popover.*?</div>|<script.*?</script>|data-[a-z]+="[^"]*"',
        "",
        page.partition("<main")[2],
        flags=re.DOTALL,
    )
    return re.sub(r"<[^>]*>", " ", body).lower()


def report_of(project, question):
    extracted = read_answers(project, question=question)
    return compute_report(extracted, default_preset(project.preset, extracted.answers).parameters)


@pytest.mark.parametrize("question", KINDS)
def test_every_page_accepts_question(client, asked, question):
    key = asked.texts.get(slug="text-1").markables.get(label="m2").key
    for page in PAGES:
        answer = client.get(f"/projects/asked/agreement/{page.format(key=key)}?question={question}")
        assert answer.status_code == 200, page
        shown = answer.content.decode()
        assert f"question={question}" in shown, page
        assert page == "coreference/" or "chain" not in words_of(shown), page


def test_coder_without_answer_to_question_can_be_selected(signed_in, db):
    given = any_answers(random.Random(6))
    for (coder, _), own in given.items():
        for fields in own.values() if coder == "carol" else ():
            fields["attributes"] = {name: value for name, value in fields["attributes"].items() if name != "gloss"}
    question_project("silent", given)
    client = signed_in(User.objects.get(username="charlie"))
    address = "/projects/silent/agreement/{}?question=gloss&coders={}"
    answers = [
        client.get(f"/api/v1{address.format('', coders)}").json()
        for coders in ("alice,bob,carol", "alice,bob", "alice,carol")
    ]
    chosen, of_two, of_one = ((answer["value"], answer["n_units"]) for answer in answers)
    assert chosen == of_two
    assert of_two[0] is not None
    assert of_one[0] is None
    for page in ("coders/alice/carol/", "coders/", "", "items/", "categories/", "texts/"):
        assert client.get(address.format(page, "alice,bob,carol")).status_code == 200, page


def test_changing_question_resets_settings(client):
    preset = "poesio-artstein-2005"
    shown = f"coefficient=alpha&distance=passonneau&chains=full&top=category&unmarked=singleton&preset={preset}"
    query = {"shown": shown, "question": "topics", "preset": preset, "chains": "full", "coders": "alice,bob"}
    answer = client.get("/projects/asked/agreement/", query)
    assert answer.headers["Location"] == "/projects/asked/agreement/?question=topics&coders=alice%2Cbob"
    assert client.get(answer.headers["Location"]).status_code == 200


def test_wrong_setting_of_question_gets_400(client, asked):
    answer = client.get("/projects/asked/agreement/?question=topics&distance=ordinal")
    assert answer.status_code == 400
    page = answer.content.decode()
    assert "distance: values are no numbers" in page
    assert digits(report_of(asked, "topics").result.value)[0] in page
    assert client.get("/projects/asked/agreement/?question=ghost").status_code == 400
    refused = client.get("/api/v1/projects/asked/agreement/?question=ghost")
    assert (refused.status_code, list(refused.json()["errors"])) == (400, ["question"])
    with pytest.raises(CommandError, match="--question: 'ghost' is not one of gender, second"):
        call_command("agreement", "asked", "--question", "ghost", stdout=StringIO())


def test_categories_are_values_of_question(client):
    page = client.get("/projects/asked/agreement/categories/?question=gender").content.decode()
    assert {row[0] for row in table(page, "categories")} == {"F", "M", "N"}
    assert [row[0] for row in table(page, "confusion")] == ["F", "M", "N"]
    page = client.get("/projects/asked/agreement/categories/?question=topics").content.decode()
    assert [row[0] for row in table(page, "together")] == ["X", "Y", "Z", "no label"]
    assert 'id="chart-together"' in page
    page = client.get("/projects/asked/agreement/categories/?question=bridging&unasked=label").content.decode()
    assert {row[0] for row in table(page, "categories")} == {"set", "not set"}


def test_items_show_answers_to_question(client, asked):
    page = client.get("/projects/asked/agreement/items/?question=topics").content.decode()
    assert "category=x" in page
    filtered = client.get("/projects/asked/agreement/items/?question=topics&category=x").content.decode()
    assert table(filtered, "items")
    assert all("X" in row[2] for row in table(filtered, "items"))
    [item] = links(filtered, "items/text-1/")[:1]
    assert "question=topics" in item
    merged = client.get(
        "/projects/asked/agreement/categories/?question=topics&merge=x:either,y:either"
    ).content.decode()
    assert figures(merged, "collapsed")[0] != figures(merged, "collapsed")[1]


def test_data_have_sets_of_labels(client):
    rows = client.get("/api/v1/projects/asked/agreement/data/?question=topics").json()
    values = [value for row in rows for value in row["values"].values()]
    assert ["x"] in values
    assert all(isinstance(value, list | None) for value in values)
    numbers = client.get("/api/v1/projects/asked/agreement/data/?question=count&form=csv").content.decode()
    assert ",1" in numbers


def test_methods_text_names_question_and_omitted_markables(client, asked):
    page = client.get("/projects/asked/agreement/methods/?question=gender&coefficient=augmented_kappa").content.decode()
    assert "answers to the question “Gender”" in page
    assert "the question was not asked; they are left out." in page
    assert "A first choice has the weight 0.5 beside a second one." in page


def test_project_of_labels_uses_masi_and_mentions_no_chain(signed_in):
    topics = {"alice": "x xy yz z", "bob": "x x y z", "carol": "x yz y z"}
    given = {
        (coder, f"text-{text}"): {
            f"m{number}": {"category": None, "attributes": {"topics": list(labels)}}
            for number, labels in enumerate(own.split())
        }
        for text in (1, 2, 3)
        for coder, own in topics.items()
    }
    project = question_project("labels", given, LABELS, 4)
    client = signed_in(User.objects.get(username="charlie"))
    page = client.get("/projects/labels/agreement/").content.decode()
    assert "MASI" in page
    assert digits(report_of(project, "topics").result.value)[0] in page
    assert "Category</option>" not in page
    assert client.get("/projects/labels/").status_code == 200
    key = project.texts.get(slug="text-1").markables.get(label="m1").key
    for path in PAGES:
        answer = client.get(f"/projects/labels/agreement/{path.format(key=key)}")
        assert answer.status_code == 200, path
        assert path == "coreference/" or "chain" not in words_of(answer.content.decode()), path


@pytest.mark.slow
def test_pages_of_question_take_fixed_number_of_queries(client):
    question_project("larger", any_answers(random.Random(6), texts=8))
    for page in ("", "items/", "categories/"):
        for slug in ("asked", "larger"):
            client.get(f"/projects/{slug}/agreement/{page}?question=topics")
        costs = {cost(client, f"/projects/{slug}/agreement/{page}?question=topics") for slug in ("asked", "larger")}
        assert len(costs) == 1, page
