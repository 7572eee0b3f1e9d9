"""The API's own pages: Swagger and ReDoc, from this server alone."""

import pytest
from playwright.sync_api import expect

MILLISECONDS = 120_000  # both pages lay out the whole description at once
# ReDoc asks for the logo of its makers; the policy refuses it.
LOGO = "https://cdn.redoc.ly/redoc/logo-mini.svg"


@pytest.mark.parametrize(
    ("path", "shown"),
    [("/api/v1/docs/", ".opblock-summary-path"), ("/api/v1/redoc/", "[data-section-id] h2")],
)
@pytest.mark.expected_errors(r"cdn\.redoc\.ly/redoc/logo-mini\.svg")
def test_api_docs_load_from_own_server_only(live_server, page, path, shown):
    came, said = [], []
    page.on("requestfinished", lambda request: came.append(request.url))
    page.on("console", lambda message: said.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(live_server.url + path)
    expect(page.locator(shown).first).to_be_visible(timeout=MILLISECONDS)
    expect(page.locator("body")).to_contain_text("/api/v1/projects/{slug}/agreement/", timeout=MILLISECONDS)
    assert [words for words in said if LOGO not in words] == []
    assert all(url.startswith((live_server.url, "data:")) for url in came)
