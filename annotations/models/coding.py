"""The coding of one text by one coder, with its judgements."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.db import models
from django.db.models import Case, Exists, F, OuterRef, Q, Value, When
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast, Concat, StrIndex
from django.db.models.lookups import GreaterThan

from annotations.core.database.queries import count_subquery
from annotations.formats.model.scheme import CATEGORY, Subject
from annotations.models.people.rights import Person
from annotations.models.people.user import User
from annotations.models.project import is_member, sees_all_work, sees_models
from annotations.models.round import Round
from annotations.models.scheme import Attribute, AttributeValue, Category, Level, Relation
from annotations.models.text import Markable, Text

ENTITY_LENGTH = 200
NAME_LENGTH = 200
REASON_LENGTH = 500
GOLD = "gold"


def _later_occasions(user: Person) -> models.QuerySet[Any]:
    """Return the user's codings of the same text and round on a later occasion."""
    later = Coding.objects.of_people().filter(
        text=OuterRef("text"), coder=user.pk, round=OuterRef("round"), occasion__gt=OuterRef("occasion")
    )
    return later.order_by()


class CodingQuerySet(models.QuerySet["Coding"]):
    def of_people(self) -> CodingQuerySet:
        """Return the codings of people: without gold, and without the codings of models."""
        return self.of_coders().filter(by_model=False)

    def of_coders(self) -> CodingQuerySet:
        """Return the codings of people and of models: without gold."""
        return self.exclude(kind=GOLD)

    def first_occasions(self, round_: Round | OuterRef) -> CodingQuerySet:
        """Return the codings of texts by people in a round, without repeats."""
        return self.of_people().filter(round=round_, kind=Coding.Kind.TEXT, occasion=1)

    def visible_to(self, user: Person, *, models: bool = False) -> CodingQuerySet:
        """Return all codings of people in a project for users who see all work, otherwise the user's own."""
        # A coder with a repeated text does not see the earlier occasions. models: include models' codings for users who
        # do not code; otherwise only the model itself sees its codings.
        own = Q(coder=user.pk)
        if user.is_superuser:
            return self if models else self.filter(Q(by_model=False) | own)
        shown = Q(by_model=False) | own | (sees_models(user, "text__project") if models else Q())
        latest = Q(coder=user.pk) & is_member(user, "text__project") & ~Exists(_later_occasions(user))
        return self.filter(shown, sees_all_work(user, "text__project") | latest)

    def once_for(self, user: Person) -> CodingQuerySet:
        """Return one coding by text, coder and round: the first occasion, but the last of the user's own."""
        own = Q(coder=user.pk)
        return self.filter((Q(occasion=1) & ~own) | (own & ~Exists(_later_occasions(user))))

    def latest_first(self, round_name: str = "", occasion: int | None = None) -> CodingQuerySet:
        """Return the codings, those of the latest round first; or only those of a round, or occasion within a round."""
        codings = self.filter(round__name=round_name) if round_name else self
        codings = codings if occasion is None else codings.filter(occasion=occasion)
        return codings.order_by("-round__position", "-round_id", "-occasion", "pk")

    def in_order_of_rounds(self) -> CodingQuerySet:
        """Return the codings in the order of rounds; within a round by place and text."""
        return self.order_by(
            "round__position", "round_id", "place", "text__position", "text__slug", "coder__username", "pk"
        )

    def begun(self) -> CodingQuerySet:
        """Return the codings that somebody has worked on."""
        return self.filter(version__gt=F("corrections"))

    def not_begun(self) -> CodingQuerySet:
        return self.filter(version=F("corrections"))

    def assigned(self) -> CodingQuerySet:
        """Return the codings assigned by managers: codings taken from a pool disclose work."""
        return self.filter(reserved_until=None)

    def with_progress(self) -> CodingQuerySet:
        """Annotate each coding with the number of its markables, `to_decide`, and of complete ones, `decided`."""
        # is_to_mark: the coder creates the markables, so their number is unknown. asks_of_entities: answers for
        # entities are required, and may be missing although all markables are decided.
        marked = Level.objects.filter(project=OuterRef("text__project"), coders_mark=True).order_by()
        given = Markable.objects.filter(text=OuterRef("text"), predefined=True, level__coded=True).order_by()
        attributes = Attribute.objects.filter(project=OuterRef("text__project")).order_by()
        judgements = Judgement.objects.filter(coding=OuterRef("pk"))
        # Redundant, but lets PostgreSQL use an index where few markables are a coder's own.
        own = judgements.filter(
            markable__text=OuterRef("text"), markable__predefined=False, markable__level__coded=True
        )
        return self.annotate(
            # Two counts, so that markables of other coders need not be scanned.
            to_decide=count_subquery(given) + count_subquery(own),
            decided=Case(
                When(Exists(attributes), then=count_subquery(judgements.filter(complete()))),
                default=count_subquery(judgements.filter(complete_without_attributes())),
            ),
            is_to_mark=Case(When(Exists(marked) & ~Exists(given), then=Value(True)), default=Value(False)),
            asks_of_entities=Case(
                When(Exists(attributes.filter(of=Subject.ENTITY, required=True, retired=False)), then=Value(True)),
                default=Value(False),
            ),
        )


