"""Library, page, API and command give the same digits on the ezCoref passages."""

import json
import re
from io import StringIO
from urllib.parse import urlencode

import pytest
from django.core.management import call_command

from agreement.measures import ReliabilityData, alpha, fleiss_kappa, index_labels
from annotations.formats import Bundle
from annotations.formats.conll import conll2012
from annotations.models import Membership, Project
from annotations.projects.people.members import add_member
from tests.shared.agreeing import on_one_page

CASES = [
    {"coefficient": "alpha", "distance": "nominal"},
    {"coefficient": "alpha", "distance": "passonneau", "exclude_unit": "both", "thirds": "rounded"},
    {"coefficient": "alpha", "distance": "jaccard", "exclude_unit": "both"},
    {"coefficient": "alpha", "distance": "dice", "empty": "disjoint", "exclude_unit": "observed"},
    {"coefficient": "alpha", "distance": "masi", "exclude_unit": "observed", "chains": "full", "top": "category"},
    {"coefficient": "alpha", "distance": "masi-product"},
    {"coefficient": "fleiss_kappa"},
]
OPTIONS = ("exclude_unit", "empty", "thirds")


@pytest.fixture
def ezcoref(samples, db, charlie) -> Project:
    folder = str(samples / "ezcoref" / "conll2012")
    call_command(
        "import_codings", "conll2012", folder, project="ezcoref", coder_from="parent", create=True, stdout=StringIO()
    )
    project = Project.objects.get(slug="ezcoref")
    add_member(project, charlie, Membership.Role.MANAGER)
    return project


@pytest.fixture
def from_files(samples) -> ReliabilityData:
    """Make the reliability data as a researcher does in a notebook: from the files, without the application."""
    answers: dict[str, dict[str, dict]] = {}
    for file in sorted((samples / "ezcoref" / "conll2012").glob("*/*.conll")):
        [document] = conll2012.read(Bundle.of(file.name, file.read_bytes()))
        answers.setdefault(document.name, {})[file.parent.name] = {
            (document.name, mark.parts): set(mark.answer.indices) for mark in document.marks if mark.answer
        }
    coders = sorted({coder for text in answers.values() for coder in text})
    units, documents, rows = [], [], []
    for name, text in answers.items():
        here = sorted({unit for given in text.values() for unit in given}, key=lambda unit: unit[1])
        values = {coder: index_labels(here, given) for coder, given in text.items()}
        units += here
        documents += [name] * len(here)
        rows += [[values[coder][unit] for coder in coders] for unit in here]
    return ReliabilityData.from_values(units, coders, rows, documents)


@pytest.mark.parametrize("case", CASES, ids=lambda case: "-".join(case.values()))
def test_library_page_api_and_command_agree_to_the_last_digit(case, ezcoref, from_files, signed_in, charlie):
    if case["coefficient"] == "alpha":
        options = {name: value for name, value in case.items() if name in OPTIONS}
        library = alpha(from_files, case["distance"], **options).value
    else:
        library = fleiss_kappa(from_files).value
    client = signed_in(charlie)
    api = on_one_page(client.get(f"/api/v1/projects/ezcoref/agreement/?{urlencode(case)}").json())
    page = client.get(f"/projects/ezcoref/agreement/?{urlencode(case)}").content.decode()
    printed = StringIO()
    call_command("agreement", "ezcoref", format="json", stdout=printed, **case)
    command = json.loads(printed.getvalue())
    shown = re.search(r'id="value"><data value="([^"]+)"', page)
    assert shown is not None
    assert library is not None
    assert [api["value"], command["value"], float(shown[1])] == [library] * 3
    assert command == api
    assert api["n_units"] == 371
