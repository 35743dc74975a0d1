import Foundation
package import Promises

/// The parts of a mocked backend that a module for its administration reads and changes.
///
/// It retains the core of a ``MockServer``, which releases the handler of a reserved path when it stops.
package struct AdministeredBackend: Sendable {
  /// The routes, including those below a reserved path.
  package let routes: MockRoutes
  /// The received requests.
  package let journal: RequestJournal
  /// The deliveries of webhooks.
  package let webhooks: WebhookSender
  /// The clock of the journal.
  package let scheduler: any Scheduler
  private let currentScenarios: @Sendable () -> ScenarioStates
  private let replacing: @Sendable ([Route]) throws(MockServerError) -> @Sendable () -> Void

  /// The current scenarios.
  package var scenarios: ScenarioStates { currentScenarios() }

  /// The current variables.
  package var variables: MockVariables { MockVariables(of: scenarios) }

  /// Creates the parts of a server.
  package init(_ server: MockServer) {
    let core = server.core
    routes = MockRoutes(registry: { core.activeRoutes.registry })
    journal = core.journal
    webhooks = core.webhooks
    scheduler = core.scheduler
    currentScenarios = { core.activeRoutes.registry.scenarios }
    replacing = { routes throws(MockServerError) in try core.replacement(by: routes) }
  }

  /// Creates the parts of another backend, which is in memory.
  ///
  /// - Parameters:
  ///   - backend: The backend.
  ///   - scheduler: The clock of the backend.
  package init(_ backend: some MockBackend, on scheduler: any Scheduler) {
    let routes = backend.routes
    self.routes = MockRoutes(registry: routes.registry)
    journal = backend.journal
    webhooks = backend.webhooks
    self.scheduler = scheduler
    currentScenarios = { backend.scenarios }
    replacing = { new throws(MockServerError) in
      let registry = try routes.registry()
      let table = try RouteTable(new, numbers: registry.numbers)
      return { registry.update { $0 = table } }
    }
  }

  /// Returns the action that replaces all routes.
  ///
  /// - Parameter routes: The new routes.
  /// - Returns: The action, which cannot fail.
  /// - Throws: ``MockServerError`` if a route is malformed.
  package func replacement(
    by routes: [Route]
  ) throws(MockServerError) -> @Sendable () -> Void {
    try replacing(routes)
  }
}

extension MockServer {
  /// Whether only clients on this machine can connect.
  package var isOnLoopback: Bool {
    !address.isWildcard && CORSPolicy.loopback.allows(url.absoluteString)
  }

  /// Sets the handler of the requests below a reserved path, before it returns.
  ///
  /// - Parameter handler: The handler.
  /// - Throws: ``MockServerError/stopped``.
  package func reservePath(for handler: any ReservedPathHandler) throws(MockServerError) {
    guard core.reserve(handler) else { throw .stopped }
  }
}

// MARK: - Adjustments and removed routes

extension MockRoutes {
  /// The object that the backend replaces together with all routes.
  ///
  /// `nil` if it has no routes.
  package var identity: (any AnyObject & Sendable)? { current }

  /// The data of all resources, each once, in the order in which their routes were registered.
  package var storages: [any RequestResources] { routeStorages }

  /// Returns the adjustment of the responses of all routes.
  ///
  /// - Throws: ``MockServerError/noRoutes``.
  package func adjustment() throws(MockServerError) -> ResponseAdjustment {
    try registry().adjustments.all
  }

  /// Sets the adjustment of the responses of all routes.
  ///
  /// - Throws: ``MockServerError/noRoutes``.
  package func adjust(by adjustment: ResponseAdjustment) throws(MockServerError) {
    try registry().adjustments.all = adjustment
  }

  /// Returns the adjustment of the responses of a route.
  package func adjustment(of entry: Entry) -> ResponseAdjustment {
    current?.adjustments[entry.registered.number] ?? ResponseAdjustment()
  }

  /// Sets the adjustment of the responses of a route, even of one that has been removed.
  package func adjust(_ entry: Entry, by adjustment: ResponseAdjustment) {
    current?.adjustments[entry.registered.number] = adjustment
  }

  /// Adds a route again that has been removed, at its old place.
  ///
  /// - Throws: ``MockServerError/duplicateRoute(_:)``, and ``MockServerError/noRoutes``.
  package func restore(_ entry: Entry) throws(MockServerError) {
    try registry().update { table throws(MockServerError) in try table.restore(entry.registered) }
  }
}

extension MockRoutes.Entry {
  /// The place among the routes with the same priority.
  package var position: Int { registered.position }
}

// MARK: - Verifications

extension RequestJournal {
  /// The result of a verification for a report.
  package struct Verification {
    /// The requests that match the pattern.
    package let matching: [JournalEntry]
    /// The number of further requests that may match, but whose bodies have not been kept.
    package let undecidedCount: Int
    /// The text of the failure, or `nil` if the number of requests is right.
    package let failure: String?
    /// The request with the smallest distance to the pattern and its differences, if the report of the
    /// failure has them.
    package let nearest: (entry: JournalEntry, differences: [RequestDifference])?
  }

  /// Finds the requests that match a pattern.
  package func requests(matching pattern: RequestPattern) -> Verification {
    let snapshot = snapshot()
    return Verification(
      matching: snapshot.matching(pattern), undecidedCount: snapshot.undecided(by: pattern).count,
      failure: nil, nearest: nil)
  }

  /// Verifies the number of requests that match a pattern, and marks them as verified.
  package func verification(
    of pattern: RequestPattern, _ count: RequestCount
  ) -> Verification {
    let snapshot = snapshot()
    let report = reportCount(of: pattern, count)
    var nearest: (JournalEntry, [RequestDifference])?
    if let report, !report.differences.isEmpty, let entry = snapshot.nearest(to: pattern) {
      nearest = (entry, report.differences)
    }
    return Verification(
      matching: snapshot.matching(pattern), undecidedCount: snapshot.undecided(by: pattern).count,
      failure: report?.text, nearest: nearest)
  }
}
