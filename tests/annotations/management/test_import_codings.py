"""manage.py import_codings."""

from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from annotations.models import (
    Coding,
    Index,
    Judgement,
    Markable,
    Membership,
    ModelCoder,
    Operation,
    Project,
    Text,
    User,
)
from annotations.planning.rounds import create_round
from annotations.projects.creation import create_project
from annotations.projects.people.members import add_member
from annotations.projects.people.model_coders import add_model
from annotations.schemes.ready_made import SCHEMES
from tests.annotations.transfers.importing.test_corpora import zipped
from tests.annotations.transfers.importing.test_importing import all_rows

CONLL = "#begin document (walk); part 000\nwalk\t0\t0\tAnna\t-\t({})\nwalk\t0\t1\ttook\t-\t-\n#end document\n"
PLAIN = "[Anna](=1) took [her](=1)."
GPT = ("--model", "gpt", "--model-version", "4.1", "--model-hash", "ab12", "--model-date", "2026-11-01")


@pytest.fixture
def tales(db) -> Project:
    return create_project("tales", "Tales", SCHEMES["clusters"])


@pytest.fixture
def folder(tmp_path: Path) -> Callable[[dict[str, str | bytes]], Path]:
    """Return a function that makes a folder of files."""

    def make(files: dict[str, str | bytes]) -> Path:
        for name, content in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        return tmp_path

    return make


def run(*arguments: str | Path, project: str = "tales") -> None:
    call_command("import_codings", *map(str, arguments), "--project", project)


def refused(*arguments: str | Path, project: str = "tales") -> str:
    """Return the error of the command, after asserting that the command changed nothing."""
    before = all_rows()
    with pytest.raises(CommandError) as caught:
        run(*arguments, project=project)
    assert all_rows() == before
    return str(caught.value)


def codings() -> list[tuple[str, str]]:
    return list(
        Coding.objects.of_people()
        .order_by("text__slug", "coder__username")
        .values_list("text__slug", "coder__username")
    )


def test_command_imports_folder_of_ezcoref(db, samples, capsys):
    call = ("conll2012", samples / "ezcoref" / "conll2012", "--coder-from", "parent", "--create")
    run(*call, "--trial", "--verbosity", "2", project="ezcoref")
    assert capsys.readouterr().err.count("is alone in the entity") > 100
    run(*call, project="ezcoref")
    out = capsys.readouterr()
    assert out.out == "ezcoref: 8 new texts, 371 new markables, 40 codings, 1855 judgements\n"
    assert out.err.count("\n") == 1
    assert "is alone in the entity" in out.err
    project = Project.objects.get(slug="ezcoref")
    assert (project.answers, project.unmarked) == ("indices", "singleton")
    assert project.texts.count() == 8
    assert set(User.objects.values_list("username", flat=True)) == {f"coder{n}" for n in range(1, 6)}
    assert set(Membership.objects.values_list("role", flat=True)) == {"coder"}
    assert Coding.objects.of_people().filter(status="submitted", version=2).count() == 40
    assert Markable.objects.filter(predefined=False).count() == 371
    assert Judgement.objects.filter(category__key="refers").count() == 1855
    assert Index.objects.count() == 1934
    assert Operation.objects.filter(kind="import").count() == 40


def test_texts_only_imports_no_codings(tales, folder, capsys):
    run("plain", folder({"walk.txt": PLAIN}), "--texts-only")
    assert capsys.readouterr().out == "tales: 1 new text, 2 new markables, 0 codings, 0 judgements\n"
    assert codings() == []
    assert Markable.objects.filter(predefined=True).count() == 2
    assert User.objects.count() == 0


def test_files_named_twice_are_imported_once(tales, folder):
    path = folder({"anna/walk.txt": PLAIN, "bea/walk.txt": PLAIN, "bea/run.text": PLAIN})
    run("plain", path, path / "anna" / "walk.txt", path / "bea" / "run.text", "--coder-from", "parent", "--create")
    assert codings() == [("run", "bea"), ("walk", "anna"), ("walk", "bea")]


