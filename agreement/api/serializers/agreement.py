"""What the agreement API gives, for the schema, and what it takes."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from agreement.reports.coders.differences import KINDS
from agreement.reports.links.coreference import SCORES
from agreement.reports.request.parameters import CHOICES, GROUPS, HELP, PRESETS, QUESTION, SELECTIONS
from annotations.api.lists import PartSerializer


class ParametersSerializer(serializers.Serializer[Any]):
    """How a figure was computed."""

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        choices = {
            name: serializers.ChoiceField(choices=choices, required=False, help_text=HELP[name])
            for name, choices in CHOICES.items()
        }
        selections = {name: serializers.CharField(required=False, help_text=HELP[name]) for name in SELECTIONS}
        question = serializers.CharField(required=False, help_text=HELP[QUESTION])
        return {**choices, QUESTION: question, **selections}


class AnalysisQuerySerializer(ParametersSerializer):
    """Without a parameter: as the project's pages open. What is named takes the place of its convention's."""

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        preset = serializers.ChoiceField(choices=list(PRESETS), required=False, help_text="A paper's convention.")
        groups = serializers.CharField(required=False, help_text=HELP[GROUPS])
        return {"preset": preset, **super().get_fields(), GROUPS: groups}


class FiguresSerializer(serializers.Serializer[Any]):
    value = serializers.FloatField(allow_null=True)
    observed = serializers.FloatField(allow_null=True)
    expected = serializers.FloatField(allow_null=True)
    n_units = serializers.IntegerField()
    n_coders = serializers.IntegerField()
    n_values = serializers.IntegerField()
    n_judgements = serializers.IntegerField()
    note = serializers.CharField(allow_blank=True)
    left_out = serializers.DictField(child=serializers.IntegerField())


class TextFiguresSerializer(FiguresSerializer):
    slug = serializers.CharField()
    title = serializers.CharField()
    round = serializers.CharField()
    occasion = serializers.IntegerField(required=False, help_text="where coders saw the text again within the round")
    shift = serializers.FloatField(allow_null=True, help_text="how far that of all texts moves without this one")


class IntervalSerializer(serializers.Serializer[Any]):
    """How an interval was made."""

    method = serializers.CharField(help_text="jackknife-log: the jackknife, on the logarithm of the disagreement")
    by = serializers.CharField(help_text="What was left out in turn: document (a text) or component (of one text).")
    n_groups = serializers.IntegerField(help_text="How many of them there are.")
    level = serializers.FloatField()
    note = serializers.CharField(allow_blank=True, help_text="Why there is no interval.")


class LinkKappaOfPairSerializer(serializers.Serializer[Any]):
    """Cohen's kappa of two coders, each link of a markable to a possible target decided as given or not."""

    first = serializers.CharField()
    second = serializers.CharField()
    value = serializers.FloatField(allow_null=True)
    n_units = serializers.IntegerField(help_text="markables of which both were asked")
    n_links = serializers.IntegerField(help_text="links that there could be")
    both = serializers.IntegerField()
    only_first = serializers.IntegerField()
    only_second = serializers.IntegerField()


class IntervalQuerySerializer(serializers.Serializer[Any]):
    interval = serializers.ChoiceField(
        choices=["bootstrap"], required=False, help_text="Also the percentiles of the bootstrap, in `bootstrap`."
    )


class BootstrapSerializer(serializers.Serializer[Any]):
    """The coefficient over random samples of the texts, drawn with replacement."""

    value = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True, help_text="of the 95% interval: percentiles")
    high = serializers.FloatField(allow_null=True)
    standard_error = serializers.FloatField(allow_null=True)
    replicates = serializers.IntegerField()
    undefined = serializers.IntegerField(help_text="replicates without a value, which are left out")
    drawn_from = serializers.IntegerField(help_text="how many there are to draw")
    by = serializers.CharField(help_text="what is drawn: document, or unit where there is one")
    seed = serializers.IntegerField()
    note = serializers.CharField(allow_blank=True)