class Coding(models.Model):
    """The coding of one text by one coder in a round. `version` is the sequence number of its last operation.

    `occasion` is above 1 if the text is repeated within the round, which the coder is not told. Gold holds the
    decisions on a text in a round; `coder` is its owner or None, and its log has all authors.
    """

    class Kind(models.TextChoices):
        TEXT = "text", "coding of a text"
        PYRAMID = "pyramid", "the coder's own pyramid of a docset"
        AGREED = "agreed", "the agreed pyramid of a docset"
        PEER = "peer", "a peer summary against the coder's own pyramid"
        PEER_AGREED = "peer-agreed", "a peer summary against the agreed pyramid"
        GOLD = "gold", "what was decided for a text"

    class Status(models.TextChoices):
        OPEN = "open", "open"
        SUBMITTED = "submitted", "submitted"

    text = models.ForeignKey(Text, on_delete=models.CASCADE, related_name="codings")
    # Null only for gold that its owner has not opened; there read `coder_id`.
    coder: models.ForeignKey[User, User] = models.ForeignKey(  # type: ignore[misc]
        User,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="codings",
        help_text="Whose it is; of gold who works on it, empty as long as nobody does.",
    )
    kind = models.CharField(max_length=12, choices=Kind, default=Kind.TEXT)
    round = models.ForeignKey(Round, on_delete=models.RESTRICT, related_name="codings")
    occasion = models.PositiveSmallIntegerField(default=1)
    status = models.CharField(max_length=10, choices=Status, default=Status.OPEN)
    version = models.PositiveIntegerField(default=0)
    corrections = models.PositiveIntegerField(
        default=0,
        help_text="How many of its operations are no work on it: corrections of the text, and who goes on with gold.",
    )
    place = models.PositiveIntegerField(
        default=0, help_text="Its place in the list of its coder; those of one place are in the order of texts."
    )
    reserved_until = models.DateTimeField(
        null=True,
        blank=True,
        help_text="When a text taken from a pool goes back if nobody has worked on it; empty: it does not.",
    )
    released_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="Since when its place is free for others, as nobody worked on it; empty: it is not.",
    )
    by_model = models.BooleanField(
        default=False, help_text="Whether a model made it and no person: figures of people are without it."
    )
    active_time = models.DurationField(
        default=timedelta,
        db_default=timedelta(),
        help_text="How long its coder has worked on it, without pauses, by its log.",
    )
    last_active = models.DateTimeField(
        null=True, blank=True, help_text="When its coder last changed it, by the coder's clock unless that is ahead."
    )
    created_at = models.DateTimeField(auto_now_add=True)
    viewed_at = models.DateTimeField(
        null=True, blank=True, help_text="When answers or figures of the submission were first shown to somebody else."
    )
    reopen_request = models.CharField(
        max_length=REASON_LENGTH,
        blank=True,
        help_text="Why the coder asks a manager to reopen it; empty: does not ask.",
    )

    objects = models.Manager.from_queryset(CodingQuerySet)()

    class Meta:
        ordering = ["text__position", "text__slug", "coder__username", "round__position", "round_id", "occasion"]
        indexes = [
            # each view of figures searches for submissions that nobody has viewed
            models.Index(fields=["status", "text"], condition=Q(viewed_at__isnull=True), name="coding_not_viewed")
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["text", "coder", "kind", "round", "occasion"], name="coding_one_a_coder_round_and_occasion"
            ),
            models.CheckConstraint(
                condition=Q(occasion=1) | Q(kind="text", occasion__gt=1), name="coding_repeats_are_of_texts"
            ),
            models.UniqueConstraint(fields=["text"], condition=Q(kind="agreed"), name="coding_one_agreed_a_text"),
            models.UniqueConstraint(
                fields=["text", "round"], condition=Q(kind="gold"), name="coding_one_gold_a_text_and_round"
            ),
            models.CheckConstraint(
                condition=Q(kind__in=["text", "pyramid", "agreed", "peer", "peer-agreed", "gold"]),
                name="coding_kind_known",
            ),
            models.CheckConstraint(condition=Q(status__in=["open", "submitted"]), name="coding_status_known"),
            models.CheckConstraint(
                condition=Q(coder__isnull=False) | Q(kind="gold"), name="coding_has_a_coder_unless_gold"
            ),
            models.CheckConstraint(
                condition=Q(by_model=False) | ~Q(kind__in=["gold", "agreed"]), name="coding_no_model_decides"
            ),
        ]

    def __str__(self) -> str:
        return f"gold of {self.text}" if self.kind == self.Kind.GOLD else f"{self.text} by {self.coder}"

    @property
    def is_begun(self) -> bool:
        return self.version > self.corrections

    @property
    def is_complete(self) -> bool:
        """Whether a coding `with_progress` is open and known to be fully decided."""
        decided, to_decide = self.decided, self.to_decide  # type: ignore[attr-defined]
        is_known = not (self.is_to_mark or self.asks_of_entities)  # type: ignore[attr-defined]
        return bool(self.status == self.Status.OPEN and is_known and 0 < to_decide == decided)


