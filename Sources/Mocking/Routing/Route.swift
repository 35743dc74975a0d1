import Foundation
public import Networking
public import Promises

/// A rule that maps requests with a method and a path to responses, for a ``MockServer``,
/// ``MockTransport`` or ``MockProvider``.
///
/// ```swift
/// Route(.get, "/boards/{id}") { request in .text("board \(request.path["id"])") }
/// Route(.put, "/files/{path*}") { request in .status(201) }
/// Route(.get, "/report") { request in try await report.render() }
/// Route(.get, "/boards", .json([])).where(.query("page", "2")).times(1)
/// ```
///
/// The path template may contain variables. `{name}` matches one segment that is not empty.
/// `{name*}`, at the end of the template, matches all remaining segments, even none.
/// `{name:[0-9]+}` matches a segment that the regular expression matches as a whole. The spellings
/// `:name`, `:name*`, `{*name}` and `**` of other tools are accepted, too. `*` is an error, because its
/// meaning differs between tools. A literal asterisk is `%2A`, and a literal colon at the start of a
/// segment is `%3A`. In addition to
/// the method and the path, a route can require conditions
/// (``where(_:)-(RequestCondition...)``) and a state of a ``Scenario``, and it can have a maximum
/// number of responses (``times(_:)``).
///
/// If several routes match, the one with the highest ``priority(_:)`` responds, or the first one of
/// them if their priorities are equal. A route for GET also responds to HEAD if no route for HEAD
/// matches. The response to OPTIONS lists the allowed methods, unless a route for OPTIONS matches.
///
/// The time to find the route of a request does not depend on the number of routes for other paths.
public struct Route: Sendable {
  /// The handler of a request: a fixed mock, a synchronous closure, or a closure that returns a
  /// promise.
  enum Handler: Sendable {
    case mock(Mock)
    case immediate(IsolatedClosure<ReceivedRequest, Mock>)
    case promised(IsolatedClosure<ReceivedRequest, Promise<Mock>>)
    /// A handler whose mocks inherit from another mock.
    indirect case inheriting(Handler, from: Mock)
    /// A handler whose mocks belong to an isolated client.
    indirect case isolated(Handler, Mock.Client)

    /// The response of a handler: a mock, or a promise if the handler has not finished.
    enum Response {
      case mock(Mock)
      case promise(Promise<Mock>)
    }

    /// Runs the handler for a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - scheduler: The scheduler whose virtual time waits for the handler.
    /// - Returns: The mock, or a promise of it.
    /// - Throws: The error of the handler.
    func callAsFunction(
      _ request: ReceivedRequest, awaitedBy scheduler: any Scheduler
    ) throws -> Response {
      switch self {
      case .mock(let mock): .mock(mock)
      case .immediate(let handler):
        handler.isCallable
          ? .mock(try handler(request))
          : .promise(handler.onItsActor(request, awaitedBy: scheduler))
      case .promised(let handler):
        handler.isCallable
          ? .promise(try ActivityExecutor.counting(for: scheduler) { try handler(request) })
          : .promise(
            try handler.start(request, awaitedBy: scheduler, returningOn: .background))
      case .inheriting(let handler, let outer):
        switch try handler(request, awaitedBy: scheduler) {
        case .mock(let mock): .mock(mock.inheriting(outer))
        case .promise(let promise):
          .promise(promise.map(on: .inline) { mock in mock.inheriting(outer) })
        }
      case .isolated(let handler, let client):
        switch try handler(request, awaitedBy: scheduler) {
        case .mock(let mock): .mock(mock.isolated(for: client))
        case .promise(let promise):
          .promise(promise.map(on: .inline) { mock in mock.isolated(for: client) })
        }
      }
    }
  }

