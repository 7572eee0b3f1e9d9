"""Create a project from its archive, completely or not at all, in a fixed number of statements."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import DataError, IntegrityError, transaction
from django.db.models import Value
from django.db.models.functions import Lower

from annotations.coding.active_time import count_active_time
from annotations.core.database.bulk import insert, reserve_keys
from annotations.core.processes.progress import Progress
from annotations.core.text import pluralize
from annotations.formats import Finding, FormatError
from annotations.formats.project import Kind, Table, read
from annotations.models import Coding, Membership, Project, User
from annotations.models.people.rights import ROLES_SEEING_ALL_WORK
from annotations.models.project import RESERVED_SLUGS
from annotations.projects.people.accounts import record_origin
from annotations.projects.people.members import refuse_accounts
from annotations.transfers.archiving.checking import check_tables, models_in, usernames_in
from annotations.transfers.archiving.tables import TABLES, Archive, ArchivedTable, archived_fields, shape_of
from annotations.transfers.importing.report import ImportFailed, describe_findings, summaries

MAX_FILES = 100
# The steps: read, check, create accounts, write.
STEPS = 4
TAKEN = "There is a project {!r} already; choose another address."


@dataclass(slots=True)
class RestoreReport:
    """The contents of a restored project; for a trial `project` is None."""

    slug: str
    project: Project | None
    archive: Archive
    new_people: list[str] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    def warnings(self) -> list[str]:
        """Return a line for each kind of finding: the first finding and the number of others."""
        return summaries(self.findings)

    def as_json(self) -> dict[str, Any]:
        return {"summary": str(self), "new_coders": self.new_people, "odd": describe_findings(self.findings)}

    def __str__(self) -> str:
        return f"{self.archive}" + (f", {pluralize(len(self.new_people), 'new account')}" if self.new_people else "")


def restore_project(
    data: bytes,
    *,
    slug: str | None = None,
    by: User | None = None,
    trial: bool = False,
    file: str = "the archive",
    progress: Progress | None = None,
    written: Callable[[RestoreReport], None] | None = None,
) -> RestoreReport:
    """Create a project from an archive, with this slug or (None) its old slug; `by` becomes a manager.

    `file` names the zip in messages; `written` is called last in the transaction. Raise FormatError if the archive is
    invalid, ImportFailed if it cannot be restored here. After an error or a `trial` nothing is changed.
    """
    shapes = [shape_of(archived) for archived in TABLES]
    tables = read(data, shapes, file, most_files=MAX_FILES, most_bytes=settings.ARCHIVE_MAX_BYTES)
    tables = _add_fields(tables)
    progress = progress or (lambda *_: None)
    progress(1, STEPS)
    findings = check_tables(tables)
    progress(2, STEPS)
    slug = _free_slug(tables["project"]["slug"][0] if slug is None else slug)
    archive = Archive({name: len(table) for name, table in tables.items()})
    with transaction.atomic():
        accounts, new_usernames = _accounts(tables)
        progress(3, STEPS)
        project = _write(tables, slug, {name: user.pk for name, user in accounts.items()})
        count_active_time(Coding.objects.filter(text__project=project))
        record_origin(project, *(user for user in accounts.values() if user.username in new_usernames))
        if by is not None:
            _make_manager(project, by)
        report = RestoreReport(slug, None if trial else project, archive, new_usernames, findings)
        if trial:
            transaction.set_rollback(True)
        else:
            progress(STEPS, STEPS)
            if written is not None:
                written(report)
    return report


def _add_fields(tables: Mapping[str, Table]) -> dict[str, Table]:
    """Return the tables, with defaults for fields that are newer than the archive."""
    return {
        archived.name: Table(
            shape_of(archived),
            {
                name: tables[archived.name].columns.get(name, [field.get_default()] * len(tables[archived.name]))
                for name, field in archived_fields(archived).items()
            },
        )
        for archived in TABLES
    }


def _free_slug(slug: str) -> str:
    """Return the slug. Raise ImportFailed if it is invalid or not free."""
    try:
        Project._meta.get_field("slug").clean(slug, None)
    except ValidationError as error:
        raise ImportFailed(f"The address {slug!r} is none: {' '.join(error.messages)}") from None
    if slug in RESERVED_SLUGS:
        raise ImportFailed(f"The address {slug!r} is taken by a page; choose another.")
    if Project.objects.filter(slug=slug).exists():
        raise ImportFailed(TAKEN.format(slug))
    return slug


def _accounts(tables: Mapping[str, Table]) -> tuple[dict[str, User], list[str]]:
    """Return the users by username of the archive, matched without regard to case, and the new users' names."""
    first_rows = usernames_in(tables)
    lowered: dict[str, str] = {}
    for name, (table, row) in first_rows.items():
        if lowered.setdefault(name.lower(), name) != name:
            raise table.error(row, f"{name!r} and {lowered[name.lower()]!r} are the same name here")
    existing = User.objects.annotate(lowered=Lower("username")).filter(
        lowered__in=[Lower(Value(name)) for name in first_rows]
    )
    users: dict[str, User] = {user.username.lower(): user for user in existing}
    renamed = _rename_models({users[name.lower()] for name in models_in(tables) if name.lower() in users})
    for name in renamed:
        del users[name]
    created = [_account(name, *first_row) for name, first_row in first_rows.items() if name.lower() not in users]
    if refusal := refuse_accounts(len(created)):
        raise ImportFailed(f"{len(created)} people of the archive have no account here. {refusal}")
    for user in created:
        user.username = renamed.get(user.username.lower(), user.username)
    try:
        # A savepoint: another request may create the same account at this moment.
        with transaction.atomic():
            User.objects.bulk_create(created)
    except IntegrityError as error:
        raise ImportFailed(f"An account cannot be made; try again. ({error})") from error
    archived = {new: name for name, new in renamed.items()}
    users |= {archived.get(user.username, user.username.lower()): user for user in created}
    return {name: users[name.lower()] for name in first_rows}, sorted(user.username for user in created)


