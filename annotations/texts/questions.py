"""The questions of coders: asked, answered, resolved, and published without names."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID, uuid4

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Length
from django.http import Http404
from django.urls import reverse
from django.utils import timezone

from annotations.coding.markables.corrections import Edit, map_key, parse_correction
from annotations.coding.state import corrections_of
from annotations.formats.model.keys import parse_key
from annotations.mail.queue import notify
from annotations.models import Coding, Level, Project, Question, Reply, Text, User
from annotations.models.people.rights import Right
from annotations.models.project import may
from annotations.models.question import BODY_LENGTH, MARKABLE_KEY_LENGTH
from annotations.projects.people.peer_names import hide_name, is_blind_to_peers
from annotations.texts.keywords import Keyword, keyword_in_context

MAX_OPEN = 100  # open questions of a coder in a project
MAX_REPLIES = 100  # of a question
PUBLIC_SHOWN = 100


@dataclass(frozen=True, slots=True)
class Seen:
    """The version of a coding at which its coder has read the text."""

    coding: Coding
    version: int


@transaction.atomic
def ask(
    text: Text, coder: User, body: str, key: str = "", uuid: UUID | None = None, seen: Seen | None = None
) -> Question:
    """Ask about a markable of a text, or about the text. Raise ValidationError by field."""
    # The markable need not be in the database yet: its operation may be on its way. Its key is that of the text as it
    # was `seen`; None: as it is now.
    open_questions = Question.objects.asked_by(coder).filter(text__project=text.project_id, resolved_at__isnull=True)
    if open_questions.count() >= MAX_OPEN:
        raise ValidationError(f"You have {MAX_OPEN} open questions. Resolve some of them first.")
    return Question.objects.create(
        text=text,
        coder=coder,
        uuid=uuid or uuid4(),
        key=_checked_key(text, key, seen) if key else "",
        body=_checked(body),
        created_at=timezone.now(),
    )


def _checked_key(text: Text, key: str, seen: Seen | None) -> str:
    """Return the key as it is now. The text is not corrected before the transaction ends: the question then follows."""
    refused = ValidationError({"markable": f"This text has no place for a markable {key!r}."})
    if parse_key(key) is None:
        raise refused
    texts = Text.objects.select_for_update(of=("self",), no_key=True).filter(pk=text.pk)
    length = texts.values_list(Length("content"), flat=True).first()
    if seen is not None:
        latest = Coding.objects.of_coders().filter(pk=seen.coding.pk).first() or seen.coding
        key = key_now(key, Seen(latest, seen.version))
    place = parse_key(key)
    if place is None:
        return ""  # its words were deleted
    levels = Level.objects.filter(project=text.project_id, key=place.level)
    if place.parts[-1][1] > (length or 0) or not levels.exists():
        raise refused
    return key


def key_now(key: str, seen: Seen) -> str:
    """Return the key, after the corrections since, of the markable that had this one; "" where its words are gone."""
    for correction in corrections_of(seen.coding, seen.version):
        key = move_key(key, parse_correction({"edits": correction["edits"]}))
    return key


def move_key(key: str, edits: Sequence[Edit]) -> str:
    """Return the key of what a question is about after a correction; "" for the text, where the words are gone."""
    moved = map_key(key, edits) or ""
    return moved if len(moved) <= MARKABLE_KEY_LENGTH else ""


@transaction.atomic
def reply_to(question: Question, author: User, body: str, *, resolve: bool = False, read: str = "") -> Reply:
    """Write in the thread of a question: its coder asks again, which opens it, or somebody answers.

    With `resolve`, it is resolved by that. What its coder wrote since the author has `read` the thread, in this state,
    still waits for an answer. Raise ValidationError by field.
    """
    questions = Question.objects.select_related("coder", "text__project").defer("text__content")
    question = questions.select_for_update(of=("self",)).get(pk=question.pk)
    n_replies = question.replies.count()
    if n_replies >= MAX_REPLIES:
        raise ValidationError(f"A thread has at most {MAX_REPLIES} replies.")
    waits = question.needs_answer and read not in ("", thread_state(question, n_replies))
    reply = Reply.objects.create(question=question, author=author, body=_checked(body), created_at=timezone.now())
    asks = author.pk == question.coder_id
    # Its coder may be shown the text again by now, and reads nothing of the first occasion.
    is_read = not asks and not Question.objects.out_of_sight().filter(pk=question.pk).exists()
    question.needs_answer, question.has_news = asks or waits, is_read
    question.resolved_at = question.resolved_by = None
    question.save(update_fields=["needs_answer", "has_news", "resolved_at", "resolved_by"])
    if resolve and (asks or not waits):
        resolve_question(question, author)
    if is_read:
        text = question.text
        path = reverse("question", args=[text.project.slug, question.uuid])
        notify(question.coder, "answered", text.project, [text], path=path)
    return reply


def resolve_question(question: Question, user: User) -> bool:
    """Resolve a question; false where it is resolved already. Its coder has that to read, unless it is the coder."""
    reads = user.pk != question.coder_id and not Question.objects.out_of_sight().filter(pk=question.pk).exists()
    news = {"has_news": True} if reads else {}
    unresolved = Question.objects.filter(pk=question.pk, resolved_at__isnull=True)
    return bool(unresolved.update(resolved_at=timezone.now(), resolved_by=user, needs_answer=False, **news))


@transaction.atomic
def record_question_read(question: Question, user: User, read: str = "") -> None:
    """Record that the coder has read the thread, which is news still if more is in it than was `read`, its state."""
    own = Question.objects.select_for_update().filter(pk=question.pk, coder=user.pk).first()
    if own is not None and read in ("", thread_state(own, own.replies.count())):
        Question.objects.filter(pk=own.pk).update(has_news=False)


def thread_state(question: Question, n_replies: int) -> str:
    """Return what changes with each reply and when the question is resolved."""
    return f"{n_replies}{'' if question.resolved_at is None else ' resolved'}"


def publish(question: Question, public_question: str, public_answer: str) -> None:
    """Show an answer, with the question in words of the managers, to everybody in the project; both empty: no more."""
    public_question, public_answer = public_question.strip(), public_answer.strip()
    if bool(public_question) != bool(public_answer):
        raise ValidationError("A published answer has a question and an answer. Leave both empty to withdraw it.")
    Question.objects.filter(pk=question.pk).update(
        public_question=public_question,
        public_answer=public_answer,
        published_at=timezone.now() if public_answer else None,
    )


def _checked(body: str) -> str:
    body = body.strip()
    if not body:
        raise ValidationError({"body": "Write something."})
    if len(body) > BODY_LENGTH:
        raise ValidationError({"body": f"Write at most {BODY_LENGTH} characters."})
    return body


def find_question(project: Project, user: User, uuid: UUID) -> Question:
    """Return a question of the project that the user may read, its text under the names that the user may see."""
    questions = Question.objects.visible_in(project, user).select_related("text", "coder", "resolved_by")
    question = questions.filter(uuid=uuid).first()
    if question is None:
        raise Http404("Question not found.")
    if is_blind_to_peers(project):
        hide_name(question.text, user.pk)
    return question


def public_answers(project: Project) -> QuerySet[Question]:
    """Return the latest published answers. Of each, nothing but what is published is for those who read them."""
    published = Question.objects.filter(text__project=project, published_at__isnull=False)
    return published.order_by("-published_at", "-pk").only("public_question", "public_answer", "published_at")[
        :PUBLIC_SHOWN
    ]


def questions_with_news(project: Project, user: User) -> QuerySet[Question]:
    """Return the user's own questions that have something that they have not read."""
    return Question.objects.filter(text__project=project, coder=user.pk, has_news=True)


