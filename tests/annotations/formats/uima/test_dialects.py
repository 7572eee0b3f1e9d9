import json
import re

import pytest

from tests.annotations.formats.dialects import Dialect, check_dialect, read_files

TEXT = "Anna saw her dog ."
STARTS = [0, 5, 9, 13, 17]
NOTHING = ["_"] * 5
DKPRO = "de.tudarmstadt.ukp.dkpro.core.api."
LINK, CHAIN = f"{DKPRO}coref.type.CoreferenceLink", f"{DKPRO}coref.type.CoreferenceChain"
ENTITY = f"{DKPRO}ner.type.NamedEntity"
CHAINS = {"1": ["Anna", "her"], "2": ["her dog"]}
TYPES = ["nam[1]", "_", "pr[1]|np[2]", "np[2]", "_"]
LINKS = ["*->1-1", "_", "*->1-2|*->2-1", "*->2-1", "_"]
CHAIN_LAYER = f"#T_CH={LINK}|referenceType|referenceRelation"


def tsv(*layers: str, columns: list[list[str]], version="3.3", tab="\t", blank="\n\n", text=TEXT, starts=STARTS) -> str:
    """Return a file of one sentence. columns: the cells of the five words for each column."""
    rows = [
        "\t".join([f"1-{number + 1}", f"{start}-{start + len(word)}", word, *(column[number] for column in columns)])
        for number, (start, word) in enumerate(zip(starts, text.split(), strict=True))
    ]
    lines = [f"#FORMAT=WebAnno TSV {version}", *layers, f"{blank}#Text={text}", *(f"{row}{tab}" for row in rows)]
    return "\n".join(lines) + "\n"


def chains_tsv(**chosen) -> str:
    return tsv(CHAIN_LAYER, columns=[TYPES, LINKS], **chosen)


def walk(content: str | bytes, text: str = TEXT, **more) -> Dialect:
    return Dialect(files={"walk.tsv": content}, text=text, **more)


