"""Coders, groups and imported systems against gold; of pyramids, against the agreed ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agreement.data.pyramids.agreed_pyramids import has_agreed_pyramid
from agreement.reports.gold.readers import Reader
from agreement.reports.gold.report import GoldReport, compare_with_gold, read_gold_source
from agreement.reports.pyramids.agreed import AgreedReport
from agreement.reports.request.parameters import InvalidParameter
from agreement.reports.request.request import AnalysisRequest
from agreement.reports.wording import list_gold_left_out
from agreement.results.computations import ResultPage, register
from agreement.results.content import PageSections
from agreement.results.gold.agreed import Agreed
from agreement.results.gold.texts import build_all, build_tables, read_names, reader_of
from agreement.results.tables import Table
from annotations.models import Project
from annotations.models.people.rights import Right
from annotations.models.project import may


@register
class Gold(ResultPage[GoldReport | AgreedReport]):
    """Each coder, group and imported system against gold: scores, accuracy, confusion, errors, and the course of it."""

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
        return build_all(request, _compare_texts(request))

    def printed(self, request: AnalysisRequest) -> Sequence[Table]:
        return Agreed().printed(request) if _has_pyramids(request) else build_tables(_compare_texts(request))

    def show(self, request: AnalysisRequest) -> PageSections:
        """Return each coder against gold, and the errors of the one whom the options name; nothing without gold."""
        reader, called = Reader.of(request.project, request.reader), read_names(request)
        coder, documents = _choose_coder(request, reader, called), reader.documents(request.project_answers)
        pyramids = _has_pyramids(request)
        context: dict[str, Any] = {
            "pyramids": pyramids,
            "sees_names": reader.sees_names,
            "codes": reader.codes,
            "decides": may(request.project, Right.ADJUDICATE),
            "coder": coder,
            "choices": sorted(called.values()) if not reader.codes else [],
            "report_query": request.parameters.query(),
        }
        if pyramids:
            # who codes is not told of agreed pyramids besides those that they may read of
            has_gold = bool(documents) if reader.codes else has_agreed_pyramid(request.project)
        else:
            gold = request.answers_with_gold
            context["gold_not_counted"] = "" if reader.codes else list_gold_left_out(gold.gold_left_out)
            has_gold = any(documents is None or text.pk in documents for text in gold.texts)
        if not has_gold:
            return PageSections(context=context)
        request.options = {"coder": coder, "reader": reader.as_option()}
        if pyramids:
            return Agreed().sections(request).extended(**context, has_gold=True)
        return self.sections(request).extended(**context, has_gold=True, not_counted=request.not_counted)


def _has_pyramids(request: AnalysisRequest) -> bool:
    return bool(request.project.answers == Project.Answers.SCUS)


def _compare_texts(request: AnalysisRequest) -> GoldReport:
    answers, reader = request.project_answers, reader_of(request)
    reader.check(request.parameters)
    documents = reader.documents(answers)
    source = read_gold_source(request.project, answers, request.parameters, request.answers_with_gold, documents)
    report = compare_with_gold(source, request.parameters, request.progress)
    return report.for_reader(read_names(request), in_full=not reader.codes)


def _choose_coder(request: AnalysisRequest, reader: Reader, called: dict[str, str]) -> str:
    """Return what the coder is called whose errors are shown: of who codes their own, else the one of the options."""
    reader.check(request.parameters)
    asked = request.options.get("coder", "")
    if reader.codes:
        if asked not in ("", reader.name):
            raise InvalidParameter("coder", "only your own answers are shown beside gold.")
        return reader.name
    if asked and asked not in called.values():
        raise InvalidParameter("coder", f"there is no {asked!r} in this project.")
    return asked
