"""What coders submitted of a docset, read for a draft of its agreed pyramid."""

from __future__ import annotations

from collections.abc import Sequence

from annotations.adjudication.proposal import Method
from annotations.adjudication.pyramids.keeping import AgreedPyramid
from annotations.adjudication.pyramids.proposal import CoderPyramid, PyramidProposal, Summaries, propose_pyramid
from annotations.coding.decisions import Description
from annotations.coding.pyramids.pyramid_rules import PyramidOptions
from annotations.coding.pyramids.scus import contributors_of, scu_descriptions, summary_spans
from annotations.models import Coding, Markable, Project, Text
from annotations.schemes.constraints import Constraints


def propose_agreed_pyramid(
    project: Project, text: Text, codings: Sequence[Coding], method: Method, coder: int | None
) -> PyramidProposal:
    """Return the draft that submitted pyramids of a docset lead to. Three queries a coding, and two."""
    pyramids = [
        CoderPyramid(contributors_of(one), {key: row["label"] for key, row in scu_descriptions(one).items()})
        for one in codings
    ]
    return propose_pyramid(read_summaries(project, text), pyramids, method, coder)


def read_agreed(agreed: Coding) -> AgreedPyramid:
    """Return an agreed pyramid as it is. Three queries."""
    descriptions = {key: Description(key, **row) for key, row in scu_descriptions(agreed).items()}
    return AgreedPyramid(contributors_of(agreed), descriptions)


def read_summaries(project: Project, text: Text) -> Summaries:
    """Return the model summaries with their words. Two queries."""
    words = Markable.objects.filter(text=text, level__coded=False).order_by("start").values_list("start", "end")
    options = PyramidOptions(project.one_contributor, project.words_exclusive)
    return Summaries(summary_spans(text.pk), list(words), options)


def scu_category(constraints: Constraints) -> str:
    """Return the key of the category of contributors that express an SCU."""
    [category] = [key for key, one in constraints["categories"].items() if one["takes_index"]]
    return category
