import Foundation
import Mocking
import MockingResources
import Networking
public import Promises

/// The parts of a mocked backend that the admin API uses.
struct AdminBackend: Sendable {
  /// Returns the current routes.
  let registry: @Sendable () throws(MockServerError) -> StubRegistry
  let journal: RequestJournal
  let webhooks: WebhookSender
  /// Returns the current scenarios.
  let scenarios: @Sendable () -> ScenarioStates
  /// Returns the action that replaces all routes.
  let replacement: @Sendable ([Route]) throws(MockServerError) -> @Sendable () -> Void
  /// The clock of the journal.
  let scheduler: any Scheduler
  /// A date, and the time of the clock at that date.
  private let start: (date: Date, time: Duration)

  /// The routes, which the API changes.
  var routes: MockRoutes { MockRoutes(registry: registry) }

  /// Creates the parts of a server.
  ///
  /// It retains the core of the server, which releases the API when it stops.
  init(_ core: ServerCore) {
    registry = { core.activeRoutes.registry }
    journal = core.journal
    webhooks = core.webhooks
    scenarios = { core.activeRoutes.registry.scenarios }
    replacement = { routes throws(MockServerError) in try core.replacement(by: routes) }
    scheduler = core.scheduler
    start = (Date(), core.scheduler.now)
  }

  /// Creates the parts of another backend, which is in memory.
  init(_ backend: some MockBackend, on scheduler: any Scheduler) {
    let routes = backend.routes
    registry = { () throws(MockServerError) in try routes.registry() }
    journal = backend.journal
    webhooks = backend.webhooks
    scenarios = { backend.scenarios }
    replacement = { new throws(MockServerError) in
      let registry = try routes.registry()
      let table = try RouteTable(new, numbers: registry.numbers)
      return { registry.update { $0 = table } }
    }
    self.scheduler = scheduler
    start = (Date(), scheduler.now)
  }

  /// Returns the date of a time on the clock of the journal.
  func date(of time: Duration) -> Date {
    start.date.addingTimeInterval((time - start.time) / .seconds(1))
  }

  /// The time at which the API was created.
  var startDate: Date { start.date }

  /// The stores of the resources of all routes, each once, in the order of the routes.
  var stores: [ResourceStore] {
    var known: Set<ObjectIdentifier> = []
    let entries = (try? registry().entries) ?? []
    return entries.sorted { $0.number < $1.number }
      .compactMap { $0.route.resources.storage as? ResourceStore }
      .filter { known.insert(ObjectIdentifier($0)).inserted }
  }
}

extension MockServer {
  /// Serves the admin API of this server below `/__mock/`.
  ///
  /// ```swift
  /// let admin = try server.serveAdmin()
  /// print(admin.inspectorURL)
  /// ```
  ///
  /// When this method returns, the API responds. It responds until the server stops. Another call
  /// replaces it by a new one.
  ///
  /// - Parameter options: The options.
  /// - Returns: The API.
  /// - Throws: ``MockServerError/reservedPath(_:)`` if a route is below `/__mock/`, and
  ///   ``MockServerError/stopped``.
  @discardableResult
  public func serveAdmin(
    _ options: AdminAPI.Options = AdminAPI.Options()
  ) throws(MockServerError) -> AdminAPI {
    try serveAdmin(AdminBackend(core), options)
  }

  /// Serves the admin API of another backend below `/__mock/`.
  ///
  /// Use it to inspect a ``MockProvider`` or a ``MockTransport`` in an app while it runs:
  ///
  /// ```swift
  /// let inspector = try MockServer(routes: [])
  /// print(try inspector.serveAdmin(of: provider).inspectorURL)
  /// ```
  ///
  /// The journal of such a backend has no bodies of responses. ``AdminAPI/replaceRoutes(with:)``
  /// replaces the routes of that backend.
  ///
  /// - Parameters:
  ///   - backend: The backend. A provider with a closure has no stubs.
  ///   - scheduler: The clock of the backend.
  ///   - options: The options.
  /// - Returns: The API.
  /// - Throws: The errors of ``serveAdmin(_:)``.
  @discardableResult
  public func serveAdmin(
    of backend: some MockBackend, on scheduler: any Scheduler = .live,
    _ options: AdminAPI.Options = AdminAPI.Options()
  ) throws(MockServerError) -> AdminAPI {
    try serveAdmin(AdminBackend(backend, on: scheduler), options)
  }

  private func serveAdmin(
    _ backend: AdminBackend, _ options: AdminAPI.Options
  ) throws(MockServerError) -> AdminAPI {
    try AdminAPI.check(((try? backend.registry())?.entries ?? []).map(\.route))
    let isLoopback = !address.isWildcard && CORSPolicy.loopback.allows(url.absoluteString)
    let access = AdminAccess(
      url: url, token: options.token ?? (isLoopback ? nil : AdminAccess.randomToken()))
    let admin = AdminAPI(backend, access, options)
    guard core.reserve(admin) else { throw .stopped }
    admin.start()
    return admin
  }
}

extension StubFile {
  /// Checks that no route of the file is below the path of the admin API.
  ///
  /// - Throws: ``StubFileError`` with the place of the first route that is.
  package func checkReservedPaths() throws(StubFileError) {
    for route in routes {
      do throws(MockServerError) {
        try AdminAPI.check([route])
      } catch {
        let source = route.source
        throw .malformed(
          file: files.first { $0.lastPathComponent == source?.file } ?? url,
          line: source?.line ?? 1, column: source?.column ?? 1, path: "",
          problem: "\(error); choose another path, or turn the API off with --no-admin")
      }
    }
  }
}
