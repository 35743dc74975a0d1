import Foundation
import Mocking

// Start with Walk.swift, which contains the endpoints and the chain of requests. Backend.swift
// contains the server and the mocks that respond to them.

let modes: [RequestMode] = [.sync, .limited(3), .async]
let delay = Duration.milliseconds(40)
let report = Report()

func walk(_ backend: Backend) async throws -> [Run] {
  report.title(backend.title)
  let runs = try await backend.walk(modes)
  report.table(runs)
  return runs
}

do {
  switch try Command(CommandLine.arguments.dropFirst()) {
  case .help:
    print(Command.usage)

  case .tour:
    let server = try BoardsServer(delay: delay)
    let served = try await walk(.server(server))
    server.stop()
    let mocked = try await walk(.mocks(CountingProvider(.boards(delay: delay))))
    report.success(served + mocked)

  case .walk(let url):
    report.success(try await walk(.url(url)))

  case .serve(let port):
    let server = try BoardsServer(port: port, delay: delay)
    print("Serving the boards API at \(server.url). Press Ctrl-C to stop.")
    while true {
      fflush(nil)
      let request = try await server.nextRequest().value
      print("\(request.method) \(request.target)")
    }
  }
} catch let error as Command.UsageError {
  report.failure("\(error)")
  exit(2)
} catch {
  report.failure("\(error)")
  exit(1)
}

// MARK: The command line

/// The command that the arguments of the program specify.
enum Command {
  /// Run the requests with the server and with the mocks of this example.
  case tour
  /// Run the requests with the server at a URL.
  case walk(URL)
  /// Serve the boards API.
  case serve(port: Int)
  case help

  static let usage = """
    Runs a chain of dependent requests to a small REST API in the modes .sync,
    .limited(3) and .async. Prints the duration of each step and the maximum number
    of concurrent requests: first over HTTP to its own server on the loopback
    address, then with mocks.

    usage: swift run quickstart [--url URL | --serve PORT | --help]

      --url URL      use your own server only
      --serve PORT   serve the API, for --url or curl; 0 chooses a free port
      --help         show this help

    Your own server responds with JSON:

      POST   login         {"user": "ada", "password": "lovelace"}  ->  {"token": "..."}
      GET    boards        ->  [{"id": 1, "title": "..."}, ...]
      GET    boards/{id}   ->  {"id": 1, "title": "...", "cards": ["...", ...]}
      POST   boards        {"title": "..."}  ->  the board
      PATCH  boards/{id}   {"title": "..."}  ->  the board
      DELETE boards/{id}

    It may require "Authorization: Bearer" with the token for all requests except the
    first.

    Exit status: 0 if all steps succeed, 1 if a step fails, 2 for an invalid option.
    """

  /// Parses the arguments after the program name.
  ///
  /// - Throws: ``UsageError``.
  init(_ arguments: some Collection<String>) throws {
    // Accepts `--url=URL` as well as `--url URL`.
    var rest = arguments.flatMap { argument in
      argument.hasPrefix("--")
        ? argument.split(separator: "=", maxSplits: 1).map(String.init) : [argument]
    }[...]
    guard let option = rest.popFirst() else {
      self = .tour
      return
    }
    func value() throws -> String {
      guard let value = rest.popFirst() else { throw UsageError("\(option) requires a value") }
      return value
    }
    switch option {
    case "--help", "-h": self = .help
    case "--url": self = .walk(try Self.url(try value()))
    case "--serve": self = .serve(port: try Self.port(try value()))
    default: throw UsageError("unknown option \(option)")
    }
    if let extra = rest.first { throw UsageError("unexpected argument \(extra) after \(option)") }
  }

  private static func url(_ text: String) throws -> URL {
    guard let url = URL(string: text) else { throw UsageError("\(text) is not a URL") }
    do {
      return try BaseURL(url).url
    } catch {
      throw UsageError("--url \(text): \(error)")
    }
  }

  private static func port(_ text: String) throws -> Int {
    guard let port = Int(text), (0...65_535).contains(port) else {
      throw UsageError("--serve \(text): a port is a number from 0 to 65535")
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
