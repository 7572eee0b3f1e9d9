"""The types that DKPro Core and INCEpTION have, and those that are added here."""

CHAIN = "de.tudarmstadt.ukp.dkpro.core.api.coref.type.CoreferenceChain"
TOKEN = "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type.Token"  # noqa: S105
SENTENCE = "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type.Sentence"
META_DATA = "de.tudarmstadt.ukp.dkpro.core.api.metadata.type.DocumentMetaData"
META_FIELD = "de.tudarmstadt.ukp.dkpro.core.api.metadata.type.MetaDataStringField"
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
