import Foundation
import Mocking
import MockingRecordings
import MockingStubs

/// The parsed command line.
///
/// ``OptionTable`` describes the options, and ``CommandLineParser`` reads them.
struct Options: Equatable, Sendable {
  /// The command of the program.
  enum Command: String, CaseIterable, Sendable {
    /// Serves the routes of files, and forwards other requests if there is an origin.
    case serve
    /// Validates files and lists their routes.
    case check
    /// Prints an OpenAPI document that describes a recording.
    case infer
    /// Prints Swift code with the endpoints of an OpenAPI document.
    case endpoints
    /// Writes an example file.
    case initialize = "init"
    /// Prints a script that completes command lines in a shell.
    case completions
    case help
    case version
  }

  /// The amount of output.
  enum Output: Sendable {
    /// One line for each request.
    case lines
    /// The head and the body of each request and response, too.
    case verbose
    /// Only the address and errors.
    case quiet
  }

  /// The origins whose pages may read the responses.
  enum CrossOriginAccess: Equatable, Sendable {
    /// The pages of this machine.
    case loopback
    /// The pages of these origins; `*` is every origin.
    case origins([String])
    case none

    /// The policy of the server.
    var policy: CORSPolicy {
      switch self {
      case .loopback: .loopback
      case .origins(let origins): .origins(origins)
      case .none: .off
      }
    }
  }

  /// A fault of responses, before their first byte.
  struct Fault: Equatable, Sendable {
    let fault: MockFault
    /// The part of the responses that have it.
    var chance = 1.0
  }

  var command = Command.serve
  /// The files to serve or to check, the file that `init` writes, or the shell of `completions`.
  var files: [String] = []

  var port = 8080
  /// The address to listen on.
  ///
  /// `nil` is the loopback address.
  var host: String?
  var crossOriginAccess = CrossOriginAccess.loopback
  /// Whether the server speaks TLS, with a certificate made on the spot.
  var usesTLS = false
  /// Whether changed files are read again.
  var watchesFiles = true
  /// Whether the server's page is opened in a browser.
  var opensBrowser = false
  /// Whether a request to the admin API may end the program.
  var allowsShutdown = false
  /// Whether the end of the standard input ends the program.
  var endsWithInput = false
  /// Whether the admin API responds below `/__mock/`.
  var servesAdmin = true
  /// The token of the admin API.
  ///
  /// `nil` makes one if other machines can connect.
  var adminToken: String?

  /// The server that receives the requests without a stub.
  var origin: URL?
  /// The file for the forwarded exchanges.
  var recording: String?
  /// Whether a recording replaces an existing file.
  var replacesRecording = false
  var allowsTokens = false
  /// The names whose values a recording keeps, although they are names of secrets.
  var keptNames: [String] = []
  /// The further names whose values a recording masks.
  var maskedNames: [String] = []
  /// The OpenAPI document against which the forwarded exchanges are checked.
  var contract: String?
  /// The file for the report of the check.
  var report: String?
  /// The file for the errors and warnings of `check`, which are then printed as a compiler does.
  var diagnostics: String?
  /// The file with the expected numbers of requests.
  var verifications: String?
  /// The file for the report of the check and of the verifications in the format JUnit.
  var junit: String?
  /// The parts of a request that are compared with a recording.
  var matching = Tape.Matching.standard

  /// Whether the collections of OpenAPI documents keep the changes of requests.
  var isStateful = false
  /// Whether requests that do not keep their contract are refused.
  var validatesRequests = true
  /// Whether bodies are made from schemas although a document has examples.
  var isDynamic = false
  /// Whether forwarded exchanges that do not keep the contract of `--check` become errors.
  var refusesViolations = false
  /// The delay of responses without one of their own.
  var delay: MockDelay?
  /// The fault of responses without one of their own.
  var fault: Fault?
  /// Whether OpenAPI documents with mistakes are refused.
  var isStrict = false
  /// The seed of all random numbers.
  var seed: UInt64?
  /// The file that keeps the items of resources.
  var data: String?

  var output = Output.lines
  /// Whether the output has one JSON object on each line.
  var writesJSON = false
}

extension Options {
  /// The options for recordings among the files.
  var recordings: Tape.Options { Tape.Options(matching: matching) }

  /// The options for OpenAPI documents among the files.
  var contracts: StubFile.ContractOptions {
    StubFile.ContractOptions(
      isStateful: isStateful, seed: seed ?? 0, validatesRequests: validatesRequests,
      isDynamic: isDynamic, isStrict: isStrict, refusesInvalidExamples: refusesViolations)
  }

  /// An error in the command line.
  struct UsageError: Error, Equatable, CustomStringConvertible {
    let problem: String

    init(_ problem: String) {
      self.problem = problem
    }

