"""The demo where the folder of examples is missing, as in an installed wheel."""

import sys
from io import StringIO

from django.core.management import call_command

from annotations.models import Coding, ModelCoder


def test_what_is_left_out_is_said_and_all_else_is_loaded(db, settings, monkeypatch):
    settings.LOCAL = True
    monkeypatch.setitem(sys.modules, "examples", None)
    out = StringIO()
    call_command("load_demo", "dialogue", stdout=out)
    assert "dialogue: without a model that codes, as examples/ and httpx (extra client) are needed: " in out.getvalue()
    assert (
        Coding.objects.of_people().filter(text__project__slug="dialogue", status=Coding.Status.SUBMITTED).count() == 6
    )
    assert not ModelCoder.objects.exists()
