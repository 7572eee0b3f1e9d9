"""The page that compares coders, groups and imported systems with gold, or with agreed pyramids."""

from collections.abc import Sequence
from operator import attrgetter
from typing import Any

from agreement.data.pyramids import agreed_state
from agreement.reports.basis import cached
from agreement.reports.gold import Frequent, GoldReport, compare_with_gold, count_alike
from agreement.reports.parameters import InvalidParameter
from agreement.reports.pyramids import KINDS, AgainstAgreed, AgreedReport, LocatedDifference, compare_with_agreed
from agreement.reports.request import AnalysisRequest
from agreement.reports.wording import LABELS, list_left_out
from agreement.results.computations import PageSections, ResultPage, register
from agreement.results.figures.charts import Chart
from agreement.results.gold import texts
from agreement.results.tables import ENDS, Cell, Column, Table, columns_of, figure_columns, with_ends
from annotations.core.text import pluralize
from annotations.models import Coding, Project, Text
from annotations.models.people.rights import Right
from annotations.models.project import may

MAX_SCUS = 50
MAX_DIFFERENCES = 200
MAX_DOCSETS = 100
TO_SEE = ": choose docsets to see others"


@register
class Agreed(ResultPage[AgreedReport]):
    """The page Gold for pyramids: each coder against agreed pyramids, as far as the reader sees them; differences."""

    name = "agreed"
    chooses_coders = True
    work = 20

    def state(self, request: AnalysisRequest) -> list[Any]:
        return [agreed_state(request.project)]

    def compute(self, request: AnalysisRequest) -> AgreedReport:
        of_all = request.project, request.project_answers, request.parameters
        return compare_with_agreed(*of_all, texts.read_reader(request), request.progress)

    def tables(self, request: AnalysisRequest, report: AgreedReport) -> list[Table]:
        return [*_build_tables(report), *_difference_tables(report, request.options.get("coder", ""))]

    def charts(self, request: AnalysisRequest, report: AgreedReport) -> list[Chart]:
        of_scus = texts.coders_chart(report, "scus", "F1 of SCUs against agreed pyramids", "F1", "scus.f1")
        of_words = texts.coders_chart(report, "words", "F1 of words in SCUs that match", "F1", "words.f1")
        return [of_scus, of_words, *texts.build_trends(report).charts]

    def printed(self, request: AnalysisRequest) -> list[Table]:
        return _build_tables(self.compute(request))


@register
class Gold(ResultPage[GoldReport | AgreedReport]):
    """Each coder, group and imported system against gold: scores, accuracy, confusion, errors and trend."""

    name, title = "gold", "Gold"
    template = "agreement/gold.html"
    position, tab = 110, 125
    options = ("coder",)
    right = Right.COMPARE_WITH_GOLD
    gives = GoldReport | AgreedReport
    api = """\
Each coder, group and imported system against gold, and what coders agree in the same texts.

Of pyramids each coder and group against the agreed ones. Managers are given names, others letters in place of all
names but their own; who codes, of the texts that they have submitted. `docsets` come in pages."""
    api_route = "api-agreement-gold"
    chooses_coders = True
    rows = "docsets"
    work = 80

    def state(self, request: AnalysisRequest) -> list[Any]:
        return [request.answers_with_gold.state]

    def compute(self, request: AnalysisRequest) -> GoldReport | AgreedReport:
        return Agreed().compute(request) if _has_pyramids(request) else _compare_texts(request)

    def build(self, request: AnalysisRequest) -> PageSections:
        return texts.build_all(request, _compare_texts(request))

    def printed(self, request: AnalysisRequest) -> Sequence[Table]:
        return Agreed().printed(request) if _has_pyramids(request) else texts.build_tables(_compare_texts(request))

    def show(self, request: AnalysisRequest) -> PageSections:
        """Return the comparison with gold, and the errors of the selected coder; only the context without gold."""
        reader, pyramids = texts.read_reader(request), _has_pyramids(request)
        coder = request.options.get("coder", "")
        if reader.codes:
            if coder not in ("", reader.name):
                raise InvalidParameter("coder", "only your own answers are shown beside gold.")
            coder = reader.name
        elif coder and coder not in reader.called.values():
            raise InvalidParameter("coder", f"there is no {coder!r} in this project.")
        context: dict[str, Any] = {
            "reader": reader,
            "decides": may(request.project, Right.ADJUDICATE),
            "choices": sorted(reader.called.values()) if not reader.codes else [],
        }
        if pyramids:
            # coders are not told of agreed pyramids that they may not see
            agreed = Coding.objects.of_people().filter(text__project=request.project, kind=Coding.Kind.AGREED)
            has_gold = bool(reader.documents) if reader.codes else agreed.exists()
        else:
            gold = request.answers_with_gold
            context["gold_not_counted"] = (
                "" if reader.codes else list_left_out(gold.gold_left_out, LABELS["gold_left_out"], "text", "gold of ")
            )
            has_gold = any(map(reader.may_read, gold.texts))
        if not has_gold:
            return PageSections(context=context)
        who = "" if reader.sees_names else f"{texts.LETTERS} {reader.name}".strip()
        request.options = {"coder": coder, "reader": who}
        page: ResultPage[Any] = Agreed() if pyramids else self
        return page.sections(request).extended(**context, has_gold=True)


