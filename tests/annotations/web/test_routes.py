"""annotations names no route of agreement, which registers its tabs and cards instead."""

import re
from pathlib import Path

import pytest
from django.urls import reverse

from agreement.urls import api_patterns, page_patterns
from annotations.models import Project
from annotations.projects.navigation import tabs_for
from tests.shared.agreeing import KINDS, WALK, coded_project

ROOT = Path(__file__).parents[3]
ROUTES = {pattern.name for pattern in (*page_patterns, *api_patterns)}
# A route is named in {% url %}, in `reverse` and `redirect`, and as that of a tab.
NAMED = (
    re.compile(r"""{%\s*url\s+["']([\w-]+)["']"""),
    re.compile(r"""\b(?:reverse|reverse_lazy|redirect|resolve_url)\(\s*["']([\w-]+)["']"""),
    re.compile(r"""\bTab\(\s*"[^"]*",\s*"[^"]*",\s*"([\w-]+)\""""),
)


def named_in(path: Path) -> set[str]:
    text = path.read_text(encoding="utf-8")
    return {name for pattern in NAMED for name in pattern.findall(text)}


def sources() -> list[Path]:
    templates = [*(ROOT / "templates").glob("*.html"), *(ROOT / "templates/annotations").rglob("*.html")]
    return [*templates, *(ROOT / "annotations").rglob("*.py")]


def test_the_routes_of_agreement_are_known_here():
    assert {"agreement", "items", "allows", "api-agreement", "api-tables"} <= ROUTES


def test_named_routes_are_found():
    found = set().union(*(named_in(path) for path in sources()))
    assert {"project", "docsets", "code", "import", "assign", "transfers"} <= found


@pytest.mark.parametrize("path", sources(), ids=lambda path: str(path.relative_to(ROOT)))
def test_nothing_of_annotations_names_a_route_of_agreement(path):
    assert not named_in(path) & ROUTES


@pytest.mark.parametrize("kind", KINDS)
def test_every_tab_of_agreement_leads_to_a_page(signed_in, charlie, kind):
    coded_project("walk", kind, WALK)
    project = Project.objects.visible_to(charlie).get(slug="walk")
    own = tabs_for(project)["results"]
    assert [tab.label for tab in own][:3] == ["Agreement", "Items", "Coders"]
    for tab in own:
        page = signed_in(charlie).get(reverse(tab.route, args=["walk"]))
        assert page.status_code == 200
        assert f'href="{reverse(tab.route, args=["walk"])}' in page.content.decode()
