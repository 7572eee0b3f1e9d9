"""Files -> documents: checked here, loaded by the library dkpro-cassis, understood in `structures`.

The library is loaded where there is a file for it: each start of the program would take a tenth of a second longer.
"""

from __future__ import annotations

import json
import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from io import BytesIO
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from annotations.formats.model.document import Document, FormatError, decode
from annotations.formats.model.format import Bundle
from annotations.formats.syntax.xml import parse, serialize
from annotations.formats.uima.cas.checking import CasIndex, check_types, parse_whole
from annotations.formats.uima.cas.names import TYPE_SYSTEM
from annotations.formats.uima.cas.structures import build_document
from annotations.formats.uima.layers import Layers

if TYPE_CHECKING:
    import cassis
    from lxml import etree

XMI = "{http://www.omg.org/XMI}"
CAS = "{http:///uima/cas.ecore}"
TAG = re.compile(r"\{http:///(?P<package>[^{}]*)\.ecore\}(?P<name>.+)$")
# Elements that are of no type, although they look like it.
NOT_TYPES = ("uima.cas.View", "uima.cas.NULL")


def bundle_type_systems(names: Iterable[str], suffixes: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Return each XMI file with its type system.

    That is NAME-typesystem.xml, TypeSystem.xml or another of the nearest folder.
    """
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
            own = [each for each in nearest if PurePosixPath(each).stem.lower() == f"{path.stem}-typesystem".lower()]
            usual = [each for each in nearest if PurePosixPath(each).name.lower() == TYPE_SYSTEM.lower()]
            bundles.append((name, *(own or usual or nearest)[:1]))
    return bundles


def _load[T](load: Callable[[], T], file: str) -> T:
    """Return what the library makes of a file; whatever it raises is a FormatError."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return load()
    except KeyError as error:
        raise FormatError(f"something refers to {str(error)[:100]}, which is not there", file) from error
    except Exception as error:
        # The library documents no error: of all kinds come up, from TypeError to RecursionError.
        raise FormatError(f"this is no CAS that can be read: {str(error)[:200]}", file) from error


def read_xmi(
    bundle: Bundle, layers: str = "auto", relations: str = "identity", categories: str = "types"
) -> list[Document]:
    """Return the document of an XMI file. Raises FormatError on bad input, with the line where it is known."""
    file = bundle.main
    root = parse(bundle.data, file)
    if root.tag != f"{XMI}XMI":
        raise FormatError("this is not XMI: the outermost element is not xmi:XMI", file, root.sourceline)
    checked = _index_xmi(root, file)
    text = checked.text()
    file_layers = Layers(file)
    type_system = next((name for name in bundle.files if name != file), None)
    if type_system is None:
        types = _core_types()
        file_layers.report("no-type-system", "no type system is beside this file", fix="DKPro Core's types were taken")
    else:
        types = _read_types(bundle.files[type_system], type_system)
    _check_elements(root, types, file_layers, lenient=type_system is None)
    # What was parsed is written anew: no declaration, comment or encoding is read in another way by the library.
    data = BytesIO(serialize(root))
    from cassis import load_cas_from_xmi

    cas = _load(lambda: load_cas_from_xmi(data, types, lenient=type_system is None), file)
    return [build_document(cas, checked, text, file_layers, (layers, relations, categories))]


def _index_xmi(root: etree._Element, file: str) -> CasIndex:
    checked = CasIndex(file)
    for element in root:
        if element.tag == f"{CAS}Sofa":
            number = checked.number(element.get(f"{XMI}id"), element.sourceline)
            checked.sofa(number, element.get("sofaID"), element.get("sofaString"), element.sourceline)
    for element in root:
        if element.tag in (f"{CAS}Sofa", f"{CAS}View"):
            continue
        number = checked.number(element.get(f"{XMI}id"), element.sourceline)
        if "sofa" in element.attrib and ("begin" in element.attrib or "end" in element.attrib):
            stands = (element.get("sofa"), element.get("begin"), element.get("end"))
            checked.place(number, *stands, element.sourceline)
    for view in root.iterchildren(f"{CAS}View"):
        members = [parse_whole(member) for member in view.get("members", "").split()]
        checked.members(parse_whole(view.get("sofa")), members, view.sourceline)
    return checked


def _check_elements(root: etree._Element, types: cassis.TypeSystem, file_layers: Layers, lenient: bool) -> None:
    """Raise FormatError on an element without a type.

    The library would look through all types for a name without a package.
    """
    unknown: Counter[str] = Counter()
    for element in root:
        tag = TAG.match(str(element.tag))
        if tag is None:
            raise FormatError("this element is of no UIMA type", file_layers.file, element.sourceline)
        package = tag["package"].replace("/", ".")
        name = tag["name"] if package == "uima.noNamespace" else f"{package}.{tag['name']}"
        if name in NOT_TYPES or types.contains_type(name, True):
            continue
        if "." not in name or not lenient:
            message = f"the type {name[:100]!r} is not in the type system"
            raise FormatError(message, file_layers.file, element.sourceline)
        unknown[name] += 1
    for name, number in unknown.items():
        file_layers.report(
            "unknown-type", f"{number} of the type {name[:100]} are left out", fix="add the type system", left_out=True
        )


def _read_types(data: bytes, file: str) -> cassis.TypeSystem:
    """Return the type system of a file."""
    root = parse(data, file)
    types: dict[str, tuple[str, list[str]]] = {}
    for description in root.iter("{*}typeDescription"):
        name, above = _child_text(description, "name"), _child_text(description, "supertypeName")
        inner = next(description.iterdescendants("{*}typeDescription"), None)
        if name in types or inner is not None:
            message = f"the type {name[:100]} is described twice, or within another"
            raise FormatError(message, file, description.sourceline)
        features = [_child_text(each, "name") for each in description.iterfind("{*}features/{*}featureDescription")]
        types[name] = (above, features)
    if not types:
        raise FormatError("there is no type in this type system", file, root.sourceline)
    check_types(types, file)
    plain = serialize(root)
    return _load(lambda: _load_types(plain), file)


@lru_cache(maxsize=4)
def _load_types(data: bytes) -> cassis.TypeSystem:
    """Return the types, read once: the same come with each text of an export, and no reader changes them."""
    import cassis

    types = cassis.load_typesystem(BytesIO(data))
    for each in types.get_types():
        for feature in each.features:
            if not feature.name.isidentifier():  # whatever the library read: a name becomes code
                raise ValueError(f"{feature.name[:50]!r} cannot be the name of a feature")
    return types


def _child_text(element: etree._Element, child: str) -> str:
    return (element.findtext(f"{{*}}{child}") or "").strip()


@cache
def _core_types() -> cassis.TypeSystem:
    import cassis

    return cassis.load_dkpro_core_typesystem()


def read_json(
    bundle: Bundle, layers: str = "auto", relations: str = "identity", categories: str = "types"
) -> list[Document]:
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
    checked = _index_json(structures, types, file)
    views = data.get("%VIEWS")
    for view in views.values() if isinstance(views, dict) else ():
        members = view.get("%MEMBERS") if isinstance(view, dict) else None
        if not isinstance(members, list):
            raise FormatError("a view has no list of members", file)
        checked.members(parse_whole(view.get("%SOFA")), [parse_whole(member) for member in members], None)
    text = checked.text()
    # A file may leave out the types where both sides know them.
    known = None if types else _core_types()
    from cassis import load_cas_from_json

    cas = _load(lambda: load_cas_from_json(source, known, merge_typesystem=bool(types)), file)
    return [build_document(cas, checked, text, Layers(file), (layers, relations, categories))]


def _json_types(types: Mapping[str, object], file: str) -> Iterator[tuple[str, tuple[str, list[str]]]]:
    for name, description in types.items():
        above = description.get("%SUPER_TYPE") if isinstance(description, dict) else None
        if not isinstance(description, dict) or not isinstance(above, str):
            raise FormatError(f"the type {name[:50]!r} has no %SUPER_TYPE", file)
        yield name, (above, [feature for feature in description if not feature.startswith("%")])


def _index_json(
    structures: Sequence[object] | Mapping[str, object], types: Mapping[str, object], file: str
) -> CasIndex:
    checked = CasIndex(file)
    numbered: list[tuple[int, Mapping[str, object]]] = []
    pairs = structures.items() if isinstance(structures, dict) else ((None, each) for each in structures)
    for key, structure in pairs:
        if not isinstance(structure, dict):
            raise FormatError("a feature structure is no object", file)
        name = structure.get("%TYPE")
        if not isinstance(name, str) or ("." not in name and name not in types):
            raise FormatError(f"{str(name)[:50]!r} is no type of this file", file)
        numbered.append((checked.number(structure.get("%ID") if key is None else key, None), structure))
    for number, structure in numbered:
        if structure["%TYPE"] == "uima.cas.Sofa":
            checked.sofa(number, structure.get("sofaID"), structure.get("sofaString"), None)
    for number, structure in numbered:
        if "@sofa" in structure and ("begin" in structure or "end" in structure):
            checked.place(number, structure["@sofa"], structure.get("begin"), structure.get("end"), None)
    return checked
