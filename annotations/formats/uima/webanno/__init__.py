"""WebAnno TSV 3, as WebAnno and INCEpTION write it and the GUM corpus uses it.

    #FORMAT=WebAnno TSV 3.3
    #T_CH=de.tudarmstadt.ukp.dkpro.core.api.coref.type.CoreferenceLink|referenceType|referenceRelation

    #Text=Anna lost her dog .
    1-1	0-4	Anna	refers[1]	*->1-1
    1-2	5-9	lost	_	_
    1-3	10-13	her	refers[1]|refers[2]	*->1-2|*->2-1
    1-4	14-17	dog	refers[2]	*->2-1

Layers are spans (T_SP), links of chains (T_CH) or relations (T_RL); the columns are in the order of the header. `_` is
no annotation, `*` an annotation without a value. `|` separates annotations on one token; `[2]` numbers an annotation on
several rows. A link has the number of its chain, and `->2-1` is link 1 of chain 2. A relation is on the row of its
target and names the row of its source: `3-4[11_1]` leads from span 11 to span 1. In GUM, and here, the source is the
anaphor.

Offsets count UTF-16 units. Between sentences the file holds no text: the gap is filled with a line end and blanks.
White space after a sentence is written as part of it if the filling would differ. See docs/formats.md for what is read
and written, and `layers` for the conversion of layers.
"""

from annotations.formats.model.features import Feature
from annotations.formats.uima.layers import SUPPORTED_FEATURES, layer_format
from annotations.formats.uima.webanno.reading import read
from annotations.formats.uima.webanno.writing import write

FORMAT = layer_format(
    "webanno",
    "WebAnno TSV 3",
    (".tsv",),
    read,
    write=write,
    supported_features=SUPPORTED_FEATURES - {Feature.LEADING} | {Feature.LEVELS},
)