SLOTS = tsv(
    "#T_SP=webanno.custom.Arg|",
    "#T_SP=webanno.custom.Pred|ROLE_webanno.custom.Pred:args_webanno.custom.ArgLink|webanno.custom.Arg",
    columns=[["*", "_", "*", "_", "_"], ["_", "seer;seen", *NOTHING[2:]], ["_", "1-1;1-3", *NOTHING[2:]]],
)
TSV = {
    "INCEpTION: chains": walk(chains_tsv(), chains=CHAINS, categories=["nam", "np", "pr"]),
    "SentiCoref: entities beside chains of another name": walk(
        tsv(
            f"#T_SP={ENTITY}|identifier|value",
            f"#T_CH={DKPRO}coref.type.Coreference|referenceRelation|referenceType",
            columns=[["*", *NOTHING[1:]], ["PER", *NOTHING[1:]], LINKS, TYPES],
            version="3.2",
        ),
        chains=CHAINS,
        findings=(f"the 1 spans of the layer {ENTITY} are left out",),
    ),
    "two layers of chains, one without features, and relations without types": walk(
        tsv(
            "#T_SP=webanno.custom.Tone|",
            "#T_SP=webanno.custom.Role|role|theta",
            CHAIN_LAYER,
            "#T_CH=webanno.custom.ThingsLink|referenceRelation|referenceType",
            "#T_RL=webanno.custom.Plural|BT_webanno.custom.Role",
            columns=[
                ["*", *NOTHING[1:]],
                ["subj", "_", "obj[3]", "obj[3]", "_"],
                ["ag", "_", "pat[3]", "pat[3]", "_"],
                ["nam[1]", "_", "pr[1]", "_", "_"],
                ["*->1-1", "_", "*->1-2", "_", "_"],
                ["_", "_", "*->1-1", "*->1-1", "_"],
                ["_", "_", "np[1]", "np[1]", "_"],
                ["1-3[3_0]", *NOTHING[1:]],
            ],
        ),
        chains={"1": ["Anna", "her"], "ThingsLink-1": ["her dog"]},
        findings=(
            "the 1 spans of the layer webanno.custom.Tone",
            "the 2 spans of the layer webanno.custom.Role",
            "1 relations of the layer webanno.custom.Plural are left out",
        ),
    ),
    "entities that are linked to a knowledge base": walk(
        tsv(
            f"#T_SP={ENTITY}|identifier|value",
            columns=[["http://kb/1", "_", "*[1]", "*[1]", "_"], ["PER", "_", "ANI[1]", "ANI[1]", "_"]],
        ),
        categories=["PER", "ANI"],
        attributes={"Anna": {"identifier": "http://kb/1"}},
    ),
    "INCEpTION: slots of a host": walk(
        SLOTS,
        pointers={"saw": ["Anna", "her"]},
        findings=("1 relations called 'seer' are read as pointing", "1 relations called 'seen'"),
    ),
    "the same, as other relations": walk(
        SLOTS,
        options={"relations": "names", "layers": "relations"},
        relations={"seer": {"saw": ["Anna"]}, "seen": {"saw": ["her"]}},
        markables=["Anna", "saw", "her"],
    ),
    "relations between words": walk(
        tsv(
            f"#T_RL=webanno.custom.Coref|type|BT_{DKPRO}segmentation.type.Token",
            columns=[["ana", *NOTHING[1:]], ["1-3", *NOTHING[1:]]],
        ),
        pointers={"her": ["Anna"]},
        markables=["Anna", "her"],
    ),
    "relations between phrases of DKPro Core": walk(
        tsv(
            f"#T_SP={DKPRO}syntax.type.chunk.Chunk|chunkValue",
            f"#T_RL=webanno.custom.Coref|type|BT_{DKPRO}syntax.type.chunk.Chunk",
            columns=[["NP[1]", "_", "NP[2]", "NP[2]", "_"], ["ana", *NOTHING[1:]], ["1-3[2_1]", *NOTHING[1:]]],
        ),
        findings=("1-3[2], where no span of the layer", "1-1[1], where no span of the layer"),
        markables=[],
    ),
    "programs that write no blank lines": walk(
        chains_tsv(blank="", tab=""), chains=CHAINS, categories=["nam", "np", "pr"]
    ),
    "programs that end the text of a sentence in a blank": walk(
        chains_tsv().replace(f"#Text={TEXT}", f"#Text={TEXT} "), text=f"{TEXT} ", chains=CHAINS
    ),
    "WebAnno TSV 2": walk(
        "# webanno.custom.Mention | kind \n#id=1\n#text=Anna saw\n1-1\tAnna\tB-nam\n1-2\tsaw\tO\n",
        refused="walk.tsv:1: the first line is not '#FORMAT=WebAnno TSV 3.0', 3.1, 3.2 or 3.3: export the text as",
    ),
    "WebAnno TSV 1": walk("1\tAnna\tB-nam\n2\tsaw\tO\n", refused="export the text as WebAnno TSV 3"),
    "columns of a layer that no line of the header has": walk(
        tsv(CHAIN_LAYER, "#T_XX=webanno.custom.Unknown|kind", columns=[TYPES, LINKS, NOTHING]),
        refused="walk.tsv:7: the header declares 2 columns of annotations, this line has 4",
    ),
    "code points for UTF-16 units": walk(
        tsv("#T_SP=webanno.custom.Mention|", columns=[["*", "_", "*", "_", "_"]], text="😀nna saw her dog ."),
        text="😀nna saw her dog .",
        markables=["😀nna", "her"],
        findings=("the offsets count code points (read so, though UTF-16 units are usual)",),
    ),
}