@pytest.mark.parametrize(
    ("format_key", "path", "project", "message"),
    [
        ("plain", "walk.txt", "tails", "There is no project 'tails'; --create makes it."),
        ("plain", "nowhere", "tales", "PATH: there is no such file or folder."),
        ("conll2012", "", "tales", "PATH: no file here ends in .conll or _conll."),
        ("sgml", "walk.txt", "tales", "Error: argument format: invalid choice: 'sgml'"),
    ],
)
def test_unknown_arguments_are_named(tales, folder, format_key, path, project, message):
    path = folder({"walk.txt": PLAIN, "walk.conll.bak": CONLL}) / path
    assert refused(format_key, path, "--texts-only", project=project).startswith(message.replace("PATH", str(path)))


def test_create_makes_project_with_given_scheme(db, folder):
    run("plain", folder({"walk.txt": PLAIN}), "--texts-only", "--create", "--scheme", "muc-ident", project="muc")
    assert Project.objects.get().answers == "pointers"


@pytest.mark.parametrize("slug", ["two words", "x" * 51, ""])
def test_create_refuses_invalid_name_of_project(db, folder, slug):
    message = refused("plain", folder({"walk.txt": PLAIN}), "--texts-only", "--create", project=slug)
    assert message.startswith(f"--project {slug!r}: ")


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (CONLL.format("1").replace("(1)", "(1"), ":2: the bracket (1 is never closed"),
        (CONLL.format("1")[:45], ":2: this document has no words"),
        (CONLL.format("ü").encode("latin-1"), ":2:18: this is not UTF-8: byte 0xFC cannot stand here"),
        (CONLL.format("1").encode("utf-16"), ":1:1: this is not UTF-8: byte 0xFF cannot stand here"),
        (CONLL.format("1").replace("took", "takes"), ": the text differs from "),
        (b"", ":1: there is no '#begin document' in this file"),
        (b"PK\x03\x04\0\0", ":1:5: a NUL character"),
    ],
    ids=["bracket", "cut", "latin-1", "utf-16", "other text", "empty", "a zip"],
)
def test_broken_file_is_named_and_other_files_are_imported(db, folder, broken, message):
    files = {f"coder{n}/walk.conll": CONLL.format(n) for n in range(5)}
    path = folder({**files, "coder3/walk.conll": broken})
    with pytest.raises(CommandError) as caught:
        run("conll2012", path, "--coder-from", "parent", "--create", project="walks")
    said = str(caught.value)
    assert said.startswith(f"{path / 'coder3' / 'walk.conll'}{message}")
    summary = "1 new text, 1 new markable, 4 codings, 4 judgements, 1 file refused"
    assert said.endswith(f"\nThe others are imported: walks: {summary}")
    assert codings() == [("walk", f"coder{n}") for n in (0, 1, 2, 4)]


def test_unreadable_files_make_no_project(db, folder):
    path = folder({"anna/walk.conll": "x", "bea/walk.conll": b""})
    said = refused("conll2012", path, "--coder-from", "parent", "--create", project="walks")
    assert said.count("\n") == 2
    assert said.endswith("\nNothing was imported.")
    assert not Project.objects.exists()


@pytest.mark.parametrize("options", [["--texts-only"], ["--coder-from", "parent", "--predefined"]])
def test_option_predefines_markables(tales, folder, options):
    path = folder({"anna/walk.txt": PLAIN})
    run("plain", path, "--coder-from", "parent", "--create")
    assert not Markable.objects.filter(predefined=True).exists()
    path = folder({"anna/run.txt": PLAIN})
    run("plain", path, *options)
    assert list(Markable.objects.values_list("predefined", flat=True)) == [True] * 4


def test_trial_reports_import_and_changes_nothing(db, folder, capsys):
    before = all_rows()
    path = folder({"anna/walk.txt": PLAIN})
    run("plain", path, *GPT, "--create", "--trial", project="models")
    capsys.readouterr()
    run("plain", path, "--coder-from", "parent", "--create", "--trial", project="walks")
    assert capsys.readouterr().out == "walks: would be 1 new text, 2 new markables, 1 coding, 2 judgements\n"
    assert all_rows() == before


