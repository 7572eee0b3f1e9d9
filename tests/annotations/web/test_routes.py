"""The tabs that agreement registers."""

import pytest
from django.urls import reverse

from annotations.models import Project
from annotations.projects.navigation import tabs_for
from tests.shared.agreeing import KINDS, WALK, coded_project


@pytest.mark.parametrize("kind", KINDS)
def test_every_results_tab_opens_a_page(signed_in, charlie, kind):
    coded_project("walk", kind, WALK)
    project = Project.objects.visible_to(charlie).get(slug="walk")
    own = tabs_for(project)["results"]
    assert [tab.label for tab in own][:3] == ["Agreement", "Items", "Coders"]
    for tab in own:
        page = signed_in(charlie).get(reverse(tab.route, args=["walk"]))
        assert page.status_code == 200
        assert f'href="{reverse(tab.route, args=["walk"])}' in page.content.decode()
