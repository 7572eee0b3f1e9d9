"""Larger projects, made by a seed: what coders answer follows a truth, from which each deviates now and then."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from typing import Any
from uuid import UUID

from django.test import Client
from django.utils import timezone

from annotations.adjudication.drafts import DraftRequest, draft_gold
from annotations.adjudication.hands import open_gold
from annotations.adjudication.proposal import Method
from annotations.coding.decisions import Decision, parse_operation
from annotations.coding.operations import Change, apply
from annotations.coding.status import reopen_coding, submit_coding
from annotations.docsets.agreed_pyramid import start_agreed_pyramid
from annotations.docsets.creation import add_peer
from annotations.formats import plain
from annotations.formats.model.scheme import (
    CATEGORY,
    AnswerKind,
    AttributeSpec,
    CategorySpec,
    Condition,
    LevelSpec,
    ReadyMadeScheme,
    RelationSpec,
    Subject,
    ValueSpec,
)
from annotations.management.demo.work import code
from annotations.models import SCU, Coding, Docset, Membership, Project, Round, Text, User
from annotations.planning.plans.designs.terms import Design, PlanParameters
from annotations.planning.plans.plans import PlanRequest, apply_plan
from annotations.planning.pool import PoolEmpty, take_next_text
from annotations.planning.repeats import RepeatRequest, apply_repeats
from annotations.planning.rounds import add_texts, create_round, move_to_round
from annotations.planning.work.assignments import assign_texts
from annotations.planning.work.docset_assignments import assign_peers
from annotations.projects.creation import create_project
from annotations.projects.people.members import add_member, set_group
from annotations.projects.people.model_coders import add_model
from annotations.schemes.ready_made import SCHEMES
from annotations.transfers.importing.documents import import_documents
from annotations.transfers.importing.files.source_document import SourceDocument
from annotations.transfers.importing.options import ImportOptions
from tests.conftest import change, person
from tests.shared.pyramids import codings_of, contributor, docset, models_of, pyramid_project, says, send

MANAGER = "manager"
NOUNS = (
    *("harbour", "ferry", "lamp", "pier", "crane", "baker"),
    *("choir", "goat", "captain", "letter", "bridge", "cart"),
)
VERBS = ("watched", "painted", "moved", "sold", "carried", "found", "left", "met")
REASONS = ("two readings", "the guidelines say nothing", "see rule 3")


def values(*keys: str) -> tuple[ValueSpec, ...]:
    return tuple(ValueSpec(key, key.upper()) for key in keys)


CHAINS = replace(
    SCHEMES["poesio-artstein-2005"],
    relations=(
        RelationSpec(
            "bridging", "Bridging", to_levels=("phrase",), joint=True, asked_if=Condition(CATEGORY, ("place", "none"))
        ),
    ),
    attributes=(
        AttributeSpec("gender", "Gender", asked_if=Condition(CATEGORY, ("phrase", "place")), values=values(*"fmn")),
        AttributeSpec(
            "second",
            "Other gender",
            primary_of="gender",
            asked_if=Condition("gender", ("f", "m")),
            values=values(*"fmn"),
        ),
        AttributeSpec("topics", "Topics", kind=AnswerKind.SEVERAL, values=values("x", "y", "z")),
        AttributeSpec("count", "How many", kind=AnswerKind.NUMBER),
        AttributeSpec("part", "Part of", of=Subject.RELATION, relation="bridging", values=values("whole", "owner")),
        AttributeSpec("animacy", "Animacy", of=Subject.ENTITY, values=values("yes", "no")),
    ),
)
CLASSES = ReadyMadeScheme(
    "classes", "Classes", "", "categories", (LevelSpec("phrase", "phrase"),),
    tuple(CategorySpec(key, key) for key in ("person", "object", "place", "event", "other")), "kappa",
)  # fmt: skip


def manage(slug: str, scheme: ReadyMadeScheme, **options: Any) -> Project:
    return create_project(slug, slug.title(), scheme, manager=person(MANAGER), **options)


def join(project: Project, names: Iterable[str], role: Membership.Role = Membership.Role.CODER) -> dict[str, User]:
    """Make people members of the project, and return them by name."""
    users = {name: person(name) for name in names}
    for user in users.values():
        add_member(project, user, role)
    return users


def written(draw: random.Random, number: int, *, marked: bool = True) -> str:
    """Return a text of some phrases, marked a, b and so on."""
    words = [f"#title: Text {number}\n"]
    for place in range(draw.randint(6, 11)):
        noun = draw.choice(NOUNS) if place % 3 == 0 or not marked else draw.choice([*NOUNS, "it", "they", "she"])
        words.append(f"[the {noun}](m{place})" if marked else f"the {noun}")
        words.append(draw.choice(VERBS))
    return " ".join(words) + f" {number}."


def bring(project: Project, draw: random.Random, numbers: Iterable[int], round_name: str = "", **how: bool) -> None:
    """Import texts of these numbers into a round."""
    files = [plain.parse(written(draw, number, **how), f"text-{number:02}.txt") for number in numbers]
    import_documents(project, [SourceDocument(file, None) for file in files], ImportOptions(round_name=round_name))


def units_of(text: Text) -> list[str]:
    found = text.markables.filter(predefined=True, level__coded=True).order_by("start", "-end")
    return list(found.values_list("key", flat=True))


type Answer = dict[str, Any]


def any_chain_answer(draw: random.Random, units: Sequence[str], place: int) -> Answer:
    """Draw an answer to all questions about a markable."""
    before = units[:place]
    category = draw.choice(["phrase", "phrase", "phrase", "place", "none", "segment"]) if before else "place"
    if category == "segment":
        category = "none"
    answer: Answer = {"category": category}
    attributes: Answer = {}
    if category == "phrase":
        answer["pointers"] = _any_readings(draw, before)
    elif before and draw.random() < 0.4:
        answer["relations"] = {"bridging": _any_readings(draw, before)}
        attributes["part"] = draw.choice(["whole", "owner"])
    if category != "none" and draw.random() < 0.8:
        attributes["gender"] = draw.choice("ffmn")
        if attributes["gender"] != "n" and draw.random() < 0.3:
            attributes["second"] = draw.choice("fmn")
    if category != "none" and draw.random() < 0.5:
        attributes["animacy"] = draw.choice(["yes", "no"])
    if draw.random() < 0.6:
        attributes["topics"] = sorted(draw.sample("xyz", draw.choice([1, 1, 2])))
    if draw.random() < 0.5:
        attributes["count"] = draw.choice([1, 1, 2, 3.5, 7])
    return answer | {"attributes": attributes}


def _any_readings(draw: random.Random, targets: Sequence[str]) -> list[list[str]]:
    one = draw.choice([*targets, *targets[-2:]])
    several = [one, draw.choice(targets)] if draw.random() < 0.12 else [one]
    return [[target] for target in dict.fromkeys(several)]


def any_class(draw: random.Random, units: Sequence[str], place: int) -> Answer:
    return {"category": draw.choice(["person", "person", "object", "object", "place", "event", "other"])}


class Work:
    """What is true of each text of a project, and how coders deviate from it."""

    def __init__(self, seed: str, any_answer: Callable[[random.Random, Sequence[str], int], Answer]) -> None:
        self.seed, self.any_answer = seed, any_answer
        self._truth: dict[int, list[tuple[str, Answer]]] = {}

    def truth(self, text: Text) -> list[tuple[str, Answer]]:
        if text.pk not in self._truth:
            draw = random.Random(f"{self.seed} {text.slug}")
            units = units_of(text)
            self._truth[text.pk] = [(unit, self.any_answer(draw, units, place)) for place, unit in enumerate(units)]
        return self._truth[text.pk]

    def decisions(self, coding: Coding, error: float, missing: float = 0.0) -> list[Decision]:
        """Return what a coder decides who errs so often, and leaves so much out."""
        draw = random.Random(
            f"{self.seed} {coding.text.slug} {coding.coder.username} {coding.occasion} {coding.round.name}"
        )
        truth = self.truth(coding.text)
        units = [unit for unit, _ in truth]
        made = []
        for place, (unit, answer) in enumerate(truth):
            own = self.any_answer(draw, units, place) if draw.random() < error else answer
            marks: Answer = {"unsure": True} if draw.random() < 0.05 else {}
            marks |= {"note": draw.choice(REASONS)} if draw.random() < 0.04 else {}
            if draw.random() >= missing:
                made.append(decide(unit, own | marks))
        return made

    def code(self, coding: Coding, day: date, error: float, missing: float = 0.0, *, submit: bool = True) -> None:
        decisions = self.decisions(coding, error, missing)
        if decisions:
            code(coding, decisions, day, submit=submit)
        elif submit:
            submit_coding(coding, coding.coder)


def decide(unit: str, answer: Answer) -> Decision:
    decision = parse_operation("judge", {"markable": unit, **answer})
    assert isinstance(decision, Decision)
    return decision


def codings(project: Project, round_name: str, coder: str = "", occasion: int = 1) -> list[Coding]:
    """Return the codings of a round in the order of texts and coders."""
    found = Coding.with_models.filter(text__project=project, round__name=round_name, occasion=occasion)
    if coder:
        found = found.filter(coder__username=coder)
    return list(found.order_by("text__slug", "coder__username").select_related("text__project", "coder", "round"))


def today() -> date:
    return timezone.localdate()


ERRORS = {"amy": 0.08, "bert": 0.12, "cleo": 0.15, "dan": 0.2, "eli": 0.25, "fay": 0.3, "gus": 0.4}


def make_wide() -> None:
    """Make a project with all that there is of chains: rounds, repeats, training, gold, models, flags and questions."""
    project = manage("wide", CHAINS)
    project.relations.filter(identity=True).update(joint=True)
    draw, work = random.Random("wide"), Work("wide", any_chain_answer)
    coders = join(project, ERRORS)
    adjudicator = join(project, ["ada"], Membership.Role.ADJUDICATOR)["ada"]
    for group, names in (("expert", ("amy", "bert", "cleo")), ("student", ("dan", "eli", "fay"))):
        chosen = Membership.objects.filter(project=project, user__username__in=names)
        set_group(project, chosen.values_list("pk", flat=True), group)
    manager = person(MANAGER)
    _train(project, draw, work, coders, manager)
    _pilot(project, draw, work, coders, adjudicator)
    _main(project, draw, work, coders)
    _models(project, work)
    _recheck(project, work, coders)
    _discuss(project)


def _train(project: Project, draw: random.Random, work: Work, coders: Mapping[str, User], manager: User) -> None:
    training = create_round(
        project, "training", kind=Round.Kind.TRAINING, pass_measure="answers", pass_mark=0.5, attempts=2
    )
    bring(project, draw, range(3), training.name)
    texts = list(training.texts.order_by("slug"))
    for text in texts:
        gold = open_gold(project, text, training.name, manager)
        code(gold, work.decisions(gold, 0), today() - timedelta(days=60))
    for name in ("dan", "gus"):
        assign_texts(project, texts[:1], [coders[name]], training)
    for coding in codings(project, "training"):
        if coding.kind != Coding.Kind.GOLD:
            work.code(coding, today() - timedelta(days=58), ERRORS[coding.coder.username])


def _pilot(project: Project, draw: random.Random, work: Work, coders: Mapping[str, User], adjudicator: User) -> None:
    """Let all code the pilot; some of its gold is drafted and decided, and some is left open."""
    pilot = create_round(project, "pilot", kind=Round.Kind.PILOT)
    bring(project, draw, range(3, 13), pilot.name)
    assign_texts(project, pilot.texts.order_by("slug"), coders.values(), pilot)
    for number, coding in enumerate(codings(project, "pilot")):
        day = today() - timedelta(days=50 - number // 10)
        name = coding.coder.username
        if (name, coding.text.slug) == ("gus", "text-05"):  # who submits nothing has answered
            submit_coding(coding, coding.coder)
            continue
        work.code(coding, day, ERRORS[name], 0.05 if name in ("fay", "gus") else 0.0)
    draft_gold(project, DraftRequest(Method.MOST, round_name="pilot", adjudicator=adjudicator.username))
    for number, gold in enumerate(Coding.with_gold.filter(round=pilot, kind=Coding.Kind.GOLD).order_by("text__slug")):
        if number < 8:
            own = work.decisions(gold, 0.03)
            changes = [Change(uuid(draw), "judge", one.payload()) for one in own]
            apply(gold, gold.coder, gold.version, changes)
            submit_coding(gold, gold.coder)


def uuid(draw: random.Random) -> UUID:
    return UUID(int=draw.getrandbits(128), version=4)


def _main(project: Project, draw: random.Random, work: Work, coders: Mapping[str, User]) -> None:
    """Give each text to three coders, who have not finished: some is open, some reopened, some not begun."""
    create_round(project, "main", kind=Round.Kind.MAIN)
    bring(project, draw, range(13, 60), "main")
    parameters = PlanParameters(Design.K, k=3, calibration=4, seed=11)
    apply_plan(project, PlanRequest(parameters, "main", tuple(coders)))
    for number, coding in enumerate(codings(project, "main")):
        name = coding.coder.username
        day = today() - timedelta(days=40 - number // 8)
        if number % 23 == 7:
            continue
        submit = number % 19 != 4
        missing = 0.15 if name == "gus" else 0.04
        work.code(coding, day, ERRORS[name], missing, submit=submit)
        if number % 37 == 5 and submit:
            reopen_coding(coding, person(MANAGER), "Look again.")
    apply_repeats(project, RepeatRequest(number=3, days=1, seed=5, round_name="main", coders=("amy", "dan", "eli")))
    for coding in codings(project, "main", occasion=2):
        work.code(coding, today() - timedelta(days=4), ERRORS[coding.coder.username])


def _models(project: Project, work: Work) -> None:
    for name, error in (("robot", 0.22), ("parrot", 0.5)):
        user = add_model(project, name, version="1").membership.user
        for round_name in ("pilot", "main"):
            round_ = project.rounds.get(name=round_name)
            assign_texts(project, round_.texts.order_by("slug")[:20], [user], round_)
            for coding in codings(project, round_name, name):
                work.code(coding, today() - timedelta(days=3), error)


def _recheck(project: Project, work: Work, coders: Mapping[str, User]) -> None:
    """Let two coders code four texts of the pilot again, in a round of its own."""
    again = create_round(project, "recheck", kind=Round.Kind.RECHECK)
    texts = list(project.rounds.get(name="pilot").texts.order_by("slug")[:4])
    add_texts(again, texts)
    assign_texts(project, texts, [coders["amy"], coders["fay"]], again)
    for coding in codings(project, "recheck"):
        work.code(coding, today() - timedelta(days=2), ERRORS[coding.coder.username] / 2)


def _discuss(project: Project) -> None:
    """Flag items, resolve a flag, say something of items, and keep a mapping of categories, by pages and API."""
    client = Client()
    client.force_login(person(MANAGER))
    found = client.get(f"/api/v1/projects/{project.slug}/agreement/items/").json()["results"]
    for place in (0, 1, 2, 7):
        at = f"/projects/{project.slug}/agreement/items/{found[place]['text']}/{found[place]['key']}/"
        client.post(f"{at}flag/", {"on": "1", "reason": REASONS[place % 3]})
        client.post(f"{at}remarks/", {"body": f"What do we say of **{found[place]['words']}**?"})
        if place == 2:
            client.post(f"{at}flag/resolve/", {"on": "1"})
    mapping = {"name": "two", "classes": {"phrase": "refers", "place": "refers"}}
    client.post(f"/api/v1/projects/{project.slug}/agreement/mappings/", mapping, content_type="application/json")


def make_marks() -> None:
    """Make a project of categories alone, in which coders mark the phrases themselves, in texts from a pool."""
    project = manage("marks", CLASSES, coders_mark=True)
    draw = random.Random("marks")
    coders = join(project, ("ivy", "jan", "kit", "lea", "max"))
    for group, names in (("early", ("ivy", "jan")), ("late", ("kit", "lea"))):
        chosen = Membership.objects.filter(project=project, user__username__in=names)
        set_group(project, chosen.values_list("pk", flat=True), group)
    create_round(project, "pooled", kind=Round.Kind.MAIN)
    create_round(project, "shared", kind=Round.Kind.MAIN)
    bring(project, draw, range(40), "pooled", marked=False)
    bring(project, draw, range(40, 60), "shared", marked=False)
    errors = dict(zip(coders, (0.05, 0.1, 0.15, 0.25, 0.35), strict=True))
    pool = PlanParameters(Design.K, k=2, seed=3, pool=True)
    apply_plan(project, PlanRequest(pool, "pooled", tuple(coders)))
    waiting = list(coders)
    while waiting:
        for name in list(waiting):
            try:
                coding = take_next_text(project, coders[name], "pooled")
            except PoolEmpty:
                waiting.remove(name)
            else:
                mark(draw, coding, errors[name])
    assign_texts(
        project,
        project.rounds.get(name="shared").texts.order_by("slug"),
        coders.values(),
        project.rounds.get(name="shared"),
    )
    for coding in codings(project, "shared"):
        mark(draw, coding, errors[coding.coder.username])


def mark(draw: random.Random, coding: Coding, error: float) -> None:
    """Let a coder mark the phrases of a text, sometimes with other borders, and give each a class."""
    content, made, start = coding.text.content, [], 0
    while (start := content.find("the ", start)) >= 0:
        end = content.index(" ", start + 4)
        noun = content[start + 4 : end]
        truth = ("person", "object", "place", "event")[NOUNS.index(noun) % 4]
        kind = draw.choice(["person", "object", "place", "event", "other"]) if draw.random() < error else truth
        first = start + 4 if draw.random() < error / 3 else start
        if draw.random() >= error / 2:
            made.append(decide(f"phrase:{first}-{end}", {"category": kind}))
        start = end
    code(coding, made, today() - timedelta(days=30 - int(coding.text.slug[-2:]) // 2))


FACTS = ("sinking", "rescue", "fog", "number", "dawn", "hotel", "inquiry", "radar")


def make_towers() -> None:
    """Make ten docsets of four summaries and five peers: own pyramids, scored peers, and mostly an agreed pyramid."""
    project = pyramid_project("towers")
    draw = random.Random("towers")
    add_member(project, person(MANAGER), Membership.Role.MANAGER)
    adjudicator = join(project, ["vera"], Membership.Role.ADJUDICATOR)["vera"]
    builders = dict(zip(("ida", "jon", "kay"), (0.1, 0.2, 0.3), strict=True))
    coders = join(project, builders)
    create_round(project, "second", kind=Round.Kind.MAIN)
    for number in range(10):
        names = list(builders) if number % 3 == 0 else list(builders)[:2]
        contents = [summary(draw, number, f"s{place}") for place in range(4)]
        made = docset(
            project,
            summaries=[(f"summary {'ABCD'[place]}", content) for place, content in enumerate(contents)],
            slug=f"set-{number}",
            title=f"Set {number}",
        )
        if number >= 7:
            move_to_round(project, [models_of(made)], "second")
        assign_texts(project, [models_of(made)], [coders[name] for name in names])
        _build_and_hold(draw, made, number, names, builders, adjudicator)


def said(number: int, fact: str, where: str) -> str:
    """Return how a summary says a fact, unlike all others."""
    return f"the {fact} {NOUNS[(number + FACTS.index(fact)) % len(NOUNS)]} {where}{fact}"


def summary(draw: random.Random, number: int, where: str) -> str:
    facts = [fact for fact in FACTS if draw.random() < 0.65] or list(FACTS[:2])
    return " ".join(f"So {said(number, fact, where)} came." for fact in facts)


def _build_and_hold(
    draw: random.Random,
    made: Docset,
    number: int,
    names: Sequence[str],
    errors: Mapping[str, float],
    adjudicator: User,
) -> None:
    models = models_of(made)
    own = codings_of(models)
    for name in names:
        _answer_pyramid(draw, own[name], number, errors[name], [f"s{place}" for place in range(4)], describes=True)
    peers = [
        add_peer(
            made,
            f"{made.slug}-peer-{place}",
            f"Peer {number}.{place}",
            summary(draw, number, f"p{place}"),
            system="ABC"[place % 3],
        )
        for place in range(5)
    ]
    if number >= 7:
        move_to_round(
            made.project, [peer for peer in peers if not peer.rounds.filter(name="second").exists()], "second"
        )
    users = [own[name].coder for name in names]
    assign_peers(made, peers, users, agreed=False)
    if number % 4 != 3:
        agreed = start_agreed_pyramid(made, adjudicator, own[names[0]])
        agreed.refresh_from_db()
        submit_coding(agreed, adjudicator)
        assign_peers(made, peers, users, agreed=True)
    for peer in peers:
        place = peer.slug[-1]
        for coding in peer.codings.order_by("kind", "coder__username").select_related("coder", "text"):
            if draw.random() < 0.06:
                continue
            _answer_pyramid(draw, coding, number, errors[coding.coder.username], [f"p{place}"], describes=False)


def _answer_pyramid(
    draw: random.Random, coding: Coding, number: int, error: float, places: Sequence[str], *, describes: bool
) -> None:
    """Let a coder mark who says which fact; of a pyramid the SCUs, too."""
    content = coding.text.content
    found = [
        (fact, where, said(number, fact, where))
        for where in places
        for fact in FACTS
        if said(number, fact, where) in content
    ]
    changes, used = [], set()
    known = {fact for fact, _, _ in found}
    if not describes:
        of_pyramid = {"kind": Coding.Kind.AGREED} if coding.kind == Coding.Kind.PEER_AGREED else {"coder": coding.coder}
        pyramid = Coding.objects.get(text=models_of(coding.text.docset), **of_pyramid)
        known = set(SCU.objects.filter(coding=pyramid).values_list("key", flat=True))
    for fact, where, words in found:
        if draw.random() < error / 2:
            continue
        scu = draw.choice(sorted(known)) if draw.random() < error / 2 else fact
        words = words.partition(" ")[2] if draw.random() < error else words
        if scu in known and (scu, where) not in used:  # an SCU has one contributor of a summary
            used.add((scu, where))
            changes.append(says(contributor(coding.text, words), scu))
        elif not describes:
            changes.append(says(contributor(coding.text, words)))
    described = (
        [change("describe", scu=scu, label=scu.title()) for scu in sorted({scu for scu, _ in used})]
        if describes
        else []
    )
    send(coding, *described, *changes)
    coding.refresh_from_db()
    submit_coding(coding, coding.coder)
    coding.refresh_from_db()


def make_small(slug: str, n_texts: int, n_coders: int) -> None:
    """Make a project of the dialogue's scheme with few texts and coders, or none."""
    project = manage(slug, SCHEMES["poesio-artstein-2005"])
    draw, work = random.Random(slug), Work(slug, any_plain_answer)
    coders = join(project, ("amy", "bert", "cleo")[:n_coders])
    if n_texts:
        bring(project, draw, range(n_texts))
        assign_texts(project, project.texts.order_by("slug"), coders.values())
    for coding in codings(project, "main"):
        work.code(coding, today() - timedelta(days=5), 0.2 if coding.coder.username != "amy" else 0.0)


def any_plain_answer(draw: random.Random, units: Sequence[str], place: int) -> Answer:
    answer = any_chain_answer(draw, units, place)
    return {name: answer[name] for name in ("category", "pointers") if name in answer}


def make_empty() -> None:
    """Make a project in which two have submitted texts in which they marked nothing."""
    project = manage("empty", CLASSES, coders_mark=True)
    coders = join(project, ("ivy", "jan"))
    bring(project, random.Random("empty"), range(3), marked=False)
    assign_texts(project, project.texts.order_by("slug"), coders.values())
    for coding in codings(project, "main"):
        submit_coding(coding, coding.coder)
