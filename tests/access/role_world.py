"""The world in which every route is asked: two projects, the same two elsewhere under other names, and all roles."""

from __future__ import annotations

from datetime import timedelta
from types import SimpleNamespace

from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from agreement.actions import remark, set_flag
from agreement.models import Computation
from annotations import actions, docsets, invitations, transfers
from annotations.formats import plain
from annotations.importing import Coded, import_documents
from annotations.models import Coding, Project, Text, User
from annotations.schemes import SCHEMES
from annotations.tokens import make_token
from tests.conftest import DIALOGUE, judge
from tests.pyramids import SUMMARIES, build, contributor, models_of, pyramid_project
from tests.test_docsets import SINKING
from tests.test_import_page import CONLL

PASSWORD = "correct horse battery"
MILK = "Please pour out [the milk](a) for [the two cats](b), if [it](c) is not sour.\n"
# Of which all is called otherwise elsewhere: nothing there has a name that means something here.
HERE = SimpleNamespace(
    name="here", slug="tea", marked=DIALOGUE, scheme="poesio-artstein-2005", level="phrase", category="place",
    a="the kettle", b="the stove", pyramids="ferry", docset="sinking", agreed="rescue", done="boats", peer="swimmers",
    summaries=SUMMARIES,
    people=("alice", "bob", "vera", "adam", "charlie"),
)  # fmt: skip
ELSEWHERE = SimpleNamespace(
    name="elsewhere", slug="milk", marked=MILK, scheme="muc-ident", level="phrase", category="ident",
    a="the milk", b="the two cats", pyramids="raft", docset="floating", agreed="landing", done="oars", peer="walkers",
    summaries=[(name, f"Well. {content}") for name, content in SUMMARIES],
    people=("ewan", "eric", "edna", "enid", "elsa"),
)  # fmt: skip
ROLES = (
    "anonymous", "outsider", "viewer", "coder", "other coder", "adjudicator", "manager elsewhere", "manager",
    "site staff", "superuser",
)  # fmt: skip


def upload(name: str = "dog.conll", content: str = CONLL) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content.encode())


def make_world(names: SimpleNamespace = HERE) -> SimpleNamespace:
    """`here` and `elsewhere` have the same things under the same names; `roles` has who asks."""
    here, elsewhere = _half(names), _half(ELSEWHERE)
    outsider, staff = _person("mallory"), _person("stan", is_staff=True)
    root = _person("root", is_staff=True, is_superuser=True)
    for half in (here, elsewhere):
        half.outsider = outsider
    roles = [None, outsider, here.viewer, here.coder, here.other, here.adjudicator, elsewhere.manager, here.manager]
    return SimpleNamespace(here=here, elsewhere=elsewhere, roles=dict(zip(ROLES, [*roles, staff, root], strict=True)))


def _person(name: str, **more: bool) -> User:
    user: User = User.objects.create_user(name, password=PASSWORD, **more)
    return user


def _half(names: SimpleNamespace) -> SimpleNamespace:
    """A project of texts and one of pyramids, of the same people, with one of everything that a route may name."""
    coder, other, viewer, adjudicator, manager = (_person(name) for name in names.people)
    half = SimpleNamespace(
        coder=coder, other=other, viewer=viewer, adjudicator=adjudicator, manager=manager, names=names
    )
    half.next = _person(f"{names.name}-next")
    _texts(half, names)
    _pyramids(half, names)
    return half


def _join(half: SimpleNamespace, project: Project) -> None:
    for user, role in (
        (half.manager, "manager"),
        (half.coder, "coder"),
        (half.other, "coder"),
        (half.viewer, "viewer"),
        (half.adjudicator, "adjudicator"),
        (half.next, "adjudicator"),
    ):
        actions.add_member(project, user, role)


