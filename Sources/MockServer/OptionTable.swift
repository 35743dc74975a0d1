import Mocking

/// The options of the program, in the order of the help text.
enum OptionTable {
  /// An option.
  struct Option: Sendable {
    /// The name with its dashes.
    let name: String
    /// The placeholder of the value in the help text.
    ///
    /// `nil` is an option without a value.
    var value: String?
    let group: Group
    /// The commands that have the option.
    var commands: Set<Options.Command> = [.serve]
    let help: String
    /// Applies the option.
    ///
    /// The text is empty for an option without a value.
    let apply: @Sendable (inout Options, String) throws(Options.UsageError) -> Void

    /// Returns an option whose value is the name of a file.
    static func file(
      _ name: String, _ property: any WritableKeyPath<Options, String?> & Sendable, _ group: Group,
      commands: Set<Options.Command> = [.serve], help: String
    ) -> Option {
      Option(name: name, value: "FILE", group: group, commands: commands, help: help) {
        options, text in options[keyPath: property] = text
      }
    }

    /// Returns an option without a value, which sets a property.
    static func flag<Value: Sendable>(
      _ name: String, _ property: any WritableKeyPath<Options, Value> & Sendable, _ value: Value,
      _ group: Group, commands: Set<Options.Command> = [.serve], help: String
    ) -> Option {
      Option(name: name, group: group, commands: commands, help: help) {
        options, _ in options[keyPath: property] = value
      }
    }
  }

  /// A section of the help text.
  enum Group: String, CaseIterable, Sendable {
    case listening = "Address"
    case forwarding = "Forwarding, recording and checks"
    case responses = "Responses"
    case output = "Output"
    case general = "General"
  }

  static let options: [Option] = listening + forwarding + responses + output + general

  /// Other names of options.
  static let aliases = ["-h": "--help", "-p": "--port", "-v": "--verbose", "-q": "--quiet"]

  /// The equivalents of options of json-server.
  static let otherHints = [
    "--static": "a route with \"folder\" serves files",
    "--routes": "the stub file has the routes",
    "--middlewares": "the stub file has the routes, delays and header fields",
    "--id": "the member \"key\" of a resource names the member with the id",
    "--read-only": "\"methods\": [\"GET\"] of a resource refuses changes",
    "--snapshots": "the admin API takes snapshots: POST /__mock/snapshots",
  ]

  private static let listening: [Option] = [
    Option(
      name: "--port", value: "PORT", group: .listening,
      help: "the port to listen on, 8080 by default; 0 chooses a free port"
    ) { options, text throws(Options.UsageError) in options.port = try Options.port(text) },
    Option(
      name: "--host", value: "HOST", group: .listening,
      help: "the IP address to listen on: ::1, 0.0.0.0 for all IPv4 addresses, :: for all "
        + "addresses, or another one of this machine. By default only this machine can connect, "
        + "over IPv4"
    ) { options, text throws(Options.UsageError) in options.host = try Options.host(text) },
    .flag(
      "--tls", \.usesTLS, true, .listening,
      help: "speak TLS, with a certificate for localhost and the address; the certificate of its "
        + "authority, which is made anew at each start, is written to a file that is printed"),
    Option(
      name: "--cors", value: "ORIGIN", group: .listening,
      help: "let pages of an origin read the responses, such as https://app.example.com; may "
        + "be repeated; * is every origin, and null local files. By default only pages of this "
        + "machine can read them"
    ) { options, text throws(Options.UsageError) in
      let origin = try Options.pageOrigin(text)
      if case .origins(let others) = options.crossOriginAccess {
        options.crossOriginAccess = .origins(others + [origin])
      } else {
        options.crossOriginAccess = .origins([origin])
      }
    },
    .flag(
      "--no-cors", \.crossOriginAccess, .none, .listening,
      help: "let no page of another origin read the responses"),
    .flag(
      "--no-admin", \.servesAdmin, false, .listening,
      help: "do not serve the inspector page and the admin API below /__mock/"),
    Option(
      name: "--token", value: "TOKEN", group: .listening,
      help:
        "the token that requests to /__mock/ need. With a --host that other machines can reach, "
        + "a random one is made and printed by default"
    ) { options, text throws(Options.UsageError) in
      options.adminToken = try Options.token(text)
    },
    .flag(
      "--allow-shutdown", \.allowsShutdown, true, .listening,
      help: "let a request to /__mock/shutdown end the program"),
    .flag(
      "--open", \.opensBrowser, true, .listening,
      help: "open the inspector page in the browser when the server has started"),
    .flag(
      "--exit-on-eof", \.endsWithInput, true, .listening,
      help: "stop when the standard input ends, as it does with the program that writes to it"),
  ]

