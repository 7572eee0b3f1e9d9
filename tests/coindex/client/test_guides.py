"""The examples of docs/client.md as they are printed, and the requests of docs/r.md."""

from __future__ import annotations

import doctest
import re
from uuid import uuid4

import httpx
import pytest
from django.core.management import call_command

from annotations.models import User
from annotations.projects.people.tokens import create_token
from tests.conftest import ROOT

GUIDE, OF_R = ROOT / "docs" / "client.md", ROOT / "docs" / "r.md"


@pytest.fixture
def names(transactional_db, live_server) -> dict[str, str]:
    """Load the demo, and return the address of its API and two keys."""
    call_command("load_demo", verbosity=0)
    keys = {
        name.upper(): create_token(User.objects.get(username=name), "guide", scope, 1)[1]
        for name, scope in (("manager", "manage"), ("alice", "annotate"))
    }
    return {"API": f"{live_server.url}/api/v1", **keys}


@pytest.mark.slow
def test_examples_of_python_and_r_guides_work(names):
    source = "\n".join(re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL))
    examples = doctest.DocTestParser().get_doctest(source, dict(names), GUIDE.name, str(GUIDE), 0)
    result = doctest.DocTestRunner().run(examples)
    assert (result.failed, result.attempted >= 12) == (0, True)

    page = OF_R.read_text(encoding="utf-8")
    code = "\n".join(re.findall(r"```r\n(.*?)```", page, re.DOTALL))
    assert code.count("(") == code.count(")")
    requests = re.findall(r"^\| `([A-Z]+) (\S+)` \|", page, re.MULTILINE)
    # The code names the same addresses, and no others.
    assert {path.partition("?")[0] for _, path in requests} == set(re.findall(r'api\("([^"]+)"\)', code))
    answers = {}
    for method, path in requests:
        key = names["ALICE" if "/coding/" in path else "MANAGER"]
        headers, json = {"Authorization": f"Bearer {key}"}, None
        if method == "POST":
            own = answers["GET projects/dialogue/texts/generator/coding/"].json()
            payload = dict(re.findall(r'(markable|category) = "([^"]+)"', code))
            operations = [{"uuid": str(uuid4()), "kind": "judge", "payload": payload}]
            json = {"version": own["coding"]["version"], "operations": operations}
        elif method == "PATCH":
            headers["If-Match"] = httpx.get(f"{names['API']}/{path}", headers=headers).headers["ETag"]
            json = {"status": "submitted"}
        answers[f"{method} {path}"] = httpx.request(method, f"{names['API']}/{path}", headers=headers, json=json)
    refused = {name: answer.json()["code"] for name, answer in answers.items() if answer.is_error}
    assert refused == {}
    assert answers["PATCH projects/dialogue/texts/generator/coding/"].json()["coding"]["status"] == "submitted"
    rows = next(answer for name, answer in answers.items() if "judgements" in name).json()
    assert "next" in rows
    assert set(re.findall(r'`\[\[`, "(\w+)"\)', code)) <= rows["results"][0].keys()
    agreement = next(answer for name, answer in answers.items() if "agreement/?" in name).json()
    assert set(re.findall(r"agreement\$(\w+)", code)) <= agreement.keys()
    assert next(answer for name, answer in answers.items() if "form=csv" in name).text.startswith("coder,")
