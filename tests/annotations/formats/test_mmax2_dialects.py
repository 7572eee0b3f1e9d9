import shlex
from dataclasses import replace
from typing import Any

from tests.annotations.formats.dialects import Dialect, check_dialect, each_of, read_files

WORDS = ["Anna", "saw", "her", "dog", ".", "She", "waved", "."]
TEXT = " ".join(WORDS)
LINES = TEXT.replace(". S", ".\nS")
CHAINS = [["Anna", "her", "She"], ["her dog"]]
MENTIONS = ["Anna", "her dog", "her", "She"]
SPANS = ["word_1", "word_3..word_4", "word_3", "word_6"]
SENTENCES = [{"span": "word_1..word_5", "orderid": 0}, {"span": "word_6..word_8", "orderid": 1}]
SET, POINTER = "markable_set", "markable_pointer"


def level(*markables: dict[str, object], head: str = '<?xml version="1.0"?>\n') -> str:
    """Return a markables file, numbered from 1 where a markable has no id."""
    rows = [
        "".join(f' {name}="{value}"' for name, value in ({"id": f"markable_{number}"} | each).items())
        for number, each in enumerate(markables, start=1)
    ]
    lines = [f"<markable{row} />" for row in rows]
    return "\n".join([f'{head}<!DOCTYPE markables SYSTEM "markables.dtd">', "<markables>", *lines, "</markables>"])


def mentions(*attributes: str) -> str:
    """Return a file of the four mentions, each with attributes: `ref=empty 'of=a dog'`."""
    given = (dict(each.split("=") for each in shlex.split(written)) for written in attributes)
    return level(*({"span": span} | each for span, each in zip(SPANS, given, strict=True)))


def sets(name: str, *values: str, **more: object) -> str:
    further = "".join(f" {key}={value}" for key, value in more.items())
    return mentions(*(f"{name}={value}{further}" for value in values))


def words(*texts: str, name: str = "word_", first: int = 1, head: str = "") -> str:
    rows = [f'<word id="{name}{number}">{text}</word>' for number, text in enumerate(texts or WORDS, start=first)]
    return "\n".join([f"{head}<words>", *rows, "</words>"])


def scheme(**attributes: str | list[str] | dict[str, str]) -> str:
    """Return a scheme. attributes: a kind, or values with their next attributes."""
    rows = []
    for name, kind in attributes.items():
        values = kind if isinstance(kind, dict) else dict.fromkeys([] if isinstance(kind, str) else kind, "")
        rows.append(
            f'<attribute id="l_{name}" name="{name}" type="{kind if isinstance(kind, str) else "nominal_list"}">'
        )
        rows += [f'<value id="v" name="{value}" next="{after}"/>' for value, after in values.items()]
        rows.append("</attribute>")
    return "\n".join(["<annotationscheme>", *rows, "</annotationscheme>"])


def mmax(
    levels: dict[str, str],
    schemes: dict[str, str] | None = None,
    *,
    name: str = "walk",
    text: str = TEXT,
    files: dict[str, str | bytes] | None = None,
    **expected: Any,
) -> Dialect:
    """Return a project. levels, schemes: files by level. files: further files, or replacements."""
    common = "".join(f'<level name="{key}" schemefile="{key}_scheme.xml">$_{key}_level.xml</level>' for key in levels)
    project: dict[str, str | bytes] = {
        f"{name}.mmax": f"<mmax_project><words>{name}_words.xml</words><keyactions/></mmax_project>",
        "common_paths.xml": f"<common_paths><markable_path>Markables/</markable_path>{common}</common_paths>",
        f"Basedata/{name}_words.xml": words(),
    }
    project |= {f"Markables/{name}_{key}_level.xml": content for key, content in levels.items()}
    project |= {f"Schemes/{key}_scheme.xml": content for key, content in (schemes or {}).items()}
    return Dialect(files=project | (files or {}), text=text, **expected)


def without(*names: str, of: Dialect) -> Dialect:
    return replace(of, files={name: content for name, content in of.files.items() if name not in names})


