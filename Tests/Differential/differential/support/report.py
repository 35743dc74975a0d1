"""Results of checks."""

from __future__ import annotations

import collections
import os


class Failure(Exception):
    """A check has failed."""


class Expired(BaseException):
    """The time for a comparison is over. Checks that go on after an exception do not catch it."""


class Skipped(Exception):
    """A requirement of a comparison cannot be installed."""


def expect(condition, message) -> None:
    if not condition:
        raise Failure(str(message))


def equal(actual, expected, subject: str = "") -> None:
    expect(actual == expected, f"{subject}{': ' if subject else ''}{actual!r} instead of {expected!r}")


class Differences:
    """The differences between two implementations, counted by the name of the other one."""

    def __init__(self) -> None:
        self.counts: collections.Counter = collections.Counter()
        self.found: collections.Counter = collections.Counter()

    def compare(self, name: str, case, actual, expected, is_same: bool | None = None) -> None:
        """Counts a case. Prints the first three differences of the name, from their first different character."""
        self.counts[name] += 1
        if actual == expected if is_same is None else is_same:
            return
        self.found[name] += 1
        if self.found[name] <= 3:
            start = max(len(os.path.commonprefix([repr(actual), repr(expected)])) - 100, 0)
            for key, value in [("difference, " + name, case), ("  actual:   ", repr(actual)[start:]),
                               ("  expected: ", repr(expected)[start:])]:
                print(key, str(value)[:400])

    def report(self) -> None:
        """Prints the counts, and raises an error if there is a difference."""
        for name, count in self.counts.items():
            print(f"{name}: {count} cases, {self.found[name]} differences")
        expect(self.counts, "no case was compared")
        expect(not self.found, f"{sum(self.found.values())} differences")
