"""The form of the page Repeats."""

from __future__ import annotations

from typing import Any

from django import forms

from annotations.core.http.fields import BoundedModelCheckboxes
from annotations.models import RepeatPlan
from annotations.planning.plans.changes import MOST_DAYS
from annotations.planning.plans.designs.terms import LARGEST_SEED
from annotations.planning.repeats import DAYS, MOST_REPEATED, RepeatRequest


class RepeatForm(forms.Form):
    """A share of each coder's submitted texts, or a number of them, and how long after the first occasion."""

    share = forms.FloatField(
        required=False, min_value=0, max_value=100, label="Share of each coder’s submitted texts, in %"
    )
    number = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=MOST_REPEATED,
        label="Or texts per coder",
        help_text="In place of a share.",
    )
    days = forms.IntegerField(
        min_value=0, max_value=MOST_DAYS, label="Days since the last change", help_text="Texts changed later wait."
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
        field = self.fields["coders"]
        assert isinstance(field, BoundedModelCheckboxes)
        field.choose_from(coders)

    def clean(self) -> dict[str, Any]:
        fields = super().clean() or {}
        if not self.errors and (fields["share"] is None) == (fields["number"] is None):
            raise forms.ValidationError("Enter a share or a number of texts: one of the two.")
        return fields

    def as_request(self, round_name: str) -> RepeatRequest:
        """Return what is asked for, of a form without errors."""
        fields = self.cleaned_data
        return RepeatRequest(
            share=None if fields["share"] is None else fields["share"] / 100,
            number=fields["number"],
            days=fields["days"],
            seed=fields["seed"] or 0,
            round_name=round_name,
            coders=tuple(coder.get_username() for coder in fields["coders"]),
            automatic=fields["automatic"],
        )


def initial_of(plan: RepeatPlan | None) -> dict[str, Any]:
    """Return what the form shows at first: what was asked for last, or a tenth of the texts."""
    if plan is None:
        return {"share": 10, "days": DAYS, "seed": 1, "automatic": True}
    share = None if plan.share is None else f"{plan.share * 100:.6g}"
    fields = {
        "share": share,
        "number": plan.number,
        "days": plan.days,
        "seed": plan.seed,
        "automatic": plan.automatic,
        "coders": list(plan.coders.all()),
    }
    return {name: value for name, value in fields.items() if value is not None}
