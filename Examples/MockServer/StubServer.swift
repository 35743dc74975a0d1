import Foundation
import Mocking
import Synchronization

/// A server that serves the routes of a stub file, and reloads the file when it changes.
final class StubServer: Sendable {
  private let source: StubSource
  private let server: MockServer
  private let console: Console

  init(_ url: URL, port: Int, _ console: Console) throws {
    self.console = console
    // The watcher starts before the file is read, so that no change is missed.
    let watcher = FileWatcher(url)
    let source = try StubSource(url)
    self.source = source
    let file = source.file
    server = try MockServer(
      routes: file.routes, port: port, connectionFault: { source.file.connectionFault($0) },
      onExchange: { console.exchange($0) })
    console.line("\(url.relativePath): \(Self.count(file)) at \(server.url)")
    console.routes(of: file)
    if let problem = watcher.problem { console.line("automatic reload is off: \(problem)") }
    watcher.start { [self] in reload() }
  }

  private static func count(_ file: StubFile) -> String {
    file.summaries.count == 1 ? "1 route" : "\(file.summaries.count) routes"
  }

  private func reload() {
    do {
      guard let file = try source.read() else { return }
      try server.replaceRoutes(with: file.routes)
      source.setFile(file)
      console.line("\(file.url.relativePath) has changed: \(Self.count(file))")
      console.routes(of: file)
    } catch {
      console.failure("\(error); the routes are unchanged")
    }
  }

  /// Stops the server and prints the number of requests.
  func stop() {
    server.stop()
    let count = server.requestCount
    console.line(count == 1 ? "1 request" : "\(count) requests")
  }
}

/// The stub file that a server uses, and the last content read from its URL.
private final class StubSource: Sendable {
  private struct State {
    var file: StubFile
    /// The content that was read last, even if it was invalid, or `nil` if it could not be read.
    var content: Data?
  }

  private let url: URL
  private let state: Mutex<State>

  init(_ url: URL) throws {
    self.url = url
    let content = try? Data(contentsOf: url)
    state = Mutex(State(file: try StubFile(contentsOf: url), content: content))
  }

  /// The last file that the server accepted.
  var file: StubFile { state.withLock { $0.file } }

  func setFile(_ file: StubFile) {
    state.withLock { $0.file = file }
  }

  /// Reads the file again.
  ///
  /// - Returns: The new file, or `nil` if its content is unchanged: editors write a file more than
  ///   once, and the watcher also reports changes of other files in the folder.
  /// - Throws: `StubFileError` if the new content is invalid.
  func read() throws -> StubFile? {
    let content = try? Data(contentsOf: url)
    let isNew = state.withLock { state in
      defer { state.content = content }
      return state.content != content
    }
    return isNew ? try StubFile(contentsOf: url) : nil
  }
}
