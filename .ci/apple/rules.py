#!/usr/bin/env python3
"""Rules for the text of the sources, against faults of Apple's platforms that no compiler reports.

    .ci/apple/rules.py                 prints each line of Sources and Examples that breaks a rule
    .ci/apple/rules.py --self-test     checks that the lines of .ci/apple/planted that end in `// planted` are reported, and no others

- A closure that is written in code of the main actor or of another actor, and handed to a system framework, has an explicit
  `@Sendable` or an explicit actor. Otherwise the compiler infers the actor. If the framework then calls the closure on another
  queue, Swift 6 ends the process. This covers arguments, trailing closures and assignments to handler properties. The framework's
  declarations are those of the stubs, and the lists below for the part of Foundation and Dispatch that has no stub.
- A FileLock is a local constant of a function: never a property, a payload, an element or a consumed parameter, and neither used
  in a closure nor held at an `await`. The system ends an app that is suspended while it holds a lock on a file in an app group.
  A function may return a lock that it has made, and a parameter may borrow it. Only FileLock and FileLease call OpenFile.lock.
- A call of SecPKCS12Import is in a declaration that mentions kSecImportToMemoryOnly. Otherwise macOS puts the key into the login keychain.
"""
import functools
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True
import branches  # noqa: E402
from availability import APPLE, without_text  # noqa: E402

FOLDERS = ["Sources", "Examples"]
# Stubs whose closures run in the caller's context, and stubs of C libraries.
WITHOUT_CLOSURES = {"SwiftUI", "CLibrary", "POSIX", "Darwin", "Linux", "Glibc"}
# The declarations of Foundation and Dispatch that take closures, and of frameworks without a stub.
SYSTEM_TYPES = {
    "BlockOperation", "DispatchGroup", "DispatchIO", "DispatchQueue", "DispatchSource", "DispatchWorkItem", "FileHandle",
    "NotificationCenter", "OperationQueue", "Process", "ProcessInfo", "Thread", "Timer", "URLSession"}
SYSTEM_PREFIX = re.compile(r"(?:AS|AV|BG|CB|CK|CL|CT|EK|HK|LA|MC|MX|NE|NS|NW|PH|SK|UN)[A-Z]\w+$")
SYSTEM_FUNCTION = re.compile(r"(?:Sec|CF|CG|CM|VT)[A-Z]\w+$|(?:nw|dispatch|xpc|os|notify)_\w+$")
SYSTEM_METHODS = {
    "addBarrierBlock", "addObserver", "addOperation", "async", "asyncAfter", "dataTask", "downloadTask", "getAllTasks",
    "getTasksWithCompletionHandler", "performExpiringActivity", "setCancelHandler", "setEventHandler", "setRegistrationHandler",
    "sink", "uploadTask"}
# Methods of collections, which call their closure before they return. Publishers have them, too, and call it on any queue.
SEQUENCE_METHODS = {
    "allSatisfy", "compactMap", "contains", "count", "filter", "first", "firstIndex", "flatMap", "forEach", "last", "lastIndex", "map",
    "max", "min", "prefix", "reduce", "removeAll", "sort", "sorted"}
PUBLISHER = re.compile(r"(?:[pP]ublisher|Subject)s?$")
HANDLERS = {
    "betterPathUpdateHandler", "cancellationHandler", "completionBlock", "expirationHandler", "interruptionHandler",
    "invalidationHandler", "newConnectionHandler", "readabilityHandler", "stateUpdateHandler", "terminationHandler",
    "viabilityUpdateHandler", "writeabilityHandler"}
# Types of AppKit, UIKit, WatchKit and WebKit whose subtypes are on the main actor.
MAIN_ACTOR = re.compile(
    r"UI[A-Z]\w*(?:Delegate|DataSource|ViewController|View|Responder|Window|Control|Application)$"
    r"|NS(?:Application|Document|Panel|Responder|TextField|View|ViewController|Window|WindowController)(?:Delegate)?$"
    r"|WK\w+Delegate$"
    # From the SDKs of Xcode 26 on.
    r"|AS\w+PresentationContextProviding$")