class ReportSerializer(PartSerializer, FiguresSerializer):
    parameters = ParametersSerializer()
    z = serializers.FloatField(
        allow_null=True, help_text="The value in standard errors of agreement by chance, where there is a formula."
    )
    p_value = serializers.FloatField(
        allow_null=True, help_text="Of a z as far from 0, if coders agreed by chance only."
    )
    z_note = serializers.CharField(allow_blank=True, help_text="Why a kappa has no z.")
    low = serializers.FloatField(allow_null=True, help_text="of the 95% interval")
    high = serializers.FloatField(allow_null=True)
    interval = IntervalSerializer()
    bootstrap = BootstrapSerializer(required=False, help_text="with interval=bootstrap")
    fingerprint = serializers.CharField(help_text="Equal for equal answers.")
    coders = serializers.ListField(child=serializers.CharField())
    codings_left_out = serializers.DictField(
        child=serializers.IntegerField(), help_text="codings that do not count, by reason"
    )
    judgements_left_out = serializers.DictField(
        child=serializers.IntegerField(),
        required=False,
        help_text="with a question: judgements not asked it (not_asked), or without an answer to it (not_answered)",
    )
    judgements_of_other_versions = serializers.IntegerField(
        required=False, help_text="with versions: judgements that are missing, as last given under others"
    )
    links = LinkKappaOfPairSerializer(many=True, required=False, help_text="with a relation: of each two coders")
    texts = TextFiguresSerializer(many=True)


class CoderPairSerializer(serializers.Serializer[Any]):
    first = serializers.CharField(help_text="The coder who is taken for the key.")
    second = serializers.CharField(help_text="The coder who is compared with the key.")


class F1IntervalSerializer(serializers.Serializer[Any]):
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    note = serializers.CharField(allow_blank=True, help_text="Why there is no interval.")


class ScoreSerializer(serializers.Serializer[Any]):
    recall = serializers.FloatField(allow_null=True)
    precision = serializers.FloatField(allow_null=True)
    f1 = serializers.FloatField(allow_null=True)
    note = serializers.CharField(required=False, help_text="Why there is no score, or what a mean is of.")
    f1_interval = F1IntervalSerializer(required=False, help_text="95%, over texts; only over all texts.")


class LinkKappaSerializer(serializers.Serializer[Any]):
    value = serializers.FloatField(allow_null=True)
    note = serializers.CharField(required=False)


class ScoresOfPairSerializer(serializers.Serializer[Any]):
    """Every coreference score of two coders."""

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        scores: dict[str, serializers.Field[Any, Any, Any, Any]] = {name: ScoreSerializer() for name in SCORES}
        return {**super().get_fields(), **scores, "link_kappa": LinkKappaSerializer()}


class ScoresOfTextSerializer(ScoresOfPairSerializer):
    slug = serializers.CharField()


class CoreferenceSerializer(PartSerializer):
    first = serializers.CharField()
    second = serializers.CharField()
    parameters = ParametersSerializer()
    fingerprint = serializers.CharField()
    matched_by_muc6 = serializers.BooleanField(help_text="Whether markables match by the rules of MUC-6.")
    n_in_several = serializers.IntegerField(
        help_text="Mentions of the two coders with several indices or readings, each of which is scored by one."
    )
    codings_left_out = serializers.DictField(
        child=serializers.IntegerField(), help_text="codings that do not count, by reason"
    )
    judgements_of_other_versions = serializers.IntegerField(
        required=False, help_text="with versions: judgements that are missing, as last given under others"
    )
    overall = ScoresOfPairSerializer()
    texts = ScoresOfTextSerializer(many=True)


class ComparisonQuerySerializer(serializers.Serializer[Any]):
    by = serializers.ChoiceField(choices=KINDS, help_text="What is compared.")
    first = serializers.CharField(
        help_text="A round, coders or groups of coders with commas between, a category, or a project's address."
    )
    second = serializers.CharField(help_text="Another of the same kind.")


class DifferenceSerializer(serializers.Serializer[Any]):
    by = serializers.ChoiceField(choices=KINDS)
    parameters = ParametersSerializer()
    names = serializers.ListField(child=serializers.CharField(), help_text="The first and the second.")
    first = serializers.FloatField(allow_null=True, help_text="the coefficient of the first")
    second = serializers.FloatField(allow_null=True)
    difference = serializers.FloatField(allow_null=True, help_text="the first less the second")
    low = serializers.FloatField(allow_null=True, help_text="of its 95% interval")
    high = serializers.FloatField(allow_null=True)
    p_value = serializers.FloatField(allow_null=True, help_text="two-sided, of Student's t")
    permutation_p_value = serializers.FloatField(allow_null=True, help_text="of 2,000 permutations of the texts")
    paired = serializers.BooleanField(help_text="whether both are of the same texts")
    codings_left_out = serializers.DictField(
        child=serializers.IntegerField(), help_text="codings that do not count, by reason"
    )
    judgements_of_other_versions = serializers.IntegerField(
        required=False, help_text="with versions: judgements that are missing, as last given under others"
    )
    note = serializers.CharField(allow_blank=True, help_text="Why there is no interval.")


