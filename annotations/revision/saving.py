"""The only way to change the scheme of a project: checked, written and, once coders have begun, numbered."""

import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from uuid import uuid4

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from annotations.coding.judgements import ANSWER_FIELDS
from annotations.coding.log.merges import AnswerChange, merge_payload
from annotations.core.database.bulk import insert
from annotations.core.database.locks import sqlite_write_lock
from annotations.core.http.etags import etag_of
from annotations.formats.model.scheme import CATEGORY, AnswerKind, SchemeSpec
from annotations.formats.model.scheme_json import scheme_to_json
from annotations.models import AttributeAnswer, Coding, Judgement, Operation, Pointer, Project, SchemeVersion, User
from annotations.projects.locks import lock_project
from annotations.projects.scheme_rows import delete_others, write_scheme
from annotations.schemes.changes import Merge, SchemeChange, merges_by_question, plan_change
from annotations.schemes.project_scheme import ProjectScheme, read_scheme, scheme_state

logger = logging.getLogger(__name__)


class SchemeRefused(Exception):
    """A change of the scheme with problems; nothing was changed."""

    def __init__(self, change: SchemeChange) -> None:
        super().__init__("\n".join(map(str, change.problems)))
        self.change = change


class SchemeMoved(Exception):
    """Somebody else has changed the scheme since it was read; nothing was changed."""


def scheme_tag(project: Project) -> str:
    """Return a tag of the current scheme, the ETag of the API, to detect changes since it was read."""
    return etag_of(scheme_state(project))


def save_scheme(
    project: Project,
    spec: SchemeSpec,
    user: User,
    *,
    answers: str | None = None,
    merges: Sequence[Merge] = (),
    expected: str | None = None,
) -> int:
    """Give a project this scheme, and return the number of its version. Raise ProjectArchived.

    Raise SchemeRefused with all problems, and SchemeMoved if the scheme's tag is not `expected`. Concurrent saves of
    coders are written before and counted, or after and checked by the new scheme.
    """
    with sqlite_write_lock(), transaction.atomic():
        project = lock_project(project.pk)
        if expected is not None and scheme_tag(project) != expected:
            raise SchemeMoved
        locked = Coding.objects.select_for_update(of=("self",)).filter(text__project=project).order_by("pk")
        versions: dict[int, int] = dict(locked.values_list("pk", "version"))
        change = plan_change(project, spec, answers=answers, merges=merges)
        if change.problems:
            raise SchemeRefused(change)
        if not change.changes and answers in (None, project.answers):
            return project.scheme_version
        before = read_scheme(project.pk)
        former = scheme_to_json(before.spec, project.answers)
        if answers is not None and answers != project.answers:
            project.answers = answers
            project.save(update_fields=["answers"])
        write_scheme(project, spec)
        numbered = change.asks_otherwise and Coding.objects.filter(text__project=project).begun().exists()
        if numbered:
            _add_version(project, user, former, scheme_to_json(spec.with_pointing(), project.answers), merges)
        if merges:
            _write_merges(project, before, user, merges, versions)
        delete_others(project, spec)
        logger.info("%s saved the scheme of %s: version %d", user.pk, project.pk, project.scheme_version)
        return project.scheme_version


def _add_version(
    project: Project, user: User, former: Mapping[str, Any], scheme: Mapping[str, Any], merges: Iterable[Merge]
) -> None:
    """Create a version for the new scheme; the former version keeps its final words."""
    now = timezone.now()
    rows = SchemeVersion.objects.filter(project=project, number=project.scheme_version)
    if not rows.update(scheme=former):
        SchemeVersion.objects.create(
            project=project, number=project.scheme_version, scheme=former, created_at=project.created_at
        )
    project.scheme_version += 1
    project.save(update_fields=["scheme_version"])
    SchemeVersion.objects.create(
        project=project,
        number=project.scheme_version,
        author=user,
        scheme=scheme,
        merges=[[merge.question, merge.value, merge.into] for merge in merges],
        created_at=now,
    )


def _write_merges(
    project: Project, before: ProjectScheme, user: User, merges: Iterable[Merge], versions: Mapping[int, int]
) -> None:
    """Write the merges, and one operation to the log of each coding with changed answers."""
    after = read_scheme(project.pk)
    changes: dict[int, list[AnswerChange]] = {}
    for question, into in merges_by_question(merges).items():
        if question == CATEGORY:
            _merge_categories(project, before, after, into, changes)
        else:
            _merge_values(after, question, into, changes)
    log_merges(changes, user, versions, project.scheme_version)


type Changes = dict[int, list[AnswerChange]]


def _merge_categories(
    project: Project, before: ProjectScheme, after: ProjectScheme, into: Mapping[str, str], changes: Changes
) -> None:
    judgements = Judgement.objects.filter(coding__text__project=project, category__key__in=into)
    for coding, markable, old in judgements.order_by("pk").values_list("coding", "markable__key", "category__key"):
        changes.setdefault(coding, []).append(AnswerChange(markable, CATEGORY, old, into[old]))
    for old, new in into.items():
        if old in before.keys.identity and new in after.keys.identity:
            pointers = Pointer.objects.filter(relation=before.keys.identity[old], judgement__category__key=old)
            pointers.filter(judgement__coding__text__project=project).update(relation=after.keys.identity[new])
        Judgement.objects.filter(category=before.keys.categories[old]).update(category=after.keys.categories[new])


def _merge_values(after: ProjectScheme, question: str, into: Mapping[str, str], changes: Changes) -> None:
    attribute = after.keys.attributes[question]
    answers = AttributeAnswer.objects.filter(attribute=attribute)
    merged = answers.filter(value__key__in=into)
    rows = answers.filter(judgement__in=merged.values("judgement")).order_by("judgement", "pk")
    several = next(spec for spec in after.spec.attributes if spec.key == question).kind == AnswerKind.SEVERAL
    answers_of: dict[int, tuple[int, str, list[str]]] = {}
    for judgement, coding, markable, value in rows.values_list(
        "judgement", "judgement__coding", "judgement__markable__key", "value__key"
    ):
        answers_of.setdefault(judgement, (coding, markable, []))[2].append(value)
    wanted = []
    for judgement, (coding, markable, values) in answers_of.items():
        new = list(dict.fromkeys(into.get(value, value) for value in values))
        old_and_new = (tuple(values), tuple(new)) if several else (values[0], new[0])
        changes.setdefault(coding, []).append(AnswerChange(markable, question, *old_and_new))
        wanted += [
            (judgement, attribute, after.keys.values[question, value], "", None) for value in new if value not in values
        ]
    merged.delete()
    insert(AttributeAnswer, ANSWER_FIELDS, wanted)


def log_merges(changes: Changes, user: User, versions: Mapping[int, int], scheme_version: int) -> None:
    """Append one operation to the log of each coding, which is locked; `versions` are the codings' versions."""
    now = timezone.now()
    rows = [
        Operation(
            coding_id=coding,
            sequence=versions[coding] + 1,
            uuid=uuid4(),
            kind=Operation.Kind.MERGE,
            payload=merge_payload(coding_changes),
            scheme_version=scheme_version,
            user=user,
            applied_at=now,
        )
        for coding, coding_changes in changes.items()
    ]
    Operation.objects.bulk_create(rows, batch_size=2_000)
    Coding.objects.filter(pk__in=list(changes)).update(version=F("version") + 1)
