"""Import and export of DUCView pyramids and peers by page, API and command."""

from __future__ import annotations

import io
import json
import re
import zipfile
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.core.management.base import CommandError

from agreement.measures import pyramids as measures
from annotations.coding.judgements import decisions_of, judgements_of
from annotations.coding.pyramids import scus
from annotations.coding.status import reopen_coding, submit_coding
from annotations.docsets.agreed_pyramid import start_agreed_pyramid
from annotations.docsets.creation import add_peer
from annotations.formats import Bundle, ducview
from annotations.models import Coding, Docset, Membership, Project, Text, User
from annotations.planning.work.assignments import assign_peers
from annotations.projects.people.members import add_member
from annotations.projects.scheme_rows import stamp_scheme
from annotations.transfers.exporting.dispatch import export_files
from annotations.transfers.exporting.pyramids import assign_uids, peer_of, pyramid_of
from annotations.transfers.importing.documents import import_sources
from annotations.transfers.importing.files.sources import Source
from annotations.transfers.importing.options import ImportOptions
from annotations.transfers.importing.pyramids.pyramids import import_pyramids, read_pyramids
from annotations.transfers.importing.report import ImportFailed, Report
from tests.annotations.docsets.test_creation import SINKING
from tests.shared.coding import change
from tests.shared.projects import make_project
from tests.shared.pyramids import build, codings_of, contributor, docset, models_of, pyramid_project, says, send
from tests.shared.schemes import change_rows

PYR = """\
<pyramid><startDocumentRegEx>--- .+</startDocumentRegEx>
<text><line>--- one</line><line>The ferry sank. It was dawn.</line>\
<line>--- two</line><line>At dawn a ferry sank.</line></text>
{scus}</pyramid>"""
SANK = """\
<scu uid="7" label="It sank (2.1)" comment="clear"><contributor label="The ferry sank" comment="why?">\
<part label="The ferry sank" start="8" end="22"/></contributor>\
<contributor label="a ferry sank"><part label="a ferry sank" start="53" end="65"/></contributor></scu>"""
PAN = """\
<peerAnnotation>{pyramid}<annotation><text><line>A ferry sank. Prices rose.</line></text>
<peerscu uid="7" label="(2) It sank (2.1)"><contributor label="A ferry sank">\
<part label="A ferry sank" start="0" end="12"/></contributor></peerscu>
<peerscu uid="0" label="All non-matching SCUs go here"><contributor label="Prices rose">\
<part label="Prices rose" start="14" end="25"/></contributor></peerscu></annotation></peerAnnotation>"""


def pyr(*scus: str) -> bytes:
    return PYR.format(scus="".join(scus)).encode()


def pan(*scus: str) -> bytes:
    return PAN.format(pyramid=PYR.format(scus="".join(scus))).encode()


def scu(uid: int, *parts: tuple[str, int]) -> str:
    """Return an SCU with contributors of one part, each given by its words and their start."""
    made = "".join(
        f'<contributor label="{words}"><part label="{words}" start="{start}" end="{start + len(words)}"/></contributor>'
        for words, start in parts
    )
    return f'<scu uid="{uid}" label="SCU {uid}">{made}</scu>'


def load(project: Project, *files: tuple[str, bytes], coder_from: str = "name", **options) -> Report:
    sources = [Source(name, data) for name, data in files]
    return import_pyramids(project, read_pyramids(sources, coder_from), ImportOptions(**{"create": True, **options}))


@pytest.fixture
def ferry(db) -> Project:
    return pyramid_project()


@pytest.fixture
def strike(db, samples) -> Project:
    """Make a project from the sample files: two coders' pyramids, and a peer of the first."""
    project = pyramid_project("harbour")
    files = [(path.name, path.read_bytes()) for path in sorted((samples / "ducview").iterdir())]
    renamed = [("peer1.coder1.pan" if name == "peer1.pan" else name, data) for name, data in files]
    report = load(project, *renamed)
    assert not report.failures
    assert str(report).startswith("2 new texts")
    return project


def coding_of(project: Project, kind: str = "pyramid", coder: str | None = None) -> Coding:
    codings = (
        Coding.objects.of_people().filter(text__project=project, kind=kind).select_related("coder", "text__docset")
    )
    return codings.filter(coder__username=coder).get() if coder else codings.get()


