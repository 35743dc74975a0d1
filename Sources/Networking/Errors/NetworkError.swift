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
  public var keptAs: UUID?

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
  public var isKept: Bool { keptAs != nil }
}

extension NetworkError: CancellationRepresenting {
  /// True for ``Code-swift.enum/cancelled``.
  public var representsCancellation: Bool { code == .cancelled }
}
