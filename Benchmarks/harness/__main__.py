"""Runs the shapes, prints their tables, and writes figures.json and the plots that are drawn from it."""

import argparse
import datetime
import json
import os
import sys
import tempfile
import traceback

import history
import plots
import shapes
from programs import HERE
from servers import Servers

# The titles of the plots and of their axes. A plot with one title of an axis has bars.
PLOTS = {
    "gets": ("GET, validate, decode", "requests at a time", "requests per second"),
    "chains": ("A chain of dependent requests", "requests in the chain", "milliseconds"),
    "flights": ("Requests in flight", "requests in flight", "memory growth in MiB"),
    "clients": ("CPU time of a GET with decoding, on one core", "microseconds per request"),
}
# The folders of guides that have a copy of a plot.
COPIES = {"gets": ["Sources/Networking/Networking.docc/Resources"]}


def main():
    parser = argparse.ArgumentParser(prog="Benchmarks/run", epilog=(
        "--all runs all shapes, --routes, --stages and --check, with the other options; "
        "--check counts Catena's allocations, without a clock or peers, and exits with status 1 if they "
        "have grown; --promises [--quick] [--filter NAME] runs only the promises"))
    parser.add_argument("--quick", action="store_true", help="3 rounds instead of 7, with fewer requests")
    parser.add_argument("--filter", default="", help="only shapes whose name contains the text: "
                        + ", ".join(shapes.ALL))
    parser.add_argument("--plots", metavar="DIR", help=(
        "the folder for figures.json and the plots; default: plots, without copies in guides if given, "
        "and none with --quick"))
    parser.add_argument("--draw", action="store_true", help="only draws the plots again from figures.json")
    parser.add_argument("--alamofire", metavar="DIR", help="a checkout of Alamofire, for the shape clients")
    parser.add_argument("--get", metavar="DIR", help="a checkout of Get, for the shape clients")
    parser.add_argument("--go", metavar="PROGRAM", help="the program go, for the shape clients; default: that of PATH")
    options = parser.parse_args()
    options.rounds = 3 if options.quick else 7
    folder = options.plots or (None if options.quick and not options.draw else os.path.join(HERE, "plots"))
    failed = [] if options.draw else _measure(options, folder)
    if folder:
        _draw(_kept(folder, {}), folder, has_copies=not options.plots)
    if failed:
        sys.exit(f"error: shapes without all their tables: {', '.join(failed)}")


def _measure(options, figures_folder):
    """Runs the shapes, keeps the figures of each that has a plot, and returns the names of those that failed."""
    # In memory if possible, so that no disk is measured.
    memory = "/dev/shm" if os.path.isdir("/dev/shm") else None
    failed = []
    with tempfile.TemporaryDirectory(dir=memory) as folder, Servers(folder) as servers:
        for name, shape in shapes.ALL.items():
            if options.filter not in name:
                continue
            print(f"\n## {shape.__doc__}", flush=True)
            running = list(servers.processes)
            try:
                figures = shape(servers, options)
            except Exception:
                # The other shapes still run.
                traceback.print_exc()
                failed.append(name)
                for process in [one for one in servers.processes if one not in running]:
                    servers.end(process)
                continue
            if figures and figures_folder:
                _kept(figures_folder, {name: figures})
    return failed


def _kept(folder, figures):
    """Replaces figures in figures.json, and returns all. `measured` has the date and the machine of each shape."""
    path = os.path.join(folder, "figures.json")
    known = {}
    if os.path.exists(path):
        with open(path) as file:
            known = json.load(file)
    if figures:
        note = f"{datetime.date.today()}, {os.cpu_count()} cores of {history.processor()}, {history.swift()}"
        known["measured"] = known.get("measured", {}) | {name: note for name in figures}
        os.makedirs(folder, exist_ok=True)
        with open(path, "w") as file:
            json.dump(known | figures, file, indent=1, sort_keys=True)
            file.write("\n")
    return known | figures


def _draw(known, folder, has_copies):
    for name, (title, *axes) in PLOTS.items():
        if name not in known:
            continue
        note = known.get("measured", {}).get(name, "")
        folders = [folder]
        if has_copies:
            folders += [os.path.join(os.path.dirname(HERE), copy) for copy in COPIES.get(name, [])]
        for place in folders:
            os.makedirs(place, exist_ok=True)
            base = os.path.join(place, name)
            if len(axes) == 1:
                plots.bars(base, title, note, axes[0], known[name])
            else:
                plots.lines(base, title, note, *axes, known[name])


if __name__ == "__main__":
    main()
