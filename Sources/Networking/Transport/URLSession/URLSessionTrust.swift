import CatenaSystem

#if canImport(FoundationNetworking)
  package import Foundation
  package import FoundationNetworking
#else
  package import Foundation
#endif

#if canImport(Security)
  import Dispatch
  import Security
#endif

/// The TLS options of a ``URLSessionTransport``, as far as the platform supports them.
package final class URLSessionTrust: Sendable {
  /// The TLS options.
  package let options: TLSOptions
  /// The hosts whose certificates the options or the delegate of the caller have evaluated.
  private let evaluatedHosts = Mutex<Set<String>>([])

  /// Makes the trust of a session.
  package init(_ options: TLSOptions) { self.options = options }

  /// Checks that the transport supports options.
  ///
  /// Such options are not ignored: for example, a caller who pins a key must know if it is not
  /// checked.
  ///
  /// - Throws: `unsupported` for any options other than the default on Linux.
  static func requireSupport(of options: TLSOptions) throws(NetworkError) {
    #if canImport(FoundationNetworking)
      guard !options.isDefault else { return }
      throw NetworkError(
        .unsupported, "URLSessionTransport does not support TLS options on Linux; use CurlTransport"
      )
    #endif
  }

  /// Applies the options that belong to the session configuration.
  package func configure(_ configuration: URLSessionConfiguration) {
    #if !canImport(FoundationNetworking)
      // Default options leave the version of the configuration as it is.
      let minimum = options.minimumVersion.systemVersion
      if !options.isDefault,
        configuration.tlsMinimumSupportedProtocolVersion.rawValue < minimum.rawValue
      {
        configuration.tlsMinimumSupportedProtocolVersion = minimum
      }
      if let maximum = options.maximumVersion {
        configuration.tlsMaximumSupportedProtocolVersion = maximum.systemVersion
      }
    #endif
  }
}

extension URLSessionTrust {
  /// Notes that the options or the delegate of the caller evaluate the certificate of a host.
  func noteEvaluation(of host: String) {
    evaluatedHosts.withLock { hosts in
      if hosts.count >= 1_000 { hosts = [] }
      hosts.insert(host)
    }
  }

  /// Returns the failure of a task that the transport has not cancelled, and whose server it has not
  /// rejected.
  ///
  /// When a certificate is rejected, the system cancels all tasks that wait for the connection, and only
  /// one of them has received the challenge. App Transport Security rejects private authorities without
  /// a challenge, or after one.
  ///
  /// - Parameters:
  ///   - failure: The failure that the error stands for.
  ///   - error: The error.
  ///   - url: The URL of the task.
  ///   - hasBegun: Whether bytes of the body were sent, or the response has begun.
  /// - Returns: The failure: no cancellation, and none that precedes the request if it has begun.
  package func failure(
    _ failure: TransportFailure, of error: any Error, from url: URL?, hasBegun: Bool
  ) -> TransportFailure {
    var failure = failure
    guard !hasBegun, let origin = url.flatMap({ Origin($0) }), origin.scheme == "https" else {
      if failure.code == .cancelled || hasBegun && failure.code.precedesRequest {
        failure.code = .connectionLost
      }
      return failure
    }
    let policy = options.compiled.policy(forHost: origin.host, port: origin.port)
    let isEvaluated = evaluatedHosts.withLock { $0.contains(origin.host) }
    if failure.code == .cancelled {
      failure.code = isEvaluated || policy?.isSystem != true ? .tlsUntrusted : .connectionLost
    }
    let error = error as NSError
    // The rules do not apply to addresses.
    guard error.code == -1_200, URLErrorCause(error).mayBeUntrusted,
      policy?.hasSystemAnchors == false, !origin.host.hasSuffix(".local"),
      !origin.host.contains(":"), origin.host.last?.isNumber == false
    else { return failure }
    if !isEvaluated { failure.code = .tlsUntrusted }
    failure.detail += """
      ; App Transport Security refuses private authorities, unless Info.plist has the domain in \
      NSExceptionDomains
      """
    return failure
  }
}

