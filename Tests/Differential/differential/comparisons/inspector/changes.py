"""Checks of changes of stubs, states and settings."""

from selenium.webdriver.common.keys import Keys

from ...support.report import equal


def make_a_stub(page, server):
    """A stub made of an unmatched request responds to the next one."""
    server.send("GET", "/new/thing")
    page.choose_request("/new/thing").action("request", "Make a stub")
    page.wait(lambda: "/new/thing" in page.find("dialog textarea").get_property("value"), "no definition")
    page.edit("{").shows("dialog .error", "no JSON")
    page.edit('{"path": "/new/thing", "staus": 201}').shows("dialog .error", "staus").save("editor")
    page.edit('{"method": "GET", "path": "/new/thing", "status": 201}', "Add the stub")
    page.shows("#toasts", "Added GET /new/thing")
    equal(server.send("GET", "/new/thing"), 201)


def edit_a_stub(page, server):
    """A stub is edited, turned off, duplicated and deleted."""
    page.show_view("stubs").type_into("#stub-filter", "/error").shows("#stub-count", "1 of")
    page.click("#stub-list [role=option]").shows("#stub-details pre", '"status": 503')
    page.action("stub", "Edit")
    page.edit('{"method": "GET", "path": "/error", "status": 418}', "Save").shows("#stub-details pre", "418")
    equal(server.send("GET", "/error"), 418)
    page.action("stub", "Turn off").shows("#stub-details .badge", "off")
    equal(server.send("GET", "/error"), 404)
    page.action("stub", "Turn on").shows("#stub-details .badge", "on").lacks("#stub-details .badge", "off")
    page.action("stub", "Duplicate")
    page.edit('{"method": "GET", "path": "/error", "status": 419}', "Add the stub").shows("#stub-count", "2 of")
    page.wait(lambda: server.send("GET", "/error") in (418, 419), "a duplicate replaced the route by a 404")
    page.action("stub", "Delete").dialog("Delete").shows("#stub-count", "1 of")
    page.type_into("#stub-filter", "")


def delay_and_fault(page, server):
    """A delay and a fault are added to the route of a request, and removed."""
    server.send("GET", "/boards/3")
    page.choose_request("/boards/3").action("request", "Delay or fault")
    page.dialog("200 ms").select("dialog select", "Reset the connection").save("fault")
    page.dialog("Apply").shows("#toasts", "Applied")
    equal(server.send("GET", "/boards/3"), None)
    stub = next(each for each in server.api("GET", "stubs")["stubs"] if each["path"] == "/boards/{id}")
    equal((stub["delay"], stub["fault"]), ("200 ms", "reset"))
    page.show_view("stubs").shows("#stub-list", "delay 200 ms, fault reset")
    page.choose_request("/boards/3").action("request", "Delay or fault")
    page.dialog("As defined").select("dialog select", "As defined")
    page.dialog("Apply").shows("#toasts", "responds as defined")
    equal(server.send("GET", "/boards/3"), 200)


def scenarios(page, server):
    """The state and the variables of a scenario are changed."""
    page.show_view("state").shows("#scenarios", "boards")
    page.click("#scenarios button", "created").shows("#scenarios [aria-pressed=true]", "created")
    scenario = lambda: next(
        each for each in server.api("GET", "scenarios")["scenarios"] if each["name"] == "boards")
    equal(scenario()["state"], "created")
    page.click("#variables button", "Edit variables").edit('{"user": {"id": 7}}', "Save")
    page.shows("#variables pre", '"id": 7')
    equal(server.api("GET", "scenarios")["variables"], {"user": {"id": 7}})
    page.save("state")
    page.click("#variables button", "Edit variables").edit("{}", "Save").shows("#variables", "No variable")
    page.click("#scenarios button", "Other…").press("archived").dialog("Set")
    page.shows("#scenarios [aria-pressed=true]", "archived")
    # There are two scenarios, and this is the second one.
    buttons = lambda: [each for each in page.all("#scenarios button") if each.text == "Back to the start"]
    page.wait(lambda: len(buttons()) == 2, "there are not two scenarios")
    buttons()[-1].click()
    page.wait(lambda: scenario()["state"] == "started", "not at the start")


def resources(page, server):
    """The items of a resource are edited, and snapshots are taken and restored."""
    page.show_view("state").shows("#resources", "2 items")
    page.click("#take-snapshot").shows("#snapshots", "Restore")
    page.click("#resources button", "Edit items")
    page.wait(lambda: '"total": 20' in page.find("dialog textarea").get_property("value"), "no items")
    page.edit('[{"id": 5, "total": 1}]', "Save").shows("#resources", "1 item")
    page.click("#snapshots button", "Restore").shows("#toasts", "Restored")
    page.click("#snapshots button", "Delete").shows("#snapshots", "No snapshots")
    page.click("#resources button", "Restore the initial data").shows("#resources", "2 items")


def settings(page, server):
    """A delay for all routes is set, and a reset removes it."""
    page.show_view("server").shows("#server-info", "shop.json")
    page.type_into("#settings-form input", "100 ms").click("#settings-form button", "Apply to all routes")
    page.wait(lambda: server.api("GET", "settings")["delay"] == "100 ms", "the delay is not set")
    page.save("server")
    page.click("#reset-form label", "Settings").click("#reset-form button", "Reset").shows("#toasts", "Reset:")
    equal(server.api("GET", "settings")["delay"], None)


def completion(page, server):
    """The editor of a stub completes names and values, and tells errors while the text is typed."""
    page.show_view("stubs").click("#new-stub").type_into("dialog textarea", '{"pat')
    value = lambda: page.find("dialog textarea").get_property("value")
    page.shows("dialog .completions", "path").press(Keys.TAB)
    equal(value(), '{"path": ')
    page.press('"/completed", "fault": "st').shows("dialog .completions", "stall").save("completion")
    page.press(Keys.ESCAPE).disappears("dialog .completions").appears("dialog textarea")
    page.chord(Keys.CONTROL, " ").appears("dialog .completions").press(Keys.ENTER)
    equal(value(), '{"path": "/completed", "fault": "stall"')
    page.shows("dialog .check", "Not JSON yet")
    page.press(', "staus": 3}').shows("dialog .check", "staus")
    page.edit('{"path": "/completed", "status": 202}').disappears("dialog")
    equal(server.send("GET", "/completed"), 202)


def resource_rows(page, server):
    """A resource is one row, whose routes are rows on demand."""
    rows = lambda: [row.text for row in page.all("#stub-list [role=option]") if "carts" in row.text]
    page.show_view("stubs").shows("#stub-list", "6 routes")
    equal(len(rows()), 1)
    page.type_into("#stub-filter", "/carts").shows("#stub-count", "6 of")
    page.click("#stub-list [role=option]").shows("#stub-details h2", "/carts").save("resource")
    page.action("stub", "Show the routes in the list")
    page.wait(lambda: len(rows()) == 7, "the routes are no rows")
    page.action("stub", "Hide the routes in the list")
    page.wait(lambda: len(rows()) == 1, "the routes are rows")
    page.click("#stub-details button[title='Show the route']").shows("#stub-details .badge", "on")
    page.wait(lambda: len(rows()) == 7, "the route is no row")
