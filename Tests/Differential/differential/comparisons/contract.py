"""Serves the OpenAPI documents of Tests/Contracts with mock-server, and tests each with schemathesis and openapi-core.

The generated requests are valid and invalid, and both packages must accept each response. Each document is tested
twice: without a state, and with the collections that keep changes. Then the Swift code of `mock-server endpoints` is
compiled with the modules of the build, and each of its endpoints is sent to the served document once.
"""

import re
import subprocess
import sys

from ..support.processes import MockServer
from ..support.report import expect
from ..support.setup import ROOT, logged, program
from .admin import schemathesis, summary

CONTRACTS = ROOT / "Tests/Contracts"
# The documents with the paths of their servers, and options of schemathesis.
DOCUMENTS = {
    "pets.yaml": ("/v1", []),
    "shop.json": ("", ["-H", "Authorization: Bearer t-1"]),
    "library/openapi.yaml": ("/api/v2", []),
}


def file_name(text):
    return re.sub(r"\W", "_", text)


def check_responses(document, options):
    """Tests a document without and with a state.

    A mock accepts every token, and without a state it keeps a deleted item: the checks "ignored_auth" and
    "use_after_free" do not apply.
    """
    file, (path, arguments) = CONTRACTS / document, DOCUMENTS[document]
    for mode, excluded in [([], "ignored_auth,use_after_free"), (["--stateful"], "ignored_auth")]:
        log = options.work / f"{file_name(document + ''.join(mode))}.report"
        with MockServer(file, "--no-watch", *mode, warns=True) as server:
            report = schemathesis(
                file, options, log, "--url", server.url + path, "--exclude-checks", excluded, "--warnings", "off",
                *arguments, CONTRACT_DOCUMENT=str(file), SCHEMATHESIS_HOOKS="validators", PYTHONPATH=str(CONTRACTS))
        print(f"{document} {''.join(mode)}: {summary(report)}")


def swift_options(folder):
    """Returns the options that find the modules of a build. CCatenaCurl is missing without libcurl."""
    maps = [path for name in ("CCatena", "CCatenaCurl") for path in [folder / f"{name}.build/module.modulemap"] if path.exists()]
    return ["-swift-version", 6, "-I", folder / "Modules", *(f for path in maps for f in ("-Xcc", f"-fmodule-map-file={path}"))]


def compile_endpoints(document, folder, work):
    """Compiles the code of a document with both default isolations, and returns its file."""
    code = work / f"{file_name(document.name)}.swift"
    with open(code, "w") as file:
        status = subprocess.run([folder / "mock-server", "endpoints", document], stdout=file).returncode
    expect(status == 0, f"mock-server endpoints {document.name} failed")
    for isolation in ["nonisolated", "MainActor"]:
        logged(["swiftc", "-typecheck", "-warnings-as-errors", "-default-isolation", isolation, *swift_options(folder), code],
               work / "diagnostics.log")
    return code


def call_endpoints(document, code, folder, work):
    """Sends a request of each endpoint of a document to its server."""
    calls, notes, log = work / f"{code.stem}_calls.swift", work / f"{code.stem}.skipped", work / f"{code.stem}.log"
    with open(calls, "w") as file, open(notes, "w") as skipped:
        status = subprocess.run([sys.executable, "-B", CONTRACTS / "calls.py", document, code], stdout=file, stderr=skipped)
    expect(status.returncode == 0, f"calls.py: {notes.read_text()}")
    objects = [path for name in ("CatenaSystem", "Networking", "NetworkingInterceptors", "Promises", "CCatena", "CCatenaCurl")
               for path in sorted((folder / f"{name}.build").glob("*.o"))]
    binary = work / f"{code.stem}_calls"
    logged(["swiftc", "-parse-as-library", *swift_options(folder), code, calls, *objects, "-l:libcurl.so.4", "-l:libz.so.1",
            "-o", binary], work / "diagnostics.log")
    with MockServer(document, "--no-watch") as server:
        logged([binary, server.url], log)
    left_out = sum(line.startswith("no request") for line in notes.read_text().splitlines())
    types = len(re.findall(r"^nonisolated struct", code.read_text(), re.M))
    print(f"the Swift code of {document.name}: {types} types, {log.read_text().splitlines()[-1]}, "
          f"{left_out} of forms with files left out")


def run(options):
    for document in DOCUMENTS:
        check_responses(document, options)
    folder = program("mock-server").parent
    if not (folder / "Modules").exists():
        return f"{len(DOCUMENTS)} documents; no Swift code, because CATENA_PROGRAMS has no modules"
    documents = [CONTRACTS / name for name in [*DOCUMENTS, "names.yaml"]]
    if options.documents:
        documents += sorted(path for path in options.documents.iterdir() if path.suffix in (".json", ".yaml", ".yml"))
    for document in documents:
        code = compile_endpoints(document, folder, options.work)
        if sys.platform == "linux":
            call_endpoints(document, code, folder, options.work)
    return f"{len(DOCUMENTS)} documents, the Swift code of {len(documents)}"