def _has_pyramids(request: AnalysisRequest) -> bool:
    return bool(request.project.answers == Project.Answers.SCUS)


def _compare_texts(request: AnalysisRequest) -> GoldReport:
    reader, with_gold, asked = texts.read_reader(request), request.answers_with_gold, request.parameters
    of_all = request.project, request.project_answers, with_gold, asked, reader, request.progress
    # the command reads the report twice: for itself and for its tables
    return cached(with_gold, ("gold", asked, reader.name, reader.sees_names), lambda: compare_with_gold(*of_all))


def _build_tables(report: AgreedReport) -> list[Table]:
    coder = Column("coder", "Coder", cell="name")
    docsets = Column("docsets", "Docsets", "count", explanation="agreed_docsets")
    rows: list[list[Cell]] = [
        [coder.name, noun, label, *with_ends(getattr(matching, name))]
        for coder in report.coders
        for noun, matching in (("SCUs", coder.scus), ("words", coder.words))
        for name, label in (("recall", "recall"), ("precision", "precision"), ("f1", "F1"))
    ]
    scus = [
        coder,
        *_matching_columns("scus"),
        *_scu_columns("Coder’s SCUs"),
        Column("identical", "Same words", "count", explanation="identical_scus"),
        docsets,
        Column("note", "Notes", cell=_note_of),
    ]
    words = [
        coder,
        *_matching_columns("words"),
        Column("matched", "In both", "count", explanation="matched_words", cell="words.matched"),
        Column("agreed", "Agreed words", "count", explanation="agreed_words", cell="words.agreed"),
        Column("own", "Coder’s words", "count", explanation="own_words", cell="words.own"),
        Column("note", "Notes", cell="words.f1.note"),
    ]
    first = [
        *columns_of("text", coder="Coder", of=("Of", "match_of"), figure=("Figure", "match_figure")),
        Column("value", "Value", "figure", explanation="match_value"),
        *ENDS,
    ]
    note = (
        "A match takes one word that both SCUs have: here is how much of them. Words count once for each SCU that they"
        " are in. Intervals are of F1, over docsets."
    )
    title = "SCUs of each coder that match those of the agreed pyramid"
    tables = [
        Table.of("scus", title, scus, report.coders, _describe_matching(report)),
        Table.of("words", "Words of contributors in SCUs that match", words, report.coders, note),
        Table("each", "Recall, precision and F1 with their intervals", first, rows),
        texts.agreement_table(report, "these docsets"),
    ]
    if report.groups:
        columns = [
            Column("group", "Group", cell="name"),
            Column("coders", "Coders", "count", cell=lambda row: len(row.coders)),
            *figure_columns(Column("f1", "F1 of SCUs", "figure"), "scus.f1"),
            *figure_columns(Column("words_f1", "F1 of words", "figure", explanation="f1"), "words.f1", "words_"),
            *_scu_columns("Coders’ SCUs"),
            docsets,
        ]
        pooled = "docset by docset: an agreed SCU counts once for each of them."
        note = f"The pyramids of all coders of a group together, {pooled}"
        tables.append(Table.of("groups", "Groups of coders against agreed pyramids", columns, report.groups, note))
    if report.scus:
        columns = [
            Column("scu", "SCU", explanation="agreed_scu", cell="label"),
            Column("docset", "Docset", cell="text.label"),
            *columns_of(
                "count", weight="Weight", coders=("Coders", "scu_coders"), matched=("Matched by", "scu_matched")
            ),
            *columns_of("count", missing=("Missing", "scu_missing"), fused=("Fused", "scu_fused")),
        ]
        note = "Those that fewest of their coders have come first, then the heaviest."
        note += _name_first(MAX_SCUS, len(report.scus))
        tables.append(Table.of("lacking", "Agreed SCUs that coders lack most", columns, report.scus[:MAX_SCUS], note))
    return [*tables, _docsets_table(report), *texts.build_trends(report).tables]


def _matching_columns(of: str) -> list[Column]:
    return [
        *figure_columns(Column("f1", "F1", "figure"), f"{of}.f1"),
        Column("recall", "Recall", "figure", explanation="match_recall", cell=f"{of}.recall.value"),
        Column("precision", "Precision", "figure", explanation="match_precision", cell=f"{of}.precision.value"),
    ]


def _scu_columns(own: str) -> list[Column]:
    return [
        Column("matched", "Matched", "count", explanation="matched_scus", cell="scus.matched"),
        Column("agreed", "Agreed SCUs", "count", explanation="agreed_scus", cell="scus.agreed"),
        Column("own", own, "count", explanation="own_scus", cell="scus.own"),
    ]


def _note_of(row: AgainstAgreed) -> str:
    drafted = f"the agreed pyramid of {pluralize(row.n_drafted or 0, 'docset')} was drafted from this coder’s alone"
    return "; ".join(filter(None, [row.scus.f1.note, drafted if row.n_drafted else ""]))