def zipped(project: Project, **which) -> tuple[dict[str, bytes], list[str]]:
    out = io.BytesIO()
    report = export_files(project, "ducview", out, **which)
    with zipfile.ZipFile(out) as archive:
        return {name: archive.read(name) for name in archive.namelist()}, [str(loss) for loss in report.losses]


def test_samples_have_expected_weights_and_scores(strike):
    assert [scu.weight for scu in scus.weighted_scus(coding_of(strike, coder="coder1"))] == [4, 3, 2, 2, 2, 1]
    peer = coding_of(strike, "peer")
    against = scus.pyramid_of_peer(peer)
    assert against is not None
    keyed = pyramid_of(against)
    of_summaries = {scu.uid: [keyed.pyramid.summary_of(c) for c in scu.contributors] for scu in keyed.pyramid.scus}
    pyramid = measures.Pyramid(of_summaries, keyed.pyramid.summaries)
    marks = peer_of(peer, keyed).marks
    expressed, outside = [uid for uid in marks if uid], len(marks.get(0, ()))
    assert measures.original(pyramid, expressed, outside).value == pytest.approx(7 / 9)
    assert measures.modified(pyramid, expressed).value == pytest.approx(7 / 11)
    assert (against.coder.username, peer.status) == ("coder1", "submitted")


def test_exported_samples_equal_imported_samples(strike, samples):
    files, losses = zipped(strike)
    assert set(files) == {"coder1/peer1.pan", "coder1/strike.pyr", "coder2/strike.pyr"}
    assert losses == []
    for path in (samples / "ducview").iterdir():
        name = path.name.split(".")[0] + path.suffix
        coder = "coder2" if "coder2" in path.name else "coder1"
        before = ducview.read(Bundle.of(path.name, path.read_bytes()))
        after = ducview.read(Bundle.of(name, files[f"{coder}/{name}"]))
        if path.suffix == ".pan":
            assert (after.text, after.marks, after.comments) == (before.text, before.marks, before.comments)
            before, after = before.pyramid, after.pyramid
        assert (after.text, after.boundary, after.summaries) == (before.text, before.boundary, before.summaries)
        assert scus_by_uid(after) == scus_by_uid(before)


def scus_by_uid(pyramid) -> dict[int, tuple[str, str, frozenset]]:
    return {
        scu.uid: (scu.label, scu.comment, frozenset((c.parts, c.comment) for c in scu.contributors))
        for scu in pyramid.scus
    }


def test_imported_export_is_exported_identically(strike):
    files, _ = zipped(strike)
    other = pyramid_project("other")
    sources = [Source(name, data, in_folder=True) for name, data in sorted(files.items())]
    report = import_pyramids(other, read_pyramids(sources, "parent"), ImportOptions(create=True, join=True))
    assert (report.failures, report.findings, report.codings) == ([], [], 3)
    assert zipped(other)[0] == files


def test_import_keeps_uids_labels_and_comments(ferry):
    load(ferry, ("sinking.ann.pyr", pyr(SANK)))
    coding = coding_of(ferry)
    assert scus.scu_descriptions(coding) == {"7": {"label": "It sank (2.1)", "comment": "clear"}}
    [first, second] = decisions_of(coding)
    assert (first.markable, first.indices, first.note) == ("contributor:8-22", ("7",), "why?")
    assert second.note == ""
    assert (coding.status, coding.version) == ("submitted", 2)


def test_imported_peer_uses_pyramid_of_its_coder(ferry):
    report = load(ferry, ("peer.ann.pan", pan(SANK)), ("sinking.ann.pyr", pyr(SANK)))
    assert not report.failures
    coding = coding_of(ferry, "peer")
    answers = {decision.markable: (decision.category, decision.indices) for decision in decisions_of(coding)}
    assert answers == {"contributor:0-12": ("scu", ("7",)), "contributor:14-25": ("outside", ())}
    assert (coding.text.role, coding.text.docset.slug) == (Text.Role.PEER, "sinking")


def test_trial_and_repeated_import_change_nothing(ferry):
    files = [("sinking.ann.pyr", pyr(SANK)), ("peer.ann.pan", pan(SANK))]
    trial = load(ferry, *files, trial=True)
    assert not Docset.objects.exists()
    assert not User.objects.exists()
    first = load(ferry, *files)
    assert trial == first
    assert (first.texts, first.codings, first.judgements, first.new_coders) == (2, 2, 4, ["ann"])
    again = load(ferry, *files)
    assert (again.texts, again.codings, again.unchanged, again.failures) == (0, 0, 2, [])


