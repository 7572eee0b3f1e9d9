"""Write documents as CAS with the library dkpro-cassis."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from annotations.formats.losses.rules import NOT_IN_XML
from annotations.formats.model.answers import format_value, name_attributes
from annotations.formats.model.document import Document, Links, Mark, Parts, text_order
from annotations.formats.model.format import File, write_each
from annotations.formats.model.links import marks_by_entity
from annotations.formats.syntax.tokens import tokenize
from annotations.formats.uima import layers, names

if TYPE_CHECKING:
    import cassis
    from cassis.typesystem import FeatureStructure


def write_xmi(documents: Sequence[Document]) -> list[File]:
    """Return an XMI file for each document, and the type system."""
    types, files = _write(documents, ".xmi", lambda cas: cas.to_xmi(pretty_print=True))
    return [*files, File(names.TYPE_SYSTEM, types.to_xml().encode())]


def write_json(documents: Sequence[Document]) -> list[File]:
    """Return a JSON file for each document, with the types in it."""
    return _write(documents, ".json", lambda cas: f"{cas.to_json(pretty_print=True)}\n")[1]


def _write(
    documents: Sequence[Document], suffix: str, to_text: Callable[[cassis.Cas], str]
) -> tuple[cassis.TypeSystem, list[File]]:
    attribute_names = name_attributes(documents, layers.RESERVED, hyphen="_")
    types = _build_types(documents, attribute_names)
    return types, write_each(
        documents, suffix, lambda document: to_text(_build_cas(document, types, attribute_names)).encode()
    )


def _build_types(documents: Iterable[Document], attribute_names: Mapping[str, str]) -> cassis.TypeSystem:
    """Return the types of written files: DKPro Core's types as in INCEpTION, and the layers that we add."""
    import cassis

    types = cassis.TypeSystem()
    answers = (mark.answer for document in documents for mark in document.marks if mark.answer)
    several = {key for answer in answers for key, value in answer.attributes if isinstance(value, tuple)}
    attributes = {name: names.STRINGS if key in several else names.STRING for key, name in attribute_names.items()}
    relation = dict.fromkeys(("Governor", "Dependent"), names.MARKABLE)
    relation |= dict.fromkeys(("type", layers.READING), names.STRING)
    link = {"next": names.LINK} | dict.fromkeys(("referenceType", "referenceRelation"), names.STRING)
    descriptions: dict[str, tuple[str, dict[str, str]]] = {
        names.META_DATA: (names.DOCUMENT, dict.fromkeys(("documentTitle", "documentId"), names.STRING)),
        names.META_FIELD: (names.ANNOTATION, dict.fromkeys(("key", "value"), names.STRING)),
        names.SENTENCE: (names.ANNOTATION, {}),
        names.TOKEN: (names.ANNOTATION, {}),
        names.LINK: (names.ANNOTATION, link),
        names.CHAIN: ("uima.cas.AnnotationBase", {"first": names.LINK}),
        names.MARKABLE: (names.ANNOTATION, dict.fromkeys(layers.FEATURES, names.STRING) | attributes),
        names.RELATION: (names.ANNOTATION, relation),
        names.OTHER_RELATION: (names.ANNOTATION, relation),
        names.SEGMENT: (names.ANNOTATION, dict.fromkeys(("kind", "label", "speaker"), names.STRING)),
    }
    for name, (above, _) in descriptions.items():
        types.create_type(name, above)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # `type` is called `type_` in Python
        for name, (_, features) in descriptions.items():
            for feature, values in features.items():
                types.create_feature(types.get_type(name), feature, values)
    return types


def _build_cas(document: Document, types: cassis.TypeSystem, attribute_names: Mapping[str, str]) -> cassis.Cas:
    import cassis

    cas = cassis.Cas(types)
    cas.sofa_string = content = NOT_IN_XML.sub("\ufffd", document.content)
    cas.sofa_mime = "text/plain"
    whole = (0, len(content))
    _add_annotation(cas, names.META_DATA, whole, documentTitle=document.title, documentId=document.name)
    cas.document_language = document.language or names.NO_LANGUAGE
    if document.direction:
        _add_annotation(cas, names.META_FIELD, whole, key=names.DIRECTION, value=document.direction)
    tokens = tokenize(document)
    for span in zip(tokens.starts, tokens.ends, strict=True):
        _add_annotation(cas, names.TOKEN, span)
    for segment in document.segments:
        where = (segment.start, segment.end)
        if segment.kind == "sentence":
            _add_annotation(cas, names.SENTENCE, where)
        if segment.kind != "sentence" or segment.label or segment.speaker:
            _add_annotation(cas, names.SEGMENT, where, kind=segment.kind, label=segment.label, speaker=segment.speaker)
    _write_marks(cas, document, attribute_names)
    return cas


def _write_marks(cas: cassis.Cas, document: Document, attribute_names: Mapping[str, str]) -> None:
    marks = sorted(document.marks, key=text_order)
    chains = marks_by_entity(marks) if document.links == Links.INDICES else {}
    spans = {
        mark.place: _add_span(cas, mark, attribute_names) for mark in layers.choose_spans(marks, chains=bool(chains))
    }
    for mark in marks:
        for arc in layers.find_arcs(mark):
            if arc.target in spans:
                where = _extent(arc.target.parts)
                relation = _add_annotation(cas, arc.layer, where, type_=arc.kind, reading=arc.reading)
                relation.Governor, relation.Dependent = spans[mark.place], spans[arc.target]
    for members in chains.values():
        links = [
            _add_annotation(
                cas, names.LINK, _extent(mark.parts), referenceType=mark.answer.category if mark.answer else ""
            )
            for mark in members
        ]
        for link, after in pairwise(links):
            link.next = after
        cas.add(cas.typesystem.get_type(names.CHAIN)(first=links[0]))


def _add_span(cas: cassis.Cas, mark: Mark, attribute_names: Mapping[str, str]) -> FeatureStructure:
    """Return a new MARKABLE with the features of the mark; several values of an attribute become an array."""
    span = _add_annotation(cas, names.MARKABLE, _extent(mark.parts), **layers.markable_features(mark))
    for key, value in mark.answer.attributes if mark.answer else ():
        if isinstance(value, tuple):
            setattr(span, attribute_names[key], cas.typesystem.get_type(names.STRINGS)(elements=list(value)))
        else:
            setattr(span, attribute_names[key], NOT_IN_XML.sub("\ufffd", format_value(value)))
    return span


def _extent(parts: Parts) -> tuple[int, int]:
    return parts[0][0], parts[-1][1]


def _add_annotation(cas: cassis.Cas, name: str, where: tuple[int, int], /, **values: str) -> FeatureStructure:
    """Add an annotation without its empty values, and return it."""
    clean = {feature: NOT_IN_XML.sub("\ufffd", value) for feature, value in values.items() if value}
    annotation = cas.typesystem.get_type(name)(begin=where[0], end=where[1], **clean)
    cas.add(annotation)
    return annotation
