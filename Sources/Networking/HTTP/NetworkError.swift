import Foundation
import Promises

/// Why a request did not give what was asked for.
///
/// Whatever was known by then is in it: the request, the response with its body, the cause, and how
/// often it was tried. ``description`` is one line for people.
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
/// No credentials are in what it shows: ``request`` has the URL without user name, password and the
/// values of telling names, and no headers, and so have ``description`` and what `dump` and a debugger
/// print. The whole response is in ``response`` and ``body``, for code to look at.
public struct NetworkError: Error, Sendable {
  /// What kind of failure it was.
  public var code: Code
  /// What was wrong in particular, as part of a sentence, or nil when the code says it all.
  public var reason: String?
  /// The request, or nil when it did not come to one.
  public var request: RequestSummary?
  /// The status and headers of the response, or nil when there was none.
  public var response: HTTPResponseHead?
  /// The body of the response, whole or as far as it came; nil when there was no response.
  public var body: Data?
  /// What caused it, or nil.
  public var underlying: (any Error)?
  /// How often the request was sent, or tried to be; 0 when it failed before.
  public var attempts: Int
  /// What came of each of several attempts, in order; empty when there was but one.
  public var history: [Attempt]

  /// The ``OfflineStore/Entry/id`` under which the request is kept in its client's offline store, to be
  /// sent when that is replayed; nil when it is not kept.
  ///
  /// It may be that of an entry which was there before, when the store's conflict handler has dropped
  /// the request in favour of that.
  public var offlineEntryID: UUID?

  /// Makes an error.
  ///
  /// - Parameters:
  ///   - code: what kind of failure it was.
  ///   - reason: what was wrong in particular, as part of a sentence, without secrets.
  ///   - request: the request.
  ///   - response: the status and headers of the response.
  ///   - body: the body of the response.
  ///   - underlying: what caused it.
  ///   - attempts: how often the request was sent, or tried to be.
  ///   - history: what came of each of several attempts.
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
  /// Whether the request is kept, to be sent when the client's offline store is replayed.
  public var isStoredOffline: Bool { offlineEntryID != nil }
}

extension NetworkError: CancellationRepresenting {
  /// True for ``Code-swift.enum/cancelled``.
  public var representsCancellation: Bool { code == .cancelled }
}

/// Where a value stands in a JSON text: `routes[2].headers`.
package struct JSONValuePath: Hashable, Sendable {
  /// The name of an object's member, or the index of an array's element.
  package enum Step: Hashable, Sendable {
    case member(String)
    case element(Int)
  }

  package var steps: [Step]

  /// Makes a path; without steps it is the root's.
  package init(steps: [Step] = []) {
    self.steps = steps
  }

  /// The path that a decoder names.
  package init(_ keys: [any CodingKey]) {
    steps = keys.map { key in key.intValue.map { .element($0) } ?? .member(key.stringValue) }
  }

  /// The path of a value within that of this path.
  package func appending(_ step: Step) -> JSONValuePath { JSONValuePath(steps: steps + [step]) }
}

extension JSONValuePath: ExpressibleByArrayLiteral {
  package init(arrayLiteral elements: Step...) { self.init(steps: elements) }
}

extension JSONValuePath.Step: ExpressibleByStringLiteral {
  package init(stringLiteral value: String) { self = .member(value) }
}

extension JSONValuePath: CustomStringConvertible {
  /// As programs write it; empty for the root.
  package var description: String {
    steps.reduce(into: "") { text, step in
      switch step {
      case .element(let index): text += "[\(index)]"
      case .member(let name) where Self.isPlain(name): text += text.isEmpty ? name : ".\(name)"
      case .member(let name): text += "[\(name.debugDescription)]"
      }
    }
  }

  private static func isPlain(_ name: String) -> Bool {
    !name.isEmpty
      && name.utf8.allSatisfy { $0.isASCIIAlphanumeric || "$-_".utf8.contains($0) }
  }
}

extension NetworkError {
  /// The same error at the end of a call of several attempts.
  ///
  /// - Parameter history: the attempts, in order; those of an error that knows of more are kept.
  /// - Returns: the error with both ``attempts`` and ``history``.
  func after(_ history: [Attempt]) -> NetworkError {
    guard history.count > max(attempts, 1) else { return self }
    var error = self
    error.attempts = history.count
    error.history = history
    return error
  }

  /// How often it was tried and what came of each, for people; empty for a single attempt.
  var attemptsText: String {
    guard attempts > 1 else { return "" }
    let text = ", after \(attempts) attempts"
    guard !history.isEmpty else { return text }
    // The last ones tell most.
    let shown = history.suffix(5).map(\.summary).joined(separator: ", ")
    return text + " (\(history.count > 5 ? "..., " : "")\(shown))"
  }
}

