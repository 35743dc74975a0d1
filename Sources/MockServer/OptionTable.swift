import Mocking

/// The options of the program, in the order of the help text.
enum OptionTable {
  /// An option.
  struct Option: Sendable {
    /// The name with its dashes.
    let name: String
    /// The placeholder of the value in the help text. `nil` is an option without a value.
    var value: String?
    let group: Group
    /// The commands that have the option.
    var commands: Set<Options.Command> = [.serve, .record]
    let help: String
    /// Applies the option. The text is empty for an option without a value.
    let apply: @Sendable (inout Options, String) throws(Options.UsageError) -> Void
  }

  /// A section of the help text.
  enum Group: String, CaseIterable, Sendable {
    case listening = "Address"
    case forwarding = "Forwarding and recording"
    case responses = "Responses"
    case output = "Output"
    case general = "General"
  }

  static let options: [Option] = listening + forwarding + responses + output + general

  /// Other names of options.
  static let aliases = ["-h": "--help", "-p": "--port", "--latency": "--delay", "-v": "--verbose"]

  private static let listening = [
    Option(
      name: "--port", value: "PORT", group: .listening,
      help: "the port to listen on, 8080 by default; 0 chooses a free port"
    ) { options, text throws(Options.UsageError) in options.port = try Options.port(text) },
    Option(
      name: "--host", value: "HOST", group: .listening,
      help: "the address to listen on, such as [::1] or 0.0.0.0. By default only this machine can "
        + "connect"
    ) { options, text throws(Options.UsageError) in options.host = try Options.host(text) },
    Option(
      name: "--cors", value: "ORIGIN", group: .listening,
      help: "let pages of this origin, such as https://app.example.com, read the responses; may "
        + "be repeated; * is every origin. By default pages of this machine can read them"
    ) { options, text throws(Options.UsageError) in
      let origin = try Options.pageOrigin(text)
      if case .origins(let others) = options.crossOriginAccess {
        options.crossOriginAccess = .origins(others + [origin])
      } else {
        options.crossOriginAccess = .origins([origin])
      }
    },
    Option(
      name: "--no-cors", group: .listening, help: "let no page of another origin read the responses"
    ) { options, _ in options.crossOriginAccess = .none },
    Option(
      name: "--no-watch", group: .listening, commands: [.serve],
      help: "do not read the files again when they change"
    ) { options, _ in options.watchesFiles = false },
  ]

  private static let forwarding = [
    Option(
      name: "--proxy", value: "URL", group: .forwarding, commands: [.serve],
      help: "forward the requests without a stub to the server at URL, such as "
        + "https://api.example.com"
    ) { options, text throws(Options.UsageError) in
      options.origin = try Options.origin(text, of: "--proxy")
    },
    Option(
      name: "--record", value: "FILE", group: .forwarding, commands: [.serve],
      help: "with --proxy: write the forwarded exchanges to an HTTP archive when the program stops, "
        + "with secrets masked"
    ) { options, text throws(Options.UsageError) in
      guard !text.contains("://") else {
        throw Options.UsageError(
          "--record expects a file; to record a server: mock-server record URL FILE")
      }
      options.recording = text
    },
    Option(
      name: "--keep", value: "NAMES", group: .forwarding,
      help: "record the values of these names, although they are names of secrets"
    ) { options, text throws(Options.UsageError) in
      options.keptNames += try Options.names(text, of: "--keep")
    },
    Option(
      name: "--mask", value: "NAMES", group: .forwarding,
      help: "mask the values of these names in the recording"
    ) { options, text throws(Options.UsageError) in
      options.maskedNames += try Options.names(text, of: "--mask")
    },
    Option(
      name: "--allow-tokens", group: .forwarding,
      help: "also record values that look like secrets but do not have the name of a secret"
    ) { options, _ in options.allowsTokens = true },
  ]

  private static let responses = [
    Option(
      name: "--delay", value: "TIME", group: .responses,
      help: "delay the responses that have no delay: 200ms, 1.5s, or 80ms..300ms for a random delay"
    ) { options, text throws(Options.UsageError) in options.delay = try Options.delay(text) },
    Option(
      name: "--seed", value: "NUMBER", group: .responses,
      help: "the seed of random values: the same requests then get the same responses"
    ) { options, text throws(Options.UsageError) in
      guard let seed = UInt64(text) else {
        throw Options.UsageError("--seed \(text): a seed is a whole number, 0 or more")
      }
      options.seed = seed
    },
    Option(
      name: "--data", value: "FILE", group: .responses, commands: [.serve],
      help: "keep the items of resources in FILE, so that they survive a restart"
    ) { options, text in options.data = text },
    Option(
      name: "--match", value: "PARTS", group: .responses, commands: [.serve],
      help: "the parts of a request that must be equal to a recorded one: method, url, path, query, "
        + "body, header:NAME, json:PATH, separated by commas"
    ) { options, text throws(Options.UsageError) in
      options.matching = try Options.matching(text)
    },
  ]

  private static let output = [
    Option(
      name: "--verbose", group: .output,
      help: "also print the head and the body of requests and responses, with secrets masked"
    ) { options, _ in options.output = .verbose },
    Option(name: "--quiet", group: .output, help: "print only the address and errors") {
      options, _ in options.output = .quiet
    },
    Option(
      name: "--json", group: .output, commands: [.serve, .record, .check],
      help: "print one JSON object on each line"
    ) { options, _ in options.logsJSON = true },
  ]

  private static let general = [
    Option(
      name: "--help", group: .general, commands: Set(Options.Command.allCases),
      help: "show this help"
    ) { options, _ in options.command = .help },
    Option(
      name: "--version", group: .general, commands: Set(Options.Command.allCases),
      help: "show the version"
    ) { options, _ in options.command = .version },
  ]
}

// MARK: - Help

extension OptionTable {
  /// The help text, at most 80 columns wide.
  static var help: String {
    var text = """
      Serves stubs and recordings to HTTP clients in any language.

      usage: mock-server FILE... [options]        serve the routes of files
             mock-server record URL FILE          record the responses of a server
             mock-server check FILE...            validate files and list their routes
             mock-server init [FILE]              write an example, stubs.json by default
             mock-server --proxy URL [FILE...]    serve stubs, and forward the rest

      A FILE has stubs in JSON, or is an HTTP archive (.har), such as a recording. The
      routes of the first file take precedence. Changed files are read again. A file
      with the name of a command is served with: mock-server serve FILE

      """
    for group in Group.allCases {
      text += "\n\(group.rawValue)\n"
      for option in options where option.group == group {
        text += row(option.name + (option.value.map { " \($0)" } ?? ""), option.help)
      }
    }
    text += """

      Ctrl-C finishes the responses in progress and stops. A second Ctrl-C stops at once.
      Exit status: 0 after a stop; 1 for an invalid file, a port in use, or a recording
      that cannot be written; 2 for an invalid command line.
      """
    return text
  }

  /// Returns the lines of an option, with its description in a column of its own.
  private static func row(_ name: String, _ help: String) -> String {
    let (indent, width) = (18, 80)
    var lines: [String] = []
    var line = "  \(name)"
    line += String(repeating: " ", count: max(indent - line.count, 2))
    var isEmpty = true
    for word in help.split(separator: " ") {
      if !isEmpty, line.count + 1 + word.count > width {
        lines.append(line)
        line = String(repeating: " ", count: indent)
        isEmpty = true
      }
      line += isEmpty ? "\(word)" : " \(word)"
      isEmpty = false
    }
    lines.append(line)
    return lines.joined(separator: "\n") + "\n"
  }
}
