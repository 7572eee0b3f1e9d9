"""The reliability data as they are computed with: the canonical matrix, units and members by their keys."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from agreement.data.keys import read_keys
from agreement.data.project_answers import ProjectAnswers
from agreement.data.question import name_value
from agreement.measures.data.cells import MISSING
from agreement.measures.values import Readings
from agreement.measures.values import Value as AnyValue
from agreement.reports.request.basis import pick_texts, select_data
from agreement.reports.request.parameters import Parameters
from annotations.formats.tables.matrix import Matrix, Row, Value


def reliability_matrix(extract: ProjectAnswers, parameters: Parameters) -> Matrix:
    """Return the values that the parameters give the units of the chosen texts, for each of the chosen coders."""
    data = select_data(extract, parameters)
    texts = pick_texts(extract, parameters)
    slugs = {text.pk: text.name for text in texts}
    keys: dict[Hashable, str] = dict(read_keys(texts).items())
    of_members = keys if data.members == "units" else {}
    values = {code: _value_in_keys(data.value(code), of_members) for code in range(data.n_values)} | {MISSING: None}
    documents = [slugs[data.documents[number]] for number in data.document_of_unit.tolist()]
    rows = tuple(
        Row(text, keys[unit], tuple(values[code] for code in codes))
        for text, unit, codes in zip(documents, data.units, data.codes.tolist(), strict=True)
    )
    return Matrix(tuple(map(str, data.coders)), rows)


def _value_in_keys(value: AnyValue, keys: Mapping[Hashable, str]) -> Value:
    """Return a value with the keys of the members of its sets; labels are as they are."""
    if isinstance(value, Readings):
        return frozenset(frozenset(map(keys.__getitem__, one)) for one in value.sets)
    if isinstance(value, tuple):  # a first choice and a second one
        return " | ".join(map(str, value))
    return frozenset(keys.get(one, str(one)) for one in value) if isinstance(value, frozenset) else name_value(value)