GLOBAL_ACTOR = re.compile(r"@\w*Actor\b")
# Their locks belong to mock servers, which no suspended app runs.
LOCKS_IN_PROPERTIES = {
    "Sources/MockingResources/ResourceFile.swift": "a mock server owns its file while it runs",
    "Sources/MockingRecordings/Recording/PartialTapeFile.swift": "a recording of a mock server owns its tape",
}
LOCK_CALLERS = ("Sources/CatenaSystem/Files/FileLock.swift", "Sources/CatenaSystem/Files/FileLease.swift")
# Declares `Mutex`, whose lock is none of a file.
OTHER_LOCKS = ("Sources/CatenaSystem/Synchronization/Mutex.swift",)

ATTRIBUTES = (
    r"(?:@\w+(?:\.\w+)*(?:\(\))?\s+|(?:borrowing|class|consuming|convenience|distributed|dynamic|fileprivate|final|indirect|infix"
    r"|internal|isolated|lazy|mutating|nonisolated(?:\(\))?|nonmutating|open|override|package|postfix|prefix|private(?:\(\))?|public"
    r"|required|static|unowned(?:\(\))?|weak)\s+)*")
TYPE = re.compile(rf"\s*({ATTRIBUTES})(struct|class|enum|actor|protocol|extension)\s+([\w.]+)([^{{]*)$", re.DOTALL)
FUNCTION = re.compile(rf"\s*({ATTRIBUTES})(?:func\b|subscript\b|(deinit)\b|init[?!]?\s*[(<])")
ACCESSOR = re.compile(rf"\s*{ATTRIBUTES}(?:get|set|willSet|didSet|_read|_modify)\b(?:\s*\(\))?(?:\s+(?:async|throws(?:\(\))?))*\s*$")
VARIABLE = re.compile(rf"\s*({ATTRIBUTES})(?:var|let)\b")
CONTROL = re.compile(r"\s*(?:return\s+)?(?:\w+:\s*)?(?:if|guard|for|while|do|switch|repeat|defer|catch|else)\b")
VALUE_OF_CONTROL = re.compile(r"=\s*(?:try[?!]?\s+|await\s+)*(?:if|switch|do)\b")
ASSIGNMENT = re.compile(r"(?<![=!<>+\-*/&|])=(?!=)")
CONTINUED = re.compile(r"\s*(?:[.?:&|=+\-*/<>,)\]{]|(?:where|throws|async|else|catch|as|is|in)\b|->)")
CONTINUES = re.compile(r"(?:[,=&|+\-(.]|->)\s*$|^(?!\s*(?:case|default)\b).*:\s*$")
ONLY_ATTRIBUTES = re.compile(rf"\s*{ATTRIBUTES}$")
SIGNATURE = re.compile(r"\{\s*((?:@\w+(?:\([^()]*\))?\s*)+)[^{}]*?\bin\b")
POSTFIX = re.compile(r"(?:[\w.?!$]|\(\)|\[\]|\s*\{\}|\s+(?=\.)|<[\w\s,.?:]*>)+$")


class Frame:
    """A pair of brackets, with the text directly in it: the brackets inside have no content."""

    def __init__(self, character, start, parent):
        self.character, self.start, self.parent, self.end = character, start, parent, None
        self.kind, self.text, self.callee, self.header = "bracket", [], "", ""
        self.is_isolated = parent.is_isolated if parent else False
        self.name = ""
        self.is_explicit = self.is_assigned = False

    def level_text(self):
        return "".join(self.text)

    def enclosing(self, *kinds):
        frame = self
        while frame and frame.kind not in kinds:
            frame = frame.parent
        return frame


def statement(text):
    """The statement at the end of the text of a frame, in one line."""
    lines = [line for line in text.split("\n") if line.strip() and not line.lstrip().startswith("#")]
    if not lines:
        return ""
    result = lines.pop()
    while lines and (CONTINUED.match(result) or CONTINUES.search(lines[-1]) or ONLY_ATTRIBUTES.match(lines[-1] + " ")):
        result = f"{lines.pop()} {result.lstrip()}"
    result = result.rsplit(";", 1)[-1]
    return re.sub(r"^\s*(?:case\b[^{}]*?|default\s*):(?=\s)", "", result)


