"""Visits of every address, to compare what a coder sees with and without work of others."""

import json
import logging
import re
from contextlib import contextmanager
from datetime import UTC, datetime
from hashlib import md5, sha256
from http import HTTPStatus
from itertools import product
from typing import NamedTuple
from unittest.mock import patch
from uuid import UUID

from django.db import transaction
from django.test import Client
from django.urls import get_resolver, resolve
from django.utils import timezone

from annotations.adjudication.drafts import DraftRequest, draft_gold
from annotations.adjudication.ownership import open_gold, reassign_gold
from annotations.adjudication.proposal import Method
from annotations.coding import operations
from annotations.coding.status import submit_coding
from annotations.docsets.creation import add_peer, create_docset
from annotations.formats import plain
from annotations.models import Coding, Docset, User
from annotations.planning.plans.designs.terms import Design, PlanParameters
from annotations.planning.plans.plans import PlanRequest, apply_plan
from annotations.planning.pool import take_next_text
from annotations.planning.rounds import add_texts, change_round, create_round
from annotations.planning.training import decide_on_coder
from annotations.planning.work.assignments import assign_peers, assign_texts
from annotations.projects.creation import create_project
from annotations.projects.people.members import add_member
from annotations.projects.scheme_rows import stamp_scheme
from annotations.schemes.project_scheme import set_coder_marked_levels
from annotations.schemes.ready_made import SCHEMES
from annotations.texts.questions import ask, reply_to
from annotations.transfers import orders
from annotations.transfers.importing.documents import import_documents
from annotations.transfers.importing.files.source_document import SourceDocument
from annotations.web.shared import CONFIRMED
from tests.access.role_asking import fill_in, parameters_of, routes
from tests.annotations.docsets.test_creation import SINKING
from tests.shared.cases import is_full
from tests.shared.coding import change, close_gold, judge, judge_all, judgement
from tests.shared.projects import DIALOGUE, make_project
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
# What they answer beyond GET, or that they are refused, is a matter of the route, whatever its parameters are.
METHODS_OF_ROUTES = ["HEAD", "OPTIONS", "DELETE"]
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


def addresses(**values):
    """Yield every address that can be made with the values, and whether its route takes a project."""
    for _, path in routes(get_resolver().url_patterns):
        names = parameters_of(path)
        for chosen in product(*(values[name] for name in names)):
            yield fill_in(path, dict(zip(names, chosen, strict=True))), "slug" in names


def first_of_each_route(found):
    """Return the first address of each route."""
    return list({resolve(address).route: address for address in reversed(found)}.values())


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


def choices_of(address, values):
    """Yield every query by which a list of the API may be filtered, by each of these values, or ordered."""
    view = getattr(resolve(address).func, "cls", None)
    filterset = getattr(view, "filterset_class", None)
    for name in filterset.base_filters if filterset else ():
        yield from (f"{name}={value}" for value in values)
    for name in getattr(view, "ordering_fields", ()):
        yield from (f"ordering={name}", f"ordering=-{name}")


def takes(address, method):
    """Return whether the view of the API takes the method: what it refuses, it refuses whatever it is sent."""
    return hasattr(resolve(address).func.cls, method.lower())


def is_of_api(address):
    return address.startswith("/api/")


@contextmanager
def quiet():
    """Do not log thousands of refusals."""
    logging.disable(logging.WARNING)
    try:
        yield
    finally:
        logging.disable(logging.NOTSET)


@quiet()
def seen_by(client, visits):
    """Return what the client is shown on each visit; what takes no GET is asked for once."""
    seen = []
    without_get = {}
    for visit in visits:
        path = visit.address.partition("?")[0]
        if visit.method == "GET" and path in without_get:
            seen.append(without_get[path])
            continue
        headers = {"If-Match": visit.seen} if visit.seen else {}
        response = client.generic(visit.method, visit.address, visit.body, content_type=visit.kind, headers=headers)
        whole = client.get(visit.address) if visit.method == "HEAD" and "ETag" in response else response
        seen.append(normal(response, whole.content))
        if visit.method == "GET" and response.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
            without_get[path] = seen[-1]
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


