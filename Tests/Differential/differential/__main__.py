"""Runs the comparisons of Catena with other programs."""

from __future__ import annotations

import argparse
import importlib
import os
import pathlib
import signal
import sys
import time
import traceback
from typing import NamedTuple, Optional

from .support import setup
from .support.report import Expired, Failure, Skipped


class Comparison(NamedTuple):
    summary: str
    # The counts of cases by default and with --full. Some comparisons have a fixed number of cases.
    quick: Optional[int] = None
    full: Optional[int] = None
    unit: str = ""


COMPARISONS = {
    "admin": Comparison("the admin API of mock-server, by schemathesis", 20, 50, "requests for each operation"),
    "answers": Comparison("the responses of served OpenAPI documents, validated by jsonschema"),
    "cache": Comparison("the HTTP cache, with that of Chromium", 40, 40, "sequences of requests"),
    "contract": Comparison("served OpenAPI documents, by schemathesis and openapi-core; their Swift code", 25, 500,
                           "requests for each operation"),
    "har": Comparison("a recording, read by hario-core and haralyzer"),
    "http2": Comparison("uploads to Node, hyper-h2 and nginx, which respond before they read the body", 200, 1000,
                        "uploads at once"),
    "inspector": Comparison("the inspector page of mock-server, in Chromium"),
    "multipart": Comparison("multipart forms, parsed by werkzeug, python-multipart, Django and email", 500, 2000, "forms"),
    "oauth2": Comparison("the OAuth2 client, with django-oauth-toolkit and idpyoidc, in Chromium"),
    "prism": Comparison("the scenarios of Prism for OpenAPI 3, from a copy of its repository"),
    "query": Comparison("encoded parameters, decoded by PHP, Rack, qs and Django", 1000, 5000, "trees for each format"),
    "shop": Comparison("the example Shop, used by two customers in Chromium"),
    "site": Comparison("the site of the documentation, read in Chromium"),
    "tracing": Comparison("the forms of a trace, read by opentelemetry-proto and Chromium"),
    "transfers": Comparison("downloads from nginx and uploads to tuspyserver, killed and continued", 8, 50, "kills"),
    "xml": Comparison("XML documents, with lxml, and a SOAP server of spyne", 500, 2000, "documents of each direction"),
    "yaml": Comparison("YAML documents, with Yams", 2000, 20_000, "documents"),
}


def parse() -> argparse.Namespace:
    lines = [f"  {name:<10} {each.summary}" + (f" ({each.quick} / {each.full} {each.unit})" if each.unit else "")
             for name, each in COMPARISONS.items()]
    parser = argparse.ArgumentParser(
        prog="differential", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="\n".join(["comparisons, with the counts of cases by default and with --full:", *lines]))
    parser.add_argument("names", nargs="*", metavar="NAME", help="the comparisons to run")
    parser.add_argument("--list", action="store_true", help="print the names of the comparisons")
    parser.add_argument("--strict", action="store_true", help="a comparison that is skipped has failed")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="the seed of random cases; 1 by default")
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--size", type=int, metavar="N", help="the count of cases")
    size.add_argument("--full", action="store_true", help="use the larger count of cases")
    parser.add_argument("--timeout", type=int, metavar="SECONDS",
                        help="the limit for each comparison without its builds, 0 for none; by default 900, and none with --full")
    some = parser.add_argument_group("options of some comparisons")
    some.add_argument("--checks", nargs="+", metavar="CHECK", help="inspector: run only these checks")
    some.add_argument("--documents", type=pathlib.Path, metavar="FOLDER",
                      help="answers, contract: use these OpenAPI documents, too")
    some.add_argument("--mib", type=int, metavar="N", help="transfers: the size of the file; by default 16, with --full 64")
    some.add_argument("--recording", type=pathlib.Path, metavar="FILE",
                      help="har: read this recording of the tests, instead of running them")
    some.add_argument("--scenarios", type=pathlib.Path, metavar="FOLDER",
                      help="prism: the folder test-harness/specs of Prism's repository")
    some.add_argument("--screenshots", type=pathlib.Path, metavar="FOLDER",
                      help="inspector, shop, site, tracing: save pictures of the pages in FOLDER/NAME")
    some.add_argument("--suite", type=pathlib.Path, metavar="FOLDER",
                      help="yaml: run the cases of the yaml-test-suite, too; its branch `data` is in FOLDER")
    some.add_argument("--table", action="store_true", help="cache: print the outcomes of all sequences")
    some.add_argument("--traces", type=pathlib.Path, metavar="FOLDER",
                      help="tracing: read the forms in this folder, instead of running the tests that write them")
    options = parser.parse_args()
    if not options.list and not options.names:
        parser.error("name at least one comparison; --list prints the names")
    if unknown := [name for name in options.names if name not in COMPARISONS]:
        parser.error(f"there is no comparison {', '.join(unknown)}; --list prints the names")
    if options.size is not None:
        if options.size < 1:
            parser.error("--size must be at least 1")
        if fixed := [name for name in options.names if COMPARISONS[name].quick is None]:
            parser.error(f"--size: the cases of {', '.join(fixed)} are fixed")
    return options


def stop(number, frame) -> None:
    """Ends with the cleanup of all `with` blocks."""
    sys.exit(128 + number)


def expire(number, frame) -> None:
    raise Expired("the time is over")


def run(name: str, options: argparse.Namespace) -> bool:
    """Runs a comparison, and prints its result. Returns False if it has failed, or if it was skipped and must not be."""
    comparison, began = COMPARISONS[name], time.monotonic()
    values = {**vars(options), "work": setup.WORK / name}
    values["size"] = options.size or (comparison.full if options.full else comparison.quick)
    if options.screenshots:
        values["screenshots"] = options.screenshots / name
    values["work"].mkdir(parents=True, exist_ok=True)
    signal.alarm((0 if options.full else 900) if options.timeout is None else options.timeout)
    try:
        module = importlib.import_module(f"differential.comparisons.{name}")
        result = f"ok: {name}: {module.run(argparse.Namespace(**values))}"
    except Skipped as reason:
        result = f"SKIPPED: {name}: {reason}"
    except (Exception, Expired) as error:
        if isinstance(error, ModuleNotFoundError) and not setup.in_environment():
            result = f"SKIPPED: {name}: it needs {error.name} from PyPI"
        else:
            reason, line = str(error), " ".join(str(error).split())[:300]
            if not isinstance(error, (Failure, Expired)):
                traceback.print_exc(file=sys.stdout)
                line = f"{type(error).__name__}: {line}"
            elif reason != line:
                print(reason[:4000])
            result = f"FAILED: {name}: {line}"
    finally:
        signal.alarm(0)
    print(f"{result} ({time.monotonic() - began:.0f} s)", flush=True)
    return not result.startswith(("FAILED", "SKIPPED") if options.strict else "FAILED")


def main() -> None:
    options = parse()
    if options.list:
        print(*COMPARISONS, sep="\n")
        return
    sys.stdout.reconfigure(line_buffering=True)
    if not setup.in_environment():
        setup.enter_environment()
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGHUP, stop)
    signal.signal(signal.SIGALRM, expire)
    os.nice(5)
    results = [run(name, options) for name in options.names]
    sys.exit(not all(results))


main()
