import Foundation
import Synchronization

/// Has what happens to a client's calls written down.
final class LogMonitor: BodyMonitor {
  let bodyLimit: Int
  private let logging: LoggingConfiguration
  private let machine: Mutex<CallLogMachine>

  /// Nil when there is nothing to write.
  init?(_ logging: LoggingConfiguration) {
    guard logging.level > .none else { return nil }
    self.logging = logging
    bodyLimit = logging.level == .verbose ? max(logging.maximumBodySize, 0) : 0
    machine = Mutex(CallLogMachine(level: logging.level))
  }

  func observe(_ event: NetworkEvent, _ body: Data?) {
    guard let entry = machine.withLock({ $0.entry(for: event, body) }) else { return }
    switch entry.category {
    case .request: logging.requestLogger?.log(entry)
    case .response: logging.responseLogger?.log(entry)
    case .error: logging.errorLogger?.log(entry)
    }
  }
}