def all_visits(kind, whole=True):
    """Return visits: every page, Bob's operations, then every address in every way, which hands Bob's coding in too.

    The pages before Bob's operations, and those with what they may not take, are one of each route on each push.
    whole: whether to visit all addresses of projects, with all values that lists can be filtered by; else one of each
    route, with one value.
    """
    of_routes = first_of_each_route(PROJECT_ADDRESSES)
    every = PROJECT_ADDRESSES if whole else of_routes
    some = every if is_full() else of_routes
    log = "/api/v1/projects/tea/texts/tea/coding/operations/"
    visits = [Visit("GET", address) for address in some + OTHER_ADDRESSES]
    visits += [Visit("POST", log, json.dumps(body)) for body in operations_of_bob()]
    visits += operations_on_pyramids() if kind == "pyramids" else []
    visits += [Visit("GET", log), Visit("GET", log.removesuffix("operations/"))]
    visits += [Visit("GET", address) for address in every + OTHER_ADDRESSES]
    visits += [Visit("GET", f"{address}?distance=ghost&page=2&since=1") for address in some]
    values = FILTERED if whole else FILTERED[:1]
    visits += [
        Visit("GET", f"{address}?{choice}")
        for address in every + OTHER_ADDRESSES
        for choice in choices_of(address, values)
    ]
    visits += [Visit(method, address) for address in of_routes for method in METHODS_OF_ROUTES]
    form = "application/x-www-form-urlencoded"
    of_api = [address for address in every if is_of_api(address)]
    pages = [address for address in every if not is_of_api(address)]
    visits += [Visit("POST", address) for address in every]
    visits += [Visit("DELETE", address) for address in of_api if takes(address, "DELETE")]
    visits += [Visit("POST", address, "username=alice&role=viewer", form) for address in pages]
    visits += [Visit("GET", f"/projects/tea/assign/?{choice}round=pilot") for choice in PLANS]
    visits += [Visit("POST", f"/projects/tea/rounds/pilot/{rest}/", body, form) for rest, body in CHANGES_OF_ROUNDS]
    for method in ("PUT", "PATCH"):
        taken = [address for address in of_api if takes(address, method)]
        refused = [address for address in of_routes if is_of_api(address) and not takes(address, method)]
        visits += [Visit(method, address, body, seen="*") for address in taken for body in CHANGES]
        visits += [Visit(method, address, CHANGES[0], seen="*") for address in refused]
    return visits + [Visit("GET", address) for address in every]


def coded_keys(text):
    """Return the keys of the markables that came with the text and are coded."""
    return list(text.markables.filter(level__coded=True, predefined=True).values_list("key", flat=True))


def people_of(project, role_of_bob="coder"):
    for name, role in [("alice", "coder"), ("bob", role_of_bob), ("charlie", "manager")]:
        add_member(project, User.objects.get(username=name), role)


def alice_points(project):
    """Let Alice judge all of the dialogue, mark a phrase of her own and submit."""
    text = project.texts.get()
    coding = Coding.objects.of_people().get(text=text, coder__username="alice", round__name="main")
    judge_all(coding, [judgement(key, "place", note="hers") for key in coded_keys(text)])
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
    hers = Coding.objects.of_people().get(round=round_, coder__username="alice")
    judge(hers, coded_keys(hers.text)[0], "place", note="hers")
    submit_coding(hers, hers.coder)
    decide_on_coder(round_, hers.coder, "passed", "Secret.", charlie)
    charlie_makes_gold(project)


def alice_takes(project):
    """Let Alice take the text of a pool that nobody has begun, and be the first to work in its round."""
    taken = take_next_text(project, User.objects.get(username="alice"), "pilot")
    judge(taken, coded_keys(taken.text)[0], "place", note="hers")
    submit_coding(taken, taken.coder)


def charlie_makes_gold(project):
    """Let a manager make gold: closed with a mark that nobody else has and a decision, and a draft in nobody's hands.

    What is made of gold is there, too: its datasheet, scores and an export.
    """
    text, charlie = project.texts.get(), User.objects.get(username="charlie")
    for round_name in project.rounds.filter(name__in=["pilot", "extra"]).values_list("name", flat=True):
        draft_gold(project, DraftRequest(Method.EMPTY, texts=(text.slug,), round_name=round_name))
        gold = open_gold(project, text, round_name, charlie)
        decide_on_gold(gold, "phrase:31-34")
        reassign_gold(project, text, round_name, charlie, "")
    for round_name in ("main", "training"):
        draft_gold(project, DraftRequest(Method.EMPTY, texts=(text.slug,), round_name=round_name))
        gold = open_gold(project, text, round_name, charlie)
        judge_all(gold, [judgement(key, "place", note="Secret: gold.") for key in coded_keys(text)])
        level = project.levels.get(key="phrase")
        mark = text.markables.get_or_create(
            level=level, key="phrase:0-2", defaults={"parts": [[0, 2]], "start": 0, "end": 2, "predefined": False}
        )[0]
        gold.judgements.create(markable=mark)
        decide_on_gold(gold, "phrase:4-14")
        close_gold(gold)
    client = Client()
    client.force_login(charlie)
    for address in ("datasheet/", "agreement/gold/", "gold/decisions/"):
        assert client.get(f"/projects/tea/{address}").status_code == 200
    export = orders.order_export(project, charlie, "jsonlines", {"gold": "gold", "options": {}})
    assert orders.carry_out(export, charlie)


def decide_on_gold(gold, key):
    """Decide one item of gold, with the reason."""
    gold.refresh_from_db()
    said = {"items": [[key, "category"]], "source": "own", "reason": "slip", "note": "Secret: why."}
    operations.apply(gold, gold.coder, gold.version, [change("decide", **said)])


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
    build(Coding.objects.of_people().select_related("text", "coder").get(text=models_of(docset), coder=alice), SINKING)
    assign_peers(docset, peers, [alice], agreed=False)
    for coding in Coding.objects.of_people().filter(kind="peer", coder=alice).select_related("text", "coder"):
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
        Coding.objects.of_people().select_related("text", "coder").get(text=models_of(docset), coder=bob),
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
    stamp_scheme(project)
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
        bob = Coding.objects.of_people().get(text__project=project, coder__username="bob", round=round_)
        operations.apply(
            bob, bob.coder, 0, [change(markable=bob.text.markables.filter(level__coded=True)[0].key, category="none")]
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
        seen = seen_by(signed_in(person), visits)
        transaction.set_rollback(True)
    return seen
