"""Read CAS files: check them, load them with dkpro-cassis (slow to import), and convert them by `structures`."""

from __future__ import annotations

import json
import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from io import BytesIO
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from annotations.formats.model.document import Document
from annotations.formats.model.encodings import decode
from annotations.formats.model.findings import FormatError
from annotations.formats.model.format import Bundle
from annotations.formats.syntax.xml import child_text, parse, serialize
from annotations.formats.uima.cas.checking import CasIndex, Structure, View, check_types
from annotations.formats.uima.cas.structures import Draft, feature_name
from annotations.formats.uima.layers import Layers
from annotations.formats.uima.names import ANNOTATION, STRING, TYPE_SYSTEM, is_linguistic

if TYPE_CHECKING:
    import cassis
    from lxml import etree

XMI = "{http://www.omg.org/XMI}"
VIEW, TEXT = "{http:///uima/cas.ecore}View", "{http:///uima/cas.ecore}Sofa"
TAG = re.compile(r"\{http:///(?P<package>[^{}]*)\.ecore\}(?P<name>.+)$")
# Elements without a type, although they look typed.
NOT_TYPES = ("uima.cas.View", "uima.cas.NULL")


def bundle_type_systems(names: Iterable[str], suffixes: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Return each XMI file with NAME-typesystem.xml, TypeSystem.xml or another type system of the nearest folder."""
    files = sorted(names)
    descriptions: dict[PurePosixPath, list[str]] = {}
    for name in files:
        path = PurePosixPath(name)
        if path.suffix.lower() == ".xml" and "typesystem" in path.name.lower():
            descriptions.setdefault(path.parent, []).append(name)
    bundles: list[tuple[str, ...]] = []
    for name in files:
        if name.lower().endswith(suffixes):
            path = PurePosixPath(name)
            nearest = next((descriptions[folder] for folder in path.parents if folder in descriptions), [])
            own = [file for file in nearest if PurePosixPath(file).stem.lower() == f"{path.stem}-typesystem".lower()]
            usual = [file for file in nearest if PurePosixPath(file).name.lower() == TYPE_SYSTEM.lower()]
            bundles.append((name, *(own or usual or nearest)[:1]))
    return bundles


def _load[T](load: Callable[[], T], file: str) -> T:
    """Return the result of loading a file with the library; any error becomes a FormatError."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return load()
    except KeyError as error:
        raise FormatError(f"something refers to {str(error)[:100]}, which is not there", file) from error
    except Exception as error:
        # The library documents no errors; it raises errors of all kinds, from TypeError to RecursionError.
        raise FormatError(f"this is no CAS that can be read: {str(error)[:200]}", file) from error


def read_xmi(bundle: Bundle, **options: str) -> list[Document]:
    """Return the document of an XMI file. Raises FormatError on bad input, with the line where it is known."""
    file = bundle.main
    root = parse(bundle.data, file)
    if root.tag != f"{XMI}XMI":
        raise FormatError("this is not XMI: the outermost element is not xmi:XMI", file, root.sourceline)
    views = ((view.get("sofa"), view.get("members", "").split(), view.sourceline) for view in root.iterchildren(VIEW))
    draft = Draft(file, checked=CasIndex(file, _xmi_structures(root, file), views))
    type_system = next((name for name in bundle.files if name != file), None)
    if type_system is None:
        types = _guess_types(root, file)
        draft.add("no type system is beside this file", fix="DKPro Core's types were taken", code="no-type-system")
    else:
        types = _read_types(bundle.files[type_system], type_system)
    _check_elements(root, types, draft, lenient=type_system is None)
    # The parsed file is serialised again, so that the library reads no declaration, comment or encoding differently.
    data = BytesIO(serialize(root))
    from cassis import load_cas_from_xmi

    cas = _load(lambda: load_cas_from_xmi(data, types, lenient=type_system is None), file)
    return [draft.document(cas, options)]


def _xmi_structures(root: etree._Element, file: str) -> Iterator[Structure]:
    for element in root:
        if element.tag != VIEW:
            values = {str(key): value for key, value in element.attrib.items()}
            stands = _stands(values, "sofa")
            name = _type_name(element, file) if stands or element.tag == TEXT else ""
            yield Structure(values.get(f"{XMI}id"), name, stands, values, element.sourceline)


def _stands(values: Mapping[str, object], sofa: str) -> tuple[object, object, object] | None:
    """Return the text of a structure, its begin and its end; None if it is no annotation."""
    if sofa not in values or not ("begin" in values or "end" in values):
        return None
    return values[sofa], values.get("begin"), values.get("end")


def _type_name(element: etree._Element, file: str) -> str:
    tag = TAG.match(str(element.tag))
    if tag is None:
        raise FormatError("this element is of no UIMA type", file, element.sourceline)
    package = tag["package"].replace("/", ".")
    return tag["name"] if package == "uima.noNamespace" else f"{package}.{tag['name']}"


def _check_elements(root: etree._Element, types: cassis.TypeSystem, file_layers: Layers, lenient: bool) -> None:
    """Raise FormatError on an element of an unknown type, or with a feature that its type does not have.

    lenient: report and leave these out, except a name without a package, for which the library searches all types.
    """
    unknown: Counter[str] = Counter()
    features: Counter[tuple[str, str]] = Counter()
    known: dict[str, set[str]] = {}
    for element in root:
        name = _type_name(element, file_layers.file)
        if name in NOT_TYPES or name.startswith("uima.cas."):
            continue
        if not types.contains_type(name, True):
            if "." not in name or not lenient:
                message = f"the type {name[:100]!r} is not in the type system"
                raise FormatError(message, file_layers.file, element.sourceline)
            unknown[name] += 1
            continue
        if name not in known:
            known[name] = {feature_name(feature) for feature in types.get_type(name).all_features}
        values = [*(key for key in element.attrib if not key.startswith("{")), *(str(child.tag) for child in element)]
        for feature in dict.fromkeys(key for key in values if key not in known[name]):
            if not lenient:
                message = f"the type {name[:100]} has no feature {feature[:50]!r} in the type system beside this file"
                raise FormatError(message, file_layers.file, element.sourceline)
            element.attrib.pop(feature, None)
            for child in element.findall(feature):
                element.remove(child)
            features[name, feature] += 1
    fix = "add the type system"
    for name, number in unknown.items():
        message, said = f"{number} of the type {name[:100]} are left out", not is_linguistic(name)
        file_layers.add(message, fix=fix, code="unknown-type", left_out=said)
    file_layers.report_features(features, fix)


def _guess_types(root: etree._Element, file: str) -> cassis.TypeSystem:
    """Return DKPro Core's types, and the types of mentions and entities of CorefAnnotator, whose files have none."""
    mentions = [element for element in root if "Entity" in element.attrib]
    numbers = {element.get("Entity") for element in mentions}
    entities = [element for element in root if element.get(f"{XMI}id") in numbers]
    types = {_type_name(element, file): ("uima.cas.TOP", ("Label",)) for element in entities if mentions}
    types |= {_type_name(element, file): (ANNOTATION, ("Entity",)) for element in mentions}
    check_types(types, file)
    return _load(lambda: _add_types(tuple(types.items())), file) if types else _core_types()


@lru_cache(maxsize=4)
def _add_types(types: Iterable[tuple[str, tuple[str, Sequence[str]]]]) -> cassis.TypeSystem:
    """Return DKPro Core's types and the given types, each with supertype and features (labels and references)."""
    import cassis

    added = cassis.TypeSystem()
    for name, (above, features) in types:
        if not _core_types().contains_type(name, True):
            created = added.create_type(name, above)
            for feature in features:
                added.create_feature(created, feature, STRING if feature == "Label" else "uima.cas.TOP")
    return cassis.merge_typesystems(_core_types(), added)


def _read_types(data: bytes, file: str) -> cassis.TypeSystem:
    root = parse(data, file)
    types: dict[str, tuple[str, list[str]]] = {}
    for description in root.iter("{*}typeDescription"):
        name, above = child_text(description, "name"), child_text(description, "supertypeName")
        if name in types or next(description.iterdescendants("{*}typeDescription"), None) is not None:
            message = f"the type {name[:100]} is described twice, or within another"
            raise FormatError(message, file, description.sourceline)
        features = [child_text(child, "name") for child in description.iterfind("{*}features/{*}featureDescription")]
        types[name] = (above, features)
    if not types:
        raise FormatError("there is no type in this type system", file, root.sourceline)
    check_types(types, file)
    plain = serialize(root)
    return _load(lambda: _load_types(plain), file)


@lru_cache(maxsize=4)
def _load_types(data: bytes) -> cassis.TypeSystem:
    """Return the types. They are cached, since all texts of an export have the same and no reader changes them."""
    import cassis

    types = cassis.load_typesystem(BytesIO(data))
    for kind in types.get_types():
        for feature in kind.features:
            if not feature.name.isidentifier():  # checked as the library read it: a name becomes code
                raise ValueError(f"{feature.name[:50]!r} cannot be the name of a feature")
    return types


@cache
def _core_types() -> cassis.TypeSystem:
    import cassis

    return cassis.load_dkpro_core_typesystem()


def read_json(bundle: Bundle, **options: str) -> list[Document]:
    """Return the document of a CAS in JSON. Raises FormatError on bad input."""
    file = bundle.main
    source = decode(bundle.data, file)
    try:
        data = json.loads(source)
    except json.JSONDecodeError as error:
        raise FormatError(f"this is not JSON: {error.msg}", file, error.lineno, error.colno) from None
    except (ValueError, RecursionError):
        raise FormatError("this JSON nests too deep or holds a number that is too long", file) from None
    types = data.get("%TYPES") if isinstance(data, dict) else None
    structures = data.get("%FEATURE_STRUCTURES") if isinstance(data, dict) else None
    if not isinstance(types, dict) or not isinstance(structures, list | dict):
        raise FormatError("this is no CAS in JSON: it has no %TYPES or no %FEATURE_STRUCTURES", file)
    check_types(dict(_json_types(types, file)), file)
    checked = CasIndex(file, _json_structures(structures, types, file), _json_views(data, file))
    # A file may leave out types that both sides know.
    known = None if types else _core_types()
    from cassis import load_cas_from_json

    cas = _load(lambda: load_cas_from_json(source, known, merge_typesystem=bool(types)), file)
    return [Draft(file, checked=checked).document(cas, options)]


def _json_types(types: Mapping[str, object], file: str) -> Iterator[tuple[str, tuple[str, list[str]]]]:
    for name, description in types.items():
        above = description.get("%SUPER_TYPE") if isinstance(description, dict) else None
        if not isinstance(description, dict) or not isinstance(above, str):
            raise FormatError(f"the type {name[:50]!r} has no %SUPER_TYPE", file)
        yield name, (above, [feature for feature in description if not feature.startswith("%")])


def _json_structures(
    structures: Sequence[object] | Mapping[str, object], types: Mapping[str, object], file: str
) -> Iterator[Structure]:
    pairs = structures.items() if isinstance(structures, dict) else ((None, structure) for structure in structures)
    for key, structure in pairs:
        if not isinstance(structure, dict):
            raise FormatError("a feature structure is no object", file)
        name = structure.get("%TYPE")
        if not isinstance(name, str) or ("." not in name and name not in types):
            raise FormatError(f"{str(name)[:50]!r} is no type of this file", file)
        yield Structure(structure.get("%ID") if key is None else key, name, _stands(structure, "@sofa"), structure)


def _json_views(data: Mapping[str, Any], file: str) -> Iterator[View]:
    views = data.get("%VIEWS")
    if not isinstance(views, dict):
        raise FormatError("this is no CAS that can be read: no %VIEWS say what stands in which text", file)
    for view in views.values():
        members = view.get("%MEMBERS") if isinstance(view, dict) else None
        if not isinstance(members, list):
            raise FormatError("a view has no list of members", file)
        yield view.get("%SOFA"), members, None
