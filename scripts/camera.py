"""A browser window on the demo, the film, and answering by keys: for the pictures of the documents."""

import io

from PIL import Image
from playwright.sync_api import Browser, BrowserContext, Page

from benchmarks.environment.serving import ROOT

IMAGES = ROOT / "docs" / "images"
PASSWORD = "coindex-demo"
WIDTH, HEIGHT = 1280, 800
# The film of the front page.
FILM_WIDTH, FILM_HEIGHT = 1000, 600
TEXT = "/projects/dialogue/texts/generator/code/"
OVERVIEW = "/projects/dialogue/"
# Bob's answers before the scene and after it: the keys for each phrase, Enter left out.
BEFORE = "4 3 4 3 4 3 4"
AFTER = "2a 1f 1a 1a 1g 4 1a 4 2a 1f 1a 4 1a 4 1d 4 3 4 1s 1s 3 2a 4 1d 3 4 3 1a 4 3 1f 1h 2a 1a 4"
# The scene: keys, captions, and milliseconds on screen.
SCENE = [
    ("1", "1: it refers back to a phrase", 800),
    ("d", "d: to “the big ferry”", 900),
    ("Enter", "Enter: next", 400),
    ("1", "1: a phrase", 450),
    ("a", "a: the same ferry", 800),
    ("Enter", "Enter: next", 400),
    ("3", "3: a place", 550),
    ("Enter", "Enter: next", 400),
    ("1", "1: a phrase", 400),
    ("a", "a: the barge", 700),
]
# A caption at the lower edge; a script sets its style, as pages allow no inline style.
CAPTION = """(words) => {
  const line = document.querySelector("#caption") ?? document.body.appendChild(document.createElement("div"));
  line.id = "caption";
  line.textContent = words;
  Object.assign(line.style, {
    position: "fixed", inset: "auto 0 0 0", zIndex: 1000, padding: "11px 16px", background: "#1b1d22",
    color: "#fff", font: "600 17px/1.3 system-ui, sans-serif", textAlign: "center",
  });
}"""


class Camera:
    """A browser window on the demo."""

    def __init__(self, browser: Browser, address: str, width: int = WIDTH, height: int = HEIGHT) -> None:
        self.browser = browser
        self.address = address
        self.context: BrowserContext = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme="light", reduced_motion="reduce"
        )
        self.page: Page = self.context.new_page()

    def go(self, path: str) -> Page:
        self.page.goto(f"{self.address}{path}")
        return self.page

    def sign_in(self, name: str) -> Page:
        self.context.clear_cookies()
        page = self.go("/sign-in/")
        page.get_by_label("Username").fill(name)
        page.get_by_label("Password").fill(PASSWORD)
        page.keyboard.press("Enter")
        page.wait_for_url(f"{self.address}/")
        return page

    def shoot(self, name: str, height: int = HEIGHT, top: int = 0) -> None:
        """Save a picture of the window down to `height`, scrolled to `top`."""
        self.page.set_viewport_size({"width": WIDTH, "height": max(height, 300)})
        self.page.evaluate("(top) => window.scrollTo(0, top)", top)
        screenshot = self.page.screenshot(clip={"x": 0, "y": 0, "width": WIDTH, "height": height}, caret="initial")
        picture = Image.open(io.BytesIO(screenshot)).convert("RGB").quantize(256, dither=Image.Dither.NONE)
        picture.save(IMAGES / f"{name}.png", optimize=True)  # a palette, as a page has few colours
        print(f"docs/images/{name}.png")
        self.page.set_viewport_size({"width": WIDTH, "height": HEIGHT})

    def settle(self) -> None:
        """Wait until the page has loaded everything and all charts are drawn."""
        self.page.wait_for_load_state("networkidle")
        for chart in self.page.locator("[data-chart]:visible").all():
            chart.scroll_into_view_if_needed()
            chart.locator(".main-svg").first.wait_for()


def code(page: Page, answer: str | list[str]) -> None:
    """Answer the current markable: by keys, such as the key of a category, or by the words of antecedents."""
    if isinstance(answer, str):
        for key in answer:
            page.keyboard.press(key)
        return
    page.keyboard.press("1")
    for index, words in enumerate(answer):
        candidate = page.locator("#candidates li").filter(has=page.get_by_text(words, exact=True)).first
        letter = candidate.locator("kbd").inner_text()
        page.keyboard.press(f"Shift+{letter.upper()}" if index else letter)


def wait_until_saved(page: Page) -> None:
    page.locator("[data-state=saved]").wait_for()


class Film:
    """Pictures of pages with their durations."""

    def __init__(self) -> None:
        self.frames: list[Image.Image] = []
        self.milliseconds: list[int] = []

    def take(self, page: Page, caption: str, milliseconds: int) -> None:
        page.evaluate(CAPTION, caption)
        self.frames.append(Image.open(io.BytesIO(page.screenshot())).convert("RGB"))
        self.milliseconds.append(milliseconds)

    def save(self, name: str) -> None:
        """Write a GIF, which all README viewers show, with a single palette against flicker."""
        sample = Image.new("RGB", (FILM_WIDTH, FILM_HEIGHT * 2))
        sample.paste(self.frames[0], (0, 0))
        sample.paste(self.frames[-1], (0, FILM_HEIGHT))
        palette = sample.quantize(method=Image.Quantize.FASTOCTREE)
        first, *rest = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in self.frames]
        first.save(IMAGES / name, save_all=True, append_images=rest, duration=self.milliseconds, loop=0, optimize=True)
        print(f"docs/images/{name}")


def film(camera: Camera) -> None:
    """Record the film: Bob codes a text by keys and submits it; a manager sees alpha before and after."""
    coder, manager = (Camera(camera.browser, camera.address, FILM_WIDTH, FILM_HEIGHT) for _ in range(2))
    pictures = Film()
    manager.sign_in("manager")
    page = coder.sign_in("bob")
    coder.go(TEXT)
    page.get_by_text("0 of 46 decided").wait_for()
    for answer in BEFORE.split():
        code(page, answer)
        page.keyboard.press("Enter")
    wait_until_saved(page)
    pictures.take(page, "A coder answers by keys: what does “it” refer back to?", 1200)
    for key, caption, milliseconds in SCENE:
        page.keyboard.press(key)
        wait_until_saved(page)
        pictures.take(page, caption, milliseconds)
    page.keyboard.press("Enter")
    for answer in AFTER.split():
        code(page, answer)
        page.keyboard.press("Enter")
    page.get_by_text("46 of 46 decided").wait_for()
    wait_until_saved(page)
    pictures.take(page, "… and so on, to the last phrase: the answers make chains", 1200)
    _overview(manager, pictures, "The manager’s page: alpha of the six coders who have submitted", 1600)
    page.get_by_role("button", name="Submit…").click()
    page.get_by_role("dialog").get_by_role("button", name="Submit", exact=True).click()
    page.get_by_text("Submitted").first.wait_for()
    _overview(manager, pictures, "Bob submits: alpha of seven coders, and where they differ", 2600)
    pictures.save("film.gif")


def _overview(manager: Camera, pictures: Film, caption: str, milliseconds: int) -> None:
    page = manager.go(OVERVIEW)
    page.get_by_text("What needs attention").wait_for()
    manager.settle()
    pictures.take(page, caption, milliseconds)
