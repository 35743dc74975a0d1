import Foundation
import Networking
import Promises
import Synchronization

/// The outermost stage of a client with a background session, which gives a request its key.
///
/// The interceptors inside it may change the URL, for example by a signature that differs in each run
/// of the program.
struct BackgroundKeyStage: BuiltInStage {
  func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
    var exchange = exchange
    switch (exchange.destination.kind, exchange.request.body) {
    case (.file(let target), _): exchange.request.setTransferKey(for: target.url)
    case (_, .file(let body)): exchange.request.setTransferKey(for: body)
    default: break
    }
    return next(exchange)
  }
}

extension HTTPRequest {
  fileprivate mutating func setTransferKey(for file: URL) {
    attributes[TransferKeyAttribute.self] = BackgroundRecord.key(of: self, file: file)
  }
}

/// The innermost stage of a client with a background session, which passes requests to the session.
///
/// It never continues with the next stage.
struct BackgroundStage: BuiltInStage {
  let transport: BackgroundTransport

  func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
    do {
      try exchange.checkSessions()
      let job = try BackgroundJob(exchange, tls: transport.tls)
      return transport.perform(
        job, progress: exchange.destination.progress,
        reportingTo: exchange.events?.begin(
          job.request, attempt: max(exchange.state.attemptCount, 1), hop: 1))
    } catch {
      return .rejected(error)
    }
  }

  /// The stages of a request of a background session, outermost first.
  ///
  /// There are no deadlines, retries and redirects, because the system has its own, which go on while
  /// the program does not run. There are no caches and no cookies.
  ///
  /// - Parameter transport: The session.
  /// - Returns: The stages.
  static func stages(over transport: BackgroundTransport) -> [any Interceptor] {
    [
      BackgroundKeyStage(), InterceptorsStage { $0.call.settings.interceptors },
      AuthorizationStage(),
      BackgroundStage(transport: transport),
    ]
  }
}

/// The background sessions of the process, by their identifiers.
///
/// The system forbids two sessions with one identifier, so all clients share one.
final class BackgroundSessions: Sendable {
  /// The sessions of the process, which live as long as it.
  static let shared = BackgroundSessions()

  /// The reason of the error for an empty identifier.
  static let missingIdentifier = "A background session needs an identifier"

  private let transports = Mutex<[String: BackgroundTransport]>([:])

  /// Returns the session of an identifier, which is made at the first call.
  ///
  /// - Parameters:
  ///   - identifier: The identifier.
  ///   - tls: The TLS settings.
  ///   - make: A closure that makes the session. It must not call this method.
  /// - Returns: The transport, or one that fails every request with
  ///   ``NetworkError/Code-swift.enum/unsupported`` if the identifier is empty, or the session has other
  ///   TLS settings.
  func transport(
    for identifier: String, tls: TLSOptions, make: () -> BackgroundTransport
  ) -> any Transport {
    guard !identifier.isEmpty else {
      return FailingTransport(.unsupported, reason: Self.missingIdentifier)
    }
    let transport = transports.withLock { transports in
      if let transport = transports[identifier] { return transport }
      let transport = make()
      transports[identifier] = transport
      return transport
    }
    guard transport.tls == tls else {
      return FailingTransport(
        .unsupported,
        reason:
          "Another client has the background session with other TLS options: use the same value"
      )
    }
    return transport
  }
}
