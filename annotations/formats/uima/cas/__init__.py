"""UIMA CAS as XMI, with its type system in a second file, and as JSON: what INCEpTION, WebAnno and DKPro Core write.

The library dkpro-cassis trusts its input, and makes names of features into code: files are checked before it sees them.
Offsets are converted here, too: it leaves those of annotations that are not in an index as they are.
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
