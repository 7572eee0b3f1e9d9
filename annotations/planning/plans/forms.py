"""The form of a plan; the API takes the same fields."""

import re
from collections.abc import Collection, Sequence
from itertools import groupby
from typing import Any

from django import forms
from django.core.paginator import Page, Paginator
from django.utils.functional import cached_property
from django.utils.http import urlencode
from django.utils.text import capfirst

from annotations.core.http.fields import BoundedSelect, field_of
from annotations.models import Plan, Round, User
from annotations.planning.forms import DayField
from annotations.planning.plans.designs.terms import (
    LARGEST_SEED,
    LARGEST_WEIGHT,
    MAX_CODERS,
    SMALLEST_WEIGHT,
    WEIGHT_UNIT,
    Design,
)
from annotations.planning.plans.plans import PlanRequest

MAX_TEXTS = 1_000_000
MAX_CHANGES = 100  # cells changed by hand before a plan is applied; afterwards there is no limit
# Rows of coders on a page. Chosen coders on other pages are sent as ranges of keys, with weight and maximum.
CODERS_ON_A_PAGE = 50
SEARCH_LENGTH = 100
MAX_RANGES = 1_000
RANGE = re.compile(r"(\d{1,18})-(\d{1,18})(?:_([^_~]*)_([^_~]*))?")
CHANGE = re.compile(r"([+-])([-\w]{1,100})/(.{1,150})")
DESIGNS = [(str(key), capfirst(Plan.Design(key).label)) for key in (Design.K, Design.ALL, Design.SHARE, Design.BLOCKS)]


class PlanForm(forms.Form):
    """The options of a plan: the common ones first, the others under Advanced."""

    round = forms.ChoiceField(required=False, widget=BoundedSelect)
    design = forms.ChoiceField(choices=DESIGNS, widget=forms.RadioSelect)
    k = forms.IntegerField(
        required=False, min_value=1, max_value=MAX_CODERS, label="Coders per text (k)", help_text="Empty: all."
    )
    share = forms.FloatField(
        required=False, min_value=0, max_value=100, label="Shared texts, in %", help_text="The others have one coder."
    )
    blocks = forms.IntegerField(
        required=False, min_value=1, max_value=MAX_TEXTS, help_text="Empty: as many as there are coders."
    )
    calibration = forms.IntegerField(
        required=False,
        min_value=0,
        max_value=MAX_TEXTS,
        label="Calibration set",
        help_text="So many texts, drawn at random, are coded by all.",
    )
    pool = forms.BooleanField(
        required=False, label="Pool", help_text="Nobody is assigned a text: coders take the next one themselves."
    )
    due_on = DayField(required=False, label="Due")
    seed = forms.IntegerField(
        required=False, min_value=-LARGEST_SEED, max_value=LARGEST_SEED, help_text="The same seed gives the same plan."
    )
    move = forms.BooleanField(
        required=False, label="Move what has not begun", help_text="Otherwise whatever is assigned stays."
    )
    allow_unconnected = forms.BooleanField(
        required=False,
        label="Allow groups that share no texts",
        help_text="Agreement of all coders cannot be found then.",
    )
    changes = forms.CharField(required=False, max_length=20_000, widget=forms.HiddenInput)

    FIRST = ("round", "design", "k", "share", "blocks", "calibration", "pool", "due_on")
    ADVANCED = ("seed", "move", "allow_unconnected")

    def __init__(self, rounds: Sequence[Round], coders: Sequence[User], data: Any = None, *, blind: bool) -> None:
        super().__init__(data if data is None else _with_others(data, coders))
        self.coders = coders
        self.is_long = len(coders) > CODERS_ON_A_PAGE
        field = field_of(self, "round", forms.ChoiceField)
        field.choices = [(round_.name, round_.name) for round_ in rounds if not round_.is_closed] or [("", "main")]
        if len(field.choices) < 2:
            field.widget = forms.HiddenInput()
        if blind:
            del self.fields["move"]
        for coder in coders:
            self.fields[f"part-{coder.pk}"] = forms.BooleanField(required=False)
            self.fields[f"weight-{coder.pk}"] = forms.FloatField(
                required=False, min_value=SMALLEST_WEIGHT, max_value=LARGEST_WEIGHT
            )
            self.fields[f"maximum-{coder.pk}"] = forms.IntegerField(required=False, min_value=0, max_value=MAX_TEXTS)
            for name, label in (("part", "takes part"), ("weight", "weight"), ("maximum", "texts at most")):
                self.fields[f"{name}-{coder.pk}"].widget.attrs["aria-label"] = f"{coder.get_username()}: {label}"

    @property
    def first_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in self.FIRST if not self[name].is_hidden]

    @property
    def advanced_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in self.ADVANCED if name in self.fields]

    @property
    def is_turned(self) -> bool:
        """Whether another page of coders was requested."""
        return "others" in self.data

    @cached_property
    def search(self) -> str:
        """Return the search words for coders."""
        return str(self.data.get("find", "")).strip()[:SEARCH_LENGTH]

    @cached_property
    def found(self) -> list[User]:
        """Return the coders whose names contain all search words."""
        words = self.search.casefold().split()
        return [coder for coder in self.coders if all(word in coder.get_username().casefold() for word in words)]

    @cached_property
    def shown(self) -> Page[User]:
        """Return the coders on the page."""
        return Paginator(self.found, CODERS_ON_A_PAGE).get_page(self.data.get("rows"))

    @property
    def coder_rows(self) -> list[tuple[User, forms.BoundField, forms.BoundField, forms.BoundField]]:
        """Each coder on the page with the fields for participation, weight and maximum."""
        return [
            (coder, self[f"part-{coder.pk}"], self[f"weight-{coder.pk}"], self[f"maximum-{coder.pk}"])
            for coder in self.shown
        ]

    @property
    def others(self) -> str:
        """The chosen coders on other pages, as ranges."""
        return self._ranges(set(self.shown))

    @property
    def n_chosen(self) -> int:
        return sum(bool(self.data.get(f"part-{coder.pk}")) for coder in self.coders)

    def address(self, turn: str = "", tick: str = "") -> str:
        """Return the query string of the form for a page of coders. tick: “all” or “none” of the coders found."""
        fields: Any = self.data
        for coder in self.found if tick else ():
            fields[f"part-{coder.pk}"] = "on" if tick == "all" else ""
        kept = {name: self.data.get(name, "") for name in (*self.FIRST, *self.ADVANCED, "changes", "find")}
        kept |= {"rows": turn or self.data.get("rows", "")}
        return urlencode({name: value for name, value in kept.items() if value} | {"others": self._ranges()})

    def _ranges(self, without: Collection[User] = ()) -> str:
        def terms(coder: User) -> tuple[str, ...]:
            if coder in without or not self.data.get(f"part-{coder.pk}"):
                return ()
            values = (str(self.data.get(f"{name}-{coder.pk}") or "") for name in ("weight", "maximum"))
            return tuple(re.sub("[_~]", "", value) for value in values)

        ranges = []
        for values, group in groupby(sorted(self.coders, key=lambda coder: coder.pk), key=terms):
            keys = [coder.pk for coder in group]
            if values:
                ranges.append(f"{keys[0]}-{keys[-1]}" + ("_" + "_".join(values) if any(values) else ""))
        return "~".join(ranges)

    def clean(self) -> dict[str, Any]:
        """Reject ranges that cannot be read."""
        cleaned = super().clean() or self.cleaned_data
        ranges = _split_ranges(self.data)
        if len(ranges) > MAX_RANGES or not all(map(RANGE.fullmatch, ranges)):
            raise forms.ValidationError("The coders who take part are not legible in this address: choose them again.")
        return cleaned

    def clean_changes(self) -> tuple[frozenset[tuple[str, str]], frozenset[tuple[str, str]]]:
        """Return the pairs of text and coder to add and to remove."""
        parts = [part for part in self.cleaned_data["changes"].split(";") if part]
        matches = [CHANGE.fullmatch(part) for part in parts]
        if len(parts) > MAX_CHANGES:
            raise forms.ValidationError(f"Apply the plan first: {MAX_CHANGES} cells are changed at a time.")
        if not all(matches):
            raise forms.ValidationError("These are no changes of cells.")
        pairs = {sign: frozenset((cell[2], cell[3]) for cell in matches if cell and cell[1] == sign) for sign in "+-"}
        return pairs["+"], pairs["-"]

    def as_request(self) -> PlanRequest:
        """Return the request of a valid form."""
        fields = self.cleaned_data
        share, (additions, removals) = fields["share"], fields["changes"]
        others = {
            "share": 0.2 if share is None else share / 100,
            "calibration": fields["calibration"] or 0,
            "seed": fields["seed"] or 0,
            "additions": additions,
            "removals": removals,
            "round_name": fields["round"],
            "coders": [coder.get_username() for coder in self.coders if fields[f"part-{coder.pk}"]],
            "weights": self._by_name("weight"),
            "maxima": self._by_name("maximum"),
        }
        return PlanRequest.of(fields | others)

    def _by_name(self, field: str) -> dict[str, Any]:
        values = {coder.get_username(): self.cleaned_data[f"{field}-{coder.pk}"] for coder in self.coders}
        return {name: value for name, value in values.items() if value is not None}


