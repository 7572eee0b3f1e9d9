"""The forms that draft and reassign gold and agreed pyramids."""

from typing import Any

from django import forms

from annotations.adjudication.drafts import DraftRequest
from annotations.adjudication.proposal import Method
from annotations.docsets.agreed_pyramid import submitted_pyramids
from annotations.models import Coding, Docset, Membership, User
from annotations.projects.people.members import adjudicators_of, members_in_roles

METHODS = (
    (str(Method.MOST), "what most coders say"),
    (str(Method.AGREED), "what all coders say"),
    (str(Method.EMPTY), "nothing: only what is contested is noted"),
)


class DraftForm(forms.Form):
    """The choice of a source for the gold drafts of a round."""

    method = forms.ChoiceField(label="Draft the gold of all texts of", choices=METHODS)
    # sent by the button Draft again
    again = forms.BooleanField(required=False, widget=forms.HiddenInput)


class HandOnForm(forms.Form):
    """The choice of the adjudicator to whom gold is reassigned."""

    def __init__(self, gold: Coding, data: Any = None) -> None:
        super().__init__(data)
        usernames = adjudicators_of(gold.text.project).exclude(pk=gold.coder_id).values_list("username", flat=True)
        choices = [*((name, name) for name in usernames), *([("", "Whoever opens it first")] if gold.coder_id else [])]
        self.fields["adjudicator"] = forms.ChoiceField(
            label="Goes on with it", widget=forms.RadioSelect, required=False, choices=choices
        )

    def clean_adjudicator(self) -> str:
        """Refuse a form without a choice, which would leave the gold without an owner."""
        if "adjudicator" not in self.data:
            raise forms.ValidationError("Choose who goes on with it.")
        return str(self.cleaned_data["adjudicator"])


class DraftAgreedForm(forms.Form):
    """The choice of a source for the draft of the agreed pyramid; managers also choose the adjudicator."""

    def __init__(self, docset: Docset, by: User | None, *args: Any, **kwargs: Any) -> None:
        """Create the form for the adjudicator `by`; if None, a manager chooses the adjudicator."""
        super().__init__(*args, **kwargs)
        self.docset, self.by = docset, by
        coders = submitted_pyramids(docset).order_by("coder__username").values_list("coder__username", flat=True)
        most, agreed, empty = METHODS
        self.fields["method"] = forms.ChoiceField(
            label="Draft it from",
            widget=forms.RadioSelect,
            initial=str(Method.MOST),
            choices=[most, agreed, *((f"{Method.CODER} {name}", f"the pyramid of {name}") for name in coders), empty],
        )
        if by is None:
            adjudicators = members_in_roles(docset.project, (Membership.Role.ADJUDICATOR,))
            names = adjudicators.values_list("username", flat=True)
            self.fields["draft_for"] = forms.ChoiceField(
                label="Adjudicator", widget=forms.RadioSelect, choices=[(name, name) for name in names]
            )

    def order(self) -> DraftRequest:
        method, _, coder = self.cleaned_data["method"].partition(" ")
        adjudicator = self.by.get_username() if self.by is not None else self.cleaned_data["draft_for"]
        return DraftRequest(Method(method), coder=coder, texts=(self.docset.slug,), adjudicator=adjudicator)