def test_files_without_coder_import_only_summaries(ferry):
    report = load(ferry, ("sinking.pyr", pyr(SANK)), ("peer.pan", pan(SANK)), coder_from="nobody")
    assert [finding.code for finding in report.findings] == ["nobody", "nobody"]
    assert Text.objects.count() == 2
    assert not Coding.objects.of_people().exists()


@pytest.mark.parametrize(
    ("scus", "options", "message"),
    [
        ([scu(1, ("The ferry", 8)), scu(2, ("ferry sank", 12))], {}, "share words.*“words belong to one SCU”"),
        ([scu(1, ("The ferry", 8)), scu(2, ("The ferry", 8))], {}, r"several SCUs: “The ferry” \(8-17\), SCU 1, 2"),
        ([scu(1, ("The ferry", 8), ("dawn", 31))], {}, "two contributors in one summary.*“one contributor per summary"),
        ([scu(1, ("dawn. --- two", 31))], {}, "not of the words of one summary"),
        ([f'<scu uid="1" label="{"x" * 501}"></scu>'], {}, "at most 500"),
        ([SANK], {"of_format": {"docset": "ghost"}}, "no docset 'ghost'"),
        ([SANK], {"create": False}, "'ann' is not a member"),
    ],
)
def test_invalid_pyramid_is_refused_with_place_and_remedy(ferry, scus, options, message):
    data = pyr(*scus).replace(b"dawn. --- two", b"dawn.--- two")
    report = load(ferry, ("sinking.ann.pyr", data), ("fine.ben.pyr", pyr()), **options)
    failures = [failure for failure in report.failures if failure.file == "sinking.ann.pyr"]
    assert re.search(message, str(failures[0]), re.DOTALL)
    assert not User.objects.filter(username="ann").exists()
    assert Docset.objects.filter(slug="fine").exists() == (not options)


def test_project_may_allow_scus_that_share_words(db):
    project = pyramid_project(words_exclusive=False, one_contributor=False)
    shared = [scu(1, ("The ferry", 8), ("dawn", 31)), scu(2, ("The ferry", 8))]
    assert not load(project, ("sinking.ann.pyr", pyr(*shared))).failures
    assert {scu.key: scu.weight for scu in scus.weighted_scus(coding_of(project))} == {"1": 1, "2": 1}


def test_duplicate_contributors_are_joined_and_reported(ferry):
    report = load(ferry, ("sinking.ann.pyr", pyr(scu(1, ("The ferry", 8), ("The ferry", 8)))))
    assert [finding.code for finding in report.findings] == ["twice"]
    assert "SCU 1 has “The ferry” (8-17) twice" in str(report.findings[0])
    assert len(decisions_of(coding_of(ferry))) == 1


def test_docset_refuses_file_with_other_summaries(ferry):
    load(ferry, ("sinking.ann.pyr", pyr(SANK)))
    other = pyr(SANK).replace(b"It was dawn", b"It was noon")
    report = load(ferry, ("sinking.ben.pyr", other))
    assert "the docset sinking has other summaries, from line 2 on" in str(report.failures[0])
    assert not User.objects.filter(username="ben").exists()


def test_file_with_other_name_finds_docset_by_text(ferry):
    load(ferry, ("sinking.ann.pyr", pyr(SANK)))
    report = load(ferry, ("D1.ben.pyr", pyr(SANK)))
    assert [finding.code for finding in report.findings] == ["docset-by-text"]
    assert Docset.objects.count() == 1
    assert not load(ferry, ("D2.eve.pyr", pyr(SANK)), of_format={"docset": "sinking"}).findings


def test_docset_keeps_summaries_if_file_splits_text_otherwise(ferry):
    load(ferry, ("sinking.ann.pyr", pyr(SANK)))
    other = pyr(SANK).replace(b"--- .+</start", b"--- two</start")
    report = load(ferry, ("sinking.ben.pyr", other))
    assert "other-summaries" in [finding.code for finding in report.findings]
    assert [scu.weight for scu in scus.weighted_scus(coding_of(ferry, coder="ben"))] == [2]