# Codings of the same text by several coders, made independently.
INDEPENDENT_KINDS = (Coding.Kind.TEXT, Coding.Kind.PYRAMID)
# Codings with the decisions of adjudicators: the gold of a text, and the agreed pyramid of a docset.
DECIDED_KINDS = (Coding.Kind.GOLD, Coding.Kind.AGREED)
# Codings whose page has the address of the agreed pyramid.
AGREED_KINDS = (Coding.Kind.AGREED, Coding.Kind.PEER_AGREED)


class Judgement(models.Model):
    """One coder's decision on one markable."""

    # A foreign key that begins a unique constraint needs no index of its own.
    coding = models.ForeignKey(Coding, on_delete=models.CASCADE, related_name="judgements", db_index=False)
    markable = models.ForeignKey(Markable, on_delete=models.CASCADE, related_name="judgements")
    category = models.ForeignKey(Category, on_delete=models.PROTECT, null=True, blank=True, related_name="judgements")
    optional = models.BooleanField(default=False, help_text='MUC\'s STATUS="OPT"')
    unsure = models.BooleanField(default=False)
    note = models.TextField(blank=True)
    name = models.CharField(
        max_length=NAME_LENGTH, blank=True, help_text="what the coder calls the chain that the markable is in"
    )
    head = models.JSONField(default=list, blank=True, help_text="the coder's own MIN; empty: that of the markable")
    scheme_version = models.PositiveIntegerField(
        default=1, help_text="The version of the scheme under which the coder last judged it."
    )

    targets = models.ManyToManyField(Markable, through="Pointer", related_name="pointed_at_by")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["coding", "markable"], name="judgement_one_a_markable")]
        # Pages of results ask which few of very many have a note or were unsure.
        indexes = [
            models.Index(fields=["coding"], condition=Q(unsure=True) | ~Q(note=""), name="judgement_with_a_mark")
        ]

    def __str__(self) -> str:
        return f"{self.markable}: {self.category}"


