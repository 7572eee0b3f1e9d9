"""A coder learns nothing of another coder's work, by any address, until the manager opens the results."""

import json
import logging
import re
from datetime import UTC, datetime
from hashlib import md5, sha256
from itertools import product
from typing import NamedTuple
from unittest.mock import patch
from urllib.parse import quote
from uuid import UUID

import pytest
from django.db import transaction
from django.urls import URLPattern, get_resolver, resolve
from django.utils import timezone

from annotations.adjudication.drafts import DraftRequest, draft_gold
from annotations.adjudication.proposal import Method
from annotations.coding import operations
from annotations.coding.gold import open_gold
from annotations.coding.status import submit_coding
from annotations.docsets.creation import add_peer, create_docset
from annotations.formats import plain
from annotations.models import (
    AttributeAnswer,
    Coding,
    Docset,
    Index,
    Membership,
    Pointer,
    Project,
    RepeatPlan,
    User,
)
from annotations.planning.assignments import assign_texts
from annotations.planning.designs.terms import Design, PlanParameters
from annotations.planning.docset_assignments import assign_peers
from annotations.planning.plans import PlanRequest, apply_plan
from annotations.planning.pool import take_next_text
from annotations.planning.rounds import add_texts, change_round, create_round
from annotations.planning.training import decide_on_coder
from annotations.projects.creation import create_project
from annotations.projects.people.members import add_member
from annotations.schemes.project_scheme import set_coder_marked_levels
from annotations.schemes.ready_made import SCHEMES
from annotations.texts.questions import ask, record_question_read, reply_to, resolve_question
from annotations.transfers.importing.documents import import_documents
from annotations.transfers.importing.source_document import SourceDocument
from annotations.web.confirmation import CONFIRMED
from tests.annotations.docsets.test_creation import SINKING
from tests.conftest import DIALOGUE, change, judge, make_project
from tests.shared.cases import cases
from tests.shared.pyramids import SUMMARIES, build, models_of, says, send

WALK = "[Anna](a) took [her](b) dog. [It](c) was fun, she said."
# Alice's own file marks "she" besides; the text "secret" is hers alone.
WALK_BY_ALICE = "[Anna](a=1) took [her](b=1) dog. [It](c=2|3) was fun, [she](z=1) said."
SECRET_BY_ALICE = "[Nobody](n=1) shall know."

HER_QUESTION = UUID(int=1)

# What is put into an address for each parameter that a route may take. A new parameter needs an entry here.
VALUES = {
    "slug": ["tea"],
    "text": ["tea", "secret", "ghost"],
    "docset": ["tea", "hers"],
    "coder": ["alice", "nobody"],
    "key": ["phrase:4-14", "phrase:31-34"],
    "first": ["alice", "nobody"],
    "second": ["bob"],
    "pk": ["1"],
    "secret": ["ghost"],
    "username": ["alice", "nobody"],
    "page": ["coders"],
    "name": ["coding", "main", "training", "pilot"],
    "table": ["each"],
    "question": [str(HER_QUESTION)],
    "number": ["1"],
    "token": ["ghost"],
    "uidb64": ["ghost"],
}
METHODS = ["HEAD", "OPTIONS", "POST", "DELETE"]
# One at a time, since what is not known is refused.
CHANGES = [
    json.dumps({name: value})
    for name, value in {
        "status": "submitted",
        "role": "viewer",
        "round": "x",
        "title": "x",
        "adjudicator": "alice",
    }.items()
]
PLANS = ["", "design=all&seed=1&", "design=all&seed=1&pool=on&"]
CHANGES_OF_ROUNDS = [("change", "name=pilot&kind=recheck"), ("close", ""), ("close", f"{CONFIRMED}=1")]
# Tried in every filter of every list.
FILTERED = [
    *(
        "alice",
        "bob",
        "tea",
        "secret",
        "ghost",
        "submitted",
        "open",
        "text",
        "peer",
        "none",
        "place",
        "phrase",
        "judge",
    ),
    *("true", "2026-01-02T00:00:00Z"),
]
VARYING = [
    r'name="csrfmiddlewaretoken" value="[^"]*"',
    r'name="csrf-token" content="[^"]*"',
    r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}",
]


