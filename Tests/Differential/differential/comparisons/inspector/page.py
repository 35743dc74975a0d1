"""The inspector page, and the server that has it."""

import json
import pathlib
import shutil

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from ...support.browser import Page
from ...support.processes import MockServer
from ...support.report import equal

# Markup, which must stay text. The stubs have it in a name, a value and a header field.
HOSTILE = "<img/src=x/onerror=window.hacked=1>"


class Server(MockServer):
    """A mock server with the stubs of stubs.json. They are copied, because the file is named on the page."""

    def __init__(self, folder, *arguments):
        stubs = pathlib.Path(__file__).with_name("stubs.json")
        super().__init__(shutil.copy(stubs, folder / "shop.json"), *arguments)

    def api(self, method, path, body=None):
        """Sends a request to the admin API, and returns the JSON of its response."""
        content = self.exchange(method, "/__mock/" + path, body)[1]
        return json.loads(content) if content else None


class InspectorPage(Page):
    """The page in a browser."""

    def open(self, server, path="/__mock/"):
        self.driver.set_window_size(1280, 860)
        self.driver.get(server.url + path)
        self.wait(lambda: self.text("#connection") == "Live", "the page is not live")
        return self

    def press(self, *keys):
        self.actions().send_keys(*keys).perform()
        return self

    def chord(self, modifier, key):
        self.actions().key_down(modifier).send_keys(key).key_up(modifier).perform()
        return self

    def actions(self):
        return ActionChains(self.driver)

    def type_into(self, selector, text):
        """Replaces the text of a field by keys."""
        self.click(selector)
        self.chord(Keys.CONTROL, "a")
        self.press(Keys.BACKSPACE, *([text] if text else []))
        return self

    def tab(self, name):
        return self.click("#request-details [role=tab]", name)

    def action(self, kind, name):
        """Clicks a button of the details of a request or a stub."""
        return self.click(f"#{kind}-details button", name)

    def dialog(self, button):
        return self.click("dialog button", button)

    def edit(self, text, button=None):
        """Replaces the text of the editor, and clicks a button of the dialog, or presses Control and Enter."""
        self.type_into("dialog textarea", text)
        return self.dialog(button) if button else self.chord(Keys.CONTROL, Keys.ENTER)

    def appears(self, selector):
        self.wait(lambda: self.find(selector).is_displayed(), f"{selector} is hidden")
        return self

    def disappears(self, selector):
        self.wait(lambda: not self.all(selector), f"{selector} is visible")
        return self

    def show_view(self, name):
        return self.click(f"#tab-{name}").appears(f"#view-{name}")

    def choose_request(self, text):
        """Clicks the last row of the requests with a text."""
        self.show_view("requests")

        def clicked():
            rows = [row for row in self.all("#request-list [role=option]") if text in row.text]
            return rows and not rows[-1].click()
        self.wait(clicked, f"no request {text!r}")
        return self.shows("#request-details h2", text)

    def focus(self):
        return self.script("const e = document.activeElement; return e.id || e.textContent || e.tagName")

    def focuses(self, name):
        equal(self.focus(), name, "the focus")
        return self

    def media(self, scheme):
        feature = {"name": "prefers-color-scheme", "value": scheme}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