class Pointer(models.Model):
    """A link from a judgement to a target. Pointers of one reading are meant together; readings are alternatives."""

    judgement = models.ForeignKey(Judgement, on_delete=models.CASCADE, related_name="pointers", db_index=False)
    # No index: a relation with pointers is not deleted, and pointers are read by judgement.
    relation = models.ForeignKey(Relation, on_delete=models.RESTRICT, related_name="pointers", db_index=False)
    reading = models.PositiveSmallIntegerField(default=0)
    target = models.ForeignKey(Markable, on_delete=models.CASCADE, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["judgement", "relation", "reading", "target"], name="pointer_once")
        ]

    def __str__(self) -> str:
        return f"{self.judgement} -> {self.target}"


class AttributeAnswer(models.Model):
    """A judgement's answer to an attribute: a value (a row each if several), a text or a number."""

    judgement = models.ForeignKey(Judgement, on_delete=models.CASCADE, related_name="answers", db_index=False)
    # No indexes: attributes and values with answers are not deleted, and answers are read by judgement.
    attribute = models.ForeignKey(Attribute, on_delete=models.RESTRICT, related_name="answers", db_index=False)
    value = models.ForeignKey(
        AttributeValue, on_delete=models.RESTRICT, null=True, blank=True, related_name="answers", db_index=False
    )
    text = models.TextField(blank=True)
    number = models.FloatField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["judgement", "attribute", "value"], name="answer_value_once"),
            models.UniqueConstraint(
                fields=["judgement", "attribute"], condition=Q(value__isnull=True), name="answer_text_or_number_once"
            ),
            models.CheckConstraint(
                condition=Q(value__isnull=False, text="", number__isnull=True)
                | Q(~Q(text=""), value__isnull=True, number__isnull=True)
                | Q(value__isnull=True, text="", number__isnull=False),
                name="answer_is_value_text_or_number",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.attribute}: {self.value or self.text or self.number}"


class Index(models.Model):
    """The assignment of a judgement to an entity or SCU; equal names in one coding are the same entity."""

    judgement = models.ForeignKey(Judgement, on_delete=models.CASCADE, related_name="indices", db_index=False)
    entity = models.CharField(max_length=ENTITY_LENGTH)

    class Meta:
        verbose_name_plural = "indices"
        constraints = [
            models.UniqueConstraint(fields=["judgement", "entity"], name="index_once"),
            models.CheckConstraint(condition=~Q(entity=""), name="index_not_empty"),
        ]

    def __str__(self) -> str:
        return self.entity


def complete() -> Q:
    """Return the condition that a judgement has all required answers: `is_complete` of schemes.constraints."""
    # It has a category with the required pointers or index, and each required attribute that is asked. On a level
    # without categories, an answer to any attribute replaces the category.
    missing_by_category = _missing_attributes().filter(project__categories=OuterRef("category"))
    given = AttributeAnswer.objects.filter(judgement=OuterRef(OuterRef("pk")))
    missing_by_answers = _missing_attributes().filter(project__in=given.values("attribute__project"))
    on_level = Q(level__isnull=True) | Q(level__markables__judgements=OuterRef("judgement"))
    offered = Category.objects.filter(on_level, project=OuterRef("attribute__project"), retired=False)
    in_place_of_category = AttributeAnswer.objects.filter(~Exists(offered.order_by())).filter(judgement=OuterRef("pk"))
    return (complete_without_attributes() & ~Exists(missing_by_category)) | (
        Q(category__isnull=True) & Exists(in_place_of_category) & ~Exists(missing_by_answers)
    )