def test_import_keeps_existing_pyramid(ferry):
    load(ferry, ("sinking.ann.pyr", pyr(SANK)))
    report = load(ferry, ("sinking.ann.pyr", pyr(scu(1, ("The ferry", 8)))))
    assert "ann has already coded sinking" in str(report.failures[0])


@pytest.mark.parametrize(
    ("held", "message"),
    [
        ([scu(7, ("The ferry sank", 8))], "SCU 7 has “a ferry sank” (53-65) only here"),
        ([SANK, scu(8, ("dawn", 31))], "SCU 8 stands only in the file"),
        ([SANK.replace('uid="7"', 'uid="9"')], "SCU 9 stands only in the file (and 1 more)"),
    ],
)
def test_peer_of_other_pyramid_is_refused_with_difference(ferry, held, message):
    load(ferry, ("sinking.ann.pyr", pyr(SANK)))
    data = pan(*held).replace(
        b'<peerscu uid="7" label="(2) It sank (2.1)">',
        b'<peerscu uid="%d" label="x">' % (9 if 'uid="9"' in held[0] else 7),
    )
    report = load(ferry, ("peer.ann.pan", data))
    assert message in str(report.failures[0])
    assert not Text.objects.filter(role=Text.Role.PEER).exists()


def test_peer_without_docset_or_pyramid_is_refused(ferry):
    assert "import the pyramid (.pyr) first" in str(load(ferry, ("p.ann.pan", pan(SANK))).failures[0])
    load(ferry, ("sinking.ann.pyr", pyr(SANK)))
    assert "ben has no pyramid of the docset" in str(load(ferry, ("p.ben.pan", pan(SANK))).failures[0])


def test_keys_that_are_no_numbers_get_free_uids():
    assert assign_uids(["b", "2", "a", "01", "1"]) == {"2": 2, "1": 1, "01": 3, "a": 4, "b": 5}


@pytest.fixture
def sinking(alice, bob) -> Docset:
    made = docset(pyramid_project(), alice, bob)
    build(codings_of(models_of(made))["alice"], SINKING)
    return made


def test_export_of_pyramid_reports_losses(sinking, alice):
    coding = codings_of(models_of(sinking))["alice"]
    reopen_coding(coding, alice)
    send(coding, change("describe", scu="idea", label="No words yet"))
    submit_coding(coding, alice)
    files, losses = zipped(sinking.project)
    assert set(files) == {"alice/sinking.pyr", "LOSSES.txt"}
    pyramid = ducview.read_pyramid(Bundle.of("x", files["alice/sinking.pyr"]))
    assert pyramid.text == coding.text.content
    assert [(scu.label, len(scu.contributors)) for scu in pyramid.scus] == [("Sank", 3), ("Saved", 3), ("Dawn", 2)]
    told = "\n".join(losses)
    assert "keys of SCUs that are no numbers (others instead): alice, sinking: dawn" in told
    assert "has no contributor and is left out" in told
    assert "titles (the file has the address): alice, sinking: The sinking" in told


def test_peer_of_agreed_pyramid_is_exported_and_imported(sinking, mallory, alice):
    project = sinking.project
    add_member(project, mallory, Membership.Role.ADJUDICATOR)
    agreed = start_agreed_pyramid(sinking, mallory, codings_of(models_of(sinking))["alice"])
    submit_coding(agreed, mallory)
    peer = add_peer(sinking, "p1", "P1", "A ferry sank. Prices rose.", system="S")
    assign_peers(sinking, [peer], [mallory], agreed=True)
    coding = peer.codings.of_people().select_related("coder", "text__docset").get()
    send(coding, says(contributor(peer, "A ferry sank"), "sank"), says(contributor(peer, "Prices rose")))
    submit_coding(coding, mallory)
    files, losses = zipped(project)
    assert {"mallory/sinking.agreed.pyr", "mallory/p1.agreed.pan", "alice/sinking.pyr"} <= set(files)
    assert "which system wrote a peer: mallory, p1: S" in "\n".join(losses)
    held = peer_of(coding, pyramid_of(agreed))
    assert ducview.read_peer(Bundle.of("x", files["mallory/p1.agreed.pan"])).marks.keys() == held.marks.keys()
    before = judgements_of(coding)
    coding.delete()
    sources = [Source("mallory/p1.pan", files["mallory/p1.agreed.pan"])]
    report = import_pyramids(project, read_pyramids(sources, "parent"))
    assert (report.failures, report.codings, report.texts) == ([], 1, 0)
    assert judgements_of(coding_of(project, "peer-agreed")) == before


