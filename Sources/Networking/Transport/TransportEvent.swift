public import Foundation

/// An event of an exchange.
public enum TransportEvent: Sendable {
  /// The connection is established, new or reused, and the request is about to be sent. The metrics
  /// contain the measurements up to this point.
  ///
  /// Only network monitors use this event. A transport that supports it sends it before the head,
  /// if a monitor requested it. The transport sends it again when it replaces a reused connection
  /// that turned out to be closed.
  case connected(TransportMetrics)
  /// The response comes from a local source, not from a network. The value names the source, such
  /// as `mock`.
  ///
  /// Only network monitors use this event. It takes the place of ``connected(_:)``.
  case servedLocally(by: String)
  /// The number of bytes of the request body sent so far, and the total number if it is known.
  case sent(bytes: Int64, total: Int64?)
  /// The status and header fields of the final response. It is sent once.
  case head(HTTPResponseHead)
  /// The next bytes of the response body, with any content coding decoded. Never empty.
  case body(Data)
  /// The fields after the body, which are not empty. A transport that supports trailers sends this
  /// event at most once, right before `end`.
  case trailers(HTTPHeaders)
  /// The response is complete.
  case end(TransportMetrics)
  /// The exchange failed, possibly after the head and a part of the body.
  case failure(TransportFailure)
}

extension TransportFailure {
  /// An error with which a transport rejects a request unchanged, without a ``NetworkError``.
  private struct Verbatim: Error { let error: any Error }

  /// Creates a failure that rejects the request with an error of any type.
  ///
  /// - Parameters:
  ///   - error: The error, which the caller of the request receives unchanged.
  ///   - detail: A description for transports and monitors that do not know the error's type.
  package init(rejectingWith error: any Error, detail: String) {
    let code = error.isCancellation ? .cancelled : (error as? NetworkError)?.code ?? .mockFailed
    self.init(code: code, detail: detail, underlying: Verbatim(error: error))
  }

  /// The error that the caller of the request receives unchanged.
  ///
  /// `nil` if it receives a ``NetworkError`` about this failure.
  package var rejection: (any Error)? { (underlying as? Verbatim)?.error }
}