/// The kind of a challenge that a connection of a session receives.
enum TLSChallenge: Sendable {
  /// The server has presented a certificate.
  case serverTrust
  /// The server requests a certificate of the client.
  case clientCertificate
  /// A proxy requests a password, or a certificate of the client.
  case proxy
  /// Any other challenge, such as one for a password.
  case other

  /// The party that responds to a challenge.
  enum Responder: Sendable {
    /// The delegate of the caller.
    ///
    /// Without a delegate that handles challenges, ``TLSChallenge/dispositionWithoutDelegate`` applies.
    case delegate
    /// The transport, under the TLS options.
    case options
    /// The transport, which rejects the challenge and continues without credentials.
    case reject
  }

  /// Returns the party that responds to a challenge of this kind.
  ///
  /// The TLS options take precedence over the delegate.
  ///
  /// - Parameters:
  ///   - options: The TLS options of the transport.
  ///   - host: The host of the challenge.
  ///   - port: The port of the challenge.
  ///   - withholdsCertificate: Whether the request presents no client certificate, because a
  ///     redirect has led to another origin.
  /// - Returns: The party that responds.
  func responder(
    under options: TLSOptions, forHost host: String, port: Int,
    withholdingCertificate withholdsCertificate: Bool
  ) -> Responder {
    switch self {
    case .serverTrust:
      options.compiled.policy(forHost: host, port: port)?.isSystem == true ? .delegate : .options
    case .clientCertificate:
      withholdsCertificate
        ? .reject
        : options.compiled.identity(forHost: host, port: port) == nil ? .delegate : .options
    case .proxy: .delegate
    case .other: .reject
    }
  }

  /// The response to a challenge for the delegate if there is no delegate that handles challenges.
  ///
  /// The system evaluates servers, and responds to proxies with the credentials of its own settings.
  /// Requests for a certificate are rejected.
  var dispositionWithoutDelegate: URLSession.AuthChallengeDisposition {
    self == .serverTrust || self == .proxy ? .performDefaultHandling : .rejectProtectionSpace
  }
}

extension NetworkError.Code {
  /// Makes the code for a server that the Security framework does not trust.
  ///
  /// - Parameter status: The code of the error. Any unknown one is ``tlsUntrusted``.
  init(securityStatus status: Int) {
    self =
      switch status {
      // errSecCertificateExpired and errSecCertificateNotValidYet.
      case -67_818, -67_819: .tlsCertificateExpired
      // errSecHostNameMismatch.
      case -67_602: .tlsHostMismatch
      // errSecCertificateRevoked.
      case -67_820: .tlsRevoked
      default: .tlsUntrusted
      }
  }
}

