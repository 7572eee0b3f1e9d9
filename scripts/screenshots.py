"""Take the pictures in docs/images from a running demo: `make screenshots`, or `ARGS="coding pyramids"` for some."""

import sys
import tempfile
from collections.abc import Callable

from playwright.sync_api import FilePayload, sync_playwright

from benchmarks.environment.serving import FLAGS, chromium, serving
from scripts.camera import HEIGHT, IMAGES, Camera, code, film, wait_until_saved

# Alice's answers up to "it" in turn 3.1: place, none, or the words of the antecedent.
ANSWERS: list[str | list[str]] = [
    *("4", "3", "4", "3", "4", "3", "4"),
    *(["the big ferry"], ["it"], "3", ["the barge"], "4"),
]
# The keys for Alice's markables: first move from the previous markable, then extend to the end.
MARKS = [
    ["Shift+ArrowRight"] * 4,
    ["ArrowRight"] * 3 + ["Shift+ArrowRight"] * 2,
    ["ArrowRight"] * 6 + ["Shift+ArrowRight"],
    ["ArrowRight"] * 5 + ["Shift+ArrowRight"] * 2,
]
# The texts that a manager imports into a new project; the last file lacks a bracket.
TEXTS = {
    "quay.txt": "#title: The new quay\n[The harbour office](a) has opened [the new quay](b). [It](c) is open to all.\n",
    "regatta.txt": "#title: Regatta\n[Ellmouth](a) won [the regatta](b) again. [The crew](c) praised [its cox](d).\n",
    "storm.txt": "#title: Storm\n[The storm](a) broke [two masts. [They](c) are being replaced.\n",
}
# Ten sortal classes merged into three.
MERGED = ",".join(
    f"{old}:{new}"
    for new, of_class in {
        "animate": ("person", "group"),
        "concrete": ("physobj", "loc"),
        "abstract": ("concept", "time", "event", "action", "state", "property"),
    }.items()
    for old in of_class
)
# The agreement pages by the name of their picture, with the height to show.
DASHBOARDS = {
    "agreement": ("dialogue/agreement/", HEIGHT),
    "grid": ("dialogue/agreement/grid/?preset=poesio-artstein-2005&without=place", 900),
    "compare": ("dialogue/agreement/compare/", 900),
    "methods": ("dialogue/agreement/methods/", HEIGHT),
    "items": ("dialogue/agreement/items/?relation=intersection", 960),
    "coders": ("dialogue/agreement/coders/", 900),
    "pair": ("dialogue/agreement/coders/ann/finn/", HEIGHT),
    "categories": (f"sortal/agreement/categories/?merge={MERGED}", 900),
    "texts": ("sortal/agreement/texts/", HEIGHT),
    "course": ("sortal/agreement/course/?by=round", HEIGHT),
    "planning": ("sortal/agreement/planning/", 1100),
    "models": ("notices/agreement/models/", 1100),
    "allows": ("dialogue/scheme/allows/", HEIGHT),
    "rounds": ("sortal/rounds/", HEIGHT),
    "decisions": ("chronicle/gold/decisions/", 960),
    "datasheet": ("chronicle/datasheet/", 1100),
    "repeats": ("sortal/rounds/main/repeats/?share=40&days=0&seed=1&automatic=on", 840),
    "docset": ("summaries/docsets/bridge/", 640),
    "scores": ("summaries/agreement/scores/", HEIGHT),
    "study": ("summaries/agreement/study/", 900),
    "scus": ("summaries/agreement/scus/", 1100),
    "peers": ("summaries/agreement/peers/", HEIGHT),
}


