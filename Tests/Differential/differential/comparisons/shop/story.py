"""The story of the customers Ada and Grace, in scenes."""

from __future__ import annotations

from ...support.browser import Page
from ...support.report import equal
from ...support.setup import ROOT

SHOP = ROOT / "Examples/Shop"


class Window(Page):
    """A window of the browser with the shop."""

    text_property = "innerText"

    def __init__(self, driver, url, screenshots):
        super().__init__(driver, screenshots)
        self.window = driver.current_window_handle
        driver.get(url)
        self.shows("#count", "24 toys")

    def use(self):
        """Makes the window the current one."""
        self.driver.switch_to.window(self.window)
        return self

    def state(self):
        texts = {selector: self.text(selector) for selector in ("#notice", "#dialog-notice", "#log")}
        return f"; the page shows {texts}"


def card(number):
    return f"#product-{number}"


def catalogue(page):
    """Pages, categories, orders, suggestions and a search."""
    page.shows("#count", "24 toys").shows(f"{card(1)} .title", "Balsa Fish").save("1-catalogue")
    page.click("#next").shows("#page", "Page 2 of 3")
    page.click("#next").shows("#page", "Page 3 of 3").shows(card(24), "Clock Puzzle")
    page.wait(lambda: not page.find("#next").is_enabled(), "no page after the last one")
    page.click("#previous").shows("#page", "Page 2 of 3")
    page.click("#categories [value=kites]").shows("#count", "6 toys")
    page.select("#sort", value="-price")
    page.wait(lambda: page.text(".product .title").split("\n")[0] == "Stunt Kite", "the most expensive kite first")
    page.select("#sort", value="").click("#categories [value='']").shows("#count", "24 toys")
    page.fill("#query", "puzzle").click("#suggest").shows("#hints", "Perhaps: puzzle, wooden puzzle")
    page.click("#find").shows("#count", "6 toys").shows("#products", "Tangram").save("2-search")
    page.fill("#query", "").click("#find").shows("#count", "24 toys")


def log_in(page, name):
    page.fill("#email", f"{name.lower()}@example.com").fill("#password", "lovelace").click("#login button")
    page.shows("#customer", f"Hello, {name}").shows("#notice", f"Welcome, {name}.")


def errors_before_login(page):
    page.click(f"{card(1)} .row button").shows("#notice", "401: POST /account/carts requires a token")
    page.fill("#password", "wrong").click("#login button")
    page.shows("#notice", "401: the address or the password is wrong")
    page.fill("#email", "mallory@example.com").fill("#password", "lovelace").click("#login button")
    page.shows("#notice", "423: this account is locked").save("3-errors")


def cart(page):
    """A cart, whose items are added, changed and removed."""
    page.click(f"{card(1)} .row button").shows("#items", "1 × Balsa Fish")
    page.click(f"{card(4)} .row button").shows("#items", "1 × Diamond Kite")
    page.click(f"{card(1)} .row button").shows("#items", "2 × Balsa Fish").shows("#total", "Total €43.00")
    page.click("#item-1 .more").shows("#items", "3 × Balsa Fish")
    page.click("#item-2 .less")
    page.shows("#notice", "422: a member of the item is invalid; quantity must be at least 1")
    page.click("#item-2 .remove").lacks("#items", "Diamond Kite").shows("#total", "Total €37.50")
    page.select("#country", value="AQ").click("#shipping button").shows("#notice", "400: no parcels to AQ")
    page.select("#country", value="DE").click("#shipping button").shows("#parcel", "€4.48, arrives on 20")
    page.save("4-cart")


def orders(page):
    """Three orders on two pages: details, a tracked delivery and a cancellation."""
    page.click("#checkout button").shows("#notice", "422: a member of the item is invalid; address is required")
    page.fill("#address", "12 Kite Lane, Bath").click("#checkout button")
    page.shows("#notice", "Thank you, order-1 is placed.").shows("#total", "The cart is empty.")
    for number, product in ((2, 3), (3, 5)):
        page.click(f"{card(product)} .row button").shows("#total", "Total €")
        page.click("#checkout button").shows("#notice", f"Thank you, order-{number} is placed.")
    page.shows("#orders", "order-2: €34.00").lacks("#orders", "order-1")
    page.click("#more-orders").shows("#orders", "order-1: €37.50")
    page.click("#order-1 .details").shows("#order", "order-1 to 12 Kite Lane, Bath, placed 20")
    page.click("#order-3 .track").shows("#tracking-step", "order-3: delivered").save("5-orders")
    page.click("#order-3 .cancel").shows("#notice", "order-3 is cancelled.")
    page.shows("#orders", "order-3: €27.50, cancelled")
    page.click(f"{card(6)} .row button").shows("#items", "Spinning Top")
    page.click("#load-cart").shows("#items", "Spinning Top")
    page.click("#empty-cart").shows("#total", "The cart is empty.")
    page.click("#load-orders").shows("#orders", "order-3: €27.50, cancelled")