def _rename_models(accounts: set[User]) -> dict[str, str]:
    """Return new names, by lowered name, for models called like accounts in use, whose tokens they would share."""
    used = {
        user
        for user in accounts
        if user.has_usable_password() or user.memberships.exists() or user.tokens.exists() or user.is_staff
    }
    renamed = {}
    for user in sorted(used, key=User.get_username):
        names = (f"{user.username[:140]}-{number}" for number in count(2))
        renamed[user.username.lower()] = next(
            name for name in names if not User.objects.filter(username__iexact=name).exists()
        )
    return renamed


def _account(name: str, table: Table, row: int) -> User:
    user = User(username=name)
    user.set_unusable_password()
    try:
        user.clean_fields(exclude=["password"])
    except ValidationError as error:
        raise table.error(row, f"{name!r} cannot be a person's name: {' '.join(error.messages)}") from None
    return user


def _write(tables: Mapping[str, Table], slug: str, accounts: Mapping[str, int]) -> Project:
    referenced = {field.to for table in tables.values() for field in table.shape.fields}
    keys: dict[str, Sequence[int]] = {}
    project: Project | None = None
    for archived in TABLES:
        table = tables[archived.name]
        columns: dict[str, Sequence[Any]] = {}
        if archived.name in referenced:
            columns["id"] = keys[archived.name] = reserve_keys(archived.model, len(table))
        for model_field in table.shape.fields:
            column = table[model_field.name]
            if model_field.kind is Kind.PERSON:
                column = [None if name is None else accounts[name] for name in column]
            elif model_field.kind is Kind.ROW:
                column = [None if line is None else keys[model_field.to][line - 1] for line in column]
            columns[model_field.name] = column
        if project is None:
            columns |= {"slug": [slug], "scheme_stamp": [uuid4()]}
        else:
            of_project = (field for field in archived.model._meta.concrete_fields if field.related_model is Project)
            columns |= {field.name: [project.pk] * len(table) for field in of_project}
        _insert(archived, table, columns)
        if project is None:
            project = Project.objects.get(slug=slug)
    assert project is not None
    return project


def _insert(archived: ArchivedTable, table: Table, columns: Mapping[str, Sequence[Any]]) -> None:
    if not len(table):
        return
    try:
        insert(archived.model, list(columns), zip(*columns.values(), strict=True))
    except (IntegrityError, DataError) as error:
        if archived.model is Project and isinstance(error, IntegrityError):  # everything else is checked already
            raise ImportFailed(TAKEN.format(columns["slug"][0])) from error
        # PostgreSQL adds lines about its own keys.
        reason = str(error).partition("\n")[0]
        raise FormatError(f"the database refuses these rows: {reason}", table.shape.file) from error


def _make_manager(project: Project, by: User) -> None:
    """Make the user a manager. Raise ImportFailed if the user codes here and must not see the work of others."""
    membership = Membership.objects.filter(project=project, user=by).first()
    blind = membership is None or membership.role not in ROLES_SEEING_ALL_WORK
    if blind and Coding.objects.of_people().filter(text__project=project, coder=by).exists():
        raise ImportFailed(
            f"{by} codes texts of this project and must stay blind to the others; somebody else has to restore it."
        )
    Membership.objects.update_or_create(project=project, user=by, defaults={"role": Membership.Role.MANAGER})
