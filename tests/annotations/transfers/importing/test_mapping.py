"""Imports that make the scheme of a project from their files, or map their names onto it."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotations.coding.judgements import judgements_of
from annotations.formats import Answer, Document, Links, Mark, Place
from annotations.formats.model.scheme import AttributeSpec, CategorySpec, LevelSpec, RelationSpec, SchemeSpec, ValueSpec
from annotations.models import (
    Coding,
    ImportNames,
    Index,
    Judgement,
    Markable,
    Membership,
    Pointer,
    Project,
    Transfer,
    User,
)
from annotations.projects.creation import create_project
from annotations.projects.people.members import add_member
from annotations.schemes.consistency import check_scheme
from annotations.schemes.project_scheme import read_scheme
from annotations.schemes.ready_made import SCHEMES
from annotations.transfers.importing.documents import import_sources
from annotations.transfers.importing.files.sources import Source
from annotations.transfers.importing.options import ImportOptions
from annotations.transfers.importing.report import ImportFailed, Report
from annotations.transfers.importing.schemes.file_scheme import build_scheme
from annotations.transfers.importing.schemes.naming import Naming
from tests.annotations.transfers.importing.test_corpora import zipped
from tests.shared.growth import assert_grows_with_input

WORDS = ["Anna", "took", "her", "dog", ".", "It", "barked", "at", "the", "cat", "."]


def mmax2_files(levels: Mapping[str, tuple[str, str]]) -> dict[str, str]:
    """Return a project of MMAX2 whose levels have these schemes and markables."""
    words = "".join(f'<word id="word_{number}">{word}</word>' for number, word in enumerate(WORDS, start=1))
    named = "".join(
        f'<level name="{name}" schemefile="{name}_scheme.xml">$_{name}_level.xml</level>' for name in levels
    )
    files = {
        "walk.mmax": "<mmax_project><words>walk_words.xml</words></mmax_project>",
        "common_paths.xml": f"<common_paths><annotations>{named}</annotations></common_paths>",
        "Basedata/walk_words.xml": f"<words>{words}</words>",
    }
    for name, (scheme, markables) in levels.items():
        rows = "".join(f'<markable id="markable_{n}" {row}/>' for n, row in enumerate(markables.split("; "), start=1))
        files[f"Schemes/{name}_scheme.xml"] = f"<annotationscheme>{scheme}</annotationscheme>"
        files[f"Markables/walk_{name}_level.xml"] = f"<markables>{rows}</markables>"
    return files


def corpus(**files: str) -> dict[str, str]:
    """Return an MMAX2 corpus as such corpora are shipped: a level coref with sets, and helper levels."""
    coref = (
        '<attribute id="a1" name="Coref_class" type="markable_set"><value id="v0" name="Coref_class"/></attribute>'
        '<attribute id="a2" name="Mention" type="nominal_list"><value id="v1" name="np"/>'
        '<value id="v2" name="pronoun"/></attribute>'
    )
    markables = (
        'span="word_1" coref_class="set_1" mention="np"; span="word_3" coref_class="set_1" mention="pronoun"; '
        'span="word_3..word_4" coref_class="set_2" mention="np"; span="word_6" coref_class="set_2" mention="pronoun"; '
        'span="word_9..word_10" coref_class="empty" mention="np"'
    )
    levels = {
        "coref": (coref, markables),
        "sentence": ("", 'span="word_1..word_5"; span="word_6..word_11"'),
        "chunk": ("", 'span="word_1..word_2"'),
        "pos": ('<attribute id="p" name="tag" type="freetext"/>', 'span="word_1" tag="NNP"'),
    }
    return mmax2_files(levels) | files


def load(project: Project, files: Mapping[str, str], format_key: str = "mmax2", **settings) -> Report:
    sources = [Source(name, content.encode(), in_folder=True) for name, content in files.items()]
    return import_sources(project, format_key, sources, "=anna", ImportOptions(create=True, join=True, **settings))


@pytest.fixture
def empty(db) -> Project:
    return create_project("tales", "Tales", SCHEMES["poesio-artstein-2005"])


@pytest.fixture
def clusters(db) -> Project:
    return create_project("tales", "Tales", SCHEMES["clusters"])


def test_corpus_makes_scheme_of_project_without_texts(empty):
    report = load(empty, corpus(), new_scheme=True)
    assert (report.texts, report.codings, report.failures) == (1, 1, [])
    spec = read_scheme(empty.pk).spec
    assert check_scheme(spec) == []
    assert [(level.key, level.coded) for level in spec.levels] == [("coref", True)]
    empty.refresh_from_db()
    assert (empty.answers, empty.preset, empty.unmarked) == ("indices", "masi", "singleton")
    assert Index.objects.values("entity").distinct().count() == 3
    assert Judgement.objects.count() == 5
    assert set(Markable.objects.values_list("level__key", flat=True)) == {"coref"}
    left_out = [finding.message for finding in report.findings if finding.code == "level-left-out"]
    assert left_out == [
        f"1 markable of the level '{name}', which the scheme does not have" for name in ("chunk", "pos")
    ]


def test_trial_reports_scheme_but_does_not_make_it(empty):
    before = read_scheme(empty.pk).spec
    report = load(empty, corpus(), new_scheme=True, trial=True)
    assert read_scheme(empty.pk).spec == before
    assert empty.answers == "pointers"
    assert report.new_scheme is not None
    assert [level["key"] for level in report.new_scheme["levels"]] == ["coref"]
    assert report.found is not None
    found = {level["name"]: (level["markables"], level["coded"]) for level in report.found["levels"]}
    assert found == {"coref": (5, 5), "chunk": (1, 0), "pos": (1, 0)}


def test_project_with_texts_keeps_its_scheme(empty):
    load(empty, corpus(), new_scheme=True)
    with pytest.raises(ImportFailed, match="tales has texts, so that it keeps its scheme"):
        load(empty, corpus(), new_scheme=True)


def test_refused_files_make_no_scheme(empty):
    before = read_scheme(empty.pk).spec
    spoiled = corpus(**{"Basedata/walk_words.xml": "<words>"})
    assert load(empty, spoiled, new_scheme=True).empty
    assert read_scheme(empty.pk).spec == before


def test_new_scheme_cannot_be_combined_with_mapping(empty):
    with pytest.raises(ImportFailed, match="leave out level=coref:phrase"):
        load(empty, corpus(), new_scheme=True, of_format={"level": "coref:phrase"})


def brat(words: str, *lines: str) -> dict[str, str]:
    return {"walk.txt": words, "walk.ann": "\n".join(lines) + "\n"}


def answer_to(key: str) -> dict[str, Any]:
    """Return the only coder's judgement of a markable."""
    return judgements_of(Coding.objects.of_people().get())[key]