PARCOR = {
    "Coref_class": SET,
    "Mention": {"pronoun": "l_Type", "np": "l_NPtype", "none": ""},
    "Type": {"anaphoric": "l_Split", "pleonastic": "", "none": ""},
    "NPtype": ["antecedent", "none"],
    "Split": ["simple antecedent", "split reference"],
}
ARRAU = {
    "reference": {"unmarked": "", "new": "", "old": "l_phrase_antecedent", "non_referring": ""},
    "phrase_antecedent": {"single_phrase": "l_single_phrase_antecedent", "none": ""},
    "single_phrase_antecedent": POINTER,
    "related_object": {"no": "", "yes": "l_related_phrase"},
    "related_phrase": POINTER,
    "gender": ["unmarked", "fem", "neut"],
}
NO_SCHEME, OF_TWO = "the scheme of the level", sets("coref_class", "set_1", "set_2", "set_1", "set_1")
NUMBERS = sets("coref_class", "7", "8", "7", "7", type="NP")
DIALECTS = {
    "ParCorFull: names in capitals in the scheme alone, pleonastic pronouns": mmax(
        {
            "coref": mentions(
                "coref_class=set_5 mention=np nptype=antecedent mmax_level=coref",
                "coref_class=empty mention=np nptype=none mmax_level=coref",
                "coref_class=set_5 mention=pronoun type=anaphoric 'split=simple antecedent'",
                "coref_class=empty mention=pronoun type=pleonastic mmax_level=coref",
            ),
            "sentence": level(*SENTENCES),
        },
        {"coref": scheme(**PARCOR), "sentence": scheme()},
        files={"Markables/walk_coref_level.xml.bak": "x", "Markables/walk_checks_level.xml": level()},
        text=LINES,
        chains={"set_5": ["Anna", "her"], "1": ["her dog"], "2": ["She"]},
        attributes={
            "Anna": {"mention": "np", "nptype": "antecedent"},
            "her dog": {"mention": "np", "nptype": "none"},
            "her": {"mention": "pronoun", "type": "anaphoric", "split": "simple antecedent"},
            "She": {"mention": "pronoun", "type": "pleonastic"},
        },
    ),
    "PotTS: 1.general.words.xml, pointers to another level": mmax(
        {
            "target": mentions(
                "anaphref=empty sentiment_ref=sentiment:markable_9",
                "anaphref=empty sentiment_ref=empty",
                "anaphref=target:markable_1 sentiment_ref=empty",
                "anaphref=markable_3 sentiment_ref=sentiment:markable_9",
            ),
            "sentiment": level({"id": "markable_9", "span": "word_1..word_8", "polarity": "positive"}),
            "negation": level({"span": "word_2", "emo_ref": "sentiment:markable_9"}, {"span": "word_7"}),
        },
        {
            "target": scheme(preferred=["true", "false"], anaphref=POINTER, sentiment_ref=POINTER),
            "sentiment": scheme(polarity=["positive", "negative"]),
            "negation": scheme(emo_ref=POINTER),
        },
        name="1.general",
        files={
            "1.general.mmax": "<mmax_project><words>1.general.words.xml</words></mmax_project>",
            "Basedata/1.general.words.xml": words(head='<?xml version="1.0" encoding="US-ASCII"?>\n'),
        },
        pointers={"her": ["Anna"], "She": ["her"]},
        relations={"sentiment_ref": {"Anna": [TEXT], "She": [TEXT]}},
        markables=[TEXT, "Anna", "saw", "her dog", "her", "She", "waved"],
        findings=(
            "1 values of emo_ref of the level negation are not read",
            "1 answer to 'polarity' on the level 'sentiment'",
        ),
    ),
    "PotTS, one level: pointers that are no antecedents": mmax(
        {"target": sets("sentiment_ref", "empty", "markable_1", "empty", "markable_1")},
        {"target": scheme(sentiment_ref=POINTER)},
        pointers={"her dog": ["Anna"], "She": ["Anna"]},
        findings=("2 pointers sentiment_ref of the level target are read as antecedents",),
    ),
    "COREA: pointers that a type makes bridging": mmax(
        {
            "coref": mentions(
                "head=Anna",
                "head=dog ref=markable_1 type=bridge",
                "head=her ref=markable_1 type=ident mod=no",
                "head=She ref=markable_3 type=ident mod=no",
            )
        },
        {"coref": scheme(head="freetext", ref=POINTER, type=["ident", "pred", "bound", "bridge"], mod=["no", "yes"])},
        pointers={"her": ["Anna"], "She": ["her"]},
        relations={"bridge": {"her dog": ["Anna"]}},
    ),
    "ARRAU: categories by next, bridging, least words": mmax(
        {
            "phrase": mentions(
                "reference=new min_ids=word_1 min_words=anna gender=fem",
                "reference=new min_ids=word_4 min_words=dog gender=unmarked related_object=yes "
                "related_phrase=markable_1",
                "reference=old phrase_antecedent=single_phrase single_phrase_antecedent=phrase:markable_1",
                "reference=old phrase_antecedent=single_phrase single_phrase_antecedent=markable_3;markable_1",
            )
        },
        {"phrase": scheme(**ARRAU)},
        pointers={"her": ["Anna"], "She": ["her", "Anna"]},
        categories=["new", "new", "old", "old"],
        relations={"related_phrase": {"her dog": ["Anna"]}},
    ),
    "a dialogue that a program wrote: ids from 0, NAME_phrase.xml, least words that are others": mmax(
        {},
        files={
            "common_paths.xml": '<common_paths><level name="phrase" schemefile="">$_phrase.xml</level></common_paths>',
            "Basedata/walk_words.xml": words(first=0),
            "markables/walk_phrase.xml": level(
                {"span": "word_0", "single_phrase_antecedent": "empty"},
                {"span": "word_2..word_3", "min_ids": "word_2", "min_words": "dog"},
                {"span": "word_5", "single_phrase_antecedent": "markable_1"},
            ),
        },
        pointers={"She": ["Anna"]},
        findings=(NO_SCHEME, "min_words of markable_2 are 'dog', but min_ids 'her'"),
    ),
    "BART: sets without a scheme": mmax(
        {"coref": sets("coref_set", "set_3", "set_4", "set_3", "set_3"), "sentence": level(*SENTENCES)},
        text=LINES,
        chains=CHAINS,
        findings=(NO_SCHEME,),
    ),
    "Potsdam: antecedents at two levels, a gap with a comma": mmax(
        {
            "primmark": level(
                {"span": "word_1", "anaphor_antecedent": "empty", "referentiality": "referring"},
                {"span": "word_3,word_6", "anaphor_antecedent": "markable_1", "type": "anaphoric"},
            ),
            "secmark": level({"span": "word_3..word_4", "anaphor_antecedent": "primmark:markable_1"}),
        },
        pointers={"her She": ["Anna"], "her dog": ["Anna"]},
        findings=("the scheme of the level primmark", "the scheme of the level secmark"),
    ),
    "words and markables alone, without a .mmax file": without(
        "walk.mmax", "common_paths.xml", of=mmax({"coref": OF_TWO}, {"coref": scheme(coref_class=SET)}, chains=CHAINS)
    ),
    "Polish: NAME_mentions.xml, groups and near identity": mmax(
        {},
        files={
            "common_paths.xml": '<common_paths><level name="mention">$_mentions.xml</level></common_paths>',
            "Basedata/walk_words.xml": words().replace('id="word_5"', 'id="word_5" lastinsent="true"'),
            "walk_mentions.xml": mentions(
                "mention_group=set_4 near_identity=empty mention_head=Anna",
                "mention_group=empty near_identity=markable_1 mention_head=dog",
                "mention_group=set_4 near_identity=empty mention_head=her",
                "mention_group=set_4 near_identity=empty mention_head=She",
            ),
        },
        options={"attribute": "mention_group"},
        chains=CHAINS,
        relations={"near_identity": {"her dog": ["Anna"]}},
        findings=(NO_SCHEME,),
    ),
    "the same, with nothing said": mmax(
        {},
        files={
            "common_paths.xml": '<common_paths><level name="mention">$_mentions.xml</level></common_paths>',
            "walk_mentions.xml": sets("mention_group", "set_4", "empty", "set_4", "set_4", near_identity="empty"),
        },
        chains=CHAINS,
        findings=(NO_SCHEME,),
    ),
    "files that nothing names": mmax(
        {},
        files={"walk_mentions.xml": sets("mention_group", "set_4", "empty", "set_4", "set_4")},
        findings=("4 markables in walk_mentions.xml",),
        markables=[],
    ),
    "several sets in a value": mmax(
        {"coref": sets("coref_class", "set_1", "set_2", "set_1", "set_1;set_2")},
        chains={"set_1": ["Anna", "her", "She"], "set_2": ["her dog", "She"]},
        findings=(NO_SCHEME,),
    ),
    "sets that are numbers": mmax(
        {"coref": NUMBERS},
        findings=("4 values of the attribute coref_class", "4 values of the attribute type"),
        markables=MENTIONS,
    ),
    "the same, named": mmax(
        {"coref": NUMBERS}, options={"attribute": "coref_class"}, chains=CHAINS, findings=(NO_SCHEME,)
    ),
    "values that the scheme lacks": mmax(
        {"np": sets("category", "old", "odd", "odd", "weird")},
        {"np": scheme(category=["old", "new"])},
        categories=["old", "", "", ""],
        findings=("1 markable of the category odd", "of the category weird", "of the category odd, which is not in"),
    ),
    "attributes that the scheme lacks": mmax(
        {"np": sets("coref_class", "set_1", "set_2", "set_1", "set_1", genus="f", checked="yes")},
        {"np": scheme(coref_class=SET)},
        chains=CHAINS,
        findings=("4 values of the attribute genus", "4 values of the attribute checked"),
    ),
    "a word that is not there": mmax(
        {"np": level({"span": "word_1..word_9", "coref_class": "set_1"})},
        refused="markable_1: the word 'word_9' is not in the text; slips=leave-out leaves out the mention",
    ),
    "slips, left out": mmax(
        {
            "np": level(
                {"span": "word_1", "coref_class": "set_1"},
                {"span": "word_1..word_9", "coref_class": "set_1"},
                {"id": "markable_1", "span": "word_2", "coref_class": "set_1"},
                {"span": "word_3", "coref_class": "set_1"},
            )
        },
        {"np": scheme(coref_class=SET)},
        options={"slips": "leave-out"},
        chains=[["Anna", "her"]],
        findings=("the word 'word_9' is not in the text", "the id 'markable_1' is given twice"),
    ),
}


def test_folders_without_mmax_file_are_coders():
    files = mmax({"coref": OF_TWO}).files
    folders = {f"{coder}/{name}": files[name] for coder in ("anna", "ben") for name in files if name != "walk.mmax"}
    found = read_files("mmax2", Dialect(files=folders))
    assert [(document.file, document.name) for document in found] == [("anna/walk", "walk"), ("ben/walk", "walk")]


@each_of(DIALECTS)
def test_dialect_is_read_or_refused(dialect):
    check_dialect("mmax2", dialect)