def complete_without_attributes() -> Q:
    """Return the condition `complete` for projects without attributes, several times as fast."""
    # The database finds the categories with pointers or index once, not for each judgement.
    pointing = pointing_categories().values("pk")
    categories = Category.objects.order_by()
    plain = categories.filter(takes_index=False).exclude(pk__in=pointing).values("pk")
    others = Relation.objects.filter(identity=False).order_by().values("pk")
    has_pointer = Exists(Pointer.objects.filter(judgement=OuterRef("pk")).exclude(relation__in=others))
    has_index = Exists(Index.objects.filter(judgement=OuterRef("pk")))
    return (
        Q(category__in=plain)
        | (Q(category__in=pointing) & has_pointer)
        | (Q(category__in=categories.filter(takes_index=True).values("pk")) & has_index)
    )


def pointing_categories() -> models.QuerySet[Category]:
    """Return the categories that take pointers: an identity relation with targets is asked of them."""
    relations = _with_condition(Relation.objects.filter(identity=True, retired=False, to_levels__isnull=False))
    asked = relations.filter(
        _names(F("asking_values"), OuterRef("key")), project=OuterRef("project"), question=CATEGORY
    )
    return Category.objects.filter(Exists(asked)).order_by()


def _with_condition(questions: models.QuerySet[Any]) -> models.QuerySet[Any]:
    """Annotate relations or attributes with the parts of `asked_if`; `asking_values` is a list as JSON."""
    annotated: models.QuerySet[Any] = questions.order_by().annotate(
        question=Cast(KeyTextTransform("question", "asked_if"), models.TextField()),
        asking_values=Cast(KeyTextTransform("values", "asked_if"), models.TextField()),
        asking_relation=Cast(KeyTextTransform("relation", "asked_if"), models.TextField()),
    )
    return annotated


def _names(values: F | OuterRef, key: F | OuterRef) -> Q:
    """Return the condition that a JSON list contains a key. Keys have no characters that JSON escapes."""
    quoted = Concat(Value('"'), key, Value('"'), output_field=models.TextField())
    return Q(GreaterThan(StrIndex(values, quoted), Value(0)))


def _missing_attributes() -> models.QuerySet[Any]:
    """Return the required attributes of any project that are asked of a judgement and not answered there."""
    judgement = OuterRef(OuterRef("pk"))
    answers = AttributeAnswer.objects.filter(judgement=judgement)
    pointers = Pointer.objects.filter(judgement=judgement)
    levels = Attribute.levels.through.objects.filter(attribute=OuterRef("pk"))
    leading = answers.filter(attribute__key=OuterRef("question")).filter(
        _names(OuterRef("asking_values"), F("value__key"))
    )
    # Joined here and below, so that nothing is joined if no attribute is required.
    named = Category.objects.filter(pk=OuterRef(OuterRef("category"))).order_by()
    named = named.filter(_names(OuterRef("asking_values"), F("key")))
    asked = (
        Q(asked_if__isnull=True)
        | (Q(question=CATEGORY) & Exists(named))
        | Exists(leading)
        | Exists(pointers.filter(relation__key=OuterRef("asking_relation")))
    )
    on_level = ~Exists(levels) | Exists(levels.filter(level__markables=OuterRef(OuterRef("markable"))))
    set_relation = Q(relation__isnull=True) | Exists(pointers.filter(relation=OuterRef("relation")))
    unanswered = ~Exists(answers.filter(attribute=OuterRef("pk")))
    # Attributes of entities may be answered at any markable of a chain.
    required = Attribute.objects.filter(required=True, retired=False).exclude(of=Subject.ENTITY)
    questions: models.QuerySet[Any] = _with_condition(required)
    return questions.filter(on_level, asked, set_relation, unanswered)
