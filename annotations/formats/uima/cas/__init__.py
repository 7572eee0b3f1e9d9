"""UIMA CAS as XMI, with its type system in a second file, and as JSON: what INCEpTION, WebAnno and DKPro Core write.

What is read and written is said in docs/formats.md, what is made of layers in `layers`.

The library dkpro-cassis trusts its input. Before it sees a file it is checked here: that it is well-formed and holds no
entities, that names of features are names (cassis makes them into code), that types inherit from types, not too many,
and that annotations lie in their text. Offsets are converted here too: cassis leaves those of annotations that are not
in an index as they are.
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