def callee(text):
    """The names of the expression at the end of a text that is called with a closure, and whether the closure is assigned."""
    # A search for the end of a long text is slow.
    text = text[-400:]
    while (shorter := re.sub(r"\{\}\s*\w+\s*:\s*$", "", text)) != text:
        text = shorter
    assigned = re.search(r"([\w.?!]+)\s*=\s*$", text)
    match = assigned or POSTFIX.search(text.rstrip())
    if not match:
        return [], False, False
    expression = match[1] if assigned else match[0]
    names = re.findall(r"[A-Za-z_]\w*", re.sub(r"<[^<>]*>", "", expression))
    return [name for name in names if name != "self"], bool(assigned), expression.lstrip().startswith(".")


class Scopes:
    """The frames of a source without comments and strings."""

    def __init__(self, code, main_actor_types=frozenset()):
        self.code, self.main_actor_types = code, main_actor_types
        self.root = Frame("", 0, None)
        self.root.kind, self.frames = "file", []
        top = self.root
        for at, character in enumerate(code):
            if character in "([{":
                frame = Frame(character, at, top)
                if character == "{":
                    self.classify(frame)
                else:
                    frame.callee = callee(top.level_text())[0] if character == "(" else top.callee
                self.frames.append(frame)
                top = frame
            elif character in ")]}":
                if top.parent is None:
                    continue
                top.end = at
                pair = top.character + character
                top = top.parent
                top.text.append(pair)
            else:
                top.text.append(character)
        for frame in self.frames:
            frame.end = len(code) if frame.end is None else frame.end

    def line(self, at):
        return self.code.count("\n", 0, at) + 1

    def innermost(self, at):
        found = self.root
        for frame in self.frames:
            if frame.start > at:
                break
            if frame.end >= at:
                found = frame
        return found

    def classify(self, frame):
        parent = frame.parent
        if parent.character in ("(", "["):
            argument = parent.level_text().rsplit(",", 1)[-1]
            if re.fullmatch(r"\s*(?:\w+\s*:)?\s*", argument) or re.search(r"[=:?&|]\s*$", argument):
                self.closure(frame, parent.callee)
            else:
                names, _, is_member = callee(argument)
                # A member without a type, such as `.contentProcessed`, is of the type of the argument.
                self.closure(frame, (parent.callee if is_member else []) + names)
            return
        frame.header = text = statement(parent.level_text())
        if match := TYPE.match(text):
            self.type(frame, *match.groups())
        elif match := FUNCTION.match(text):
            self.function(frame, match[1], is_deinit=bool(match[2]))
        elif ACCESSOR.match(text) or CONTROL.match(text) or VALUE_OF_CONTROL.search(text) or re.search(r"\belse\s*$", text) \
                or not text.strip():
            frame.kind = "block"
        elif (match := VARIABLE.match(text)) and not ASSIGNMENT.search(text):
            self.function(frame, match[1])
        else:
            names, frame.is_assigned, _ = callee(text)
            self.closure(frame, names)
            if match and GLOBAL_ACTOR.search(match[1]) and not frame.is_explicit:
                frame.is_isolated = True

    def type(self, frame, attributes, keyword, name, rest):
        frame.kind, frame.name = "type", name
        inherited = re.findall(r"[A-Za-z_]\w*", rest.split(" where ")[0])
        is_main = bool(GLOBAL_ACTOR.search(attributes)) or keyword == "actor"
        is_main = is_main or any(one in self.main_actor_types or MAIN_ACTOR.match(one) for one in inherited)
        is_main = is_main or keyword == "extension" and name.rsplit(".", 1)[-1] in self.main_actor_types
        frame.is_isolated = is_main and not re.search(r"\bnonisolated\b(?!\()", attributes)

    def function(self, frame, attributes, is_deinit=False):
        frame.kind = "function"
        if re.search(r"\bnonisolated\b", attributes) or is_deinit and "isolated" not in attributes:
            frame.is_isolated = False
        elif GLOBAL_ACTOR.search(attributes):
            frame.is_isolated = True

    def closure(self, frame, names):
        frame.kind, frame.callee = "closure", names
        # Longer signatures do not occur.
        match = SIGNATURE.match(self.code, frame.start, frame.start + 1_000)
        attributes = match[1] if match else ""
        frame.is_explicit = bool(re.search(r"@(?:Sendable|concurrent|\w*Actor)\b", attributes))
        if GLOBAL_ACTOR.search(attributes) or names[:2] in (["MainActor", "run"], ["MainActor", "assumeIsolated"]):
            frame.is_isolated = True
        elif frame.is_explicit or names[:2] == ["Task", "detached"]:
            frame.is_isolated = False