CAS_TEXT = "Anna saw her dog . It ran ."
PLACES = {"Anna": (0, 4), "her": (9, 12), "her dog": (9, 16), "It": (19, 21)}
ANNOTATION, TOP, STRING = "uima.tcas.Annotation", "uima.cas.TOP", "uima.cas.String"
NAMESPACES = {
    "xmi": "http://www.omg.org/XMI",
    "cas": "http:///uima/cas.ecore",
    "coref": "http:///de/tudarmstadt/ukp/dkpro/core/api/coref/type.ecore",
    "ner": "http:///de/tudarmstadt/ukp/dkpro/core/api/ner/type.ecore",
    "custom": "http:///webanno/custom.ecore",
    "seg": "http:///de/tudarmstadt/ukp/dkpro/core/api/segmentation/type.ecore",
    "v1": "http:///de/unistuttgart/ims/coref/annotator/api/v1.ecore",
}
BASE = "uima.cas.AnnotationBase"
DKPRO_TYPES = {LINK: (ANNOTATION, {"next": LINK, "referenceType": STRING}), CHAIN: (BASE, {"first": LINK})}
type Types = dict[str, tuple[str, dict[str, str]]]


def element(tag: str, number: int, words: str, **features: object) -> str:
    start, end = PLACES[words]
    values = "".join(f' {name}="{value}"' for name, value in features.items())
    return f'<{tag} xmi:id="{number}" sofa="1" begin="{start}" end="{end}"{values}/>'


def xmi(*elements: str, text=CAS_TEXT, view="_InitialView", types: Types | None = None, **more) -> Dialect:
    """Return a file with a type system, or without one if types is None."""
    members = " ".join(re.findall(r'xmi:id="(\d+)" sofa="1"', "".join(elements)))
    names = " ".join(f'xmlns:{name}="{address}"' for name, address in NAMESPACES.items())
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<xmi:XMI {names} xmi:version="2.0">',
        *elements,
        f'<cas:Sofa xmi:id="1" sofaNum="1" sofaID="{view}" mimeType="text" sofaString="{text}"/>',
        f'<cas:View sofa="1" members="{members}"/>',
        "</xmi:XMI>",
    ]
    files: dict[str, str | bytes] = {"walk.xmi": "\n".join(lines)}
    if types is not None:
        files["TypeSystem.xml"] = type_system(types | DKPRO_TYPES)
    return Dialect(files=files, text=text.replace("&#13;&#10;", "\r\n"), **more)


def type_system(types: Types) -> str:
    described = []
    for name, (above, features) in types.items():
        inner = "".join(
            f"<featureDescription><name>{feature}</name><rangeTypeName>{kind}</rangeTypeName></featureDescription>"
            for feature, kind in features.items()
        )
        described.append(
            f"<typeDescription><name>{name}</name><supertypeName>{above}</supertypeName>"
            f"<features>{inner}</features></typeDescription>"
        )
    address = "http://uima.apache.org/resourceSpecifier"
    return f'<typeSystemDescription xmlns="{address}"><types>{"".join(described)}</types></typeSystemDescription>'


CHAINED = [
    element("coref:CoreferenceLink", 10, "Anna", next=11, referenceType="nam"),
    element("coref:CoreferenceLink", 11, "her"),
    '<coref:CoreferenceChain xmi:id="12" sofa="1" first="10"/>',
]
ONE_CHAIN = {"1": ["Anna", "her"]}
MENTION = "webanno.custom.Mention"
MENTIONS: Types = {MENTION: (ANNOTATION, {"kind": STRING})}
TWO = [element("custom:Mention", 5, "Anna", kind="nam"), element("custom:Mention", 6, "her")]
RELATED: Types = MENTIONS | {
    "webanno.custom.Relation": (ANNOTATION, {"Governor": MENTION, "Dependent": MENTION, "kind": STRING})
}
ANNOTATOR = "de.unistuttgart.ims.coref.annotator.api.v1."
ANNOTATOR_TYPES: Types = {
    f"{ANNOTATOR}Entity": (TOP, {"Label": STRING, "Color": "uima.cas.Integer"}),
    f"{ANNOTATOR}EntityGroup": (f"{ANNOTATOR}Entity", {"Members": "uima.cas.FSArray"}),
    f"{ANNOTATOR}Mention": (ANNOTATION, {"Entity": f"{ANNOTATOR}Entity", "Flags": "uima.cas.StringArray"}),
    f"{ANNOTATOR}Comment": (ANNOTATION, {"Value": STRING}),
}
ANNOTATED = [
    '<v1:Entity xmi:id="30" Label="A." Color="7"/>',
    '<v1:Entity xmi:id="31" Label="dog" Color="8"/>',
    element("v1:Mention", 40, "Anna", Entity=30),
    element("v1:Mention", 41, "her", Entity=30),
    element("v1:Mention", 42, "her dog", Entity=31),
    element("v1:Mention", 43, "It", Entity=31),
]
ENTITIES = {"1": ["Anna", "her"], "2": ["her dog", "It"]}
NO_TYPES = "no type system is beside this file (DKPro Core's types were taken)"


