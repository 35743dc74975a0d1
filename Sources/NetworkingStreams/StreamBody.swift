import Foundation
import Networking
import Promises

/// The opener of a stream, which adds its request to the queue of the client.
struct StreamOpener: Sendable {
  let scheduler: any Scheduler
  let wallClock: @Sendable () -> Date
  /// Returns the request before the client's hooks, or `nil` if the endpoint has none.
  let request: @Sendable () -> Request?
  /// Returns the sessions of a request that is made now.
  let sessions: @Sendable () -> CallSessions
  /// Adds a request to the queue.
  ///
  /// The closure changes the wire request, after the hooks of the client. The sessions are those of all
  /// requests of one reader. A repetition is not subject to a retry policy of the request.
  let start:
    @Sendable (
      _ sessions: CallSessions, _ isRepetition: Bool,
      _ prepare: @escaping @Sendable (inout HTTPRequest) -> Void
    ) -> NetworkPromise
}

/// The body of one response of a stream.
///
/// The connection is closed when the object is released.
final class StreamBody {
  let response: Response
  private var iterator: ResponseBytes.AsyncIterator

  init(_ response: Response) {
    self.response = response
    iterator = response.bytes.makeAsyncIterator()
  }

  /// Returns the next piece, or `nil` at the end.
  func next(isolation actor: isolated (any Actor)?) async throws -> Data? {
    // A copy, because the access to a member must not last while the task waits. Copies read the
    // same body.
    var copy = iterator
    let piece = try await copy.next()
    iterator = copy
    return piece
  }
}

extension LineSplitter.LineTooLong {
  /// Returns the error for the reader of a response.
  func error(of response: Response, _ part: String) -> NetworkError {
    NetworkError(.bodyTooLarge, response, "\(part) has more than \(limit) bytes")
  }
}

extension HTTPRequest {
  /// Sets a header field, unless the caller has set it.
  mutating func setDefault(_ name: String, _ value: String) {
    if !headers.contains(name) { headers[name] = value }
  }
}