def stub_texts():
    for path in sorted((HERE / "stubs").glob("*/*.swift")):
        yield path.stem, path.read_text(encoding="utf-8")


def swift_files(root):
    return [(path, (root / path).read_text(encoding="utf-8")) for path in branches.sources(root, FOLDERS)
            if not path.endswith("Package.swift")]


def variants(text):
    """The codes of a source, each of them of the platforms that compile it."""
    if "#if" not in text:
        return [without_text(text)]
    return [without_text(one) for one in dict.fromkeys(branches.rewritten(text, platform) for platform in (*APPLE, "Linux"))]


@functools.cache
def stub_names():
    """The names of the stubs: types and functions that may take a closure, handler properties, and types on the main actor."""
    types, handlers, main_actor = set(), set(), set()
    for module, text in stub_texts():
        main_actor.update(re.findall(r"@MainActor\b[^\n({]*?\b(?:class|struct|protocol|enum) (\w+)", text))
        if module not in WITHOUT_CLOSURES:
            types.update(re.findall(r"\b(?:class|struct|protocol|enum|actor) ([A-Z]\w*)", text))
            types.update(re.findall(r"^(?:@\w+(?:\([^)]*\))? )*public func (\w+)\(", text, re.MULTILINE))
            handlers.update(re.findall(r"\bvar (\w+): \(*(?:@\w+ )*\([^)\n]*\) *(?:async )?(?:throws )?->", text))
    return types, handlers, main_actor


class ClosureRule:
    """Finds the closures without an explicit isolation that actors hand to the system."""

    def __init__(self, files):
        types, handlers, main_actor = stub_names()
        declared, inherited = set(), {}
        declaration = re.compile(r"^[ \t]*((?:@?\w+(?:\([^)\n]*\))?[ \t]+|@\w+\s+)*)(struct|class|enum|actor|protocol)[ \t]+([A-Z]\w*)([^{\n]*)",
                                 re.MULTILINE)
        for _, text in files:
            for attributes, keyword, name, rest in declaration.findall(text):
                declared.add(name)
                is_main = bool(GLOBAL_ACTOR.search(attributes)) or keyword == "actor"
                inherited.setdefault(name, []).append((is_main, re.findall(r"[A-Za-z_]\w*", rest)))
        self.system_types = (types | SYSTEM_TYPES) - declared
        self.handlers = handlers | HANDLERS
        self.main_actor_types = set(main_actor)
        # A subtype of a type on the main actor is on the main actor.
        while found := {name for name, places in inherited.items() if name not in self.main_actor_types and any(
                is_main or any(one in self.main_actor_types or MAIN_ACTOR.match(one) for one in names)
                for is_main, names in places)}:
            self.main_actor_types |= found
        # Files with both are parsed.
        self.system_mark = re.compile(
            rf"\b(?:{'|'.join(sorted(self.system_types | self.handlers | SYSTEM_METHODS - {'async'}))})\b|\.async\s*[({{]"
            rf"|\b(?:{SYSTEM_PREFIX.pattern[:-1]}|{SYSTEM_FUNCTION.pattern.replace('$', '')})\b")
        self.mark = re.compile(rf"Actor\b|\bactor\b|\b(?:{'|'.join(sorted(self.main_actor_types))})\b|\b(?:UI|NS|WK)[A-Z]")

    def is_system_type(self, name):
        return name in self.system_types or bool(SYSTEM_PREFIX.match(name))

    def system_variables(self, code):
        """The names in a file that are declared with a type of the system."""
        found = re.findall(r"\b(?:let|var)\s+(\w+)(?:\s*:\s*(?:any\s+|some\s+)?(?:\w+\.)?(\w+)|(?:\s*=\s*(?:try[?!]?\s+)?(?:\w+\.)??(\w+)\s*[(.]))",
                           code)
        found += [(name, kind, "") for name, kind in re.findall(r"[(,]\s*(?:\w+\s+)?(\w+)\s*:\s*(?:any\s+|some\s+)?(\w+)", code)]
        return {name for name, declared, created in found if self.is_system_type(declared or created)}

    def is_of_system(self, names, is_assigned, variables):
        if not names or names[-1].startswith("with") or names[:2] == ["DispatchQueue", "main"]:
            return False
        if is_assigned:
            return names[-1] in self.handlers or len(names) > 1 and any(name in variables for name in names[:-1])
        if names[-1] in SEQUENCE_METHODS and not any(PUBLISHER.search(name) for name in names):
            return False
        # After a module, or the name of another object.
        return any(self.is_system_type(name) or name in variables for name in names[:2]) or names[-1] in SYSTEM_METHODS \
            or bool(SYSTEM_FUNCTION.match(names[-1]))

    def problems(self, path, text):
        if not self.mark.search(text) or not self.system_mark.search(text):
            return
        for code in variants(text):
            variables = self.system_variables(code)
            scopes = Scopes(code, self.main_actor_types)
            for frame in scopes.frames:
                if frame.kind == "closure" and not frame.is_explicit and self.is_isolated_outside(frame) \
                        and self.is_of_system(frame.callee, frame.is_assigned, variables):
                    yield (f"{path}:{scopes.line(frame.start)}: error: a closure for '{'.'.join(frame.callee)}' in code of an actor "
                           "is not explicitly @Sendable")

    @staticmethod
    def is_isolated_outside(frame):
        return frame.parent.is_isolated


