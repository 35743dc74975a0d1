public import Foundation
public import Promises

/// The error of a failed request.
///
/// It contains the information that was available at the time of the failure: the request, the
/// response with its body, the underlying error, and the attempts. ``description`` is one line of
/// text.
///
/// ```swift
/// networking.request(.board(id: 7)).validate().decode(Board.self)
///   .fail { error in
///     guard let error = error as? NetworkError else { return }
///     switch error.code {
///     case .unacceptableStatus(422): show(try? error.decodeBody(APIProblem.self))
///     default: show(error.description)
///     }
///   }
/// ```
///
/// ``request``, ``description``, and the output of `dump` and debuggers contain no credentials: the
/// URL has no user name and password, values of secret names are masked, and header fields are
/// omitted. ``response`` and ``body`` contain the response without redaction.
public struct NetworkError: Error, Sendable {
  /// The kind of failure.
  public var code: Code
  /// The details of the failure as part of a sentence.
  ///
  /// `nil` if the code is sufficient.
  public var reason: String?
  /// The request.
  ///
  /// `nil` if the failure occurred before there was a request.
  public var request: RequestSummary?
  /// The status and header fields of the response.
  ///
  /// `nil` if there was no response.
  public var response: HTTPResponseHead?
  /// The received part of the response body.
  ///
  /// `nil` if there was no response.
  public var body: Data?
  /// The error that caused the failure, if there is one.
  public var underlying: (any Error)?
  /// The number of attempts to send the request.
  ///
  /// 0 if it failed before the first attempt.
  public var attempts: Int
  /// The attempts in order.
  ///
  /// Empty if there was only one.
  public var history: [Attempt]

  /// The ``OfflineStore/Entry/id`` of the request in the client's offline store, which sends it at
  /// the next replay.
  ///
  /// `nil` if the request is not stored. It is the identifier of an older entry if the conflict
  /// handler of the store discarded the request in favor of that entry.
  public var offlineEntryID: UUID?

  /// Creates an error.
  ///
  /// - Parameters:
  ///   - code: The kind of failure.
  ///   - reason: The details as part of a sentence, without secrets.
  ///   - request: The request.
  ///   - response: The status and header fields of the response.
  ///   - body: The body of the response.
  ///   - underlying: The error that caused the failure.
  ///   - attempts: The number of attempts to send the request.
  ///   - history: The attempts in order, if there were several.
  public init(
    _ code: Code, _ reason: String? = nil, request: RequestSummary? = nil,
    response: HTTPResponseHead? = nil, body: Data? = nil, underlying: (any Error)? = nil,
    attempts: Int = 0, history: [Attempt] = []
  ) {
    self.code = code
    self.reason = reason
    self.request = request
    self.response = response
    self.body = body
    self.underlying = underlying
    self.attempts = attempts
    self.history = history
  }
}

extension NetworkError {
  /// A Boolean value that indicates whether the client's offline store has the request and sends it
  /// at the next replay.
  public var isStoredOffline: Bool { offlineEntryID != nil }

  /// Returns the error of a request whose session has ended.
  package static func sessionEnded(_ request: RequestSummary?) -> NetworkError {
    NetworkError(
      .sessionEnded, "the user has signed out, or another user has signed in", request: request)
  }

  /// Returns the error with the attempts of its call.
  ///
  /// - Parameter history: The attempts in order.
  /// - Returns: The error with ``attempts`` and ``history``. This error unchanged if it already has
  ///   at least as many attempts, or if there was only one.
  package func after(_ history: [Attempt]) -> NetworkError {
    guard history.count > max(attempts, 1) else { return self }
    var error = self
    error.attempts = history.count
    error.history = history
    return error
  }

  /// The number of attempts and their outcomes as the end of a sentence.
  ///
  /// Empty for a single attempt.
  var attemptsText: String {
    guard attempts > 1 else { return "" }
    let text = ", after \(attempts) attempts"
    guard !history.isEmpty else { return text }
    // The last attempts are the most informative.
    let shown = history.suffix(5).map(\.summary).joined(separator: "; ")
    return text + " (\(history.count > 5 ? "...; " : "")\(shown))"
  }
}

