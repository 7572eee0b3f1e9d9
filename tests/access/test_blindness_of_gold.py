"""Coders see nothing of gold at any address; adjudicators see letters instead of names."""

import json
import re
from datetime import UTC, datetime
from functools import partial
from unittest.mock import patch
from urllib.parse import urlencode

import pytest
from django.db import transaction
from django.utils import timezone

from annotations.adjudication.drafts import DraftRequest, draft_gold
from annotations.adjudication.ownership import reassign_gold
from annotations.adjudication.proposal import Method
from annotations.coding import operations
from annotations.coding.status import submit_coding
from annotations.formats.model.scheme_json import scheme_to_json
from annotations.models import Coding, Mail, Membership, Project, User
from annotations.planning.rounds import create_round
from annotations.planning.work.assignments import assign_texts
from annotations.projects.people.members import add_member
from annotations.projects.people.model_coders import add_model
from annotations.schemes.project_scheme import read_scheme
from annotations.web.shared import CONFIRMED
from tests.access.walk import (
    PROJECT_ADDRESSES,
    WORLDS,
    Visit,
    alice_takes,
    charlie_makes_gold,
    coded_keys,
    first_of_each_route,
    seen_by,
    world,
)
from tests.shared.coding import change, judge, judge_rest
from tests.shared.projects import person

EXTRA = "/projects/tea/rounds/extra/"
FORM = "application/x-www-form-urlencoded"


def attacks_on_gold(project):
    """Return visits that try to find out whether a text has gold, in all rounds."""
    text, api = project.texts.get(), "/api/v1/projects/tea/"
    lists = [
        Visit("GET", f"/projects/tea/{rest}")
        for rest in ("", "texts/", "texts/tea/", "rounds/", "rounds/extra/", "rounds/main/", "transfers/", "assign/")
    ]
    lists += [
        Visit("GET", f"{api}{rest}")
        for rest in ("texts/", "texts/tea/", "rounds/", "codings/", "markables/", "scheme/", "texts/tea/coding/")
    ]
    asked = {"text": "tea", "adjudicator": "charlie", "early": True, "coder": "charlie", "method": "most"}
    visits = [*lists, Visit("GET", "/"), Visit("GET", "/account/")]
    for address in PROJECT_ADDRESSES:
        if "gold" in address or "/queue/" in address:
            visits.append(Visit("GET", address))
            visits += [Visit("POST", address, body) for body in (json.dumps(asked), json.dumps({"text": "tea"}))]
            sent = "coder=charlie&adjudicator=charlie&method=most"
            visits += [Visit("POST", address, f"{sent}{end}", FORM) for end in ("", f"&{CONFIRMED}=1")]
    for place in ("@", "extra", "pilot", "training", "main"):
        visits.append(Visit("PATCH", f"{api}texts/tea/", json.dumps({"round": place, "position": 1}), seen="*"))
    for name in ("extra", "pilot", "training", "main"):
        empty = f"name={name}&kind={name if name != 'extra' else 'main'}&with_texts=1"
        take = [("change", f"{empty}&texts={text.pk}"), ("change", empty), ("change", f"{empty}&texts={text.pk}")]
        take += [("delete", "")]
        take += [("delete", f"{CONFIRMED}=1"), ("order", "move=up"), ("change", f"name={name}&kind=recheck")]
        take += [("change", f"name={name}&kind=training&{CONFIRMED}=1"), ("close", ""), ("close", f"{CONFIRMED}=1")]
        for rest, body in take:
            visits.append(Visit("POST", f"/projects/tea/rounds/{name}/{rest}/", body, FORM))
            # the text is in no round, or the round is closed
            visits += lists if (rest, body) in [("change", empty), ("close", f"{CONFIRMED}=1")] else []
        visits.append(Visit("POST", f"/projects/tea/rounds/{name}/close/", "open=1", FORM))
        sent = [json.dumps({change: ["tea"]}) for change in ("remove", "add")]
        visits += [Visit("POST", f"{api}rounds/{name}/texts/", body) for body in sent] + lists
        visits.append(Visit("DELETE", f"{api}rounds/{name}/", seen="*"))
    for format_key in ("jsonlines", "judgements-csv", "project"):
        for chosen in ("", "&gold=gold", "&gold=silver"):
            visits.append(Visit("POST", "/projects/tea/export/", f"format={format_key}{chosen}", FORM))
            made = {"format": format_key, **({"gold": chosen[6:]} if chosen else {})}
            visits.append(Visit("POST", f"{api}exports/", json.dumps(made)))
    for name in ("charlie", "alice"):
        visits.append(Visit("PATCH", f"{api}members/{name}/", json.dumps({"role": "adjudicator"}), seen="*"))
    visits += [Visit("DELETE", f"{api}texts/tea/", seen="*"), Visit("POST", "/projects/tea/texts/tea/delete/")]
    visits += [Visit("POST", "/projects/tea/texts/tea/edit/", "title=Tea&round=pilot", FORM)]
    return [*visits, *lists]


