"""A browser window on the demo, and how a coder answers by keys: for the pictures of the documents."""

from __future__ import annotations

import base64
import struct
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray
from playwright.sync_api import Browser, BrowserContext, Page

from benchmarks.environment.serving import ROOT

IMAGES = ROOT / "docs" / "images"
PASSWORD = "coindex-demo"
WIDTH, HEIGHT = 1280, 800
# Colours that differ by less count as equal: the shades at the edges of letters.
STEP = 3
# A page of the browser decodes the picture, so that no other program is needed.
PIXELS = """async (picture) => {
  const image = new Image();
  image.src = `data:image/png;base64,${picture}`;
  await image.decode();
  const canvas = new OffscreenCanvas(image.width, image.height).getContext("2d");
  canvas.drawImage(image, 0, 0);
  const { data } = canvas.getImageData(0, 0, image.width, image.height);
  let bytes = "";
  for (let at = 0; at < data.length; at += 32768) bytes += String.fromCharCode(...data.subarray(at, at + 32768));
  return [image.width, image.height, btoa(bytes)];
}"""


class Camera:
    """A browser window on the demo, and a blank page that decodes pictures."""

    def __init__(self, browser: Browser, address: str, width: int = WIDTH, height: int = HEIGHT) -> None:
        self.browser = browser
        self.address = address
        self.context: BrowserContext = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme="light", reduced_motion="reduce"
        )
        self.page: Page = self.context.new_page()
        self.blank: Page = browser.new_page()

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
        width, lines, data = self.blank.evaluate(PIXELS, base64.b64encode(screenshot).decode())
        pixels = np.frombuffer(base64.b64decode(data), np.uint8).reshape(lines, width, 4)[:, :, :3]
        (IMAGES / f"{name}.png").write_bytes(small_png(pixels))
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


def small_png(pixels: NDArray[np.uint8]) -> bytes:
    """Return a PNG with a palette, as a page has few colours, from an array of shape (height, width, 3)."""
    height, width, _ = pixels.shape
    colours, colour_of_pixel, count = np.unique(pixels.reshape(-1, 3), axis=0, return_inverse=True, return_counts=True)
    palette, nearest = _palette(colours.astype(np.int64), count)
    lines = nearest[colour_of_pixel].reshape(height, width)
    raw = np.concatenate([np.zeros((height, 1), np.uint8), lines], axis=1).tobytes()  # 0: no filter
    header = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    chunks = [(b"IHDR", header), (b"PLTE", palette.tobytes()), (b"IDAT", zlib.compress(raw, 9)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)) for name, data in chunks
    )


def _palette(colours: NDArray[np.int64], count: NDArray[Any]) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Return a palette of at most 256 distinct, frequent colours, and for each colour the index of the nearest one."""
    chosen: list[int] = []
    unassigned = np.ones(len(colours), dtype=bool)
    for index in np.argsort(-count, kind="stable").tolist():
        if unassigned[index]:
            chosen.append(index)
            unassigned &= np.abs(colours - colours[index]).max(axis=1) >= STEP
        if len(chosen) == 256:
            break
    palette = colours[chosen]
    distances = np.stack([((colours - shade) ** 2).sum(axis=1) for shade in palette])
    return palette.astype(np.uint8), distances.argmin(axis=0).astype(np.uint8)
