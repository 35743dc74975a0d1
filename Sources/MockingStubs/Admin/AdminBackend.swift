import Foundation
import Mocking
import MockingResources
import Networking
public import Promises

/// The mocked backend of an admin API.
struct AdminBackend: Sendable {
  private let parts: AdministeredBackend
  /// A date, and the time of the clock at that date.
  private let start: (date: Date, time: Duration)

  /// The routes, which the API changes.
  var routes: MockRoutes { parts.routes }
  var journal: RequestJournal { parts.journal }
  var webhooks: WebhookSender { parts.webhooks }
  /// The current scenarios.
  var scenarios: ScenarioStates { parts.scenarios }

  var variables: MockVariables { parts.variables }

  init(_ parts: AdministeredBackend) {
    self.parts = parts
    start = (Date(), parts.scheduler.now)
  }

  /// Returns the action that replaces all routes.
  func replacement(by routes: [Route]) throws(MockServerError) -> @Sendable () -> Void {
    try parts.replacement(by: routes)
  }

  /// Returns the date of a time on the clock of the journal.
  func date(of time: Duration) -> Date {
    start.date.addingTimeInterval((time - start.time) / .seconds(1))
  }

  /// The time at which the API was created.
  var startDate: Date { start.date }

  /// The stores of the resources of all routes, each once, in the order of the routes.
  var stores: [ResourceStore] { routes.storages.compactMap { $0 as? ResourceStore } }
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
    try serveAdmin(AdminBackend(AdministeredBackend(self)), options)
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
    try serveAdmin(AdminBackend(AdministeredBackend(backend, on: scheduler)), options)
  }

  private func serveAdmin(
    _ backend: AdminBackend, _ options: AdminAPI.Options
  ) throws(MockServerError) -> AdminAPI {
    try AdminAPI.check(backend.routes.all.map(\.route))
    let access = AdminAccess(
      url: url, token: options.token ?? (isOnLoopback ? nil : AdminAccess.randomToken()))
    let admin = AdminAPI(backend, access, options)
    try reservePath(for: admin)
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