  /// The method.
  ///
  /// `nil` matches all methods.
  public var method: HTTPMethod? { pattern.method }
  /// The path template.
  public let template: String
  /// The pattern of the requests that the route matches.
  public internal(set) var pattern: RequestPattern
  var handler: Handler
  /// Whether the route discards request bodies and only counts their bytes.
  private(set) var discardsBody = false
  /// The part of the handler that takes long for a large body.
  ///
  /// A server calls it on another thread before the handler, which uses its result in
  /// ``RequestContent/result(of:_:)``.
  var preparation: (@Sendable (_ request: ReceivedRequest) -> Void)?
  /// The priority.
  ///
  /// Routes with a higher priority are chosen first.
  var rank = 0
  /// The maximum number of responses.
  ///
  /// `nil` means no limit.
  var limit: Int?
  /// The server that the route forwards requests to.
  ///
  /// `nil` for a route with mocked responses. Such routes take precedence.
  var origin: URL?
  /// The recording of the responses.
  ///
  /// `nil` for responses that were not recorded.
  var recording: (any Restartable)?
  /// Whether the responses were recorded.
  var isRecorded: Bool { recording != nil }
  /// The scenario states in which the route responds.
  var requiredStates: [Scenario.Step] = []
  /// The scenario states that the route sets.
  var nextStates: [Scenario.Step] = []
  /// The values of `let` that the changes of variables use, evaluated before the response.
  var constants: [TemplateJSON] = []
  /// The variables that the route sets.
  var assignments: [VariableAssignment] = []
  /// The data that the route shares with other routes, if it is a route of a resource.
  var storage: (any RouteStorage)?
  /// The resources that the templates of the route read and change, and whose clients have variables,
  /// scenarios, counters and sequences of their own.
  ///
  /// `nil` uses the first resources of the backend.
  var resources: (any RouteStorage)?
  /// The identifier, or `nil` if the backend chooses one.
  public private(set) var id: RouteID?
  /// The place in a stub file from which the route was read.
  ///
  /// `nil` for a route that was created in code or read from a recording.
  public internal(set) var source: RouteSource?

  /// The object of a stub file or of a request to the admin API that defines the route.
  ///
  /// `nil` for a route that was created in code or read from a recording, and for a route of a
  /// resource.
  var definition: JSON?

  private init(_ method: HTTPMethod?, _ template: String, _ handler: Handler) {
    self.template = template
    self.handler = handler
    pattern = RequestPattern(method, template)
  }

  /// Creates a route with a fixed response.
  ///
  /// - Parameters:
  ///   - method: The method. `nil` matches all methods.
  ///   - template: The path template, such as `/boards/{id}`. If it is malformed, the initializer
  ///     of a server throws and a transport fails all requests.
  ///   - mock: The response. A sequence advances with each request.
  public init(_ method: HTTPMethod?, _ template: String, _ mock: Mock) {
    self.init(method, template, .mock(mock))
  }

  /// Creates a route with a synchronous handler.
  ///
  /// - Parameters:
  ///   - method: The method. `nil` matches all methods.
  ///   - template: The path template, such as `/boards/{id}`. If it is malformed, the initializer
  ///     of a server throws and a transport fails all requests.
  ///   - handler: A closure that returns the response. It runs once for each request. A server runs
  ///     it on the thread that serves all connections, so it must not block; use an asynchronous
  ///     handler for slow work. In memory it runs on the thread that starts the request, so several
  ///     calls may run at the same time. A closure that is marked with an actor, such as
  ///     `{ @MainActor request in ... }`, runs on this actor. If it throws, the response is a 500
  ///     with the description of the error.
  public init(
    _ method: HTTPMethod?, _ template: String,
    _ handler: @escaping @Sendable @isolated(any) (_ request: ReceivedRequest) throws -> Mock
  ) {
    self.init(method, template, .immediate(IsolatedClosure(handler)))
  }

