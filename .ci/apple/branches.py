#!/usr/bin/env python3
"""Evaluates the `#if`s of Swift sources for a platform.

    branches.py count   ROOT [FOLDER ...]                 lines that only Apple's platforms compile, by file
    branches.py rewrite ROOT OUT PLATFORM [FOLDER ...]    copies, with only PLATFORM's branches left

Lines keep their numbers: a line that is not compiled becomes empty. Unknown conditions stay.
`import Foundation` also imports the stubs for the rest of Apple's Foundation.
"""
import os, re, sys


from availability import APPLE, TABLE

# Musl is Linux with that C library, and without libcurl.
PLATFORMS = APPLE + ("Musl", "Android")
STANDING_IN = {"Foundation": ["FoundationNetworking", "AppleFoundation"], "Dispatch": ["AppleDispatch"]}
IMPORT = re.compile(r"^\s*(?:@testable |@_exported )?(public |package )?import (\w+)\s*$")
STANDING_IN_TEXT = re.compile(
    f"(; (public |package )?import ({'|'.join(sum(STANDING_IN.values(), []))}))+$", re.MULTILINE)
TOKEN = re.compile(r"\s*(os|canImport|_endian|arch|targetEnvironment|compiler|swift|hasFeature|hasAttribute|_runtime)"
                   r"\s*\(([^()]*)\)|\s*(&&|\|\||!|\(|\)|[A-Za-z_]\w*)")


def atom(name, argument, platform):
    apple = platform in APPLE
    if name == "os":
        return argument == platform or (argument, platform) in (("OSX", "macOS"), ("Linux", "Musl"))
    if name == "canImport":
        platforms = TABLE["module"].get(argument.split(",")[0].strip())
        return None if platforms is None else platform in platforms
    if name == "_endian":
        return argument == "little"
    if name == "_runtime":
        return apple == (argument == "_ObjC")
    return None


def evaluate(text, platform):
    """True, False, or None for what is not known."""
    text = text.split("//")[0].strip()
    tokens, place = [], 0
    while place < len(text):
        match = TOKEN.match(text, place)
        if not match:
            return None
        tokens.append(match)
        place = match.end()
    position = 0

    def primary():
        nonlocal position
        if position >= len(tokens):
            return None
        token = tokens[position]
        position += 1
        if token.group(1):
            return atom(token.group(1), token.group(2).strip(), platform)
        word = token.group(3)
        if word == "!":
            value = primary()
            return None if value is None else not value
        if word == "(":
            value = either()
            position += 1
            return value
        return {"true": True, "false": False, "CATENA_CURL": platform == "Linux"}.get(word)

    def both():
        nonlocal position
        value = primary()
        while position < len(tokens) and tokens[position].group(3) == "&&":
            position += 1
            other = primary()
            value = False if value is False or other is False else (True if value and other else None)
        return value

    def either():
        nonlocal position
        value = both()
        while position < len(tokens) and tokens[position].group(3) == "||":
            position += 1
            other = both()
            value = True if value or other else (None if value is None or other is None else False)
        return value

    return either()


CONDITION = re.compile(r"^[ \t]*#(?:if|elseif)\b.*", re.MULTILINE)


def unknown_modules(path, text):
    """The errors for conditions with modules that are not in availability.txt."""
    return [f"{path}:{text.count(chr(10), 0, match.start()) + 1}: error: the module '{name}' is not in availability.txt"
            for match in CONDITION.finditer(text)
            for name in re.findall(r"canImport\s*\(\s*(\w+)", match[0].split("//")[0]) if name not in TABLE["module"]]


def unsettled_conditions(path, text):
    """The errors for conditions on an Apple platform that depend on a flag, too. The compiler, on Linux, would leave the branch out."""
    return [f"{path}:{text.count(chr(10), 0, match.start()) + 1}: error: the condition also has a flag; nest two conditions"
            for match in CONDITION.finditer(text) if (condition := match[0].split("//")[0]) and re.search(r"\b(?:os|canImport)\s*\(", condition)
            and any(evaluate(re.sub(r"^\s*#\w+", "", condition), platform) is None for platform in APPLE)]


