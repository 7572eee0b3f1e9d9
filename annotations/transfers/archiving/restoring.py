"""The archive of a project -> a new project, wholly or not at all, in a fixed number of statements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import DataError, IntegrityError, transaction
from django.db.models import Value
from django.db.models.functions import Lower

from annotations.archiving.checking import check, people
from annotations.archiving.reading import Archive
from annotations.archiving.tables import TABLES, Archived, shape_of
from annotations.bulk import insert, reserve
from annotations.formats import Finding, FormatError
from annotations.formats.project import Kind, Table, read
from annotations.importing import ImportFailed
from annotations.importing.report import in_short, number
from annotations.models import Coding, Membership, Project, User
from annotations.models.project import RESERVED_SLUGS
from annotations.permissions import ROLES_THAT_SEE_ALL_WORK

MOST_FILES = 100


@dataclass(slots=True)
class Restored:
    """What came back, or would come back where it was a trial: then there is no project."""

    slug: str
    project: Project | None
    archive: Archive
    new_people: list[str] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    def odd(self) -> list[str]:
        """The findings in short: of each kind how many there are, and the first of them."""
        return in_short(self.findings)

    def __str__(self) -> str:
        made = f", {number(len(self.new_people), 'new account')}" if self.new_people else ""
        return f"{self.archive}{made}"


def restore_project(
    data: bytes,
    *,
    slug: str | None = None,
    by: User | None = None,
    trial: bool = False,
    file: str = "the archive",
) -> Restored:
    """Make a new project of an archive. slug: its address, where it is not to be the old one.

    by: who does it, and will manage the project too. trial: say what would happen and change nothing. file: what the
    zip is called in messages. Raises FormatError on what is wrong with the archive, ImportFailed on what is wrong here;
    then nothing is changed.
    """
    shapes = [shape_of(archived) for archived in TABLES]
    tables = read(data, shapes, file, most_files=MOST_FILES, most_bytes=settings.ARCHIVE_MAX_BYTES)
    findings = check(tables)
    slug = _free_slug(tables["project"]["slug"][0] if slug is None else slug)
    archive = Archive({name: len(table) for name, table in tables.items()})
    with transaction.atomic():
        accounts, made = _accounts(tables)
        project = _write(tables, slug, {name: user.pk for name, user in accounts.items()})
        if by is not None:
            _let_manage(project, by)
        if trial:
            transaction.set_rollback(True)
    return Restored(slug, None if trial else project, archive, made, findings)


def _free_slug(slug: str) -> str:
    """The address. Raises ImportFailed where it cannot be that of a new project."""
    try:
        Project._meta.get_field("slug").clean(slug, None)
    except ValidationError as error:
        raise ImportFailed(f"The address {slug!r} is none: {' '.join(error.messages)}") from None
    if slug in RESERVED_SLUGS:
        raise ImportFailed(f"The address {slug!r} is taken by a page; choose another.")
    if Project.objects.filter(slug=slug).exists():
        raise _taken(slug)
    return slug


def _taken(slug: str) -> ImportFailed:
    return ImportFailed(f"There is a project {slug!r} already; choose another address.")


def _accounts(tables: Mapping[str, Table]) -> tuple[dict[str, User], list[str]]:
    """Everybody whom the archive names, by that name, and the names of those who are new.

    People are who is called so in any case. A person made here has no usable password.
    """
    named = people(tables)
    lowered: dict[str, str] = {}
    for name, (table, row) in named.items():
        if lowered.setdefault(name.lower(), name) != name:
            raise table.error(row, f"{name!r} and {lowered[name.lower()]!r} are the same name here")
    there = User.objects.annotate(lowered=Lower("username")).filter(lowered__in=[Lower(Value(name)) for name in named])
    known: dict[str, User] = {user.username.lower(): user for user in there}
    new = [_account(name, *place) for name, place in named.items() if name.lower() not in known]
    try:
        # A savepoint: somebody may make the same account at this moment.
        with transaction.atomic():
            User.objects.bulk_create(new)
    except IntegrityError as error:
        raise ImportFailed(f"An account cannot be made; try again. ({error})") from error
    known |= {user.username.lower(): user for user in new}
    return {name: known[name.lower()] for name in named}, sorted(user.username for user in new)


def _account(name: str, table: Table, row: int) -> User:
    user = User(username=name)
    user.set_unusable_password()
    try:
        user.clean_fields(exclude=["password"])
    except ValidationError as error:
        raise table.error(row, f"{name!r} cannot be a person's name: {' '.join(error.messages)}") from None
    return user


def _write(tables: Mapping[str, Table], slug: str, accounts: Mapping[str, int]) -> Project:
    """Write all rows, a table after those that it refers to."""
    meant = {field.to for table in tables.values() for field in table.shape.fields}
    keys: dict[str, Sequence[int]] = {}
    project: Project | None = None
    for archived in TABLES:
        table = tables[archived.name]
        columns: dict[str, Sequence[Any]] = {}
        for one in table.shape.fields:
            column = table[one.name]
            if one.kind is Kind.PERSON:
                column = [accounts[name] for name in column]
            elif one.kind is Kind.ROW:
                of = keys[one.to]
                column = [None if line is None else of[line - 1] for line in column]
            columns[one.name] = column
        if project is None:
            columns["slug"] = [slug]
        else:
            columns |= {name: [project.pk] * len(table) for name in _to_project(archived)}
        if archived.name in meant:
            columns["id"] = keys[archived.name] = reserve(archived.model, len(table))
        _insert(archived, table, columns)
        if project is None:
            project = Project.objects.get(slug=slug)
    assert project is not None
    return project


def _to_project(archived: Archived) -> list[str]:
    return [one.name for one in archived.model._meta.concrete_fields if one.related_model is Project]


def _insert(archived: Archived, table: Table, columns: Mapping[str, Sequence[Any]]) -> None:
    if not len(table):
        return
    try:
        insert(archived.model, list(columns), zip(*columns.values(), strict=True))
    except (IntegrityError, DataError) as error:
        if archived.model is Project and isinstance(error, IntegrityError):  # all else of it is checked
            raise _taken(columns["slug"][0]) from error
        # What PostgreSQL says further is of its own keys.
        reason = str(error).partition("\n")[0]
        raise FormatError(f"the database refuses these rows: {reason}", table.shape.file) from error


def _let_manage(project: Project, by: User) -> None:
    """Who restores a project manages it. Raises ImportFailed where they would see what coders are not to see."""
    membership = Membership.objects.filter(project=project, user=by).first()
    blind = membership is None or membership.role not in ROLES_THAT_SEE_ALL_WORK
    if blind and Coding.objects.filter(text__project=project, coder=by).exists():
        raise ImportFailed(f"{by} codes texts of this project and stays blind; somebody else has to bring it back.")
    Membership.objects.update_or_create(project=project, user=by, defaults={"role": Membership.Role.MANAGER})
