"""Gold of five real coders: drafted by the command, compared with each coder, and exported.

The reference knows nothing but exported files: `tests/reference/conll_scorer.py`, in exact fractions. Many markables of
these coders stand in two chains, where a scorer needs one: scores are compared in the passages in which none does.
"""

import json
import zipfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from annotations.coding.chains import chains_of, members_of
from annotations.coding.judgements import decisions_of
from annotations.coding.status import submit_coding
from annotations.models import Coding, Membership, Project
from annotations.projects.people.members import add_member
from tests.reference import conll_scorer
from tests.shared.projects import person

CODERS = tuple(f"coder{number}" for number in range(1, 6))


@pytest.fixture
def passages(db, samples) -> Project:
    """Import the codings of eight passages by five coders into a project that Charlie manages."""
    folder = samples / "ezcoref" / "conll2012"
    call_command("import_codings", "conll2012", str(folder), "--project=tales", "--coder-from=parent", "--create")
    project = Project.objects.get(slug="tales")
    add_member(project, person("charlie"), Membership.Role.MANAGER)
    return project


@pytest.fixture
def call(capsys) -> Callable[..., str]:
    def run(name: str, *arguments: str, **options: Any) -> str:
        capsys.readouterr()
        call_command(name, *arguments, **options)
        return "".join(capsys.readouterr())

    return run


@pytest.fixture
def drafted(passages, call) -> list[Coding]:
    assert "8 drafts of gold; 0 texts left out" in call("draft_gold", "tales", "--method=most", "--as=charlie")
    return gold_of(passages)


def gold_of(project: Project) -> list[Coding]:
    return list(Coding.objects.filter(text__project=project, kind="gold").select_related("text", "coder"))


def close(drafts: list[Coding]) -> None:
    for draft in drafts:
        submit_coding(draft, draft.coder)


def export_files(path: Path, *options: str) -> dict[str, dict[str, str]]:
    call_command("export_codings", "conll2012", str(path), "--project=tales", *options)
    folders: dict[str, dict[str, str]] = {}
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            folder, slash, file = name.partition("/")
            if slash:
                folders.setdefault(folder, {})[file] = archive.read(name).decode()
    return folders


def entities(project: Project, *, gold: bool) -> dict[str, set[frozenset[str]]]:
    """Return the entities of gold, or of the only coder, by text."""
    codings = (
        gold_of(project) if gold else Coding.objects.of_people().filter(text__project=project).select_related("text")
    )
    found = {}
    for coding in codings:
        decisions = {decision.markable: decision for decision in decisions_of(coding)}
        members = members_of(chains_of(project.answers, list(decisions), decisions))
        found[coding.text.slug] = {frozenset(chain) for chain in members.values()}
    return found


def is_plain(file: str) -> bool:
    _, chains = conll_scorer.read_file(file)
    return max(Counter(mention for chain in chains for mention in chain).values()) == 1


def gold_report(call, *options: str) -> dict[str, dict[str, Any]]:
    report = json.loads(call("agreement", "tales", "--report=gold", "--format=json", *options))
    return {coder["name"]: coder for coder in report["coders"]} | {"": report}


def test_gold_scores_equal_reference_scorer_on_exported_files(drafted, call, tmp_path):
    close(drafted)
    gold = export_files(tmp_path / "gold.zip", "--gold")["gold"]
    files = export_files(tmp_path / "coders.zip")
    assert sorted(files) == list(CODERS)
    compared = 0
    for coder in CODERS:
        chosen = [name for name, file in files[coder].items() if is_plain(file) and is_plain(gold[name])]
        compared += len(chosen)
        texts = ",".join(Path(name).stem for name in chosen)
        found = gold_report(call, f"--texts={texts}")[coder]
        key, response = conll_scorer.align({name: gold[name] for name in chosen}, files[coder])
        for name, scorer in (("muc", conll_scorer.muc), ("b_cubed", conll_scorer.b_cubed)):
            recall, precision = scorer(key, response)
            expected = [float(figure) for figure in (recall, precision, conll_scorer.f1(recall, precision))]
            figures_found = [found["scores"][name][part] for part in ("recall", "precision", "f1")]
            assert figures_found == pytest.approx(expected, rel=1e-12)
            assert 0 < expected[2] < 1
        assert found["n_texts"] == len(chosen)
    assert compared >= 10


@pytest.mark.parametrize("which", ["gold", "silver"])
def test_exported_gold_is_imported_unchanged(drafted, passages, call, tmp_path, which):
    path = tmp_path / "out.zip"
    if which == "gold":
        said = call("export_codings", "conll2012", str(path), "--project=tales", "--gold")
        assert "0 codings of 0 texts" in said
        assert "8 × texts whose gold is not decided" in said
        close(drafted)
    folders = export_files(path, f"--{which}")
    assert {folder: len(files) for folder, files in folders.items()} == {which: 8}
    call("import_codings", "conll2012", str(path), "--project=fresh", "--create", "--coder=reader")
    fresh = Project.objects.get(slug="fresh")
    back = entities(fresh, gold=False)
    assert back == entities(passages, gold=True)
    assert sum(len(chain) > 1 for of_text in back.values() for chain in of_text) > 20
    other = "silver" if which == "gold" else "gold"
    assert "0 codings of 0 texts" in call("export_codings", "conll2012", str(path), "--project=tales", f"--{other}")
