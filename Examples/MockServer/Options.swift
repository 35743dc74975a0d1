import Foundation
import Networking

/// What the command line asks for.
enum Options {
  /// Serve the stubs, or the recording, in a file.
  case serve(URL, port: Int)
  /// Pass everything on to another server, and write a recording.
  case record(URL, file: URL, port: Int, allowsTokens: Bool)
  case help

  static let usage = """
    Serves the stubs in a file on the loopback address, for clients in any language, and
    takes over what changes in it. Or records what a real server answers, to be served later.

    usage: swift run mock-server FILE [--port PORT]
           swift run mock-server --record URL FILE [--port PORT] [--allow-tokens]
           swift run mock-server --help

      FILE             stubs in JSON, as in Examples/MockServer/boards.json, or an
                       HTTP archive (its name ends in .har), such as --record writes
      --port PORT      the port to listen on, 8080 unless said otherwise; 0 chooses a free one
      --record URL     pass all requests on to the server at URL, such as
                       https://api.example.com, and write them and what it answers
                       to FILE once Ctrl-C ends the session; secrets are masked
      --allow-tokens   record values that look like secrets and go by no name that says so
      --help           show this

    The paths of a recorded session are the server's, so that the same client can have it
    again: swift run mock-server session.har

    Status: 0 after Ctrl-C, 1 for a wrong file, a port in use, or a recording that cannot be
    written, 2 for a wrong option.
    """

  /// Reads the arguments behind the program's name.
  ///
  /// - Throws: ``Problem``.
  init(_ arguments: some Collection<String>) throws {
    // `--port=0` is as good as `--port 0`.
    var rest = arguments.flatMap { argument in
      argument.hasPrefix("--")
        ? argument.split(separator: "=", maxSplits: 1).map(String.init) : [argument]
    }[...]
    var (file, origin, port, allowsTokens) = (String?.none, URL?.none, 8080, false)
    while let argument = rest.popFirst() {
      func value() throws -> String {
        guard let value = rest.popFirst() else { throw Problem("\(argument) needs a value") }
        return value
      }
      switch argument {
      case "--help", "-h":
        self = .help
        return
      case "--port": port = try Self.port(try value())
      case "--record": origin = try Self.origin(try value())
      case "--allow-tokens": allowsTokens = true
      case _ where argument.hasPrefix("-"): throw Problem("unknown option \(argument)")
      case _ where file == nil: file = argument
      default: throw Problem("\(argument) is one file too many")
      }
    }
    guard let file else { throw Problem("there is no file to serve, or to record to") }
    let folder = URL(fileURLWithPath: FileManager.default.currentDirectoryPath, isDirectory: true)
    let url = URL(fileURLWithPath: file, relativeTo: folder)
    if let origin {
      self = .record(origin, file: url, port: port, allowsTokens: allowsTokens)
    } else if allowsTokens {
      throw Problem("--allow-tokens goes with --record")
    } else {
      self = .serve(url, port: port)
    }
  }

  private static func origin(_ text: String) throws -> URL {
    guard let url = URL(string: text), ["http", "https"].contains(url.scheme?.lowercased()),
      url.host?.isEmpty == false, ["", "/"].contains(url.path), url.query == nil, url.user == nil
    else {
      throw Problem(
        "--record \(text): expected a server such as https://api.example.com, without a path")
    }
    return url
  }

  private static func port(_ text: String) throws -> Int {
    guard let port = Int(text), (0...65_535).contains(port) else {
      throw Problem("--port \(text): a port is a number from 0 to 65535")
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