  private static let forwarding: [Option] = [
    Option(
      name: "--proxy", value: "URL", group: .forwarding,
      help: "forward the requests without a stub to the server at URL, such as "
        + "https://api.example.com"
    ) { options, text throws(Options.UsageError) in
      options.origin = try Options.origin(text, of: "--proxy")
    },
    Option(
      name: "--record", value: "FILE", group: .forwarding,
      help: "write the forwarded exchanges to an HTTP archive when the program stops, with secrets "
        + "masked. FILE must not exist, see --force. --record URL FILE is short for --proxy URL "
        + "--record FILE"
    ) { options, text throws(Options.UsageError) in
      if text.contains("://") {
        options.origin = try Options.origin(text, of: "--record")
      } else {
        options.recording = text
      }
    },
    .flag(
      "--force", \.replacesRecording, true, .forwarding,
      help: "let --record replace an existing file when the program stops"),
    Option(
      name: "--keep", value: "NAME", group: .forwarding,
      help: "record the values of this name, although it is the name of a secret; may be repeated, "
        + "or a list separated by commas"
    ) { options, text throws(Options.UsageError) in
      options.keptNames += try Options.names(text, of: "--keep")
    },
    Option(
      name: "--mask", value: "NAME", group: .forwarding,
      help: "mask the values of this name in the recording; may be repeated, or a list separated "
        + "by commas"
    ) { options, text throws(Options.UsageError) in
      options.maskedNames += try Options.names(text, of: "--mask")
    },
    .flag(
      "--allow-tokens", \.allowsTokens, true, .forwarding,
      help: "also record the exchanges with values that look like secrets but do not have the name "
        + "of a secret, which are left out otherwise"),
    .file(
      "--check", \.contract, .forwarding,
      help:
        "check the forwarded exchanges against the OpenAPI document FILE: violations are printed "
        + "at once, and a report when the program stops"),
    .flag(
      "--errors", \.refusesViolations, true, .forwarding,
      help:
        "respond with a 500 in place of an example that does not keep its schema, if an OpenAPI "
        + "document is served; with --check, refuse requests that violate the document instead of "
        + "forwarding them, and respond with a 502 in place of a response that violates it"),
    .file(
      "--report", \.report, .forwarding,
      help: "also write the report of --check to FILE: .json for JSON, .xml for JUnit, any other "
        + "name for text"),
    .file(
      "--verify", \.verifications, .forwarding,
      help:
        "check the numbers of received requests when the program stops; the JSON array in FILE has "
        + "the expected ones, such as [{\"method\": \"POST\", \"path\": \"/orders\", \"times\": 1}]"
    ),
    .file(
      "--junit", \.junit, .forwarding,
      help: "write the results of --check and --verify to FILE, in the format JUnit"),
  ]

  private static let responses: [Option] = [
    .flag(
      "--strict", \.isStrict, true, .responses, commands: [.serve, .check],
      help: "refuse OpenAPI documents with mistakes, which are warnings otherwise"),
    .file(
      "--data", \.data, .responses,
      help: "keep the items of resources in FILE, so that they survive a restart"),
    .flag(
      "--stateful", \.isStateful, true, .responses, commands: [.serve, .check],
      help:
        "let the collections of OpenAPI documents keep the items that requests create, change and "
        + "delete; a warning tells why a list keeps none"),
    .flag(
      "--no-validation", \.validatesRequests, false, .responses,
      help:
        "also respond to requests that do not keep their OpenAPI document, which are refused by "
        + "default, with the reason in the body or in the log"),
    .flag(
      "--dynamic", \.isDynamic, true, .responses,
      help:
        "make the bodies of OpenAPI documents from their schemas, although there are examples; a "
        + "request decides by itself with ?__dynamic=true or Prefer: dynamic=true"),
    Option(
      name: "--delay", value: "TIME", group: .responses,
      help:
        "delay the responses of the files that have no delay of their own, by a time such as 80ms "
        + "or 1.5s, or a random one between two, such as 80ms-300ms"
    ) { options, text throws(Options.UsageError) in options.delay = try Options.delay(text) },
    Option(
      name: "--fault", value: "FAULT", group: .responses,
      help:
        "break the responses of the files that have no fault of their own: close, reset, stall or "
        + "garbage, and the part of the responses, such as reset:0.1"
    ) { options, text throws(Options.UsageError) in options.fault = try Options.fault(text) },
    Option(
      name: "--match", value: "PARTS", group: .responses,
      help:
        "the parts of a request that must be equal to a recorded one: method, url, path, query, "
        + "query-order, header:NAME, cookie:NAME, body, differing-body, json:PATH, separated by commas"
    ) { options, text throws(Options.UsageError) in
      options.matching = try Options.matching(text)
    },
    Option(
      name: "--seed", value: "NUMBER", group: .responses,
      help: "the seed of random values: the same requests then get the same responses"
    ) { options, text throws(Options.UsageError) in
      guard let seed = UInt64(text) else {
        throw Options.UsageError("--seed \(text): a seed is a whole number, 0 or more")
      }
      options.seed = seed
    },
    .flag(
      "--no-watch", \.watchesFiles, false, .responses,
      help:
        "do not read the files again when they change, which is the default also without the "
        + "--watch of json-server; the signal SIGHUP still does"),
  ]