class Visit(NamedTuple):
    method: str
    address: str
    body: str = ""
    kind: str = "application/json"
    seen: str = ""  # the tag of what its sender says to have seen


def routes(patterns, path="", parameters=()):
    """Yield the path and the names of the parameters of every route outside the admin."""
    for pattern in patterns:
        if getattr(pattern, "namespace", None) == "admin":
            continue
        here, names = path + str(pattern.pattern), [*parameters, *pattern.pattern.converters]
        if isinstance(pattern, URLPattern):
            yield here, names
        else:
            yield from routes(pattern.url_patterns, here, names)


def addresses(**values):
    """Yield every address that can be made with the values, and whether its route takes a project."""
    for path, names in routes(get_resolver().url_patterns):
        for chosen in product(*(values[name] for name in names)):
            address = "/" + path
            for name, value in zip(names, chosen, strict=True):
                address = re.sub(rf"<(\w+:)?{name}>", value, address)
            yield address, "slug" in names


PROJECT_ADDRESSES = [address for address, takes_project in addresses(**VALUES) if takes_project]
OTHER_ADDRESSES = [address for address, takes_project in addresses(**VALUES) if not takes_project]


def normal(response, tagged=None):
    """Return status, headers and body without tokens and times, and without a tag made of the body or of `tagged`."""
    body = response.content.decode()
    for varying in VARYING:
        body = re.sub(varying, "", body)
    headers = {
        name: value
        for name, value in response.headers.items()
        if name not in ("Set-Cookie", "Content-Length", "Expires", "X-Request-ID")
    }
    # A tag that is made of the body tells what the body tells, which is compared without its times.
    body_of_tag = tagged or response.content
    if headers.get("ETag", "").strip('"') in {made(body_of_tag).hexdigest()[:32] for made in (md5, sha256)}:
        del headers["ETag"]
    return response.status_code, headers, body


def choices_of(address):
    """Yield every query by which a list of the API may be filtered or ordered."""
    view = getattr(resolve(address).func, "cls", None)
    filterset = getattr(view, "filterset_class", None)
    for name in filterset.base_filters if filterset else ():
        yield from (f"{name}={value}" for value in FILTERED)
    for name in getattr(view, "ordering_fields", ()):
        yield from (f"ordering={name}", f"ordering=-{name}")


def takes(address, method):
    """Return whether the view of the API takes the method: what it refuses, it refuses whatever the body says."""
    return hasattr(resolve(address).func.cls, method.lower())


def seen_by(client, visits):
    seen = []
    for visit in visits:
        headers = {"If-Match": visit.seen} if visit.seen else {}
        response = client.generic(visit.method, visit.address, visit.body, content_type=visit.kind, headers=headers)
        whole = client.get(visit.address) if visit.method == "HEAD" and "ETag" in response else response
        seen.append(normal(response, whole.content))
    return seen


def operations_of_bob():
    """Yield right and wrong operations on all that is or might be in the text, each alone and with a fixed uuid."""
    keys = ["phrase:4-14", "phrase:31-34", "phrase:0-4", "phrase:0-1", "turn:0-27"]
    payloads = [{"markable": key, "category": category} for key in keys for category in ("none", "refers", "ghost")]
    payloads += [{"markable": "phrase:31-33", "category": "phrase", "pointers": [key]} for key in keys]
    payloads += [{"markable": "phrase:14-17", "category": "refers", "indices": ["1"]}]
    payloads += [{"markable": key, "to": to} for key in keys for to in ("phrase:0-1", "phrase:1-3", "turn:1-3")]
    payloads += [{"markable": key} for key in keys]
    for number, payload in enumerate(payloads):
        for version in (0, number + 1, 99):
            uuid = str(UUID(int=100 * number + version + 1))
            kind = "move" if "to" in payload else "unmark" if "category" not in payload else "judge"
            yield {"version": version, "operations": [{"uuid": uuid, "kind": kind, "payload": payload}]}


