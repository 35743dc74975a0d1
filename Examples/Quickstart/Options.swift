import Foundation
import Networking

/// What the command line asks for.
enum Options {
  /// Walk, against the example's own server and its mocks.
  case tour
  /// Walk, against a server of the user's own.
  case walk(URL)
  /// Serve the boards API.
  case serve(port: Int)
  case help

  static let usage = """
    Walks through a small REST API as one chain of dependent requests, in the modes
    .sync, .limited(3) and .async, and prints how long each step took and how many
    requests were under way at once: over HTTP to a server of its own on the loopback
    address, then mocked.

    usage: swift run quickstart [--url URL | --serve PORT | --help]

      --url URL      walk against a server of your own, and nothing else
      --serve PORT   serve the API, for --url or curl; 0 chooses a free port
      --help         show this

    A server of your own answers in JSON:

      POST   login         {"user": "ada", "password": "lovelace"}  ->  {"token": "..."}
      GET    boards        ->  [{"id": 1, "title": "..."}, ...]
      GET    boards/{id}   ->  {"id": 1, "title": "...", "cards": ["...", ...]}
      POST   boards        {"title": "..."}  ->  the board
      PATCH  boards/{id}   {"title": "..."}  ->  the board
      DELETE boards/{id}

    and may ask for "Authorization: Bearer" and the token in all but the first.

    Status: 0 when every step went well, 1 when one did not, 2 for a wrong option.
    """

  /// Reads the arguments behind the program's name.
  ///
  /// - Throws: ``Problem``.
  init(_ arguments: some Collection<String>) throws {
    // `--url=URL` is as good as `--url URL`.
    var rest = arguments.flatMap { argument in
      argument.hasPrefix("--")
        ? argument.split(separator: "=", maxSplits: 1).map(String.init) : [argument]
    }[...]
    guard let option = rest.popFirst() else {
      self = .tour
      return
    }
    func value() throws -> String {
      guard let value = rest.popFirst() else { throw Problem("\(option) needs a value") }
      return value
    }
    switch option {
    case "--help", "-h": self = .help
    case "--url": self = .walk(try Self.url(try value()))
    case "--serve": self = .serve(port: try Self.port(try value()))
    default: throw Problem("unknown option \(option)")
    }
    if let extra = rest.first { throw Problem("\(extra) is too much after \(option)") }
  }

  private static func url(_ text: String) throws -> URL {
    guard let url = URL(string: text) else { throw Problem("\(text) is not a URL") }
    do {
      return try BaseURL(url).url
    } catch {
      throw Problem("--url \(text): \(error)")
    }
  }

  private static func port(_ text: String) throws -> Int {
    guard let port = Int(text), (0...65_535).contains(port) else {
      throw Problem("--serve \(text): a port is a number from 0 to 65535")
    }
    return port
  }

  /// What nobody can make sense of.
  struct Problem: Error, CustomStringConvertible {
    let description: String

    init(_ problem: String) {
      description = "\(problem); --help shows what there is"
    }
  }
}