@pytest.mark.parametrize(
    ("type_", "relation", "level"), [("Person", "Coref", "Person"), ("Mention", "Antecedent", "markable")]
)
def test_brat_types_become_levels_and_relations_categories(empty, type_, relation, level):
    files = brat(
        "Anna ran. She", f"T1\t{type_} 0 4\tAnna", f"T2\t{type_} 10 13\tShe", f"R1\t{relation} Arg1:T2 Arg2:T1"
    )
    assert load(empty, files, "brat", new_scheme=True).refusals() == []
    spec = read_scheme(empty.pk).spec
    assert [each.key for each in spec.levels] == [level]
    assert [(category.key, category.points_to) for category in spec.categories] == [
        ("none", ""),
        ("coreference", level),
    ]
    assert answer_to(f"{level}:10-13")["pointers"] == [f"{level}:0-4"]


def test_option_makes_categories_of_brat_types(empty):
    files = brat("Anna took her dog.", "T1\tPerson 0 4\tAnna", "T2\tPerson 10 13\ther", "R1\tCoref Arg1:T2 Arg2:T1")
    load(empty, files, "brat", new_scheme=True, of_format={"types": "categories", "relations": "none"})
    spec = read_scheme(empty.pk).spec
    assert [level.key for level in spec.levels] == ["markable"]
    assert [category.key for category in spec.categories] == ["Person"]
    assert set(Judgement.objects.values_list("category__key", flat=True)) == {"Person"}


def test_json_maps_names_with_commas(clusters):
    with pytest.raises(ImportFailed, match=r"level: 'coref -> ghost': that is not here; here there are mention"):
        load(clusters, corpus(), of_format={"level": json.dumps({"coref": "ghost"})})
    for wrong in ("{", '{"a":' + "[" * 15_000):
        with pytest.raises(ImportFailed, match="level: this is not JSON"):
            load(clusters, corpus(), of_format={"level": wrong})
    names = {"Person,who": "mention", "chunk": "", "coref": "mention"}
    assert load(clusters, corpus(), of_format={"level": json.dumps(names)}).codings == 1


