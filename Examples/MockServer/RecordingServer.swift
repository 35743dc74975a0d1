import Foundation
import Mocking

/// A server that forwards requests to another server and records the exchanges.
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
      file, mode: .all, over: transport,
      options: Tape.Options(isTokenAllowed: { _ in allowsTokens }))
    self.tape = tape
    server = try MockServer(port: port, onExchange: { console.exchange($0) }) {
      Route.forwarding(to: origin, over: tape)
    }
    console.line("recording \(origin) to \(file.relativePath), at \(server.url)")
  }

  /// Stops the server and writes the recording.
  ///
  /// - Throws: ``SuspectedSecrets`` if the recording contains values that look like secrets, or the
  ///   error of `Tape.save()`.
  func stop() throws {
    server.stop()
    let count = tape.entries.count
    do {
      try tape.save()
    } catch RecordingError.suspectedTokens(_, let paths) {
      throw SuspectedSecrets(file: tape.file, paths: paths)
    }
    console.line(
      "wrote \(count == 1 ? "1 exchange" : "\(count) exchanges") to \(tape.file.relativePath)")
  }

  /// The error for a recording that was not written because it contains values that look like
  /// secrets.
  struct SuspectedSecrets: Error, CustomStringConvertible {
    let file: URL
    let paths: [String]

    var description: String {
      let list = paths.prefix(5).joined(separator: ", ") + (paths.count > 5 ? ", ..." : "")
      let values =
        paths.count == 1
        ? "1 value looks like a secret" : "\(paths.count) values look like secrets"
      return "\(file.relativePath) was not written: \(values) (\(list)). The exchanges with these "
        + "values are also missing from \(file.lastPathComponent).partial and must be recorded "
        + "again; --allow-tokens writes all exchanges"
    }
  }
}
