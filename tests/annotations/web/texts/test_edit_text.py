"""Renaming a text, and changing its round."""

URL = "/projects/tea/texts/tea/edit/"


def test_edit_changes_only_title_and_round(manager, text):
    content = text.content
    reply = manager.post(URL, {"title": "Tea time", "round": "pilot", "slug": "x", "content": "x"}, follow=True)
    assert "Saved “Tea time”." in reply.content.decode()
    text.refresh_from_db()
    assert (text.title, text.round_names, text.slug, text.content) == ("Tea time", ["pilot"], "tea", content)


def test_wrong_fields_change_nothing(manager, text):
    for fields in ({"title": ""}, {"title": "x" * 201}, {"title": "x", "round": "two words"}):
        reply = manager.post(URL, fields)
        assert (reply.status_code, "errorlist" in reply.content.decode()) == (400, True)
    text.refresh_from_db()
    assert (text.title, text.round_names) == ("Tea", ["main"])


def test_outdated_form_keeps_newer_title(manager, text, project):
    seen = manager.get(URL).context["form"]["seen"].value()
    project.texts.update(title="Coffee")
    reply = manager.post(URL, {"title": "Tea time", "seen": seen})
    assert "Somebody else has changed this" in reply.content.decode()
    text.refresh_from_db()
    assert text.title == "Coffee"