    var description: String { "\(problem); see --help" }
  }

  /// Returns the URL of a file name, relative to the current folder.
  static func url(of name: String) -> URL {
    let folder = URL(fileURLWithPath: FileManager.default.currentDirectoryPath, isDirectory: true)
    return URL(fileURLWithPath: name, relativeTo: folder)
  }

  /// Returns the command that the name of a missing file resembles, such as `check` for `chek`.
  static func command(resembling name: String) -> Command? {
    NameSuggestion.of(name, among: Command.allCases.map(\.rawValue)).flatMap(Command.init)
  }
}

// MARK: - Values

extension Options {
  /// Parses a port number.
  static func port(_ text: String) throws(UsageError) -> Int {
    guard let port = Int(text), (0...65_535).contains(port) else {
      throw UsageError("--port \(text): a port is a number from 0 to 65535")
    }
    return port
  }

  /// Parses an address to listen on.
  ///
  /// The brackets of an IPv6 address are optional.
  static func host(_ text: String) throws(UsageError) -> String {
    guard ListeningAddress(text, port: 0) != nil else {
      throw UsageError(
        "--host \(text): expected an IP address without a port, such as 0.0.0.0 or [::1], or "
          + "localhost")
    }
    return text.hasPrefix("[") ? String(text.dropFirst().dropLast()) : text
  }

  /// Parses the URL of a server, which has no path.
  static func origin(_ text: String, of option: String) throws(UsageError) -> URL {
    guard let url = URL(string: text), ["http", "https"].contains(url.scheme?.lowercased()),
      url.host?.isEmpty == false, ["", "/"].contains(url.path), url.query == nil,
      url.fragment == nil, url.user == nil, url.password == nil
    else {
      throw UsageError(
        "\(option) \(Redactor.standard.maskedURL(text)): expected a server such as "
          + "https://api.example.com, without a path")
    }
    return url
  }

  /// Parses a token of the admin API.
  static func token(_ text: String) throws(UsageError) -> String {
    let isToken = text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"), UInt8(ascii: "-"):
        true
      default: false
      }
    }
    guard isToken, (8...256).contains(text.utf8.count) else {
      throw UsageError(
        "--token: a token has 8 to 256 letters, digits and the characters . _ ~ -")
    }
    return text
  }

  /// Parses an origin of web pages, `*` or `null`.
  ///
  /// Its scheme may be another one than `http`, such as `capacitor` in a mobile app.
  static func pageOrigin(_ text: String) throws(UsageError) -> String {
    guard text != "*", text != "null" else { return text }
    guard let url = URL(string: text), url.scheme != nil, url.host?.isEmpty == false,
      ["", "/"].contains(url.path), url.query == nil, url.fragment == nil, url.user == nil,
      url.password == nil
    else {
      throw UsageError(
        "--cors \(Redactor.standard.maskedURL(text)): expected an origin without a path, such as "
          + "https://app.example.com, or null for local files, or * for every origin")
    }
    return text.trimmingSuffix("/")
  }

  /// Parses the parts of a request that are compared with a recording.
  static func matching(_ text: String) throws(UsageError) -> Tape.Matching {
    do throws(Tape.MatchingError) {
      return try Tape.Matching(parsing: text)
    } catch {
      throw UsageError("--match \(text): \(error)")
    }
  }

  /// Parses a delay.
  static func delay(_ text: String) throws(UsageError) -> MockDelay {
    guard let delay = MockDelay(parsing: text) else {
      throw UsageError(
        "--delay \(text): expected a time, such as 80ms or 1.5s, or two for a random one, such as "
          + "80ms-300ms")
    }
    return delay
  }

  /// Parses a fault and its chance, such as `reset` and `close:0.1`.
  static func fault(_ text: String) throws(UsageError) -> Fault {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    let chance = parts.count == 2 ? Double(parts[1]) : 1
    let faults: [Substring: MockFault] = [
      "close": .close, "reset": .reset, "stall": .stall, "garbage": .garbage,
    ]
    guard parts.count <= 2, let fault = faults[parts[0]], let chance, (0...1).contains(chance)
    else {
      throw UsageError(
        "--fault \(text): expected close, reset, stall or garbage, and a chance from 0 to 1 for "
          + "only some of the responses, such as reset:0.1")
    }
    return Fault(fault: fault, chance: chance)
  }

  /// Parses a list of names that are separated by commas.
  static func names(_ text: String, of option: String) throws(UsageError) -> [String] {
    let names = text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    guard !names.isEmpty, !names.contains("") else {
      throw UsageError("\(option) \(text): expected a name, or several separated by commas")
    }
    return names
  }
}

extension String {
  fileprivate func trimmingSuffix(_ suffix: String) -> String {
    hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
  }
}
