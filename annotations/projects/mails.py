"""The mails of projects: invitations, and news of texts."""

from collections.abc import Callable, Iterable
from functools import partial

from django.db.models import Exists, OuterRef, QuerySet
from django.urls import reverse

from annotations.core.text import one_line, pluralize
from annotations.mail.kinds import MailKind, Message, absolute, register_kind
from annotations.models import Coding, Mail, Project, Text, User
from annotations.projects.people import invitations
from annotations.projects.people.peer_names import hide_name, is_blind_to_peers

MAX_NAMES = 20


def names_of(project: Project, user: User, texts: Iterable[Text]) -> list[str]:
    """Return the user's names for the texts: the first ones, and the number of the others."""
    names = []
    for text in texts:
        if is_blind_to_peers(project):
            hide_name(text, user.pk)
        names.append(one_line(text.title))
    more = len(names) - MAX_NAMES
    return [*names[:MAX_NAMES], f"and {more} more"] if more > 0 else names


def texts_kind(key: str, label: str, subject: str, texts: Callable[[User], QuerySet[Text]]) -> MailKind:
    """Return a kind of mail for `notify`. The subject has fields `texts`, as in "3 texts", and `project`.

    `texts` returns the texts that the user may still be told of when the mail is sent.
    """
    return MailKind(key, partial(_compose_texts, subject, texts), label)


def _compose_texts(subject: str, texts_for: Callable[[User], QuerySet[Text]], mail: Mail) -> Message | None:
    user, context = mail.user, mail.context
    assert user is not None
    project = Project.objects.visible_to(user).filter(pk=context["project"], archived_at=None).first()
    if project is None:
        return None
    texts = list(texts_for(user).filter(project=project, pk__in=context["texts"]).defer("content"))
    if not texts:
        return None
    path = context["path"] if len(texts) == 1 else ""
    heading = subject.format(texts=pluralize(len(texts), "text"), project=one_line(project.title))
    content = {
        "user": user,
        "heading": heading,
        "names": names_of(project, user, texts),
        "link": absolute(path or reverse("project", args=[project.slug])),
    }
    return Message.from_template("texts.txt", heading, content)


def open_texts(user: User) -> QuerySet[Text]:
    """Return the texts with an open coding of the user."""
    codings = Coding.objects.of_people().filter(text=OuterRef("pk"), coder=user, status=Coding.Status.OPEN)
    return Text.objects.filter(Exists(codings))


def _compose_invitation(mail: Mail) -> Message | None:
    opened = invitations.set_secret_of_mail(mail.context["invitation"], mail.key)
    if opened is None:
        return None
    invitation, secret = opened
    title = one_line(invitation.project.title)
    context = {"invitation": invitation, "title": title, "link": absolute(reverse("invitation", args=[secret]))}
    return Message.from_template("invitation.txt", f"Invitation to “{title}”", context)


def register_kinds() -> None:
    register_kind(MailKind(invitations.MAIL_KIND, _compose_invitation))
    register_kind(texts_kind("assigned", "Texts assigned to you", "{texts} to code in “{project}”", open_texts))
    register_kind(texts_kind("reopened", "Submissions reopened", "{texts} reopened in “{project}”", open_texts))
    seen = Text.objects.visible_to
    subject = "Training in “{project}”: a coder waits for your decision"
    register_kind(texts_kind("training", "Coders who wait for a decision on their training", subject, seen))
    register_kind(texts_kind("answered", "Answers to your questions", "Answers on {texts} in “{project}”", seen))