def with_file(dialect: Dialect, content: bytes | str, **more) -> Dialect:
    """Return the dialect with another file in place of its first."""
    name, *_ = dialect.files
    chosen = {"text": dialect.text, "chains": dialect.chains} | more
    return Dialect(files={**dialect.files, name: content}, **chosen)


def main_file(dialect: Dialect) -> str:
    content = next(iter(dialect.files.values()))
    return content if isinstance(content, str) else content.decode()


WITH_META = xmi(*ANNOTATED, '<meta:DocumentMetaData xmi:id="2" sofa="1" begin="0" end="27"/>')
PLAIN = xmi(*CHAINED, types={}, chains=ONE_CHAIN)
XMI = {
    "INCEpTION: chains": xmi(*CHAINED, types={}, chains=ONE_CHAIN, categories=["nam", ""]),
    "WebAnno: chains without their type system": xmi(*CHAINED, chains=ONE_CHAIN, findings=(NO_TYPES,)),
    "WebAnno: relations of a layer": xmi(
        *TWO,
        element("custom:Relation", 7, "her", Governor=6, Dependent=5, kind="anaphoric"),
        types=RELATED,
        pointers={"her": ["Anna"]},
        attributes={"Anna": {"kind": "nam"}},
    ),
    "CRETA: relations of which some have no type": xmi(
        *TWO,
        element("custom:Mention", 8, "It"),
        element("custom:Relation", 7, "her", Governor=6, Dependent=5, kind="coreference"),
        element("custom:Relation", 9, "It", Governor=8, Dependent=5),
        types=RELATED,
        pointers={"her": ["Anna"], "It": ["Anna"]},
        findings=("1 relations called 'Relation' are read as pointing to antecedents (relations=names reads",),
    ),
    "CorefAnnotator: mentions of entities": xmi(*ANNOTATED, types=ANNOTATOR_TYPES, chains=ENTITIES),
    "CorefAnnotator, without the type system": xmi(
        *ANNOTATED,
        chains=ENTITIES,
        findings=(NO_TYPES, f"2 values of the feature Color of {ANNOTATOR}Entity are left out (add the type system)"),
    ),
    "CorefAnnotator: a group, flags and a comment": xmi(
        *ANNOTATED[:4],
        ANNOTATED[4].replace("/>", "><Flags>generic</Flags></v1:Mention>"),
        '<v1:EntityGroup xmi:id="32" Label="both" Members="30 31"/>',
        element("v1:Mention", 44, "It", Entity=32),
        element("v1:Comment", 45, "Anna", Value="hm"),
        types=ANNOTATOR_TYPES,
        chains={"1": ["Anna", "her"], "2": ["her dog"], "3": ["It"]},
        findings=(
            f"2 values of the feature Members of {ANNOTATOR}EntityGroup are left out",
            f"1 values of the feature Flags of {ANNOTATOR}Mention are left out",
            f"the 1 spans of the layer {ANNOTATOR}Comment are left out",
        ),
    ),
    "CorefAnnotator: a mention that was deleted, and types of DKPro Core that are not known": with_file(
        WITH_META,
        main_file(WITH_META)
        .replace('members="40 41', 'members="40')
        .replace("<xmi:XMI", '<xmi:XMI xmlns:meta="http:///de/tudarmstadt/ukp/dkpro/core/api/metadata/type.ecore"'),
        chains={"1": ["Anna"], "2": ["her dog", "It"]},
        findings=(
            NO_TYPES,
            f"1 of the type {DKPRO}metadata.type.DocumentMetaData are left out",
            f"2 values of the feature Color of {ANNOTATOR}Entity",
            f"1 of the type {ANNOTATOR}Mention stand in no view",
        ),
    ),
    "CorefAnnotator: a label that is as long as its mention, and a part that is detached": xmi(
        f'<v1:Entity xmi:id="30" Label="{"A" * 201}"/>',
        element("v1:Mention", 40, "Anna", Entity=30, Discontinuous=41),
        element("v1:DetachedMentionPart", 41, "her", Mention=40),
        types=ANNOTATOR_TYPES
        | {
            f"{ANNOTATOR}Mention": (ANNOTATION, {"Entity": f"{ANNOTATOR}Entity", "Discontinuous": ANNOTATION}),
            f"{ANNOTATOR}DetachedMentionPart": (ANNOTATION, {"Mention": ANNOTATION}),
        },
        chains={"1": ["Anna"]},
        findings=(
            f"1 values of the feature Label of {ANNOTATOR}Entity",
            f"1 values of the feature Discontinuous of {ANNOTATOR}Mention",
            f"1 values of the feature Mention of {ANNOTATOR}DetachedMentionPart",
            f"the 1 spans of the layer {ANNOTATOR}DetachedMentionPart",
        ),
    ),
    "entities that are linked to a knowledge base": xmi(
        element("custom:Mention", 5, "Anna", identifier="http://kb/1", value="PER"),
        types={MENTION: (ANNOTATION, {"identifier": STRING, "value": STRING})},
        categories=["PER"],
        attributes={"Anna": {"identifier": "http://kb/1"}},
    ),
    "INCEpTION: slots": xmi(
        TWO[0],
        element("custom:Mention", 6, "her", antecedents=8),
        '<custom:MentionLink xmi:id="8" role="coref" target="5"/>',
        types={
            MENTION: (ANNOTATION, {"antecedents": "uima.cas.FSArray", "kind": STRING}),
            "webanno.custom.MentionLink": (TOP, {"role": STRING, "target": MENTION}),
        },
        pointers={"her": ["Anna"]},
    ),
    "relations between words": xmi(
        element("seg:Token", 5, "Anna"),
        element("seg:Token", 6, "her"),
        element("seg:Token", 8, "It"),
        element("custom:Coref", 7, "her", Governor=6, Dependent=5),
        types={
            f"{DKPRO}segmentation.type.Token": (ANNOTATION, {}),
            "webanno.custom.Coref": (ANNOTATION, {"Governor": ANNOTATION, "Dependent": ANNOTATION}),
        },
        markables=["Anna", "her"],
        pointers={"her": ["Anna"]},
    ),
    "line ends of Windows": xmi(*CHAINED, text="Anna saw&#13;&#10;her dog", types={}, chains={"1": ["Anna", "\nhe"]}),
    "a feature that DKPro Core does not have": xmi(
        CHAINED[0].replace("referenceType", "mood"),
        *CHAINED[1:],
        chains=ONE_CHAIN,
        findings=(NO_TYPES, f"1 values of the feature mood of {LINK} are left out (add the type system)"),
    ),
    "a feature that leads to another span": xmi(
        TWO[0],
        element("custom:Mention", 6, "her", antecedent=5),
        types={MENTION: (ANNOTATION, {"antecedent": MENTION, "kind": STRING})},
        markables=["Anna", "her"],
        findings=(f"1 values of the feature antecedent of {MENTION} are left out",),
    ),
    "relations with ends of other names": xmi(
        *TWO,
        element("custom:Relation", 7, "her", source=6, target=5),
        types=MENTIONS | {"webanno.custom.Relation": (ANNOTATION, {"source": MENTION, "target": MENTION})},
        markables=["Anna", "her"],
        findings=(
            "1 values of the feature source of webanno.custom.Relation",
            "1 values of the feature target of webanno.custom.Relation",
            "the 1 spans of the layer webanno.custom.Relation",
        ),
    ),
    "a second text": xmi(
        *CHAINED,
        '<custom:Mention xmi:id="50" sofa="2" begin="0" end="4"/>',
        '<cas:Sofa xmi:id="2" sofaNum="2" sofaID="other" mimeType="text" sofaString="Else"/>',
        '<cas:View sofa="2" members="50"/>',
        types=MENTIONS,
        chains=ONE_CHAIN,
        findings=(f"1 of the type {MENTION} stand in no view, or in that of another text (left out)",),
    ),
    "code points for UTF-16 units": xmi(
        '<coref:CoreferenceLink xmi:id="10" sofa="1" begin="2" end="6"/>',
        '<coref:CoreferenceChain xmi:id="12" sofa="1" first="10"/>',
        text="😀 Anna ran",
        types={},
        chains={"1": [" Ann"]},
        findings=("1 of 1 annotations begin or end inside a word or with a blank (UTF-16 units are counted, as",),
    ),
    "a text that lies elsewhere": with_file(
        PLAIN,
        main_file(PLAIN).replace(f'sofaString="{CAS_TEXT}"', 'sofaURI="file:walk.txt"'),
        refused="walk.xmi:3: the text in which the annotation 10 stands is not in this file: export it with its text",
    ),
    "UTF-16 that says so": with_file(PLAIN, main_file(PLAIN).replace("UTF-8", "UTF-16").encode("utf-16")),
    "XCAS": with_file(PLAIN, '<CAS version="2"><uima.cas.Sofa _id="1"/></CAS>', refused="walk.xmi:1: this is not XMI"),
}


