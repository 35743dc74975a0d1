"""The table of the modules and names that not all platforms have, and the look-up of names in sources."""
import functools
import pathlib
import re

HERE = pathlib.Path(__file__).resolve().parent
APPLE = ("macOS", "iOS", "tvOS", "watchOS", "visionOS")
PLATFORMS = APPLE + ("Linux", "Musl", "Android")
PATTERNS = {
    # A type or constant, alone or after its module.
    "type": r"(?<![\w.])(?:(?:Foundation|AuthenticationServices|AppKit|UIKit|Security)\.)?({})\b",
    "member": r"(?<=\.)({})\b",
    "function": r"(?<![\w.])(?<!func )(?<!case )(?:(?:Darwin|Glibc|Security)\.)?({})\s*\(",
}
# The declarations of the project that the patterns cannot tell from a name of the table.
DECLARATIONS = {
    "type": r"\b(?:struct|class|enum|protocol|typealias|actor) ({})\b",
    "member": r"\b(?:func|var|let|case) `?({})\b",
    "function": r"\bfunc ({})\s*\(",
}


def read_table(text):
    """The platforms of each name, by kind."""
    table = {kind: {} for kind in ("module", "package", *PATTERNS)}
    for number, line in enumerate(text.split("\n"), 1):
        line = line.split("#")[0].strip()
        if not line:
            continue
        kind, _, rest = line.partition(" ")
        names, separator, platforms = rest.partition(":")
        platforms = platforms.replace("Apple", " ".join(APPLE)).split()
        if kind not in table or not separator or not names.split() or set(platforms) - set(PLATFORMS):
            raise SystemExit(f"availability.txt:{number}: not understood: {line}")
        for name in names.split():
            if name in table[kind]:
                raise SystemExit(f"availability.txt:{number}: {name} is there twice")
            table[kind][name] = platforms
    return table


TABLE = read_table((HERE / "availability.txt").read_text(encoding="utf-8"))
QUOTE = re.compile(r'(#*)("""|")')


def without_text(source):
    """The code of a source: comments and the text of strings become spaces, interpolated expressions stay."""
    result, at = [], 0

    def blank(end):
        nonlocal at
        result.append(re.sub(r"[^\n]", " ", source[at:end]))
        at = end

    # Each frame is the string around the code, with the depth of the parentheses of its interpolation.
    frames, depth = [], 0
    while at < len(source):
        if source.startswith("//", at):
            end = source.find("\n", at)
            blank(len(source) if end < 0 else end)
        elif source.startswith("/*", at):
            level, end = 1, at + 2
            while level and end < len(source):
                mark = source[end:end + 2]
                level += {"/*": 1, "*/": -1}.get(mark, 0)
                end += 2 if mark in ("/*", "*/") else 1
            blank(end)
        elif match := QUOTE.match(source, at):
            blank(match.end())
            frames.append((match[1], match[2], depth))
            at = string_end(source, at, frames[-1], blank)
            depth = 0 if source[at - 1] == "(" else frames.pop()[2]
        else:
            character = source[at]
            result.append(character)
            at += 1
            if frames and character in "()":
                depth += 1 if character == "(" else -1
                if depth < 0:
                    at = string_end(source, at, frames[-1], blank)
                    depth = 0 if source[at - 1] == "(" else frames.pop()[2]
    return "".join(result)


def string_end(source, start, frame, blank):
    """Blanks the text of a string to its end, or to the start of an interpolated expression, and returns the place behind."""
    hashes, quote, _ = frame
    at = start
    while at < len(source):
        if source.startswith("\\" + hashes, at):
            at += 1 + len(hashes)
            if source.startswith("(", at):
                blank(at + 1)
                return at + 1
            at += 1
        elif source.startswith(quote + hashes, at):
            at += len(quote + hashes)
            blank(at)
            return at
        else:
            at += 1
    blank(at)
    return at


class Lookup:
    """Finds the names that a platform lacks."""

    def __init__(self):
        self.names = {name for kind in PATTERNS for name in TABLE[kind]}
        self.patterns = [(kind, is_use, re.compile(source[kind].format("|".join(TABLE[kind]))))
                         for source, is_use in ((PATTERNS, True), (DECLARATIONS, False)) for kind in PATTERNS]

    @functools.lru_cache(maxsize=None)
    def found(self, text):
        """The names of the table in a text: each with its line, its kind, and whether it is a use or a declaration."""
        if self.names.isdisjoint(re.findall(r"\w+", text)):
            return ()
        code = without_text(text)
        return tuple(sorted((code.count("\n", 0, match.start(1)) + 1, match[1], kind, is_use)
                            for kind, is_use, pattern in self.patterns for match in pattern.finditer(code)))

    def problems(self, path, text, platform):
        """The errors in the lines of a file that a platform compiles."""
        if platform not in APPLE:
            return []
        return [f"{path}:{line}: error: " + (
                    f"'{name}' is unavailable in {platform}" if is_use else f"availability.txt has the name '{name}' of the project")
                for line, name, kind, is_use in self.found(text) if not is_use or platform not in TABLE[kind][name]]
