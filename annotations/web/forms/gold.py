"""The forms by which gold and agreed pyramids are drafted."""

from __future__ import annotations

from typing import Any

from django import forms

from annotations.adjudication.drafts import DraftRequest
from annotations.adjudication.proposal import Method
from annotations.models import Coding, Docset, Membership, User
from annotations.projects.people.members import adjudicators_of, members_in_roles


class DraftForm(forms.Form):
    """Of what the gold of the texts of a round is drafted."""

    method = forms.ChoiceField(
        label="Draft the gold of all texts of",
        choices=[
            (Method.MOST, "what most coders say"),
            (Method.AGREED, "what all coders say"),
            (Method.EMPTY, "nothing: only what is contested is noted"),
        ],
    )
    # sent by the button that drafts again
    again = forms.BooleanField(required=False, widget=forms.HiddenInput)


class HandOnForm(forms.Form):
    """Who goes on with the gold of a text."""

    adjudicator = forms.ChoiceField(label="Goes on with it", widget=forms.RadioSelect, required=False)

    def __init__(self, gold: Coding, data: Any = None) -> None:
        super().__init__(data)
        field = self.fields["adjudicator"]
        assert isinstance(field, forms.ChoiceField)
        others = adjudicators_of(gold.text.project).exclude(pk=gold.coder_id)
        field.choices = [(name, name) for name in others.values_list("username", flat=True)]
        if gold.coder_id is not None:
            field.choices += [("", "Whoever opens it first")]

    def clean_adjudicator(self) -> str:
        """Refuse a form in which nothing was chosen, where that would give the gold to nobody."""
        if "adjudicator" not in self.data:
            raise forms.ValidationError("Choose who goes on with it.")
        return str(self.cleaned_data["adjudicator"])


class DraftAgreedForm(forms.Form):
    """Of what the agreed pyramid of a docset is drafted, and by a manager of the adjudicator who goes on with it."""

    method = forms.ChoiceField(label="Draft it from", widget=forms.RadioSelect, initial=str(Method.MOST))
    draft_for = forms.ChoiceField(label="Adjudicator", widget=forms.RadioSelect)

    def __init__(self, docset: Docset, by: User | None, *args: Any, **kwargs: Any) -> None:
        """Take the adjudicator who sends the form as `by`; None if a manager chooses an adjudicator."""
        super().__init__(*args, **kwargs)
        self.docset, self.by = docset, by
        pyramids = Coding.objects.filter(text__docset=docset, kind=Coding.Kind.PYRAMID, status=Coding.Status.SUBMITTED)
        coders = pyramids.order_by("coder__username").values_list("coder__username", flat=True)
        method, draft_for = self.fields["method"], self.fields["draft_for"]
        assert isinstance(method, forms.ChoiceField)
        assert isinstance(draft_for, forms.ChoiceField)
        method.choices = [
            (str(Method.MOST), "what most coders say"),
            (str(Method.AGREED), "what all coders say"),
            *((f"{Method.CODER} {name}", f"the pyramid of {name}") for name in coders),
            (str(Method.EMPTY), "nothing: only what is contested is noted"),
        ]
        if by is not None:
            del self.fields["draft_for"]
        else:
            adjudicators = members_in_roles(docset.project, (Membership.Role.ADJUDICATOR,))
            draft_for.choices = [(name, name) for name in adjudicators.values_list("username", flat=True)]

    def order(self) -> DraftRequest:
        """Return what is to be drafted."""
        method, _, coder = self.cleaned_data["method"].partition(" ")
        adjudicator = self.by.get_username() if self.by is not None else self.cleaned_data["draft_for"]
        return DraftRequest(Method(method), coder=coder, texts=(self.docset.slug,), adjudicator=adjudicator)
