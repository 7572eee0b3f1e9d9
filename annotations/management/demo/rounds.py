"""Load chronicle.json as the pages would (training, pilot, main round, repeats), and backdate the log."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from operator import itemgetter
from typing import Any
from uuid import uuid4

from django.utils import timezone

from annotations.adjudication.drafts import DraftRequest, draft_gold
from annotations.adjudication.ownership import open_gold
from annotations.adjudication.proposal import Method
from annotations.coding.decisions import DecideItems, Decision
from annotations.coding.log.payloads import Reason, Source
from annotations.coding.operations import Change
from annotations.coding.status import reopen_coding
from annotations.formats.model.scheme import CATEGORY
from annotations.management.demo.work import (
    BEGINNERS,
    MANAGER,
    apply_changes,
    code,
    decision_of,
    import_text,
    person,
    times_of_work,
)
from annotations.models import (
    Coding,
    GuidelinesVersion,
    Membership,
    Operation,
    Project,
    RepeatPlan,
    Round,
    Text,
    TrainingDecision,
    User,
)
from annotations.planning.plans.designs.terms import Design, PlanParameters
from annotations.planning.plans.plans import PlanRequest, apply_plan
from annotations.planning.repeats import RepeatRequest, apply_repeats
from annotations.planning.rounds import change_round, create_round
from annotations.planning.training import decide_on_coder, take_next_attempt
from annotations.planning.work.assignments import assign_texts, release_idle
from annotations.projects.guidelines import record_guidelines, record_reading
from annotations.projects.people.members import add_member

# The hour of a manager's actions.
HOUR = 17


def load(project: Project, source: Mapping[str, Any]) -> None:
    """Fill the project. Raise ValueError if a coder gets a training text other than the file's."""
    coders = {name: person(name) for name in source["training"]["coders"]}
    for user in coders.values():
        add_member(project, user, Membership.Role.CODER)
    manager = person(MANAGER)
    training = _train(project, source["training"], coders, manager)
    _code_pilot(project, source["pilot"], coders, manager)
    _change_guidelines(project, source["guidelines"], coders, manager)
    main = _code_main(project, source["main"], training, coders, manager)
    _repeat(project, source["main"], main, coders)
    release_idle(project, main.round_, source["main"]["release_after"])


@dataclass(frozen=True, slots=True)
class _Text:
    """A text with its gold, the explanations, and wrong answers by kind of mistake; all by label of the phrase."""

    text: Text
    keys: Mapping[str, str]
    gold: Mapping[str, str]
    explanations: Mapping[str, str]
    mistakes: Mapping[str, Mapping[str, str]]
    decided: Mapping[str, Mapping[str, Any]]  # decisions on phrases on which coders disagree

    def decision(self, label: str, answer: str | None = None) -> Decision:
        """Return the decision on a phrase: the answer if given, else the gold."""
        return decision_of(self.text.project, self.keys, label, answer or self.gold[label])

    def decisions(self, kinds: Iterable[str] = ()) -> list[Decision]:
        """Return the decisions of a coder who makes mistakes of these kinds; later kinds override earlier ones."""
        answers = dict(self.gold)
        for kind in kinds:
            answers |= self.mistakes.get(kind, {})
        return [self.decision(label, answer) for label, answer in answers.items()]

    def gold_decisions(self) -> list[Decision]:
        """Return the decisions of the gold, each with its explanation."""
        notes = {self.keys[label]: explanation for label, explanation in self.explanations.items()}
        return [replace(decision, note=notes[decision.markable]) for decision in self.decisions()]


@dataclass(frozen=True, slots=True)
class _Round:
    round_: Round
    texts: Mapping[str, _Text]

    def codings(self, coder: User, occasion: int = 1) -> list[Coding]:
        """Return the codings of a coder in their order."""
        codings = Coding.objects.of_people().filter(round=self.round_, coder=coder, occasion=occasion)
        return list(codings.order_by("place", "text__position").select_related("text", "coder"))


