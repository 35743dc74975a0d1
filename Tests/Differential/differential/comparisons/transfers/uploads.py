"""Uploads to tuspyserver.

- The server has the file, and nothing is left beside the source.
- No byte arrives twice, and the offsets of the requests grow.
- The peak memory of the program grows by less than 16 MiB.
"""

import random
import shutil

from ...support.processes import python_server, wait_until
from ...support.report import equal, expect
from .killing import MIB, Run, length, make_file, sha256


class Uploads:
    def __init__(self, folder, url, size, seed):
        self.folder, self.url, self.size, self.seed = folder, url + "/files/", size, seed
        self.source = folder / "film"
        self.digest = make_file(self.source, size, seed)
        self.kills = 0

    def log(self):
        return [line.split() for line in (self.folder / "tus.log").read_text().splitlines()]

    def is_idle(self):
        log = self.log()
        return sum(line[0] == "begin" for line in log) == sum(line[0] == "end" for line in log)

    def stored(self):
        return [path for path in (self.folder / "uploads").iterdir() if path.is_file() and "." not in path.name]

    def received(self):
        return max(map(length, self.stored()), default=0)

    def kill_all(self, name, piece, kills):
        """Runs the program until it has been killed at all positions, and then until its end.

        Returns the number of kills and the memory in KiB.
        """
        generator = random.Random(f"{self.seed} {name}")
        arguments = ("upload", self.url, self.source, piece)
        for number, position in enumerate(sorted(generator.randrange(self.size) for _ in range(kills))):
            # Each run sends at least one more byte.
            position = max(position, self.received())
            process = Run(*arguments)
            if not process.kill_when(lambda: self.received() > position):
                return number, process.finish(name)
            # The server locks an upload until it has noticed the loss of the connection.
            wait_until(self.is_idle, f"{name}: the request of a killed upload has not ended")
        return kills, Run(*arguments).finish(name)

    def check(self, name, piece, kills):
        shutil.rmtree(self.folder / "uploads", ignore_errors=True)
        (self.folder / "uploads").mkdir()
        before = len(self.log())
        killed, memory = self.kill_all(name, piece, kills)
        self.kills += killed
        equal([sha256(path) for path in self.stored()], [self.digest], f"{name}: the files of the server")
        equal([path.name for path in self.folder.iterdir() if path.name.startswith(".")], [], f"{name}: the files")
        log = self.log()[before:]
        received = sum(int(line[3]) for line in log if line[:2] == ["end", "PATCH"])
        offsets = [int(line[2]) for line in log if line[:2] == ["begin", "PATCH"]]
        print(f"{name}: {killed} kills, {len(offsets)} pieces, {self.size} bytes, {received - self.size} received twice, "
              f"{memory} KiB of memory")
        expect(received == self.size and offsets == sorted(set(offsets)),
               f"{name}: {received - self.size} bytes arrived twice, at {offsets}")


def check_uploads(options, folder):
    size = options.mib * MIB
    (folder / "uploads").mkdir()
    (folder / "tus.log").write_text("")
    with python_server("tus", folder, max(size // 4, MIB)) as url:
        uploads = Uploads(folder, url, size, options.seed)
        uploads.check("an upload", 16 * MIB, 0)
        uploads.check("uploads", 16 * MIB, options.size)
        uploads.check("uploads in one piece", size, min(options.size, 20))
    expect(uploads.kills, "no upload was killed")
    return f"uploads with {uploads.kills} kills"
