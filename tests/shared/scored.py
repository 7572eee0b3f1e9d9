"""What tests of the results of pyramids share: two coders' pyramids of one docset, six peers, and an agreed pyramid."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from annotations.coding.status import submit_coding
from annotations.docsets.agreed_pyramid import start_agreed_pyramid
from annotations.docsets.creation import add_peer
from annotations.models import Coding, Docset, Membership, Project, User
from annotations.planning.work.assignments import assign_peers
from annotations.projects.people.members import add_member
from tests.shared.pyramids import build, codings_of, contributor, docset, models_of, pyramid_project, says, send

SUMMARIES = (
    (
        "summary A",
        "A ferry with ninety passengers struck a sandbank off Marrow Point before dawn. Lifeboats took everyone aboard"
        " to the harbour. The captain said fog had hidden the lights.",
    ),
    (
        "summary B",
        "Before dawn on Tuesday the ferry ran aground near Marrow Point in thick fog. All ninety passengers were saved"
        " by lifeboats. The company will pay for their hotels.",
    ),
    (
        "summary C",
        "Fog was blamed when a ferry hit a sandbank. Volunteers in lifeboats rescued the passengers and crew. An"
        " inquiry begins next week.",
    ),
    (
        "summary D",
        "Ninety people were brought ashore after their ferry ran onto sand. The owner promised to pay for hotels, and"
        " an inquiry will ask why radar was off.",
    ),
)
type Built = Mapping[str, Sequence[str | Sequence[str]]]
ANN: Built = {
    "aground": ["A ferry", "the ferry ran aground", "a ferry hit a sandbank", "their ferry ran onto sand"],
    "rescued": [
        "Lifeboats took everyone aboard to the harbour",
        ["All", "passengers were saved by lifeboats"],
        "Volunteers in lifeboats rescued the passengers and crew",
        "people were brought ashore",
    ],
    "fog": ["fog had hidden the lights", "in thick fog", "Fog was blamed"],
    "ninety": ["ninety passengers", "Ninety"],
    "dawn": ["before dawn", "Before dawn on Tuesday"],
    "hotels": ["The company will pay for their hotels", "The owner promised to pay for hotels"],
    "inquiry": ["An inquiry begins next week", "an inquiry will ask"],
    "radar": ["why radar was off"],
}
BEN: Built = {
    "sand": [
        "A ferry with ninety passengers struck a sandbank",
        "the ferry ran aground near Marrow Point in thick fog",
        ["Fog was blamed", "a ferry hit a sandbank"],
        "their ferry ran onto sand",
    ],
    "saved": [
        "Lifeboats took everyone aboard",
        "All ninety passengers were saved by lifeboats",
        "rescued the passengers",
        "Ninety people were brought ashore",
    ],
    "time": ["before dawn", "Before dawn on Tuesday"],
    "bills": ["The company will pay for their hotels"],
    "owner": ["The owner promised to pay for hotels"],
    "questions": ["An inquiry begins next week", "an inquiry will ask why radar was off"],
    "captain": ["The captain said fog had hidden the lights"],
}
PEERS = (
    "A ferry ran aground in fog before dawn. Everyone was rescued by lifeboats. The captain resigned.",
    "Ninety passengers were saved when a ferry struck sand. The owner pays hotels. Prices fell.",
    "An inquiry will ask why a ferry hit sand in fog. Radar was off. Ninety people were safe.",
    "Hotels were full on Tuesday. The weather was bad. A ferry was late.",
    "Before dawn lifeboats rescued ninety passengers of a ferry. Fog was blamed.",
    "Ferry companies pay for hotels. An inquiry begins.",
)
OF_ANN = {
    "aground": ["A ferry", "a ferry", "Ferry"],
    "rescued": ["rescued", "saved", "safe"],
    "fog": ["fog", "Fog"],
    "ninety": ["Ninety", "ninety"],
    "dawn": ["before dawn", "Before dawn"],
    "hotels": ["pays hotels", "pay for hotels"],
    "inquiry": ["An inquiry"],
    "radar": ["Radar was off"],
}
OF_BEN = {
    "sand": ["A ferry", "a ferry"],
    "saved": ["rescued", "saved"],
    "time": ["before dawn", "Before dawn", "Tuesday"],
    "bills": ["hotels", "Hotels"],
    "questions": ["An inquiry"],
}
OUTSIDE = ("captain resigned", "Prices fell", "weather was bad", "companies")


def people(*names: str) -> list[User]:
    return [User.objects.get_or_create(username=name)[0] for name in names]


def harbour(slug: str = "harbour", *, peers: int = len(PEERS), agreed: bool = True) -> Project:
    """Make a project in which Ann and Ben have built pyramids and held peers against them and the agreed pyramid."""
    ann, ben, manager, adjudicator = people("ann", "ben", "charlie", "adam")
    project = pyramid_project(slug)
    add_member(project, manager, Membership.Role.MANAGER)
    add_member(project, adjudicator, Membership.Role.ADJUDICATOR)
    add_docset(project, docset(project, ann, ben, summaries=SUMMARIES), peers, adjudicator if agreed else None)
    return project


def add_docset(project: Project, made: Docset, peers: int, adjudicator: User | None) -> None:
    ann, ben = people("ann", "ben")
    codings = codings_of(models_of(made))
    build(codings["ann"], ANN)
    build(codings["ben"], BEN)
    texts = [
        add_peer(made, f"{made.slug}-{number}", f"Peer {number}", content, system="ABC"[number % 3])
        for number, content in enumerate(PEERS[:peers], start=1)
    ]
    assign_peers(made, texts, [ann, ben], agreed=False)
    for text in texts:
        own = codings_of(text)
        hold(own["ann"], OF_ANN)
        hold(own["ben"], OF_BEN)
    if adjudicator is None:
        return
    agreed = start_agreed_pyramid(made, adjudicator, codings["ann"])
    agreed.refresh_from_db()
    submit_coding(agreed, adjudicator)
    assign_peers(made, texts, [ann, ben], agreed=True)
    for number, text in enumerate(texts):
        missed = ("fog", "rescued") if number % 2 else ("ninety",)
        for coding in text.codings.of_people().filter(kind=Coding.Kind.PEER_AGREED).select_related("coder", "text"):
            hold(coding, OF_ANN, missed if coding.coder.username == "ben" else ())


def hold(coding: Coding, found: Mapping[str, Collection[str]], missed: Collection[str] = ()) -> None:
    """Mark in a peer the words of each SCU that are there, and submit it."""
    content = coding.text.content
    said = [
        says(contributor(coding.text, words), scu)
        for scu, several in found.items()
        if scu not in missed
        for words in several
        if words in content
    ]
    send(coding, *said, *(says(contributor(coding.text, words)) for words in OUTSIDE if words in content))
    coding.refresh_from_db()
    submit_coding(coding, coding.coder)