SOFA = {"%ID": 1, "%TYPE": "uima.cas.Sofa", "sofaNum": 1, "sofaID": "_InitialView", "mimeType": "text"}


def at(number: int, layer: str, words: str, **features: object) -> dict[str, object]:
    start, end = PLACES[words]
    return {"%ID": number, "%TYPE": layer, "@sofa": 1, "begin": start, "end": end, **features}


IN_CHAIN = [
    at(2, LINK, "Anna", referenceType="nam", **{"@next": 3}),
    at(3, LINK, "her"),
    {"%ID": 4, "%TYPE": CHAIN, "@sofa": 1, "@first": 2},
]


def cas(*structures: dict[str, object], types: Types, text: str = CAS_TEXT, **more: object) -> dict[str, object]:
    """Return a CAS with all placed structures and chains in its view. more: further or replaced keys."""
    described: dict[str, dict[str, object]] = {}
    for name, (above, features) in types.items():
        ranges = {feature: {"%NAME": feature, "%RANGE": kind} for feature, kind in features.items()}
        described[name] = {"%NAME": name, "%SUPER_TYPE": above, **ranges}
    members = [each["%ID"] for each in structures if each.get("@sofa") == 1]
    return {
        "%TYPES": described,
        "%FEATURE_STRUCTURES": [SOFA | {"sofaString": text}, *structures],
        "%VIEWS": {"_InitialView": {"%SOFA": 1, "%MEMBERS": members}},
    } | more


