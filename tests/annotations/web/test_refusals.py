"""What the domain refuses, shown at forms and as messages."""

import pytest
from django import forms
from django.contrib.messages import get_messages
from django.contrib.messages.storage.cookie import CookieStorage
from django.core.exceptions import ValidationError

from annotations.web.shared import refused_at, refused_to


class NameForm(forms.Form):
    name = forms.CharField()


@pytest.mark.parametrize(
    ("refusal", "field", "errors"),
    [
        (ValidationError({"name": "Taken."}), None, {"name": ["Taken."]}),
        (ValidationError({"slug": "Taken."}), None, {"__all__": ["Taken."]}),
        (ValidationError({"slug": "Taken."}), "name", {"name": ["Taken."]}),
        (ValidationError(["No.", "Never."]), None, {"__all__": ["No.", "Never."]}),
        (ValidationError("No."), "name", {"name": ["No."]}),
    ],
)
def test_refusals_are_shown_at_their_field_or_above_the_form(refusal, field, errors):
    form = NameForm({"name": "Tea"})
    assert form.is_valid()
    with refused_at(form, field):
        raise refusal
    assert form.errors == errors


def test_refusals_of_an_action_are_a_message(rf):
    request = rf.post("/")
    request._messages = CookieStorage(request)
    with refused_to(request):
        raise ValidationError(["No.", "Never."])
    assert [str(message) for message in get_messages(request)] == ["No. Never."]


def test_other_errors_are_not_held_back():
    with pytest.raises(KeyError), refused_at(NameForm({})):
        raise KeyError
