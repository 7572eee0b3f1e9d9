"""What the agreement API gives, for the schema, and what it takes."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from agreement.measures import RELATIONS
from agreement.measures.uncertainty.forecasts import SAMPLES
from agreement.reports.coders.differences import KINDS
from agreement.reports.items.items import AMBIGUITY, SORTS, VERDICTS
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
    low = serializers.FloatField(allow_null=True, help_text="of the 95% interval")
    high = serializers.FloatField(allow_null=True)
    interval = IntervalSerializer()
    bootstrap = BootstrapSerializer(required=False, help_text="with interval=bootstrap")
    fingerprint = serializers.CharField(help_text="Equal for equal answers.")
    coders = serializers.ListField(child=serializers.CharField())
    codings_left_out = serializers.DictField(
        child=serializers.IntegerField(), help_text="codings with judgements that do not count, by reason"
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
    note = serializers.CharField(required=False, help_text="Why there is no score.")
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
    codings_left_out = serializers.DictField(
        child=serializers.IntegerField(), help_text="codings with judgements that do not count, by reason"
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
        child=serializers.IntegerField(), help_text="codings with judgements that do not count, by reason"
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
        child=serializers.IntegerField(), help_text="codings with judgements that do not count, by reason"
    )
    judgements_of_other_versions = serializers.IntegerField(
        required=False, help_text="with versions: judgements that are missing, as last given under others"
    )


class SelfAgreementSerializer(serializers.Serializer[Any]):
    coder = serializers.CharField(help_text="empty: all coders together, each with texts of their own")
    shown_again = serializers.IntegerField(help_text="how many texts the coder was shown, or coded, again")
    texts = serializers.IntegerField(help_text="how many of them count")
    texts_left_out = serializers.DictField(child=serializers.IntegerField(), help_text="the others, by reason")
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


class PlanningQuerySerializer(serializers.Serializer[Any]):
    margin = serializers.FloatField(required=False, help_text="Half the width of the interval that is to be reached.")
    bound = serializers.FloatField(required=False, help_text="What the whole interval is to be above, such as 0.667.")
    difference = serializers.FloatField(required=False, help_text="How far two rounds of other texts are to differ.")
    power = serializers.FloatField(required=False, help_text="In which share of cases both are to be seen.")
    sample = serializers.ChoiceField(
        choices=SAMPLES, required=False, help_text="groups: texts, by these coders; both: texts and coders like these."
    )


class TargetSerializer(serializers.Serializer[Any]):
    value = serializers.FloatField(allow_null=True, help_text="what is to be reached")
    texts = serializers.IntegerField(allow_null=True, help_text="the fewest that are enough; null: none up to 10,000")


class TargetsSerializer(serializers.Serializer[Any]):
    margin = TargetSerializer()
    bound = TargetSerializer()
    difference = TargetSerializer(help_text="texts of each of the two rounds")


class MarginSerializer(serializers.Serializer[Any]):
    margin = serializers.FloatField()
    texts = serializers.IntegerField(allow_null=True)


class SizeSerializer(serializers.Serializer[Any]):
    texts = serializers.IntegerField()
    low = serializers.FloatField(help_text="of the interval that so many texts would have")
    high = serializers.FloatField()
    margin = serializers.FloatField(help_text="half its width")
    power_above = serializers.FloatField(allow_null=True, help_text="how often it lies above the bound")
    power_of_difference = serializers.FloatField(
        allow_null=True, help_text="how often two rounds, each of so many texts, are told apart"
    )
    extrapolated = serializers.BooleanField(help_text="whether fewer texts are coded")


class CoderMarginsSerializer(serializers.Serializer[Any]):
    coders = serializers.IntegerField()
    margins = MarginSerializer(many=True)


class PlanningSerializer(serializers.Serializer[Any]):
    parameters = ParametersSerializer()
    sample = serializers.ChoiceField(choices=SAMPLES)
    value = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True, help_text="of the 95% interval of the texts that are coded")
    high = serializers.FloatField(allow_null=True)
    margin = serializers.FloatField(allow_null=True, help_text="half its width")
    n_texts = serializers.IntegerField()
    n_coders = serializers.IntegerField(help_text="how many stand for others; 0 where these are meant")
    targets = TargetsSerializer()
    power = serializers.FloatField()
    margins = MarginSerializer(many=True)
    sizes = SizeSerializer(many=True)
    coders = CoderMarginsSerializer(many=True, help_text="of coders that stand for others: the margin by their number")
    description = serializers.CharField(help_text="the same in words")
    codings_left_out = serializers.DictField(
        child=serializers.IntegerField(), help_text="codings with judgements that do not count, by reason"
    )
    judgements_of_other_versions = serializers.IntegerField(
        required=False, help_text="with versions: judgements that are missing, as last given under others"
    )
    note = serializers.CharField(allow_blank=True, help_text="Why there is no forecast.")


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


class ItemQuerySerializer(serializers.Serializer[Any]):
    """Which items, and in which order."""

    relation = serializers.ChoiceField(choices=RELATIONS, required=False, help_text="Some pair of coders.")
    level = serializers.CharField(required=False)
    category = serializers.CharField(required=False, help_text="Some coder gave it.")
    ambiguity = serializers.ChoiceField(choices=AMBIGUITY, required=False)
    text = serializers.CharField(required=False, help_text="The address of a text.")
    flag = serializers.ChoiceField(choices=["set"], required=False, help_text="For managers and adjudicators.")
    note = serializers.ChoiceField(choices=["set"], required=False, help_text="A coder wrote one.")
    unsure = serializers.ChoiceField(choices=["set"], required=False, help_text="A coder was.")
    sort = serializers.ChoiceField(choices=SORTS, required=False)


class GivenAnswerSerializer(serializers.Serializer[Any]):
    """What a coder answered. Of pyramids there are none: words are compared, which nobody answers on."""

    coder = serializers.CharField()
    category = serializers.CharField(allow_null=True, help_text="its key")
    category_label = serializers.CharField(allow_null=True)
    antecedents = serializers.ListField(
        child=serializers.CharField(),
        help_text="words, ' + ' between those that are meant together; or names of indices",
    )
    targets = serializers.ListField(child=serializers.CharField(), help_text="keys of the antecedents")
    unsure = serializers.BooleanField()
    note = serializers.CharField(allow_blank=True)


class ContextSerializer(serializers.Serializer[Any]):
    before = serializers.CharField(allow_blank=True)
    words = serializers.CharField()
    after = serializers.CharField(allow_blank=True)


class ItemSerializer(serializers.Serializer[Any]):
    text = serializers.CharField()
    round = serializers.CharField()
    key = serializers.CharField()
    words = serializers.CharField()
    label = serializers.CharField(allow_blank=True)  # type: ignore[assignment]
    share = serializers.FloatField(help_text="of the observed disagreement; all shares sum to 1")
    observed = serializers.FloatField(help_text="what it adds to observed disagreement")
    n_coders = serializers.IntegerField()
    n_values = serializers.IntegerField()
    relations = serializers.DictField(child=serializers.IntegerField(), help_text="pairs of coders by relation")
    n_ambiguous = serializers.IntegerField(help_text="coders who marked several readings or indices")
    camps = serializers.BooleanField(help_text="four coders or more split into camps, and none marked any ambiguity")
    posterior = serializers.FloatField(
        allow_null=True,
        help_text="probability of two readings, by a model of coders; null where fewer than two gave one reading,"
        " and where more than 20,000 items are chosen",
    )
    verdict = serializers.ChoiceField(
        choices=["", *VERDICTS], help_text="what is likely where four coders or more differ"
    )
    title = serializers.CharField(help_text="of the text")
    in_context = ContextSerializer()
    n_pointers = serializers.IntegerField(help_text="pointers of all coders to it")
    chain_size = serializers.IntegerField(help_text="of its largest chain; 0 where all coders gave labels")
    flagged = serializers.BooleanField(allow_null=True, help_text="null for those who do not discuss items")
    answers = GivenAnswerSerializer(many=True)


class PairSerializer(serializers.Serializer[Any]):
    first = serializers.CharField()
    second = serializers.CharField()
    relation = serializers.CharField()
    distances = serializers.DictField(child=serializers.FloatField())


class ValueSerializer(serializers.Serializer[Any]):
    coder = serializers.CharField()
    category = serializers.CharField(allow_null=True, help_text="where the value is a label")
    chain = serializers.ListField(
        child=serializers.CharField(),
        allow_null=True,
        help_text="where it is a set: the keys of its markables; of several readings those of all",
    )
    labels = serializers.ListField(
        child=serializers.CharField(), required=False, help_text="where it is a set of labels: their keys"
    )
    readings = serializers.ListField(
        child=serializers.ListField(child=serializers.CharField()),
        required=False,
        help_text="where it is several readings: the keys of the markables of each",
    )


class ItemReportSerializer(serializers.Serializer[Any]):
    text = serializers.CharField()
    round = serializers.CharField()
    key = serializers.CharField()
    values = ValueSerializer(many=True)
    answers = GivenAnswerSerializer(many=True)
    pairs = PairSerializer(many=True)


class ShareSerializer(serializers.Serializer[Any]):
    """A share of items with its interval over texts."""

    found = serializers.IntegerField()
    total = serializers.IntegerField()
    value = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True, help_text="of the 95% interval, over texts")
    high = serializers.FloatField(allow_null=True)
    note = serializers.CharField(allow_blank=True, help_text="Why there is no interval.")


class NamedShareSerializer(ShareSerializer):
    name = serializers.CharField(help_text="of the coder, or a letter")


class AgainstGoldSerializer(serializers.Serializer[Any]):
    """A coder or group against gold, which is the key of the scores."""

    name = serializers.CharField(help_text="of the coder or group; a letter for who does not see names")
    n_texts = serializers.IntegerField()
    accuracy = ShareSerializer(help_text="of the items that both answered, those with the answer of gold")
    missed = serializers.IntegerField(help_text="items that gold alone answers, in texts that the coder has coded")
    extra = serializers.IntegerField(help_text="items that the coder alone answers")
    overruled = ShareSerializer(help_text="of the contested items, those in which gold has another value")
    scores = serializers.DictField(child=ScoreSerializer(), help_text="by name; none where coders make no chains")


class QuestionAccuracySerializer(serializers.Serializer[Any]):
    question = serializers.CharField(help_text="key of an attribute or relation")
    coders = NamedShareSerializer(many=True)


class AgreementBesideGoldSerializer(serializers.Serializer[Any]):
    value = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    n_units = serializers.IntegerField()
    note = serializers.CharField(allow_blank=True)


class CoderInPeriodSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    accuracy = serializers.FloatField(allow_null=True)
    conll_f1 = serializers.FloatField(allow_null=True)


class GoldPeriodSerializer(serializers.Serializer[Any]):
    n_texts = serializers.IntegerField()
    last = serializers.CharField(help_text="address of the text that was finished last of them")
    coders = CoderInPeriodSerializer(many=True)


class GoldReportSerializer(serializers.Serializer[Any]):
    """Coders against gold."""

    parameters = ParametersSerializer()
    fingerprint = serializers.CharField(help_text="Equal for equal answers and gold.")
    n_texts = serializers.IntegerField()
    n_items = serializers.IntegerField(help_text="that gold answers")
    n_contested = serializers.IntegerField(help_text="items in which not all coders have the same value")
    matched_by_muc6 = serializers.BooleanField()
    coders = AgainstGoldSerializer(many=True)
    groups = AgainstGoldSerializer(many=True)
    questions = QuestionAccuracySerializer(many=True)
    agreement = AgreementBesideGoldSerializer(help_text="of the coders, without gold, in the same texts")
    periods = GoldPeriodSerializer(many=True)
    gold_left_out = serializers.DictField(child=serializers.IntegerField(), help_text="texts, by reason")
    codings_left_out = serializers.DictField(child=serializers.IntegerField(), help_text="by reason")
