"""Drafts of gold: what they say, that they are one operation of the log, and that they change no figure."""

import pytest
from django.core.management import call_command

from annotations.adjudication.states import gold_states
from annotations.coding.judgements import judgements_of
from annotations.coding.replay import log_mismatches
from annotations.models import Coding, Project


@pytest.fixture
def passages(db, samples) -> Project:
    folder = samples / "ezcoref" / "brat"
    call_command("import_codings", "brat", str(folder), "--project=tales", "--coder-from=parent", "--create")
    return Project.objects.get(slug="tales")


@pytest.mark.parametrize("method", ["most", "agreed", "empty"])
def test_five_real_coders_are_drafted(passages, method):
    call_command("draft_gold", "tales", "--method", method)
    gold = list(Coding.with_gold.filter(kind="gold").select_related("text"))
    print(len(gold))
    for one in gold:
        assert list(log_mismatches(one)) == []
        assert one.coder_id is None
        print(len(judgements_of(one)), one.version)
    for state in gold_states(gold):
        print(state.state, len(state.contested), state.n_open)
