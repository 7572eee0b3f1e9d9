"""Two coders: all measures, the relations of their values, aligned chains of one text, and coreference scores."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple, cast

from django.http import Http404
from django.urls import reverse
from django.utils.http import urlencode
from rest_framework.serializers import CharField

from agreement.data.documents import Document
from agreement.data.project_answers import ProjectAnswers
from agreement.data.texts import Snippet, matches_by_muc6, read_snippets
from agreement.measures import RELATIONS, match_sets
from agreement.measures.coreference.scores import WITHOUT_MUC
from agreement.reports import coreference
from agreement.reports.basis import count_left_out, count_other_versions, pick_texts
from agreement.reports.coders import coders as reports
from agreement.reports.items import compute_items
from agreement.reports.parameters import InvalidParameter, Parameters
from agreement.reports.request import AnalysisRequest, resolve
from agreement.reports.wording import RELATION_LABELS, SCORE_LABELS, describe_versions, list_left_out
from agreement.results.coders.coders import MEASURES
from agreement.results.computations import PageSections, ResultPage, count_judgements, register
from agreement.results.figures.charts import Chart, Dot, dots_chart, heat_map
from agreement.results.figures.sections import build_confusion
from agreement.results.tables import ENDS, Cell, Column, Linked, Table, columns_of, with_ends
from annotations.core.text import pluralize

type Chain = tuple[int, ...]


class ChainPair(NamedTuple):
    """A pair of chains by position, or one chain without a partner."""

    first: int | None
    second: int | None
    shared: int  # markables
    similarity: float  # phi 4 of CEAF
    aligned: bool  # whether CEAF aligns them


class ChainAlignment(NamedTuple):
    """The chains of two coders in a text, the largest first; members that are only targets come last in a chain."""

    text: Document
    first: tuple[Chain, ...]
    second: tuple[Chain, ...]
    pairs: tuple[ChainPair, ...]  # aligned pairs, then other pairs with a shared markable, then single chains

    @property
    def aligned(self) -> list[ChainPair]:
        return [pair for pair in self.pairs if pair.aligned]


def align_chains(
    extract: ProjectAnswers, parameters: Parameters, first: str, second: str, text: str
) -> ChainAlignment | None:
    """Return two coders' chains in a text, by default the first with any; None if none. Raises InvalidParameter."""
    selected, texts = _select_pair(extract, parameters, first, second)
    if text and text not in {known.name for known in texts}:
        raise InvalidParameter("text", f"there is no text {text!r} that both have coded.")
    texts = [known for known in texts if text in ("", known.name)]
    clusters = coreference.find_clusters(selected, texts) if texts else {}
    key, response = coreference.clusters_in(clusters, first, texts), coreference.clusters_in(clusters, second, texts)
    shown = next((known for known in texts if key[known.pk] or response[known.pk]), None)
    if shown is None:
        return None
    place = {unit: number for number, unit in enumerate(selected.restrict([shown]).columns.members["key"].tolist())}

    def ordered(of_text: list[frozenset[Hashable]]) -> tuple[Chain, ...]:
        chains = [tuple(sorted((cast(int, unit) for unit in chain), key=place.__getitem__)) for chain in of_text]
        return tuple(sorted(chains, key=lambda chain: (-len(chain), place[chain[0]])))

    sides = ordered(key[shown.pk]), ordered(response[shown.pk])
    return ChainAlignment(shown, *sides, tuple(_pair_chains(*sides)))


def _select_pair(
    extract: ProjectAnswers, parameters: Parameters, first: str, second: str
) -> tuple[ProjectAnswers, list[Document]]:
    """Return the answers of two coders, and the chosen texts in which both made chains of markables."""
    if not extract.has_chains or extract.units:
        return extract, []
    selected, parameters = resolve(extract, replace(parameters, coders=f"{first},{second}"))
    return selected, coreference.common_texts(selected, pick_texts(selected, parameters), first, second)


def _pair_chains(first: tuple[Chain, ...], second: tuple[Chain, ...]) -> list[ChainPair]:
    overlaps = match_sets(dict(enumerate(first)), dict(enumerate(second)), "dice")
    found = [(cast(int, overlap.first), cast(int, overlap.second), overlap) for overlap in overlaps]
    found.sort(key=lambda pair: (not pair[2].matched, -pair[2].shared, -pair[2].dice, *pair[:2]))
    alone = [sorted({*range(len(side))} - {pair[at] for pair in found}) for at, side in enumerate((first, second))]
    return [
        *(ChainPair(a, b, overlap.shared, overlap.dice, overlap.matched) for a, b, overlap in found),
        *(ChainPair(place, None, 0, 0.0, aligned=False) for place in alone[0]),
        *(ChainPair(None, place, 0, 0.0, aligned=False) for place in alone[1]),
    ]


