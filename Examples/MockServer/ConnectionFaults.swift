import Mocking
import Synchronization

/// What happens to connections, as the file says that was read last.
final class ConnectionFaults: Sendable {
  private let file: Mutex<StubFile>

  init(_ file: StubFile) {
    self.file = Mutex(file)
  }

  func of(_ connection: Int) -> MockFault? {
    file.withLock { $0 }.connectionFault(connection)
  }

  func replace(_ file: StubFile) {
    self.file.withLock { $0 = file }
  }
}