def test_levels_and_categories_are_mapped_together(empty):
    types = brat("Anna took her dog.", "T1\tPerson 0 4\tAnna", "A1\tCategory T1 famous")
    report = load(empty, types, "brat", of_format={"level": "Person:phrase", "category": "famous:place"})
    assert report.failures == []
    assert list(Judgement.objects.values_list("markable__level__key", "category__key")) == [("phrase", "place")]


def test_mapping_is_stored_by_project_and_format(clusters):
    load(clusters, corpus(), of_format={"level": "coref:mention"}, trial=True)
    assert not ImportNames.objects.exists()
    load(clusters, corpus(), of_format={"level": "coref:mention", "category": "coref_class:refers"})
    row = ImportNames.objects.get(project=clusters, format="mmax2")
    assert row.names == {"level": {"coref": "mention"}, "category": {"coref_class": "refers"}, "question": {}}


# The command.


@pytest.fixture
def folder(tmp_path):
    for name, content in corpus().items():
        path = tmp_path / "corpus" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return tmp_path


def run(format_key: str, folder: Path, *options: str) -> None:
    call_command("import_codings", format_key, str(folder), "--project=tales", "--create", "--coder=anna", *options)


def test_command_makes_project_with_scheme_from_files(db, folder, capsys):
    run("mmax2", folder / "corpus", "--scheme=files")
    assert "Scheme from the files: levels coref; categories coref_class, none" in capsys.readouterr().out
    assert Coding.objects.of_people().count() == 1


def test_command_prints_scheme_even_if_file_is_refused(db, tmp_path, capsys):
    (tmp_path / "walk.conllu").write_text(PLURAL)
    (tmp_path / "run.conllu").write_text("Anna")
    with pytest.raises(CommandError, match="1 file refused"):
        run("conllu", tmp_path, "--scheme=files")
    assert capsys.readouterr().out == "Scheme from the files: levels markable; categories refers; relations split\n"


def test_command_maps_names_by_file(clusters, folder):
    names = folder / "names.json"
    names.write_text('{"levels": {"coref": "mention", "chunk": null, "pos": null}}')
    run("mmax2", folder / "corpus", f"--map={names}")
    assert set(Markable.objects.values_list("level__key", flat=True)) == {"mention"}


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ('{"levels": {"coref": "ghost"}}', "'coref -> ghost': that is not here; here there are mention"),
        ('{"layers": {}}', "it holds an object with levels, categories, questions"),
        ('{"levels": ["coref"]}', "levels: it is an object of names"),
        ("{", "this is not JSON"),
        ("[" * 100_000, "this is not JSON that maps names: it nests too deep"),
        ('{"levels": {"coref": "mention", "coref": null}}', "'coref' is there twice"),
        ('{"levels": {}, "levels": {"coref": "mention"}}', "'levels' is there twice"),
    ],
)
def test_invalid_mapping_file_is_refused_and_changes_nothing(clusters, folder, names, message):
    path = folder / "names.json"
    path.write_text(names)
    with pytest.raises(CommandError, match=message):
        run("mmax2", folder / "corpus", f"--map={path}")
    assert not Markable.objects.exists()


# The pages.


@pytest.fixture
def maria(client, django_user_model) -> User:
    user = django_user_model.objects.create_user("maria", password="x")
    client.force_login(user)
    return user


@pytest.fixture
def managed(maria) -> Project:
    return create_project("tales", "Tales", SCHEMES["clusters"], manager=maria)


def order(client, project: Project, files: Mapping[str, str], **fields) -> Transfer:
    upload = SimpleUploadedFile("corpus.zip", zipped(files))
    data = {"format": "mmax2", "whose": "one", "coder": "anna", "create": "on", "files": upload, **fields}
    response = client.post(reverse("import", args=[project.slug]), data)
    assert response.status_code == 302, response.context["form"].errors
    return Transfer.objects.latest("pk")


def names_of(client, transfer: Transfer) -> Any:
    return client.get(reverse("transfer", args=[transfer.pk])).context.get("names")


def give_names(client, transfer: Transfer, **names: str) -> None:
    client.post(reverse("transfer-names", args=[transfer.pk]), names)
    transfer.refresh_from_db()


def carry_out(client, transfer: Transfer) -> None:
    client.post(reverse("carry-out", args=[transfer.pk]))


