import Dispatch
import Foundation
import Mocking

// Start with StubServer.swift: it serves the routes of a stub file and reloads them when the file
// changes.

let console = Console()

do {
  switch try Command(CommandLine.arguments.dropFirst()) {
  case .help:
    print(Command.usage)

  case .serve(let file, let port):
    let signal = TerminationSignal()
    let server = try StubServer(file, port: port, console)
    await signal.wait()
    server.stop()

  case .record(let origin, let file, let port, let allowsTokens):
    let signal = TerminationSignal()
    let server = try RecordingServer(
      origin, to: file, port: port, allowsTokens: allowsTokens, console)
    await signal.wait()
    try server.stop()
  }
  console.flush()
} catch let error as Command.UsageError {
  console.failure("\(error)")
  exit(2)
} catch MockServerError.cannotListen(let port, let reason) {
  console.failure("cannot listen on port \(port): \(reason); --port 0 chooses a free port")
  exit(1)
} catch {
  console.failure("\(error)")
  exit(1)
}

// MARK: The command line

/// The command that the arguments of the program specify.
enum Command {
  /// Serve the stubs or the recording in a file.
  case serve(URL, port: Int)
  /// Forward requests to another server and write a recording.
  case record(URL, file: URL, port: Int, allowsTokens: Bool)
  case help

  static let usage = """
    Serves the stubs in a file on the loopback address, to clients in any language, and
    reloads the file when it changes. Or records the responses of a real server, to serve
    them later.

    usage: swift run mock-server FILE [--port PORT]
           swift run mock-server --record URL FILE [--port PORT] [--allow-tokens]
           swift run mock-server --help

      FILE             stubs in JSON, such as Examples/MockServer/boards.json, or an
                       HTTP archive (.har), such as one written by --record
      --port PORT      the port to listen on, 8080 by default; 0 chooses a free port
      --record URL     forward all requests to the server at URL, such as
                       https://api.example.com, and write them and the responses to
                       FILE when Ctrl-C ends the session; secrets are masked
      --allow-tokens   also record values that look like secrets but do not have the
                       name of a secret
      --help           show this help

    A recording keeps the paths of the real server, so the same client can use it:
    swift run mock-server session.har

    Exit status: 0 after Ctrl-C; 1 for an invalid file, a port in use, or a recording
    that cannot be written; 2 for an invalid option.
    """

  /// Parses the arguments after the program name.
  ///
  /// - Throws: ``UsageError``.
  init(_ arguments: some Collection<String>) throws {
    // Accepts `--port=0` as well as `--port 0`.
    var rest = arguments.flatMap { argument in
      argument.hasPrefix("--")
        ? argument.split(separator: "=", maxSplits: 1).map(String.init) : [argument]
    }[...]
    var (file, origin, port, allowsTokens) = (String?.none, URL?.none, 8080, false)
    while let argument = rest.popFirst() {
      func value() throws -> String {
        guard let value = rest.popFirst() else { throw UsageError("\(argument) requires a value") }
        return value
      }
      switch argument {
      case "--help", "-h":
        self = .help
        return
      case "--port": port = try Self.port(try value())
      case "--record": origin = try Self.origin(try value())
      case "--allow-tokens": allowsTokens = true
      case _ where argument.hasPrefix("-"): throw UsageError("unknown option \(argument)")
      case _ where file == nil: file = argument
      default: throw UsageError("unexpected argument \(argument) after the file")
      }
    }
    guard let file else { throw UsageError("missing argument FILE") }
    let folder = URL(fileURLWithPath: FileManager.default.currentDirectoryPath, isDirectory: true)
    let url = URL(fileURLWithPath: file, relativeTo: folder)
    if let origin {
      self = .record(origin, file: url, port: port, allowsTokens: allowsTokens)
    } else if allowsTokens {
      throw UsageError("--allow-tokens requires --record")
    } else {
      self = .serve(url, port: port)
    }
  }

  private static func origin(_ text: String) throws -> URL {
    guard let url = URL(string: text), ["http", "https"].contains(url.scheme?.lowercased()),
      url.host?.isEmpty == false, ["", "/"].contains(url.path), url.query == nil, url.user == nil
    else {
      throw UsageError(
        "--record \(text): expected a server such as https://api.example.com, without a path")
    }
    return url
  }

  private static func port(_ text: String) throws -> Int {
    guard let port = Int(text), (0...65_535).contains(port) else {
      throw UsageError("--port \(text): a port is a number from 0 to 65535")
    }
    return port
  }

  /// An error in the command line.
  struct UsageError: Error, CustomStringConvertible {
    let description: String

    init(_ problem: String) {
      description = "\(problem); see --help"
    }
  }
}

// MARK: Termination

/// A handler of SIGINT (Ctrl-C) and SIGTERM.
struct TerminationSignal: Sendable {
  private let promise: Promise<Void>

  /// Handles the first of the two signals; a second signal ends the program.
  init() {
    let (promise, resolver) = Promise<Void>.pending()
    self.promise = promise
    let queue = DispatchQueue(label: "TerminationSignal")
    for number in [SIGINT, SIGTERM] {
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      // The handler retains the source until the source is cancelled.
      source.setEventHandler {
        source.cancel()
        for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
        resolver.fulfill(())
      }
      source.activate()
    }
  }

  /// Waits for the first signal.
  func wait() async {
    _ = await promise.result
  }
}
