import Foundation
import Synchronization

/// Has what happens to a client's calls written down, for each call at the level that held when it was made.
final class LogMonitor: BodyMonitor {
  let bodyLimit: Int
  private let logging: LoggingConfiguration
  private let machine = Mutex(CallLogMachine())
  /// Those of the calls under way; apart, as calls are made while lines are put into words.
  private let levels = Mutex<[NetworkEvent.CallID: LoggingConfiguration.Level]>([:])

  init(_ logging: LoggingConfiguration) {
    self.logging = logging
    bodyLimit = max(logging.maximumBodySize, 0)
  }

  /// A call is logged at a level, to its end.
  func begin(_ call: NetworkEvent.CallID, at level: LoggingConfiguration.Level) {
    levels.withLock { $0[call] = $0[call] ?? level }
  }

  func observe(_ event: NetworkEvent, _ body: Data?) {
    let level = levels.withLock { levels in
      event.isEnd ? levels.removeValue(forKey: event.call) : levels[event.call]
    }
    guard let level, let entry = machine.withLock({ $0.entry(for: event, body, at: level) })
    else { return }
    switch entry.category {
    case .request: logging.requestLogger?.log(entry)
    case .response: logging.responseLogger?.log(entry)
    case .error: logging.errorLogger?.log(entry)
    }
  }
}
