import Networking
import Promises

/// What is answered to requests of one method and path, by a ``MockServer`` or a ``MockTransport``.
///
/// ```swift
/// Route(.get, "/boards/{id}") { request in .text("board \(request.path["id"])") }
/// Route(.put, "/files/{path*}") { request in .status(201) }
/// Route(.get, "/report") { request in try await report.render() }
/// Route(.get, "/boards", .json([])).where(.query("page", "2")).times(1)
/// ```
///
/// A template is a path; `{name}` in it stands for one segment that is not empty, and `{name*}`, at its
/// end, for all segments that are left, even none. Besides method and path a route may ask for
/// ``where(_:)-(RequestCondition...)``, for the state of a ``Scenario``, and for not having answered too
/// often yet (``times(_:)``).
///
/// Of several routes that match the one of the highest ``priority(_:)`` answers, and of those the one
/// written first. A route for GET answers HEAD as well, where none for HEAD does, and OPTIONS is answered by
/// what routes there are, unless these have routes of their own.
public struct Route: Sendable {
  /// Answers a request: at once, or by a promise.
  enum Handler: Sendable {
    case mock(Mock)
    case immediate(@Sendable (ReceivedRequest) throws -> Mock)
    case promised(@Sendable (ReceivedRequest) throws -> Promise<Mock>)
  }

  /// The method; nil stands for every one.
  public var method: HTTPMethod? { pattern.method }
  /// The path with its variables.
  public let template: String
  /// Which requests it is for.
  public internal(set) var pattern: RequestPattern
  let handler: Handler
  private(set) var discardsBody = false
  var rank = 0
  /// How often it answers; nil is without end.
  var limit: Int?
  /// In which states of which scenarios it answers.
  var requiredStates: [Scenario.Step] = []
  /// Which states it brings about.
  var nextStates: [Scenario.Step] = []

  private init(_ method: HTTPMethod?, _ template: String, _ handler: Handler) {
    self.template = template
    self.handler = handler
    pattern = RequestPattern(method, template)
  }

  /// Answers always the same.
  ///
  /// - Parameters:
  ///   - method: the method; nil stands for every one.
  ///   - template: the path, such as `/boards/{id}`; making the server throws when it is malformed, and a
  ///     transport fails all requests.
  ///   - mock: the answer, made once; a sequence goes on from request to request.
  public init(_ method: HTTPMethod?, _ template: String, _ mock: Mock) {
    self.init(method, template, .mock(mock))
  }

  /// Answers at once.
  ///
  /// - Parameters:
  ///   - method: the method; nil stands for every one.
  ///   - template: the path, such as `/boards/{id}`; making the server throws when it is malformed, and a
  ///     transport fails all requests.
  ///   - handler: makes the answer. It runs once a request, on the thread that serves all connections,
  ///     so it must not block; one that takes time is asynchronous. In memory it runs where the request is
  ///     started, which may be several threads at once. An error that it throws is answered
  ///     by 500 with the error's description.
  public init(
    _ method: HTTPMethod?, _ template: String,
    _ handler: @escaping @Sendable (_ request: ReceivedRequest) throws -> Mock
  ) {
    self.init(method, template, .immediate(handler))
  }

  /// Answers after some asynchronous work.
  ///
  /// - Parameters:
  ///   - method: the method; nil stands for every one.
  ///   - template: the path, such as `/boards/{id}`; making the server throws when it is malformed, and a
  ///     transport fails all requests.
  ///   - handler: makes the answer, in a task of its own, which is cancelled when the client leaves or
  ///     the server stops. An error that it throws is answered by 500 with the error's description.
  public init(
    _ method: HTTPMethod?, _ template: String,
    _ handler: @escaping @Sendable (_ request: ReceivedRequest) async throws -> Mock
  ) {
    self.init(
      method, template, .promised { request in Promise { try await handler(request) } })
  }

  /// Answers by a promise.
  ///
  /// - Parameters:
  ///   - method: the method; nil stands for every one.
  ///   - template: the path, such as `/boards/{id}`; making the server throws when it is malformed, and a
  ///     transport fails all requests.
  ///   - handler: makes the promise, on the thread that serves all connections, or in memory where the
  ///     request is started. The promise is
  ///     cancelled when the client leaves or the server stops; a rejection is answered by 500 with the
  ///     error's description.
  public init(
    _ method: HTTPMethod?, _ template: String,
    _ handler: @escaping @Sendable (_ request: ReceivedRequest) throws -> Promise<Mock>
  ) {
    self.init(method, template, .promised(handler))
  }

  /// The same route, which counts the bytes of a body and drops them.
  ///
  /// So uploads of any size take no memory: ``ReceivedRequest/body`` is empty, and
  /// ``ReceivedRequest/bodyByteCount`` is how much came.
  ///
  /// - Returns: the route.
  public func discardingBody() -> Route {
    var route = self
    route.discardsBody = true
    return route
  }
}

extension Route {
  /// What is said where the sequence of a route falls through and nothing is behind it.
  static func fallenThrough(_ request: ReceivedRequest) -> String {
    "no route for \(request.method) \(request.path.text), where a sequence falls through"
  }
}