def attacks_by_scheme(project):
    """Return visits of every route, and of each change of the scheme that leaves out a category with its relation.

    Whether such a change is refused, and with which numbers, tells of answers.
    """
    scheme = scheme_to_json(read_scheme(project.pk).spec, project.answers) | {"attributes": []}
    tried = [
        scheme | {part: [row for row in scheme[part] if row["key"] != key] for part in ("categories", "relations")}
        for key in [row["key"] for row in scheme["categories"]]
    ]
    address = "/api/v1/projects/tea/scheme/"
    form = [urlencode({"scheme": json.dumps(body), "tag": "x"}) for body in tried]
    return [
        *(Visit("GET", address) for address in first_of_each_route(PROJECT_ADDRESSES)),
        *(Visit("POST", f"{address}preview/", json.dumps(body)) for body in tried),
        *(Visit("POST", "/projects/tea/scheme/import/", body, FORM) for body in form),
        *(Visit("PUT", address, json.dumps(body), seen="*") for body in tried),
    ]


def add_model_coding(project):
    """Let a model code the text of the project."""
    text, user = project.texts.get(), add_model(project, "gpt").membership.user
    assign_texts(project, [text], [user], project.rounds.get(name="main"))
    coding = Coding.objects.of_coders().get(coder=user)
    judge(coding, coded_keys(text)[0], "none", note="Secret: model.")
    submit_coding(coding, user)


def seen_with_gold(person, signed_in, role, attacks=attacks_on_gold, *, is_made, people_code=True):
    """Return the visits, what the person sees on them in a project with gold or without, and the mails to Bob.

    `attacks` returns the visits to a project; Bob has the role. Where no people code, a model codes beside the gold.
    """
    with transaction.atomic(), patch.object(timezone, "now", lambda: datetime(2026, 1, 1, tzinfo=UTC)):
        project = world(*WORLDS["marking"][:2], True, "coder")
        create_round(project, "extra", copied=project.rounds.get(name="main"))
        if not people_code:
            Coding.objects.of_people().filter(text__project=project).delete()
        if is_made:
            charlie_makes_gold(project)
            if not people_code:
                add_model_coding(project)
        Membership.objects.filter(user=User.objects.get(username="bob")).update(role=role)
        visits = attacks(project)
        seen = seen_by(signed_in(person), visits)
        mails = list(Mail.objects.filter(user__username="bob").values_list("kind", "context"))
        transaction.set_rollback(True)
    return visits, seen, mails


def assert_alike(visits, before, after):
    for visit, then, now in zip(visits, before, after, strict=True):
        assert now == then, visit


def find_differences(visits, before, after):
    """Return the addresses with different answers."""
    return {visit.address for visit, then, now in zip(visits, before, after, strict=True) if now != then}


@pytest.mark.parametrize("role", ["coder", "manager-coder"])
def test_actions_on_text_reveal_no_gold_to_coders(alice, bob, charlie, signed_in, role):
    visits, without, no_mails = seen_with_gold(bob, signed_in, role, is_made=False)
    _, with_gold, mails = seen_with_gold(bob, signed_in, role, is_made=True)
    assert_alike(visits, without, with_gold)
    assert mails == no_mails
    removal = Visit("POST", f"{EXTRA}change/", "name=extra&kind=main&with_texts=1", FORM)
    removed = {answer[0] for visit, answer in zip(visits, with_gold, strict=True) if visit == removal}
    assert removed == {302 if role == "manager-coder" else 403}


@pytest.mark.parametrize("role", ["manager-coder", "coder"])
def test_gold_and_models_are_hidden_before_people_code(alice, bob, charlie, signed_in, role):
    looks = partial(seen_with_gold, bob, signed_in, role, attacks_by_scheme, people_code=False)
    visits, without, _ = looks(is_made=False)
    _, with_both, _ = looks(is_made=True)
    assert_alike(visits, without, with_both)
    by_scheme = {answer[0] for visit, answer in zip(visits, without, strict=True) if visit.method != "GET"}
    assert by_scheme == {403}


def test_attack_visits_show_gold_to_managers(alice, bob, charlie, signed_in):
    by_scheme = {"/api/v1/projects/tea/scheme/preview/", "/projects/tea/scheme/edit/"}
    of_gold = {"/projects/tea/rounds/extra/", "/api/v1/projects/tea/gold/", "/projects/tea/gold/decisions/"}

    def edit_scheme(project):
        return [visit for visit in attacks_by_scheme(project) if "/scheme/" in visit.address]

    def look(project):
        attacks = dict.fromkeys(attacks_on_gold(project))
        return [visit for visit in attacks if visit in [Visit("GET", address) for address in of_gold]]

    looks = partial(seen_with_gold, charlie, signed_in, "coder", edit_scheme, people_code=False)
    assert by_scheme <= find_differences(*looks(is_made=False)[:2], looks(is_made=True)[1])
    looks = partial(seen_with_gold, charlie, signed_in, "coder", look)
    assert of_gold == find_differences(*looks(is_made=False)[:2], looks(is_made=True)[1])


