"""The program resumable-transfers, run until it is killed or ends."""

import hashlib
import os
import random
import signal
import subprocess
import time

from ...support.report import equal, expect
from ...support.setup import program

MIB = 1 << 20
# The limit for the growth of the program's memory, in KiB.
MEMORY = 16 << 10


def make_file(path, size, seed):
    """Writes bytes that differ at every position, and returns their SHA-256."""
    generator = random.Random(seed)
    with open(path, "wb") as file:
        for _ in range(size // MIB):
            file.write(generator.randbytes(MIB))
    return sha256(path)


def sha256(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(MIB):
            digest.update(block)
    return digest.hexdigest()


def length(path):
    try:
        return os.stat(path).st_size
    except FileNotFoundError:
        return 0


class Run:
    """A process of the program."""

    def __init__(self, *arguments):
        self.process = subprocess.Popen([program("resumable-transfers"), *map(str, arguments)],
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def kill_when(self, condition):
        """Kills the program when the condition is true. Returns False if it ended before."""
        try:
            while self.process.poll() is None:
                if condition():
                    self.process.send_signal(signal.SIGKILL)
                    self.process.wait()
                    return True
                time.sleep(0.0005)
            return False
        except BaseException:
            self.process.kill()
            raise

    def finish(self, name):
        """Waits for the end of the program, and checks its status and its memory."""
        try:
            output, _ = self.process.communicate()
        finally:
            self.process.kill()
        equal(self.process.returncode, 0, f"{name}: the status of the program, which printed {output!r}")
        memory = int(output.split()[2])
        expect(memory <= MEMORY, f"{name}: the memory grew by {memory} KiB")
        return memory
