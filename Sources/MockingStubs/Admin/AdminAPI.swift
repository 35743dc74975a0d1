import CatenaSystem
import Dispatch
public import Foundation
public import Mocking
import MockingRecordings
import MockingResources
import Networking
import Promises

/// The admin API of a mocked backend: HTTP requests below `/__mock/` that read and change it.
///
/// ```swift
/// let server = try MockServer { Route(.get, "/boards", .json([])) }
/// let admin = try server.serveAdmin()
/// print(admin.inspectorURL)                        // http://127.0.0.1:41873/__mock/
/// ```
///
/// Clients in any language list, add, change and remove stubs, read and verify the received requests,
/// set the states of scenarios, the variables and the items of resources, and switch delays and faults
/// on. The server describes the requests in an OpenAPI document at `/__mock/openapi.json`. The guide
/// "The admin API" has examples.
///
/// - **Separation.** The requests use no route and no enqueued mock. They are neither recorded nor
///   counted, and `onExchange` is not called for them. A backend with this API cannot have routes below
///   `/__mock/`.
/// - **Security.** A request is refused if it has the `Origin` of another server, or if its `Host` is
///   neither that of the server nor a loopback address. If the server listens on an address that other
///   machines can reach, each request needs a token. Secrets in all responses are masked.
/// - **Order.** Requests are handled one at a time on a private queue, not on the thread of the server.
/// - **Bounds.** Bodies, lists, snapshots and the number of event streams are limited.
///
/// All members may be used from any thread.
public final class AdminAPI: Sendable {
  /// The path below which the API responds.
  public static let path = "/__mock/"

  /// The options of the admin API.
  public struct Options: Sendable {
    /// The token that each request needs.
    ///
    /// `nil` requires none if only this machine can connect; otherwise a random token is made. See
    /// ``AdminAPI/token``.
    public var token: String?
    /// The folder of the files that stubs in requests may name.
    ///
    /// `nil` refuses stubs with files.
    public var folder: URL?
    /// The name of the program, for the page and the list of properties.
    public var name = "MockServer"
    /// The version of the program.
    public var version = ""
    /// The files from which the routes were read, for display.
    public var files: [String] = []
    /// The server to which requests without a stub are forwarded, for display.
    public var proxy: URL?
    /// The file in which forwarded exchanges are recorded, for display.
    public var recording: String?
    /// The seed of the random numbers, for display.
    public var seed: UInt64?
    /// A closure that a request to shut down calls, after its response has been sent.
    ///
    /// It runs on the thread of the server and must not block. `nil` refuses such requests.
    public var onShutdown: (@Sendable () -> Void)?

    /// Creates the default options.
    ///
    /// - Parameter token: The token that each request needs.
    public init(token: String? = nil) {
      self.token = token
    }
  }

  /// The changes of the API since the routes were read.
  struct Changes {
    /// The routes that requests to the API have added.
    var added: Set<RouteID> = []
    /// The first routes of those that have been replaced.
    var replaced: [RouteID: Route] = [:]
    /// The routes that have been removed.
    var removed: [MockRoutes.Entry] = []
    /// The number of stubs that have been parsed, which identifies their sequences.
    var parsedCount = 0
    /// The parts of the files without an effect.
    var warnings: [String] = []
    var snapshots: [AdminSnapshot] = []
    var snapshotCount = 0
  }

  let backend: AdminBackend
  let options: Options
  let access: AdminAccess
  let events: AdminEvents
  /// The identifier of this object, which a request to shut down must name.
  let instance = UUID().uuidString.lowercased()
  let changes = Mutex(Changes())
  private let feed: AdminFeed
  private let queue = DispatchQueue(label: "AdminAPI", qos: .userInitiated)

  /// The token that each request needs, or `nil` if none is needed.
  ///
  /// A client sends it as `Authorization: Bearer TOKEN`.
  public var token: String? { access.token }

  /// The address of the inspector page.
  ///
  /// It contains the ``token``. The page replaces it by a cookie.
  public var inspectorURL: URL {
    var components = URLComponents(url: access.url, resolvingAgainstBaseURL: false)
    components?.path = Self.path
    if let token { components?.queryItems = [URLQueryItem(name: "token", value: token)] }
    return components?.url ?? access.url
  }

  init(_ backend: AdminBackend, _ access: AdminAccess, _ options: Options) {
    self.backend = backend
    self.access = access
    self.options = options
    events = AdminEvents(instance: String(instance.prefix(8)))
    feed = AdminFeed(backend, events)
  }

