import Mocking
import MockingStubs

/// A parser of the command line.
///
/// An option may stand before or after the files. Its value is the next argument or follows an
/// equals sign: `--port 0` and `--port=0` are equal. After `--`, all arguments are files. If an
/// option is repeated, the last value applies, except for options that are lists. `--watch` has no effect.
struct CommandLineParser {
  private var options = Options()
  private var positional: [String] = []
  /// The options that have been given, in order.
  private var used: [OptionTable.Option] = []

  /// Parses the arguments after the name of the program.
  ///
  /// - Parameter arguments: The arguments.
  /// - Returns: The options.
  /// - Throws: ``Options/UsageError`` for the first error.
  static func parse(_ arguments: some Sequence<String>) throws(Options.UsageError) -> Options {
    var parser = CommandLineParser()
    return try parser.read(Array(arguments))
  }

  private mutating func read(_ arguments: [String]) throws(Options.UsageError) -> Options {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--" {
        positional += rest
        break
      }
      guard argument.hasPrefix("-"), argument != "-" else {
        positional.append(argument)
        continue
      }
      // An option of json-server: files are watched without it.
      guard argument != "--watch" else { continue }
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let option = try Self.option(named: String(parts[0]))
      var value = ""
      switch (option.value, parts.count) {
      case (nil, 1): break
      case (nil, _): throw Options.UsageError("\(option.name) has no value")
      case (_?, 1):
        guard let next = rest.popFirst() else {
          throw Options.UsageError("\(option.name) requires a value")
        }
        value = next
      case (_?, _): value = String(parts[1])
      }
      if option.value != nil, value.isEmpty {
        throw Options.UsageError("\(option.name) requires a value")
      }
      try option.apply(&options, value)
      used.append(option)
      if [.help, .version].contains(options.command) { return options }
    }
    try setCommand()
    try checkCombinations()
    return options
  }

  private static func option(named name: String) throws(Options.UsageError) -> OptionTable.Option {
    let fullName = OptionTable.aliases[name] ?? name
    if let option = OptionTable.options.first(where: { $0.name == fullName }) { return option }
    let names = OptionTable.options.map(\.name)
    let hint =
      OptionTable.otherHints[name].map { "; \($0)" }
      ?? NameSuggestion.of(name, among: names).map { "; did you mean \($0)?" } ?? ""
    throw Options.UsageError("unknown option \(name)\(hint)")
  }

  /// Sets the command and its arguments.
  private mutating func setCommand() throws(Options.UsageError) {
    if let word = positional.first.flatMap(Options.Command.init) {
      options.command = word
      positional.removeFirst()
    }
    switch options.command {
    case .help, .version: return
    case .serve:
      // --record URL FILE
      if options.origin != nil, options.recording == nil, names.contains("--record") {
        guard !positional.isEmpty else {
          throw Options.UsageError("--record URL: missing argument FILE")
        }
        options.recording = positional.removeFirst()
      }
      options.files = positional
      guard !positional.isEmpty || options.origin != nil else {
        throw Options.UsageError("missing argument FILE; mock-server init writes an example")
      }
    case .check:
      options.files = positional
      guard !positional.isEmpty else { throw Options.UsageError("check: missing argument FILE") }
    case .infer, .endpoints:
      let name = options.command.rawValue
      options.files = positional
      guard !positional.isEmpty else { throw Options.UsageError("\(name): missing argument FILE") }
      if positional.count > 1 { throw Self.unexpected(positional[1], after: "\(name) FILE") }
    case .completions:
      options.files = positional
      guard let shell = positional.first, Completions(rawValue: shell) != nil else {
        throw Options.UsageError("completions: expected bash, zsh or fish")
      }
      if positional.count > 1 {
        throw Self.unexpected(positional[1], after: "completions SHELL")
      }
    case .initialize:
      options.files = positional.isEmpty ? ["stubs.json"] : positional
      if positional.count > 1 { throw Self.unexpected(positional[1], after: "init FILE") }
    }
  }

  private static func unexpected(_ argument: String, after usage: String) -> Options.UsageError {
    Options.UsageError("unexpected argument \(argument) after \(usage)")
  }

  /// The names of the options that have been given.
  private var names: Set<String> { Set(used.map(\.name)) }

  /// Checks that the options belong to the command and to each other.
  private func checkCombinations() throws(Options.UsageError) {
    for option in used where !option.commands.contains(options.command) {
      throw Options.UsageError("\(option.name) cannot be used with \(options.command.rawValue)")
    }
    if options.recording != nil, options.origin == nil {
      throw Options.UsageError("--record requires --proxy")
    }
    for name in ["--force", "--keep", "--mask", "--allow-tokens"]
    where names.contains(name) && options.recording == nil {
      throw Options.UsageError("\(name) requires --record")
    }
    if options.contract != nil, options.origin == nil {
      throw Options.UsageError(
        "--check requires --proxy; to validate files: mock-server check FILE")
    }
    if names.contains("--report"), options.contract == nil {
      throw Options.UsageError("--report requires --check")
    }
    if names.contains("--junit"), options.contract == nil, options.verifications == nil {
      throw Options.UsageError("--junit requires --check or --verify")
    }
    if names.contains("--errors"), options.contract == nil, options.files.isEmpty {
      throw Options.UsageError("--errors requires --check or a FILE")
    }
    for (first, second) in [
      ("--verbose", "--quiet"), ("--json", "--diagnose"), ("--cors", "--no-cors"),
      ("--token", "--no-admin"),
    ]
    where names.isSuperset(of: [first, second]) {
      throw Options.UsageError("\(first) and \(second) exclude each other")
    }
  }
}