  /// Creates a route with an asynchronous handler.
  ///
  /// - Parameters:
  ///   - method: The method. `nil` matches all methods.
  ///   - template: The path template, such as `/boards/{id}`. If it is malformed, the initializer
  ///     of a server throws and a transport fails all requests.
  ///   - handler: A closure that returns the response. It runs in its own task, which is cancelled
  ///     when the client disconnects or the server stops. The task runs on a global queue, or on
  ///     the actor with which the closure is marked. Virtual time does not advance until the closure
  ///     suspends or returns. If it throws, the response is a 500 with the description of the error.
  public init(
    _ method: HTTPMethod?, _ template: String,
    _ handler:
      @escaping @Sendable @isolated(any) (_ request: ReceivedRequest) async throws -> Mock
  ) {
    self.init(
      method, template,
      .promised(
        IsolatedClosure { request in
          ActivityExecutor.counting(on: handler.isolation) {
            Promise { try await handler(request) }
          }
        }))
  }

  /// Creates a route with a handler that returns a promise.
  ///
  /// - Parameters:
  ///   - method: The method. `nil` matches all methods.
  ///   - template: The path template, such as `/boards/{id}`. If it is malformed, the initializer
  ///     of a server throws and a transport fails all requests.
  ///   - handler: A closure that returns a promise of the response. A server calls it on the thread
  ///     that serves all connections; in memory it runs on the thread that starts the request. A
  ///     closure that is marked with an actor runs on this actor. The promise is cancelled when the
  ///     client disconnects or the server stops. If it is rejected, the response is a 500 with the
  ///     description of the error.
  public init(
    _ method: HTTPMethod?, _ template: String,
    _ handler:
      @escaping @Sendable @isolated(any) (_ request: ReceivedRequest) throws -> Promise<Mock>
  ) {
    self.init(method, template, .promised(IsolatedClosure(handler)))
  }

  /// Returns a copy that discards request bodies and only counts their bytes.
  ///
  /// An upload of any size then uses no memory. ``ReceivedRequest/body`` is empty, and
  /// ``ReceivedRequest/bodyByteCount`` is the number of bytes received.
  ///
  /// - Returns: The route.
  public func discardingBody() -> Route {
    var route = self
    route.discardsBody = true
    return route
  }
}

extension Route {
  /// The error message for a sequence that falls through without a fallback.
  static func fallthroughMessage(_ request: ReceivedRequest) -> String {
    "no route for \(request.method) \(request.path.text) after a sequence falls through"
  }

  /// Returns a copy that also requires conditions.
  ///
  /// If a request does not meet the conditions of any route for its path, it has no route.
  ///
  /// - Parameter conditions: Additional conditions. A request must meet all of them.
  /// - Returns: The route.
  public func `where`(_ conditions: RequestCondition...) -> Route {
    var route = self
    route.pattern = pattern.adding(conditions)
    return route
  }

  /// Returns a copy that also requires a closure to return `true`.
  ///
  /// - Parameters:
  ///   - description: A description of the condition, for reports.
  ///   - isSatisfied: A closure that tests the request. It may run any number of times, on any
  ///     thread, and must not block.
  /// - Returns: The route.
  public func `where`(
    _ description: String,
    _ isSatisfied: @escaping @Sendable (_ request: ReceivedRequest) -> Bool
  ) -> Route {
    self.where(.satisfying(description, isSatisfied))
  }

  /// Returns a copy that does a part of the handler's work before the handler.
  ///
  /// - Parameter prepare: The part that takes long for a large body. A server calls it on another thread,
  ///   and the handler uses its result in ``ReceivedRequest/result(of:_:)``.
  /// - Returns: The route.
  package func preparing(
    _ prepare: @escaping @Sendable (_ request: ReceivedRequest) -> Void
  ) -> Route {
    var route = self
    route.preparation = prepare
    return route
  }

  /// Returns a copy with another priority.
  ///
  /// - Parameter priority: The priority. Of several matching routes, the one with the highest
  ///   priority is chosen, or the first one of them if their priorities are equal. The default is
  ///   0.
  /// - Returns: The route.
  public func priority(_ priority: Int) -> Route {
    var route = self
    route.rank = priority
    return route
  }

