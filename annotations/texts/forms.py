"""The forms of questions: asking, replying and publishing. The API takes the same fields."""

from django import forms

from annotations.models.question import BODY_LENGTH, MARKABLE_KEY_LENGTH


class QuestionForm(forms.Form):
    """A question about a markable, or about the whole text without one."""

    markable = forms.CharField(required=False, max_length=MARKABLE_KEY_LENGTH)
    body = forms.CharField(
        label="Question",
        max_length=BODY_LENGTH,
        widget=forms.Textarea({"rows": 4}),
        help_text="The managers read it with your name; other coders do not. Markdown.",
    )


class ReplyForm(forms.Form):
    body = forms.CharField(label="Reply", max_length=BODY_LENGTH, widget=forms.Textarea({"rows": 4}))


class PublicAnswerForm(forms.Form):
    """A question and its answer for everybody in the project, without words of the text or names."""

    public_question = forms.CharField(
        label="Question",
        required=False,
        max_length=BODY_LENGTH,
        widget=forms.Textarea({"rows": 3}),
        help_text="Reword it so that it does not tell what the coder has answered.",
    )
    public_answer = forms.CharField(
        label="Answer", required=False, max_length=BODY_LENGTH, widget=forms.Textarea({"rows": 3})
    )