  /// Keeps the responses to further requests, and publishes events, until ``stop()``.
  func start() {
    feed.start()
    backend.journal.observe { [feed] change in feed.add(change) }
  }

  // MARK: Routes

  /// Replaces all routes of the backend, and keeps the changes by requests to the API until they are
  /// reset.
  ///
  /// Added routes stay before all others with the same priority. A route that has been replaced,
  /// removed, turned off, delayed or made to fail stays so if the new routes contain it with the same
  /// definition as before. If its definition in the file has changed, too, the file takes precedence.
  ///
  /// - Parameter routes: The new routes.
  /// - Returns: The number of routes whose changes are kept: added, replaced, removed or adjusted.
  /// - Throws: The errors of ``MockServer/replaceRoutes(with:)``, and
  ///   ``MockServerError/reservedPath(_:)`` for a route below ``path``. The old routes are then kept.
  @discardableResult
  public func replaceRoutes(with routes: [Route]) throws(MockServerError) -> Int {
    try replacement(by: routes)()
  }

  /// Replaces all routes, after another action that may fail.
  ///
  /// - Parameters:
  ///   - routes: The new routes.
  ///   - commit: An action that runs if no route is malformed.
  /// - Returns: The number of routes whose changes are kept.
  /// - Throws: The errors of ``replaceRoutes(with:)``, and that of the action. The old routes are then
  ///   kept.
  package func replaceRoutes(
    with routes: [Route], committing commit: () throws -> Void
  ) throws -> Int {
    let replace = try replacement(by: routes)
    try commit()
    return replace()
  }

  /// Returns the action that replaces all routes, and returns the number of routes whose changes are
  /// kept.
  private func replacement(by routes: [Route]) throws(MockServerError) -> () -> Int {
    try Self.check(routes)
    let added = changes.withLock { $0.added }
    let kept = backend.routes.all.filter { added.contains($0.id) }
    let replace = try backend.replacement(by: kept.map { $0.route.id($0.id) } + routes)
    return { [self] in
      let backendRoutes = backend.routes
      let old = kept.map { entry in
        (entry: backendRoutes[entry.id] ?? entry, adjustment: backendRoutes.adjustment(of: entry))
      }
      let fileChanges = fileChanges()
      replace()
      for (entry, adjustment) in old {
        guard let replacement = backendRoutes[entry.id] else { continue }
        backendRoutes.adjust(replacement, by: adjustment)
        // The route may have been removed at this moment.
        if !entry.isEnabled { try? backendRoutes.setEnabled(entry.id, false) }
      }
      changes.withLock { changes in
        changes.replaced = [:]
        changes.removed = []
      }
      let appliedCount = apply(fileChanges)
      events.publish("reset")
      return kept.count + appliedCount
    }
  }

  /// Checks that no route is below the path of the API.
  ///
  /// - Parameter routes: The routes.
  /// - Throws: ``MockServerError/reservedPath(_:)`` for the first route that is.
  public static func check(_ routes: [Route]) throws(MockServerError) {
    for route in routes {
      // A route with a variable in place of the first segment is not reached for these paths.
      guard case .literal(reservedSegment)? = (try? PathTemplate(route.template))?.segments.first
      else { continue }
      throw .reservedPath(route.template)
    }
  }

  /// The first segment of ``path``.
  static let reservedSegment = "__mock"
}

extension AdminAPI: ReservedPathHandler {
  /// 8 MiB.
  package var maximumBodyBytes: Int { 8 << 20 }

  package func handles(_ target: String) -> Bool {
    guard target.utf8.first == UInt8(ascii: "/") else {
      // The target may be a URL.
      return RequestTarget(target)?.segments.first == Self.reservedSegment
    }
    let prefix = Self.path.utf8.dropLast()
    guard target.utf8.starts(with: prefix) else { return false }
    let next = target.utf8.dropFirst(prefix.count).first
    return next == nil || next == UInt8(ascii: "/") || next == UInt8(ascii: "?")
  }

  package func respond(
    to request: ReceivedRequest,
    _ completion: @escaping @Sendable (ReservedPathResponse) -> Void
  ) {
    queue.async { [self] in completion(response(to: request)) }
  }

  package func stop() {
    // The journal would retain this object's parts, which retain the journal.
    backend.journal.observe(nil)
    events.stop()
  }

  /// Returns the response to a request, without a socket.
  func response(to request: ReceivedRequest) -> ReservedPathResponse {
    var response: ReservedPathResponse
    do {
      response = try handled(request)
    } catch {
      response = AdminProblem(error, body: request.body).response
    }
    for (name, value) in Self.commonHeaders where !response.mock.headers.contains(name) {
      response.mock.headers[name] = value
    }
    return response
  }

