import Foundation
import Promises

/// Performs one exchange at a time over the network, or in its stead.
///
/// A transport does exactly one hop: it follows no redirect, keeps no cookie and no cache, tries nothing
/// again and knows no credentials. All that is done above it, alike for every transport.
public protocol Transport: Sendable {
  /// Starts an exchange.
  ///
  /// - Parameters:
  ///   - request: what to send.
  ///   - receive: gets the events of the exchange, one at a time and in order, on a thread of the
  ///     transport's choice, perhaps before this method has returned. The last is `end` or `failure`,
  ///     exactly one of them; after it nothing comes. It must not block.
  /// - Returns: a handle on the exchange; dropping it changes nothing.
  func start(
    _ request: HTTPRequest, _ receive: @escaping @Sendable (_ event: TransportEvent) -> Void
  ) -> any TransportHandle

  /// Whether what it does needs a network: false for one that stands in for servers, which is not held
  /// back while there is none. True unless a transport says otherwise.
  var needsNetwork: Bool { get }
}

extension Transport {
  /// True.
  public var needsNetwork: Bool { true }
}

/// A handle on an exchange under way; every method may be called from any thread, any number of times.
public protocol TransportHandle: Sendable {
  /// Breaks the exchange off: the connection is closed, or its stream reset, and the exchange ends with
  /// a failure of the code ``NetworkError/Code-swift.enum/cancelled``, unless it has ended already.
  func cancel()

  /// Takes no more of the response from the connection, so that the server has to wait.
  func suspend()

  /// Goes on taking the response from the connection.
  func resume()
}

/// What happens in an exchange.
public enum TransportEvent: Sendable {
  /// A connection stands, new or kept, and the request is about to go over it; with what has been measured
  /// until then.
  ///
  /// It is for those who watch the client: a transport that can tell does so when somebody asks for it, before
  /// the head; again when it replaces a kept connection that turned out to have been closed.
  case connected(TransportMetrics)
  /// Nothing goes over a network, as somebody answers in its stead; `mock` or the like.
  ///
  /// It is for those who watch the client, in place of ``connected(_:)``.
  case servedLocally(by: String)
  /// So many bytes of the body have been sent, of so many in all where that is known.
  case sent(bytes: Int64, total: Int64?)
  /// The status and header fields of the final response, once.
  case head(HTTPResponseHead)
  /// The next bytes of the body, decoded from any content coding; never empty.
  case body(Data)
  /// The response is complete.
  case end(TransportMetrics)
  /// The exchange came to nothing, perhaps after a head and some of a body.
  case failure(TransportFailure)
}

/// A transport that fails every request.
package struct FailingTransport: Transport {
  private let failure: TransportFailure

  /// Makes a transport.
  ///
  /// - Parameters:
  ///   - code: The code of the failures.
  ///   - reason: The reason, as a sentence without a period.
  package init(_ code: NetworkError.Code, reason: String) {
    failure = TransportFailure(code: code, detail: reason)
  }

  /// `false`.
  package var needsNetwork: Bool { false }

  /// Fails the request before it returns.
  package func start(
    _ request: HTTPRequest, _ receive: @escaping @Sendable (_ event: TransportEvent) -> Void
  ) -> any TransportHandle {
    receive(.failure(failure))
    return FinishedHandle()
  }
}

/// The handle of an exchange that ended before `start` returned.
package struct FinishedHandle: TransportHandle {
  /// Makes a handle.
  package init() {}
  /// A no-op.
  package func cancel() {}
  /// A no-op.
  package func suspend() {}
  /// A no-op.
  package func resume() {}
}