@pytest.mark.parametrize("option", ["x=1", "x", "=", ""])
def test_unknown_option_of_format_is_refused(tales, folder, option):
    path = folder({"anna/walk.txt": PLAIN})
    message = refused("plain", path, "--coder-from", "parent", "--option", option)
    assert message.startswith(
        f"--option {option}: Plain text with [markables] has these: level=coref or coref:mention,chunk:; "
        "empty=refuse|take; align=exact|near; encoding=|utf-16|cp1252|"
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--coder-from", "parent"], "'anna' is not a member of tales."),
        (["--coder", "bea"], "'bea' is not a member of tales."),
        (["--coder", ""], "'' is not a member of tales."),
        (["--coder", "", "--create"], "coder '': "),
        (["--coder-from", "name"], "the name has no coder in it; it should be TEXT.CODER.txt"),
        ([], "one of the arguments --coder-from --coder --model --texts-only is required"),
        (["--coder", "bea", "--texts-only"], "not allowed with argument"),
        (["--coder-from", "file"], "invalid choice: 'file'"),
    ],
)
def test_missing_or_invalid_coder_is_named(tales, folder, options, message):
    path = folder({"anna/walk.txt": PLAIN})
    assert message in refused("plain", path, *options)


def test_gold_of_manager_is_imported_into_given_round(tales, folder, alice, charlie):
    add_member(tales, alice, "coder")
    add_member(tales, charlie, "manager")
    create_round(tales, "training", kind="training")
    path = folder({"walk.txt": PLAIN})
    assert "gold is of managers and adjudicators" in refused("plain", path, "--coder", "alice", "--gold")
    assert "leave out --texts-only" in refused("plain", path, "--texts-only", "--gold")
    run("plain", path, "--coder", "charlie", "--gold", "--round", "training")
    assert codings() == []
    gold = Coding.objects.get()
    assert (gold.kind, gold.coder, gold.round.name, gold.status) == ("gold", charlie, "training", "submitted")
    assert not tales.rounds.get().has_begun


def model_codings() -> list[tuple[str, str]]:
    codings = Coding.objects.of_coders().filter(by_model=True, status="submitted").order_by("text__slug")
    return list(codings.values_list("text__slug", "coder__username"))


def test_import_adds_model_and_no_codings_of_people(tales, folder):
    run("plain", folder({"walk.txt": PLAIN, "run.txt": PLAIN}), *GPT)
    assert (codings(), model_codings()) == ([], [("run", "gpt"), ("walk", "gpt")])
    model = ModelCoder.objects.get()
    assert (model.version, model.hash, model.date) == ("4.1", "ab12", date(2026, 11, 1))
    assert (model.membership.project, model.membership.role, model.membership.group) == (tales, "coder", "model")
    assert not model.membership.user.has_usable_password()


@pytest.mark.parametrize("name", ["gpt", "GPT"])
def test_repeated_import_of_model_changes_nothing(tales, folder, capsys, name):
    path = folder({"walk.txt": PLAIN})
    run("plain", path, *GPT)
    before = all_rows()
    run("plain", path, *GPT)
    run("plain", path, "--model", name)
    assert all_rows() == before
    assert capsys.readouterr().out.endswith("0 codings, 0 judgements, 1 coding already imported\n")


def test_existing_model_codes_text_by_import(tales, folder, alice):
    add_member(tales, alice, "coder")
    run("plain", folder({"walk.txt": PLAIN}), "--coder", "alice")
    add_model(tales, "gpt")
    run("plain", folder({"walk.txt": PLAIN}), "--model", "gpt")
    assert (codings(), model_codings()) == ([("walk", "alice")], [("walk", "gpt")])
    assert ModelCoder.objects.count() == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--model", "alice"], "coder 'alice': name: There is an account 'alice' already: choose another name"),
        (["--model", ""], "coder '': name: "),
        (["--model", "two words"], "coder 'two words': name: "),
        (["--model", "m", "--model-version", "x" * 101], "coder 'm': version: "),
        (["--model", "old", "--model-version", "2"], "coder 'old': version: old has the version 1 here, not 2: "),
        (["--model", "old", "--model-hash", "ab"], "coder 'old': hash: old has no hash here, not ab: "),
        (["--model", "m", "--model-date", "1.11.2026"], "'1.11.2026' is not a date such as 2026-11-01"),
        (["--texts-only", "--model-version", "1"], "--model-version: of which model? Name it by --model."),
        (["--model", "m", "--coder", "alice"], "not allowed with argument"),
        (["--model", "m", "--gold"], "a model decides nothing: leave out --model"),
    ],
)
def test_invalid_model_is_named_and_nothing_is_imported(tales, folder, alice, options, message):
    add_member(tales, alice, "coder")
    add_model(tales, "old", version="1")
    assert message in refused("plain", folder({"walk.txt": PLAIN}), *options)


