import CatenaSystem
public import Networking
import Promises

#if canImport(FoundationNetworking)
  import Foundation
#else
  public import Foundation
#endif

extension SessionConfiguration {
  /// Returns a background session of the system: downloads to files and uploads of files go on while the
  /// program is suspended, and after the system has terminated it.
  ///
  /// Only on Apple platforms. Elsewhere every request is rejected with
  /// ``NetworkError/Code-swift.enum/unsupported``, because the initializer of a client does not throw;
  /// ``checked()`` reports it before the client is made. Mocks do not need the session, so that
  /// tests run on every platform.
  ///
  /// - **Requests.** `download(_:to:)`, and the request of `Request.upload(file:to:)`. All others are
  ///   rejected with ``NetworkError/Code-swift.enum/unsupported`` and the alternative: bodies in memory,
  ///   forms and streams, downloads with a body, responses without an upload or a file, transfers that
  ///   can be paused, compression, a time limit of a request, the store policy `offline`, and interceptors
  ///   of a level other than `call`, such as a circuit breaker.
  /// - **Client.** ``Networking/beforeEach``, ``Networking/middleware``,
  ///   ``Networking/preProcessRequest``, ``Networking/interceptors`` and credentials apply when a request
  ///   starts. What an interceptor does with a response, such as a retry, applies only in the run of
  ///   the program that has made the request. There are no cookies, caches, retry policies, redirect
  ///   policies and deadlines of the client: the system retries and follows redirects.
  ///   Its only limit is `timeoutIntervalForResource`, a week unless a configuration of Foundation
  ///   changes it. The mode of the client does not limit the number of transfers.
  /// - **Redirects.** The system removes `Authorization` at a redirect to another origin, and keeps other
  ///   fields. Do not send secrets in other fields to a server that redirects to others.
  /// - **Relaunch.** ``Networking/handleBackgroundTransferEvents(identifier:file:line:)`` and the guide about
  ///   transfers in the background describe how transfers of an earlier run are found again.
  /// - **Interrupted downloads.** If a download ends with an error and the system has data to continue it, also
  ///   after the user has ended the app, the next call with its key continues it, with the status 206. It
  ///   starts from the beginning if the URL or a header field is another one, such as a new token or a
  ///   request ID, if the request has `Range`, after a week, or if the system or the server cannot continue it.
  ///   The data contains the header fields of the request. It is in a file that only its owner can read, that
  ///   is readable from the first unlock of the device on, and that is in no backup.
  /// - **Backups.** Results and data of interrupted downloads are in no backup: on another device the transfers
  ///   start again.
  /// - **Other tasks.** A task of the session that this module has not made is cancelled, because no
  ///   call could find it.
  /// - **Sharing.** All clients of the process with one identifier share the session, with the settings
  ///   of the first client. If another one has other ``TLSOptions``, its requests are rejected with
  ///   ``NetworkError/Code-swift.enum/unsupported``. The session lives as long as the process.
  ///
  /// - Parameter identifier: The name of the session, which is the same in each run of the program.
  /// - Returns: The configuration.
  public static func background(identifier: String) -> SessionConfiguration {
    SessionConfiguration(
      BackgroundSource(identifier: identifier) { tls in
        #if canImport(FoundationNetworking)
          Session(performer: nil, transport: BackgroundSource.unsupported)
        #else
          BackgroundSessions.shared.session(.background(withIdentifier: identifier), tls: tls)
        #endif
      })
  }

  #if !canImport(FoundationNetworking)
    /// Returns a background session with a configuration of Foundation, with its `isDiscretionary`,
    /// `allowsCellularAccess`, `sharedContainerIdentifier` and so on.
    ///
    /// The rules of ``background(identifier:)`` apply.
    ///
    /// - Parameters:
    ///   - configuration: A configuration of `URLSessionConfiguration.background(withIdentifier:)`. With
    ///     another one, every request is rejected with
    ///     ``NetworkError/Code-swift.enum/unsupported``.
    ///   - delegate: The delegate of the session. `nil` means none.
    /// - Returns: The configuration.
    public static func background(
      _ configuration: URLSessionConfiguration, delegate: (any URLSessionDelegate)? = nil
    ) -> SessionConfiguration {
      SessionConfiguration(
        BackgroundSource(identifier: configuration.identifier ?? "") { tls in
          BackgroundSessions.shared.session(configuration, delegate, tls: tls)
        })
    }
  #endif

  /// Whether the platform has background sessions: `true` on Apple platforms.
  public static var supportsBackgroundSessions: Bool {
    #if canImport(FoundationNetworking)
      false
    #else
      true
    #endif
  }
}

/// The source of the background sessions of one identifier.
struct BackgroundSource: SessionSource {
  let identifier: String
  /// Returns the session.
  let session: @Sendable (_ tls: TLSOptions) -> Session

  /// The reason of the error on a platform without background sessions.
  static let refusal =
    "The platform has no background sessions: use another session, and resumable transfers"

  static var unsupported: FailingTransport { FailingTransport(.unsupported, reason: refusal) }

  func check() throws(NetworkError) {
    guard SessionConfiguration.supportsBackgroundSessions else {
      throw NetworkError(.unsupported, Self.refusal)
    }
    if identifier.isEmpty {
      throw NetworkError(.unsupported, BackgroundSessions.missingIdentifier)
    }
  }

  func checkSupport(of tls: TLSOptions) throws(NetworkError) { try check() }

  func makeSession(_ tls: TLSOptions?, wallClock: @escaping @Sendable () -> Date) -> Session {
    session(tls ?? TLSOptions())
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
  /// - Returns: The session. It fails every request with
  ///   ``NetworkError/Code-swift.enum/unsupported`` if the identifier is empty, or the session has other
  ///   TLS settings.
  func session(
    for identifier: String, tls: TLSOptions, make: () -> BackgroundTransport
  ) -> Session {
    func failing(_ reason: String) -> Session {
      Session(performer: nil, transport: FailingTransport(.unsupported, reason: reason))
    }
    guard !identifier.isEmpty else { return failing(Self.missingIdentifier) }
    let transport = transports.withLock { transports in
      if let transport = transports[identifier] { return transport }
      let transport = make()
      transports[identifier] = transport
      return transport
    }
    guard transport.tls == tls else {
      return failing(
        "Another client has the background session with other TLS options: use the same value")
    }
    return transport.clientSession
  }
}

extension BackgroundTransport {
  /// The session of a client with these transfers.
  var clientSession: Session {
    Session(
      performer: self,
      transport: FailingTransport(
        .unsupported,
        reason: "A provider of transports cannot pass a request to a background session"))
  }
}

extension BackgroundTransport: CallPerformer {
  /// Gives a request its key.
  ///
  /// The interceptors may change the URL, for example by a signature that differs in each run of the
  /// program.
  func prepare(_ exchange: Exchange) -> Exchange {
    var exchange = exchange
    switch (exchange.options.destination, exchange.request.body) {
    case (.file(let target), _): exchange.request.setTransferKey(for: target.url)
    case (_, .file(let body)): exchange.request.setTransferKey(for: body)
    default: break
    }
    return exchange
  }

  /// Passes a request to the session.
  func perform(_ exchange: Exchange) -> NetworkPromise {
    firstly {
      let job = try BackgroundJob(exchange, tls: tls, sessionHeaders: session.headers)
      return perform(job, progress: exchange.progress, reportingTo: exchange.beginHop())
    }
  }
}

extension HTTPRequest {
  fileprivate mutating func setTransferKey(for file: URL) {
    attributes[TransferKeyAttribute.self] = BackgroundRecord.key(of: self, file: file)
  }
}