def _split_ranges(data: Any) -> list[str]:
    return [part for part in str(data.get("others", "")).split("~") if part]


def _with_others(data: Any, coders: Sequence[User]) -> Any:
    """Return the data with the fields of coders on other pages."""
    fields = data.copy()
    for match in filter(None, map(RANGE.fullmatch, _split_ranges(data)[:MAX_RANGES])):
        first, last, weight, maximum = match.groups(default="")
        for coder in coders:
            if int(first) <= coder.pk <= int(last):
                fields[f"part-{coder.pk}"] = "on"
                fields[f"weight-{coder.pk}"], fields[f"maximum-{coder.pk}"] = weight, maximum
    return fields


def first_data(plan: Plan | None, coders: Sequence[User], blind: Collection[int]) -> dict[str, Any]:
    """Return the initial data: the plan of the round, or two coders a text. blind: the keys of default participants."""
    fields: dict[str, Any] = {"design": "k", "k": min(2, len(blind) or 1), "share": 20, "calibration": 0, "seed": 1}
    rows = {}
    if plan is not None:
        rows = {row.coder_id: row for row in plan.coders.all()}
        own = ("design", "k", "blocks", "calibration", "seed", "pool", "due_on", "allow_unconnected")
        fields = {"round": plan.round.name, **{name: getattr(plan, name) for name in own}}
        fields["share"] = 20 if plan.share is None else round(plan.share * 100, 4)
    for coder in coders:
        row = rows.get(coder.pk)
        # New coders take part, so that a plan is extended with one click.
        fields[f"part-{coder.pk}"] = row is not None or coder.pk in blind
        if row is not None:
            fields[f"weight-{coder.pk}"] = None if row.weight == WEIGHT_UNIT else row.weight / WEIGHT_UNIT
            fields[f"maximum-{coder.pk}"] = row.maximum
    return {name: value for name, value in fields.items() if value not in (None, False)}
