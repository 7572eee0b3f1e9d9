"""The pages of results by their names: what builds each, and which options its address has."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from django.http import QueryDict

from agreement.reports.coders.models import OPTIONS as MODELS_OPTIONS
from agreement.reports.overall.bootstrap import OPTION
from agreement.reports.planning import OPTIONS as PLANNING_OPTIONS
from agreement.reports.request.request import AnalysisRequest
from agreement.sections.content import PageSections
from agreement.sections.labels.model_labels import label_models
from agreement.sections.pages import allows, categories, data, datasheet, gold, methods
from agreement.sections.pages.coders import coders, coreference, groups, models
from agreement.sections.pages.items import item, items
from agreement.sections.pages.overall import agreement, conditions, course, difference, planning, texts
from agreement.sections.pages.pyramids import peers, scores, scus, study
from annotations.models import Project
from annotations.models.people.rights import Person, Right
from annotations.models.project import may, may_see_models
from annotations.projects.viewing import results_for, results_with_models_for


@dataclass(frozen=True, slots=True)
class ResultPage:
    """A page of results: its name, which is that of its template, what it is about, and what builds it.

    `options` are what its address has besides the parameters. `address` names what else `build` takes, as parts of the
    path. A page that does not use the coders' answers (`uses_answers` is false) is of pyramids. `right` is that to see
    it. A page that is `about_models` is there for who may know of them. `read_query` makes one option of the fields of
    the page's form.
    """

    name: str
    about: str
    build: Callable[..., PageSections]
    options: Callable[[Project], Collection[str]] | tuple[str, ...] = ()
    address: tuple[str, ...] = ()
    uses_answers: bool = True
    right: Right = Right.SEE_RESULTS
    about_models: bool = False
    read_query: Callable[[Project, QueryDict], QueryDict] | None = None

    def project_for(self, user: Person, slug: str) -> Project:
        """Return the project for somebody to whom the page is shown; raise as `results_for`."""
        return results_with_models_for(user, slug) if self.about_models else results_for(user, slug, self.right)

    def is_in(self, project: Project) -> bool:
        """Return whether the project has the page, for the one who reads it."""
        if self.about_models and (not may_see_models(project) or project.answers == Project.Answers.SCUS):
            return False
        return may(project, self.right)

    def show(self, request: AnalysisRequest, **address: str) -> PageSections:
        """Return all that the page shows, models labelled as such."""
        sections = self.build(request, **address)
        return label_models(sections, request.models)

    @property
    def template(self) -> str:
        """The template of the page, which lies where the module that builds it lies."""
        folder = self.build.__module__.removeprefix(str(__package__)).rpartition(".")[0].strip(".").replace(".", "/")
        return "/".join(filter(None, ["agreement", folder, f"{self.name}.html"]))

    def request(self, project: Project, query: QueryDict, reader: str, *, whole_tables: bool) -> AnalysisRequest:
        """Return what an address asks of the page; `reader` is the name of who asks."""
        options = self.options(project) if callable(self.options) else self.options
        return AnalysisRequest.from_query(
            project,
            self.read_query(project, query) if self.read_query else query,
            options,
            whole_tables=whole_tables,
            uses_answers=self.uses_answers,
            reader=reader,
            about_models=self.about_models,
        )


AGREEMENT = ResultPage(
    "agreement",
    "The coefficient asked for, with its interval, and beside it alpha with every distance.",
    agreement.build,
    options=(OPTION,),
)
GRID = ResultPage(
    "grid",
    "Every chain construction by every distance, with all markables and without those of a category.",
    conditions.build_grid,
)
COMPARE = ResultPage(
    "compare",
    "What each single choice does to the number, and what the conventions of the papers make of it.",
    conditions.build_comparison,
)
DIFFERENCE = ResultPage(
    "difference",
    "Two rounds, groups of coders or categories beside each other, and whether their difference may be chance.",
    difference.build,
    options=("by", "first", "second"),
)
GROUPS = ResultPage(
    "groups",
    "What each group of coders agrees within, what each two agree between, and how they differ.",
    groups.build,
)
TEXTS = ResultPage(
    "texts",
    "The coefficient in each text, and what becomes of that of all texts without it.",
    texts.build,
    options=("sort",),
)
CODERS = ResultPage(
    "coders",
    "The matrix of pairs, each coder against the rest, in each text, and their profiles.",
    coders.build,
    options=("measure",),
)
PAIR = ResultPage(
    "pair",
    "Two coders: every measure of them, how they differ, on which categories, and their chains in a text aligned.",
    coders.build_pair,
    options=("text",),
    address=("first", "second"),
)
COREFERENCE = ResultPage(
    "coreference",
    "Coreference scores of two coders, or of a coder and a key: recall, precision and F1, over all texts and in each.",
    coreference.build,
    options=("first", "second"),
)
MODELS = ResultPage(
    "models",
    "One model beside the people who are chosen: agreement, the alternative annotator test, what it wins and loses.",
    models.build,
    options=MODELS_OPTIONS,
    about_models=True,
)
GOLD = ResultPage(
    "gold",
    "Each coder, group and imported system against gold: scores, accuracy, confusion, errors, and the course of it.",
    gold.build,
    options=("coder",),
    right=Right.COMPARE_WITH_GOLD,
)
CATEGORIES = ResultPage(
    "categories",
    "The agreement table, each category against all others, and K with categories merged.",
    categories.build,
    options=("merge",),
    read_query=categories.read_merge_fields,
)
COURSE = ResultPage(
    "course",
    "Agreement, each coder's and all, and the time a judgement takes, stage by stage; judgements per day.",
    course.build,
    options=("by",),
)
PLANNING = ResultPage(
    "planning",
    "How many texts are enough: the interval that other numbers of texts would have, and what it can show.",
    planning.build,
    options=PLANNING_OPTIONS,
)
ITEMS = ResultPage(
    "items",
    "The units by their share of the observed disagreement, filtered by how coders differ.",
    items.build,
    options=items.item_options,
)
ITEM = ResultPage(
    "item",
    "One unit: every coder's chain in the text, their sets and relations.",
    item.build,
    options=item.page_options,
    address=("text", "key"),
)
METHODS = ResultPage(
    "methods", "A paragraph for a paper: every convention, every figure, version and fingerprint.", methods.build
)
DATA = ResultPage(
    "data",
    "What coders answered, the values that are compared as one integer each, and what the integers stand for.",
    data.build,
)
DATASHEET = ResultPage(
    "datasheet",
    "What a paper says of the corpus: texts, coders, rounds, agreement, adjudication, licence. Nobody is named.",
    datasheet.build,
)
ALLOWS = ResultPage(
    "allows", "Which measures, views and exports the project's scheme allows, and which not.", allows.build
)
SCORES = ResultPage(
    "scores",
    "The scores of every peer by every coder, and of every system.",
    scores.build,
    options=("docset", "mean", "score"),
    uses_answers=False,
)
STUDY = ResultPage(
    "study",
    "The paradigmatic reliability study: scores of the same peers by the own pyramids of two coders.",
    study.build,
    options=("docset", "mean", "score", "first", "second"),
    uses_answers=False,
)
SCUS = ResultPage(
    "scus",
    "The SCUs of two coders of one docset: matched and related, or the subsumption table.",
    scus.build,
    options=("docset", "first", "second", "kind", "sort", "view"),
    uses_answers=False,
)
PEERS = ResultPage(
    "peers",
    "What several coders found in the same peers against the agreed pyramid, and where they differ.",
    peers.build,
    options=("docset",),
    uses_answers=False,
)


def pages_for(project: Project) -> dict[str, ResultPage]:
    """Return the pages that list all of something in a project, by their names: those that the reader may see."""
    pages = [AGREEMENT, GRID, COMPARE, DIFFERENCE, GROUPS, TEXTS, CODERS, PAIR, COREFERENCE, MODELS, GOLD]
    pages += [CATEGORIES, COURSE, PLANNING, ITEMS, METHODS, DATA, DATASHEET, ALLOWS]
    if project.answers == Project.Answers.SCUS:
        pages += [SCORES, STUDY, SCUS, PEERS]
    return {page.name: page for page in pages if page.is_in(project)}