def saved(data: object, text: str = CAS_TEXT, **more) -> Dialect:
    content = data if isinstance(data, bytes) else json.dumps(data, ensure_ascii=False)
    return Dialect(files={"walk.json": content}, text=text, **more)


IN_JSON = cas(*IN_CHAIN, types=DKPRO_TYPES)
PHI: Types = {"webanno.custom.PHI": (ANNOTATION, {"kind": STRING})}
SPANS: Types = {
    "custom.Span": (ANNOTATION, {"identifier": STRING, "label": STRING}),
    "custom.Relation": (ANNOTATION, {"Governor": "custom.Span", "Dependent": "custom.Span", "label": STRING}),
}
CAS_JSON = {
    "INCEpTION: chains": saved(IN_JSON, chains=ONE_CHAIN, categories=["nam", ""]),
    "GraSCCo: spans with a kind": saved(
        cas(at(2, "webanno.custom.PHI", "Anna", kind="NAME_PATIENT"), at(3, "webanno.custom.PHI", "It"), types=PHI),
        markables=["Anna", "It"],
        categories=["NAME_PATIENT", ""],
    ),
    "INCEpTION since 24: custom.Span and custom.Relation": saved(
        cas(
            at(2, "custom.Span", "Anna", label="PER"),
            at(3, "custom.Span", "her"),
            at(5, "custom.Relation", "her", label="coref", **{"@Governor": 3, "@Dependent": 2}),
            types=SPANS,
        ),
        pointers={"her": ["Anna"]},
        attributes={"Anna": {"label": "PER"}},
    ),
    "slots as arrays": saved(
        cas(
            at(2, "custom.Span", "Anna"),
            at(3, "custom.Span", "her", **{"@ante": 6}),
            {"%ID": 5, "%TYPE": "custom.Link", "role": "coref", "@target": 2},
            {"%ID": 6, "%TYPE": "uima.cas.FSArray", "%ELEMENTS": [5]},
            types={
                "custom.Span": (ANNOTATION, {"ante": "custom.Link[]"}),
                "custom.Link": (TOP, {"role": STRING, "target": "custom.Span"}),
            },
        ),
        pointers={"her": ["Anna"]},
    ),
    "mentions of entities": saved(
        cas(
            at(2, "my.Mention", "Anna", **{"@Entity": 5}),
            at(3, "my.Mention", "her", **{"@Entity": 5}),
            {"%ID": 5, "%TYPE": "my.Entity", "Label": "A."},
            types={"my.Mention": (ANNOTATION, {"Entity": "my.Entity"}), "my.Entity": (TOP, {"Label": STRING})},
        ),
        chains=ONE_CHAIN,
    ),
    "WebAnno's JSON before CAS JSON": saved(
        {"_context": {"_types": {}}, "_views": {"_InitialView": {}}, "_referenced_fss": {}},
        refused="this is no CAS in JSON: it has no %TYPES or no %FEATURE_STRUCTURES",
    ),
    "a text as bytes or elsewhere": saved(
        IN_JSON | {"%FEATURE_STRUCTURES": [SOFA | {"sofaURI": "http://kb/walk"}], "%VIEWS": {}},
        refused="there is no text in this file",
    ),
    "an array of spans without roles": saved(
        cas(
            at(2, "custom.Span", "Anna"),
            at(3, "custom.Span", "her", **{"@ante": 6}),
            {"%ID": 6, "%TYPE": "uima.cas.FSArray", "%ELEMENTS": [2]},
            types={"custom.Span": (ANNOTATION, {"ante": "custom.Span[]"})},
        ),
        markables=["Anna", "her"],
        findings=("1 values of the feature ante of custom.Span are left out",),
    ),
    "a view without members": saved(
        IN_JSON | {"%VIEWS": {"_InitialView": {"%SOFA": 1, "%MEMBERS": []}}},
        markables=[],
        findings=(f"2 of the type {LINK} stand in no view, or in that of another text (left out)",),
    ),
    "no views": saved(
        {key: value for key, value in IN_JSON.items() if key != "%VIEWS"}, refused="no %VIEWS say what stands in which"
    ),
    "a number that is none": saved(
        cas(
            at(2, "my.Span", "Anna", **{"#score": "NaN"}), types={"my.Span": (ANNOTATION, {"score": "uima.cas.Float"})}
        ),
        markables=["Anna"],
        attributes={},
    ),
    "a reference to nothing": saved(
        cas(IN_CHAIN[0] | {"@next": 77}, *IN_CHAIN[1:], types=DKPRO_TYPES),
        chains={"1": ["Anna"], "2": ["her"]},
        findings=("no chain begins with the link 3, nor leads to it (it was made the first of a chain)",),
    ),
}


DIALECTS = {"webanno": TSV, "xmi": XMI, "casjson": CAS_JSON}
CASES = [pytest.param(key, each, id=f"{key}, {name}") for key, of in DIALECTS.items() for name, each in of.items()]


@pytest.mark.parametrize(("key", "dialect"), CASES)
def test_dialect_is_read_or_refused(key, dialect):
    check_dialect(key, dialect)


@pytest.mark.parametrize("dialect", [XMI["CorefAnnotator: mentions of entities"], CAS_JSON["mentions of entities"]])
def test_entities_are_named_by_labels(dialect):
    [document] = read_files("xmi" if "walk.xmi" in dialect.files else "casjson", dialect)
    assert document.marks[0].answer.name == "A."
