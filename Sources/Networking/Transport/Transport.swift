import CatenaSystem
package import Foundation
package import Promises

/// A type that performs single HTTP exchanges, over a network or simulated.
///
/// A transport performs exactly one hop. It does not follow redirects, store cookies, cache
/// responses, retry, or add credentials. The client does all of this above the transport, in the
/// same way for every transport.
public protocol Transport: Sendable {
  /// Starts an exchange.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - receive: The handler for the events of the exchange. The transport delivers one event at a
  ///     time, in order, on a thread of its choice, possibly before this method returns. The last
  ///     event is either `end` or `failure`. It is delivered exactly once, and no event follows it.
  ///     The handler must not block.
  /// - Returns: The handle of the exchange. Releasing it does not affect the exchange.
  func start(
    _ request: HTTPRequest, _ receive: @escaping @Sendable (_ event: TransportEvent) -> Void
  ) -> any TransportHandle

  /// Whether the transport needs a network. The default is `true`.
  ///
  /// A transport that simulates servers returns `false`. The client sends requests over such a
  /// transport even while the network is unreachable.
  var needsNetwork: Bool { get }
}

extension Transport {
  /// The default, `true`.
  public var needsNetwork: Bool { true }
}

/// The properties of a transport beside those of ``Transport``, of which each has a default.
package protocol TransportTraits: Transport {
  /// Returns the text that connections to a URL have in common if each of their transports accepts the
  /// servers of the others, presents the same client certificate, and takes the same way, such as a
  /// Unix socket.
  ///
  /// The default is the empty text of a transport without such settings.
  func connectionOwner(for url: URL) -> String

  /// Replaces the TLS settings for exchanges that start later.
  ///
  /// `nil`, the default, means that they cannot be replaced. `CurlTransport` can do it.
  var replaceTLS: (@Sendable (_ tls: TLSOptions) -> Void)? { get }

  /// Whether requests whose `preservesContentCoding` is set get the response body in its content coding.
  ///
  /// The default is `false`.
  var preservesContentCoding: Bool { get }

  /// A promise of the transport that performs the exchanges, for example one that an actor selects.
  ///
  /// `nil`, the default, means this one.
  ///
  /// The promise is for this caller only: cancelling it does not cancel the selection. Its inline
  /// handlers run in this call if the selection has finished, and else on the thread that finishes
  /// it. It is rejected only if it is cancelled.
  var selection: Promise<any Transport>? { get }
}

extension TransportTraits {
  /// The default, an empty text.
  package func connectionOwner(for url: URL) -> String { "" }
  /// The default, `nil`.
  package var replaceTLS: (@Sendable (_ tls: TLSOptions) -> Void)? { nil }
  /// The default, `false`.
  package var preservesContentCoding: Bool { false }
  /// The default, `nil`.
  package var selection: Promise<any Transport>? { nil }
}

extension Transport {
  /// The additional properties of the transport.
  ///
  /// `nil` for the transport of a user. This is the only cast of transports.
  package var traits: (any TransportTraits)? {
    let type = Int(bitPattern: ObjectIdentifier(Self.self))
    guard lastTypeWithoutTraits.load(ordering: .relaxed) != type else { return nil }
    let traits = self as? any TransportTraits
    if traits == nil { lastTypeWithoutTraits.store(type, ordering: .relaxed) }
    return traits
  }

  /// Returns a promise of the transport that performs the exchanges.
  ///
  /// See ``TransportTraits/selection``.
  package func selectedTransport() -> Promise<any Transport> {
    traits?.selection ?? .fulfilled(self)
  }
}

/// The type of the last transport that has no traits, because failed casts are slow.
private let lastTypeWithoutTraits = Atomic(0)

/// The handle of an exchange.
///
/// Every method can be called from any thread, any number of times.
public protocol TransportHandle: Sendable {
  /// Cancels the exchange.
  ///
  /// The transport closes the connection or resets the stream. The exchange ends with a failure
  /// with the code ``NetworkError/Code-swift.enum/cancelled``, unless it has already ended.
  func cancel()

  /// Pauses the delivery of events, and if possible the reading from the connection, so that the server
  /// has to wait.
  func suspend()

  /// Resumes reading the response from the connection.
  func resume()
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
