"""The mock server: its kinds of responses, and other servers with the same response."""

import os
import subprocess

import counting
from programs import ours, peer
from tables import table

PORT = 18486
# A peer without a program of the benchmarks.
NGINX = "nginx"
BOARD = '{"id":7,"title":"Board of forty bytes!"}'
# The requests of each kind: their target, and for a POST the body.
KINDS = {
    "fixed": ("/boards/7", None),
    "template with five values": ("/templates/7?title=Kite", None),
    "example of a contract": ("/examples/7?page=2", None),
    "value of a schema of a contract": ("/schemas/7", None),
    "the same, with a checked body": ("/boards", BOARD),
}
MESSAGES = {
    name: counting.get(target) if body is None
    else counting.post(target, body, "Content-Type: application/json\r\n")
    for name, (target, body) in KINDS.items()
}


def mock_servers(servers, options):
    """7b. MockServer and other servers, each on one core, with wrk on the other."""
    seconds = 2 if options.quick else 4
    script = os.path.join(servers.folder, "post.lua")
    with open(script, "w") as file:
        file.write(f"wrk.method = 'POST'\nwrk.body = '{BOARD}'\nwrk.headers['Content-Type'] = 'application/json'\n")

    def measured(path, target, body=None):
        """Returns the responses per second, and per second of the server's processor time."""
        command = servers.static_nginx(PORT) if path == NGINX else [path, "serve", "--port", str(PORT)]
        server = servers.start(command, PORT, core=0)
        before = _cpu(server.pid)
        out = subprocess.run(
            ["taskset", "-c", "1", "wrk", "-t1", "-c64", f"-d{seconds}s", *(["-s", script] if body else []),
             f"http://127.0.0.1:{PORT}{target}"], capture_output=True, text=True).stdout
        rate = next(float(line.split()[1]) for line in out.splitlines() if "Requests/sec" in line)
        completed = next(int(line.split()[0]) for line in out.splitlines() if "requests in" in line)
        if "Non-2xx" in out or "Socket errors" in out:
            print(f"!! {path} {target}: {out}")
        result = rate, completed / (_cpu(server.pid) - before)
        servers.end(server)
        return result

    _kinds(options, measured)
    _peers(options, measured)
    return None


def _kinds(options, measured):
    program = ours("mock-server-load")
    counts = counting.of_server(program, MESSAGES) if counting.is_available(program) else {}
    runs = {name: [] for name in KINDS}
    for _ in range(options.rounds):
        for name, (target, body) in KINDS.items():
            runs[name].append(measured(program, target, body))
    rows = []
    for name, found in runs.items():
        rates, costs = (sorted(run[index] for run in found) for index in (0, 1))
        rows.append([
            name, f"{counts[name]:,.0f}" if name in counts else "", f"{rates[len(rates) // 2]:,.0f}",
            f"{costs[len(costs) // 2]:,.0f}", f"{costs[0]:,.0f}..{costs[-1]:,.0f}"])
    heads = ["response of MockServer", "instructions", "responses/s", "responses/CPU s", "min..max"]
    print("\n" + table(heads, rows))


def _peers(options, measured):
    candidates = {
        "MockServer": ours("mock-server-load"),
        "FlyingFox": peer("flyingfox-server"),
        "Hummingbird": peer("hummingbird-server"),
        "nginx, a file": NGINX,
    }
    found = {name: [] for name, path in candidates.items() if path == NGINX or os.path.exists(path)}
    for _ in range(options.rounds):
        for name in found:
            found[name].append(measured(candidates[name], "/boards/7"))
    rows = []
    for name, runs in found.items():
        middle = len(runs) // 2
        ratio = sorted(own[1] / run[1] for own, run in zip(found["MockServer"], runs))
        rows.append([
            name, f"{sorted(run[0] for run in runs)[middle]:,.0f}",
            f"{sorted(run[1] for run in runs)[middle]:,.0f}",
            "" if name == "MockServer" else f"{ratio[middle]:.2f}",
            "" if name == "MockServer" else f"{ratio[0]:.2f}..{ratio[-1]:.2f}"])
    heads = ["server", "responses/s", "responses/CPU s", "MockServer / peer", "min..max"]
    print("\n" + table(heads, rows))


def _cpu(pid):
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