def test_page_lists_unknown_names_and_accepts_mapping(client, managed):
    transfer = order(client, managed, corpus())
    assert transfer.state == Transfer.State.FAILED
    rows = names_of(client, transfer).rows["level"]
    assert [(level["name"], level["markables"], field.initial) for field, level in rows] == [
        ("coref", 5, ""), ("chunk", 1, ""), ("pos", 1, "")
    ]  # fmt: skip
    give_names(client, transfer, **{"level-0": "ghost"})  # which the scheme lacks
    assert (transfer.state, transfer.choices["options"]) == (Transfer.State.FAILED, {})
    give_names(client, transfer, **{"level-0": "mention", "level-1": "", "level-2": ""})
    assert transfer.state == Transfer.State.CHECKED
    carry_out(client, transfer)
    assert set(Markable.objects.values_list("level__key", flat=True)) == {"mention"}
    names = {"coref": "mention", "chunk": "", "pos": ""}
    assert ImportNames.objects.get().names["level"] == names
    again = order(client, managed, corpus())
    assert json.loads(again.choices["options"]["level"]) == names
    assert again.state == Transfer.State.CHECKED


def test_page_makes_scheme_from_files(client, managed):
    transfer = order(client, managed, corpus())
    give_names(client, transfer, new_scheme="1")
    page = client.get(reverse("transfer", args=[transfer.pk]))
    assert "The project gets this scheme" in page.content.decode()
    assert [level.key for level in read_scheme(managed.pk).spec.levels] == ["mention"]
    carry_out(client, transfer)
    assert [level.key for level in read_scheme(managed.pk).spec.levels] == ["coref"]


def test_form_offers_new_scheme_only_without_texts(client, managed):
    address = reverse("import", args=[managed.slug])
    assert "new_scheme" in client.get(address).context["form"].fields
    carry_out(client, order(client, managed, corpus(), new_scheme="on"))
    assert Coding.objects.of_people().count() == 1
    assert "new_scheme" not in client.get(address).context["form"].fields
    upload = SimpleUploadedFile("corpus.zip", zipped(corpus()))
    data = {"format": "mmax2", "whose": "one", "coder": "anna", "files": upload, "new_scheme": "on"}
    assert client.post(address, data).context["form"].errors["new_scheme"] == [
        "A scheme can be made from files by a manager, in a project without texts."
    ]


def test_manager_may_not_map_import_of_other_manager(client, managed, django_user_model):
    transfer = order(client, managed, corpus())
    other = django_user_model.objects.create_user("otto", password="x")
    add_member(managed, other, Membership.Role.MANAGER)
    client.force_login(other)
    assert names_of(client, transfer) is None
    give_names(client, transfer, **{"level-0": "mention"})
    assert transfer.choices["options"] == {}


def test_attributes_and_relations_of_answers_become_questions():
    first, second = Place("np", ((0, 1),)), Place("np", ((2, 3),))
    answers = [
        Answer(category="new", attributes=(("count", 2), ("gloss", "a thing, really"), ("sort", "person|place"))),
        Answer(
            category="new", relations=(("part", ((first, second),)),), attributes=(("count", 2.5), ("sort", "place"))
        ),
    ]
    places = [((0, 1),), ((4, 5),)]
    marks = [Mark(parts, "np", answer=answer) for parts, answer in zip(places, answers, strict=True)]
    found = build_scheme([Document("walk", "walk.x", "a b c", [*marks, Mark(second.parts, "np")], links=Links.NONE)])
    kinds = {each.key: (str(each.kind), [value.key for value in each.values]) for each in found.spec.attributes}
    assert kinds == {"count": ("number", []), "gloss": ("text", []), "sort": ("several", ["person", "place"])}
    [part] = found.spec.relations
    assert (part.to_levels, part.joint, part.identity) == (("np",), True, False)
    assert found.relations == {"part": "part"}
    assert found.attributes == {"count": "count", "gloss": "gloss", "sort": "sort"}


def test_attribute_and_relation_of_same_name_are_two_questions(empty):
    marks = ("T1\tMention 0 4\tAnna", "T2\tMention 5 8\tran", "R1\tRelation-part Arg1:T2 Arg2:T1")
    report = load(empty, brat("Anna ran", *marks, "A1\tpart T2 whole", "A2\tpart T1 piece"), "brat", new_scheme=True)
    assert report.refusals() == []
    spec = read_scheme(empty.pk).spec
    assert [relation.key for relation in spec.relations if not relation.identity] == ["part"]
    assert [attribute.key for attribute in spec.attributes] == ["part-2"]
    judgement = answer_to("markable:5-8")
    assert judgement["relations"] == {"part": ["markable:0-4"]}
    assert judgement["attributes"] == {"part-2": "whole"}
    assert report.names["question"] == {"relation:part": "part", "attribute:part": "part-2"}


