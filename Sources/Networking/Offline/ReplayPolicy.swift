import Foundation

/// The rules that decide which entries leave an offline store after they were sent.
///
/// An entry leaves the store only if one of these is certain:
///
/// - **The server has accepted the request**: status 200 to 299, or 304 for a GET or HEAD request.
/// - **The server has rejected the request for good**: status 400, 404, 405, 406, 409 to 416, 422 or
///   428, without a `Retry-After` field.
/// - **The request can never be encoded.** The error has the code `invalidURL`, `invalidMethod`,
///   `invalidHeader` or `encodingFailed`, and the stored request by itself cannot be encoded.
///
/// A status counts only if it is that of the request itself. It does not count after a redirect that
/// has changed the method, or has led to another resource: the login page of a network or of a web
/// site often has the status 200. Redirects to the same path with or without a slash at its end, to
/// `https`, and permanent redirects (301, 308) on the same host lead to the same resource. A stale
/// response that a cache serves because the server has failed does not count either.
///
/// After every other result the entry stays, in ``OfflineStore/Report/kept``:
///
/// - other statuses, such as 401 and 403 (the credentials may be outdated), 407, 408, 421, 423, 425,
///   429, 5xx and 511 (a captive portal), and redirects that are not followed;
/// - all other errors of the request, such as a failure of the network or of TLS, a refused redirect,
///   and a response that is not valid;
/// - all errors of a hook, an interceptor or a token refresh, which say nothing about the request.
///
/// ``deciding(_:)`` changes the decision about single results.
///
/// Source: RFC 9110 sections 10.2.3 and 15; RFC 6585 (428, 429, 511); RFC 8470 section 5.2 (425).
public struct ReplayPolicy: Sendable {
  /// The decision about an entry that was sent.
  public enum Decision: Sendable, Hashable {
    /// The entry leaves the store.
    ///
    /// It is reported in ``OfflineStore/Report/delivered`` after a response with a status below 400,
    /// and in ``OfflineStore/Report/failed`` after any other result.
    case remove
    /// The entry stays, and so do the later entries of its queue.
    case keep
  }

  typealias Handler =
    @Sendable (OfflineStore.Entry, Result<Response, any Error>, _ proposed: Decision) -> Decision

  /// The rules without changes.
  public static let standard = ReplayPolicy(decide: nil)

  /// Returns a policy with a closure that has the last word about each result.
  ///
  /// ```swift
  /// configuration.replay = .deciding { entry, result, proposed in
  ///   switch result {
  ///   case .success(let response) where response.status == 403: .remove
  ///   case .success(let response) where response.contentType?.subtype == "html": .keep
  ///   default: entry.attempts < 20 ? proposed : .remove
  ///   }
  /// }
  /// ```
  ///
  /// - Parameter decide: The closure. It receives the entry, whose ``OfflineStore/Entry/attempts``
  ///   do not count the current one, the response with any status or the error, and the decision by
  ///   the rules above. It runs once for each entry that was sent, one at a time, on the queue of
  ///   the store, and must not block.
  /// - Returns: The policy.
  public static func deciding(
    _ decide:
      @escaping @Sendable (
        _ entry: OfflineStore.Entry, _ result: Result<Response, any Error>, _ proposed: Decision
      ) -> Decision
  ) -> ReplayPolicy {
    ReplayPolicy(decide: decide)
  }

  private let decide: Handler?
  /// The encoders of the client.
  var encoders = ParameterEncoders()
}

extension ReplayPolicy {
  /// Returns the outcome of an entry that was sent: delivered, failed or kept.
  func outcome(
    of entry: OfflineStore.Entry, _ result: Result<Response, any Error>
  ) -> OfflineStore.Outcome {
    let proposed: Decision = isFinal(result, of: entry) ? .remove : .keep
    let decision = decide?(entry, result, proposed) ?? proposed
    switch (decision, result) {
    case (.remove, .success(let response)) where response.status < 400: return .delivered(response)
    case (.remove, .success(let response)):
      return .failed(NetworkError(.unacceptableStatus(response.status), response))
    case (.remove, .failure(let error)): return .failed(error)
    case (.keep, .success(let response)):
      return .kept(Self.error(keeping: response, isFinal: proposed == .remove))
    case (.keep, .failure(let error)): return .kept(error)
    }
  }

  private func isFinal(
    _ result: Result<Response, any Error>, of entry: OfflineStore.Entry
  ) -> Bool {
    switch result {
    case .success(let response): Self.isFinal(response, to: entry)
    case .failure(let error as NetworkError): isFinal(error, of: entry)
    case .failure: false
    }
  }

