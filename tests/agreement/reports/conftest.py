"""A figure in each of the ways to ask for it."""

import json
import re
from io import StringIO

import pytest
from django.core.management import call_command

from tests.shared.agreeing import on_one_page


@pytest.fixture
def ways(signed_in, charlie):
    """Return a function that returns the value on page, in API and by command, and the parameters of the API."""

    def ways(slug: str, **asked: str):
        client = signed_in(charlie)
        page = client.get(f"/projects/{slug}/agreement/", asked).content.decode()
        shown = re.search(r'id="value"><data value="([^"]+)"', page)
        api = on_one_page(client.get(f"/api/v1/projects/{slug}/agreement/", asked).json())
        printed = StringIO()
        call_command("agreement", slug, format="json", stdout=printed, **asked)
        assert json.loads(printed.getvalue()) == api
        assert shown is not None
        assert float(shown[1]) == api["value"]
        return api

    return ways
