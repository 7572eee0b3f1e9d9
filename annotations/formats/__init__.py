"""File formats: pure functions that convert bytes to the dataclasses of `document` and back."""

from annotations.formats import brat, ducview, jsonlines, mmax2, muc, plain
from annotations.formats.conll import conll2012, conllu
from annotations.formats.model.document import Answer, Document, Links, Mark, Place, Stretch
from annotations.formats.model.findings import Finding, FormatError
from annotations.formats.model.format import Bundle, File, Format, Option, PyramidFormat
from annotations.formats.tables import judgements, matrix
from annotations.formats.uima import cas, webanno

FORMATS: dict[str, Format] = {
    format_.key: format_
    for format_ in (
        brat.FORMAT,
        cas.JSON_FORMAT,
        cas.XMI_FORMAT,
        conll2012.FORMAT,
        conllu.FORMAT,
        jsonlines.FORMAT,
        judgements.CSV_FORMAT,
        judgements.JSON_FORMAT,
        matrix.CSV_FORMAT,
        matrix.JSON_FORMAT,
        mmax2.FORMAT,
        muc.FORMAT,
        plain.FORMAT,
        plain.TEXT_FORMAT,
        webanno.FORMAT,
    )
}

PYRAMID_FORMATS: dict[str, PyramidFormat] = {ducview.FORMAT.key: ducview.FORMAT}

__all__ = [
    "FORMATS",
    "PYRAMID_FORMATS",
    "Answer",
    "Bundle",
    "Document",
    "File",
    "Finding",
    "Format",
    "FormatError",
    "Links",
    "Mark",
    "Option",
    "Place",
    "PyramidFormat",
    "Stretch",
]