  /// Returns a copy with an identifier, which ``MockRoutes`` uses.
  ///
  /// - Parameter id: The identifier. No two routes of a backend may have the same one.
  /// - Returns: The route.
  public func id(_ id: RouteID) -> Route {
    var route = self
    route.id = id
    return route
  }

  /// Returns a copy that responds a limited number of times.
  ///
  /// After that, the next matching route responds. The server, transport or provider counts the
  /// responses, so two servers with the same route count independently.
  ///
  /// - Parameter count: The maximum number of responses. A negative number counts as 0.
  /// - Returns: The route.
  public func times(_ count: Int) -> Route {
    var route = self
    route.limit = max(count, 0)
    return route
  }

  /// Returns a copy that responds only in a state of a scenario.
  ///
  /// - Parameters:
  ///   - scenario: The scenario. Repeated calls add required states; all of them must be current.
  ///   - state: The required state.
  /// - Returns: The route.
  public func when(_ scenario: Scenario, is state: String) -> Route {
    var route = self
    route.requiredStates.append(Scenario.Step(scenario: scenario, state: state))
    return route
  }

  /// Returns a copy that sets the state of a scenario when the route is chosen to respond.
  ///
  /// - Parameters:
  ///   - scenario: The scenario. Repeated calls may set the states of several scenarios.
  ///   - state: The new state. It is set when the route is chosen, before the response is created.
  /// - Returns: The route.
  public func then(_ scenario: Scenario, setTo state: String) -> Route {
    var route = self
    route.nextStates.append(Scenario.Step(scenario: scenario, state: state))
    return route
  }

  /// Whether the route depends on the method and the path only, and changes no state.
  var isUnconditional: Bool {
    pattern.conditions.isEmpty && limit == nil && requiredStates.isEmpty && nextStates.isEmpty
      && assignments.isEmpty
  }
}

extension Mock {
  fileprivate func isolated(for client: Client) -> Mock {
    var mock = self
    mock.client = client
    return mock
  }
}

/// A source of responses that have an order, such as a recording.
protocol Restartable: Sendable {
  /// Makes the next request receive the first response again.
  func restart()
}

/// The data of the routes of a resource.
protocol RouteStorage: ChangeableResources {
  /// Returns the client of a request, and these resources.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - values: The random values of the backend, for the cookie of a new client.
  /// - Returns: The session.
  func session(for request: ReceivedRequest, _ values: () -> TemplateValues) -> RequestSession
  /// Restores the initial data.
  func reset()
}

extension Route: CustomStringConvertible {
  /// The method, the template, the conditions and the required states on one line, with secrets
  /// masked.
  public var description: String {
    let states = requiredStates.map { "scenario \"\($0.scenario.name)\": \"\($0.state)\"" }
    guard !states.isEmpty else { return pattern.description }
    let conjunction = pattern.conditions.isEmpty ? " where " : " and "
    return pattern.description + conjunction + states.joined(separator: " and ")
  }
}

/// A result builder for a list of routes, which supports `if` and `for`.
@resultBuilder
public enum RouteBuilder {
  /// Adds one route.
  public static func buildExpression(_ route: Route) -> [Route] { [route] }
  /// Adds a list of routes.
  public static func buildExpression(_ routes: [Route]) -> [Route] { routes }
  /// Joins the routes of several statements.
  public static func buildBlock(_ parts: [Route]...) -> [Route] { parts.flatMap { $0 } }
  /// Supports `if` without `else`.
  public static func buildOptional(_ part: [Route]?) -> [Route] { part ?? [] }
  /// Supports the `if` branch of an `if`-`else` statement.
  public static func buildEither(first part: [Route]) -> [Route] { part }
  /// Supports the `else` branch of an `if`-`else` statement.
  public static func buildEither(second part: [Route]) -> [Route] { part }
  /// Supports `for` loops.
  public static func buildArray(_ parts: [[Route]]) -> [Route] { parts.flatMap { $0 } }
}
