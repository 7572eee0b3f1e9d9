"""The reliability data as they are computed with: the canonical matrix, units and members by their keys."""

from __future__ import annotations

from agreement.extract import Extract
from agreement.measures.cells import MISSING
from agreement.parameters import Parameters
from agreement.reports.basis import data_of, texts_of
from annotations.formats.matrix import Matrix, Row, Value


def matrix(extract: Extract, parameters: Parameters) -> Matrix:
    """The values that the parameters give the units of the chosen texts, for each of the chosen coders."""
    data = data_of(extract, parameters)
    texts = texts_of(extract, parameters)
    slugs = {text.pk: text.slug for text in texts}
    keys = {
        member: key
        for text in texts
        for member, key in zip((*text.answers.units, *text.answers.others), text.answers.keys, strict=True)
    }
    values: dict[int, Value] = {MISSING: None}
    for code in range(data.n_values):
        value = data.value(code)
        values[code] = frozenset(keys[member] for member in value) if isinstance(value, frozenset) else str(value)
    documents = [slugs[data.documents[number]] for number in data.document_of_unit.tolist()]
    rows = tuple(
        Row(text, keys[unit], tuple(values[code] for code in codes))  # type: ignore[index]
        for text, unit, codes in zip(documents, data.units, data.codes.tolist(), strict=True)
    )
    return Matrix(tuple(map(str, data.coders)), rows)
