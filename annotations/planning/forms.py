"""The forms of rounds, their texts, training, repeats, and assignments; the API takes the same fields."""

from typing import Any, Self

from django import forms
from django.db.models import QuerySet

from annotations.core.http.fields import (
    MAX_CHOICES,
    MAX_NAMED,
    BoundedModelCheckboxes,
    BoundedModelField,
    BoundedSelect,
    ModelCheckboxField,
    NamesField,
    field_of,
)
from annotations.models import Project, RepeatPlan, Round, Text, TrainingDecision
from annotations.models.coding import REASON_LENGTH
from annotations.models.project import KEY_LENGTH
from annotations.planning.plans.designs.terms import LARGEST_SEED
from annotations.planning.repeats import DAYS, MAX_REPEATED, TERMS, RepeatRequest
from annotations.planning.work.assignments import MAX_DAYS
from annotations.projects.people.members import CODING_ROLES, members_in_roles
from annotations.projects.rounds import rounds_of


class DayField(forms.DateField):
    widget = forms.DateInput({"type": "date"}, format="%Y-%m-%d")


class RoundForm(forms.Form):
    """The name, kind and dates of a round."""

    name = forms.SlugField(max_length=KEY_LENGTH, help_text="For example pilot, main or main-2.")
    kind = forms.ChoiceField(
        choices=Round.Kind.choices,
        initial=Round.Kind.MAIN,
        help_text="Training and recheck rounds stay out of figures unless they are included there.",
    )
    starts_on = DayField(required=False, label="From")
    ends_on = DayField(required=False, label="Until")
    required_round = BoundedModelField(
        "name",
        required=False,
        label="Requires training",
        empty_label="none",
        help_text="Coders begin no text of this round before they have passed that training round.",
    )
    pass_measure = forms.ChoiceField(
        required=False,
        label="Pass rule",
        choices=[("", "none: a manager decides"), *Round.PassMeasure.choices],
        help_text="Of a training round: what of a coder’s text is compared with the gold.",
    )
    pass_mark = forms.FloatField(
        required=False,
        min_value=0,
        max_value=1,
        label="Pass mark",
        widget=forms.NumberInput(attrs={"step": "any"}),
        help_text="From 0 to 1: who reaches it in one text has passed.",
    )
    attempts = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=1000,
        label="Attempts",
        help_text="How many texts of a training round count; empty: all that have gold.",
    )
    feedback = forms.TypedChoiceField(
        required=False,
        empty_value=Round.Feedback.SUBMISSION,
        choices=Round.Feedback.choices,
        initial=Round.Feedback.SUBMISSION,
        help_text="When coders of a training round see the gold beside their own answers.",
    )

    def __init__(self, project_id: int, data: Any = None, **options: Any) -> None:
        super().__init__(data, **options)
        trainings = Round.objects.filter(project=project_id, kind=Round.Kind.TRAINING)
        field_of(self, "required_round", BoundedModelField).choose_from(trainings)

    @classmethod
    def of_round(cls, round_: Round, data: Any = None) -> Self:
        """Return the form that changes a round."""
        initial = {name: getattr(round_, name) for name in cls.base_fields}
        return cls(round_.project_id, data, initial=initial)


class NewRoundForm(RoundForm):
    """A new round, empty or with the texts of another round."""

    copied = forms.ChoiceField(
        required=False, label="Texts", widget=BoundedSelect, help_text="None of its codings is copied."
    )

    def __init__(self, project: Project, data: Any = None) -> None:
        super().__init__(project.pk, data)
        self.rounds = {round_.name: round_ for round_ in rounds_of(project)}
        choices = [("", "none yet"), *((name, f"those of {name}") for name in self.rounds)]
        field_of(self, "copied", forms.ChoiceField).choices = choices

    def clean_copied(self) -> Round | None:
        """Return the round to copy from; None if nothing is copied."""
        return self.rounds.get(self.cleaned_data["copied"])


class RoundTextsForm(forms.Form):
    """The texts of a round: ticked, or, if there are too many, added and removed by address."""

    texts = ModelCheckboxField(Text.objects.none(), required=False)
    add = NamesField(Text.objects.none(), label="Add texts", help_text="Their addresses, with spaces or lines between.")
    remove = NamesField(
        Text.objects.none(), label="Take out texts", help_text="Their addresses; those that somebody has begun stay."
    )

    def __init__(self, round_: Round, data: Any = None) -> None:
        super().__init__(data)
        self.round = round_
        texts: QuerySet[Text] = Text.objects.filter(project=round_.project_id, docset=None).defer("content")
        self.names_texts = texts.count() > MAX_CHOICES if data is None else "add" in data or "remove" in data
        if self.names_texts:
            del self.fields["texts"]
            field_of(self, "add", NamesField).queryset = texts
            field_of(self, "remove", NamesField).queryset = texts
        else:
            del self.fields["add"], self.fields["remove"]
            field_of(self, "texts", ModelCheckboxField).queryset = texts
            self.initial["texts"] = list(round_.texts.values_list("pk", flat=True))

    def clean(self) -> dict[str, Any]:
        """Reject a text that is both added and removed."""
        cleaned = super().clean() or self.cleaned_data
        same = [text.slug for text in cleaned.get("add", ()) if text in cleaned.get("remove", ())]
        if same:
            self.add_error("remove", f"{', '.join(same[:MAX_NAMED])}: to be added and taken out. Choose one of these.")
        return cleaned

    @property
    def chosen(self) -> set[Text]:
        """The texts of the round after the change."""
        fields = self.cleaned_data
        if not self.names_texts:
            return set(fields["texts"])
        return {*self.round.texts.defer("content")} - {*fields["remove"]} | {*fields["add"]}