def coding(camera: Camera) -> None:
    """Take the pictures of a coder who codes a text, marks another, and submits."""
    page = camera.sign_in("alice")
    camera.go("/projects/dialogue/")
    camera.shoot("own-texts", 450)
    camera.go("/projects/dialogue/texts/generator/code/")
    page.get_by_text("0 of 46 decided").wait_for()
    for answer in ANSWERS:
        code(page, answer)
        page.keyboard.press("Enter")
    code(page, ["the barge", "the ferry"])
    page.keyboard.press("v")
    page.locator("#entities .coding-chain").first.wait_for()
    page.locator("#text-pane").focus()
    wait_until_saved(page)
    camera.shoot("coding")
    page.keyboard.press("m")
    page.locator(".workbench-picker-words").first.wait_for()
    camera.shoot("merging")
    page.keyboard.press("Escape")
    camera.context.set_offline(True)
    for key in ("Enter", "4", "Enter", "4"):
        page.keyboard.press(key)
    page.get_by_text("no connection").wait_for()
    camera.shoot("offline", 48)
    camera.context.set_offline(False)
    wait_until_saved(page)
    page.get_by_role("button", name="Submit…").click()
    page.locator("#check-list *").first.wait_for()
    camera.shoot("submitting")
    camera.go("/projects/links/texts/lamp/code/")
    page.get_by_text("0 of 0 decided").wait_for()
    for keys in MARKS:
        for key in ("e", *keys, "Enter"):
            page.keyboard.press(key)
    code(page, ["a new lamp"])
    for key in ("i", "Enter"):
        page.keyboard.press(key)
    for key in ("e", "ArrowDown", "ArrowRight", "Shift+ArrowRight", "+", "ArrowRight", "Shift+ArrowRight"):
        page.keyboard.press(key)
    wait_until_saved(page)
    camera.shoot("marking")


def managing(camera: Camera) -> None:
    """Take the pictures of a new project, from its scheme to its coders."""
    page = camera.sign_in("manager")
    camera.go("/projects/new/")
    page.get_by_label("Title").fill("Harbour news")
    page.get_by_label("Slug").fill("harbour")
    page.get_by_label("Scheme").select_option("passonneau-2004")
    page.get_by_label("Guidelines").fill("# Who and what\n\nEach phrase gets the index of what it **refers to**.")
    page.get_by_label("Guidelines").blur()
    camera.shoot("new-project", 840)
    page.get_by_role("button", name="Create project").click()
    camera.go("/projects/harbour/import/")
    page.get_by_label("Format").select_option("plain")
    page.get_by_label("Texts only").check()
    files: list[FilePayload] = [
        {"name": name, "mimeType": "text/plain", "buffer": words.encode()} for name, words in TEXTS.items()
    ]
    page.get_by_label("Files", exact=True).set_input_files(files)
    page.get_by_role("button", name="Preview").click()
    page.get_by_text("To be imported").wait_for()
    camera.shoot("import", 600)
    page.get_by_role("button", name="Import", exact=True).click()
    page.get_by_text("Imported:").wait_for()
    camera.go("/projects/harbour/members/")
    page.get_by_label("For whom").fill("Nora\nOle")
    page.get_by_role("button", name="Create links").click()
    link = page.locator("#link-1").input_value()
    page.locator("#link-1").blur()
    camera.shoot("members", 1010)
    camera.context.clear_cookies()
    page.goto(link)
    camera.shoot("invitation", 660)
    page.get_by_label("Username").fill("nora")
    for label in ("Password", "Password confirmation"):
        page.get_by_label(label, exact=True).fill("over the quay and back")
    page.get_by_role("button", name="Create account and join").click()
    page.get_by_text("No assignments yet").wait_for()
    camera.sign_in("manager")
    camera.go("/projects/harbour/assign/")
    page.locator("#plan-summary").wait_for()
    camera.shoot("assign", 720)
    camera.go("/projects/dialogue/scheme/")
    camera.shoot("scheme", 1130)
    camera.go("/projects/dialogue/export/")
    page.get_by_label("Format").select_option("muc")
    page.get_by_role("button", name="Preview").click()
    page.get_by_text("To be exported").wait_for()
    camera.shoot("export", 720)