def test_export_has_only_selected_codings(sinking):
    assert set(zipped(sinking.project, coders=["bob"])[0]) == set()
    files, _ = zipped(sinking.project, coders=["bob"], unfinished=True)
    assert "bob/sinking.pyr" in files
    assert set(zipped(sinking.project, texts=["ghost"])[0]) == set()


def test_refusal_of_format_names_fitting_format_or_scheme(ferry):
    with pytest.raises(ImportFailed, match=r"pyramid project.*use DUCView pyramids and peers \(ducview\)"):
        import_sources(ferry, "muc", [], "nobody")
    with pytest.raises(ImportFailed, match="belong to projects with the scheme “pyramid”, which tea is not"):
        import_sources(make_project(), "ducview", [], "nobody")


@pytest.fixture
def client(ferry, charlie, signed_in):
    add_member(ferry, charlie, Membership.Role.MANAGER)
    return signed_in(charlie)


def test_page_checks_files_before_import(client, ferry):
    asked = client.get("/projects/ferry/import/").content.decode()
    assert "DUCView pyramids and peers" in asked
    assert "option-docset" in asked
    assert "Markables are given" not in asked
    fields = {"format": "ducview", "whose": "name", "create": "on"}
    files = [SimpleUploadedFile("sinking.ann.pyr", pyr(SANK)), SimpleUploadedFile("peer.ann.pan", pan(SANK))]
    checked = client.post("/projects/ferry/import/", fields | {"files": files}, follow=True)
    assert "To be imported: 2 new texts" in checked.content.decode()
    assert not Docset.objects.exists()
    done = client.post(f"{checked.redirect_chain[-1][0]}carry-out/", follow=True).content.decode()
    assert "Imported: 2 new texts, 4 new markables, 2 codings, 4 judgements" in done
    exported = client.post("/projects/ferry/export/", {"format": "ducview"}, follow=True)
    assert "To be exported: 2 codings of 2 texts in 2 files" in exported.content.decode()


def test_api_imports_and_exports_pyramids(client, ferry):
    fields = {"format": "ducview", "whose": "one", "coder": "ann", "create": "true", "option-docset": ""}
    files = [SimpleUploadedFile("sinking.pyr", pyr(SANK))]
    reply = client.post("/api/v1/projects/ferry/imports/", fields | {"files": files})
    assert (reply.status_code, reply.json()["state"]) == (201, "checked")
    done = client.post(f"/api/v1/transfers/{reply.json()['id']}/carry-out/")
    assert done.json()["report"]["codings"] == 1
    for format_key, status in (("ducview", 201), ("muc", 400)):
        order = json.dumps({"format": format_key})
        reply = client.post("/api/v1/projects/ferry/exports/", order, content_type="application/json")
        assert reply.status_code == status
    assert "ducview" in str(reply.json()["errors"]["format"])


def test_commands_import_and_export_pyramids(db, tmp_path: Path, capsys):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "sinking.ann.pyr").write_bytes(pyr(SANK))
    (tmp_path / "in" / "peer.ann.pan").write_bytes(pan(SANK))
    options = {"project": "sea", "coder_from": "name", "create": True}
    call_command("import_codings", "ducview", tmp_path / "in", **options, trial=True)
    assert not Project.objects.exists()
    call_command("import_codings", "ducview", tmp_path / "in", **options)
    assert "sea: 2 new texts, 4 new markables, 2 codings" in capsys.readouterr().out
    call_command("import_codings", "ducview", tmp_path / "in", **options, option=["docset=sinking"])
    assert "2 codings already imported" in capsys.readouterr().out
    with pytest.raises(CommandError, match=r"--option docset=ghost: DUCView"):
        call_command("import_codings", "ducview", tmp_path / "in", **options, option=["docset=ghost"])
    call_command("export_codings", "ducview", tmp_path / "out.zip", project="sea")
    with zipfile.ZipFile(tmp_path / "out.zip") as archive:
        assert set(archive.namelist()) == {"ann/sinking.pyr", "ann/peer.pan"}
    with pytest.raises(CommandError, match="use DUCView"):
        call_command("export_codings", "muc", tmp_path / "no.zip", project="sea")
    assert not (tmp_path / "no.zip").exists()


