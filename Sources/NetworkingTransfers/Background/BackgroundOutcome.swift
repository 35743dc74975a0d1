import CatenaSystem
import Foundation
import Networking
import Promises

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The end of a background transfer: a response, or a failure.
struct BackgroundOutcome: Sendable {
  /// The method of the request.
  var method: HTTPMethod
  /// The URL of the response, after redirects.
  ///
  /// That of a stored outcome is masked. Empty if there is none.
  var url: String
  /// The head of the response.
  ///
  /// `nil` if there was none.
  var head: HTTPResponseHead?
  /// The body of a response that is not in a file.
  var body = Data()
  /// The downloaded file.
  var file: URL?
  /// The failure.
  ///
  /// `nil` for a complete response.
  var failure: TransportFailure?
  var metrics = TransportMetrics()
  /// The resume data of an interrupted download.
  ///
  /// It is not stored with the outcome.
  var resumption = BackgroundResumption()
  /// Whether a task ended because it was cancelled, possibly by an earlier run of the program.
  ///
  /// The callers of a cancelled task get the failure if they have not cancelled it.
  private(set) var isCancellation: Bool
  /// Whether the URL is masked, because an earlier run of the program has stored the outcome.
  private(set) var isMasked = false
  /// The names of secrets of the clients of the session, whose values are not stored.
  var secretNames = SecretNames.standard

  /// Creates an outcome.
  ///
  /// - Parameters:
  ///   - method: The method of the request.
  ///   - url: The URL of the response. An empty text if there is none.
  ///   - failure: The failure. `nil` for a complete response.
  init(method: HTTPMethod, url: String, failure: TransportFailure? = nil) {
    self.method = method
    self.url = url
    self.failure = failure
    isCancellation = failure?.code == .cancelled
  }

  /// Sets the failure of a task that has ended with an error.
  ///
  /// The head and the number of sent bytes are set before.
  ///
  /// - Parameters:
  ///   - error: The error.
  ///   - noted: The failure of a server that the TLS settings have rejected. `nil` if they have not.
  ///   - trust: The TLS settings.
  mutating func fail(
    with error: any Error, noted: TransportFailure?, under trust: URLSessionTrust
  ) {
    let mapped = TransportFailure(ofBackgroundTask: error)
    failure =
      noted
      ?? trust.failure(
        mapped, of: error, from: URL(reference: url),
        hasBegun: head != nil || metrics.bytesSent > 0)
    isCancellation = noted == nil && mapped.code == .cancelled
  }

  /// Returns the result for a caller.
  ///
  /// - Parameters:
  ///   - request: The request of the caller. `nil` for a claim, whose response has a request with the
  ///     method and the URL alone.
  ///   - attributes: The attributes of the request of a claim.
  /// - Returns: The response, or a ``NetworkError``.
  func result(
    for request: HTTPRequest?, attributes: RequestAttributes = RequestAttributes()
  ) -> Result<Response, any Error> {
    guard var request = request ?? URL(reference: url).map({ HTTPRequest(method: method, url: $0) })
    else { return .failure(NetworkError(failure?.code ?? .malformedResponse, failure?.detail)) }
    request.attributes.addMissing(attributes)
    // The system has followed the redirects.
    if !isMasked, let finalURL = URL(reference: url) { request.url = finalURL }
    let response = head.map { head in
      file.map { Response(head, file: $0, to: request, metrics) }
        ?? Response(head: head, data: body, request: request, metrics: metrics)
    }
    if let failure {
      return .failure(failure.rejection ?? NetworkError(failure, of: request, response: response))
    }
    guard let response else {
      return .failure(
        NetworkError(
          TransportFailure(code: .malformedResponse, detail: "The response has no head"),
          of: request))
    }
    return .success(response)
  }

  /// Whether the outcome is complete, and not a file that is no longer there.
  var isUsable: Bool {
    // A file that cannot be examined now may be there.
    file.flatMap { try? FileSystem().exists($0.path) } ?? true
  }
}

// MARK: - Storage

extension BackgroundOutcome: Codable {
  private struct Stored: Codable {
    static let currentVersion = 1