def _make_round(project: Project, source: Mapping[str, Any], **fields: Any) -> _Round:
    starts_on, ends_on = map(_day, source["days"])
    round_ = create_round(project, source["name"], starts_on=starts_on, ends_on=ends_on, **fields)
    in_order = sorted(source["texts"], key=itemgetter("slug"))  # the order in which an import writes them
    imported = {entry["slug"]: import_text(project, entry, round_.name) for entry in in_order}
    texts = {}
    for entry in source["texts"]:
        text, keys, gold = imported[entry["slug"]]
        details = (entry.get(name, {}) for name in ("explanations", "mistakes", "decided"))
        texts[text.slug] = _Text(text, keys, gold, *details)
    return _Round(round_, texts)


def _train(project: Project, source: Mapping[str, Any], coders: Mapping[str, User], manager: User) -> Round:
    """Let coders try texts with gold until they pass, and let a manager decide on one who does not."""
    rule = {name: source[name] for name in ("pass_measure", "pass_mark", "attempts")}
    made = _make_round(project, source, kind=Round.Kind.TRAINING, **rule)
    for text in made.texts.values():
        code(open_gold(project, text.text, made.round_.name, manager), text.gold_decisions(), _day(source["days"][0]))
    for name, attempts in source["coders"].items():
        assign_texts(project, [made.texts[attempts[0]["text"]].text], [coders[name]], made.round_)
        for number, attempt in enumerate(attempts):
            coding = take_next_attempt(made.round_, coders[name]) if number else made.codings(coders[name])[0]
            if coding.text.slug != attempt["text"]:
                raise ValueError(f"{name} is to try {coding.text.slug} next, and not {attempt['text']}")
            code(coding, made.texts[attempt["text"]].decisions(attempt["mistakes"]), _day(attempt["day"]))
    outcome = source["decision"]
    decision = decide_on_coder(made.round_, coders[outcome["coder"]], outcome["outcome"], outcome["reason"], manager)
    TrainingDecision.objects.filter(pk=decision.pk).update(decided_at=_moment(outcome["day"]))
    for name in BEGINNERS:
        add_member(project, person(name), Membership.Role.CODER)
        assign_texts(project, [next(iter(made.texts.values())).text], [person(name)], made.round_)
    return made.round_


def _code_pilot(project: Project, source: Mapping[str, Any], coders: Mapping[str, User], manager: User) -> None:
    """Let all coders code a text a day, let the manager decide their disagreements, and close the round."""
    made = _make_round(project, source, kind=Round.Kind.PILOT)
    parameters = PlanParameters(Design.ALL, k=None, calibration=len(made.texts), seed=source["seed"])
    apply_plan(project, PlanRequest(parameters, made.round_.name, tuple(coders)))
    first, last = source["days"]
    for name, user in coders.items():
        for number, coding in enumerate(made.codings(user), start=1):
            code(coding, made.texts[coding.text.slug].decisions(source["mistakes"][name]), _day(first - number))
    for gold in _draft_round(made.round_, manager):
        text = made.texts[gold.text.slug]
        decisions = [(text.decision(label, detail.get("answer")), detail) for label, detail in text.decided.items()]
        _adjudicate(gold, decisions, _day(last))
    change_round(made.round_, closed=True)
    Round.objects.filter(pk=made.round_.pk).update(closed_at=_moment(last))


def _draft_round(round_: Round, adjudicator: User) -> list[Coding]:
    """Draft the gold of a round from the majority of coders, and return it in the order of the texts."""
    request = DraftRequest(Method.MOST, round_name=round_.name, adjudicator=adjudicator.get_username())
    draft_gold(round_.project, request)
    gold = Coding.objects.filter(round=round_, kind=Coding.Kind.GOLD).order_by("text__position")
    return list(gold.select_related("text__project", "coder", "round"))


def _adjudicate(gold: Coding, decisions: Sequence[tuple[Decision, Mapping[str, Any]]], day: date) -> None:
    """Decide a draft by the details of each phrase (`coders`, an own `answer`, or the draft); submit it that day."""
    draft = gold.operations.get(kind=Operation.Kind.DRAFT)
    last_operations = Operation.objects.filter(uuid__in=draft.payload["codings"], coding__text=gold.text)
    uuid_by_name = {name: str(uuid) for name, uuid in last_operations.values_list("coding__coder__username", "uuid")}
    times = times_of_work(f"{gold.text.slug} gold", day, 3)
    begun = moment = next(times)
    changes = []
    for (decision, detail), moment in zip(decisions, times, strict=False):  # times do not end
        coders = detail.get("coders", ())
        source = Source.CODER if coders else Source.OWN if "answer" in detail else Source.DRAFT
        decide = DecideItems(
            ((decision.markable, CATEGORY),),
            source,
            tuple(uuid_by_name[name] for name in coders),
            Reason(detail["reason"]),
            detail.get("section", ""),
            detail["note"],
        )
        step = uuid4()
        if source is not Source.DRAFT:
            changes.append(Change(uuid4(), Operation.Kind.JUDGE, decision.payload(), moment, step))
        changes.append(Change(uuid4(), Operation.Kind.DECIDE, decide.payload(), moment, step))
    apply_changes(gold, changes, moment)
    gold.operations.filter(pk=draft.pk).update(applied_at=begun)


