"""The names of types of DKPro Core and INCEpTION, and of the types that we add."""

BUILT_IN = "de.tudarmstadt.ukp.dkpro.core.api."
LINK = "de.tudarmstadt.ukp.dkpro.core.api.coref.type.CoreferenceLink"
CHAIN = "de.tudarmstadt.ukp.dkpro.core.api.coref.type.CoreferenceChain"
TOKEN = "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type.Token"  # noqa: S105
SENTENCE = "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type.Sentence"
META_DATA = "de.tudarmstadt.ukp.dkpro.core.api.metadata.type.DocumentMetaData"
META_FIELD = "de.tudarmstadt.ukp.dkpro.core.api.metadata.type.MetaDataStringField"
NAMED_ENTITY = "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity"
# MARKABLE and OTHER_RELATION hold what chains and relations cannot express.
MARKABLE = "webanno.custom.Markable"
RELATION = "webanno.custom.Coref"
OTHER_RELATION = "webanno.custom.OtherRelation"
SEGMENT = "webanno.custom.Segment"
ANNOTATION = "uima.tcas.Annotation"
DOCUMENT = "uima.tcas.DocumentAnnotation"
STRING = "uima.cas.String"
STRINGS = "uima.cas.StringArray"
NUMBERS = tuple(f"uima.cas.{name}" for name in ("Boolean", "Byte", "Short", "Integer", "Long", "Float", "Double"))
ARRAY = "uima.cas.FSArray"
DIRECTION = "direction"
NO_LANGUAGE = "x-unspecified"
TYPE_SYSTEM = "TypeSystem.xml"


def is_linguistic(layer: str) -> bool:
    """Return whether a layer is a linguistic layer of DKPro Core without markables, such as part of speech."""
    return layer.startswith(BUILT_IN) and layer not in (LINK, NAMED_ENTITY)
