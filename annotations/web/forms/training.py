"""The form of the page of a training round."""

from __future__ import annotations

from typing import Any

from django import forms

from annotations.core.http.fields import BoundedModelField
from annotations.models import Project, TrainingDecision
from annotations.projects.people.members import CODING_ROLES, members_in_roles


class DecisionForm(forms.Form):
    """What a manager decides on a coder, with the reason."""

    coder = BoundedModelField("username", empty_label=None)
    outcome = forms.ChoiceField(choices=TrainingDecision.Outcome.choices, label="Decision")
    reason = forms.CharField(max_length=TrainingDecision.REASON_LENGTH, help_text="The coder reads it.")

    def __init__(self, project: Project, data: Any = None) -> None:
        super().__init__(data)
        coders = self.fields["coder"]
        assert isinstance(coders, BoundedModelField)
        coders.choose_from(members_in_roles(project, CODING_ROLES))
