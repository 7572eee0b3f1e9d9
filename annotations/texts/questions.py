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
MAX_REPLIES = 100  # replies to a question
PUBLIC_SHOWN = 100


@dataclass(frozen=True, slots=True)
class Seen:
    """The version of a coding that its coder has seen."""

    coding: Coding
    version: int


@transaction.atomic
def ask(
    text: Text, coder: User, body: str, key: str = "", uuid: UUID | None = None, seen: Seen | None = None
) -> Question:
    """Ask about a markable of a text, or about the text. Raise ValidationError by field."""
    # The markable may not be in the database yet, if its operation is still being sent. Its key refers to the text as
    # `seen`, by default as it is now.
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
    """Return the current key. The lock postpones corrections of the text, so that the question follows them."""
    invalid = ValidationError({"markable": f"This text has no place for a markable {key!r}."})
    if parse_key(key) is None:
        raise invalid
    texts = Text.objects.select_for_update(of=("self",), no_key=True).filter(pk=text.pk)
    length = texts.values_list(Length("content"), flat=True).first()
    if seen is not None:
        latest = Coding.objects.of_coders().filter(pk=seen.coding.pk).first() or seen.coding
        key = key_now(key, Seen(latest, seen.version))
    parsed = parse_key(key)
    if parsed is None:
        return ""  # its words were deleted
    levels = Level.objects.filter(project=text.project_id, key=parsed.level)
    if parsed.parts[-1][1] > (length or 0) or not levels.exists():
        raise invalid
    return key


def key_now(key: str, seen: Seen) -> str:
    """Return the current key of a markable after the corrections since it was seen; "" if its words are gone."""
    for correction in corrections_of(seen.coding, seen.version):
        key = move_key(key, parse_correction({"edits": correction["edits"]}))
    return key


def move_key(key: str, edits: Sequence[Edit]) -> str:
    """Return the key of a question's markable after a correction; "", the whole text, if the words are gone."""
    moved = map_key(key, edits) or ""
    return moved if len(moved) <= MARKABLE_KEY_LENGTH else ""


@transaction.atomic
def reply_to(question: Question, author: User, body: str, *, resolve: bool = False, read: str = "") -> Reply:
    """Reply in the thread of a question: the coder asks again, which reopens it, or somebody answers.

    `resolve` also resolves the question. `read` is the state of the thread that the author has read: later messages of
    the coder still need an answer. Raise ValidationError by field.
    """
    questions = Question.objects.select_related("coder", "text__project").defer("text__content")
    question = questions.select_for_update(of=("self",)).get(pk=question.pk)
    n_replies = question.replies.count()
    if n_replies >= MAX_REPLIES:
        raise ValidationError(f"A thread has at most {MAX_REPLIES} replies.")
    waits = question.needs_answer and read not in ("", thread_state(question, n_replies))
    reply = Reply.objects.create(question=question, author=author, body=_checked(body), created_at=timezone.now())
    asks = author.pk == question.coder_id
    # A coder with the text repeated does not see replies about the first occasion.
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
    """Resolve a question, as news for its coder unless the coder did it; return False if it is resolved already."""
    reads = user.pk != question.coder_id and not Question.objects.out_of_sight().filter(pk=question.pk).exists()
    news = {"has_news": True} if reads else {}
    unresolved = Question.objects.filter(pk=question.pk, resolved_at__isnull=True)
    return bool(unresolved.update(resolved_at=timezone.now(), resolved_by=user, needs_answer=False, **news))


@transaction.atomic
def record_question_read(question: Question, user: User, read: str = "") -> None:
    """Record that the coder has read the thread, unless its state has changed since `read`."""
    own = Question.objects.select_for_update().filter(pk=question.pk, coder=user.pk).first()
    if own is not None and read in ("", thread_state(own, own.replies.count())):
        Question.objects.filter(pk=own.pk).update(has_news=False)


def thread_state(question: Question, n_replies: int) -> str:
    """Return the state of the thread, which changes with each reply and resolution."""
    return f"{n_replies}{'' if question.resolved_at is None else ' resolved'}"


def publish(question: Question, public_question: str, public_answer: str) -> None:
    """Publish an answer to everybody in the project, with the question in managers' words; both empty: withdraw."""
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
    """Return a question that the user may read, with the names of its text that the user may see."""
    questions = Question.objects.visible_in(project, user).select_related("text", "coder", "resolved_by")
    question = questions.filter(uuid=uuid).first()
    if question is None:
        raise Http404("Question not found.")
    if is_blind_to_peers(project):
        hide_name(question.text, user.pk)
    return question


def public_answers(project: Project) -> QuerySet[Question]:
    """Return the latest published answers. Their readers may see only the published fields."""
    published = Question.objects.filter(text__project=project, published_at__isnull=False)
    return published.order_by("-published_at", "-pk").only("public_question", "public_answer", "published_at")[
        :PUBLIC_SHOWN
    ]


def questions_with_news(project: Project, user: User) -> QuerySet[Question]:
    """Return the user's own questions with unread news."""
    return Question.objects.filter(text__project=project, coder=user.pk, has_news=True)


def count_unanswered(project: Project) -> int:
    """Return the number of questions without an answer, for users who may answer; otherwise 0, without a query."""
    if not may(project, Right.DISCUSS):
        return 0
    return Question.objects.filter(text__project=project, needs_answer=True).count()


@dataclass(frozen=True, slots=True)
class Thread:
    """A question with the names of its text for the reader, its words in context, and its replies."""

    question: Question
    keyword: Keyword | None
    replies: Sequence[Reply]


def read_threads(questions: Sequence[Question], project: Project, reader: User) -> list[Thread]:
    """Return the threads of questions that the reader may see, in their order. Two queries."""
    texts = {text.pk: text for text in Text.objects.filter(pk__in={question.text_id for question in questions})}
    replies: dict[int, list[Reply]] = {question.pk: [] for question in questions}
    for reply in Reply.objects.filter(question__in=questions).select_related("author"):
        replies[reply.question_id].append(reply)
    if is_blind_to_peers(project):
        for text in texts.values():
            hide_name(text, reader.pk)
    threads = []
    for question in questions:
        question.text = texts[question.text_id]
        parsed = parse_key(question.key)
        keyword = keyword_in_context(question.text.content, parsed.parts) if parsed else None
        threads.append(Thread(question, keyword, replies[question.pk]))
    return threads
