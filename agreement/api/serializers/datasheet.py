"""What the API gives of a datasheet, for the schema."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from agreement.api.serializers.agreement import ParametersSerializer
from annotations.api.serializers.projects import SchemeDocumentSerializer
from annotations.models import Project, Round

# How a datasheet is written; the first where nothing is said.
FORMS = ("json", "markdown")


class DatasheetFormSerializer(serializers.Serializer[Any]):
    form = serializers.ChoiceField(choices=FORMS, required=False, help_text="How the datasheet is written.")


class LanguageSerializer(serializers.Serializer[Any]):
    language = serializers.CharField(help_text="BCP 47 tag")
    n_texts = serializers.IntegerField()
    n_words = serializers.IntegerField(help_text="what white space separates")
    n_characters = serializers.IntegerField()


class MarkableCountsSerializer(serializers.Serializer[Any]):
    level = serializers.CharField()
    n_given = serializers.IntegerField(help_text="that came with the texts")
    n_marked = serializers.IntegerField(help_text="that coders marked")


class DocsetDescriptionSerializer(serializers.Serializer[Any]):
    slug = serializers.CharField()
    title = serializers.CharField()
    n_summaries = serializers.IntegerField()
    n_pyramids = serializers.IntegerField()
    n_submitted = serializers.IntegerField()
    agreed = serializers.CharField(allow_blank=True, help_text="open, submitted, or empty where there is none")
    n_scus = serializers.IntegerField(allow_null=True, help_text="of the agreed pyramid")
    n_contributors = serializers.IntegerField(allow_null=True, help_text="of the agreed pyramid")
    n_peers = serializers.IntegerField(help_text="that somebody has scored and submitted")


class CoderDescriptionSerializer(serializers.Serializer[Any]):
    """A coder without a name; those with most judgements come first."""

    group = serializers.CharField(allow_blank=True)
    n_codings = serializers.IntegerField()
    n_submitted = serializers.IntegerField()
    n_counted = serializers.IntegerField(help_text="how many codings the agreement is computed from")
    n_judgements = serializers.IntegerField(help_text="in codings that count")
    n_chains = serializers.IntegerField(allow_null=True, help_text="null where coders make none")


class ModelDescriptionSerializer(serializers.Serializer[Any]):
    """A model that has coded, which is no person."""

    name = serializers.CharField()
    version = serializers.CharField(allow_blank=True)
    hash = serializers.CharField(allow_blank=True, help_text="of its prompt or weights")
    date = serializers.DateField(allow_null=True)
    n_codings = serializers.IntegerField()
    n_submitted = serializers.IntegerField()


class RoundDescriptionSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    kind = serializers.ChoiceField(Round.Kind.choices)
    starts_on = serializers.DateField(allow_null=True)
    ends_on = serializers.DateField(allow_null=True)
    closed = serializers.BooleanField()
    guidelines_version = serializers.IntegerField(allow_null=True)
    scheme_version = serializers.IntegerField(allow_null=True)
    n_texts = serializers.IntegerField()
    n_codings = serializers.IntegerField()
    n_submitted = serializers.IntegerField()
    design = serializers.CharField(allow_blank=True, help_text="of its plan, in words")


class RoundAgreementSerializer(serializers.Serializer[Any]):
    """The coefficient in a round or question, with its interval."""

    name = serializers.CharField(allow_blank=True, help_text="of the round or question; empty: all rounds")
    coefficient = serializers.CharField(allow_blank=True)
    value = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    n_texts = serializers.IntegerField()
    n_documents = serializers.IntegerField(help_text="pairs of text and round")
    n_coders = serializers.IntegerField()
    n_units = serializers.IntegerField()
    n_judgements = serializers.IntegerField()
    units_left_out = serializers.DictField(child=serializers.IntegerField())
    codings_left_out = serializers.DictField(child=serializers.IntegerField())
    note = serializers.CharField(allow_blank=True)


class CodedTwiceSerializer(serializers.Serializer[Any]):
    """How far coders agree with themselves: all of them together, or the only one."""

    n_coders = serializers.IntegerField()
    n_codings = serializers.IntegerField(help_text="how many texts were coded twice, one for each coder who did")
    n_texts = serializers.IntegerField()
    value = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    between = serializers.FloatField(allow_null=True, help_text="the coefficient between coders in the same texts")
    note = serializers.CharField(allow_blank=True)


class TrainingSerializer(serializers.Serializer[Any]):
    round = serializers.CharField()
    measure = serializers.CharField(allow_blank=True, help_text="of the pass rule")
    mark = serializers.FloatField(allow_null=True)
    n_coders = serializers.IntegerField()
    n_passed = serializers.IntegerField()
    n_by_decision = serializers.IntegerField(help_text="of those who passed, by a manager's decision")
    n_scores = serializers.IntegerField(help_text="coders with a score")
    lowest = serializers.FloatField(allow_null=True, help_text="of the best scores of each coder")
    highest = serializers.FloatField(allow_null=True)


class GoldOfRoundSerializer(serializers.Serializer[Any]):
    round = serializers.CharField()
    kind = serializers.ChoiceField(Round.Kind.choices, help_text="gold of training is no result")
    n_texts = serializers.IntegerField()
    open = serializers.IntegerField(help_text="texts")
    decided = serializers.IntegerField(help_text="texts")
    closed = serializers.IntegerField(help_text="texts")
    n_contested = serializers.IntegerField()
    n_decided = serializers.IntegerField(help_text="contested items that were decided")
    methods = serializers.DictField(child=serializers.IntegerField(), help_text="of drafts; empty: no draft")


class OverruledSerializer(serializers.Serializer[Any]):
    found = serializers.IntegerField()
    total = serializers.IntegerField()
    value = serializers.FloatField(allow_null=True)


class ErrorEstimateSerializer(serializers.Serializer[Any]):
    round = serializers.CharField()
    checked = serializers.IntegerField()
    wrong = serializers.IntegerField()
    unseen = serializers.IntegerField(help_text="accepted, and not checked")
    unreached = serializers.IntegerField(help_text="of them in texts of which nothing was checked")
    value = serializers.FloatField(
        allow_null=True, help_text="estimated share of wrong ones, each text by what its draft accepted unseen"
    )
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)


class AdjudicationSerializer(serializers.Serializer[Any]):
    rounds = GoldOfRoundSerializer(many=True)
    n_texts_compared = serializers.IntegerField(help_text="with closed gold, outside training")
    n_items = serializers.IntegerField(help_text="that gold answers there")
    n_contested = serializers.IntegerField(
        help_text="items there on which coders differ, whether or not gold answers them"
    )
    n_chains = serializers.IntegerField(allow_null=True, help_text="of gold there")
    overruled = OverruledSerializer(help_text="answers to contested items whose value is another in gold")
    sources = serializers.DictField(child=serializers.IntegerField(), help_text="decisions")
    reasons = serializers.DictField(child=serializers.IntegerField(), help_text="decisions")
    error_estimates = ErrorEstimateSerializer(
        many=True, help_text="of spot checks; by round, where drafts accepted something unseen"
    )


class DatasheetSerializer(serializers.Serializer[Any]):
    """A project as a datasheet has it."""

    slug = serializers.CharField()
    title = serializers.CharField()
    description = serializers.CharField(allow_blank=True)
    source = serializers.CharField(allow_blank=True)  # type: ignore[assignment]
    licence = serializers.CharField(allow_blank=True)
    citation = serializers.CharField(allow_blank=True)
    contact = serializers.CharField(allow_blank=True)
    answers = serializers.ChoiceField(Project.Answers.choices)
    scheme = SchemeDocumentSerializer()
    scheme_version = serializers.IntegerField()
    guidelines_version = serializers.IntegerField(allow_null=True)
    guidelines_saved_on = serializers.DateField(allow_null=True)
    created_on = serializers.DateField()
    archived_on = serializers.DateField(allow_null=True)
    first_work_on = serializers.DateField(allow_null=True)
    last_work_on = serializers.DateField(allow_null=True)
    languages = LanguageSerializer(many=True)
    n_texts = serializers.IntegerField()
    n_words = serializers.IntegerField()
    n_characters = serializers.IntegerField()
    segments = serializers.DictField(child=serializers.IntegerField(), help_text="by kind")
    markables = MarkableCountsSerializer(many=True)
    docsets = DocsetDescriptionSerializer(many=True)
    n_coders = serializers.IntegerField()
    groups = serializers.DictField(child=serializers.IntegerField(), help_text="coders in each group")
    coders = CoderDescriptionSerializer(many=True, help_text="the first hundred")
    models = ModelDescriptionSerializer(many=True, help_text="for who codes there are none")
    rounds = RoundDescriptionSerializer(many=True)
    parameters = ParametersSerializer()
    agreement = RoundAgreementSerializer(many=True, help_text="over all rounds, and where there are several in each")
    questions = RoundAgreementSerializer(many=True, help_text="over all rounds, in the first ten further questions")
    n_other_questions = serializers.IntegerField()
    methods = serializers.CharField(help_text="how it was computed, in words")
    repeats = CodedTwiceSerializer(allow_null=True)
    rechecks = CodedTwiceSerializer(allow_null=True)
    training = TrainingSerializer(many=True, allow_null=True)
    adjudication = AdjudicationSerializer(allow_null=True)
    formats = serializers.ListField(child=serializers.CharField(), help_text="for export")
    fingerprint = serializers.CharField(help_text="Equal for equal answers.")
    program = serializers.CharField()