  private func handled(_ request: ReceivedRequest) throws -> ReservedPathResponse {
    guard request.path.segments.first == Self.reservedSegment else {
      throw AdminProblem(400, "the path has a % without two hexadecimal digits")
    }
    try access.checkOrigin(of: request)
    let segments = Array(request.path.segments.dropFirst())
    let isRead = request.method == .get || request.method == .head
    if segments.isEmpty, isRead {
      let query = RequestTarget(request.target)?.query.map { "?\($0)" } ?? ""
      return .redirect(to: Self.path + query, status: 308)
    }
    if segments == [""], isRead, let response = try access.signIn(request) { return response }
    try access.checkToken(of: request)
    switch AdminOperation.find(request.method, segments) {
    case .operation(let operation, let variables):
      let call = try AdminCall(request, variables, operation, limit: maximumBodyBytes)
      return try operation.handle(self, call)
    case .allowed(let methods):
      let headers: HTTPHeaders = ["Allow": methods.joined(separator: ", ")]
      guard request.method != .options else {
        return ReservedPathResponse(mock: Mock(status: 204, headers: headers))
      }
      var problem = AdminProblem(405, "this path allows only \(methods.joined(separator: ", "))")
      problem.headers = headers
      throw problem
    case .unknown:
      throw AdminProblem(
        404, "the admin API has no such path; \(Self.path)openapi.json describes all of them")
    }
  }

  /// Responses may contain data of the user, so they are not stored or used by other sites.
  private static let commonHeaders = [
    "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin", "Referrer-Policy": "no-referrer",
  ]
}

extension AdminAPI {
  static let informationOperations = [
    AdminOperation(.get, "", query: nil) { _, _ in page },
    AdminOperation(.get, "openapi.json") { admin, _ in
      let document = admin.token == nil ? OpenAPIDocument.open : OpenAPIDocument.protected
      return ReservedPathResponse(mock: .data(document, contentType: "application/json"))
    },
    AdminOperation(.get, "info") { admin, _ in .json(admin.information) },
    AdminOperation(.post, "shutdown", body: .required) { try $0.shutDown($1) },
  ]

  /// The inspector page.
  private static var page: ReservedPathResponse {
    let page = InspectorPage.make()
    var mock = Mock.data(page.body, contentType: nil)
    mock.headers = page.headers
    return ReservedPathResponse(mock: mock)
  }

  private var information: JSON {
    let files = backend.stores.compactMap(\.fileRecord)
    return [
      "name": .string(options.name), "version": .string(options.version),
      "url": .string(access.url.absoluteString),
      "startedAt": .string(HAR.Entry.timestamp(backend.startDate)),
      "seed": options.seed.map { seed in
        Int(exactly: seed).map { .int($0) } ?? .decimal(Decimal(seed))
      } ?? .null,
      "files": .array(options.files.map { .string($0) }),
      "proxy": options.proxy.map { .string(AdminMask.url($0.absoluteString)) } ?? .null,
      "recording": options.recording.map { .string($0) } ?? .null,
      "data": .array(files),
      "status": files.contains { !$0["failure"].isNull } ? "unsaved" : "ok",
      "warnings": .array(changes.withLock { $0.warnings }.map { .string($0) }),
      "instance": .string(instance),
    ]
  }

  /// Tells the readers of events that writes of the items of resources fail, or succeed again.
  package func noteSaveFailure() { events.publish("reset") }

  /// Sets the warnings about the files, for display.
  ///
  /// - Parameter warnings: The warnings. Those of the files before are dropped.
  package func setWarnings(_ warnings: [String]) {
    changes.withLock { $0.warnings = warnings }
    events.publish("reset")
  }

  /// Ends the program.
  ///
  /// The request names the instance of the server, so that it does not end another one by mistake.
  private func shutDown(_ call: AdminCall) throws -> ReservedPathResponse {
    let object = try call.object(
      ["instance"], "an object with the member \"instance\", as in {\"instance\": \"...\"}")
    let named = try object.required("instance", "that of \(Self.path)info").string()
    guard named == instance else {
      throw AdminProblem(409, "the request names another server; see \(Self.path)info")
    }
    guard let onShutdown = options.onShutdown else {
      throw AdminProblem(409, "this server cannot be shut down by a request")
    }
    var response = ReservedPathResponse.json(["instance": .string(instance)], status: 202)
    response.atEnd = onShutdown
    return response
  }
}
