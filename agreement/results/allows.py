"""The measures, pages and exports that a scheme allows or rules out, with reasons."""

from collections.abc import Iterator
from dataclasses import replace

from agreement.reports.parameters import COEFFICIENT_LABELS, COEFFICIENTS
from agreement.reports.request import AnalysisRequest
from agreement.results.computations import PageSections, ResultPage, register
from agreement.results.tables import Column, Table
from annotations.formats.model.scheme import AnswerKind, SchemeSpec
from annotations.schemes.design.consequences import Consequence
from annotations.schemes.project_scheme import read_scheme

# Kinds of answers that are indices of entities or of content units.
INDEXED = ("indices", "scus")
TOPICS = {"measure": "Measures", "view": "Pages"}
EXPORTS = (
    Consequence("export", "tables as CSV, JSON, LaTeX and Markdown", True, "Every table of these pages."),
    Consequence("export", "figures by the API and the command", True, "The same digits as here."),
)


def check_scheme(spec: SchemeSpec, answers: str) -> list[Consequence]:
    """Return a verdict on each measure, view and export, in this order."""
    return [*_check_measures(spec, answers), *_check_views(spec, answers), *EXPORTS]


def find_problems(spec: SchemeSpec, answers: str) -> list[str]:
    """Return the problems of a scheme that would block coders or make figures undefined."""
    pointing = [category.label for category in spec.categories if category.points_to]
    indexing = [category.label for category in spec.categories if category.takes_index]
    has_pointers, has_indices = answers == "pointers", answers in INDEXED
    problems = [
        ("It asks nothing yet: add a category or an attribute.", not (spec.categories or spec.attributes)),
        ("No level is coded: there is nothing to judge.", not any(level.coded for level in spec.levels)),
        ("Answers are pointers, and no category takes one: its values are categories alone.",
            has_pointers and spec.categories and not pointing),
        ("Answers are indices, and no category takes one: every value is the markable alone.",
            has_indices and not indexing),
        (f"{', '.join(pointing)} points, but answers of this project are no pointers: never complete.",
            pointing and not has_pointers),
        (f"{', '.join(indexing)} takes an index, but answers are no indices: never complete.",
            indexing and not has_indices),
        ("One category leaves coders no choice: every coefficient is undefined.",
            len(spec.categories) == 1 and answers == "categories"),
    ]  # fmt: skip
    return [problem for problem, is_there in problems if is_there]


def _check_measures(spec: SchemeSpec, answers: str) -> Iterator[Consequence]:
    chains, several = answers != "categories", _name_several(spec)
    labels = f"Values are sets of labels: {several}." if several and not chains else ""
    sets, many = chains or bool(labels), len(spec.categories) > 1
    without_parts = "" if chains else "A category has no parts: two are equal or not."
    pointing = [category for category in spec.categories if category.points_to]
    pointers = answers == "pointers" and bool(pointing)
    relations = [relation.label for relation in spec.relations if not relation.identity]
    coefficients = [(COEFFICIENT_LABELS[name], measure) for name, measure in COEFFICIENTS.items()]
    further = ", ".join([*(attribute.label for attribute in spec.attributes), *relations])
    of_labels = ", ".join(label for label, measure in coefficients if measure.of_labels)
    others = [(label, measure) for label, measure in coefficients if measure is not COEFFICIENTS["alpha"]]
    weighted = ", ".join(label for label, measure in others if "distance" in measure.options)
    plain = [label for label, measure in coefficients if "distance" not in measure.options and not measure.of_labels]
    verdicts = [
        ("alpha, nominal distance", True, "Equal or not; missing answers are allowed."),
        ("alpha with Passonneau, Jaccard, Dice, MASI", sets,
            labels or without_parts or "Values are sets: chains that overlap agree in part."),
        (weighted, True, "By the same distances as alpha." if sets else without_parts),
        (", ".join(plain), True,
            "Whole values are compared; no part of an agreement counts." if sets else "Whole categories are compared."),
        (of_labels, answers in ("categories", "pointers"),
            "Indices of two coders have nothing in common: there are no alternatives to compare." if answers in INDEXED
            else "Of antecedents, where no chain is made: several of one judgement share its vote." if chains
            else "A judgement has one category: it is multi-kappa."),
        ("K of categories, S, per category", bool(labels) or (many and answers != "scus"),
            "All words that are compared are in SCUs: one category." if answers == "scus"
            else "Of each label: whether it is given." if labels
            else "What is linked to what does not count." if many
            else "It has a single category." if spec.categories
            else "It has no categories."),
        ("MUC, B-cubed, CEAF, BLANC, LEA, CoNLL average", chains,
            "Without chains there is nothing to score." if not chains
            else "A markable of several chains counts in the first." if any(kind.max_pointers != 1 for kind in pointing)
            else "Of two coders."),
        ("kappa of links", chains, "Of two coders." if chains else "Without chains there are no links."),
        ("excluding the item from its own set", chains,
            "Exclusive and inclusive can be chosen." if chains else "No item is in its own value."),
        *([("alpha and kappas of other questions", True, f"By its kind, as Question on each page: {further}.")]
            if further else []),
        *([("kappa of the links of relations", True, f"Links to targets, of each two coders: {', '.join(relations)}.")]
            if relations else []),
        ("no chain, partial and whole chain; +top and -top", pointers,
            "Chains are made from pointers." if pointers else "Only pointer schemes offer this choice."),
    ]  # fmt: skip
    return (Consequence("measure", *verdict) for verdict in verdicts)


