import Foundation
import Networking
import Promises

/// Routes laid down in a file: stubs in JSON, or a recording, an HTTP archive.
///
/// ```json
/// {
///   "routes": [
///     { "method": "GET", "path": "/boards", "json": [{ "id": 1, "title": "Fish" }] },
///     { "method": "GET", "path": "/boards/{id}", "status": 404, "delay": "80 ms" },
///     { "path": "/broken", "fault": { "type": "reset", "at": "body", "afterBytes": 512 } }
///   ]
/// }
/// ```
///
/// - **An answer** has a `status`, `headers`, a body (one of `json`, `text`, `base64`, `file`, the last in
///   the folder of the stubs), a `delay` and a `bodyDelay` (`"80 ms"`, `{"from": "80 ms", "to": "0.3 s"}`,
///   `{"median": "200 ms", "sigma": 0.5, "cap": "5 s"}`), `bytesPerSecond` or `dribble`
///   (`{"pieces": 10, "over": "5 s"}`), and a `fault`. A `sequence` is a list of answers, of which the last
///   repeats, or after which it fails (`"afterLast": "fails"`).
/// - **Conditions**, in `when`: `query`, `headers` and `form` by name, with the value as text, true where
///   it has only to be there, false where it must not, `{"contains": "a"}` or `{"matches": "^[0-9]+$"}`;
///   `text`, the whole body, likewise; `json`, of which a body has to have all members, and may have more.
///   A stub of a higher `priority` goes before others, and with `times` one answers so often and no more.
/// - **Scenarios** keep what has happened: `{"name": "boards", "when": "started", "then": "created"}` is a
///   route that answers in the state `started`, in which each scenario begins, and leads to another.
/// - **Order.** The stub written first answers, of those that match.
/// - **Mistakes** are errors that say where they are: a key that is not known, a value of another type or
///   out of range, a file that is not there, a state that is never reached.
///
/// A recording answers each path with what was recorded for it, in turn, by method, path and query. What
/// was refused there or broke off is so again.
public struct StubFile: Sendable {
  /// The file.
  public let url: URL
  /// What it lays down, for a ``MockServer``, a ``MockTransport`` or a ``MockProvider``.
  public let routes: [Route]
  /// One line for each stub, in order, for people.
  public let summaries: [Summary]
  private let connectionFaults: [Int?: MockFault]

  /// Reads a file of stubs, or a recording.
  ///
  /// - Parameter url: where it is; one that ends in `.har`, in whatever case, is read as an HTTP archive.
  /// - Throws: ``StubFileError``, with the place and what was expected there; ``RecordingError`` for an
  ///   archive.
  public init(contentsOf url: URL) throws {
    self.url = url
    if url.pathExtension.lowercased() == "har" {
      let recording = try RecordedStubs(url)
      routes = recording.routes
      summaries = recording.summaries
      connectionFaults = [:]
      return
    }
    let data: Data
    do {
      data = try Data(contentsOf: url)
    } catch {
      throw FileManager.default.fileExists(atPath: url.path)
        ? StubFileError.unreadable(file: url, reason: AtomicFileWriter.reason(of: error))
        : StubFileError.missing(file: url)
    }
    let document = try StubDocument(data, url)
    routes = document.stubs.map(\.route)
    summaries = document.stubs.map(\.summary)
    connectionFaults = document.connectionFaults
  }

  /// What is to happen to a connection as soon as it is accepted; for the `connectionFault` of a server.
  ///
  /// - Parameter connection: its index.
  /// - Returns: the fault laid down for it, or else for all; nil for none.
  public func connectionFault(_ connection: Int) -> MockFault? {
    connectionFaults[connection] ?? connectionFaults[nil]
  }

  /// A stub, as a table shows it.
  public struct Summary: Sendable, Hashable {
    /// The method; nil stands for every one.
    public let method: HTTPMethod?
    /// The path with its variables.
    public let path: String
    /// What it answers, `200 application/json`.
    public let answer: String
    /// What has to hold for it to answer, `query page = 2`; empty for nothing.
    public let conditions: [String]
  }
}

/// Why a file of stubs cannot be used.
public enum StubFileError: Error, Hashable, Sendable {
  /// There is no such file.
  case missing(file: URL)
  /// The file is there and cannot be read.
  case unreadable(file: URL, reason: String)
  /// There is a mistake in it.
  ///
  /// The line and column count from 1, a column being a character; the path is `routes[2].status`, empty
  /// for the root or where the text is no JSON. The problem says what was expected, and what is there.
  case malformed(file: URL, line: Int, column: Int, path: String, problem: String)
}

extension StubFileError: CustomStringConvertible, LocalizedError {
  /// What is wrong, and where, in the form in which compilers say it.
  public var description: String {
    switch self {
    case .missing(let file): "\(file.relativePath): there is no such file"
    case .unreadable(let file, let reason): "\(file.relativePath) cannot be read: \(reason)"
    case .malformed(let file, let line, let column, let path, let problem):
      "\(file.relativePath):\(line):\(column): \(path.isEmpty ? "" : "\(path): ")\(problem)"
    }
  }

  /// The same as ``description``.
  public var errorDescription: String? { description }
}

extension MockServer {
  /// Starts a server of what a file lays down; see ``StubFile``.
  ///
  /// The file is read once. Later changes are taken over by ``replaceRoutes(with:)`` and the routes of the
  /// file read again.
  ///
  /// - Parameters:
  ///   - stubs: the file, stubs in JSON or an HTTP archive.
  ///   - port: the port to listen on; 0 has the system choose a free one.
  ///   - limits: what the server takes from clients.
  ///   - scheduler: where delays take their time from.
  ///   - onExchange: is told of each request once its exchange has ended, on the server's thread, so it
  ///     must not block.
  /// - Throws: ``StubFileError``, ``RecordingError``, ``MockServerError/cannotListen(port:reason:)``.
  public convenience init(
    stubs: URL, port: Int = 0, limits: MockServerLimits = MockServerLimits(),
    scheduler: any Scheduler = .live,
    onExchange: (@Sendable (_ exchange: ServedExchange) -> Void)? = nil
  ) throws {
    let file = try StubFile(contentsOf: stubs)
    try self.init(
      routes: file.routes, port: port, limits: limits, scheduler: scheduler,
      connectionFault: file.connectionFault, onExchange: onExchange)
  }
}
