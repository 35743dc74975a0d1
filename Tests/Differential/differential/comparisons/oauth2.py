"""Runs the OAuth2 client against two authorization servers, and signs in in Chromium.

With django-oauth-toolkit the program oauth2-grants checks the grants, refreshes with rotation, and revocation; with
idpyoidc the `iss` of redirects and the token exchange.
"""

import subprocess
import tempfile
import urllib.request

from ..support.browser import Page, chromium
from ..support.processes import python_server, running
from ..support.report import equal, expect
from ..support.setup import program, require


class Consent(Page):
    """The pages of django-oauth-toolkit."""

    pages = 0

    def sign_in(self, url):
        """Opens a page, signs in, and consents if the page asks for that."""
        self.driver.get(url)
        if self.driver.find_elements("name", "username"):
            self.fill("[name=username]", "ann")
            self.fill("[name=password]", "ann-password")
            self.click("[type=submit]")
        self.wait(lambda: self.all("[name=allow], [name=user_code]"), "no page asks for a consent or a code")
        if self.all("[name=allow]"):
            self.click("[name=allow]")

    def open(self, url):
        self.sign_in(url)
        self.shows("body", "You can return to the app.")
        self.pages += 1

    def approve(self, url, code):
        """Enters the code of a device, and consents."""
        self.sign_in(url)
        self.fill("[name=user_code]", code)
        self.click("[type=submit]")
        self.click("[value=accept]")


def run_program(*arguments, **handlers):
    """Runs the program, and returns the number of its checks.

    A line that begins with the name of a handler calls it with the other words. All other lines are printed.
    """
    lines = []
    with running([program("oauth2-grants"), *arguments], stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            words = line.split()
            if words and words[0] in handlers:
                handlers[words[0]](*words[1:])
            else:
                print(line, end="")
                lines.append(line.strip())
        equal((process.wait(), lines[-1:]), (0, ["end"]), "the status and the last line of oauth2-grants")
    return sum(line.startswith("ok ") for line in lines)


def check_exchange():
    """Runs the sign-in with `iss` and the token exchange against idpyoidc, which needs no page."""
    with python_server("exchange") as url:
        # The page redirects to the program.
        return run_program("exchange", url, open=lambda page: urllib.request.urlopen(page, timeout=60).close())


def check_grants():
    """Runs the grants against django-oauth-toolkit, in Chromium."""
    with tempfile.TemporaryDirectory() as folder, python_server("authorization", folder) as url:
        with chromium() as driver:
            page = Consent(driver)
            checks = run_program("grants", url + "/o", url + "/orders", folder, open=page.open, device=page.approve)
            expect(page.pages, "no page was opened")
            return checks, driver.capabilities["browserVersion"]


def run(options):
    require({"openssl": "openssl"})
    exchange, (grants, version) = check_exchange(), check_grants()
    return f"{grants} checks with django-oauth-toolkit and Chromium {version}, {exchange} with idpyoidc"