extension Attempt {
  /// What kind of failure it was; nil when there was a response, no end, or an error of another type.
  public var code: NetworkError.Code? {
    if case .failure(let error) = outcome { (error as? NetworkError)?.code } else { nil }
  }

  fileprivate var summary: String {
    let wait = delay > .zero ? "after \(delay) " : ""
    return switch outcome {
    case .status(let status): wait + "\(status)"
    case .failure(let error as NetworkError): wait + error.code.summary
    case .failure(let error): wait + "\(type(of: error))"
    case .unfinished: wait + "no end"
    }
  }
}

extension NetworkError {
  /// What an error tells of its request: nothing that must not be read by others.
  public struct RequestSummary: Sendable, Hashable, CustomStringConvertible {
    /// The method.
    public let method: HTTPMethod
    /// The URL, or the path where it did not come to one; without user name, password and fragment,
    /// the values of telling names in the query replaced by `***`.
    public let url: String

    /// Makes a summary of a method and a URL, which is redacted here.
    ///
    /// - Parameters:
    ///   - method: the method.
    ///   - url: the URL or path.
    public init(method: HTTPMethod, url: String) {
      self.method = method
      self.url = Redaction.url(url)
    }

    /// Makes a summary of a request on its way.
    ///
    /// - Parameter request: the request.
    public init(_ request: HTTPRequest) {
      self.init(method: request.method, url: request.url.absoluteString)
    }

    /// Makes a summary of a request that was not built.
    ///
    /// - Parameter request: the request.
    public init(_ request: Request) {
      self.init(method: request.method, url: request.path.text)
    }

    /// Method and URL.
    public var description: String { "\(method) \(url)" }
  }
}

extension NetworkError {
  /// What a transport's failure is to the one who asked.
  ///
  /// - Parameters:
  ///   - failure: what the transport says.
  ///   - request: what was asked for.
  ///   - response: what had come until then, or nil.
  init(_ failure: TransportFailure, of request: HTTPRequest, response: Response? = nil) {
    self.init(
      failure.code, failure.detail.isEmpty ? nil : failure.detail,
      request: RequestSummary(request), response: response?.head, body: response?.data,
      underlying: failure.underlying, attempts: 1)
  }

  /// What is wrong with a response that came whole.
  ///
  /// - Parameters:
  ///   - code: what kind of failure it is.
  ///   - response: the response, which the error carries.
  ///   - reason: what is wrong in particular, or nil.
  ///   - underlying: what caused it, or nil.
  init(
    _ code: Code, _ response: Response, _ reason: String? = nil, underlying: (any Error)? = nil
  ) {
    self.init(
      code, reason, request: RequestSummary(response.request), response: response.head,
      body: response.data, underlying: underlying, attempts: max(1, response.attempts.count),
      history: response.attempts)
  }
}

extension NetworkError {
  /// Decodes the body that came with the response, such as a server's account of a problem.
  ///
  /// - Parameters:
  ///   - type: what to decode.
  ///   - decoder: how to decode it.
  /// - Returns: the decoded value.
  /// - Throws: ``NetworkError`` with the same request and response, of the code
  ///   ``Code-swift.enum/noData`` when there is no body, and ``Code-swift.enum/decodingFailed`` when
  ///   it is something else.
  public func decodeBody<Value: Decodable>(
    _ type: Value.Type = Value.self, decoder: JSONDecoder = JSONDecoder()
  ) throws -> Value {
    var failure = self
    failure.reason = nil
    failure.underlying = nil
    guard let body, !body.isEmpty else {
      failure.code = .noData
      throw failure
    }
    do {
      return try decoder.decode(type, from: body)
    } catch {
      failure.code = .decodingFailed
      failure.underlying = error
      throw failure
    }
  }
}

extension DecodingError {
  /// What did not fit, and where, without the value itself: `boards[0].id is missing`.
  var explanation: String {
    switch self {
    case .keyNotFound(let key, let context): "\(Self.path(context.codingPath + [key])) is missing"
    case .valueNotFound(_, let context): "\(Self.path(context.codingPath)) is null"
    case .typeMismatch(let type, let context):
      "\(Self.path(context.codingPath)) is not of the type \(type)"
    case .dataCorrupted(let context):
      context.codingPath.isEmpty
        ? context.debugDescription
        : "\(Self.path(context.codingPath)) is wrong: \(context.debugDescription)"
    @unknown default: "it does not fit"
    }
  }

  private static func path(_ keys: [any CodingKey]) -> String {
    keys.isEmpty ? "the root" : "\(JSONValuePath(keys))"
  }
}