def _change_guidelines(project: Project, source: Mapping[str, Any], coders: Mapping[str, User], manager: User) -> None:
    """Save guidelines with the lessons of the pilot, and record that the coders have read them."""
    GuidelinesVersion.objects.filter(project=project).update(created_at=_moment(source["first_day"]))
    project.guidelines = source["text"]
    project.save(update_fields=["guidelines"])
    version = record_guidelines(project, manager)
    assert version is not None
    GuidelinesVersion.objects.filter(pk=version.pk).update(created_at=_moment(source["day"]))
    for user in coders.values():
        record_reading(project, user, version.number)


def _code_main(
    project: Project, source: Mapping[str, Any], training: Round, coders: Mapping[str, User], manager: User
) -> _Round:
    """Assign the round by the lists of the file, so that figures stay, and let its coders do most of it."""
    made = _make_round(project, source, kind=Round.Kind.MAIN, required_round=training)
    first, last = source["days"]
    Coding.objects.bulk_create(
        Coding(text=made.texts[slug].text, coder=coders[name], round=made.round_, place=place)
        for name, slugs in source["lists"].items()
        for place, slug in enumerate(slugs, start=1)
    )
    parameters = PlanParameters(Design.K, k=source["k"], calibration=source["calibration"], seed=source["seed"])
    apply_plan(project, PlanRequest(parameters, made.round_.name, tuple(coders), due_on=_day(last)))
    for name, user in coders.items():
        codings, unfinished = made.codings(user), source["unfinished"][name]
        n_whole = len(codings) - len(unfinished)
        for number, coding in enumerate(codings):
            decisions = made.texts[coding.text.slug].decisions(source["mistakes"][name])
            if number < n_whole:
                code(coding, decisions, _day(first - 1 - number * source["days_a_text"]))
            else:
                _leave_unfinished(coding, decisions, unfinished[number - n_whole], manager)
    return made


def _leave_unfinished(coding: Coding, decisions: Sequence[Decision], state: Mapping[str, Any], manager: User) -> None:
    """Do part of the work: some decisions, all without submitting, or a submission that is reopened."""
    if "day" not in state:
        return
    decided = decisions[: round(len(decisions) * state["share"])]
    code(coding, decided, _day(state["day"]), submit="reopened" in state)
    if "reopened" in state:
        reopen_coding(coding, manager, state["reason"])
        coding.operations.filter(kind=Operation.Kind.REOPEN).update(applied_at=_moment(state["reopened"]))


def _repeat(project: Project, source: Mapping[str, Any], main: _Round, coders: Mapping[str, User]) -> None:
    """Assign each coder some texts again, which they code on the following days."""
    repeats = source["repeats"]
    terms = {name: repeats[name] for name in ("number", "days", "seed")}
    apply_repeats(project, RepeatRequest(**terms, round_name=main.round_.name, coders=tuple(coders)))
    RepeatPlan.objects.filter(round=main.round_).update(applied_at=_moment(repeats["day"]))
    for name, user in coders.items():
        for number, coding in enumerate(main.codings(user, occasion=2), start=1):
            decisions = main.texts[coding.text.slug].decisions(repeats["mistakes"][name])
            code(coding, decisions, _day(repeats["day"] - number))


def _day(days: int) -> date:
    """Return the day that is `days` days before today."""
    return timezone.localdate() - timedelta(days=days)


def _moment(days: int) -> datetime:
    """Return the time of a manager's action `days` days before today."""
    return timezone.make_aware(datetime.combine(_day(days), time(HOUR)))
