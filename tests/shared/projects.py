"""The project of most tests: a dialogue that Alice and Bob have to code and Charlie manages."""

from annotations.formats import plain
from annotations.models import Membership, Project, User
from annotations.planning.work.assignments import assign_texts
from annotations.projects.creation import create_project
from annotations.schemes.ready_made import SCHEMES
from annotations.transfers.importing.documents import import_documents
from annotations.transfers.importing.files.source_document import SourceDocument

DIALOGUE = """\
#title: Tea
#turns: turn
1 M: put [the kettle](a) on [the stove](b)
2 S: is [it](c) hot?
3 M: [it](d) will be, give [it](e) a minute
4 S: [that](f) is fine
"""


def person(name: str) -> User:
    return User.objects.get_or_create(username=name)[0]


def make_project(slug: str = "tea", scheme: str = "poesio-artstein-2005", marked: str = DIALOGUE) -> Project:
    """Make a project with one text, "tea"."""
    project = create_project(slug, slug.title(), SCHEMES[scheme])
    document = plain.parse(marked, "tea.txt")
    import_documents(project, [SourceDocument(document, None)])
    return project


def make_shared_project() -> Project:
    """Make the project of the dialogue, which Alice and Bob have to code and Charlie manages."""
    project = make_project()
    alice, bob, charlie = map(person, ("alice", "bob", "charlie"))
    # Hundreds of tests have this project: the checks of `add_member` have tests of their own.
    roles = {charlie: Membership.Role.MANAGER, alice: Membership.Role.CODER, bob: Membership.Role.CODER}
    Membership.objects.bulk_create(Membership(project=project, user=user, role=roles[user]) for user in roles)
    assign_texts(project, project.texts.all(), [alice, bob])
    return project
