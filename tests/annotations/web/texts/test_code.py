"""The coding page as the server renders it."""

import json
import re

from annotations.coding.status import submit_coding
from tests.shared.coding import judge

URL = "/projects/tea/texts/tea/code/"


def state_of(page):
    """Return the JSON that the page carries."""
    found = re.search(r'<script id="coding-state" type="application/json">(.*?)</script>', page, re.DOTALL)
    return json.loads(found[1])


def test_page_has_same_state_as_api(signed_in, alice, codings, keys):
    judge(codings["alice"], keys["c"], "phrase", keys["a"], note="<b>&amp;")
    client = signed_in(alice)
    state = state_of(client.get(URL).content.decode())
    assert state == client.get("/api/v1/projects/tea/texts/tea/coding/").json()
    assert state["judgements"][keys["c"]]["note"] == "<b>&amp;"


def test_submitted_coding_is_read_only(signed_in, alice, codings):
    address = "/projects/tea/texts/tea/submit/"
    client = signed_in(alice)
    assert address in client.get(URL).content.decode()
    submit_coding(codings["alice"], alice)
    page = client.get(URL).content.decode()
    assert address not in page
    assert state_of(page)["coding"]["status"] == "submitted"
