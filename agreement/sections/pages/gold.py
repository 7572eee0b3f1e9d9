"""Coders, groups and imported systems against gold; of pyramids, against the agreed ones."""

from __future__ import annotations

from typing import Any

from agreement.data.pyramids.agreed_pyramids import has_agreed_pyramid
from agreement.reports.gold.readers import Reader
from agreement.reports.request.basis import count_left_out
from agreement.reports.request.parameters import InvalidParameter, Parameters
from agreement.reports.request.request import AnalysisRequest
from agreement.reports.wording import list_codings_left_out, list_gold_left_out
from agreement.sections.computations import compute_or_enqueue
from agreement.sections.content import PageSections
from agreement.sections.deferred.gold import find_coder
from annotations.models import Project
from annotations.models.people.rights import Right
from annotations.models.project import may


def build(request: AnalysisRequest) -> PageSections:
    """Return each coder against gold, and the errors of the one whom the options name; nothing where there is none."""
    pyramids = request.project.answers == Project.Answers.SCUS
    reader = Reader.of(request.project, request.reader)
    called = reader.name_coders(request.project, request.project_answers.known_coders)
    coder = request.compute(lambda parameters, options: _choose_coder(reader, called, parameters, options))
    context: dict[str, Any] = {
        "pyramids": pyramids,
        "sees_names": reader.sees_names,
        "codes": reader.codes,
        "decides": may(request.project, Right.ADJUDICATE),
        "coder": coder,
        "choices": sorted(called.values()) if not reader.codes else [],
        "report_query": request.parameters.query(),
    }
    documents = reader.documents(request.project_answers)
    build = _build_of_pyramids if pyramids else _build_of_texts
    return build(request, reader, documents, context)


def _build_of_texts(
    request: AnalysisRequest, reader: Reader, documents: frozenset[int] | None, context: dict[str, Any]
) -> PageSections:
    gold = request.answers_with_gold
    context["gold_not_counted"] = "" if reader.codes else list_gold_left_out(gold.gold_left_out)
    if not any(documents is None or text.pk in documents for text in gold.texts):
        return PageSections(context=context)
    request.options = {"coder": context["coder"], "reader": reader.as_option()}
    sections = compute_or_enqueue(request, "gold")
    left_out = count_left_out(request.extract, request.parameters)
    return sections.extended(**context, has_gold=True, not_counted=list_codings_left_out(left_out))


def _build_of_pyramids(
    request: AnalysisRequest, reader: Reader, documents: frozenset[int] | None, context: dict[str, Any]
) -> PageSections:
    # who codes is not told of agreed pyramids besides those that they may read of
    if not (documents if reader.codes else has_agreed_pyramid(request.project)):
        return PageSections(context=context)
    request.options = {"coder": context["coder"], "reader": reader.as_option()}
    return compute_or_enqueue(request, "agreed").extended(**context, has_gold=True)


def _choose_coder(reader: Reader, called: dict[str, str], parameters: Parameters, options: dict[str, str]) -> str:
    """Return what the coder is called whose errors are shown: of who codes their own, else the one of the options."""
    reader.check(parameters)
    asked = options.get("coder", "")
    if reader.codes:
        if asked not in ("", reader.name):
            raise InvalidParameter("coder", "only your own answers are shown beside gold.")
        return reader.name
    if asked and not find_coder(asked, called):
        raise InvalidParameter("coder", f"there is no {asked!r} in this project.")
    return asked
