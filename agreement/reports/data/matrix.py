"""The reliability data as they are computed with: the canonical matrix, units and members by their keys."""

from __future__ import annotations

from agreement.data.answers import Extract
from agreement.measures.data.cells import MISSING
from agreement.reports.basis import pick_texts, select_data
from agreement.reports.parameters import Parameters
from annotations.formats.tables.matrix import Matrix, Row, Value


def reliability_matrix(extract: Extract, parameters: Parameters) -> Matrix:
    """Return the values that the parameters give the units of the chosen texts, for each of the chosen coders."""
    data = select_data(extract, parameters)
    texts = pick_texts(extract, parameters)
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
