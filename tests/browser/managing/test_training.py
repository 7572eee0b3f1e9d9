"""Training in a browser: a manager makes gold, a coder fails, sees it, and passes on another text."""

from __future__ import annotations

from playwright.sync_api import expect

from annotations.adjudication.ownership import open_gold
from annotations.coding.status import submit_coding
from annotations.formats import plain
from annotations.models import Membership, Project, Text, User
from annotations.planning.rounds import change_round, create_round
from annotations.planning.work.assignments import assign_texts
from annotations.projects.people.members import add_member
from annotations.transfers.importing.documents import import_documents
from annotations.transfers.importing.files.source_document import SourceDocument
from annotations.transfers.importing.options import ImportOptions
from tests.browser.conftest import press, saved
from tests.shared.coding import judge_all, judgement

SHARE = "share of the gold’s judgements with its category"
THREE = "[Ann](a) met [Bob](b). [She](c) left."


def make_training(project: Project, *names: str, pass_mark: float = 0.9, **rule: str) -> list:
    """Make a training round with texts of these names, and return it with them."""
    rule |= {"kind": "training", "pass_measure": "category"}
    round_ = create_round(project, "training", pass_mark=pass_mark, **rule)
    documents = [plain.parse(f"#title: {name.title()}\n{THREE}", f"{name}.txt") for name in names]
    sources = [SourceDocument(document, None) for document in documents]
    import_documents(project, sources, ImportOptions(round_name="training"))
    return [round_, *round_.texts.order_by("slug")]


def make_gold(text: Text, manager: User) -> None:
    gold = open_gold(text.project, text, "training", manager)
    keys = text.markables.filter(level__coded=True).values_list("key", flat=True)
    judge_all(gold, [judgement(key, "none", note="Nothing is meant.") for key in keys])
    submit_coding(gold, manager)


def test_failed_trainee_sees_gold_and_passes_next_text(sign_in, coder_of, charlie):
    coder = coder_of(THREE)
    project, person = coder.coding.text.project, coder.coding.coder
    add_member(project, charlie, Membership.Role.MANAGER)
    round_, first, second = make_training(project, "first", "second")
    make_gold(second, charlie)
    assign_texts(project, [first], [person], round_)

    page = sign_in(charlie, "/projects/own/rounds/training/")
    page.get_by_role("button", name="Make gold of First").click()
    expect(page.get_by_text("Gold of the round training")).to_be_visible()
    code_all(page, "4")
    page.goto("/projects/own/rounds/training/")
    expect(page.get_by_role("row").filter(has_text="First")).to_contain_text("open")
    submit_coding(open_gold(project, first, "training", charlie), charlie)

    page = coder.page
    page.goto("/projects/own/texts/first/code/")
    code_all(page, "3")
    submit(page)
    expect(page.get_by_role("heading", name="First beside gold")).to_be_visible()
    expect(page.get_by_text("0 of 3 equal gold in all answers")).to_be_visible()
    expect(page.get_by_text("different").first).to_be_visible()
    page.get_by_role("button", name="Take the next text").click()
    expect(page.get_by_role("heading", name="Second")).to_be_visible()
    code_all(page, "4")
    submit(page)
    expect(page.get_by_text(f"3 of 3 equal gold in all answers · score 1.000: {SHARE} · passed")).to_be_visible()
    expect(page.get_by_text("Nothing is meant.").first).to_be_visible()


def test_passed_training_unlocks_texts(sign_in, coder_of, charlie):
    coder = coder_of(THREE)
    pilot_after_training(coder, charlie)
    page = coder.page
    page.goto("/projects/own/")
    rows = page.locator("tbody tr", has_text="pilot")
    expect(rows).to_contain_text("locked until training is passed")
    expect(rows.get_by_role("link")).to_have_count(0)
    page.get_by_role("link", name="Start First").click()
    code_all(page, "4")
    submit(page)
    expect(page.get_by_text("3 of 3 equal gold in all answers · score 1.000")).to_be_visible()
    page.goto("/projects/own/")
    expect(page.get_by_text("You train in the round")).to_have_count(0)
    expect(page.locator("tbody tr", has_text="First").get_by_text("Reopen")).to_have_count(0)
    page.get_by_role("link", name="Start tea").click()
    expect(page.locator("#progress-text")).to_have_text("0 of 3 decided")


def test_manager_decides_after_failed_last_text(sign_in, coder_of, charlie):
    coder = coder_of(THREE)
    pilot_after_training(coder, charlie)
    page = coder.page
    page.goto("/projects/own/texts/first/code/")
    code_all(page, "3")
    submit(page)
    expect(page.get_by_role("heading", name="First beside gold")).to_be_visible()
    page.goto("/projects/own/")
    expect(page.get_by_text("no further text of it has gold. Your manager decides how you go on")).to_be_visible()
    expect(page.locator(".button.primary")).to_have_count(0)

    manager = sign_in(charlie, "/projects/own/")
    notice = manager.locator(".notice", has_text="alice has not passed the training round training")
    notice.get_by_role("link", name="Training results").click()
    manager.get_by_label("Coder").select_option("alice")
    manager.get_by_label("Decision").select_option("passed")
    manager.get_by_label("Reason").fill("The text was hard.")
    manager.get_by_role("button", name="Save the decision").click()
    manager.goto("/projects/own/")
    expect(notice).to_have_count(0)
    page.reload()
    page.get_by_role("link", name="Start tea").click()
    expect(page.locator("#progress-text")).to_have_text("0 of 3 decided")


def pilot_after_training(coder, manager):
    """Let the round of the coder's text require training of another text, which the coder has to code."""
    project, person = coder.coding.text.project, coder.coding.coder
    add_member(project, manager, Membership.Role.MANAGER)
    training, first = make_training(project, "first")
    make_gold(first, manager)
    assign_texts(project, [first], [person], training)
    change_round(coder.coding.round, name="pilot", required_round=training)


def test_feedback_shows_gold_and_first_answer_counts(sign_in, coder_of, charlie):
    coder = coder_of(THREE)
    project, person = coder.coding.text.project, coder.coding.coder
    add_member(project, charlie, Membership.Role.MANAGER)
    round_, first = make_training(project, "first", pass_mark=0.5, feedback="judgement")
    make_gold(first, charlie)
    assign_texts(project, [first], [person], round_)

    page = coder.page
    page.goto("/projects/own/texts/first/code/")
    panel = page.locator("#feedback")
    expect(panel.get_by_role("button", name="Compare with the gold")).to_be_visible()
    press(page, "3", "Enter")
    expect(panel).to_contain_text("different")
    expect(panel).to_contain_text("Nothing is meant.")
    press(page, "4", "Enter")  # goes on: what was compared is not compared again
    for _ in range(2):
        press(page, "4", "Enter")
        expect(panel).to_contain_text("as the gold")
        page.keyboard.press("Enter")
    saved(page)
    page.reload()
    expect(panel).to_contain_text("different")
    submit(page)
    expect(page.get_by_text(f"2 of 3 equal gold in all answers · score 0.667: {SHARE} · passed")).to_be_visible()


def code_all(page, category):
    expect(page.locator("#progress-text")).to_have_text("0 of 3 decided")
    press(page, *[category, "Enter"] * 3)
    expect(page.locator("#progress-text")).to_have_text("3 of 3 decided")
    saved(page)


def submit(page):
    page.get_by_role("button", name="Submit…").click()
    page.locator("#submit-now").click()