  private static let output: [Option] = [
    .flag(
      "--verbose", \.output, .verbose, .output, commands: [.serve, .check],
      help:
        "also print the head and the body of requests and responses, with secrets masked, and a "
        + "line for each route of a resource"),
    .flag("--quiet", \.output, .quiet, .output, help: "print only the address and errors"),
    .flag(
      "--json", \.writesJSON, true, .output, commands: [.serve, .check],
      help: "print one JSON object on each line"),
    .file(
      "--diagnose", \.diagnostics, .output, commands: [.check],
      help:
        "print only errors and warnings, as a compiler does, and also write them to FILE as "
        + "comments of Swift, for the plugin CheckStubs"),
  ]

  private static let general: [Option] = [
    .flag(
      "--help", \.command, .help, .general, commands: Set(Options.Command.allCases),
      help: "show this help"),
    .flag(
      "--version", \.command, .version, .general, commands: Set(Options.Command.allCases),
      help: "show the version"),
  ]
}

// MARK: - Help

extension OptionTable {
  /// The help text, at most 80 columns wide.
  static var help: String {
    var text = """
      Serves stubs and recordings to HTTP clients in any language.

      usage: mock-server FILE... [options]      serve the routes of files
             mock-server --proxy URL [FILE...]  serve stubs, and forward the rest
             mock-server init [FILE]            write an example file (stubs.json)
             mock-server check FILE...          validate files and list their routes
             mock-server infer FILE.har         an OpenAPI document of a recording
             mock-server endpoints FILE         Swift code for an OpenAPI document
             mock-server completions SHELL      completions for bash, zsh or fish

      A FILE has stubs in JSON, or is an HTTP archive (.har), such as a recording, or
      an OpenAPI 3 document (.yaml, .json). The routes of the first file take
      precedence. Changed files are read again. A file with the name of a command is
      served with: mock-server serve FILE. For a database of json-server (db.json),
      mock-server check db.json prints the stub file that serves it.

      """
    for group in Group.allCases {
      text += "\n\(group.rawValue)\n"
      for option in options where option.group == group {
        text += row(option.usage, option.help)
      }
    }
    text += "\nExamples\n"
    for (command, meaning) in examples { text += "  \(command)\n      \(meaning)\n" }
    let statuses = ExitStatus.allCases.map { "\($0.rawValue) \($0.meaning)" }
    let notes = [
      "Ctrl-C finishes the responses in progress and stops. A second Ctrl-C stops at once.",
      "Exit status: " + statuses.joined(separator: "; "),
    ]
    for note in notes { text += "\n" + wrapped(note, width: 80).joined(separator: "\n") + "\n" }
    return String(text.dropLast())
  }

  private static let examples = [
    ("mock-server init shop.json && mock-server shop.json --open", "start from an example"),
    (
      "mock-server shop.json --proxy https://staging.example.com",
      "mock some routes of a real server"
    ),
    (
      "mock-server --proxy https://api.example.com --record session.har",
      "record a session, to serve it later: mock-server session.har"
    ),
    ("mock-server infer session.har > api.json", "describe a recording as a contract"),
    (
      "mock-server --proxy https://staging.example.com --check api.yaml",
      "does the real server keep its contract?"
    ),
    (
      "mock-server shop.json --data shop-data.json --seed 1",
      "keep changes, and repeat random values"
    ),
  ]

  /// The options as rows of a Markdown table, for the documentation.
  static var markdown: String {
    options.map { "| `\($0.usage)` | \($0.help) |" }.joined(separator: "\n")
  }

  /// Returns the lines of an option, with its description in a column of its own.
  private static func row(_ usage: String, _ help: String) -> String {
    let indent = 19
    let lines = wrapped(help, width: 80 - indent)
    return lines.enumerated().map { index, line in
      let start = index == 0 ? "  \(usage)" : ""
      return start + String(repeating: " ", count: max(indent - start.count, 1)) + line + "\n"
    }.joined()
  }

  /// Returns a text as lines of a maximum width.
  private static func wrapped(_ text: String, width: Int) -> [String] {
    var lines: [String] = []
    for word in text.split(separator: " ") {
      if let last = lines.last, last.count + 1 + word.count <= width {
        lines[lines.count - 1] = "\(last) \(word)"
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }
}

extension OptionTable.Option {
  /// The name with the placeholder of the value.
  var usage: String { name + (value.map { " \($0)" } ?? "") }
}

/// The exit status of the program.
enum ExitStatus: Int32, CaseIterable {
  case stopped = 0
  case invalidFile = 1
  case invalidCommandLine = 2
  case cannotListen = 3
  case cannotSave = 4
  case contractNotKept = 5

  /// A description for the help text.
  var meaning: String {
    switch self {
    case .stopped: "after a stop, or if all files are valid"
    case .invalidFile: "for a file that is invalid, or cannot be read or written at the start"
    case .invalidCommandLine: "for an invalid command line"
    case .cannotListen: "if the port is in use or the address not available"
    case .cannotSave: "if the recording, the data, the report or the output could not be saved"
    case .contractNotKept:
      "if an exchange did not keep the contract of --check, or a verification of --verify failed"
    }
  }
}