MAX_CHAINS = 15  # of each coder in the matrix
MAX_ROWS = 60  # of the table on the page; its file has all
MAX_MEMBERS = 3  # members whose words name a chain
MAX_NAME_LENGTH = 22


@register
class Pair(ResultPage[PageSections]):
    """Two coders: all measures, the relations and categories of their values, and their aligned chains in a text."""

    name, title, route = "pair", "Two coders", "coder-pair"
    template = "agreement/coders/pair.html"
    path = "agreement/coders/<str:first>/<str:second>/"
    position = 80
    takes = {"text": CharField()}
    address = ("first", "second")

    def show(self, request: AnalysisRequest) -> PageSections:
        first, second = (request.address[name] for name in self.address)
        counted = request.project_answers.select(request.parameters.selection("include"))
        if first == second or not {first, second} <= set(counted.known_coders):
            raise Http404("Unknown pair of coders.")
        alignment = _build_alignment(request, first, second)
        muc6 = matches_by_muc6(request.project)
        measures = reports.measure_pair(request.project_answers, request.parameters, first, second, muc6=muc6)
        parameters = replace(request.parameters, coders=f"{first},{second}")
        named = Column("measure", "Measure", cell=lambda row: MEASURES[row.measure])
        columns = [named, Column("value", "Value", "figure"), *ENDS, Column("note", "Notes")]
        note = "95% CI over the texts, or over the connected components of a single text."
        if muc6:
            note += f" Scores match markables by the rules of MUC-6, with {first} as the key; the matrix has their mean"
            note += " with either as the key."
        measured = Table.of("measures", f"{first} and {second}", columns, measures, note)
        dots = [Dot(MEASURES[measure.measure], *with_ends(measure)) for measure in measures]
        chart = dots_chart("measures", f"{first} and {second} by every measure", dots, "value")
        sections = PageSections([measured, _relations_table(request, parameters)], [chart])
        if not request.extract.units and {first, second} <= set(counted.coders):
            sections = sections.with_sections(build_confusion(request, parameters, (first, second)))
        return sections.with_sections(alignment).extended(first=first, second=second)


def _relations_table(request: AnalysisRequest, parameters: Parameters) -> Table:
    relations = compute_items(request.project_answers, parameters).relations.sum(axis=0).tolist()
    address = reverse("items", args=[request.project.slug]) + f"?{urlencode(parameters.query())}"
    columns = [Column("relation", "Relation", labels=RELATION_LABELS), Column("items", "Items", "count")]
    columns += [Column("share", "Share", "percent", explanation="share_of_relation")]
    rows = [
        (Linked(name, f"{address}&relation={name}"), count, count / max(sum(relations), 1))
        for name, count in zip(RELATIONS, relations, strict=True)
    ]
    return Table("relations", "Relations of their values", columns, rows)


def _build_alignment(request: AnalysisRequest, first: str, second: str) -> PageSections:
    text = request.options.get("text", "")
    asked = request.project_answers, request.parameters, first, second
    found, (_, texts) = align_chains(*asked, text), _select_pair(*asked)
    if not texts:
        return PageSections()
    read = found.text if found else next((known for known in texts if known.name == text), texts[0])
    rounds = {"round": read.round, "beside_round": read.round} if read.is_one_of_several else {}
    sides = {"coder": first, "beside": second, **rounds}
    choices = {
        "chains_of_text": found is not None,
        "text_choices": [(text.name, text.label) for text in texts],
        "text_chosen": found.text.name if found else text,
        "side_by_side": f"{reverse('text', args=[request.project.slug, read.slug])}?{urlencode(sides)}",
    }
    if found is None:
        return PageSections(context=choices)
    shown = found.pairs[:MAX_ROWS] if request.page is not None else found.pairs
    chains = [*found.first[:MAX_CHAINS], *found.second[:MAX_CHAINS]]
    chains += [found.first[pair.first] for pair in shown if pair.first is not None]
    chains += [found.second[pair.second] for pair in shown if pair.second is not None]
    snippets = read_snippets({unit for chain in chains for unit in chain[:MAX_MEMBERS]})
    table = _alignment_table(found, first, second, shown, snippets)
    return PageSections([table], [_alignment_chart(found, first, second, snippets)], context=choices)


