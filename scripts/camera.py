"""A browser window on the demo, and how a coder answers by keys: for the pictures of the documents."""

from __future__ import annotations

import io

from PIL import Image
from playwright.sync_api import Browser, BrowserContext, Page

from benchmarks.environment.serving import ROOT

IMAGES = ROOT / "docs" / "images"
PASSWORD = "coindex-demo"
WIDTH, HEIGHT = 1280, 800


class Camera:
    """A browser window on the demo."""

    def __init__(self, browser: Browser, address: str, width: int = WIDTH, height: int = HEIGHT) -> None:
        self.browser = browser
        self.address = address
        self.context: BrowserContext = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme="light", reduced_motion="reduce"
        )
        self.page: Page = self.context.new_page()

    def go(self, rest: str) -> Page:
        self.page.goto(f"{self.address}{rest}")
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
        """Wait until what the page loads by itself is there, and every chart is drawn."""
        self.page.wait_for_load_state("networkidle")
        for chart in self.page.locator("[data-chart]:visible").all():
            chart.scroll_into_view_if_needed()
            chart.locator(".main-svg").first.wait_for()


def code(page: Page, answer: str | list[str]) -> None:
    """Answer for the current markable: by keys, such as that of a category, or by the words of antecedents."""
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
