package import Foundation
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
/// ``RequestPattern/path`` describes path templates. In addition to the method and the path, a route can
/// require conditions (``where(_:)-(RequestCondition...)``) and a state of a ``Scenario``, and it can
/// have a maximum number of responses (``times(_:)``).
///
/// If several routes match, the one with the highest ``priority(_:)`` responds, or the first one of
/// them if their priorities are equal. A route for GET also responds to HEAD if no route for HEAD
/// matches. The response to OPTIONS lists the allowed methods, unless a route for OPTIONS matches.
///
/// The time to find the route of a request does not depend on the number of routes for other paths.
public struct Route: Sendable {
  /// The method.
  ///
  /// `nil` matches all methods.
  public var method: HTTPMethod? { pattern.method }
  /// The path template as written.
  ///
  /// ``RequestPattern/path`` describes it.
  public let template: String
  /// The pattern of the requests that the route matches.
  public internal(set) var pattern: RequestPattern
  /// The source of the responses.
  var responder: RouteResponder
  /// The priority.
  ///
  /// Routes with a higher priority are chosen first.
  package var rank = 0
  /// The maximum number of responses.
  ///
  /// `nil` means no limit.
  var limit: Int?
  /// The scenario states that the route requires and sets.
  package var transition = ScenarioTransition()
  /// The changes of variables when the route is chosen.
  var variableChanges = VariableChanges()
  /// The resources that the route serves and uses.
  package var resources = RouteResources()
  /// The identifier, or `nil` if the backend chooses one.
  public private(set) var id: RouteID?
  /// The place in a stub file from which the route was read.
  ///
  /// `nil` for a route that was created in code or read from a recording.
  public package(set) var source: RouteSource?
  /// The object of a stub file or of a request to the admin API that defines the route.
  ///
  /// `nil` for a route that was created in code or read from a recording, and for a route of a
  /// resource.
  package var definition: JSON?

  private init(_ method: HTTPMethod?, _ template: String, _ handler: RouteResponder.Handler) {
    self.template = template
    responder = RouteResponder(handler)
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

  /// Creates a route that forwards requests, which mocked and recorded responses precede.
  ///
  /// - Parameters:
  ///   - origin: The server that requests are forwarded to.
  ///   - method: The method. `nil` matches all methods.
  ///   - template: The path template, such as `/{path*}`.
  ///   - handler: A closure that returns a promise of the response. Its body may be one that is relayed.
  package init(
    forwardingTo origin: URL, _ method: HTTPMethod? = nil, _ template: String,
    _ handler: @escaping @Sendable (_ request: ReceivedRequest) -> Promise<Mock>
  ) {
    self.init(method, template, .promised(IsolatedClosure(handler)))
    responder.origin = .server(origin)
  }

  /// Returns a copy that discards request bodies and only counts their bytes.
  ///
  /// An upload of any size then uses no memory. ``ReceivedRequest/body`` is empty, and
  /// ``ReceivedRequest/bodyByteCount`` is the number of bytes received.
  ///
  /// - Returns: The route.
  public func discardingBody() -> Route {
    copy(of: self) { $0.responder.discardsBody = true }
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
    copy(of: self) { $0.pattern = pattern.adding(conditions) }
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
  /// - Parameters:
  ///   - isLong: Returns whether the part takes long for a request, even if its body is small. `nil` is
  ///     never.
  ///   - prepare: The part that takes long for a large body. A server then calls it on another thread,
  ///     and the handler uses its result, such as that of ``ReceivedRequest/result(of:_:)``.
  /// - Returns: The route.
  package func preparing(
    ifLong isLong: (@Sendable (_ request: ReceivedRequest) -> Bool)? = nil,
    _ prepare: @escaping @Sendable (_ request: ReceivedRequest) -> Void
  ) -> Route {
    copy(of: self) {
      $0.responder.preparation = prepare
      $0.responder.isPreparationLong = isLong
    }
  }

  /// Returns a copy with another priority.
  ///
  /// - Parameter priority: The priority. Of several matching routes, the one with the highest
  ///   priority is chosen, or the first one of them if their priorities are equal. The default is
  ///   0.
  /// - Returns: The route.
  public func priority(_ priority: Int) -> Route {
    copy(of: self) { $0.rank = priority }
  }

  /// Returns a copy with an identifier, which ``MockRoutes`` uses.
  ///
  /// - Parameter id: The identifier. No two routes of a backend may have the same one.
  /// - Returns: The route.
  public func id(_ id: RouteID) -> Route {
    copy(of: self) { $0.id = id }
  }

  /// Returns a copy that responds a limited number of times.
  ///
  /// After that, the next matching route responds. The server, transport or provider counts the
  /// responses, so two servers with the same route count independently.
  ///
  /// - Parameter count: The maximum number of responses. A negative number counts as 0.
  /// - Returns: The route.
  public func times(_ count: Int) -> Route {
    copy(of: self) { $0.limit = max(count, 0) }
  }

  /// Whether the route depends on the method and the path only, and changes no state.
  var isUnconditional: Bool {
    pattern.conditions.isEmpty && limit == nil && transition.isEmpty && variableChanges.isEmpty
  }

  /// Whether the choice of the route depends on variables.
  var readsVariables: Bool { pattern.conditions.contains(where: \.readsVariables) }

  /// Whether the response or the choice of the route may depend on the request body.
  var readsBody: Bool {
    !responder.discardsBody
      && (!pattern.conditions.isEmpty || !variableChanges.isEmpty || responder.readsRequest)
  }
}

extension Route: CustomStringConvertible {
  /// The method, the template, the conditions and the required states on one line, with secrets
  /// masked.
  public var description: String {
    let states = transition.requiredStates.map {
      "scenario \"\($0.scenario.name)\": \"\($0.state)\""
    }
    guard !states.isEmpty else { return pattern.description }
    let conjunction = pattern.conditions.isEmpty ? " where " : " and "
    return pattern.description + conjunction + states.joined(separator: " and ")
  }
}

extension Route {
  /// Returns a copy whose responses inherit from a mock.
  ///
  /// Delays, pacing, faults and header fields that a response does not set are copied from the mock.
  /// Its status and its body are ignored.
  ///
  /// - Parameter mock: The mock.
  /// - Returns: The route.
  public func withDefaults(_ mock: Mock) -> Route {
    copy(of: self) { $0.responder.handler = responder.handler.inheriting(mock) }
  }
}

extension [Route] {
  /// Returns copies of the routes whose responses inherit from a mock.
  ///
  /// ```swift
  /// let routes = backend.withDefaults(
  ///   Mock().header("X-Api-Version", "3").delayed(by: .uniform(.milliseconds(20), .milliseconds(90)))
  ///     .interrupted(by: .reset, at: .request, chance: 0.05))
  /// ```
  ///
  /// Delays, pacing, faults and header fields that a response does not set are copied from the mock.
  /// Its status and its body are ignored. Responses without a route, such as a 404 or a 405, have no
  /// defaults.
  ///
  /// - Parameter mock: The mock.
  /// - Returns: The routes.
  public func withDefaults(_ mock: Mock) -> [Route] {
    map { $0.withDefaults(mock) }
  }
}
