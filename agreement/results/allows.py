"""What a scheme allows, and why other things it does not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from agreement.reports.coefficients import COEFFICIENTS
from agreement.reports.request.request import AnalysisRequest
from agreement.results.computations import ResultPage, register
from agreement.results.content import PageSections
from agreement.results.tables import Column, Table
from annotations.formats.model.scheme import AnswerKind, SchemeSpec
from annotations.models import Project
from annotations.schemes.design.consequences import Consequence
from annotations.schemes.project_scheme import read_scheme

Kind = Literal["measure", "view", "export"]
# Answers that are indices, of entities or of content units.
INDEXED = ("indices", "scus")


@dataclass(frozen=True, slots=True)
class SchemeTraits:
    """What of a project's scheme decides: `answers` as in Project, and what its levels and categories are like.

    `attributes` and `relations` are what it asks besides, by label: of relations those that make no chains. `several`
    are the attributes that take several values.
    """

    answers: str
    coded_levels: int
    target_levels: int
    categories: Sequence[str]
    pointing: Sequence[str]
    indexing: Sequence[str]
    several_pointers: bool
    later_targets: bool
    attributes: Sequence[str] = ()
    relations: Sequence[str] = ()
    several: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether something can be had with the scheme, and why or what to mind."""

    kind: Kind
    name: str
    allowed: bool
    why: str


EXPORTS = (
    Verdict("export", "tables as CSV, JSON, LaTeX and Markdown", True, "Every table of these pages."),
    Verdict("export", "figures by the API and the command", True, "The same digits as here."),
)


def check_scheme(scheme: SchemeTraits) -> list[Verdict]:
    """Return a verdict on everything that is offered; first those on measures, then on views and on exports."""
    return [*_check_measures(scheme), *_check_views(scheme), *EXPORTS]


def find_problems(scheme: SchemeTraits) -> list[str]:
    """Return what in the scheme itself would leave coders or figures without what they need."""
    problems = []
    if not scheme.categories and not scheme.attributes:
        problems.append("It asks nothing yet: add a category or an attribute.")
    if not scheme.coded_levels:
        problems.append("No level is coded: there is nothing to judge.")
    if scheme.answers == "pointers" and scheme.categories and not scheme.pointing:
        problems.append("Answers are pointers, and no category takes one: its values are categories alone.")
    if scheme.answers in INDEXED and not scheme.indexing:
        problems.append("Answers are indices, and no category takes one: every value is the markable alone.")
    if scheme.answers != "pointers" and scheme.pointing:
        problems.append(
            f"{_join_names(scheme.pointing)} points, but answers of this project are no pointers: never complete."
        )
    if scheme.answers not in INDEXED and scheme.indexing:
        problems.append(f"{_join_names(scheme.indexing)} takes an index, but answers are no indices: never complete.")
    if len(scheme.categories) == 1 and scheme.answers == "categories":
        problems.append("One category leaves coders no choice: every coefficient is undefined.")
    return problems


def _check_measures(scheme: SchemeTraits) -> list[Verdict]:
    chains = scheme.answers != "categories"
    labels = f"Values are sets of labels: {_join_names(scheme.several)}." if scheme.several and not chains else ""
    sets = chains or bool(labels)
    without_parts = "" if chains else "A category has no parts: two are equal or not."
    verdicts = [
        Verdict("measure", "alpha, nominal distance", True, "Equal or not; missing answers are allowed."),
        Verdict(
            "measure",
            "alpha with Passonneau, Jaccard, Dice, MASI",
            sets,
            labels or without_parts or "Values are sets: chains that overlap agree in part.",
        ),
        Verdict(
            "measure",
            _join_names([one.label for key, one in COEFFICIENTS.items() if one.takes_distance and key != "alpha"]),
            True,
            "By the same distances as alpha." if sets else without_parts,
        ),
        Verdict(
            "measure",
            _join_names([one.label for one in COEFFICIENTS.values() if not (one.takes_distance or one.of_labels)]),
            True,
            "Whole values are compared; no part of an agreement counts." if sets else "Whole categories are compared.",
        ),
        Verdict(
            "measure",
            _join_names([one.label for one in COEFFICIENTS.values() if one.of_labels]),
            scheme.answers in ("categories", "pointers"),
            "Indices of two coders have nothing in common: there are no alternatives to compare."
            if scheme.answers in INDEXED
            else "Of antecedents, where no chain is made: several of one judgement share its vote."
            if chains
            else "A judgement has one category: it is multi-kappa.",
        ),
        Verdict(
            "measure",
            "K of categories, S, per category",
            bool(labels) or (len(scheme.categories) > 1 and scheme.answers != "scus"),
            "All words that are compared are in SCUs: one category."
            if scheme.answers == "scus"
            else "Of each label: whether it is given."
            if labels
            else "What is linked to what does not count."
            if len(scheme.categories) > 1
            else "It has a single category."
            if scheme.categories
            else "It has no categories.",
        ),
        Verdict(
            "measure",
            "MUC, B-cubed, CEAF, BLANC, LEA, CoNLL average",
            chains,
            (without_parts and "Without chains there is nothing to score.")
            or ("A markable of several chains counts in the first." if scheme.several_pointers else "Of two coders."),
        ),
        Verdict(
            "measure", "kappa of links", chains, "Of two coders." if chains else "Without chains there are no links."
        ),
        Verdict(
            "measure",
            "excluding the item from its own set",
            chains,
            "Exclusive and inclusive can be chosen." if chains else "No item is in its own value.",
        ),
    ]
    pointers = scheme.answers == "pointers" and bool(scheme.pointing)
    further = [*scheme.attributes, *scheme.relations]
    if further:
        why = f"By its kind, as Question on each page: {_join_names(further)}."
        verdicts.append(Verdict("measure", "alpha and kappas of other questions", True, why))
    if scheme.relations:
        why = f"Links to targets, of each two coders: {_join_names(scheme.relations)}."
        verdicts.append(Verdict("measure", "kappa of the links of relations", True, why))
    return [
        *verdicts,
        Verdict(
            "measure",
            "no chain, partial and whole chain; +top and -top",
            pointers,
            "Chains are made from pointers." if pointers else "Only pointer schemes offer this choice.",
        ),
    ]


