"""Load the demo's docset from summaries.json: its pyramids, the agreed pyramid, and its peers."""

import re
from collections.abc import Iterator, Mapping
from typing import Any
from uuid import uuid4

from annotations.coding import operations
from annotations.coding.decisions import Decision, Description
from annotations.coding.judgements import decisions_of
from annotations.coding.operations import Change
from annotations.coding.pyramids.scus import scu_descriptions
from annotations.coding.status import submit_coding
from annotations.docsets.agreed_pyramid import fill_coding, start_agreed_pyramid
from annotations.docsets.creation import add_peer, create_docset
from annotations.formats.model.keys import markable_key
from annotations.management.demo.work import person
from annotations.models import Coding, Membership, Project, Text
from annotations.projects.people.members import add_member

NOTHING = "-"
# [words](key of an SCU), the notation of peers
MARK = re.compile(r"\[([^\]]*)\]\(([^)]*)\)")


def load(project: Project, source: Mapping[str, Any]) -> None:
    """Fill the project. Raise ValueError if the file has words that no summary has."""
    fields = source["docset"]
    docset = create_docset(project, fields["slug"], fields["title"], list(fields["summaries"].items()))
    models = docset.texts.get(role=Text.Role.MODELS)
    coders = {}
    for name, scus in source["pyramids"].items():
        coders[name] = person(name)
        add_member(project, coders[name], Membership.Role.CODER)
        coding = Coding(text=models, coder=coders[name], kind=Coding.Kind.PYRAMID, round=models.rounds.get())
        descriptions = [Description(key, scu["label"]) for key, scu in scus.items()]
        fill_coding(coding, coders[name], list(_contributors(models, scus)), descriptions)
    _agree(project, models, source["agreed"])
    for peer in source["peers"]:
        content, _ = _read(next(iter(peer["marked"].values())))
        text = add_peer(docset, peer["slug"], peer["title"], content, system=peer["system"])
        for coder_text, marked in peer["marked"].items():
            name, _, agreed = coder_text.partition(" ")
            marked_content, decisions = _read(marked)
            if marked_content != content:
                raise ValueError(f"the peer {peer['slug']} has other words as {coder_text} marked it")
            kind = Coding.Kind.PEER_AGREED if agreed else Coding.Kind.PEER
            coding = Coding(text=text, coder=coders[name], kind=kind, round=text.rounds.get())
            fill_coding(coding, coders[name], decisions, [])


def _contributors(models: Text, scus: Mapping[str, Any]) -> Iterator[Decision]:
    summaries = {segment.label: (segment.start, segment.end) for segment in models.segments.all()}
    for key, scu in scus.items():
        for name, words_list in scu["contributors"].items():
            start, end = summaries[name]
            spans = [(models.content.index(words, start, end), len(words)) for words in words_list]
            parts = sorted([position, position + length] for position, length in spans)
            yield Decision(markable_key("contributor", parts), category="scu", indices=(key,))


def _agree(project: Project, models: Text, fields: Mapping[str, Any]) -> None:
    """Create the agreed pyramid: one coder's pyramid without some SCUs and with some other labels."""
    adjudicator = person(fields["adjudicator"])
    add_member(project, adjudicator, Membership.Role.ADJUDICATOR)
    assert models.docset is not None
    start = (
        Coding.objects.of_people()
        .select_related("text", "coder", "round")
        .get(text=models, coder__username=fields["from"], kind=Coding.Kind.PYRAMID)
    )
    agreed = start_agreed_pyramid(models.docset, adjudicator, start)
    removed = [decision for decision in decisions_of(agreed) if set(decision.indices) <= set(fields["without"])]
    changes = [("unmark", {"markable": decision.markable}) for decision in removed]
    changes += [("describe", Description(key).payload()) for key in fields["without"]]
    descriptions = scu_descriptions(agreed)
    changes += [
        ("describe", Description(key, label, descriptions[key]["comment"]).payload())
        for key, label in fields["labels"].items()
    ]
    operations.apply(agreed, adjudicator, agreed.version, [Change(uuid4(), kind, payload) for kind, payload in changes])
    submit_coding(agreed, adjudicator)


def _read(marked: str) -> tuple[str, list[Decision]]:
    """Return the content of a peer, and the decisions marked in it."""
    content, decisions, position = "", [], 0
    for match in MARK.finditer(marked):
        content += marked[position : match.start()]
        key = markable_key("contributor", [[len(content), len(content) + len(match[1])]])
        outside = match[2] == NOTHING
        decisions.append(
            Decision(key, category="outside" if outside else "scu", indices=() if outside else (match[2],))
        )
        content += match[1]
        position = match.end()
    return content + marked[position:], decisions
