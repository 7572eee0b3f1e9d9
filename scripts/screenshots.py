"""Take the pictures of docs/images from the running demo. Needs Chromium on the path; `make screenshots`."""

import tempfile

from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks.serving import FLAGS, ROOT, chromium, serving

IMAGES = ROOT / "docs" / "images"
PASSWORD = "coindex-demo"
# What Alice answers up to "it" in turn 3.1: place, none, or the words of the antecedent.
ANSWERS: list[str | list[str]] = [
    *("4", "3", "4", "3", "4", "3", "4"),
    *(["the big ferry"], ["it"], "3", ["the barge"], "4"),
]
# What Alice marks by key: words to go on from the markable before, then the edge to its end.
MARKS = [
    ["Shift+ArrowRight"] * 4,
    ["ArrowRight"] * 3 + ["Shift+ArrowRight"] * 2,
    ["ArrowRight"] * 6 + ["Shift+ArrowRight"],
    ["ArrowRight"] * 5 + ["Shift+ArrowRight"] * 2,
]

# Ten sortal classes as three.
MERGED = ",".join(
    f"{old}:{new}"
    for new, of_class in {
        "animate": ("person", "group"),
        "concrete": ("physobj", "loc"),
        "abstract": ("concept", "time", "event", "action", "state", "property"),
    }.items()
    for old in of_class
)
# The managers' pages, by the name of the picture.
DASHBOARDS = {
    "agreement": "dialogue/agreement/",
    "grid": "dialogue/agreement/grid/?without=place",
    "compare": "dialogue/agreement/compare/",
    "methods": "dialogue/agreement/methods/",
    "items": "dialogue/agreement/items/?relation=intersection",
    "coders": "dialogue/agreement/coders/",
    "pair": "dialogue/agreement/coders/ann/finn/",
    "categories": f"sortal/agreement/categories/?merge={MERGED}",
    "texts": "sortal/agreement/texts/",
    "course": "sortal/agreement/course/?by=round",
    "allows": "dialogue/scheme/allows/",
}


def sign_in(page: Page, address: str, name: str) -> None:
    page.context.clear_cookies()
    page.goto(f"{address}/sign-in/")
    page.get_by_label("Username").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url(f"{address}/")


def code(page: Page, answer: str | list[str]) -> None:
    """Answer for the current markable: the key of a category, or the words of one antecedent or several."""
    if isinstance(answer, str):
        page.keyboard.press(answer)
        return
    page.keyboard.press("1")
    for further, words in enumerate(answer):
        candidate = page.locator("#candidates li").filter(has=page.get_by_text(words, exact=True)).first
        letter = candidate.locator("kbd").inner_text()
        page.keyboard.press(f"Shift+{letter.upper()}" if further else letter)


def shoot(page: Page, name: str) -> None:
    page.screenshot(path=IMAGES / f"{name}.png")
    print(f"docs/images/{name}.png")


def take(browser: Browser, address: str) -> None:
    """All pictures, of what Alice codes and of what the manager sees."""
    page = browser.new_page(viewport={"width": 1200, "height": 760}, color_scheme="light")
    sign_in(page, address, "alice")
    page.goto(f"{address}/projects/dialogue/texts/generator/code/")
    page.get_by_text("0 of 46 decided").wait_for()
    for answer in ANSWERS:
        code(page, answer)
        page.keyboard.press("Enter")
    code(page, ["the barge", "the ferry"])
    page.keyboard.press("v")
    page.locator("#entities .entity").first.wait_for()
    page.locator("#text-pane").focus()
    page.locator("[data-state=saved]").wait_for()
    shoot(page, "coding")
    page.keyboard.press("m")
    page.locator(".preview-member").first.wait_for()
    shoot(page, "merging")
    page.keyboard.press("Escape")
    page.goto(f"{address}/projects/links/texts/lamp/code/")
    page.get_by_text("0 of 0 decided").wait_for()
    for keys in MARKS:
        for key in ("e", *keys, "Enter"):
            page.keyboard.press(key)
    code(page, ["a new lamp"])
    for key in ("i", "Enter"):
        page.keyboard.press(key)
    for key in ("e", "ArrowDown", "ArrowRight", "Shift+ArrowRight", "+", "ArrowRight", "Shift+ArrowRight"):
        page.keyboard.press(key)
    page.locator("[data-state=saved]").wait_for()
    shoot(page, "marking")
    sign_in(page, address, "manager")
    manage(page, address)


def manage(page: Page, address: str) -> None:
    """What the manager sees."""
    page.set_viewport_size({"width": 1200, "height": 900})
    page.goto(f"{address}/projects/dialogue/")
    page.get_by_text("There is no set answer").wait_for()
    shoot(page, "overview")
    for name, rest in DASHBOARDS.items():
        page.goto(f"{address}/projects/{rest}")
        page.locator("main h1").wait_for()
        for chart in page.locator("[data-chart]").all():
            chart.scroll_into_view_if_needed()
            chart.locator(".main-svg").first.wait_for()
        page.evaluate("window.scrollTo(0, 0)")
        shoot(page, name)
    page.goto(f"{address}/projects/news/agreement/items/")
    page.get_by_role("link", name="they").click()
    page.locator("main h1").wait_for()
    shoot(page, "item")


def main() -> None:
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
        take(browser, server.address)
        browser.close()


if __name__ == "__main__":
    main()
