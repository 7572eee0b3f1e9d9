"""The window of a browser that WebDriver drives."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from selenium.common.exceptions import StaleElementReferenceException, TimeoutException, WebDriverException
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webdriver import WebDriver
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

SECONDS = 30
KEYS = {
    "ArrowRight": Keys.ARROW_RIGHT,
    "ArrowLeft": Keys.ARROW_LEFT,
    "ArrowUp": Keys.ARROW_UP,
    "ArrowDown": Keys.ARROW_DOWN,
    "Space": Keys.SPACE,
    "Delete": Keys.DELETE,
    "Enter": Keys.ENTER,
    "Escape": Keys.ESCAPE,
}
MODIFIERS = {"Control": Keys.CONTROL, "Shift": Keys.SHIFT, "Alt": Keys.ALT}
# What is not caught is kept with the session of the window, which outlives the page.
NOTE_ERRORS = """
const note = (words) => sessionStorage.setItem("errors", `${sessionStorage.getItem("errors") ?? ""}${words}\\n`);
window.addEventListener("error", (event) => note(`${event.message} ${event.filename}:${event.lineno}`));
window.addEventListener("unhandledrejection", (event) => note(String(event.reason)));
"""


class Window:
    """The one window of a browser, at pages of one site."""

    def __init__(self, driver: WebDriver, site: str) -> None:
        self.driver = driver
        self.site = site

    # ---- pages

    def open(self, path: str) -> None:
        self.driver.get(self.site + path)
        self.driver.execute_script(NOTE_ERRORS)

    def reload(self) -> None:
        self.driver.refresh()
        self.driver.execute_script(NOTE_ERRORS)

    def back(self) -> None:
        self.driver.back()

    def leave(self) -> None:
        """Forget who is signed in, and leave the site, so that nothing of this page meets the next test.

        The driver forgets the cookies of the site that is open. Asked with the cookie of somebody who is there no more,
        the server has it deleted: an answer on its way would delete the next one's.
        """
        self.driver.delete_all_cookies()
        self.driver.get("about:blank")

    def shown(self) -> str:
        """Return address, state and words of the page, for who has waited in vain."""
        try:
            state, words = self.driver.execute_script("return [document.readyState, document.body?.innerText]")
        except WebDriverException as error:
            return f"nothing ({error.msg})"
        return f"{self.driver.current_url} ({state}): {words}"

    def errors(self) -> list[str]:
        """Return the errors that no script of a page has caught, from the moment on when the page was there."""
        noted = self.driver.execute_script(
            "const noted = sessionStorage.getItem('errors'); sessionStorage.removeItem('errors'); return noted ?? ''"
        )
        return noted.splitlines()

    # ---- what is on the page

    def find(self, selector: str, words: str = "") -> WebElement:
        """Return the first element of the CSS selector that is exactly these words, once it is there."""

        def found() -> WebElement | None:
            elements = self.driver.find_elements(By.CSS_SELECTOR, selector)
            return next((element for element in elements if not words or inner_text(element) == words), None)

        return self.wait(found, f"{selector} {words}")

    def text(self, selector: str) -> str:
        return inner_text(self.find(selector))

    def wait_for_text(self, selector: str, words: str) -> None:
        """Wait until the element contains these words."""
        self.wait(lambda: words in self.text(selector), f"{selector} with “{words}”")

    def wait[Result](self, condition: Callable[[], Result | None], what: str) -> Result:
        """Return what the condition returns, as soon as that is true. Else say what the page shows instead."""
        ignored = (StaleElementReferenceException,)
        waiting: WebDriverWait[WebDriver] = WebDriverWait(self.driver, SECONDS, 0.05, ignored)
        try:
            return cast(Result, waiting.until(lambda _: condition(), what))
        except TimeoutException:
            raise AssertionError(f"waited in vain for {what}; the page is {self.shown()}") from None

    # ---- keys and mouse

    def press(self, *keys: str) -> None:
        """Press keys, each by its name, such as Control+k or ArrowRight."""
        for key in keys:
            *held, last = key.split("+")
            chain = ActionChains(self.driver, duration=0)
            for modifier in held:
                chain.key_down(MODIFIERS[modifier])
            chain.send_keys(KEYS.get(last, last))
            for modifier in reversed(held):
                chain.key_up(MODIFIERS[modifier])
            chain.perform()

    def type(self, words: str) -> None:
        ActionChains(self.driver, duration=0).send_keys(words).perform()

    def click(self, element: WebElement, *modifiers: str) -> None:
        chain = ActionChains(self.driver, duration=0)
        for modifier in modifiers:
            chain.key_down(MODIFIERS[modifier])
        chain.click(element)
        for modifier in reversed(modifiers):
            chain.key_up(MODIFIERS[modifier])
        chain.perform()

    def drag(self, start: WebElement, end: WebElement) -> None:
        """Drag from the first letter of an element to the last of another, or to its middle where it is large."""
        left = 2 - start.size["width"] // 2
        right = max(end.size["width"] // 2 - 2, 0)
        (
            ActionChains(self.driver, duration=30)
            .move_to_element_with_offset(start, left, 0)
            .click_and_hold()
            .move_by_offset(4, 0)
            .move_to_element_with_offset(end, right, 0)
            .release()
            .perform()
        )

    def selected_words(self) -> str:
        """Return what the browser has selected."""
        return self.driver.execute_script("return String(getSelection())")


def inner_text(element: WebElement) -> str:
    """Return the words of an element. (WebKit's driver takes some that are shown for hidden: their `text` is empty.)"""
    return str(element.get_property("innerText")).strip()
