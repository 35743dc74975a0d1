import CatenaSystem
package import Foundation
package import Networking

/// The response to a recorded request, and the times of the exchange.
///
/// A journal keeps them while the admin API is on. Times are those of the scheduler of the backend.
package final class JournalExchange: Sendable {
  /// A response that has ended.
  package struct Response: Sendable {
    /// The status, or `nil` if no byte was sent.
    package var status: Int?
    package var headers: HTTPHeaders = [:]
    /// The beginning of the body, at most 64 KiB.
    package var body = Data()
    /// The number of bytes sent after the head.
    package var bodyByteCount = 0
    /// Whether the response was sent completely.
    package var isComplete = true
  }

  package struct Values: Sendable {
    /// The time at which the response was known, or `nil` while a handler runs.
    package var respondedAt: Duration?
    /// The time at which the first byte was due.
    package var delayedUntil: Duration?
    /// The time at which the exchange ended.
    package var endedAt: Duration?
    /// The response, or `nil` before the end of the exchange.
    package var response: Response?
  }

  /// The size from which a body may be the beginning of a larger one.
  private static let copiedBytes = 64 * 1024
  private let state = Mutex(Values())

  var values: Values { state.withLock { $0 } }

  func responds(at time: Duration, after delay: Duration) {
    state.withLock { values in
      values.respondedAt = time
      values.delayedUntil = time + delay
    }
  }

  func ended(_ response: Response, at time: Duration) {
    var response = response
    // A copy, because a slice would keep the whole of a large body in memory.
    if response.body.count >= Self.copiedBytes { response.body = Data(Array(response.body)) }
    state.withLock { [response] values in
      values.endedAt = time
      values.response = response
    }
  }

  func removeBody() {
    state.withLock { $0.response?.body = Data() }
  }
}

/// A recorded request with its response.
package struct JournalDetail: Sendable {
  /// The request with its stub and its outcome.
  package let entry: JournalEntry
  /// The response, or `nil` if the journal does not keep responses.
  package let exchange: JournalExchange.Values?
}

/// A change of a journal.
package enum JournalChange: Sendable, Hashable {
  /// A request with this number, from 0, has been recorded or has changed.
  case changed(Int, generation: Int)
  /// All requests have been discarded.
  case reset
}
