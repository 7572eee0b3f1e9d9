"""Deleting a text: figures, and confirmation by title."""

from agreement.discussion import add_remark
from annotations.coding import operations
from annotations.coding.status import submit_coding
from annotations.models import Coding, Judgement, Markable, Operation, Segment, Text
from tests.shared.coding import change, judge
from tests.shared.schemes import coding_of, rich_project

URL = "/projects/tea/texts/tea/delete/"


def seen(client, url=URL):
    return client.get(url).context["form"]["seen"].value()


def test_text_without_work_is_deleted_with_its_assignments(manager, text):
    Text.objects.create(project=text.project, slug="two", title="Two", content="x")
    page = manager.get(URL).content.decode()
    assert "2 empty assignments" in page
    assert 'name="title"' not in page
    reply = manager.post(URL, {"seen": seen(manager)}, follow=True)
    assert "Deleted “Tea”: 1 text, 10 markables, 2 empty assignments." in reply.content.decode()
    assert not any(model.objects.exists() for model in (Markable, Segment, Coding))
    assert list(Text.objects.values_list("slug", flat=True)) == ["two"]


def test_deletion_of_work_shows_figures_and_asks_for_title(manager, codings, keys, text, charlie):
    judge(codings["alice"], keys["a"], "none")
    judge(codings["alice"], keys["c"], "phrase", keys["a"])
    submit_coding(codings["alice"], codings["alice"].coder)
    judge(codings["bob"], keys["a"], "none")
    add_remark(text.markables.get(key=keys["a"]), charlie, "Why?")
    page = manager.get(URL).content.decode()
    for line in ("1 submitted coding", "1 open coding", "3 judgements", "4 logged operations", "1 comment"):
        assert f"<li>{line}</li>" in page
    assert "/projects/tea/export/?format=project" in page
    for title in ("", "tea", "Coffee"):
        assert manager.post(URL, {"seen": seen(manager), "title": title}).status_code == 400
    assert Judgement.objects.count() == 3
    manager.post(URL, {"seen": seen(manager), "title": " Tea "})
    assert not any(model.objects.exists() for model in (Text, Coding, Judgement, Operation))


def test_deletion_counts_attributes_without_category(signed_in, charlie, alice):
    project = rich_project("rich", coder=alice)
    project.memberships.create(user=charlie, role="manager")
    coding = coding_of(project)
    first, second = coding.text.markables.filter(level__coded=True)[:2]
    operations.apply(
        coding, alice, 0, [change(markable=first.key, attributes={"count": 2}), change(markable=second.key, note="Hm.")]
    )
    page = signed_in(charlie).get(f"/projects/rich/texts/{coding.text.slug}/delete/").content.decode()
    assert "<li>1 judgement</li>" in page


def test_outdated_deletion_keeps_new_work(manager, codings, keys):
    before = seen(manager)
    judge(codings["alice"], keys["a"], "none")
    page = manager.post(URL, {"seen": before, "title": "Tea"}, follow=True).content.decode()
    assert "This has changed since you opened the page." in page
    assert Judgement.objects.count() == 1