def _check_views(scheme: SchemeTraits) -> list[Verdict]:
    chains, pointers = scheme.answers != "categories", scheme.answers == "pointers"
    labels = bool(scheme.several) and not chains
    groups = len(scheme.categories) > 2 or labels
    ambiguous = scheme.several_pointers or scheme.answers in INDEXED
    pyramids = scheme.answers == "scus"
    return [
        Verdict("view", "overview, coders, texts, trend", True, "Every scheme."),
        Verdict("view", "grid of conditions (Poesio & Artstein 2005, Table 4)", chains or labels,
                "Six ways to make chains, by six distances." if pointers
                else "Three ways to exclude the item from its own set, by six distances." if chains
                else "Six distances." if labels
                else "Categories are compared in one way."),
        Verdict("view", "K beside alpha on antecedents (their Table 3)", pointers,
                "What partial agreement is worth." if pointers else "Coders give no antecedents."),
        Verdict("view", "relations: subsumption, intersection, disjunction", chains or labels,
                "Of the sets of two coders." if chains or labels
                else "Between categories there is identity or a clash."),
        Verdict("view", "explicit ambiguity", ambiguous,
                "Coders may give several antecedents or indices." if ambiguous else "A coder gives one answer only."),
        Verdict("view", "collapsing categories", groups,
                "Merge what coders do not tell apart." if groups else "It needs three categories."),
        Verdict("view", "link distances", pointers,
                "Antecedent distance." if pointers else "Coders give no antecedents."),
        Verdict("view", "scores of peers, the study, SCUs of two coders, reliability of peers", pyramids,
                "Of docsets with peer summaries." if pyramids else "There are no pyramids to score peers by."),
    ]  # fmt: skip


def _join_names(names: Sequence[str]) -> str:
    return ", ".join(names)


@register
class Allows(ResultPage[PageSections]):
    """Which measures, views and exports the project's scheme allows, and which not."""

    name, title = "allows", "Available measures"
    template = "agreement/allows.html"
    path = "scheme/allows/"
    position = 190
    draws_charts = False

    def show(self, request: AnalysisRequest) -> PageSections:
        traits = read_traits(request.project)
        verdicts = check_scheme(traits)
        columns = [
            Column("what", "Measure", cell="name"),
            Column("allowed", "Available", cell=lambda row: "yes" if row.allowed else "no"),
            Column("why", "Notes"),
        ]
        tables = [
            Table.of(f"{kind}s", f"{kind.title()}s", columns, [one for one in verdicts if one.kind == kind])
            for kind in ("measure", "view", "export")
        ]
        return PageSections(tables, context={"problems": find_problems(traits)})


def read_traits(project: Project) -> SchemeTraits:
    """Return what of a project's scheme decides on measures, views and exports."""
    return traits_of(read_scheme(project.pk).spec, project.answers)


def consequences(spec: SchemeSpec, answers: str) -> list[Consequence]:
    """Return which measures and views a scheme would have, for the page on which it is designed."""
    traits = traits_of(spec, answers)
    topics = {"measure": "Measures", "view": "Pages"}
    return [
        *(Consequence("Scheme", problem, None, "") for problem in find_problems(traits)),
        *(
            Consequence(topics[one.kind], one.name, one.allowed, one.why)
            for one in check_scheme(traits)
            if one.kind in topics
        ),
    ]


def traits_of(spec: SchemeSpec, answers: str) -> SchemeTraits:
    """Return what of a scheme decides on measures, views and exports."""
    pointing = [one for one in spec.categories if one.points_to]
    return SchemeTraits(
        answers=answers,
        coded_levels=sum(level.coded for level in spec.levels),
        target_levels=sum(not level.coded for level in spec.levels),
        categories=[one.label for one in spec.categories],
        pointing=[one.label for one in pointing],
        indexing=[one.label for one in spec.categories if one.takes_index],
        several_pointers=any(one.max_pointers != 1 for one in pointing),
        later_targets=any(one.allow_later for one in pointing),
        attributes=[one.label for one in spec.attributes],
        relations=[one.label for one in spec.relations if not one.identity],
        several=[one.label for one in spec.attributes if one.kind == AnswerKind.SEVERAL],
    )