def adjudicating(camera: Camera) -> None:
    """Take the picture of the queue with one decided row on its first card."""
    page = camera.sign_in("manager")
    camera.go("/projects/dialogue/rounds/main/")
    page.get_by_role("button", name="Draft gold").click()  # asks for confirmation, as others have not submitted
    page.get_by_role("button", name="Draft", exact=True).click()
    page.get_by_role("button", name="Open gold of A generator for Orrin").click()
    page.locator("#queue").wait_for()
    page.keyboard.press("1")
    wait_until_saved(page)
    camera.shoot("queue")


def designing(camera: Camera) -> None:
    """Take the pictures of the designer of schemes."""
    page = camera.sign_in("manager")
    camera.go("/projects/letters/scheme/edit/")
    sample = page.frame_locator("iframe.scheme-sample:not(.is-coming)")
    sample.locator("#progress-text").get_by_text("0 of").wait_for(state="attached")
    sample.get_by_role("group", name="Category").get_by_role("button", name="new").click()
    page.locator("[data-row^='attribute ']").first.click()
    page.locator("#scheme-bar").scroll_into_view_if_needed()
    camera.shoot("designer", 900, page.evaluate("document.querySelector('#scheme-bar').offsetTop"))
    page.get_by_role("button", name="Add a value").click()
    page.keyboard.type("a value of one's own")
    page.get_by_text("Not saved", exact=True).wait_for()
    page.locator("#scheme-save:enabled").click()
    page.get_by_role("heading", name="Changes").wait_for()
    camera.shoot("designer-saving", 640)


def dashboards(camera: Camera) -> None:
    """Take the pictures of the agreement pages."""
    page = camera.sign_in("manager")
    camera.go("/projects/dialogue/")
    page.get_by_text("How much agreement is enough").wait_for()
    camera.shoot("overview")
    for name, (path, height) in DASHBOARDS.items():
        camera.go(f"/projects/{path}")
        page.locator("main h1").wait_for()
        camera.settle()
        camera.shoot(name, height)
    camera.go("/projects/news/agreement/items/")
    page.get_by_role("table", name="Items by share").get_by_role("link", name="they").click()
    page.locator("main h1").wait_for()
    camera.shoot("item", 1000)


def pyramids(camera: Camera) -> None:
    """Take the pictures of pyramids; the demo's pyramids are reopened first."""
    for description, coder, path, scu, name, height in (
        ("Lead sentences 1", "ida", "run-1/code", "Its piers are cracked", "peer", 720),
        ("Pyramid", "ida", "bridge/code", "The repairs cost four million", "pyramid", HEIGHT),
        ("Agreed pyramid", "vera", "bridge/agreed/code", "Shops fear for their trade", "agreed", HEIGHT),
    ):
        page = camera.sign_in("manager")
        camera.go("/projects/summaries/docsets/bridge/")
        page.get_by_role("button", name=f"Reopen {description} for {coder}").click()
        page.get_by_role("button", name="Reopen", exact=True).click()
        page.get_by_text("Reopened").wait_for()
        camera.sign_in(coder)
        camera.go(f"/projects/summaries/texts/{path}/")
        page.locator("#scus").get_by_role("button", name=scu).first.click()
        page.locator("#scu-detail").wait_for()
        camera.shoot(name, height)


# The dashboards come first, as coding changes the figures.
GROUPS: dict[str, Callable[[Camera], None]] = {
    group.__name__: group for group in (dashboards, managing, adjudicating, designing, coding, pyramids, film)
}


def main(groups: list[str]) -> None:
    executable = chromium()
    if executable is None:
        raise SystemExit("Chromium is not on the path; install it and try again.")
    IMAGES.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as data,
        serving(data, ["manage.py", "load_demo"]) as server,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=executable, args=list(FLAGS))
        camera = Camera(browser, server.address)
        for group in groups or GROUPS:
            GROUPS[group](camera)
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])
