"""Headless Chromium, driven by Selenium."""

from __future__ import annotations

import contextlib
import pathlib
import time

from .report import Failure
from .setup import require, tool


@contextlib.contextmanager
def chromium(downloads: pathlib.Path | None = None, size: str = "1280,860"):
    """Starts Chromium, and returns its driver."""
    require({"chromium": "chromium", "chromedriver": "chromium-driver",
             "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf": "fonts-dejavu-core"})
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
    options = webdriver.ChromeOptions()
    options.binary_location = tool("chromium")
    for argument in ["headless=new", "no-sandbox", "disable-gpu", "disable-dev-shm-usage",
                     "disable-background-networking", "force-device-scale-factor=1", f"window-size={size}"]:
        options.add_argument("--" + argument)
    options.add_experimental_option("prefs", {"download.default_directory": str(downloads)} if downloads else {})
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(tool("chromedriver")))
    driver.set_script_timeout(20)
    try:
        yield driver
    finally:
        driver.quit()


VISIBLE = ("return [...document.querySelectorAll(arguments[0])]"
           ".filter((each) => each.checkVisibility({visibilityProperty: true}))")


class Page:
    """A window of the browser. Each wait is for a condition, and fails after the patience, in seconds.

    The actions and the checks return the page, so that a line is a step with its result.
    """

    patience = 120
    # The property of an element that `text` reads.
    text_property = "textContent"

    def __init__(self, driver, screenshots: pathlib.Path | None = None):
        self.driver, self.screenshots = driver, screenshots

    def script(self, code, *arguments):
        return self.driver.execute_script(code, *arguments)

    def find(self, selector):
        return self.driver.find_element("css selector", selector)

    def all(self, selector):
        """Returns the visible elements of a selector."""
        return self.script(VISIBLE, selector)

    def text(self, selector) -> str:
        """Returns the text of the visible elements of a selector, in one step, because the page may replace them."""
        return self.script(VISIBLE + ".map((each) => each[arguments[1]]).join('\\n')", selector, self.text_property)

    def wait(self, condition, message):
        """Waits until the condition returns a true value, which it returns."""
        from selenium.common.exceptions import WebDriverException
        end, error = time.monotonic() + self.patience, None
        while time.monotonic() < end:
            try:
                if result := condition():
                    return result
            except WebDriverException as failure:
                # The page may replace an element between two steps of a condition.
                error = failure
            time.sleep(0.03)
        self.save("failed")
        reason = str(error).splitlines()[0] if error else ""
        raise Failure(f"{message() if callable(message) else message} {reason}{self.state()}")

    def state(self) -> str:
        """Describes the page for the error of a wait."""
        return ""

    def shows(self, selector, text):
        self.wait(lambda: text in self.text(selector),
                  lambda: f"{selector} does not show {text!r}, but {self.text(selector)[:300]!r}")
        return self

    def lacks(self, selector, text):
        self.wait(lambda: text not in self.text(selector), f"{selector} still shows {text!r}")
        return self

    def click(self, selector, text=None):
        """Clicks the first visible and enabled element that has the text."""
        def clicked():
            for each in self.all(selector):
                if each.is_enabled() and (text is None or each.text.strip() == text):
                    each.click()
                    return True
            return False
        self.wait(clicked, f"no {selector} with the text {text!r}")
        return self

    def fill(self, selector, text):
        element = self.find(selector)
        element.clear()
        element.send_keys(text)
        return self

    def select(self, selector, text=None, value=None):
        from selenium.webdriver.support.ui import Select
        element = Select(self.find(selector))
        element.select_by_visible_text(text) if value is None else element.select_by_value(value)
        return self

    def save(self, name):
        """Saves a screenshot, if there is a folder for them."""
        if self.screenshots:
            self.screenshots.mkdir(parents=True, exist_ok=True)
            self.driver.save_screenshot(str(self.screenshots / f"{name}.png"))
        return self
