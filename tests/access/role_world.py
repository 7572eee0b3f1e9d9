"""The world in which every route is asked: two projects, the same two elsewhere under other names, and all roles."""

from __future__ import annotations

from datetime import timedelta
from types import SimpleNamespace

from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from agreement.discussion import add_remark, set_flag
from agreement.models import Computation
from annotations.adjudication.ownership import open_gold
from annotations.coding.status import submit_coding
from annotations.docsets.agreed_pyramid import start_agreed_pyramid
from annotations.docsets.creation import add_peer, create_docset
from annotations.formats import plain
from annotations.models import Coding, Project, Text, User
from annotations.planning.rounds import create_round
from annotations.planning.work.assignments import assign_texts
from annotations.projects.creation import create_project
from annotations.projects.guidelines import record_guidelines
from annotations.projects.people import invitations
from annotations.projects.people.members import add_member
from annotations.projects.people.model_coders import add_model, make_key
from annotations.projects.people.tokens import create_token
from annotations.projects.permissions import coding_token
from annotations.schemes.ready_made import SCHEMES
from annotations.texts.questions import ask, reply_to
from annotations.transfers import orders
from annotations.transfers.importing.documents import import_documents
from annotations.transfers.importing.files.source_document import SourceDocument
from annotations.transfers.importing.options import ImportOptions
from tests.annotations.docsets.test_creation import SINKING
from tests.annotations.web.transfers.test_import import CONLL
from tests.shared.coding import judge, judge_rest
from tests.shared.projects import DIALOGUE
from tests.shared.pyramids import SUMMARIES, build, contributor, models_of, pyramid_project

PASSWORD = "correct horse battery"
MILK = "Please pour out [the milk](a) for [the two cats](b), if [it](c) is not sour.\n"
# Of which all is called otherwise elsewhere: nothing there has a name that means something here.
HERE = SimpleNamespace(
    name="here", slug="tea", marked=DIALOGUE, scheme="poesio-artstein-2005", level="phrase", category="place",
    a="the kettle", b="the stove", pyramids="ferry", docset="sinking", agreed="rescue", done="boats", peer="swimmers",
    summaries=SUMMARIES, round="trial", drill="drill", draft="draft",
    people=("alice", "bob", "vera", "adam", "charlie", "maya"),
)  # fmt: skip
ELSEWHERE = SimpleNamespace(
    name="elsewhere", slug="milk", marked=MILK, scheme="muc-ident", level="phrase", category="ident",
    a="the milk", b="the two cats", pyramids="raft", docset="floating", agreed="landing", done="oars", peer="walkers",
    summaries=[(name, f"Well. {content}") for name, content in SUMMARIES],
    round="probe", drill="lesson", draft="sketch",
    people=("ewan", "eric", "edna", "enid", "elsa", "emma"),
)  # fmt: skip
ROLES = (
    "anonymous", "outsider", "viewer", "coder", "other coder", "adjudicator", "manager elsewhere", "manager",
    "manager and coder", "site staff", "superuser",
)  # fmt: skip


def upload(name: str = "dog.conll", content: str = CONLL) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content.encode())


def make_world(names: SimpleNamespace = HERE) -> SimpleNamespace:
    """Make `here` and `elsewhere`, which have the same things under the same names, and the users of all `roles`."""
    here, elsewhere = _half(names), _half(ELSEWHERE)
    outsider, staff = _person("mallory"), _person("stan", is_staff=True)
    root = _person("root", is_staff=True, is_superuser=True)
    for half in (here, elsewhere):
        half.outsider = outsider
    roles = [None, outsider, here.viewer, here.coder, here.other, here.adjudicator, elsewhere.manager, here.manager]
    roles.append(here.both)
    return SimpleNamespace(here=here, elsewhere=elsewhere, roles=dict(zip(ROLES, [*roles, staff, root], strict=True)))


def _person(name: str, **more: bool) -> User:
    user: User = User.objects.create_user(name, password=PASSWORD, **more)
    return user


def _half(names: SimpleNamespace) -> SimpleNamespace:
    """Make a project of texts and one of pyramids, of the same people, with one of everything that a route may name."""
    coder, other, viewer, adjudicator, manager, both = (_person(name) for name in names.people)
    half = SimpleNamespace(
        coder=coder, other=other, viewer=viewer, adjudicator=adjudicator, manager=manager, both=both, names=names
    )
    half.next = _person(f"{names.name}-next")
    half.third = _person(f"{names.name}-third")
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
        add_member(project, user, role)