def operations_on_pyramids():
    """Yield visits with right and wrong changes of docsets, of Bob's pyramid, and of the peer of that pyramid."""
    keys = ["contributor:8-21", "contributor:8-13", "word:12-17", "contributor:8-60"]
    payloads: list[dict[str, object]] = [
        {"markable": key, "category": "scu", "indices": [scu]} for key in keys for scu in ("s", "hers", "bobs")
    ]
    payloads += [{"scu": scu, "label": "x"} for scu in ("hers", "new")] + [{"markable": key} for key in keys]
    for text, first in (("tea", 50), ("ghost", 100)):
        for number, payload in enumerate(payloads):
            kind = "describe" if "scu" in payload else "judge" if "category" in payload else "unmark"
            for version in (1, number + 2):
                uuid = str(UUID(int=1000 * (first + number) + version))
                body = {"version": version, "operations": [{"uuid": uuid, "kind": kind, "payload": payload}]}
                yield Visit("POST", f"/api/v1/projects/tea/texts/{text}/coding/operations/", json.dumps(body))
    assigned = json.dumps({"coders": ["bob"], "pyramid": True, "coder": "alice", "name": "x", "content": "x"})
    for address in PROJECT_ADDRESSES:
        if "/docsets/" in address:
            yield Visit("POST", address, assigned)


def all_visits(kind):
    """Return visits: every page, Bob's operations, then every address in every way, which hands Bob's coding in too."""
    log = "/api/v1/projects/tea/texts/tea/coding/operations/"
    visits = [Visit("GET", address) for address in PROJECT_ADDRESSES + OTHER_ADDRESSES]
    visits += [Visit("POST", log, json.dumps(body)) for body in operations_of_bob()]
    visits += operations_on_pyramids() if kind == "pyramids" else []
    visits += [Visit("GET", log), Visit("GET", log.removesuffix("operations/"))]
    visits += [Visit("GET", address) for address in PROJECT_ADDRESSES + OTHER_ADDRESSES]
    visits += [Visit("GET", f"{address}?distance=ghost&page=2&since=1") for address in PROJECT_ADDRESSES]
    visits += [
        Visit("GET", f"{address}?{choice}")
        for address in PROJECT_ADDRESSES + OTHER_ADDRESSES
        for choice in choices_of(address)
    ]
    visits += [Visit(method, address) for address in PROJECT_ADDRESSES for method in METHODS]
    form = "application/x-www-form-urlencoded"
    visits += [Visit("POST", address, "username=alice&role=viewer", form) for address in PROJECT_ADDRESSES]
    visits += [Visit("GET", f"/projects/tea/assign/?{choice}round=pilot") for choice in PLANS]
    visits += [Visit("POST", f"/projects/tea/rounds/pilot/{rest}/", body, form) for rest, body in CHANGES_OF_ROUNDS]
    visits += [
        Visit(method, address, body, seen="*")
        for address in PROJECT_ADDRESSES
        if address.startswith("/api/")
        for method in ("PUT", "PATCH")
        for body in (CHANGES if takes(address, method) else CHANGES[:1])
    ]
    return visits + [Visit("GET", address) for address in PROJECT_ADDRESSES]


def people_of(project, role_of_bob="coder"):
    for name, role in [("alice", "coder"), ("bob", role_of_bob), ("charlie", "manager")]:
        add_member(project, User.objects.get(username=name), role)


def alice_points(project):
    """Let Alice judge all of the dialogue, mark a phrase of her own and submit."""
    text = project.texts.get()
    coding = Coding.objects.get(text=text, coder__username="alice", round__name="main")
    for key in text.markables.filter(level__coded=True).values_list("key", flat=True):
        judge(coding, key, "place", note="hers")
    question = ask(text, coding.coder, "Secret?", "phrase:4-14", uuid=HER_QUESTION)
    reply_to(question, User.objects.get(username="charlie"), "Secret.", resolve=True)
    ask(text, coding.coder, "Secret, too?")
    level = project.levels.get(key="phrase")
    mark = text.markables.create(level=level, key="phrase:0-1", parts=[[0, 1]], start=0, end=1, predefined=False)
    coding.judgements.create(markable=mark)
    submit_coding(coding, coding.coder)
    alice_trains(project)
    alice_takes(project)


def alice_trains(project):
    """Let Alice submit a text of training that Bob has begun, and a manager the gold of it and of Alice's text."""
    round_, charlie = project.rounds.get(kind="training"), User.objects.get(username="charlie")
    hers = Coding.objects.get(round=round_, coder__username="alice")
    judge(hers, hers.text.markables.filter(level__coded=True, predefined=True)[0].key, "place", note="hers")
    submit_coding(hers, hers.coder)
    decide_on_coder(round_, hers.coder, "passed", "Secret.", charlie)
    charlie_makes_gold(project)