class MoveToRoundForm(forms.Form):
    """The texts that are moved to a round."""

    texts = ModelCheckboxField(Text.objects.none(), required=False)
    names = NamesField(Text.objects.none(), label="Texts", help_text="Their addresses, with spaces or lines between.")
    round = forms.SlugField(
        max_length=KEY_LENGTH, required=False, help_text="They are moved there with their codings. Empty: main."
    )

    def __init__(self, project: Project, data: Any = None) -> None:
        super().__init__(data)
        texts = Text.objects.filter(project=project).defer("content")
        field_of(self, "texts", ModelCheckboxField).queryset = texts
        field_of(self, "names", NamesField).queryset = texts
        number = texts.count()
        self.has_texts = number > 0
        # A long list of texts is a text field.
        unused = "texts" if number > MAX_CHOICES else "names"
        if unused not in self.data:
            del self.fields[unused]

    def clean(self) -> dict[str, Any]:
        """Require a text, ticked or named."""
        cleaned = super().clean() or self.cleaned_data
        cleaned["texts"] = list({*cleaned.get("texts", ()), *cleaned.get("names", ())})
        if not cleaned["texts"] and not self.errors:
            self.add_error(None, "Choose at least one text.")
        return cleaned


class DecisionForm(forms.Form):
    """A manager's decision on a coder of a training round, with the reason."""

    coder = BoundedModelField("username", empty_label=None)
    outcome = forms.ChoiceField(choices=TrainingDecision.Outcome.choices, label="Decision")
    reason = forms.CharField(max_length=TrainingDecision.REASON_LENGTH, help_text="The coder reads it.")

    def __init__(self, project: Project, data: Any = None) -> None:
        super().__init__(data)
        field_of(self, "coder", BoundedModelField).choose_from(members_in_roles(project, CODING_ROLES))


class RepeatForm(forms.Form):
    """A share or a number of each coder's submitted texts, and the delay after the first occasion."""

    share = forms.FloatField(
        required=False, min_value=0, max_value=100, label="Share of each coder’s submitted texts, in %"
    )
    number = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=MAX_REPEATED,
        label="Or texts per coder",
        help_text="In place of a share.",
    )
    days = forms.IntegerField(
        min_value=0, max_value=MAX_DAYS, label="Days since the last change", help_text="Texts changed later wait."
    )
    seed = forms.IntegerField(
        required=False, min_value=-LARGEST_SEED, max_value=LARGEST_SEED, help_text="The same seed draws the same texts."
    )
    automatic = forms.BooleanField(
        required=False,
        label="Repeat automatically",
        help_text="Texts that become due later are shown again within the hour.",
    )
    coders = BoundedModelCheckboxes("username", required=False, help_text="None: all coders.")

    def __init__(self, coders: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field_of(self, "coders", BoundedModelCheckboxes).choose_from(coders)

    def clean(self) -> dict[str, Any]:
        fields = super().clean() or {}
        if not self.errors and (fields["share"] is None) == (fields["number"] is None):
            raise forms.ValidationError("Enter a share or a number of texts: one of the two.")
        return fields

    def as_request(self, round_name: str) -> RepeatRequest:
        """Return the request of a valid form."""
        fields = self.cleaned_data
        terms = {name: fields[name] for name in TERMS}
        terms |= {"share": None if fields["share"] is None else fields["share"] / 100, "seed": fields["seed"] or 0}
        coders = tuple(coder.get_username() for coder in fields["coders"])
        return RepeatRequest(**terms, round_name=round_name, coders=coders)


def initial_repeats(plan: RepeatPlan | None) -> dict[str, Any]:
    """Return the initial values of the form: the last request, or a tenth of the texts."""
    if plan is None:
        return {"share": 10, "days": DAYS, "seed": 1, "automatic": True}
    fields: dict[str, Any] = {name: getattr(plan, name) for name in TERMS} | {"coders": list(plan.coders.all())}
    if plan.share is not None:
        fields["share"] = f"{plan.share * 100:.6g}"
    return {name: value for name, value in fields.items() if value is not None}


class ReplaceForm(forms.Form):
    """A coder and the person who takes over the coder's open texts."""

    coder = BoundedModelField("username")
    other = BoundedModelField("username", label="by")

    def __init__(self, coders: Any, everybody: Any, data: Any = None) -> None:
        super().__init__(data, auto_id="replace_%s")
        for name, users in (("coder", everybody), ("other", coders)):
            field_of(self, name, BoundedModelField).choose_from(users)


class ReleaseForm(forms.Form):
    """The number of days without work after which texts are released."""

    days = forms.IntegerField(min_value=1, max_value=MAX_DAYS, initial=14, label="Days without work")


class ReasonForm(forms.Form):
    """The reason why a manager reopens a coding."""

    reason = forms.CharField(
        required=False,
        max_length=REASON_LENGTH,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="The coder reads it on the coding page.",
    )


class RequestForm(forms.Form):
    """The reason why a coder asks a manager to reopen a coding."""

    reason = forms.CharField(
        max_length=REASON_LENGTH, widget=forms.Textarea(attrs={"rows": 3}), help_text="The managers read it."
    )