def count_unanswered(project: Project) -> int:
    """Return how many questions wait for an answer, for somebody who answers; 0 for others, without a query."""
    if not may(project, Right.DISCUSS):
        return 0
    return Question.objects.filter(text__project=project, needs_answer=True).count()


@dataclass(frozen=True, slots=True)
class Thread:
    """A question with its text's names as its reader may see them, its words in their context, and its replies."""

    question: Question
    keyword: Keyword | None
    replies: Sequence[Reply]


def read_threads(questions: Sequence[Question], project: Project, reader: User) -> list[Thread]:
    """Return the threads of some questions that the reader may see, in their order. Two queries."""
    texts = {text.pk: text for text in Text.objects.filter(pk__in={one.text_id for one in questions})}
    replies: dict[int, list[Reply]] = {one.pk: [] for one in questions}
    for reply in Reply.objects.filter(question__in=questions).select_related("author"):
        replies[reply.question_id].append(reply)
    if is_blind_to_peers(project):
        for text in texts.values():
            hide_name(text, reader.pk)
    threads = []
    for one in questions:
        one.text = texts[one.text_id]
        place = parse_key(one.key)
        keyword = keyword_in_context(one.text.content, place.parts) if place else None
        threads.append(Thread(one, keyword, replies[one.pk]))
    return threads