def alice_takes(project):
    """Let Alice take the text of a pool that nobody has begun, and be the first to work in its round."""
    taken = take_next_text(project, User.objects.get(username="alice"), "pilot")
    judge(taken, taken.text.markables.filter(level__coded=True, predefined=True)[0].key, "place", note="hers")
    submit_coding(taken, taken.coder)


def charlie_makes_gold(project):
    """Let a manager make gold, with a mark that nobody else has."""
    text, charlie = project.texts.get(), User.objects.get(username="charlie")
    for round_name in ("main", "training"):
        draft_gold(project, DraftRequest(Method.EMPTY, texts=(text.slug,), round_name=round_name))
        gold = open_gold(project, text, round_name, charlie)
        for key in text.markables.filter(level__coded=True, predefined=True).values_list("key", flat=True):
            judge(gold, key, "place", note="Secret: gold.")
        level = project.levels.get(key="phrase")
        mark = text.markables.get_or_create(
            level=level, key="phrase:0-2", defaults={"parts": [[0, 2]], "start": 0, "end": 2, "predefined": False}
        )[0]
        gold.judgements.create(markable=mark)
        submit_coding(gold, charlie)


def alice_indexes(project):
    """Import Alice's codings from files, with a mark and a text of her own."""
    read = [(WALK_BY_ALICE, "tea.txt"), (SECRET_BY_ALICE, "secret.txt")]
    coded = [SourceDocument(plain.parse(content, name), "alice") for content, name in read]
    import_documents(project, coded)


def alice_builds(project):
    """Let Alice make her pyramid and hold two peers against it; one peer and another docset are hers alone."""
    hers = create_docset(project, "hers", "Hers", [("a", "Secret one."), ("b", "Secret two.")])
    alice = User.objects.get(username="alice")
    assign_texts(project, [models_of(hers)], [alice])
    docset = Docset.objects.get(slug="tea")
    peers = [docset.texts.get(slug="ghost"), add_peer(docset, "secret", "Secret", "The ferry sank. Hers.")]
    build(Coding.objects.select_related("text", "coder").get(text=models_of(docset), coder=alice), SINKING)
    assign_peers(docset, peers, [alice], agreed=False)
    for coding in Coding.objects.filter(kind="peer", coder=alice).select_related("text", "coder"):
        send(coding, says("contributor:4-9", "sank", note="hers"))
        submit_coding(coding, alice)


WORLDS = {
    "pointers": ("poesio-artstein-2005", DIALOGUE, alice_points),
    "indices": ("passonneau-2004", WALK, alice_indexes),
    "marking": ("poesio-artstein-2005", DIALOGUE, alice_points),
    "pyramids": ("pyramid", "", alice_builds),
}


def world_of_pyramids():
    """Make a docset: Alice has not begun its pyramid, Bob has begun his and has a peer to hold against it."""
    project = create_project("tea", "Tea", SCHEMES["pyramid"])
    people_of(project)
    docset = create_docset(project, "tea", "Tea", SUMMARIES)
    coders = list(project.members.filter(memberships__role="coder"))
    assign_texts(project, [models_of(docset)], coders)
    peer = add_peer(docset, "ghost", "Peer", "The ferry sank and went down at dawn, people say, in the bay. So.")
    bob = User.objects.get(username="bob")
    assign_peers(docset, [peer], [bob], agreed=False)
    build(
        Coding.objects.select_related("text", "coder").get(text=models_of(docset), coder=bob),
        {"bobs": ["The ferry"]},
        hand_in=False,
    )
    return project