def _check_views(spec: SchemeSpec, answers: str) -> Iterator[Consequence]:
    chains, pointers, pyramids = answers != "categories", answers == "pointers", answers == "scus"
    labels = bool(_name_several(spec)) and not chains
    groups = len(spec.categories) > 2 or labels
    ambiguous = answers in INDEXED or any(entry.points_to and entry.max_pointers != 1 for entry in spec.categories)
    verdicts = [
        ("overview, coders, texts, trend", True, "Every scheme."),
        ("grid of conditions (Poesio & Artstein 2005, Table 4)", chains or labels,
            "Six ways to make chains, by six distances." if pointers
            else "Three ways to exclude the item from its own set, by six distances." if chains
            else "Six distances." if labels
            else "Categories are compared in one way."),
        ("K beside alpha on antecedents (their Table 3)", pointers,
            "What partial agreement is worth." if pointers else "Coders give no antecedents."),
        ("relations: subsumption, intersection, disjunction", chains or labels,
            "Of the sets of two coders." if chains or labels
            else "Between categories there is identity or a clash."),
        ("explicit ambiguity", ambiguous,
            "Coders may give several antecedents or indices." if ambiguous else "A coder gives one answer only."),
        ("collapsing categories", groups,
            "Merge what coders do not tell apart." if groups else "It needs three categories."),
        ("link distances", pointers, "Antecedent distance." if pointers else "Coders give no antecedents."),
        ("scores of peers, the study, SCUs of two coders, reliability of peers", pyramids,
            "Of docsets with peer summaries." if pyramids else "There are no pyramids to score peers by."),
    ]  # fmt: skip
    return (Consequence("view", *verdict) for verdict in verdicts)


def _name_several(spec: SchemeSpec) -> str:
    return ", ".join(attribute.label for attribute in spec.attributes if attribute.kind == AnswerKind.SEVERAL)


@register
class Allows(ResultPage[PageSections]):
    """The measures, views and exports that the project's scheme allows or rules out."""

    name, title = "allows", "Available measures"
    template = "agreement/allows.html"
    path = "scheme/allows/"
    position = 190
    draws_charts = False

    def show(self, request: AnalysisRequest) -> PageSections:
        spec, answers = read_scheme(request.project.pk).spec, request.project.answers
        verdicts = check_scheme(spec, answers)
        columns = [
            Column("what", "Measure", cell="name"),
            Column("allowed", "Available", cell=lambda row: "yes" if row.allowed else "no"),
            Column("why", "Notes"),
        ]
        tables = [
            Table.of(f"{kind}s", f"{kind.title()}s", columns, [check for check in verdicts if check.topic == kind])
            for kind in ("measure", "view", "export")
        ]
        return PageSections(tables, context={"problems": find_problems(spec, answers)})


def consequences(spec: SchemeSpec, answers: str) -> list[Consequence]:
    """Return the problems, measures and views of a scheme, for the page of its designer."""
    problems = [Consequence("Scheme", problem, None, "") for problem in find_problems(spec, answers)]
    verdicts = [verdict for verdict in check_scheme(spec, answers) if verdict.topic in TOPICS]
    return problems + [replace(verdict, topic=TOPICS[verdict.topic]) for verdict in verdicts]
