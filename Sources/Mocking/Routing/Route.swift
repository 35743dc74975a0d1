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
  static func fallthroughMessage(_ request: ReceivedRequest) -> String {
    "no route for \(request.method) \(request.path.text), where a sequence falls through"
  }
}

extension Route {
  /// The same route, for requests that meet conditions.
  ///
  /// A request for which no route of its path has its conditions met is one without a route.
  ///
  /// - Parameter conditions: what a request has to have as well; all of it.
  /// - Returns: the route.
  public func `where`(_ conditions: RequestCondition...) -> Route {
    var route = self
    route.pattern = pattern.adding(conditions)
    return route
  }

  /// The same route, for requests of which a closure approves.
  ///
  /// - Parameters:
  ///   - description: what it looks for, which reports say in its stead.
  ///   - isSatisfied: looks at the request. It may run any number of times, on any thread, and must not
  ///     block.
  /// - Returns: the route.
  public func `where`(
    _ description: String,
    _ isSatisfied: @escaping @Sendable (_ request: ReceivedRequest) -> Bool
  ) -> Route {
    self.where(.satisfying(description, isSatisfied))
  }

  /// The same route, before or behind others.
  ///
  /// - Parameter priority: those of a higher one come first; it is 0 unless set. Among equals the one
  ///   written first answers.
  /// - Returns: the route.
  public func priority(_ priority: Int) -> Route {
    var route = self
    route.rank = priority
    return route
  }

  /// The same route, which answers a number of times and then no more.
  ///
  /// After that the next route that matches answers. Who serves the route keeps the account, so two servers
  /// of it know nothing of each other.
  ///
  /// - Parameter count: how often at the most; less than none is none.
  /// - Returns: the route.
  public func times(_ count: Int) -> Route {
    var route = self
    route.limit = max(count, 0)
    return route
  }

  /// The same route, for while a scenario is in a state.
  ///
  /// - Parameters:
  ///   - scenario: the scenario; several may be named one after the other, and all have to be so.
  ///   - state: the state.
  /// - Returns: the route.
  public func when(_ scenario: Scenario, is state: String) -> Route {
    var route = self
    route.requiredStates.append(Scenario.Step(scenario: scenario, state: state))
    return route
  }

  /// The same route, which brings a scenario into a state when it is chosen to answer.
  ///
  /// - Parameters:
  ///   - scenario: the scenario; several may be named one after the other.
  ///   - state: the state; it holds from the moment when the route has been chosen, before the answer is
  ///     made.
  /// - Returns: the route.
  public func then(_ scenario: Scenario, becomes state: String) -> Route {
    var route = self
    route.nextStates.append(Scenario.Step(scenario: scenario, state: state))
    return route
  }

  /// Whether method and path are all that it asks for, and nothing has to be remembered.
  var isPlain: Bool {
    pattern.conditions.isEmpty && limit == nil && requiredStates.isEmpty && nextStates.isEmpty
  }
}

extension Route: CustomStringConvertible {
  /// Method, template and conditions in one line, without secrets.
  public var description: String {
    let states = requiredStates.map { "scenario \"\($0.scenario.name)\": \"\($0.state)\"" }
    guard !states.isEmpty else { return pattern.description }
    let link = pattern.conditions.isEmpty ? " where " : " and "
    return pattern.description + link + states.joined(separator: " and ")
  }
}

/// Lists routes, with conditions and loops.
@resultBuilder
public enum RouteBuilder {
  /// One route.
  public static func buildExpression(_ route: Route) -> [Route] { [route] }
  /// Routes made elsewhere.
  public static func buildExpression(_ routes: [Route]) -> [Route] { routes }
  /// One after the other.
  public static func buildBlock(_ parts: [Route]...) -> [Route] { parts.flatMap { $0 } }
  /// An `if` without `else`.
  public static func buildOptional(_ part: [Route]?) -> [Route] { part ?? [] }
  /// An `if`.
  public static func buildEither(first part: [Route]) -> [Route] { part }
  /// An `else`.
  public static func buildEither(second part: [Route]) -> [Route] { part }
  /// A loop.
  public static func buildArray(_ parts: [[Route]]) -> [Route] { parts.flatMap { $0 } }
}