def test_attribute_and_relation_of_same_name_have_own_rows(client, maria):
    marks = ("T1\tMention 0 4\tAnna", "T2\tMention 5 8\tran", "R1\tRelation-of Arg1:T2 Arg2:T1", "A1\tof T2 x")
    scheme = replace(
        SCHEMES["poesio-artstein-2005"],
        levels=(LevelSpec("mention", "mention"),),
        categories=(CategorySpec("none", "none"),),
        relations=(RelationSpec("anchor", "Anchor", to_levels=("mention",)),),
        attributes=(AttributeSpec("kind", "Kind", values=(ValueSpec("x", "x"),)),),
    )
    transfer = order(
        client, create_project("tales", "Tales", scheme, manager=maria), brat("Anna ran", *marks), format="brat"
    )
    form = names_of(client, transfer)
    rows = {row["is_relation"]: [key for key, _ in field.field.choices] for field, row in form.rows["question"]}
    assert rows == {True: ["", "anchor"], False: ["", "kind"]}
    chosen = {field.html_name: "anchor" if row["is_relation"] else "kind" for field, row in form.rows["question"]}
    give_names(client, transfer, **chosen | {field.html_name: "mention" for field, _ in form.rows["level"]})
    assert json.loads(transfer.choices["options"]["question"]) == {"relation:of": "anchor", "attribute:of": "kind"}
    carry_out(client, transfer)
    answer = answer_to("mention:5-8")
    assert (answer["relations"], answer["attributes"]) == ({"anchor": ["mention:0-4"]}, {"kind": "x"})


def test_mapping_joins_relations_but_not_attributes():
    mark = Place("np", ((0, 1),))
    other = Place("np", ((2, 3),))
    answer = Answer(
        attributes=(("genus", "f"), ("sex", "m"), ("size", "1")),
        relations=(("of", ((mark,),)), ("part", ((mark,), (other,)))),
    )
    marks = [Mark(place.parts, "np", answer=answer) for place in (Place("np", ((4, 5),)), Place("np", ((6, 7),)))]
    document = Document("walk", "walk.x", "a b c d", [Mark(mark.parts, "np"), Mark(other.parts, "np"), *marks])
    options = {"question": "genus:gender,sex:gender,of:bridging,part:bridging"}
    naming = Naming.from_options(options, {}, ["np"], [], ["gender", "bridging", "size"], "np")
    renamed = naming.rename(document, ["np"])
    for each in renamed.marks[2:]:
        assert each.answer.attributes == (("gender", "f"), ("size", "1"))
        assert each.answer.relations == (("bridging", ((mark,), (other,))),)
    assert [str(finding) for finding in renamed.findings] == [
        "walk.x: 2 markables with different answers to what is 'gender' here (the first stays)"
    ]


def test_webanno_corpus_makes_scheme(empty, samples):
    source = Source("iodine.tsv", (samples / "gum" / "GUM_news_iodine.webanno.tsv").read_bytes())
    report = import_sources(empty, "webanno", [source], "=anna", ImportOptions(create=True, join=True, new_scheme=True))
    assert report.refusals() == []
    spec = read_scheme(empty.pk).spec
    assert {"bridge-def", "bridge-other"} == {relation.key for relation in spec.relations if not relation.identity}
    assert {"entity", "infstat"} <= {attribute.key for attribute in spec.attributes}
    assert Pointer.objects.filter(relation__identity=True).count() == 163
    assert Pointer.objects.filter(relation__identity=False).count() == 20


def test_making_scheme_takes_time_proportional_to_files():
    def work(n):
        marks = [
            Mark(
                ((number, number + 1),), "coref", answer=Answer(category=f"c{number % 50}", indices=(str(number % 99),))
            )
            for number in range(n)
        ]
        return build_scheme([Document("walk", "walk.x", "a" * n, marks, links=Links.INDICES)])

    assert_grows_with_input(work, 40_000)