def reviews(page):
    page.click(f"{card(1)} .title").shows("#reviews", "Swims through any living room.")
    page.fill("#stars", "9").fill("#text", "Too good to be true.").click("#review button")
    page.shows("#dialog-notice", "422: a member of the item is invalid; stars must be from 1 to 5")
    page.fill("#stars", "4").fill("#text", "").click("#review button")
    page.shows("#dialog-notice", "422: a member of the item is invalid; text is required")
    page.fill("#text", "It floats, too.").click("#review button").shows("#review-5", "It floats, too.")
    page.shows("#review-5", "Ada").save("6-reviews")
    page.click("#review-5 button").shows("#dialog-notice", "The review is deleted.")
    page.lacks("#reviews", "It floats, too.")


def upload(page, folder):
    """Uploads of nothing, of a text and of an image."""
    page.click("#upload button").shows("#dialog-notice", "422: a photo and a caption are required")
    note = folder / "note.txt"
    note.write_text("no image")
    page.fill("#caption", "Ada’s kite")
    page.find("#photo").send_keys(str(note))
    page.click("#upload button").shows("#dialog-notice", "415: the photo must be a PNG, JPEG or SVG image")
    page.find("#photo").send_keys(str(SHOP / "images/kites.svg"))
    page.click("#upload button").shows("#uploaded", "Photo 1 at /photos/1: Ada’s kite")
    page.shows("#dialog-notice", "The photo is uploaded.").save("7-upload")


def prices(page, second):
    """Two tabs of one customer: the second change is based on an outdated version."""
    page.use()
    second.use().click(f"{card(1)} .title").shows("#facts", "€12.50")
    page.use().fill("#price", "13").click("#reprice button").shows("#facts", "€13.00")
    second.use().fill("#price", "11").click("#reprice button")
    second.shows("#dialog-notice", "412: the item has changed since the request's version of it").save("8-outdated")
    page.use().click("#close").shows(card(1), "€13.00")


def trouble(page):
    """A flaky route and a lost connection."""
    seen = set()
    for _ in range(40):
        page.driver.execute_script("document.getElementById('recommended').textContent = ''")
        page.click("#recommend")
        page.wait(lambda: "503: the recommendations are overloaded" in page.text("#notice")
                   or "Tin Robot (customers like it), Marble Run (new)" == page.text("#recommended"),
                   "recommendations or an error")
        seen.add(bool(page.text("#recommended")))
        if len(seen) == 2:
            break
    equal(len(seen), 2, "the outcomes of 40 requests")
    page.click("#invoice").shows("#notice", "Failed: the connection was lost").save("9-trouble")


def other_customer(grace, ada):
    """Neither customer sees the changes of the other."""
    grace.use().shows(card(1), "€12.50")
    grace.click(f"{card(1)} .title").shows("#reviews", "Swims through any living room.")
    grace.fill("#price", "1").click("#reprice button")
    grace.shows("#dialog-notice", "401: a change of a product requires a token")
    grace.click("#close")
    log_in(grace, "Grace")
    grace.click("#load-orders").shows("#log", "GET /account/orders").lacks("#orders", "order-")
    grace.click(f"{card(3)} .row button").shows("#items", "1 × Tin Robot")
    ada.use().click(f"{card(5)} .row button").shows("#items", "1 × Music Box").lacks("#items", "Tin Robot")
    grace.use().click("#load-cart").shows("#items", "1 × Tin Robot").lacks("#items", "Music Box")
    ada.use().click("#reset").shows("#notice", "The shop is as it was at the start.")
    ada.shows("#customer", "Not logged in").shows(card(1), "€12.50")
    log_in(ada, "Ada")
    ada.click("#load-orders").shows("#log", "GET /account/orders").lacks("#orders", "order-")
    grace.use().click("#load-cart").shows("#items", "1 × Tin Robot")
    grace.driver.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark"}]})
    grace.save("10-other-customer")
    grace.click("#logout").shows("#notice", "Good-bye.").shows("#customer", "Not logged in")


def tell(driver, port, url, screenshots, folder):
    """Plays all scenes. The pages have the port, and the API has the URL."""
    def open_page(host):
        return Window(driver, f"http://{host}:{port}/?api={url.replace('127.0.0.1', host)}", screenshots)

    def new_tab(host):
        driver.switch_to.new_window("tab")
        return open_page(host)

    ada = open_page("127.0.0.1")
    catalogue(ada)
    errors_before_login(ada)
    log_in(ada, "Ada")
    cart(ada)
    orders(ada)
    reviews(ada)
    upload(ada, folder)
    prices(ada, new_tab("127.0.0.1"))
    trouble(ada.use())
    # Cookies and storage of localhost and 127.0.0.1 are separate, as those of two browsers.
    other_customer(new_tab("localhost"), ada)