extension NetworkError: CancellationRepresenting, RetryRefusing {
  /// `true` for ``Code-swift.enum/cancelled``.
  public var representsCancellation: Bool { code == .cancelled }

  /// `true` for ``Code-swift.enum/sessionEnded``, because another attempt would be that of another user.
  package var refusesRetry: Bool { code == .sessionEnded }
}

extension Attempt {
  /// The kind of failure.
  ///
  /// `nil` for a response, an unfinished attempt, or an error of another type.
  public var code: NetworkError.Code? { (error as? NetworkError)?.code }

  fileprivate var summary: String {
    let wait = delay > .zero ? "\(delay.roundedText) later " : ""
    return switch outcome {
    case .status(let status): wait + "\(status)"
    case .failure(let error as NetworkError): wait + error.code.summary
    case .failure(let error): wait + "\(type(of: error))"
    case .unfinished: wait + "unfinished"
    }
  }
}

extension Duration {
  /// The duration in a unit for people, such as `141 ms` or `2.35 s`.
  fileprivate var roundedText: String {
    let milliseconds = (self / .milliseconds(1)).rounded()
    guard milliseconds >= 1_000 else { return "\(Int(milliseconds)) ms" }
    let seconds = (milliseconds / 10).rounded() / 100
    return Int(exactly: seconds).map { "\($0) s" } ?? "\(seconds) s"
  }
}

extension NetworkError {
  /// A summary of a request without secrets.
  public struct RequestSummary: Sendable, Hashable, CustomStringConvertible {
    /// The method.
    public let method: HTTPMethod
    /// The URL, or the path if the request was not built.
    ///
    /// It has no user name, password, and fragment. Values of secret names are replaced by `***`.
    public let url: String
    /// The attributes of the request.
    ///
    /// Comparing and hashing summaries ignores them.
    public var attributes: RequestAttributes { requestAttributes }
    @Uncompared private var requestAttributes: RequestAttributes

    /// Creates a summary from a method and a URL, and redacts the URL.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - url: The URL or path.
    ///   - attributes: The attributes of the request.
    public init(
      method: HTTPMethod, url: String, attributes: RequestAttributes = RequestAttributes()
    ) {
      self.method = method
      self.url = attributes.redactor.maskedURL(url)
      requestAttributes = attributes
    }

    /// Creates a summary of a request.
    ///
    /// - Parameter request: The request.
    public init(_ request: HTTPRequest) {
      self.init(
        method: request.method, url: request.url.absoluteString, attributes: request.attributes)
    }

    /// The method and the URL.
    public var description: String { "\(method) \(url)" }
  }
}

extension NetworkError {
  /// Creates the error for the failure of a transport.
  ///
  /// - Parameters:
  ///   - failure: The failure.
  ///   - request: The request.
  ///   - response: The part of the response that was received.
  package init(_ failure: TransportFailure, of request: HTTPRequest, response: Response? = nil) {
    self.init(
      failure.code, failure.detail.isEmpty ? nil : failure.detail,
      request: RequestSummary(request), response: response?.head, body: response?.data,
      underlying: failure.underlying, attempts: 1)
  }

  /// Creates the error for a complete response that is not acceptable.
  ///
  /// - Parameters:
  ///   - code: The kind of failure.
  ///   - response: The response.
  ///   - reason: The details as part of a sentence.
  ///   - underlying: The error that caused the failure.
  package init(
    _ code: Code, _ response: Response, _ reason: String? = nil, underlying: (any Error)? = nil
  ) {
    self.init(
      code, reason, request: RequestSummary(response.request), response: response.head,
      body: response.data, underlying: underlying, attempts: max(1, response.attempts.count),
      history: response.attempts)
  }
}