class GroupIntervalSerializer(serializers.Serializer[Any]):
    value = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True, help_text="of its 95% interval")
    high = serializers.FloatField(allow_null=True)
    n_units = serializers.IntegerField()
    note = serializers.CharField(allow_blank=True, help_text="Why there is no value or no interval.")


class CoderGroupSerializer(GroupIntervalSerializer):
    name = serializers.CharField()
    coders = serializers.ListField(child=serializers.CharField())


class GroupPairSerializer(serializers.Serializer[Any]):
    first = serializers.CharField()
    second = serializers.CharField()
    between = GroupIntervalSerializer(
        allow_null=True, help_text="each coder of the one against each of the other; null for coefficients of labels"
    )
    difference = DifferenceSerializer(
        allow_null=True, help_text="of what they agree within; null where a group has a single coder"
    )


class GroupsSerializer(serializers.Serializer[Any]):
    parameters = ParametersSerializer()
    groups = CoderGroupSerializer(many=True, help_text="what each agrees within")
    pairs = GroupPairSerializer(many=True)
    ungrouped = serializers.ListField(child=serializers.CharField(), help_text="coders who are in no group")
    codings_left_out = serializers.DictField(
        child=serializers.IntegerField(), help_text="codings that do not count, by reason"
    )
    judgements_of_other_versions = serializers.IntegerField(
        required=False, help_text="with versions: judgements that are missing, as last given under others"
    )


class SelfAgreementSerializer(serializers.Serializer[Any]):
    coder = serializers.CharField(help_text="empty: all coders together, each with texts of their own")
    shown_again = serializers.IntegerField(help_text="codings of texts that the coder was shown, or coded, again")
    codings = serializers.IntegerField(help_text="how many of them count")
    texts = serializers.IntegerField(help_text="of how many texts these are")
    texts_left_out = serializers.DictField(child=serializers.IntegerField(), help_text="other codings, by reason")
    n_units = serializers.IntegerField()
    units_left_out = serializers.DictField(child=serializers.IntegerField(), help_text="by reason")
    value = serializers.FloatField(allow_null=True, help_text="the first occasion against the second")
    low = serializers.FloatField(allow_null=True, help_text="of its 95% interval over texts")
    high = serializers.FloatField(allow_null=True)
    between = serializers.FloatField(
        allow_null=True, help_text="of all coders in the same texts, on the first occasion"
    )
    note = serializers.CharField(allow_blank=True, help_text="What is left out, and why there is no figure.")


class RepeatsSerializer(serializers.Serializer[Any]):
    parameters = ParametersSerializer()
    coders = SelfAgreementSerializer(many=True, help_text="in texts that they were shown again within a round")
    all_coders = SelfAgreementSerializer(allow_null=True, help_text="null where fewer than two have a figure")
    rechecks = SelfAgreementSerializer(many=True, help_text="in texts that they knowingly coded again in a recheck")
    all_rechecks = SelfAgreementSerializer(allow_null=True, help_text="null where fewer than two have a figure")


class MatrixFormatSerializer(serializers.Serializer[Any]):
    form = serializers.ChoiceField(
        choices=["json", "csv", "raw"], required=False, help_text="How the matrix is written: raw is CSV, too."
    )


class MatrixRowSerializer(serializers.Serializer[Any]):
    text = serializers.CharField()
    unit = serializers.CharField(help_text="The markable's key.")
    values = serializers.DictField(
        child=serializers.JSONField(), help_text="By coder a label, a list of keys of markables, or null."
    )


class GridCellSerializer(serializers.Serializer[Any]):
    construction = serializers.CharField()
    parameters = ParametersSerializer()
    value = serializers.FloatField(allow_null=True)
    note = serializers.CharField(allow_blank=True)
