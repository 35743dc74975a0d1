"""Downloads from nginx.

- The file is that of the server, and nothing else is left beside it.
- Each request begins at the length of the partial file, so that no written byte is requested again. The bytes that the
  server has sent beyond the size are those that were in buffers when the program was killed.
- If the file on the server is replaced in between, the download is one of both files, and never a mixture.
- The same with four connections at a time.
- The peak memory of the program grows by less than 16 MiB.
"""

import os
import random

from ...support.processes import nginx, wait_until
from ...support.report import equal, expect
from .killing import MIB, Run, length, make_file, sha256

# The bytes in the buffers of the program and of both sockets.
BUFFER = 2 * MIB


class Downloads:
    def __init__(self, folder, url, size, seed):
        self.folder, self.url, self.size, self.seed = folder, url + "/film", size, seed
        self.target = folder / "target"
        self.target.mkdir()
        self.kills = 0
        self.file, self.partial = self.target / "film", self.target / ".film.download"

    def replace(self, seed):
        """Puts another file in place, with another size, because nginx makes the entity tag of size and time."""
        digest = make_file(self.folder / "files/new", self.size + (seed % 7 + 1) * MIB, seed)
        os.replace(self.folder / "files/new", self.folder / "files/film")
        return digest

    def requests(self):
        """Returns the words of each line of the log of nginx: method, status, sent bytes, range."""
        lines = (self.folder / "access.log").read_text().splitlines()
        return [line.split(maxsplit=3) for line in lines if line.startswith("GET")]

    def received(self, connections):
        """Returns the length of the partial file. With several connections it is sparse, so its blocks are counted."""
        if connections == 1:
            return length(self.partial)
        return os.stat(self.partial).st_blocks * 512 if self.partial.exists() else -1

    def kill_all(self, name, kills, connections, changes):
        """Runs the program until it has been killed at all positions, and then until its end.

        Returns the lengths of the partial file after the kills, the digests of the files, and the memory in KiB.
        """
        generator = random.Random(f"{self.seed} {name}")
        positions = sorted(generator.randrange(self.size) for _ in range(kills))
        change_at = set(generator.sample(range(kills), changes))
        arguments = ("download", self.url, self.file, connections)
        lengths, digests, memory = [], [sha256(self.folder / "files/film")], 0
        for number, position in enumerate(positions):
            if connections == 1:
                if changes:
                    # After a change the file starts again, so the next position is relative to its length.
                    position = length(self.partial) + generator.randrange(self.size // kills)
                # Each run receives at least one more byte.
                position = max(position, length(self.partial))
            process = Run(*arguments)
            if not process.kill_when(lambda: self.received(connections) > position):
                process.finish(name)
                break
            lengths.append(length(self.partial))
            if number in change_at:
                digests.append(self.replace(self.seed + 1000 + number))
        if not self.file.exists():
            memory = Run(*arguments).finish(name)
        return lengths, digests, memory

    def check(self, name, kills, connections=1, changes=0):
        (self.folder / "access.log").write_text("")
        lengths, digests, memory = self.kill_all(name, kills, connections, changes)
        actual, killed, total = sha256(self.file), len(lengths), length(self.file)
        expect(actual == digests[-1], f"{name}: the file is {'an older one' if actual in digests else 'a mixture'}")
        equal([path.name for path in self.target.iterdir()], ["film"], f"{name}: the files")
        self.file.unlink()
        self.kills += killed
        # nginx writes the line of a lost connection when it notices the loss.
        wait_until(lambda: len(self.requests()) > killed, f"{name}: a request is not in the log of nginx")
        requests = self.requests()
        sent = sum(int(fields[2]) for fields in requests)
        print(f"{name}: {killed} kills, {len(requests)} requests, {len(digests) - 1} changes, {total} bytes, "
              f"{sent - total} sent beyond them, {memory} KiB of memory")
        if changes:
            return
        if connections == 1:
            starts = [int(fields[3].strip('"')[6:].split("-")[0]) for fields in requests if fields[3] != '"-"']
            expected = [value for value in lengths if value > 0]
            expect(starts == expected[:len(starts)] and len(starts) >= len(expected),
                   f"{name}: the requests began at {starts}, and the lengths were {expected}")
        # Several connections write their positions for each MiB.
        bound = (killed + 1) * (BUFFER if connections == 1 else connections * (BUFFER + MIB))
        expect(sent - total <= bound, f"{name}: more than {bound} bytes were sent twice")


def check_downloads(options, folder):
    size = options.mib * MIB
    (folder / "files").mkdir()
    make_file(folder / "files/film", size, options.seed)
    # A download takes some seconds, however fast the machine is, so that it can be killed in between.
    rate = max(size // 5, MIB)
    directives = f"root {folder}/files; sendfile off; output_buffers 1 64k; limit_rate {rate};"
    kills, few = options.size, min(options.size, 20)
    with nginx(folder, directives) as url:
        downloads = Downloads(folder, url, size, options.seed)
        downloads.check("a download", 0)
        downloads.check("downloads", kills)
        downloads.check("changing downloads", few, changes=few // 2)
        downloads.check("downloads over four connections", few, connections=4)
        downloads.check("changing downloads over four connections", few, connections=4, changes=few // 4)
    expect(downloads.kills, "no download was killed")
    return f"downloads with {downloads.kills} kills"