def world(scheme, marked, marking, role_of_bob):
    """Make the project in which Alice has not begun and Bob has made one judgement."""
    if scheme == "pyramid":
        return world_of_pyramids()
    project = make_project("tea", scheme, marked)
    if marking:
        set_coder_marked_levels(project, project.levels.filter(coded=True))
    project.attributes.create(key="gender", label="Gender")
    people_of(project, role_of_bob)
    coders = project.members.filter(username__in=["alice", "bob"])
    assign_texts(project, project.texts.all(), coders)
    training = create_round(project, "training", kind="training", pass_measure="masi", pass_mark=0.5)
    add_texts(training, project.texts.all())
    assign_texts(project, project.texts.all(), coders, training)
    main = project.rounds.get(name="main")
    pilot = create_round(project, "pilot", copied=main, kind="pilot")
    parameters = PlanParameters(design=Design.ALL, pool=True)
    apply_plan(project, PlanRequest(parameters, "pilot", coders=("alice", "bob")))
    change_round(pilot, place=1)
    change_round(main, place=9)  # the latest, that addresses mean
    for round_ in (training, main):
        bob = Coding.objects.get(text__project=project, coder__username="bob", round=round_)
        operations.apply(
            bob,
            bob.coder,
            0,
            [change(markable=bob.text.markables.filter(level__coded=True)[0].key, category="none")],
        )
    return project


def visited(person, visits, signed_in, kind, *, alice_works, role_of_bob="coder", before=None):
    """Return what the person sees on the visits, and undo all changes. Alice works on a day of her own.

    before: what else was done on that day.
    """
    scheme, marked, alices_work = WORLDS[kind]
    with transaction.atomic(), patch.object(timezone, "now", lambda: datetime(2026, 1, day, tzinfo=UTC)):
        day = 1
        project = world(scheme, marked, kind == "marking", role_of_bob)
        day = 2
        if alice_works:
            alices_work(project)
        if before:
            before(project)
        day = 3
        logging.disable(logging.WARNING)  # thousands of refusals
        try:
            seen = seen_by(signed_in(person), visits)
        finally:
            logging.disable(logging.NOTSET)
        transaction.set_rollback(True)
    return seen


def test_the_walk_finds_the_routes_of_projects():
    assert "/projects/tea/agreement/items/tea/phrase:31-34/" in PROJECT_ADDRESSES
    assert "/projects/tea/agreement/coders/alice/bob/" in PROJECT_ADDRESSES
    assert "/projects/tea/agreement/items/tea/phrase:4-14/remarks/1/withdraw/" in PROJECT_ADDRESSES
    assert "/api/v1/projects/tea/texts/secret/coding/operations/" in PROJECT_ADDRESSES
    assert "/projects/tea/texts/tea/codings/alice/reopen/" in PROJECT_ADDRESSES
    assert {"/", "/api/v1/projects/", "/sign-in/"} <= set(OTHER_ADDRESSES)


# Who marks, points too, and the SCUs of pyramids are indices.
@pytest.mark.parametrize(
    ("kind", "role"),
    [
        *product(cases(["marking", "pyramids"], full=["pointers", "indices"]), ["coder"]),
        *product(cases(["marking"], full=["pointers"]), ["manager-coder"]),
    ],
)
def test_a_second_coder_sees_nothing_of_the_first(alice, bob, charlie, signed_in, kind, role):
    visits = all_visits(kind)
    before = visited(bob, visits, signed_in, kind, alice_works=False, role_of_bob=role)
    after = visited(bob, visits, signed_in, kind, alice_works=True, role_of_bob=role)
    statuses = {status for status, _, _ in before}
    assert {200, 302, 400, 403, 404, 405, 409} <= statuses
    assert not any(status >= 500 for status in statuses)
    for visit, now, then in zip(visits, after, before, strict=True):
        assert now == then, visit


def bob_has_coded_before(project):
    """Let what Bob has be the second occasion of a text that he coded, asked about and submitted before."""
    bob = User.objects.get(username="bob")
    coding = Coding.objects.get(text__project=project, coder=bob, round__name="main")
    text = coding.text
    asked = ask(text, bob, "Secret?", "phrase:4-14", uuid=HER_QUESTION)
    reply_to(asked, User.objects.get(username="charlie"), "Secret.", resolve=True)
    resolve_question(asked, bob)
    record_question_read(asked, bob)
    Coding.objects.filter(pk=coding.pk).update(occasion=2, created_at=datetime(2026, 1, 3, tzinfo=UTC))
    first = Coding.objects.create(text=text, coder=bob, round=coding.round)
    alone = "none"  # in every scheme
    for key in text.markables.filter(level__coded=True).values_list("key", flat=True):
        judge(first, key, alone, note="before")
    level = project.levels.get(key="phrase")
    mark = text.markables.create(level=level, key="phrase:0-1", parts=[[0, 1]], start=0, end=1, predefined=False)
    marked = first.judgements.create(markable=mark, note="before", name="before")
    AttributeAnswer.objects.create(judgement=marked, attribute=project.attributes.get(), text="before")
    if (relation := project.relations.filter(identity=True).first()) is not None:
        targets = text.markables.filter(predefined=True, level__coded=True).order_by("start")[:2]
        for reading, target in enumerate(targets):
            Pointer.objects.create(judgement=marked, relation=relation, reading=reading, target=target)
    else:
        Index.objects.create(judgement=marked, entity="before")
    submit_coding(first, bob)
    RepeatPlan.objects.create(round=coding.round, number=1, days=0, applied_at=datetime(2026, 1, 3, tzinfo=UTC))


