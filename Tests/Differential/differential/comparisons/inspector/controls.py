"""Checks of the keyboard, the pointer and the window."""

import pathlib

from selenium.webdriver.common.keys import Keys

from ...support.report import equal, expect

# The contrast of each visible text with its background.
CONTRAST = pathlib.Path(__file__).with_name("contrast.js").read_text()


def keyboard(page, server):
    """Everything is reached without a pointer, focus is visible and returns after dialogs."""
    for number in range(40):
        server.send("GET", f"/boards/{number}")
    server.send("GET", "/lost")
    page.shows("#request-count", "41 requests")
    page.press(Keys.HOME).focuses("request-list").shows("#request-details h2", "GET /boards/0")
    page.press(Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ARROW_UP).shows("#request-details h2", "GET /boards/1")
    active = page.find("#request-list").get_attribute("aria-activedescendant")
    equal(page.script("return document.getElementById(arguments[0]).ariaSelected", active), "true")
    style = page.script("return getComputedStyle(document.getElementById(arguments[0])).outlineStyle", active)
    equal(style, "solid")
    page.press(Keys.PAGE_DOWN, Keys.END).shows("#request-details h2", "GET /lost")
    page.press("u").shows("#request-count", "1 of 41")
    page.press("u", "p").shows("#pause", "Resume")
    page.press("p", "/").focuses("filter-text")
    page.press("lost").shows("#request-count", "1 of 41")
    page.press(Keys.ESCAPE, Keys.ESCAPE).focuses("request-list")
    page.press("s").appears("dialog textarea")
    for _ in range(12):
        page.press(Keys.TAB)
        inside = page.script("const e = document.activeElement; return e === document.body || !!e.closest('dialog')")
        expect(inside, f"the focus left the dialog for {page.focus()!r}")
    page.press(Keys.ESCAPE).disappears("dialog").focuses("request-list")
    page.press("n").appears("dialog textarea")
    page.press("x", Keys.ESCAPE).shows("dialog .error", "Escape again")
    page.press(Keys.ESCAPE).disappears("dialog")
    page.press("?").shows("dialog h2", "Keys").save("help")
    page.press(Keys.ESCAPE).press("2", Keys.ARROW_DOWN).shows("#stub-details h2", "POST /login")
    page.press("d").shows("dialog h2", "Delay or fault of POST /login")
    page.press("150 ms", Keys.ENTER).shows("#stub-list", "delay 150 ms")
    page.press("3", Keys.ARROW_RIGHT).focuses("tab-server")
    page.press("1")
    stops = set()
    for _ in range(30):
        page.press(Keys.TAB)
        stops.add(page.focus())
        outline = page.script("return document.activeElement === document.body ? 'none needed' :"
                              "getComputedStyle(document.activeElement).outlineStyle")
        expect(outline != "none" or page.focus() == "request-list", f"no outline at {page.focus()!r}")
    expected = {"filter-text", "filter-method", "filter-status", "filter-unmatched", "group", "pause", "clear", "export-har",
                "help", "request-list", "request-handle", "Copy as curl"}
    expect(expected <= stops, f"not reached by Tab: {expected - stops}")
    page.press("1", Keys.ENTER)
    expect(page.script("return document.activeElement.matches('#request-details .panel')"), "Enter does not focus")
    page.press(Keys.ESCAPE).disappears("#request-details").focuses("request-list")


def other_buttons(page, server):
    """The buttons that no other check presses."""
    server.send("GET", "/boards/1")
    page.choose_request("/boards/1").action("request", "Show the stub")
    page.shows("#stub-details h2", "GET /boards/{id}")
    expect(page.find("#view-stubs").is_displayed(), "the stubs are hidden")
    server.send("POST", "/login", {"user": "grace"})
    page.choose_request("/login").click("#request-details button[aria-label='Edit the stub POST /login']")
    page.shows("dialog h2", "Edit POST /login")
    page.edit('{"path":"/login","json":{"a":[1.50,{}]}}', "Format")
    formatted = '{\n  "path": "/login",\n  "json": {\n    "a": [\n      1.50,\n      {}\n    ]\n  }\n}'
    equal(page.find("dialog textarea").get_property("value"), formatted)
    page.dialog("Cancel")
    width = lambda: page.find("#request-details").rect["width"]
    before = width()
    page.find("#request-handle").send_keys(Keys.ARROW_LEFT)
    expect(width() > before + 10, "an arrow key does not move the line")
    page.actions().drag_and_drop_by_offset(page.find("#request-handle"), 200, 0).perform()
    expect(width() < before - 100, "the pointer does not move the line")
    page.tab("Request").action("request", "Copy").shows("#toasts", "Copied the head")
    page.click("#server-url").shows("#toasts", "Copied the address")
    page.click("#request-details button[aria-label^=Close]")
    for _ in range(40):
        server.send("GET", "/image")
    page.shows("#request-count", "42 requests")
    page.script("document.getElementById('request-list').scrollTop = 0")
    page.appears("#follow")
    page.click("#follow").disappears("#follow")
    page.choose_request("/image").tab("Response")
    page.wait(lambda: page.script("return document.querySelector('img.preview')?.naturalWidth") == 1, "no picture")
    page.click("#help").shows("dialog h2", "Keys")
    page.dialog("Close")


def appearance(page, server):
    """Texts have the contrast of WCAG AA in both color schemes, and narrow windows need no scrolling."""
    for method, path in [("GET", "/boards"), ("GET", "/error"), ("GET", "/moved"), ("GET", "/slow"), ("POST", "/boards"),
                         ("GET", "/broken"), ("PUT", "/carts/9"), ("DELETE", "/unknown/with/a/long/path/" + "x" * 200)]:
        server.send(method, path)
    server.send("POST", "/login", {"user": "grace", "roles": [1, None, True]})
    page.choose_request("/login").shows("#request-details .near", "POST /login")
    for scheme in ["light", "dark"]:
        page.media(scheme)
        for width, size in [("wide", (1280, 860)), ("medium", (900, 760)), ("narrow", (400, 800))]:
            page.driver.set_window_size(*size)
            for view in ["requests", "stubs", "state", "server"]:
                page.show_view(view).save(f"{scheme}-{width}-{view}")
                equal(page.script(CONTRAST), [])
                overflow = page.script("return document.documentElement.scrollWidth - innerWidth")
                expect(overflow <= 0, f"{view} is {overflow} px too wide in a {width} window")
        page.driver.set_window_size(1280, 860)
        page.show_view("requests").tab("Request").save(f"{scheme}-request")
        equal(page.script(CONTRAST), [])
        page.tab("Overview").action("request", "Make a stub").appears("dialog").save(f"{scheme}-dialog")
        equal(page.script(CONTRAST), [])
        page.dialog("Cancel")
    page.media("light")


def narrow_window(page, server):
    """In a narrow window the details cover the list, and closing them returns to it."""
    page.driver.set_window_size(400, 800)
    server.send("GET", "/boards/1")
    page.choose_request("/boards/1")
    expect(page.find("#request-details").rect["width"] >= 380, "the details do not cover the list")
    page.press(Keys.ESCAPE).disappears("#request-details").focuses("request-list")
    page.press(Keys.ENTER).appears("#request-details")
    page.click("#request-details button[aria-label^=Close]")
    page.driver.set_window_size(1280, 860)
