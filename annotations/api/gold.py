"""The REST API of gold: the state of each text's gold, drafts, decisions and the queue of adjudication."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import asdict
from typing import Any, cast

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.exceptions import APIException, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations.adjudication.decisions.listing import NO_REASON, DecisionFilters, describe_decisions, list_decisions
from annotations.adjudication.drafts import MAX_TEXTS, DraftRequest, draft_gold, gold_of_rounds
from annotations.adjudication.ownership import gold_coding, open_gold, reassign_gold
from annotations.adjudication.proposal import Method
from annotations.adjudication.pyramid_queue import build_pyramid_queue
from annotations.adjudication.queue import MAX_CHECKS, SAMPLE_SIZE, Kind, Queue, build_queue
from annotations.adjudication.readiness import GoldIsEarly, describe_early
from annotations.adjudication.states import State
from annotations.api.codings import rows_by_name
from annotations.api.http.endpoints import endpoint, etag_response
from annotations.api.lists import PAGE_PARAMETERS, SequencePages
from annotations.api.rounds import ComparedItemSerializer
from annotations.api.serializers.problems import CONFLICT
from annotations.api.serializers.requests import ChoiceField, StrictSerializer, StringsField, validated
from annotations.coding.decisions import Decision
from annotations.coding.log.payloads import Reason, Source
from annotations.models import Coding, Project, Round, User
from annotations.models.people.rights import Right
from annotations.models.project import may
from annotations.planning.own_gold import codings_beside_gold, compare_with_gold
from annotations.projects.guidelines import guidelines_headings
from annotations.projects.letters import sees_names
from annotations.projects.permissions import CodingChoice, own_coding
from annotations.projects.rounds import find_round, rounds_of

STATES = [str(state) for state in State]
REASONS = [str(reason) for reason in Reason if reason]


class GoldStateSerializer(serializers.Serializer[Any]):
    text = serializers.CharField()
    round = serializers.CharField()
    state = serializers.ChoiceField(STATES, allow_null=True, help_text="null: there is no gold yet")
    adjudicator = serializers.CharField(allow_null=True, help_text="who works on it; null: not assigned")
    method = serializers.ChoiceField(
        [str(method) for method in Method], allow_null=True, help_text="of its draft; null: it was not drafted"
    )
    contested = serializers.IntegerField(help_text="how many answers coders disagreed on when it was drafted")
    decided = serializers.IntegerField(help_text="how many of these have been decided since")
    to_decide = serializers.IntegerField(
        help_text="how many answers are left to decide: to the others, and what the scheme asks for and nobody contests"
    )
    submitted = serializers.IntegerField(help_text="how many coders have submitted the text")
    assigned = serializers.IntegerField(help_text="how many coders have it")
    changed = serializers.IntegerField(
        help_text="on how many markables coders answer otherwise than when it was drafted"
    )


class DraftOrderSerializer(StrictSerializer):
    method = ChoiceField([str(method) for method in Method])
    coder = serializers.CharField(default="", max_length=150, help_text="whose answers, with the method coder")
    texts = StringsField(default=list, help_text="addresses; none: all with a submitted coding")
    round = serializers.CharField(
        source="round_name",
        default="",
        help_text="without it, of each text the latest that somebody has submitted it in",
    )
    adjudicator = serializers.CharField(
        default="", max_length=150, help_text="who works on it; without: whoever opens it first"
    )
    again = serializers.BooleanField(
        default=False,
        help_text="draft anew what has been begun and is not closed, too: what was decided stays as it is",
    )
    early = serializers.BooleanField(
        default=False, help_text="draft texts, too, that some of their coders have not submitted yet"
    )


class GoldSerializer(serializers.Serializer[Any]):
    text = serializers.CharField(source="text.slug", help_text="its address")
    status = serializers.ChoiceField(Coding.Status.choices)
    coder = serializers.CharField(
        source="coder.username",
        allow_null=True,
        default=None,
        help_text="who works on it; null: whoever opens it first",
    )


class NewGoldSerializer(StrictSerializer):
    text = serializers.CharField(help_text="its address")
    early = serializers.BooleanField(default=False, help_text="also before all coders have submitted")


class HandOnSerializer(StrictSerializer):
    text = serializers.CharField(help_text="its address")
    adjudicator = serializers.CharField(
        allow_null=True, help_text="the manager or adjudicator who goes on with it; null: whoever opens it first"
    )


class DraftReportSerializer(serializers.Serializer[Any]):
    drafted = StringsField()
    begun = StringsField(
        help_text="texts left out, as their gold has been begun; drafted again: as it is closed or came from a file"
    )


class DecisionQuerySerializer(serializers.Serializer[Any]):
    """Filters of decisions, for the schema."""

    round = serializers.CharField(required=False)
    text = serializers.CharField(required=False, help_text="its address")
    reason = serializers.ChoiceField([*REASONS, NO_REASON], required=False, help_text="none: without a reason")
    section = serializers.CharField(required=False, help_text="of the guidelines, by its heading")
    source: Any = serializers.ChoiceField([str(source) for source in Source], required=False)
    changed = serializers.BooleanField(required=False, help_text="true: that rest on work that has changed since")


class DecisionOnGoldSerializer(serializers.Serializer[Any]):
    """For the schema only: `DescribedDecision.record` makes the rows."""

    text = serializers.CharField(help_text="its address")
    round = serializers.CharField()
    markable = serializers.CharField(help_text="its key today")
    words = serializers.CharField(allow_blank=True)
    question = serializers.CharField(help_text="`category` (with the chain), or the key of an attribute or relation")
    answer = serializers.CharField(help_text="what was decided, in words, as the gold has it today")
    source: Any = serializers.ChoiceField(
        [str(source) for source in Source], help_text="whose answer holds: the draft’s, a coder’s, or another"
    )
    coders = StringsField(help_text="whose answer was taken: names for managers, letters for adjudicators")
    reason = serializers.ChoiceField(REASONS, allow_blank=True)
    section = serializers.CharField(allow_blank=True, help_text="of the guidelines")
    note = serializers.CharField(allow_blank=True)
    decided_by = serializers.CharField(allow_null=True, help_text="for managers; else null")
    decided_at = serializers.DateTimeField()
    changed = serializers.BooleanField(help_text="coders have changed their answer since the draft that it was made on")


class ReasonOfGoldSerializer(serializers.Serializer[Any]):
    question = serializers.CharField()
    reason = serializers.ChoiceField(REASONS, allow_blank=True)
    section = serializers.CharField(allow_blank=True)
    note = serializers.CharField(allow_blank=True)


class DifferenceFromGoldSerializer(ComparedItemSerializer):
    reasons = ReasonOfGoldSerializer(many=True, help_text="why gold is so, where who decided it said it")


class TextBesideGoldSerializer(serializers.Serializer[Any]):
    text = serializers.CharField(source="coding.text.slug", help_text="its address")
    round = serializers.CharField(source="coding.round.name")
    items = serializers.IntegerField(source="n_items", help_text="how many judgements the gold has")
    differences = DifferenceFromGoldSerializer(many=True)


class QueueAnswerSerializer(serializers.Serializer[Any]):
    entities = serializers.ListField(
        child=serializers.IntegerField(), help_text="places in entities; several: ambiguous"
    )
    label: Any = serializers.CharField(allow_null=True, help_text="the category of what is in no entity")
    units = serializers.ListField(
        child=serializers.JSONField(),
        help_text="of a pyramid, where no contributor has just these words: those with some, and places of their SCUs",
    )


class QueueRowSerializer(serializers.Serializer[Any]):
    units = StringsField(help_text="keys of markables that no coder separates")
    answers = serializers.ListField(
        child=QueueAnswerSerializer(allow_null=True), help_text="of each coder, in their order; null: not marked"
    )
    draft = QueueAnswerSerializer(allow_null=True)
    contested = serializers.BooleanField()
    elsewhere = serializers.BooleanField(help_text="the draft has them in another entity than that of the card")
    undecided = serializers.BooleanField(help_text="the draft has no answer to accept: somebody has to give one")


class QueueCardSerializer(serializers.Serializer[Any]):
    kind = serializers.ChoiceField([str(kind) for kind in Kind])
    entity = serializers.IntegerField(allow_null=True, help_text="place in entities")
    question = serializers.CharField(help_text="of a card of a question: category, or the key of another")
    disagreement = serializers.FloatField(help_text="the share of answers on its units that differ from the draft")
    rows = QueueRowSerializer(many=True)


class QueueCoderSerializer(serializers.Serializer[Any]):
    letter = serializers.CharField()
    name = serializers.CharField(allow_null=True, help_text="null to whom sees letters only")
    coding = serializers.UUIDField(help_text="its last operation that the draft rests on, as decisions name it")


class QueueStepSerializer(serializers.Serializer[Any]):
    step = serializers.UUIDField()
    undoes = serializers.UUIDField(allow_null=True)
    decides = serializers.ListField(child=serializers.JSONField(), help_text="the payloads of its operations decide")
    markables = StringsField(help_text="what it judges without a decision: all that is asked there is decided")
    replaces = serializers.ListField(
        child=serializers.JSONField(), help_text="markable, question: what was decided of these before holds no longer"
    )


class SCUNameSerializer(serializers.Serializer[Any]):
    key = serializers.CharField(help_text="of an SCU that the draft has not, the key that it gets where it is taken")
    label: Any = serializers.CharField(allow_blank=True)


class QueueSerializer(serializers.Serializer[Any]):
    version = serializers.IntegerField(help_text="of the gold")
    state = serializers.ChoiceField(STATES)
    method = serializers.CharField(allow_null=True, help_text="of the draft; null: there is none")
    coders = QueueCoderSerializer(many=True)
    entities = serializers.ListField(child=StringsField())
    drafted = serializers.IntegerField(help_text="how many of them are the draft's; the others are of coders alone")
    scus = SCUNameSerializer(many=True, help_text="of a pyramid: which SCU each entity is")
    cards = QueueCardSerializer(many=True)
    judgements = serializers.ListField(
        child=serializers.DictField(child=serializers.JSONField()),
        help_text="of each coder what they say of the units of contested rows, by key; without empty fields",
    )
    draft = serializers.DictField(child=serializers.JSONField(), help_text="the same of the draft")
    contested = serializers.ListField(
        child=serializers.JSONField(), help_text="all that is contested: markable, question, whether it is decided"
    )
    missing = serializers.ListField(
        child=serializers.JSONField(), help_text="what the scheme asks for and gold lacks: markable, question"
    )
    steps = QueueStepSerializer(many=True)
    sample = serializers.IntegerField(help_text="how many units nobody contests, from which some are checked")
    left_off = serializers.IntegerField(help_text="cards that are not shown yet")
    sections = StringsField(help_text="headings of the guidelines")


class QueueOptionsSerializer(StrictSerializer):
    checks = serializers.IntegerField(
        min_value=0, max_value=MAX_CHECKS, default=SAMPLE_SIZE, help_text="how many units that nobody contests"
    )
    round = serializers.CharField(default="")


def queue_state(queue: Queue, *, names: bool, sections: Sequence[str]) -> dict[str, Any]:
    """Return the JSON of the queue for the API and the gold page."""
    units = {
        unit
        for card in queue.cards
        for row in card.rows
        if row.contested or row.elsewhere or card.kind in (Kind.QUESTION, Kind.CHECK)
        for unit in row.units
    }
    draft = queue.state.draft
    return {
        "version": queue.state.coding.version,
        "state": str(queue.state.state),
        "method": draft.method if draft is not None else None,
        "coders": [
            {"letter": column.letter, "name": column.name if names else None, "coding": column.operation}
            for column in queue.columns
        ],
        "entities": queue.entities,
        "drafted": queue.drafted,
        "scus": [{"key": scu.scu, "label": scu.label} for scu in queue.scus],
        "cards": [asdict(card) | {"disagreement": round(card.disagreement, 4)} for card in queue.cards],
        "judgements": [_judgements(column.decisions, units) for column in queue.columns],
        "draft": _judgements(queue.draft or {}, units),
        "contested": [[item.item.markable, item.item.question, item.decided] for item in queue.state.contested],
        "missing": [[hole.markables[0], hole.question] for hole in queue.state.holes],
        "steps": [
            {
                "step": str(step.step),
                "undoes": str(step.undoes) if step.undoes else None,
                "decides": [decide.payload() for decide in step.decides],
                "markables": step.markables,
                "replaces": step.replaces,
            }
            for step in queue.steps
        ],
        "sample": queue.sample,
        "left_off": queue.left_off,
        "sections": sections,
    }


def _judgements(decisions: Mapping[str, Decision], units: Set[str]) -> dict[str, dict[str, Any]]:
    """Return the judgements of units by key, without empty fields."""
    return {
        key: {name: value for name, value in decision.payload().items() if name != "markable" and value not in EMPTY}
        for key, decision in decisions.items()
        if key in units
    }


EMPTY: tuple[Any, ...] = (None, "", [], False)


class GoldStates(APIView):
    """The gold of texts, for adjudicators."""

    pagination_class = SequencePages

    @endpoint(
        Right.ADJUDICATE,
        parameters=[OpenApiParameter("round", OpenApiTypes.STR, description="Only of this round.")],
        responses=GoldStateSerializer(many=True),
    )
    def get(self, request: Request, project: Project) -> Response:
        """List the texts of each round with the state of their gold and their number of submissions, in pages."""
        name = request.query_params.get("round", "")
        rounds = [find_round(project, name)] if name else rounds_of(project)
        pages = self.pagination_class()
        rows: list[dict[str, Any]] = [
            {
                "text": row.text.slug,
                "round": row.round.name,
                "state": str(row.gold.state) if row.gold else None,
                "adjudicator": row.gold.coding.coder.get_username() if row.gold and row.gold.coding.coder_id else None,
                "method": row.gold.draft.method if row.gold and row.gold.draft else None,
                "contested": len(row.gold.contested) if row.gold else 0,
                "decided": row.gold.n_decided if row.gold else 0,
                "to_decide": row.gold.n_open if row.gold else 0,
                "submitted": row.submissions.submitted,
                "assigned": row.submissions.assigned,
                "changed": row.changed,
            }
            for row in pages.paginate_sequence(gold_of_rounds(project, rounds), request)
        ]
        return pages.get_paginated_response(rows)

    @endpoint(Right.ADJUDICATE, request=DraftOrderSerializer, responses={200: DraftReportSerializer, **CONFLICT})
    def post(self, request: Request, project: Project) -> Response:
        """Draft the gold of texts, all or none. Existing gold stays, unless `again`; repeating the request is harmless.

        Texts with open codings are drafted only with `early`; otherwise the answer 409 (`early`) names them.
        """
        fields = validated(DraftOrderSerializer(data=request.data))
        fields["method"] = Method(fields["method"])
        try:
            report = draft_gold(project, DraftRequest(**fields), at_most=MAX_TEXTS)
        except GoldIsEarly as error:
            raise EarlyGold(project, error) from None
        return Response({"drafted": report.drafted, "begun": report.begun})


class EarlyGold(APIException):
    """Coders have yet to submit. The message is that of the page; `early` confirms."""

    status_code = 409
    default_code = "early"

    def __init__(self, project: Project, error: GoldIsEarly) -> None:
        lines = " ".join(describe_early(error.texts, names=sees_names(project)))
        super().__init__(
            f"{lines} Send “early”: true to begin gold before all have submitted; it is asked once for a text."
        )


class GoldOfRound(APIView):
    """The gold of a text in a round."""

    @endpoint(Right.ADJUDICATE, once=True, request=NewGoldSerializer, responses={201: GoldSerializer, **CONFLICT})
    def post(self, request: Request, project: Project, name: str) -> Response:
        """Open the gold of a text to work on at `texts/<text>/gold/coding/`; create it if there is none.

        Before all coders have submitted it is created only with `early`; otherwise the answer is 409 (`early`).
        """
        round_ = get_object_or_404(Round, project=project, name=name)
        fields = validated(NewGoldSerializer(data=request.data))
        [text] = rows_by_name(project.texts.defer("content"), [fields["text"]], "slug", "text")
        try:
            gold = open_gold(project, text, round_.name, cast(User, request.user), early=fields["early"])
        except GoldIsEarly as error:
            raise EarlyGold(project, error) from None
        return Response(GoldSerializer(gold).data, status=201)


class HandOnGold(APIView):
    """The owner of the gold of a text."""

    @endpoint(Right.ADJUDICATE, request=HandOnSerializer, responses=GoldSerializer)
    def post(self, request: Request, project: Project, name: str) -> Response:
        """Reassign the gold to a manager or adjudicator, or to nobody; the log records it. Repeating it is harmless."""
        round_ = get_object_or_404(Round, project=project, name=name)
        fields = validated(HandOnSerializer(data=request.data))
        [text] = rows_by_name(project.texts.defer("content"), [fields["text"]], "slug", "text")
        gold = reassign_gold(project, text, round_.name, cast(User, request.user), to=fields["adjudicator"] or "")
        return Response(GoldSerializer(gold).data)


class Decisions(APIView):
    """The decisions on gold, item by item, for adjudicators."""

    pagination_class = SequencePages

    @endpoint(Right.ADJUDICATE, parameters=[DecisionQuerySerializer], responses=DecisionOnGoldSerializer(many=True))
    def get(self, request: Request, project: Project) -> Response:
        """List the decisions in the order of rounds, texts and markables, in pages."""
        _refuse_unknown(request, DecisionQuerySerializer)
        filters = DecisionFilters.from_query(project, request.query_params)
        decisions = list_decisions(project, request.query_params.get("round", ""))
        pages = self.pagination_class()
        page = pages.paginate_sequence([decision for decision in decisions if filters.admits(decision)], request)
        return pages.get_paginated_response([decision.record() for decision in describe_decisions(project, page)])


class TextPages(SequencePages):
    """Pages of 10 texts by default, up to 100: a text carries all its differences."""

    page_size = 10
    max_page_size = 100


class OwnGold(APIView):
    """The comparison of your own answers with gold, once the results are open."""

    pagination_class = TextPages

    @endpoint(Right.COMPARE_WITH_GOLD, responses=TextBesideGoldSerializer(many=True))
    def get(self, request: Request, project: Project) -> Response:
        """List your submitted texts whose gold is decided, with the differences and their reasons, in pages."""
        _refuse_unknown(request)
        pages = self.pagination_class()
        page = pages.paginate_sequence(list(codings_beside_gold(project, cast(User, request.user))), request)
        data = TextBesideGoldSerializer(compare_with_gold(project, page), many=True).data
        return pages.get_paginated_response(data)


def _refuse_unknown(request: Request, *serializers: type[DecisionQuerySerializer]) -> None:
    """Raise ValidationError for unknown parameters, so that they do not seem to have an effect."""
    known = {*PAGE_PARAMETERS, *(str(name) for serializer in serializers for name in serializer().fields)}
    if unknown := sorted({*map(str, request.query_params)} - known):
        raise ValidationError(
            {name: [f"This is no filter here; there are {', '.join(sorted(known))}."] for name in unknown}
        )


class GoldQueue(APIView):
    """The decisions to make on the drafted gold of a text or on an agreed pyramid, in order."""

    @endpoint(Right.ADJUDICATE, parameters=[QueueOptionsSerializer], responses=QueueSerializer)
    def get(self, request: Request, project: Project, text: str, agreed: bool = False) -> HttpResponse:
        """Return the cards of the queue with each coder's answers, followed by a sample of uncontested units.

        The answers are those at the time of the draft. Without a draft there are no cards.
        """
        options = validated(QueueOptionsSerializer(data=request.query_params.dict()))
        choice = CodingChoice(options["round"], request.headers.get("X-Coding", ""))
        user = cast(User, request.user)
        if agreed:
            coding = own_coding(user, project, text, agreed=True, choice=choice)
            queue = build_pyramid_queue(project, coding, options["checks"])
        else:
            queue = build_queue(project, gold_coding(user, project, text, choice=choice), options["checks"])
        names = may(project, Right.MANAGE_WORK)
        return etag_response(queue_state(queue, names=names, sections=guidelines_headings(project.guidelines)))