def uncompiled_lines(path, text):
    """The errors for branches with code that no platform compiles, each at its first line."""
    states = [[is_code(line) and state is not False for line, state in lines_of(text, platform)] for platform in PLATFORMS + ("Linux",)]
    code = [is_code(line) for line in text.split("\n")]
    lost = [number for number, (is_some, *on) in enumerate(zip(code, *states), 1) if is_some and not any(on)]
    return [f"{path}:{number}: error: no platform compiles this branch" for number in lost if number - 1 not in lost]


DIRECTIVE = re.compile(r"^\s*#(if|elseif|else|endif)\b(.*)$")


def lines_of(text, platform):
    """Each line with whether it is code that is compiled: True, False, or None for a directive that is settled."""
    stack = []  # [is the current branch on, was one on, is it known, was it on outside]
    for line in text.split("\n"):
        match = DIRECTIVE.match(line)
        outside = all(frame[0] for frame in stack)
        if not match:
            yield line, outside
            continue
        kind, rest = match.groups()
        if kind == "if":
            value = evaluate(rest, platform) if outside else False
            if value is None:
                stack.append([True, False, False])
                yield line, True
            else:
                stack.append([value, value, True])
                yield line, None
        else:
            frame = stack[-1]
            if not frame[2]:
                if kind == "endif":
                    stack.pop()
                yield line, all(frame[0] for frame in stack)
                continue
            if kind == "endif":
                stack.pop()
            else:
                above = all(other[0] for other in stack[:-1])
                value = True if kind == "else" else evaluate(rest, platform)
                if above and not frame[1] and value is None:
                    raise SystemExit(f"an #elseif that is not known behind an #if that is: {line}")
                frame[0] = above and not frame[1] and bool(value)
                frame[1] = frame[1] or frame[0]
            yield line, None


def rewritten(text, platform):
    result = []
    for line, on in lines_of(text, platform):
        match = IMPORT.match(line) if on and platform in APPLE else None
        if match:
            line = line.rstrip() + "".join(
                f"; {match[1] or ''}import {module}" for module in STANDING_IN.get(match[2], []))
        result.append(line if on else "")
    return "\n".join(result)


def sources(root, folders):
    for folder in folders or ["Sources", "Tests", "Examples"]:
        for at, names, files in os.walk(os.path.join(root, folder)):
            names[:] = sorted(name for name in names if not name.startswith(".build") and not name.endswith(".docc"))
            for file in sorted(files):
                if file.endswith(".swift"):
                    yield os.path.relpath(os.path.join(at, file), root)


def is_code(line):
    line = line.strip()
    return bool(line) and not line.startswith("//")


def count(root, folders):
    total = [0, 0, 0]
    for path in sources(root, folders):
        with open(os.path.join(root, path), encoding="utf-8") as file:
            text = file.read()
        on = {}
        for platform in APPLE + ("Linux",):
            on[platform] = [is_code(line) and bool(state) for line, state in lines_of(text, platform)]
        apple = [any(states) for states in zip(*(on[platform] for platform in APPLE))]
        counted = (sum(a and not l for a, l in zip(apple, on["Linux"])),
                   sum(l and not a for a, l in zip(apple, on["Linux"])), sum(on["Linux"]))
        if counted[0] or counted[1]:
            print(f"{counted[0]:6} {counted[1]:6}  {path}")
        total = [a + b for a, b in zip(total, counted)]
    print(f"{total[0]:6} {total[1]:6}  Apple only, Linux only; {total[2]} lines of code on Linux")


def rewrite(root, out, platform, folders):
    for path in sources(root, folders):
        with open(os.path.join(root, path), encoding="utf-8") as file:
            text = rewritten(file.read(), platform)
        target = os.path.join(out, path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    if sys.argv[1] == "count":
        count(sys.argv[2], sys.argv[3:])
    else:
        rewrite(sys.argv[2], sys.argv[3], sys.argv[4], sys.argv[5:])