def _alignment_table(
    found: ChainAlignment, first: str, second: str, shown: Sequence[ChainPair], snippets: Mapping[int, Snippet]
) -> Table:
    def name(chain: Chain) -> str:
        named = ", ".join(snippets[unit].keyword.words for unit in chain[:MAX_MEMBERS])
        more = len(chain) - MAX_MEMBERS
        return f"{named}, and {more} more" if more > 0 else named

    rows: list[list[Cell]] = []
    for pair in shown:
        sides = (found.first, pair.first), (found.second, pair.second)
        cells = [["", None] if place is None else [name(of[place]), len(of[place])] for of, place in sides]
        rows.append([*cells[0], *cells[1], pair.shared, pair.similarity, "aligned" if pair.aligned else ""])
    note = "Each chain is aligned with one at most, so that the sum of similarities is largest, as in CEAF of entities."
    if len(shown) < len(found.pairs):
        note += f" {len(shown)} of {len(found.pairs)} rows; files have all."
    columns = [
        Column("first", f"Chain of {first}", explanation="chain_of_first"),
        Column("first_members", "Members", "count", explanation="members"),
        Column("second", f"Chain of {second}", explanation="chain_of_second"),
        *columns_of("count", second_members=("Members", "members"), shared=("Shared", "shared_markables")),
        Column("similarity", "Similarity", "figure", explanation="phi_4"),
        Column("aligned", "Aligned"),
    ]
    return Table("alignment", f"Chains in {found.text.label}", columns, rows, note)


def _alignment_chart(found: ChainAlignment, first: str, second: str, snippets: Mapping[int, Snippet]) -> Chart:
    def largest(n_chains: int, aligned: Sequence[int | None]) -> list[int]:
        """Return the positions of the largest chains: first aligned ones in their order, which form a diagonal."""
        places = range(min(n_chains, MAX_CHAINS))  # chains are sorted by size
        ordered = [place for place in aligned if place is not None and place in places]
        return ordered + [place for place in places if place not in ordered]

    def name(chain: Chain) -> str:
        text = snippets[chain[0]].keyword.words
        return f"{text if len(text) <= MAX_NAME_LENGTH else text[: MAX_NAME_LENGTH - 1].rstrip() + '…'} ({len(chain)})"

    n_first, n_second, aligned = len(found.first), len(found.second), found.aligned
    rows = largest(n_first, [pair.first for pair in aligned])
    columns = largest(n_second, [pair.second for pair in aligned])
    shared = {(pair.first, pair.second): pair.shared for pair in found.pairs}
    counts = [[shared.get((row, column)) for column in columns] for row in rows]
    title = f"Chains in {found.text.label}: shared markables, aligned chains framed"
    drawn = f" The {MAX_CHAINS} largest of each coder are drawn." if max(n_first, n_second) > MAX_CHAINS else ""
    words = (
        f"{pluralize(n_first, 'chain')} of {first} and {pluralize(n_second, 'chain')} of {second}: {len(aligned)} are"
        f" aligned and share {pluralize(sum(pair.shared for pair in aligned), 'markable')}.{drawn}"
    )
    labels = [name(found.first[row]) for row in rows], [name(found.second[column]) for column in columns]
    figure = heat_map(*labels, counts, "shared", (first, second))
    figure["layout"]["shapes"] = []
    for pair in aligned:
        if pair.first in rows and pair.second in columns:
            x, y = columns.index(pair.second), rows.index(pair.first)
            frame = {"x0": x - 0.5, "x1": x + 0.5, "y0": y - 0.5, "y1": y + 0.5}
            figure["layout"]["shapes"].append({"type": "rect", **frame, "line": {"width": 3}})
    return Chart("alignment", title, figure, words, "alignment")


NOTE = (
    "Mentions are the markables in a coder’s chains; those in the chains of one coder only count as missed. Counts are"
    " added over the texts that both have coded before they are divided. Intervals are of F1, over texts."
)
NOTE_MUC6 = " Markables match by the rules of MUC-6: least words, leading articles, optional markables."
NOTE_PARTS = "Where neither coder has a link in a text, its CoNLL average is the mean of the other two scores."
NOTE_TEXTS = "The alpha is that of these two coders in the text, as the page Agreement computes it."
SCORE_COLUMNS = [
    Column("score", "Score"),
    *columns_of("figure", recall="Recall", precision="Precision", f1="F1"),
    *ENDS,
    Column("note", "Notes"),
]


