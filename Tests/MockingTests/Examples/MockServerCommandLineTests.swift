import MockingStubs

#if os(Linux) || os(macOS)
  import Foundation
  import TestGate
  import Testing

  @testable import Mocking
  @testable import mock_server

  /// Tests of the options of the program `mock-server`.
  @Suite(.gated)
  struct MockServerCommandLineTests {
    private func options(_ arguments: String...) throws -> Options {
      try CommandLineParser.parse(arguments)
    }

    @Test func everyOptionHasAnEffect() throws {
      let values = [
        "--port": "0", "--host": "0.0.0.0", "--cors": "https://a.example", "--data": "d.json",
        "--match": "method,body", "--seed": "7", "--proxy": "https://a.example",
        "--record": "r.har", "--keep": "pin", "--mask": "nick",
        "--token": "t0ken-of-tests", "--delay": "80ms-300ms", "--check": "api.yaml",
        "--report": "r.xml", "--verify": "v.json", "--junit": "j.xml", "--fault": "reset:0.5",
        "--diagnose": "o.swift",
      ]
      let recorded = [
        "--proxy", "https://b.example", "--record", "b.har", "--check", "b.yaml", "a.json",
      ]
      for option in OptionTable.options {
        let words = option.commands.contains(.serve) ? recorded : ["check", "a.json"]
        let base = try CommandLineParser.parse(words)
        let value = option.value == nil ? [] : [try #require(values[option.name])]
        let parsed = try CommandLineParser.parse(words + [option.name] + value)
        #expect(parsed != base, "\(option.name)")
        if let value = value.first {
          let joined = try CommandLineParser.parse(words + ["\(option.name)=\(value)"])
          #expect(joined == parsed, "\(option.name)")
        }
      }
    }

    @Test func responsesAreDelayedByATimeOrARandomOne() throws {
      #expect(try options("a", "--delay", "1.5s").delay == .fixed(.milliseconds(1_500)))
      #expect(
        try options("a", "--delay", "80ms-0.3 s").delay
          == .uniform(.milliseconds(80), .milliseconds(300)))
      let contracts = try options("a", "--no-validation", "--dynamic").contracts
      #expect(contracts == StubFile.ContractOptions(validatesRequests: false, isDynamic: true))
    }

    @Test func aFaultHasAChance() throws {
      #expect(try options("a", "--fault", "reset").fault == Options.Fault(fault: .reset))
      #expect(
        try options("a", "--fault", "garbage:0.25").fault
          == Options.Fault(fault: .garbage, chance: 0.25))
    }

    @Test func filesAndCommandsAreRecognized() throws {
      #expect(try options("a.json", "--port", "0", "b.har").files == ["a.json", "b.har"])
      #expect(try options("--", "-a").files == ["-a"])
      #expect(try options("serve", "check").files == ["check"])
      #expect(try options("check", "a", "b").command == .check)
      #expect(try options("check", "a", "b").files == ["a", "b"])
      #expect(try options("init").files == ["stubs.json"])
      #expect(try options("init", "a.json").files == ["a.json"])
      #expect(try options("a", "--help", "--frobnicate").command == .help)
      #expect(try options("--proxy", "http://a").files.isEmpty)
    }

    @Test func optionsOfJSONServerAreAcceptedOrHaveAHint() throws {
      #expect(try options("--watch", "db.json") == options("db.json"))
      #expect(
        throws: Options.UsageError(
          "unknown option --static; a route with \"folder\" serves files")
      ) { try options("--static", "public") }
    }

    @Test func recordWithAURLIsShortForProxyAndRecord() throws {
      let short = try options("--record", "http://a:1", "s.har", "b.json", "--port=0")
      let long = try options("--proxy", "http://a:1", "--record", "s.har", "b.json", "--port=0")
      #expect(short == long)
    }

    @Test func errorsNeedNoCheckForAFile() throws {
      #expect(try options("api.yaml", "--errors").refusesViolations)
    }

    @Test func repeatedNamesAndOriginsAreCollected() throws {
      let parsed = try options(
        "a", "--proxy", "http://b", "--record", "c", "--keep", "d,e", "--keep", "f",
        "--cors", "http://g", "--cors", "http://h/")
      #expect(parsed.keptNames == ["d", "e", "f"])
      #expect(parsed.crossOriginAccess == .origins(["http://g", "http://h"]))
      #expect(try options("a", "--no-cors").crossOriginAccess == .none)
      #expect(try options("a").crossOriginAccess == .loopback)
      #expect(try options("a", "--host", "[::1]").host == "::1")
    }

    @Test(arguments: [
      ([], "missing argument FILE; mock-server init writes an example"),
      (["check"], "check: missing argument FILE"),
      (["init", "a", "b"], "unexpected argument b after init FILE"),
      (["--frobnicate"], "unknown option --frobnicate"),
      (["--hst", "a"], "unknown option --hst; did you mean --host?"),
      (["a", "--port"], "--port requires a value"),
      (["a", "--port="], "--port requires a value"),
      (["a", "--quiet=1"], "--quiet has no value"),
      (["a", "--port", "x"], "--port x: a port is a number from 0 to 65535"),
      (["a", "--port", "65536"], "--port 65536: a port is a number from 0 to 65535"),
      (
        ["a", "--host", "http://b"],
        "--host http://b: expected an IP address without a port, such as 0.0.0.0 or [::1], or "
          + "localhost"
      ),
      (
        ["a", "--host", "example.com"],
        "--host example.com: expected an IP address without a port, such as 0.0.0.0 or [::1], or "
          + "localhost"
      ),
      (
        ["a", "--cors", "b"],
        "--cors b: expected an origin without a path, such as https://app.example.com, or null for "
          + "local files, or * for every origin"
      ),
      (
        ["a", "--cors", "localhost:5173"],
        "--cors localhost:5173: expected an origin without a path, such as https://app.example.com, "
          + "or null for local files, or * for every origin"
      ),
      (
        ["a", "--cors", "https://b/c"],
        "--cors https://b/c: expected an origin without a path, such as https://app.example.com, "
          + "or null for local files, or * for every origin"
      ),
      (
        ["--proxy", "http://b/c"],
        "--proxy http://b/c: expected a server such as https://api.example.com, without a path"
      ),
      (
        ["--proxy", "http://user:secret@b"],
        "--proxy http://b: expected a server such as https://api.example.com, without a path"
      ),
      (["a", "--record", "b"], "--record requires --proxy"),
      (
        ["a", "--check", "b"],
        "--check requires --proxy; to validate files: mock-server check FILE"
      ),
      (["--proxy", "http://a", "--report", "b"], "--report requires --check"),
      (["a", "--junit", "b"], "--junit requires --check or --verify"),
      (["completions"], "completions: expected bash, zsh or fish"),
      (["completions", "zsh", "b"], "unexpected argument b after completions SHELL"),
      (
        ["a", "--fault", "reset:2"],
        "--fault reset:2: expected close, reset, stall or garbage, and a chance from 0 to 1 for only "
          + "some of the responses, such as reset:0.1"
      ),
      (["--proxy", "http://a", "--errors"], "--errors requires --check or a FILE"),
      (
        ["a", "--delay", "80"],
        "--delay 80: expected a time, such as 80ms or 1.5s, or two for a random one, such as 80ms-300ms"
      ),
      (
        ["a", "--delay", "2s-1s"],
        "--delay 2s-1s: expected a time, such as 80ms or 1.5s, or two for a random one, such as "
          + "80ms-300ms"
      ),
      (["--record", "http://b"], "--record URL: missing argument FILE"),
      (["a", "--allow-tokens"], "--allow-tokens requires --record"),
      (["a", "--force"], "--force requires --record"),
      (["a", "--keep", "b"], "--keep requires --record"),
      (["a", "--mask", "b"], "--mask requires --record"),
      (["a", "--mask", ","], "--mask ,: expected a name, or several separated by commas"),
      (["a", "--seed", "-1"], "--seed -1: a seed is a whole number, 0 or more"),
      (
        ["a", "--match", "method,header"],
        "--match method,header: \"header\": expected the name of a field: header:NAME"
      ),
      (["a", "--verbose", "--quiet"], "--verbose and --quiet exclude each other"),
      (["a", "--cors", "http://b", "--no-cors"], "--cors and --no-cors exclude each other"),
      (
        ["a", "--token", "t0ken-of-tests", "--no-admin"],
        "--token and --no-admin exclude each other"
      ),
      (
        ["a", "--token", "s3cr t"],
        "--token: a token has 8 to 256 letters, digits and the characters . _ ~ -"
      ),
      (["check", "a", "--port", "0"], "--port cannot be used with check"),
      (["a", "--diagnose", "b"], "--diagnose cannot be used with serve"),
      (["init", "--json"], "--json cannot be used with init"),
    ])
    func anInvalidCommandLineHasOneMessage(arguments: [String], message: String) {
      #expect(throws: Options.UsageError(message)) { try CommandLineParser.parse(arguments) }
    }

    @Test func theHelpFitsIntoATerminalAndListsEveryOption() {
      let lines = OptionTable.help.split(separator: "\n", omittingEmptySubsequences: false)
      for line in lines { #expect(line.count <= 80, "\(line)") }
      for option in OptionTable.options {
        #expect(lines.contains { $0.hasPrefix("  \(option.usage) ") }, "\(option.name)")
      }
      for status in ExitStatus.allCases {
        #expect(OptionTable.help.contains("\(status.rawValue) "))
      }
    }

    /// If this fails, copy the rows of `OptionTable.markdown` to the article.
    @Test func theDocumentationListsEveryOption() throws {
      let article = URL(filePath: #filePath)
        .appending(
          path: "../../../../Sources/MockingStubs/MockingStubs.docc/TheMockServerProgram.md"
        )
        .standardized
      let text = try String(contentsOf: article, encoding: .utf8)
      for row in OptionTable.markdown.split(separator: "\n") {
        #expect(text.contains(row), "\(row)")
      }
      for status in ExitStatus.allCases {
        #expect(text.contains("| \(status.rawValue) | \(status.meaning) |"))
      }
    }

    @Test(arguments: [Completions.bash, .zsh, .fish])
    func completionsHaveEveryOptionAndCommand(shell: Completions) {
      for option in OptionTable.options {
        let name = shell == .fish ? "-l \(option.name.dropFirst(2)) " : option.name
        #expect(shell.script.contains(name), "\(option.name)")
      }
      for command in Options.Command.allCases where ![.help, .version].contains(command) {
        #expect(shell.script.contains(command.rawValue), "\(command)")
      }
    }

    @Test(arguments: [
      (["--cors", "https://g:8443/"], CORSPolicy.origins(["https://g:8443"])),
      (
        ["--cors", "null", "--cors", "capacitor://localhost"],
        .origins(["null", "capacitor://localhost"])
      ),
      (["--cors", "http://g", "--cors", "*"], .origins(["*"])),
      (["--no-cors"], .off), ([], .loopback),
    ])
    func theOptionsSelectThePagesThatMayReadResponses(
      arguments: [String], policy: CORSPolicy
    ) throws {
      let options = try CommandLineParser.parse(["a"] + arguments)
      #expect(options.crossOriginAccess.policy == policy)
    }

    @Test func onlyAPortInUseSuggestsAnotherPort() {
      let used = String(cString: strerror(EADDRINUSE))
      #expect(
        MockServerProgram.listeningFailure(nil, 80, used)
          == "cannot listen on 127.0.0.1:80: \(used); --port 0 chooses a free port")
      #expect(
        MockServerProgram.listeningFailure("::1", 80, "Permission denied")
          == "cannot listen on [::1]:80: Permission denied")
    }

    @Test func aMistypedCommandIsNamed() {
      let error = StubFileError.missing(file: URL(filePath: "/a/chek"))
      #expect(
        MockServerProgram.description(of: error, ["chek"])
          == "\(error); did you mean the command check?")
      #expect(MockServerProgram.description(of: error, ["shop.json"]) == "\(error)")
    }
  }
#endif
