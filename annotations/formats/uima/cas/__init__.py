"""UIMA CAS as JSON or as XMI with its type system in a second file, as INCEpTION, WebAnno and DKPro Core write it.

See docs/formats.md for what is read and written, and `layers` for the conversion of layers.

The library dkpro-cassis trusts its input, so files are checked before it loads them. Files must be well-formed and
without entities. Names of features must be identifiers, since cassis makes them into code. Types must be few and not
inherit from themselves; annotations must be within their text. Offsets are converted here, too: cassis leaves the
offsets of annotations outside an index as they are.
"""

from annotations.formats.model.features import LAYOUT, Feature
from annotations.formats.uima.cas.reading import bundle_type_systems, read_json, read_xmi
from annotations.formats.uima.cas.writing import write_json, write_xmi
from annotations.formats.uima.layers import SUPPORTED_FEATURES, layer_format

CARRIES = SUPPORTED_FEATURES | LAYOUT | {Feature.LEVELS}
XMI_FORMAT = layer_format(
    "xmi", "UIMA CAS XMI", (".xmi",), read_xmi, bundle_type_systems, write_xmi, CARRIES, binary=True
)
JSON_FORMAT = layer_format(
    "casjson", "UIMA CAS JSON", (".json",), read_json, write=write_json, supported_features=CARRIES
)