    var version = Self.currentVersion
    let method: String
    let url: String
    let status: Int?
    let fields: [[String]]
    let body: Data
    let file: StoredLocation?
    let failure: String?
    let detail: String
  }

  private static let storableCodes: [String: NetworkError.Code] = {
    let codes: [NetworkError.Code] = [
      .invalidURL, .encodingFailed, .unsupported, .dnsFailed, .cannotConnect, .connectionLost,
      .notConnectedToInternet, .timedOut(.connect), .timedOut(.call), .tlsHandshakeFailed,
      .tlsCertificateExpired, .tlsHostMismatch, .tlsUntrusted, .pinMismatch, .tlsRevoked,
      .tlsRevocationUnknown, .malformedResponse, .bodyTooLarge, .fileNotWritten, .cancelled,
    ]
    return Dictionary(uniqueKeysWithValues: codes.map { ("\($0)", $0) })
  }()

  /// Decodes an outcome that an earlier run of the program has stored.
  init(from decoder: any Decoder) throws {
    let stored = try Stored(from: decoder)
    guard stored.version == Stored.currentVersion else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: [], debugDescription: "unknown version of an outcome"))
    }
    self.init(method: HTTPMethod(rawValue: stored.method), url: stored.url)
    isMasked = true
    if let status = stored.status {
      var headers = HTTPHeaders()
      for field in stored.fields where field.count == 2 { headers.add(field[1], for: field[0]) }
      head = HTTPResponseHead(status: status, headers: headers)
    }
    body = stored.body
    file = stored.file?.url()
    failure = stored.failure.map {
      TransportFailure(code: Self.storableCodes[$0] ?? .connectionLost, detail: stored.detail)
    }
  }

  /// Encodes the outcome without secrets: a masked URL, and no header field whose value is or
  /// contains a secret.
  ///
  /// The body is stored as it was received.
  func encode(to encoder: any Encoder) throws {
    let redactor = Redactor(names: secretNames)
    let fields = (head?.headers.fields ?? []).filter {
      redactor.maskedFieldValue($0.value, name: $0.name) == $0.value
    }
    try Stored(
      method: method.rawValue, url: redactor.maskedURL(url), status: head?.status,
      fields: fields.map { [$0.name, $0.value] }, body: body, file: file.map { StoredLocation($0) },
      failure: failure.map { "\($0.code)" }, detail: failure?.detail ?? ""
    ).encode(to: encoder)
  }
}

// MARK: - Failures of the system

/// The reason for which the system has cancelled a background task, by its number.
///
/// The numbers are those of `NSURLErrorBackgroundTaskCancelledReasonKey`.
enum SystemCancellation: Int, Sendable {
  case userForceQuitApplication
  case backgroundUpdatesDisabled
  case insufficientSystemResources

  /// The failure of the transfer.
  ///
  /// It is not a cancellation, because no caller has cancelled the promise.
  var failure: TransportFailure {
    let detail =
      switch self {
      case .userForceQuitApplication: "The user has ended the app"
      case .backgroundUpdatesDisabled: "The user has disabled updates in the background"
      case .insufficientSystemResources: "The system lacks the resources for the transfer"
      }
    return TransportFailure(code: .connectionLost, detail: detail)
  }
}

extension TransportFailure {
  /// The failure of a claim without a transfer.
  static let missingBackgroundTransfer = TransportFailure(
    code: .connectionLost, detail: "The background session has no transfer with this key")

  /// The failure of all transfers of a session that the system has ended.
  static let endedBackgroundSession = TransportFailure(
    code: .connectionLost, detail: "The system has ended the background session")

  /// Makes a failure from the error of a background task.
  ///
  /// Errors are mapped as those of ``URLSessionTransport``, with two exceptions: a cancellation by the
  /// system is a ``NetworkError/Code-swift.enum/connectionLost``, and a timeout is that of the whole
  /// transfer.
  ///
  /// - Parameter error: The error.
  init(ofBackgroundTask error: any Error) {
    let number = (error as NSError).userInfo["NSURLErrorBackgroundTaskCancelledReasonKey"]
    if let reason = (number as? Int).flatMap(SystemCancellation.init(rawValue:)) {
      self = reason.failure
      return
    }
    self.init(error)
    if case .timedOut = code { code = .timedOut(.call) }
  }
}
