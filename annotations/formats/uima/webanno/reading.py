"""Files -> documents."""

import re
from collections.abc import Sequence

from annotations.formats.model.document import Document, FormatError, decode
from annotations.formats.model.format import Bundle, stem
from annotations.formats.uima.layers import Layers, build_marks
from annotations.formats.uima.webanno.columns import SLOT, Annotations, Layer
from annotations.formats.uima.webanno.text import Text

VERSION = re.compile(r"#FORMAT=WebAnno TSV 3\.(?P<minor>[0-3])\s*$")
LAYER = re.compile(r"#T_(?P<kind>SP|CH|RL)=(?P<rest>.*)$")


def read(
    bundle: Bundle, layers: str = "auto", relations: str = "identity", categories: str = "types"
) -> list[Document]:
    """Return the document of a file. Raises FormatError with file and line on anything that is not WebAnno TSV 3."""
    file = bundle.main
    lines = decode(bundle.data, file).split("\n")
    declared, java = _read_header(lines, file)
    n_columns = sum(len(layer.features) for layer in declared)
    file_layers = Layers(file)
    try:
        content, rows, sentences = Text(file, n_columns, java).read(lines)
    except FormatError as error:
        if not any(max(line, default="") > "\uffff" for line in lines):
            raise
        try:
            content, rows, sentences = Text(file, n_columns, java, in_points=True).read(lines)
        except FormatError:
            raise error from None
        file_layers.report("offsets", "the offsets count code points", fix="read so, though UTF-16 units are usual")
    Annotations(file_layers, declared).collect(rows)
    marks, links = build_marks(file_layers, layers, relations, categories)
    return [Document(stem(file), file, content, marks, sentences, links, findings=file_layers.findings)]


def _read_header(lines: Sequence[str], file: str) -> tuple[list[Layer], bool]:
    """Return the layers, and whether escapes in the text are Java's."""
    version = VERSION.match(lines[0])
    if version is None:
        message = "the first line is not '#FORMAT=WebAnno TSV 3.0', 3.1, 3.2 or 3.3: export the text as WebAnno TSV 3"
        raise FormatError(message, file, 1)
    layers: list[Layer] = []
    names: set[str] = set()
    first = 0
    for number, line in enumerate(lines, start=1):
        if line.startswith("#Text="):
            break
        declared = LAYER.match(line)
        if declared is None:
            continue
        name, *features = declared["rest"].split("|")
        if not name or name in names:
            raise FormatError("this layer has no name, or that of an earlier one", file, number)
        layer = Layer(declared["kind"], name, first, tuple(features) or ("",))
        _check_layer(layer, file, number)
        names.add(name)
        layers.append(layer)
        first += len(layer.features)
    return layers, version["minor"] in "01"


def _check_layer(layer: Layer, file: str, number: int) -> None:
    if layer.kind == "CH" and sorted(layer.features) != ["referenceRelation", "referenceType"]:
        raise FormatError("a chain layer has the columns referenceType and referenceRelation", file, number)
    if layer.kind == "RL" and not layer.features[-1].startswith("BT_"):
        raise FormatError("the last column of a relation layer is its base layer, BT_…", file, number)
    if layer.kind == "SP" and layer.features[-1].startswith(SLOT):
        raise FormatError("a slot, ROLE_…, is followed by the layer that it leads to", file, number)