@pytest.mark.parametrize(("noun", "most"), [("levels", 50), ("categories", 500), ("attributes", 50)])
def test_scheme_of_thousands_of_names_is_refused_fast(noun, most):
    def document(n: int) -> Document:
        marks = []
        for number in range(n):
            name = f"語{chr(0x4E00 + number)}"  # without a letter of which a key is made
            category = name if noun == "categories" else "c"
            attributes = ((name, "x"),) if noun == "attributes" else ()
            level = name if noun == "levels" else "phrase"
            marks.append(Mark(((number, number + 1),), level, answer=Answer(category=category, attributes=attributes)))
        return Document("x", "x.txt", "x" * n, marks)

    def build(n: int) -> None:
        with pytest.raises(ImportFailed, match=f"they have {n} {noun}, and a scheme has at most {most}"):
            build_scheme([document(n)])

    assert_grows_with_input(build, 8000)


PLURAL = """# newdoc id = walk
# global.Entity = eid-etype-head-other
1\tAnna\t_\t_\t_\t_\t_\t_\t_\tEntity=(e1)
2\tmet\t_\t_\t_\t_\t_\t_\t_\t_
3\tBen\t_\t_\t_\t_\t_\t_\t_\tEntity=(e2)
4\tThey\t_\t_\t_\t_\t_\t_\t_\tEntity=(e3)|SplitAnte=e1<e3,e2<e3
5\tran\t_\t_\t_\t_\t_\t_\t_\t_
"""


def test_split_antecedents_become_relation_of_new_scheme(empty):
    assert load(empty, {"walk.conllu": PLURAL}, "conllu", new_scheme=True).refusals() == []
    [split] = [relation for relation in read_scheme(empty.pk).spec.relations if not relation.identity]
    assert (split.key, split.joint) == ("split", True)
    they = answer_to("markable:13-17")
    assert they["indices"] == ["e3"]
    assert they["relations"] == {"split": [["markable:0-4", "markable:9-12"]]}


def test_attribute_named_split_takes_no_split_antecedents(db):
    scheme = replace(SCHEMES["clusters"], relations=(), attributes=(AttributeSpec("split", "Split"),))
    project = create_project("tales", "Tales", scheme)
    assert load(project, {"walk.conllu": PLURAL}, "conllu").refusals() == []
    assert answer_to("mention:13-17")["indices"] == ["e3", "e1", "e2"]


def test_refusal_of_too_many_levels_names_options_that_help(empty):
    lines = [f"T{number}\tAnna-{number} 0 4\tAnna" for number in range(1, 60)]
    with pytest.raises(ImportFailed, match=r"at most 50\. Say types=categories, types=attribute, types=chains or"):
        load(empty, brat("Anna ran", *lines), "brat", new_scheme=True)


def test_new_scheme_accepts_pointers_without_category():
    levels = (LevelSpec("np", "np"), LevelSpec("event", "event"))
    spec = SchemeSpec(levels, (CategorySpec("ref", "ref", points_to="np", max_pointers=1),))
    targets = [Place("np", ((0, 1),)), Place("event", ((2, 3),)), Place("np", ((6, 7),))]
    marks = [Mark(target.parts, target.level, answer=Answer()) for target in targets]
    marks.insert(2, Mark(((4, 5),), "np", answer=Answer(pointers=tuple(targets))))
    found = build_scheme([Document("walk", "walk.x", "a b c d", marks, links=Links.POINTERS, scheme=spec)])
    [relation] = found.spec.relations
    assert (relation.key, relation.to_levels) == ("ref", ("np", "event"))
    assert (relation.max_targets, relation.later) == (None, True)


def test_answers_on_uncoded_level_are_counted_by_name(empty):
    of = (
        '<attribute id="a" name="of" type="markable_pointer" target_domain="mood"><value id="v" name="of"/></attribute>'
    )
    values = '<value id="v1" name="glad"/><value id="v2" name="none"/>'
    tone = f'<attribute id="t" name="tone" type="nominal_list">{values}</attribute>'
    glad = 'span="word_2..word_4" tone="glad"; span="word_7" tone="glad"; span="word_9"'
    files = mmax2_files({"who": (of, 'span="word_1" of="mood:markable_1"'), "mood": (tone, glad)})
    report = load(empty, files, new_scheme=True)
    assert report.refusals() == []
    told = [str(finding) for finding in report.findings if finding.code == "not-asked"]
    assert told == ["walk.mmax: 2 answers to 'tone' on the level 'mood', which is not coded (left out)"]