def _texts(half: SimpleNamespace, names: SimpleNamespace) -> None:
    project = actions.create_project(names.slug, names.slug.title(), SCHEMES[names.scheme])
    import_documents(project, [Coded(plain.parse(names.marked, f"{names.slug}.txt"), None)])
    _join(half, project)
    text = project.texts.get()
    actions.assign(project, [text], [half.coder, half.other])
    codings = {coding.coder: coding for coding in text.codings.select_related("coder", "text")}
    half.project, half.text, half.coding, half.handed_in = project, text, codings[half.coder], codings[half.other]
    half.level = project.levels.get(key=names.level)
    half.category = project.categories.get(key=names.category)
    marked = {text.content[one.start : one.end]: one for one in text.markables.filter(level__coded=True)}
    half.markable, half.target = marked[names.b], marked[names.a]
    if names.name == "here":
        judge(half.coding, half.target.key, "place")
        judge(half.handed_in, half.target.key, "none")
        judge(half.handed_in, half.markable.key, "phrase", half.target.key)
    actions.submit(half.handed_in, half.other)
    half.membership = project.memberships.get(user=half.viewer)
    half.invitation, half.secret = invitations.invite(project, "coder", half.manager, days=7)
    half.remark = remark(half.target, half.manager, "What of this?")
    set_flag(half.markable, half.manager, on=True)
    half.computation = Computation.objects.create(
        project=project, kind="grid", state="s", parameters={}, finished_at=timezone.now() - timedelta(days=1)
    )
    half.token, half.key = make_token(half.coder, "notebook", "read", 30)
    bring = {"coder_from": "nobody", "predefined": False, "create": False, "options": {}}
    half.imported = transfers.order_import(project, half.manager, [upload()], "conll2012", bring)
    take = {"coders": [], "texts": [], "unfinished": True, "options": {}}
    half.exported = transfers.order_export(project, half.viewer, "jsonlines", take)
    half.taken = transfers.order_export(project, half.viewer, "jsonlines", take)
    assert transfers.carry_out(half.taken, half.viewer)


def _pyramids(half: SimpleNamespace, names: SimpleNamespace) -> None:
    """A docset with a pyramid at work, one that is handed in and a peer; one with two pyramids and an agreed one."""
    project = pyramid_project(names.pyramids)
    _join(half, project)
    half.pyramids = project
    half.docset = docsets.create_docset(project, names.docset, names.docset.title(), names.summaries)
    half.models = models_of(half.docset)
    actions.assign(project, [half.models], [half.coder, half.other])
    half.peer = docsets.add_peer(half.docset, names.peer, names.peer.title(), "The ferry sank. Forty swam.")
    half.pyramid = _pyramid_of(half.models, half.coder)
    build(_pyramid_of(half.models, half.other), SINKING)
    half.contributor = contributor(half.models, "Boats saved forty people")
    half.agreed_docset = docsets.create_docset(project, names.agreed, names.agreed.title(), names.summaries)
    half.agreed_models = models_of(half.agreed_docset)
    actions.assign(project, [half.agreed_models], [half.coder, half.other])
    handed_in, _ = (build(_pyramid_of(half.agreed_models, one), SINKING) for one in (half.other, half.coder))
    half.agreed = docsets.start_agreed(half.agreed_docset, half.adjudicator, handed_in)
    half.start = _pyramid_of(half.models, half.other)
    first = half.agreed_models.content.index("ferry")
    half.word = half.agreed_models.markables.get(level__key="word", start=first)
    done = docsets.create_docset(project, names.done, names.done.title(), names.summaries)
    half.done_models = models_of(done)
    actions.assign(project, [half.done_models], [half.other])
    handed_in = build(_pyramid_of(half.done_models, half.other), {"sank": ["The ferry sank"]})
    actions.submit(docsets.start_agreed(done, half.adjudicator, handed_in), half.adjudicator)


def _pyramid_of(models: Text, coder: User) -> Coding:
    return models.codings.select_related("coder", "text").get(coder=coder, kind=Coding.Kind.PYRAMID)
