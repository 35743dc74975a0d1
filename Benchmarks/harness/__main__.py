"""Runs the shapes, prints their tables, and writes figures.json and the plots that are drawn from it."""

import argparse
import json
import os
import tempfile

import plots
import shapes
from programs import HERE
from servers import Servers

PLOTS = {
    "gets": ("GET, validate, decode", "requests at a time", "requests per second"),
    "chains": ("A chain of dependent requests", "requests in the chain", "milliseconds"),
    "flights": ("Requests in flight", "requests in flight", "memory growth in MiB"),
}


def main():
    parser = argparse.ArgumentParser(prog="Benchmarks/run", epilog=(
        "--check counts Catena's allocations, without a clock or peers, and exits with status 1 if they "
        "have grown; --promises [--quick] [--filter NAME] runs only the promises"))
    parser.add_argument("--quick", action="store_true", help="3 rounds instead of 7, with fewer requests")
    parser.add_argument("--filter", default="", help="only shapes whose name contains the text: "
                        + ", ".join(shapes.ALL))
    parser.add_argument("--plots", default=os.path.join(HERE, "plots"), help="the folder for the plots")
    parser.add_argument("--alamofire", metavar="DIR", help="a checkout of Alamofire, for the shape clients")
    parser.add_argument("--get", metavar="DIR", help="a checkout of Get, for the shape clients")
    parser.add_argument("--go", metavar="PROGRAM", help="the program go, for the shape clients; default: that of PATH")
    options = parser.parse_args()
    options.rounds = 3 if options.quick else 7

    # In memory if possible, so that no disk is measured.
    memory = "/dev/shm" if os.path.isdir("/dev/shm") else None
    figures = {}
    with tempfile.TemporaryDirectory(dir=memory) as folder, Servers(folder) as servers:
        for name, shape in shapes.ALL.items():
            if options.filter in name:
                print(f"\n## {shape.__doc__}", flush=True)
                figures[name] = shape(servers, options)
    os.makedirs(options.plots, exist_ok=True)
    path = os.path.join(options.plots, "figures.json")
    known = json.load(open(path)) if os.path.exists(path) else {}
    known |= {name: lines for name, lines in figures.items() if lines}
    with open(path, "w") as file:
        json.dump(known, file, indent=1, sort_keys=True)
        file.write("\n")
    for name, (title, across, up) in PLOTS.items():
        if name in known:
            plots.plot(os.path.join(options.plots, name), title, across, up, known[name])


if __name__ == "__main__":
    main()