  private static func isFinal(_ response: Response, to entry: OfflineStore.Entry) -> Bool {
    switch response.source {
    case .stale(.error), .stale(.offline): return false
    case .network, .cache, .revalidated, .stale(.allowed), .stale(.revalidating): break
    }
    return response.request.attributes[RedirectTrailKey.self]?.leadsElsewhere != true
      && isFinal(response.head, to: entry.request.method)
  }

  /// Returns whether a server gives the same response to each repetition of a request.
  ///
  /// A list of the final statuses, so that an unknown one is none of them.
  private static func isFinal(_ head: HTTPResponseHead, to method: HTTPMethod) -> Bool {
    switch head.status {
    case 200...299: true
    case 304: method == .get || method == .head
    // With `Retry-After` the condition is temporary. Source: RFC 9110 section 15.5.14.
    case 400, 404...406, 409...416, 422, 428: !head.headers.contains("Retry-After")
    default: false
    }
  }

  /// Returns whether an error is final.
  ///
  /// The switch has no default, so that a new code must be classified.
  private func isFinal(_ error: NetworkError, of entry: OfflineStore.Entry) -> Bool {
    switch error.code {
    // An interceptor has validated the response.
    case .unacceptableStatus(let status):
      Self.concerns(entry, error)
        && Self.isFinal(
          error.response ?? HTTPResponseHead(status: status), to: entry.request.method)
    // A hook or the request of a token refresh may have caused it.
    case .invalidURL, .invalidMethod, .invalidHeader, .encodingFailed: !isEncodable(entry)
    // Before the request is sent.
    case .credentialsWithoutBaseURL, .unsupported, .invalidTLSOptions, .mockFailed, .sessionEnded,
      // No complete response.
      .dnsFailed, .cannotConnect, .connectionLost, .notConnectedToInternet, .timedOut,
      .tlsHandshakeFailed, .tlsCertificateExpired, .tlsHostMismatch, .tlsUntrusted, .pinMismatch,
      .tlsRevoked, .tlsRevocationUnknown, .malformedResponse, .bodyTooLarge, .fileNotWritten,
      .circuitOpen, .cancelled, .redirectRefused, .tooManyRedirects,
      // A response that is not the expected one, such as a login page.
      .unacceptableContentType, .missingContentType, .decodingFailed, .jsonFailed, .stringFailed,
      .noData,
      // Errors of other requests, or of this machine.
      .digestMismatch, .transferInProgress, .alreadyRead, .pageLoop, .notCached,
      .cookieFileFailed, .offlineStoreFull, .offlineStoreRefused, .offlineStoreFailed,
      .offlineCredentialsMissing, .offlineStoreBusy:
      false
    }
  }

  /// Returns whether an error is about the response to an entry itself.
  private static func concerns(_ entry: OfflineStore.Entry, _ error: NetworkError) -> Bool {
    guard let request = error.request,
      let resource = try? OfflineStore.resource(entry.request, entry.baseURL)
    else { return false }
    let trail = request.attributes[RedirectTrailKey.self]
    guard trail?.leadsElsewhere != true else { return false }
    let redactor = request.attributes.redactor
    let url = trail.map { redactor.maskedURL($0.url.absoluteString) } ?? request.url
    return request.method == entry.request.method
      && redactor.maskedURL(resource) == String(url.prefix { $0 != "?" })
  }

  /// Returns whether the stored request can be encoded, without any hook.
  private func isEncodable(_ entry: OfflineStore.Entry) -> Bool {
    do {
      let base = try entry.baseURL.map { try BaseURL($0) }
      _ = try RequestBuilder(baseURL: base, headers: [:], encoders: encoders).build(entry.request)
      return true
    } catch {
      return false
    }
  }

  /// Returns the error that tells why an entry stays after a response.
  private static func error(keeping response: Response, isFinal: Bool) -> NetworkError {
    let code = NetworkError.Code.unacceptableStatus(response.status)
    if isFinal { return NetworkError(code, response, "the replay policy keeps the request") }
    if case .stale = response.source {
      return NetworkError(code, response, "the response is stale")
    }
    let trail = response.request.attributes[RedirectTrailKey.self]
    guard let trail, trail.leadsElsewhere else { return NetworkError(code, response) }
    let first = NetworkError.RequestSummary(method: trail.method, url: trail.url.absoluteString)
    return NetworkError(.redirectRefused, response, "\(first) was redirected to another resource")
  }
}