@pytest.mark.parametrize(
    ("kind", "role"),
    [
        *product(cases(["marking"], full=["pointers", "indices"]), ["coder"]),
        *cases([], full=[("marking", "manager-coder")]),
    ],
)
def test_who_is_shown_a_text_again_sees_nothing_of_the_first_occasion(alice, bob, charlie, signed_in, kind, role):
    visits = all_visits(kind)
    visits += [
        Visit("GET", f"{address}?{choice}")
        for address in (
            "/projects/tea/texts/tea/code/",
            "/api/v1/projects/tea/texts/tea/coding/",
            "/api/v1/projects/tea/texts/tea/codings/bob/",
            "/projects/tea/texts/",
            "/projects/tea/questions/",
        )
        for choice in ("round=main", "occasion=1", "occasion=2", "sort=submitted", "sort=-submitted", "state=resolved")
    ]
    once = visited(bob, visits, signed_in, kind, alice_works=False, role_of_bob=role)
    again = visited(bob, visits, signed_in, kind, alice_works=False, role_of_bob=role, before=bob_has_coded_before)
    for visit, now, then in zip(visits, again, once, strict=True):
        assert now == then, visit
    manager = [Visit("GET", "/api/v1/projects/tea/codings/"), Visit("GET", "/api/v1/projects/tea/questions/")]
    once = visited(charlie, manager, signed_in, kind, alice_works=False)
    again = visited(charlie, manager, signed_in, kind, alice_works=False, before=bob_has_coded_before)
    assert all(now != then for now, then in zip(again, once, strict=True))


@pytest.mark.parametrize("kind", WORLDS)
def test_the_comparison_is_sharp_enough_to_see_what_a_manager_sees(alice, bob, charlie, signed_in, kind):
    visits = [
        Visit("GET", "/projects/tea/"),
        Visit("GET", "/projects/tea/agreement/"),
        Visit("GET", "/projects/tea/agreement/coders/"),
        Visit("GET", "/projects/tea/agreement/coders/alice/bob/?include=open"),
        Visit("GET", "/projects/tea/agreement/texts/"),
        Visit("GET", "/projects/tea/agreement/course/?by=round"),
        Visit("GET", "/api/v1/projects/tea/agreement/"),
        Visit("GET", "/api/v1/projects/tea/agreement/items/?include=open"),
    ]
    if kind == "pyramids":
        visits += [
            Visit("GET", f"{prefix}/projects/tea/docsets/{rest}") for prefix in ("", "/api/v1") for rest in ("", "tea/")
        ]
        visits += [
            Visit("GET", f"{prefix}/projects/tea/agreement/{rest}/")
            for prefix in ("", "/api/v1")
            for rest in ("scores", "scus")
        ]
    else:
        visits += [
            Visit("GET", f"/projects/tea/{rest}")
            for rest in ("agreement/categories/?include=open", "texts/", "texts/tea/?coder=alice&beside=bob")
        ]
    before = visited(charlie, visits, signed_in, kind, alice_works=False)
    after = visited(charlie, visits, signed_in, kind, alice_works=True)
    for visit, now, then in zip(visits, after, before, strict=True):
        assert now != then, visit


