import Foundation
import Mocking

/// Passes requests on to another server, and records what it answers.
final class RecordingServer: Sendable {
  private let tape: Tape
  private let server: MockServer
  private let console: Console

  init(
    _ origin: URL, to file: URL, port: Int, allowsTokens: Bool, _ console: Console
  ) throws {
    self.console = console
    #if os(Linux)
      let transport = CurlTransport()
    #else
      let transport = URLSessionTransport()
    #endif
    let tape = try Tape(
      file, mode: .all, over: transport, options: Tape.Options(isTokenAllowed: { _ in allowsTokens }))
    self.tape = tape
    server = try MockServer(port: port, onExchange: { console.exchange($0) }) {
      Route.forwarding(to: origin, over: tape)
    }
    console.line("recording \(origin) to \(file.relativePath), at \(server.url)")
  }

  /// Serves no more, and writes the recording.
  func stop() throws {
    server.stop()
    let count = tape.entries.count
    do {
      try tape.save()
    } catch RecordingError.suspectedTokens(_, let paths) {
      throw Unsaved(file: tape.file, paths: paths)
    }
    let exchanges = count == 1 ? "1 exchange is" : "\(count) exchanges are"
    console.line("\(exchanges) in \(tape.file.relativePath)")
  }

  /// What was recorded has values in it that look like secrets.
  struct Unsaved: Error, CustomStringConvertible {
    let file: URL
    let paths: [String]

    var description: String {
      let list = paths.prefix(5).joined(separator: ", ") + (paths.count > 5 ? ", …" : "")
      let are =
        paths.count == 1
        ? "1 value looks like a secret" : "\(paths.count) values look like secrets"
      return "\(file.relativePath) is not written: \(are) (\(list)). The exchanges with them are "
        + "missing in \(file.lastPathComponent).partial too, and have to be recorded again; with "
        + "--allow-tokens all are written"
    }
  }
}