@register
class Coreference(ResultPage[coreference.CoreferenceReport]):
    """Coreference scores of a coder against another as the key: recall, precision and F1, overall and by text."""

    name, title = "coreference", "Coreference scores"
    template = "agreement/coders/coreference.html"
    position = 90
    gives = coreference.CoreferenceReport
    takes = {
        "first": CharField(help_text="The coder who is taken for the key."),
        "second": CharField(help_text="The coder who is compared with the key."),
    }
    api = "Coreference scores of two coders: the second against the first, over all texts and in each, in pages."
    chooses_coders = True
    rows = "texts"

    def cost(self, request: AnalysisRequest) -> int:
        """Return the cost of seven scores of the judgements of two coders."""
        return count_judgements(request) * 80 // max(len(request.extract.coders), 1)

    def compute(self, request: AnalysisRequest) -> coreference.CoreferenceReport:
        first, second = request.asked(*self.options)
        muc6 = matches_by_muc6(request.project)
        return coreference.compare_chains(request.project_answers, request.parameters, first, second, muc6=muc6)

    def tables(self, request: AnalysisRequest, report: coreference.CoreferenceReport) -> list[Table]:
        return [_scores_table(report), *_text_tables(report)]

    def charts(self, request: AnalysisRequest, report: coreference.CoreferenceReport) -> list[Chart]:
        dots = [Dot(SCORE_LABELS[name], score.f1) for name, score in report.overall.scores.items()]
        return [dots_chart("scores", "F1 of each score", dots, "F1")]

    def show(self, request: AnalysisRequest) -> PageSections:
        pair = _choose_pair(request)
        if pair is None:
            return PageSections()
        request.options = dict(zip(self.options, pair, strict=True))
        of_pair, parameters = coreference.select_pair(request.project_answers, request.parameters, *pair)
        left_out = count_left_out(of_pair, parameters)
        versions_left_out = describe_versions(parameters.scheme_versions, count_other_versions(of_pair, parameters))
        return self.sections(request).extended(
            pair=pair, not_counted=list_left_out(left_out), versions_left_out=versions_left_out
        )


def _choose_pair(request: AnalysisRequest) -> tuple[str, str] | None:
    """Return the coders in the URL, or the first two; None if there are none. Raises InvalidParameter for one alone."""
    first, second = request.asked("first", "second")
    if not request.extract.has_chains:
        return None
    if not first and not second:
        return next(combinations(request.extract.coders, 2), None)
    if not first or not second:
        raise InvalidParameter("second" if first else "first", "name two coders, first and second.")
    return first, second


def score_cells(name: str, score: coreference.ScoreFigures) -> list[Cell]:
    """Return the cells of SCORE_COLUMNS."""
    return [SCORE_LABELS[name], score.recall, score.precision, *with_ends(score), score.notes]


def _scores_table(report: coreference.CoreferenceReport) -> Table:
    rows = [score_cells(name, score) for name, score in report.overall.scores.items()]
    note = NOTE + (NOTE_MUC6 if report.matched_by_muc6 else "") + describe_in_several(report.n_in_several)
    notes = {str(row[-1]) for row in rows}
    if len(notes) == 1:
        rows = [[*row[:-1], ""] for row in rows]
        note += "".join(f" {reason.capitalize()}." for reason in notes if reason)
    return Table("scores", f"{report.second} against {report.first}", SCORE_COLUMNS, rows, note)


def describe_in_several(n: int) -> str:
    """Return a sentence about the mentions with several indices or readings, empty where there are none."""
    if not n:
        return ""
    mentions = "1 mention has" if n == 1 else f"{n} mentions have"
    return (
        f" {mentions} several indices or readings: each is scored by the one whose other mentions, or antecedents, come"
        " first in the text."
    )


def _text_tables(report: coreference.CoreferenceReport) -> list[Table]:
    # Table 3 of Passonneau 2004, with F1 added
    of_muc = [
        Column("text", "Text", cell="title"),
        Column("muc_recall", "MUC recall", "figure", cell="muc.recall"),
        Column("muc_precision", "MUC precision", "figure", cell="muc.precision"),
        Column("muc_f1", "MUC F1", "figure", cell="muc.f1"),
        Column("alpha", "Alpha", "figure"),
        Column("link_kappa", "Kappa of links", "figure", cell="link_kappa.value"),
    ]
    of_each = [
        Column(f"{name}_{part}", f"{SCORE_LABELS[name]} {label}", "figure", explanation=part, cell=f"{name}.{part}")
        for name in coreference.SCORES
        for part, label in (("recall", "R"), ("precision", "P"), ("f1", "F1"))
    ]
    texts = [row.scores for row in report.texts]
    note = NOTE_PARTS if any(scores.conll_average.note == WITHOUT_MUC for scores in texts) else ""
    return [
        Table.of("texts", "By text (Passonneau 2004, Table 3)", of_muc, [report.overall, *texts], NOTE_TEXTS),
        Table.of("each", "Every score in each text", [Column("text", "Text", cell="title"), *of_each], texts, note),
    ]