@pytest.fixture
def tea(db) -> Project:
    project = create_project("tea", "Tea", SCHEMES["poesio-artstein-2005"])
    Text.objects.create(project=project, slug="walk", title="Walk", content="Anna took her dog and it")
    return project


def rows_of(*coders: str) -> str:
    return "\n".join(["text,unit,coder,label,value", *(f"walk,phrase:0-4,{coder},none," for coder in coders), ""])


def test_table_names_model_as_its_coder(tea, folder):
    run("judgements-csv", folder({"gpt.csv": rows_of("gpt")}), *GPT, project="tea")
    assert model_codings() == [("walk", "gpt")]


@pytest.mark.parametrize("coders", [("ada",), ("ada", "gpt"), ("gpt", "zoe")])
def test_table_with_other_coders_than_model_is_refused(tea, folder, coders):
    message = refused("judgements-csv", folder({"all.csv": rows_of(*coders)}), "--model", "gpt", project="tea")
    assert "the import is of the model 'gpt' alone: import other coders apart." in message


def test_pyramids_of_models_are_refused(db, folder):
    create_project("sinking", "Sinking", SCHEMES["pyramid"])
    message = refused("ducview", folder({"sinking.pyr": "<pyramid/>"}), "--model", "gpt", project="sinking")
    assert "Files of pyramids bring no codings of models" in message


def test_texts_only_reports_what_it_leaves_out(tales, folder, capsys):
    path = folder({"walk.txt": PLAIN})
    run("plain", path, "--texts-only", "--trial")
    said = "The files say which 2 markables belong together; --texts-only leaves that out."
    assert said in capsys.readouterr().err
    run("plain", folder({"walk.txt": "[Anna](a) took [her](b)."}), "--texts-only")
    assert capsys.readouterr().err == ""


def test_ignored_files_of_zip_are_named(tales, tmp_path, capsys):
    path = tmp_path / "all.zip"
    path.write_bytes(zipped({"anna/walk.conll": CONLL.format(1), "walk.ann": "", "walk.txt": "x", "notes.docx": "x"}))
    run("conll2012", path, "--coder-from", "parent", "--create")
    ignored = "Ignored, as the format does not read them: "
    assert f"{ignored}notes.docx, walk.ann, walk.txt.\n" in capsys.readouterr().err
    path.write_bytes(zipped({"anna/run.conll": CONLL.format(1), **{f"{n}.txt": "" for n in range(30)}}))
    run("conll2012", path, "--coder-from", "parent", "--create", "--trial")
    assert " and 10 more.\n" in capsys.readouterr().err


def test_ignored_files_of_folder_are_named(tales, folder, capsys):
    path = folder({"anna/walk.conll": CONLL.format(1), "anna/walk.ann": "", "notes.docx": "", ".git/x.conll": ""})
    run("conll2012", path, "--coder-from", "parent", "--create")
    assert f"read them: {path}/anna/walk.ann, {path}/notes.docx.\n" in capsys.readouterr().err


@pytest.mark.parametrize("spelling", ["latin-1", "ISO8859_1", "iso-8859-1"])
def test_encodings_may_be_spelled_as_in_python(tales, folder, spelling):
    path = folder({"walk.txt": "[Zoë](a)".encode("iso-8859-1")})
    run("plain", path, "--texts-only", "--option", f"encoding={spelling}")
    assert Text.objects.get().content == "Zoë"


@pytest.mark.parametrize(
    ("format_key", "content", "look"),
    [
        ("text", CONLL.format(1), "CoNLL-2012: choose the format conll2012"),
        ("text", "[Anna](=1) saw.", "Plain text with [markables]: choose the format plain"),
        ("text", "{\\rtf1 Anna saw.}", "RTF, which is not read: save it as plain text (.txt)"),
        ("plain", "<html><body>Anna saw.</body></html>", "HTML, which is not read: save it as plain text (.txt)"),
        ("text", "Anna saw [her](https://dog.example/she) dog.", ""),
    ],
)
def test_text_that_looks_like_other_format_is_reported(tales, folder, capsys, format_key, content, look):
    run(format_key, folder({"walk.txt": content}), "--texts-only")
    told = capsys.readouterr().err
    assert ("it looks like" in told, look in told) == (bool(look), True)
    assert Text.objects.get().content == content.strip()