#if canImport(Security)
  extension TLSVersion {
    /// The version for the system, which numbers the versions as TLS does.
    fileprivate var systemVersion: tls_protocol_version_t {
      tls_protocol_version_t(rawValue: UInt16(rawValue)) ?? .TLSv12
    }
  }

  extension TLSChallenge {
    /// Makes the kind of a challenge.
    ///
    /// - Parameter space: The protection space of the challenge.
    init(_ space: URLProtectionSpace) {
      self =
        switch space.authenticationMethod {
        case NSURLAuthenticationMethodServerTrust: .serverTrust
        case _ where space.isProxy(): .proxy
        case NSURLAuthenticationMethodClientCertificate: .clientCertificate
        default: .other
        }
    }
  }

  extension URLSessionTrust {
    /// The decision on a server's certificate, or on a request for one of the client.
    struct Decision {
      var disposition = URLSession.AuthChallengeDisposition.performDefaultHandling
      var credential: URLCredential?
      /// The failure, if the server is rejected.
      var failure: TransportFailure?

      static func reject(_ failure: TLSFailure) -> Decision {
        Decision(
          disposition: .cancelAuthenticationChallenge, failure: TransportFailure(rejecting: failure)
        )
      }
    }

    /// Responds to a challenge, or leaves it to the delegate of the caller.
    ///
    /// - Parameters:
    ///   - space: The protection space of the challenge.
    ///   - withholdsCertificate: Whether no client certificate is presented, because a redirect has led
    ///     to another origin.
    ///   - askDelegate: Passes the challenge to the delegate, and returns whether it handles it.
    ///   - noteFailure: A closure that receives the failure of a rejected server, before the completion
    ///     handler is called.
    ///   - completionHandler: The handler of the challenge.
    package func respond(
      to space: URLProtectionSpace, withholdingCertificate withholdsCertificate: Bool,
      askingDelegate askDelegate: () -> Bool,
      noteFailure: @escaping @Sendable (_ failure: TransportFailure) -> Void,
      completionHandler: @escaping SessionDelegateForwarder.ChallengeHandler
    ) {
      let (kind, host) = (TLSChallenge(space), space.host.lowercased())
      let responder = kind.responder(
        under: options, forHost: host, port: space.port,
        withholdingCertificate: withholdsCertificate)
      switch responder {
      case .delegate where !askDelegate(): completionHandler(kind.dispositionWithoutDelegate, nil)
      case .delegate: if kind == .serverTrust { noteEvaluation(of: host) }
      case .reject: completionHandler(.rejectProtectionSpace, nil)
      case .options where kind == .clientCertificate:
        let decision = identify(for: space)
        completionHandler(decision.disposition, decision.credential)
      case .options:
        noteEvaluation(of: host)
        Self.evaluation.async { [self] in
          let decision = decision(for: space)
          if let failure = decision.failure { noteFailure(failure) }
          completionHandler(decision.disposition, decision.credential)
        }
      }
    }

    /// Presents the identity for the host of a challenge.
    func identify(for space: URLProtectionSpace) -> Decision {
      guard
        let identity = options.compiled.identity(
          forHost: space.host.lowercased(), port: space.port)
      else { return Decision(disposition: .rejectProtectionSpace) }
      return Decision(
        disposition: .useCredential,
        credential: URLCredential(
          identity: identity.identity,
          certificates: identity.issuers.isEmpty ? nil : identity.issuers, persistence: .none))
    }

    /// The queue on which certificates are evaluated, which may load others from the network.
    private static let evaluation = DispatchQueue(
      label: "Catena.URLSessionTrust", attributes: .concurrent)

    /// Evaluates the certificate of a server under the policy of its host.
    private func decision(for space: URLProtectionSpace) -> Decision {
      let host = space.host.lowercased()
      guard let policy = options.compiled.policy(forHost: host, port: space.port) else {
        return .reject(CompiledTLS.refusal(of: host))
      }
      guard let trust = space.serverTrust else {
        return .reject(
          TLSFailure(.tlsUntrusted, host: host, "The server sent no certificate"))
      }
      if let anchors = policy.anchors.certificates {
        SecTrustSetAnchorCertificates(trust, anchors as CFArray)
        SecTrustSetAnchorCertificatesOnly(trust, !policy.anchors.includesSystem)
      }
      var error: CFError?
      let isTrusted = !policy.isVerifying || SecTrustEvaluateWithError(trust, &error)
      let chain = (SecTrustCopyCertificateChain(trust) as? [SecCertificate] ?? [])
        .map { SecCertificateCopyData($0) as Data }
      guard isTrusted else {
        return .reject(
          TLSFailure(
            NetworkError.Code(securityStatus: error.map(CFErrorGetCode) ?? 0), host: host,
            "the system does not trust the certificate", chain: chain))
      }
      let failure = policy.failure(
        of: chain, host: host, now: options.compiled.wallClock(), noteReport: {})
      if let failure { return .reject(failure) }
      return Decision(disposition: .useCredential, credential: URLCredential(trust: trust))
    }
  }
#endif
