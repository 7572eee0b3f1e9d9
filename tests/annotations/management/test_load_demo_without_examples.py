"""The demo without its examples, under other host names, and where it is refused."""

import sys
from io import StringIO

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from annotations.models import Coding, ModelCoder
from tests.annotations.transfers.importing.test_importing import all_rows


def test_demo_without_examples_loads_all_but_model(db, settings, monkeypatch):
    settings.LOCAL = True
    monkeypatch.setitem(sys.modules, "examples", None)
    call_command("load_demo", "dialogue", stdout=(out := StringIO()))
    assert "dialogue: without a model that codes, as examples/ and httpx (extra client) are needed: " in out.getvalue()
    submitted = Coding.objects.of_people().filter(text__project__slug="dialogue", status=Coding.Status.SUBMITTED)
    assert submitted.count() == 6
    assert not ModelCoder.objects.exists()


@pytest.mark.slow
@pytest.mark.parametrize("name", [".coindex.example", "*"])
def test_demo_loads_under_any_host_name(db, settings, name):
    settings.LOCAL, settings.ALLOWED_HOSTS = True, [name]
    call_command("load_demo", "dialogue", stdout=StringIO())
    assert ModelCoder.objects.filter(membership__project__slug="dialogue").exists()


@pytest.mark.parametrize(
    ("is_local", "message"),
    [
        (False, "it loads with LOCAL=1 only"),
        (True, r"There is no demo project tea; there are news, dialogue, notices, "),
    ],
)
def test_refused_demo_changes_nothing(db, settings, is_local, message):
    settings.LOCAL = is_local
    before = all_rows()
    with pytest.raises(CommandError, match=message):
        call_command("load_demo", "news", "tea")
    assert all_rows() == before