LOCK = re.compile(r"\bFileLock\b")


def lock_makers(files):
    """The names of the functions that return a lock."""
    return {name for _, text in files if "FileLock" in text
            for name in re.findall(r"\bfunc (\w+)\([^{}]*?\)\s*(?:async\s*)?(?:throws(?:\([^)]*\))?\s*)?-> FileLock\b", text)}


def lock_problems(path, text, makers):
    """The uses of a file's lock for longer than a function without `await`."""
    if not path.startswith(LOCK_CALLERS + OTHER_LOCKS):
        code = without_text(text) if re.search(r"\.lock\((?:waiting:|\))|\bflock\(", text) else ""
        for match in re.finditer(r"(?<=\.)lock\((?:\s*waiting:|\s*\))|(?<!func )\bflock\((?=.*LOCK_(?:EX|NB))", code):
            if not path.startswith("Sources/CatenaSystem/Files/OpenFile"):
                yield f"{path}:{code.count(chr(10), 0, match.start()) + 1}: error: only FileLock and FileLease lock a file"
    if path.startswith(LOCK_CALLERS) or path in LOCKS_IN_PROPERTIES:
        return
    made = re.compile(rf"\bFileLock\s*\(|(?<=\.)(?:{'|'.join(sorted(makers))})\(" if makers else r"\bFileLock\s*\(")
    if not LOCK.search(text) and not (makers and re.search(rf"\block\b", text) and made.search(text)):
        return
    for code in variants(text):
        scopes = Scopes(code)

        def problem(at, reason):
            return f"{path}:{scopes.line(at)}: error: a FileLock {reason}"

        for match in LOCK.finditer(code):
            before, after = code[:match.start()].rstrip(), code[match.end():match.end() + 1]
            if after == "(" or re.search(r"(?:->|\bborrowing|\bextension|\bstruct)$", before):
                continue
            # A constant of a function that is set later.
            owner = scopes.innermost(match.start()).enclosing("type", "function", "closure", "file")
            if owner.kind not in ("type", "file") and re.search(r"\blet \w+\s*:$", before):
                continue
            yield problem(match.start(), "is only a local constant, a borrowed parameter or a result")
        for match in made.finditer(code):
            frame = scopes.innermost(match.start())
            holder = frame.enclosing("function", "closure", "type", "file")
            line = code.rfind("\n", 0, match.start()) + 1
            bound = re.search(r"\blet (\w+)\s*=[^=;{}]*$", code[line:match.start()]) or re.search(
                r"\blet (\w+)\s*=\s*\n?[^=;{}\n]*$", code[:match.start()])
            is_result = not bound and re.search(r"(?:^|[{\n])\s*(?:return\s+)?(?:try\s+)?(?:Self\.|self\.|\w+\.)*$", code[:match.start()])
            if holder.kind in ("type", "file"):
                yield problem(match.start(), "is made outside a function")
            elif bound:
                yield from bound_problems(scopes, code, match, bound[1], frame, problem)
            elif not is_result and LOCK.match(code, match.start()):
                yield problem(match.start(), "is not bound to a constant of the function that makes it")