def _texts(half: SimpleNamespace, names: SimpleNamespace) -> None:
    project = create_project(names.slug, names.slug.title(), SCHEMES[names.scheme])
    import_documents(project, [SourceDocument(plain.parse(names.marked, f"{names.slug}.txt"), None)])
    _join(half, project)
    add_member(project, half.third, "coder")
    add_member(project, half.both, "manager-coder")
    text = project.texts.get()
    assign_texts(project, [text], [half.coder, half.other, half.third, half.both])
    half.model = add_model(project, f"{names.name}-model")
    make_key(half.model, 30)
    half.round = create_round(project, names.round)
    codings = {coding.coder: coding for coding in text.codings.of_people().select_related("coder", "text")}
    half.project, half.text, half.coding, half.handed_in = project, text, codings[half.coder], codings[half.other]
    half.compared = codings[half.third]
    _training(half, names)
    half.level = project.levels.get(key=names.level)
    half.category = project.categories.get(key=names.category)
    marked = {text.content[item.start : item.end]: item for item in text.markables.filter(level__coded=True)}
    half.markable, half.target = marked[names.b], marked[names.a]
    if names.name == "here":
        judge(half.coding, half.target.key, "place")
        judge(half.handed_in, half.target.key, "none")
        judge(half.handed_in, half.markable.key, "phrase", half.target.key)
        judge(half.compared, half.target.key, "place")
    submit_coding(half.handed_in, half.other)
    submit_coding(half.compared, half.third)
    half.membership = project.memberships.get(user=half.viewer)
    half.invitation, half.secret = invitations.invite(project, "coder", half.manager, days=7)
    half.remark = add_remark(half.target, half.manager, "What of this?")
    set_flag(half.markable, half.manager, on=True)
    half.question = ask(text, half.coder, "What of this?", half.target.key)
    reply_to(half.question, half.manager, "See the guidelines.")
    project.guidelines = "Read."
    project.save()
    record_guidelines(project, None)
    # Of one that has not begun, the page says after some seconds that no worker is running.
    yesterday = timezone.now() - timedelta(days=1)
    half.computation = Computation.objects.create(
        project=project, kind="grid", state="s", parameters={}, done=1, total=1, finished_at=yesterday
    )
    half.token, half.key = create_token(half.coder, "notebook", "read", 30)
    bring = {"coder_from": "nobody", "predefined": False, "create": False, "options": {}}
    half.imported = orders.order_import(project, half.manager, [upload()], "conll2012", bring)
    take = {"coders": [], "texts": [], "unfinished": True, "options": {}}
    half.exported = orders.order_export(project, half.viewer, "jsonlines", take)
    half.taken = orders.order_export(project, half.viewer, "jsonlines", take)
    assert orders.carry_out(half.taken, half.viewer)


def _training(half: SimpleNamespace, names: SimpleNamespace) -> None:
    """Make a round of training: of one text the gold is open, of the other it and a coder's work are submitted."""
    half.training = create_round(half.project, names.drill, kind="training")
    for name in (names.drill, names.draft):
        document = plain.parse(names.marked.replace(names.slug.title(), name.title()), f"{name}.txt")
        import_documents(half.project, [SourceDocument(document, None)], ImportOptions(round_name=names.drill))
        gold = open_gold(half.project, half.project.texts.get(slug=name), names.drill, half.adjudicator)
        judge_rest(gold)
    half.draft = gold.text
    half.drafted = half.draft.markables.filter(level__coded=True).first()
    half.drill = half.project.texts.get(slug=names.drill)
    submit_coding(Coding.objects.get(text=half.drill, kind="gold"), half.adjudicator)
    assign_texts(half.project, [half.drill], [half.other], half.training)
    trained = half.drill.codings.of_people().select_related("coder", "text__project", "round").get()
    submit_coding(trained, half.other)
    half.feedback_token = coding_token(trained)


def _pyramids(half: SimpleNamespace, names: SimpleNamespace) -> None:
    """Make one docset with an open pyramid, a submitted one and a peer; make others with agreed pyramids."""
    project = pyramid_project(names.pyramids)
    _join(half, project)
    half.pyramids = project
    half.docset = create_docset(project, names.docset, names.docset.title(), names.summaries)
    half.models = models_of(half.docset)
    assign_texts(project, [half.models], [half.coder, half.other])
    half.peer = add_peer(half.docset, names.peer, names.peer.title(), "The ferry sank. Forty swam.")
    half.pyramid = _pyramid_of(half.models, half.coder)
    build(_pyramid_of(half.models, half.other), SINKING)
    half.contributor = contributor(half.models, "Boats saved forty people")
    half.agreed_docset = create_docset(project, names.agreed, names.agreed.title(), names.summaries)
    half.agreed_models = models_of(half.agreed_docset)
    assign_texts(project, [half.agreed_models], [half.coder, half.other])
    handed_in, _ = (build(_pyramid_of(half.agreed_models, coder), SINKING) for coder in (half.other, half.coder))
    half.agreed = start_agreed_pyramid(half.agreed_docset, half.adjudicator, handed_in)
    half.start = _pyramid_of(half.models, half.other)
    first = half.agreed_models.content.index("ferry")
    half.word = half.agreed_models.markables.get(level__key="word", start=first)
    done = create_docset(project, names.done, names.done.title(), names.summaries)
    half.done_models = models_of(done)
    assign_texts(project, [half.done_models], [half.other])
    handed_in = build(_pyramid_of(half.done_models, half.other), {"sank": ["The ferry sank"]})
    submit_coding(start_agreed_pyramid(done, half.adjudicator, handed_in), half.adjudicator)


def _pyramid_of(models: Text, coder: User) -> Coding:
    return models.codings.of_people().select_related("coder", "text").get(coder=coder, kind=Coding.Kind.PYRAMID)