def test_import_leaves_out_agreed_pyramid_and_reports_it(alice, bob, mallory):
    made = docset(pyramid_project(), alice, bob)
    pyramid = build(codings_of(models_of(made))["alice"], SINKING)
    add_member(made.project, mallory, Membership.Role.ADJUDICATOR)
    agreed = start_agreed_pyramid(made, mallory, pyramid)
    submit_coding(agreed, mallory)
    peer = add_peer(made, "p1", "P1", "A ferry sank.")
    assign_peers(made, [peer], [alice], agreed=True)
    coding = peer.codings.of_people().select_related("coder", "text").get()
    send(coding, says(contributor(peer, "A ferry sank"), "sank"))
    submit_coding(coding, alice)
    files, _ = zipped(made.project)
    del files["LOSSES.txt"]
    assert set(files) == {"alice/sinking.pyr", "mallory/sinking.agreed.pyr", "alice/p1.agreed.pan"}
    other = pyramid_project("other")
    for coder_from in ("parent", "=alice"):
        sources = [Source(name, data, in_folder=True) for name, data in sorted(files.items())]
        report = import_pyramids(other, read_pyramids(sources, coder_from), ImportOptions(create=True, join=True))
        assert not report.failures
        assert [(finding.code, finding.file) for finding in report.findings] == [
            ("agreed", "alice/p1.agreed.pan"),
            ("agreed", "mallory/sinking.agreed.pyr"),
        ]
        codings = Coding.objects.of_people().filter(text__project=other)
        assert list(codings.values_list("text__slug", "coder__username", "kind")) == [("sinking", "alice", "pyramid")]


def test_long_name_of_peer_is_kept_as_address(ferry):
    name = "p" * 100
    report = load(ferry, ("strike.anna.pyr", pyr(SANK)), (f"{name}.anna.pan", pan(SANK)))
    assert not report.failures
    assert Text.objects.filter(slug=name, role=Text.Role.PEER).exists()


def test_pyramid_of_single_summary_makes_no_docset(ferry):
    single = b"<pyramid><text><line>The ferry sank.</line></text></pyramid>"
    report = load(ferry, ("strike.anna.pyr", single))
    assert "two or more model summaries" in str(report.failures[0])
    assert not Docset.objects.exists()


def test_scheme_without_contributors_refuses_pyramids(ferry):
    ferry.levels.create(key="other", label="other")
    stamp_scheme(ferry)
    assert not load(ferry, ("strike.anna.pyr", pyr(SANK))).failures
    change_rows(ferry.levels.filter(key="contributor"), key="contributors")
    with pytest.raises(ImportFailed, match="no level 'contributor'"):
        load(ferry, ("strike.ben.pyr", pyr(SANK)))


@pytest.mark.parametrize("is_same_text", [True, False])
def test_docsets_and_peers_are_found_by_addresses_of_0_1_0(ferry, is_same_text):
    report = load(ferry, ("straße.anna.pyr", pyr(SANK)), ("Øl.anna.pan", pan(SANK)))
    assert report.failures == []
    Docset.objects.filter(slug="strasse").update(slug="strae")
    Text.objects.filter(slug="strasse").update(slug="strae")
    Text.objects.filter(slug="ol").update(slug="l")
    change = (b"ferry sank. Prices", b"ferry sank! Prices") if not is_same_text else (b"", b"")
    docset_text = pyr(SANK) if is_same_text else pyr(SANK).replace(b"It was dawn", b"It was dark")
    report = load(ferry, ("straße.bea.pyr", docset_text), ("Øl.anna.pan", pan(SANK).replace(*change)))
    assert (Docset.objects.count(), Text.objects.filter(role=Text.Role.PEER).count()) == (1, 1)
    assert [str(failure).partition(",")[0] for failure in report.failures] == (
        []
        if is_same_text
        else ["straße.bea.pyr: the docset strae has other summaries", "Øl.anna.pan: the peer l says something else"]
    )
    assert {finding.code for finding in report.findings} & {"docset-by-text", "peer-by-text"} == set()


def test_docset_with_other_text_is_new_despite_address_of_0_1_0(ferry):
    load(ferry, ("strae.anna.pyr", pyr(SANK)))
    other = pyr(SANK).replace(b"It was dawn", b"It was dark")
    assert load(ferry, ("straße.anna.pyr", other)).failures == []
    assert sorted(Docset.objects.values_list("slug", flat=True)) == ["strae", "strasse"]