def bound_problems(scopes, code, match, name, frame, problem):
    """The uses of a constant with a lock that outlive the function, or suspend it."""
    # The scope of `if let` is its block; that of `guard let` is the rest of the block around it.
    scope = frame.enclosing("block", "function", "closure", "type", "file")
    statement_start = code.rfind("\n", 0, match.start())
    start, end = match.end(), scope.end
    if re.search(r"\bif\b[^{}\n]*\blet\s+$|\bif\b", code[statement_start:match.start()]):
        block = next((one for one in scopes.frames if one.start > match.end() and one.kind == "block"), None)
        start, end = (block.start, block.end) if block else (start, end)
    for use in re.finditer(rf"(?<![.\w]){re.escape(name)}\b(?!\s*:)", code[start:end]):
        at = start + use.start()
        inner = scopes.innermost(at).enclosing("closure", "function")
        if inner is not frame.enclosing("closure", "function") and inner.start > match.start():
            yield problem(at, "is used in a closure, which may outlive the function")
    for use in re.finditer(r"(?<![.\w])await\b", code[start:end]):
        inner = scopes.innermost(start + use.start()).enclosing("closure", "function")
        if inner is frame.enclosing("closure", "function"):
            yield problem(start + use.start(), "is held at an await")
            break


def import_problems(path, text):
    """The imports of PKCS#12 archives that reach a keychain."""
    if "SecPKCS12Import" not in text:
        return
    for code in variants(text):
        scopes = Scopes(code)
        for match in re.finditer(r"(?<!func )\bSecPKCS12Import\s*\(", code):
            owner = scopes.innermost(match.start())
            while owner.parent and owner.parent.kind != "file":
                owner = owner.parent
            end = len(code) if owner.end is None else owner.end
            if not re.search(r"\bkSecImportToMemoryOnly\b", code[owner.start:end]):
                yield (f"{path}:{scopes.line(match.start())}: error: SecPKCS12Import without kSecImportToMemoryOnly puts the key into "
                       "the login keychain")


def problems(root=ROOT, files=None):
    """The lines that break a rule, each once."""
    files = swift_files(root) if files is None else files
    closures, makers = ClosureRule(files), lock_makers(files)
    return list(dict.fromkeys(problem for path, text in files for problem in (
        *closures.problems(path, text),
        *(lock_problems(path, text, makers) if path.startswith("Sources/") else ()),
        *import_problems(path, text))))


def self_test():
    """The planted lines that are not reported, the lines that are reported without a fault, and the number of planted lines."""
    # As if they were sources.
    files = [(f"Sources/{path.name}", path.read_text(encoding="utf-8")) for path in sorted((HERE / "planted").glob("*.swift"))]
    reported = {tuple(problem.split(": ")[0].split(":")) for problem in problems(files=files)}
    planted = {(path, str(number)) for path, text in files for number, line in enumerate(text.split("\n"), 1)
               if line.endswith("// planted")}
    return [f"{':'.join(place)}: error: {'not ' if place in planted else ''}reported by .ci/apple/rules.py"
            for place in sorted(planted ^ reported)], len(planted)


if __name__ == "__main__":
    if "--self-test" in sys.argv[1:]:
        wrong, count = self_test()
        print("\n".join(wrong) or f"ok: .ci/apple/rules.py reports {count} planted faults")
    else:
        wrong = problems()
        print("\n".join(wrong) or "ok: closures for the system, file locks, imports of PKCS#12")
    sys.exit(bool(wrong))