def test_adjudicators_see_letters_and_managers_see_names(alice, bob, charlie, signed_in):
    project = world(*WORLDS["marking"][:2], True, "coder")
    dora = person("dora")
    add_member(project, dora, "adjudicator")
    pages = ["rounds/main/", "rounds/pilot/", "gold/decisions/", "gold/decisions/file/?format=json", "agreement/gold/"]
    pages += ["rounds/main/gold/tea/hand-on/"]
    addresses = [f"/projects/tea/{rest}" for rest in pages]
    addresses += [f"/api/v1/projects/tea/{rest}" for rest in ("gold/", "gold/decisions/", "agreement/gold/")]
    queue = "/api/v1/projects/tea/texts/tea/gold/queue/?round=main"
    alice_codes = Coding.objects.of_people().get(text__project=project, coder=alice, round__name="main")
    judge_rest(alice_codes, "place")
    submit_coding(alice_codes, alice)
    asked = signed_in(dora).post("/projects/tea/rounds/main/gold/tea/").content.decode()
    assert "1 of 2 coders submitted it." in asked
    submit_coding(Coding.objects.of_people().get(text__project=project, coder=bob, round__name="main"), bob)
    draft_gold(project, DraftRequest(Method.MOST, round_name="main", adjudicator="dora"))
    gold = Coding.objects.select_related("text__project", "coder", "round").get(round__name="main", kind="gold")
    [drafted] = gold.operations.filter(kind="draft").values_list("payload__codings", flat=True)
    key = alice_codes.text.markables.filter(level__coded=True).first().key
    said = {"items": [[key, "category"]], "source": "coder", "codings": drafted, "reason": "slip"}
    operations.apply(gold, dora, gold.version, [change("decide", **said)])
    client = signed_in(dora)
    for address in [*addresses, queue]:
        response = client.get(address)
        assert response.status_code == 200, address
        shown = response.content.decode()
        assert not re.search(r"\b(alice|bob)\b", shown), address
    assert "Coder A" in client.get("/projects/tea/gold/decisions/").content.decode()
    reassign_gold(project, alice_codes.text, "main", dora, "charlie")
    client = signed_in(charlie)
    for address in ("/projects/tea/gold/decisions/", "/api/v1/projects/tea/gold/decisions/", queue):
        assert re.search(r"\balice\b", client.get(address).content.decode()), address


@pytest.mark.parametrize(
    ("address", "sent"),
    [
        ("/projects/tea/rounds/pilot/change/", ("name=pilot&kind=pilot&with_texts=1", FORM)),
        ("/api/v1/projects/tea/rounds/pilot/texts/", ('{"remove": ["tea"]}',)),
    ],
)
def test_removing_pool_text_hides_whether_it_is_taken(alice, bob, charlie, signed_in, address, sent):
    project = world(*WORLDS["marking"][:2], True, "manager-coder")
    visit = Visit("POST", address, *sent)
    before = seen_by(signed_in(bob), [visit])
    alice_takes(project)
    after = seen_by(signed_in(bob), [visit])
    assert before == after
    assert "blind to what others take from it" in after[0][2]
    assert project.rounds.get(name="pilot").texts.exists()


@pytest.mark.parametrize("role", ["coder", "manager-coder", "viewer"])
def test_open_results_hide_gold_from_coders_and_viewers(alice, bob, charlie, signed_in, role):
    tables = [f"/projects/tea/progress/?table={table}" for table in ("hours", "progress")]
    visits = [Visit("GET", address) for address in [*PROJECT_ADDRESSES, *tables]]
    seen = []
    for is_made in (False, True):
        with transaction.atomic(), patch.object(timezone, "now", lambda: datetime(2026, 1, 1, tzinfo=UTC)):
            project = world(*WORLDS["marking"][:2], True, "coder")
            Membership.objects.filter(user=bob).update(role=role)
            Project.objects.filter(pk=project.pk).update(results_open=True)
            hers = Coding.objects.of_people().get(round__name="training", coder=alice)
            judge(hers, coded_keys(hers.text)[0], "place")
            submit_coding(hers, alice)
            if is_made:
                charlie_makes_gold(project)
            seen.append(seen_by(signed_in(bob), visits))
            transaction.set_rollback(True)
    assert_alike(visits, *seen)
