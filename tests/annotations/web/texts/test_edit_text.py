"""Renaming a text, and changing its round."""

URL = "/projects/tea/texts/tea/edit/"


def test_title_and_round_change_and_nothing_else(manager, text):
    content = text.content
    reply = manager.post(URL, {"title": "Tea time", "round": "pilot", "slug": "x", "content": "x"}, follow=True)
    assert "Saved “Tea time”." in reply.content.decode()
    text.refresh_from_db()
    assert (text.title, text.round_names, text.slug, text.content) == ("Tea time", ["pilot"], "tea", content)


def test_what_cannot_be_is_told_and_nothing_changes(manager, text):
    for fields in ({"title": ""}, {"title": "x" * 201}, {"title": "x", "round": "two words"}):
        reply = manager.post(URL, fields)
        assert (reply.status_code, "errorlist" in reply.content.decode()) == (400, True)
    text.refresh_from_db()
    assert (text.title, text.round_names) == ("Tea", ["main"])


def test_what_another_saved_meanwhile_is_not_overwritten(manager, text, project):
    seen = manager.get(URL).context["form"]["seen"].value()
    project.texts.update(title="Coffee")
    reply = manager.post(URL, {"title": "Tea time", "seen": seen})
    assert "Somebody else has changed this" in reply.content.decode()
    text.refresh_from_db()
    assert text.title == "Coffee"
