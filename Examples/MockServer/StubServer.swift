import Foundation
import Mocking
import Synchronization

/// Serves a file of stubs, and takes over what changes in it.
final class StubServer: Sendable {
  private struct State {
    var file: StubFile
    /// The bytes read last, be there a mistake in them or not.
    var bytes: Data?
  }

  private let url: URL
  private let server: MockServer
  private let console: Console
  private let state: Mutex<State>

  init(_ url: URL, port: Int, _ console: Console) throws {
    self.url = url
    self.console = console
    let watcher = FileWatcher(url)
    let bytes = try? Data(contentsOf: url)
    let file = try StubFile(contentsOf: url)
    state = Mutex(State(file: file, bytes: bytes))
    let faults = ConnectionFaults(file)
    server = try MockServer(
      routes: file.routes, port: port, connectionFault: { faults.of($0) },
      onExchange: { console.exchange($0) })
    console.line("\(url.relativePath): \(Self.count(file)) at \(server.url)")
    console.line("\(StubTable(file))")
    if let problem = watcher.problem { console.line("reloading is off: \(problem)") }
    watcher.start { [self] in reload(faults) }
  }

  private static func count(_ file: StubFile) -> String {
    file.summaries.count == 1 ? "1 route" : "\(file.summaries.count) routes"
  }

  private func reload(_ faults: ConnectionFaults) {
    let bytes = try? Data(contentsOf: url)
    // Editors touch a file more than once; and a neighbour's change is none.
    let isNew = state.withLock { state in
      defer { state.bytes = bytes }
      return state.bytes != bytes
    }
    guard isNew else { return }
    do {
      let file = try StubFile(contentsOf: url)
      try server.replaceRoutes(with: file.routes)
      faults.replace(file)
      console.line("\(url.relativePath) has changed: \(Self.count(file))")
      console.line("\(StubTable(file))")
    } catch {
      console.failure("\(error); the routes stay as they were")
    }
  }

  /// Serves no more.
  func stop() {
    server.stop()
    let count = server.requestCount
    console.line(count == 1 ? "1 request" : "\(count) requests")
  }
}
