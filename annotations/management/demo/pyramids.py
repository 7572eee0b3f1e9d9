"""The demo's docset: its pyramids, the agreed one, and its peers, as summaries.json has them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from uuid import uuid4

from annotations import actions, docsets, operations
from annotations.decisions import Decision, Description
from annotations.marking import key_of
from annotations.models import Coding, Membership, Project, Text, User
from annotations.operations import Change
from annotations.scus import descriptions_of

NOTHING = "-"
# [words](key of an SCU), as peers are written
MARK = re.compile(r"\[([^\]]*)\]\(([^)]*)\)")

type Person = Callable[[str], User]


def load(project: Project, source: Mapping[str, Any], person: Person) -> None:
    """Fill the project. Raises ValueError where the file names words that no summary has."""
    about = source["docset"]
    docset = docsets.create_docset(project, about["slug"], about["title"], list(about["summaries"].items()))
    models = docset.texts.get(role=Text.Role.MODELS)
    coders = {}
    for name, scus in source["pyramids"].items():
        coders[name] = person(name)
        actions.add_member(project, coders[name], Membership.Role.CODER)
        coding = Coding(text=models, coder=coders[name], kind=Coding.Kind.PYRAMID)
        descriptions = [Description(key, scu["label"]) for key, scu in scus.items()]
        docsets.fill(coding, coders[name], list(_contributors(models, scus)), descriptions)
    _agree(project, models, source["agreed"], person)
    for peer in source["peers"]:
        content, _ = _read(next(iter(peer["marked"].values())))
        text = docsets.add_peer(docset, peer["slug"], peer["title"], content, system=peer["system"])
        for who, marked in peer["marked"].items():
            name, _, agreed = who.partition(" ")
            there, decisions = _read(marked)
            if there != content:
                raise ValueError(f"the peer {peer['slug']} has other words as {who} marked it")
            kind = Coding.Kind.PEER_AGREED if agreed else Coding.Kind.PEER
            docsets.fill(Coding(text=text, coder=coders[name], kind=kind), coders[name], decisions, [])


def _contributors(models: Text, scus: Mapping[str, Any]) -> Iterator[Decision]:
    summaries = {one.label: (one.start, one.end) for one in models.segments.all()}
    for key, scu in scus.items():
        for name, stretches in scu["contributors"].items():
            start, end = summaries[name]
            places = [(models.content.index(words, start, end), len(words)) for words in stretches]
            parts = sorted([place, place + length] for place, length in places)
            yield Decision(key_of("contributor", parts), "scu", indices=(key,))


def _agree(project: Project, models: Text, about: Mapping[str, Any], person: Person) -> None:
    """An adjudicator begins with one coder's pyramid, takes some SCUs away and gives some other labels."""
    adjudicator = person(about["adjudicator"])
    actions.add_member(project, adjudicator, Membership.Role.ADJUDICATOR)
    assert models.docset is not None
    start = Coding.objects.select_related("text", "coder").get(
        text=models, coder__username=about["from"], kind=Coding.Kind.PYRAMID
    )
    agreed = docsets.start_agreed(models.docset, adjudicator, start)
    gone = [one for one in operations.decisions_of(agreed) if set(one.indices) <= set(about["without"])]
    changes = [("unmark", {"markable": one.markable}) for one in gone]
    changes += [("describe", Description(key).payload()) for key in about["without"]]
    said = descriptions_of(agreed)
    changes += [
        ("describe", Description(key, label, said[key]["comment"]).payload()) for key, label in about["labels"].items()
    ]
    operations.apply(agreed, adjudicator, agreed.version, [Change(uuid4(), kind, payload) for kind, payload in changes])
    actions.submit(agreed, adjudicator)


def _read(marked: str) -> tuple[str, list[Decision]]:
    """The words of a peer, and what is marked in it."""
    content, decisions, done = "", [], 0
    for match in MARK.finditer(marked):
        content += marked[done : match.start()]
        key = key_of("contributor", [[len(content), len(content) + len(match[1])]])
        outside = match[2] == NOTHING
        decisions.append(Decision(key, "outside" if outside else "scu", indices=() if outside else (match[2],)))
        content += match[1]
        done = match.end()
    return content + marked[done:], decisions
