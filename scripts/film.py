"""The moving picture of the front page: a coder answers by keys and submits, and the manager's alpha changes."""

from __future__ import annotations

import io

from PIL import Image
from playwright.sync_api import Page

from scripts.camera import IMAGES, Camera, code, wait_until_saved

WIDTH, HEIGHT = 1000, 600
TEXT = "/projects/dialogue/texts/generator/code/"
OVERVIEW = "/projects/dialogue/"
# Bob's answers before the scene and after it: the keys for each phrase, Enter left out.
BEFORE = "4 3 4 3 4 3 4"
AFTER = "2a 1f 1a 1a 1g 4 1a 4 2a 1f 1a 4 1a 4 1d 4 3 4 1s 1s 3 2a 4 1d 3 4 3 1a 4 3 1f 1h 2a 1a 4"
# The scene: keys, what they mean, and how many milliseconds one sees that.
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
# A line at the lower edge says what is done. Its style is set by script, as pages allow no inline style.
CAPTION = """(words) => {
  const line = document.querySelector("#caption") ?? document.body.appendChild(document.createElement("div"));
  line.id = "caption";
  line.textContent = words;
  Object.assign(line.style, {
    position: "fixed", inset: "auto 0 0 0", zIndex: 1000, padding: "11px 16px", background: "#1b1d22",
    color: "#fff", font: "600 17px/1.3 system-ui, sans-serif", textAlign: "center",
  });
}"""


class Film:
    """Pictures of pages, each with the time for which it is shown."""

    def __init__(self) -> None:
        self.frames: list[Image.Image] = []
        self.milliseconds: list[int] = []

    def take(self, page: Page, caption: str, milliseconds: int) -> None:
        page.evaluate(CAPTION, caption)
        self.frames.append(Image.open(io.BytesIO(page.screenshot())).convert("RGB"))
        self.milliseconds.append(milliseconds)

    def save(self, name: str) -> None:
        """Write a GIF, which every reader of README files shows, with one palette, so that nothing flickers."""
        sample = Image.new("RGB", (WIDTH, HEIGHT * 2))
        sample.paste(self.frames[0], (0, 0))
        sample.paste(self.frames[-1], (0, HEIGHT))
        palette = sample.quantize(method=Image.Quantize.FASTOCTREE)
        first, *rest = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in self.frames]
        first.save(IMAGES / name, save_all=True, append_images=rest, duration=self.milliseconds, loop=0, optimize=True)
        print(f"docs/images/{name}")


def film(camera: Camera) -> None:
    """Take the moving picture: Bob codes a text by keys and submits it, and a manager sees alpha before and after."""
    coder, manager = (Camera(camera.browser, camera.address, WIDTH, HEIGHT) for _ in range(2))
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