@pytest.mark.parametrize("role", ["coder", "manager-coder", "viewer"])
def test_open_results_show_no_gold_to_who_makes_none(alice, bob, charlie, signed_in, role):
    tables = [f"/projects/tea/progress/?table={table}" for table in ("hours", "progress")]
    visits = [Visit("GET", address) for address in [*PROJECT_ADDRESSES, *tables]]
    seen = []
    for is_made in (False, True):
        with transaction.atomic(), patch.object(timezone, "now", lambda: datetime(2026, 1, 1, tzinfo=UTC)):
            project = world(*WORLDS["marking"][:2], True, "coder")
            Membership.objects.filter(user=bob).update(role=role)
            Project.objects.filter(pk=project.pk).update(results_open=True)
            hers = Coding.objects.get(round__name="training", coder=alice)
            judge(hers, hers.text.markables.filter(level__coded=True, predefined=True)[0].key, "place")
            submit_coding(hers, alice)
            if is_made:
                charlie_makes_gold(project)
            logging.disable(logging.WARNING)
            seen.append(seen_by(signed_in(bob), visits))
            logging.disable(logging.NOTSET)
            transaction.set_rollback(True)
    for visit, before, after in zip(visits, *seen, strict=True):
        assert after == before, visit


RESULTS = [
    f"{prefix}/projects/tea/agreement/{rest}".replace("agreement/../", "")
    for prefix, rest in [
        *product([""], ["", "headline/", "items/", "items/tea/phrase:4-14/", "grid/", "compare/", "methods/"]),
        *product([""], ["texts/", "coders/", "categories/", "course/", "../scheme/allows/"]),
        *product([""], ["../texts/", "../texts/tea/", "../texts/tea/?coder=alice&beside=bob"]),
        *product(["/api/v1"], ["", "grid/", "items/", "items/tea/phrase:4-14/"]),
    ]
]


@pytest.mark.parametrize("address", RESULTS)
def test_results_are_closed_to_coders_until_the_manager_opens_them(project, bob, signed_in, address):
    client = signed_in(bob)
    assert client.get(address).status_code == 403
    Project.objects.filter(pk=project.pk).update(results_open=True)
    assert client.get(address).status_code == 200
    Project.objects.filter(pk=project.pk).update(results_open=False)
    assert client.get(address).status_code == 403


def test_open_results_do_not_open_what_is_the_managers(project, bob, signed_in):
    Project.objects.filter(pk=project.pk).update(results_open=True)
    for page in ("members", "assign", "import"):
        assert signed_in(bob).get(f"/projects/tea/{page}/").status_code == 403
    assert signed_in(bob).post("/projects/tea/texts/tea/codings/alice/reopen/").status_code == 403
    item = "items/tea/phrase:4-14/"
    for rest in (
        "texts/round/",
        "categories/mapping/",
        f"{item}remarks/",
        f"{item}flag/",
        f"{item}flag/resolve/",
        f"{item}remarks/1/withdraw/",
    ):
        assert signed_in(bob).post(f"/projects/tea/agreement/{rest}").status_code == 403


def test_open_results_do_not_open_the_coding_of_another(codings, bob, signed_in, keys):
    judge(codings["alice"], keys["a"], "place", note="hers")
    Project.objects.update(results_open=True)
    state = signed_in(bob).get("/api/v1/projects/tea/texts/tea/coding/").json()
    assert (state["user"], state["judgements"]) == ("bob", {})


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_to_an_outsider_a_project_is_not_there(project, mallory, signed_in, method):
    client = signed_in(mallory)
    for address in PROJECT_ADDRESSES:
        seen = client.generic(method, address)
        assert seen.status_code in (404, 405), address
        ghost = client.generic(method, address.replace("/projects/tea/", "/projects/ghost/"))
        status, headers, body = normal(ghost)
        assert normal(seen) == (status, headers, body.replace("/projects/ghost/", "/projects/tea/"))


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_who_is_not_signed_in_is_sent_to_sign_in(project, client, method):
    for address in PROJECT_ADDRESSES:
        response = client.generic(method, address)
        if address.startswith("/api/"):
            assert response.status_code in (401, 403), address
            assert response.json()["code"] == "not_authenticated"
        else:
            assert response.status_code == 302, address
            assert response.url == f"/sign-in/?next={quote(address)}"


def test_a_coder_who_leaves_the_project_sees_it_no_longer(project, bob, signed_in):
    Membership.objects.filter(user=bob).delete()
    for address in ("/projects/tea/", "/projects/tea/texts/tea/code/", "/api/v1/projects/tea/texts/tea/coding/"):
        assert signed_in(bob).get(address).status_code == 404