def _describe_matching(report: AgreedReport) -> str:
    sentences = [
        "Each SCU is matched with one of the agreed pyramid at most, so that the sum of what the pairs share (Jaccard"
        " of their words) is as large as it can be, as on the page SCUs. Intervals are of F1, over docsets."
    ]
    if begun := [
        f"{words} ({n})" for method, words in LABELS["beginnings"].items() if (n := report.methods.get(method))
    ]:
        sentences.append(f"Agreed pyramids began with: {', '.join(begun)}.")
    if report.n_drafted and all(coder.n_drafted is None for coder in report.coders):
        sentences.append("A coder whose pyramid alone was the draft is nearer to what came of it.")
    left_out = [
        list_left_out(report.docsets_left_out, LABELS["docsets_left_out"], "docset"),
        list_left_out(report.codings_left_out),
        f"{pluralize(report.n_by_authors, 'pyramid')} of who made the agreed one" if report.n_by_authors else "",
        f"{pluralize(report.n_empty, 'SCU')} without words" if report.n_empty else "",
    ]
    if any(left_out):
        sentences.append(f"Not compared: {'; '.join(filter(None, left_out))}.")
    return " ".join(sentences)


def _name_first(most: int, n: int, rest: str = "") -> str:
    """Return the note that a table has its first rows only; empty if it has all."""
    return f" The first {most} of {n:,}{rest}." if n > most else ""


def _docsets_table(report: AgreedReport) -> Table:
    coders = [coder.name for coder in report.coders]
    rows: list[list[Cell]] = []
    for docset in sorted(report.docsets, key=lambda docset: docset.mean_f1)[:MAX_DOCSETS]:
        f1 = {coder.name: coder.f1 for coder in docset.coders}
        rows.append([docset.label, docset.n_scus, docset.mean_f1, *map(f1.get, coders)])
    columns = [
        Column("docset", "Docset"),
        Column("agreed", "Agreed SCUs", "count", explanation="agreed_scus"),
        Column("mean", "Mean of coders", "figure", explanation="docset_f1"),
        *(Column(coder, coder, "figure", explanation="docset_f1") for coder in coders),
    ]
    note = f"Those with the lowest mean come first.{_name_first(MAX_DOCSETS, len(report.docsets), TO_SEE)}"
    return Table("docsets", "F1 of SCUs in each docset", columns, rows, note)


def _difference_tables(report: AgreedReport, chosen: str) -> list[Table]:
    differences = {name: listed for name, listed in report.differences.items() if chosen in ("", name)}
    found = count_alike(differences, lambda item: [*KINDS].index(item.difference.kind))
    total, kind = sum(row.number for row in found), attrgetter("example.difference.kind")
    meanings = LABELS["pyramid_differences_meaning"]

    def count_docsets(row: Frequent[LocatedDifference]) -> int:
        return len({item.text.text_pk for item in row.differences})

    def name_example(row: Frequent[LocatedDifference]) -> str:
        return f"“{row.example.agreed or row.example.own}”, {row.example.text.label}"

    columns = [
        Column("kind", "Difference", explanation="difference_kind", cell=lambda row: KINDS[kind(row)]),
        Column("number", "Number", "count", explanation="difference_number"),
        Column("share", "Share", "percent", explanation="difference_share", cell=lambda row: row.number / total),
        Column("coders", "Coders", "count", explanation="difference_coders"),
        Column("docsets", "Docsets", "count", explanation="difference_docsets", cell=count_docsets),
        Column("example", "Example", explanation="difference_example", cell=name_example),
        Column("meaning", "Meaning", explanation="difference_meaning", cell=lambda row: meanings[kind(row)]),
    ]
    who = f"{chosen} differs" if chosen else "all coders differ"
    note = "Contributors are compared where their SCUs match; of one without a match the SCU itself is the difference."
    tables = [Table.of("differences", f"How {who} from agreed pyramids", columns, found, note)]
    if chosen:
        own = report.differences.get(chosen, ())
        shown = own[:MAX_DIFFERENCES]
        texts = Text.objects.filter(pk__in={item.text.text_pk for item in shown if item.difference.parts})
        contents = dict(texts.values_list("pk", "content"))

        def words_of(item: LocatedDifference) -> str:
            content = contents.get(item.text.text_pk, "")
            return " … ".join(" ".join(content[start:end].split()) for start, end in item.difference.parts)

        columns = [
            Column("docset", "Docset", cell="text.label"),
            Column("kind", "Difference", explanation="difference_kind", cell=lambda row: KINDS[row.difference.kind]),
            *columns_of("text", agreed=("Agreed SCU", "agreed_scu"), own=("Coder’s SCU", "own_scu")),
            Column("words", "Contributor", explanation="difference_words", cell=words_of),
        ]
        note = f"In the order of docsets.{_name_first(MAX_DIFFERENCES, len(own), TO_SEE)}"
        tables.append(Table.of("places", f"Where agreed pyramids differ from {chosen}", columns, shown, note))
    return tables
