"""The rounds of a project: the round of new texts, and the rounds of each text."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

from django.core.exceptions import ValidationError
from django.db.models import Max
from django.http import Http404
from django.utils import timezone

from annotations.models import GuidelinesVersion, Project, Round, RoundText, Text
from annotations.models.round import MAIN

BATCH = 2_000
MAX_NAMED = 10
# The kinds whose codings count in figures; the others are practice and repeats.
COUNTED_KINDS = (Round.Kind.PILOT, Round.Kind.MAIN)
TRAINING_KINDS = (Round.Kind.TRAINING,)


def rounds_of(project: Project) -> list[Round]:
    """Return the rounds of the project in their order."""
    return list(Round.objects.filter(project=project).select_related("required_round"))


def current_round(project: Project) -> Round:
    """Return the open round, saved if it is new. The project must be locked; raise as `open_round`."""
    round_ = open_round(project)
    if round_.pk is None:
        round_.save()
    return round_


def open_round(project: Project) -> Round:
    """Return the last open round, or an unsaved one named `main` if there is none.

    Training and recheck rounds are skipped. Raise ValidationError if `main` and all others are closed.
    """
    rounds = rounds_of(project)
    for round_ in reversed(rounds):
        if round_.kind in COUNTED_KINDS and not round_.is_closed:
            return round_
    if any(round_.name == MAIN for round_ in rounds):
        raise ValidationError("No round is open that texts can come into: open one, or make another.")
    return Round(project=project, name=MAIN, position=next_position(project))


def latest_round(rounds: Sequence[Round]) -> Round | None:
    """Return the latest of the rounds that count in figures, or else of all; others must be named explicitly."""
    counted = [round_ for round_ in rounds if round_.kind in COUNTED_KINDS]
    return next(reversed(counted or list(rounds)), None)


def find_round(project: Project, name: str) -> Round:
    """Return the round with that name. Raise ValidationError with the first existing names."""
    rounds = {round_.name: round_ for round_ in rounds_of(project)}
    if name in rounds:
        return rounds[name]
    names = ", ".join([*rounds][:MAX_NAMED]) or "none yet"
    more = f" and {len(rounds) - MAX_NAMED} more" if len(rounds) > MAX_NAMED else ""
    raise ValidationError(f"There is no round {name!r}; there are {names}{more}.")


def round_for(project: Project, name: str, kinds: Collection[str] = Round.Kind.values) -> Round:
    """Return the round with that name and one of the kinds. Raise Http404."""
    rounds = Round.objects.filter(project=project, name=name, kind__in=kinds)
    if (round_ := rounds.select_related("project", "required_round").first()) is None:
        raise Http404("There is no such round.")
    return round_


def refuse_closed(round_: Round) -> None:
    if round_.is_closed:
        raise ValidationError(f"The round {round_} is closed: open it on the page Rounds, or choose another.")


def next_position(project: Project) -> int:
    """Return the position of a new round in the project: after all others."""
    last: int | None = Round.objects.filter(project=project).aggregate(last=Max("position"))["last"]
    return 0 if last is None else last + 1


def put_into_round(round_: Round, texts: Iterable[Text]) -> None:
    """Add texts to the round; existing memberships stay."""
    RoundText.objects.bulk_create(
        (RoundText(round=round_, text=text) for text in texts), batch_size=BATCH, ignore_conflicts=True
    )


def rounds_by_text(project: Project, texts: Collection[int] | None = None) -> Mapping[int, Sequence[Round]]:
    """Return the rounds of each text, in their order; of all texts, or of `texts`. One query."""
    memberships = RoundText.objects.filter(round__project=project).select_related("round")
    if texts is not None:
        memberships = memberships.filter(text__in=texts)
    by_text: dict[int, list[Round]] = defaultdict(list)
    for membership in memberships.order_by("round__position", "round_id"):
        by_text[membership.text_id].append(membership.round)
    return by_text


def round_names_by_text(texts: Collection[int]) -> Mapping[int, Sequence[str]]:
    """Return the names of the rounds of each text, in their order. One query, without model instances."""
    names: dict[int, list[str]] = defaultdict(list)
    rows = RoundText.objects.filter(text__in=texts).order_by("round__position", "round_id")
    for text, name in rows.values_list("text_id", "round__name"):
        names[text].append(name)
    return names


def begin_round(round_: Round, scheme_version: int) -> None:
    """Record the versions of guidelines and scheme at the beginning of the round, unless it has begun."""
    if round_.has_begun:
        return
    latest = GuidelinesVersion.objects.filter(project=round_.project_id).values_list("number", flat=True).first()
    round_.guidelines_version, round_.scheme_version = latest, scheme_version
    Round.objects.filter(pk=round_.pk, scheme_version__isnull=True).update(
        guidelines_version=latest, scheme_version=scheme_version
    )


def close_round(round_: Round, *, closed: bool) -> None:
    """Close the round, or open it again; nothing happens if the state is the same."""
    if round_.is_closed != closed:
        round_.closed_at = timezone.now() if closed else None
        round_.save(update_fields=["closed_at"])
