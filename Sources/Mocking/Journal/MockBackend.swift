public import Networking
public import Promises

/// A mocked backend that records the requests it receives: a ``MockProvider``, a ``MockTransport``
/// or a ``MockServer``.
///
/// ```swift
/// try provider.verify(.post, "boards", .exactly(2))
/// try provider.verifyOrder(.post("login"), .get("boards"))
/// try provider.verifyNothingElse()
/// ```
///
/// Each verification throws a ``VerificationFailure`` with a report and the location of the
/// verification. To continue after a failure, catch the error, or use an assertion that does, such
/// as `#expect(throws: Never.self) { try provider.verify(.get, "boards") }` of Swift Testing or
/// `XCTAssertNoThrow(try provider.verify(.get, "boards"))` of XCTest.
public protocol MockBackend: Sendable {
  /// The received requests, each with its stub and its outcome.
  var journal: RequestJournal { get }
  /// The states of the routes' scenarios, and the variables.
  var scenarios: ScenarioStates { get }
  /// The routes, which can be changed at any time.
  var routes: MockRoutes { get }
  /// The sender of the webhooks, with the record of each delivery.
  var webhooks: WebhookSender { get }
}

extension MockBackend {
  /// The variables of the routes.
  public var variables: MockVariables { MockVariables(of: scenarios) }

  /// The received requests, in order.
  ///
  /// A request is included before its response starts. Requests that the ``journal`` has discarded
  /// are not included; bodies that it has removed are empty.
  public var receivedRequests: [ReceivedRequest] { journal.requests }

  /// The number of received requests, including those that the ``journal`` has discarded.
  public var requestCount: Int { journal.count }

  /// Takes the oldest request that has not been taken, when one is available.
  ///
  /// ```swift
  /// let loading = Task { await model.load() }
  /// _ = try await Test.mocks.takeRequest().value
  /// #expect(model.isLoading)
  /// await Test.virtualTime.advance(by: .seconds(5))       // the delay of the response
  /// await loading.value
  /// ```
  ///
  /// A request becomes available when its asynchronous handler has started, or when its synchronous
  /// handler has returned and the delays of the response have been scheduled. From a ``MockServer``, no
  /// byte of the response has been sent then; in memory, a response without a delay has been delivered.
  /// Each attempt and each redirect hop is a request. Requests that the ``journal`` has discarded are
  /// skipped.
  ///
  /// - Returns: A promise of the request. Several promises receive requests in the order of the
  ///   calls. A cancelled promise takes no request. The promise is rejected with
  ///   ``MockServerError/stopped`` if a ``MockServer`` has been stopped and all requests have been taken.
  public func takeRequest() -> Promise<ReceivedRequest> { journal.takeRequest() }
}

extension MockBackend {
  /// Verifies the number of requests that match a pattern.
  ///
  /// Counts the requests received so far, completed or in progress, and does not wait for more. All
  /// matching requests are marked as verified for
  /// ``verifyNothingElse(fileID:filePath:line:column:)``, even if their number is wrong.
  ///
  /// - Parameters:
  ///   - pattern: The pattern of the requests.
  ///   - count: The expected number of requests.
  ///   - fileID: The source location for the failure.
  ///   - filePath: The source location for the failure.
  ///   - line: The source location for the failure.
  ///   - column: The source location for the failure.
  /// - Throws: ``VerificationFailure`` if the number is wrong or the pattern is malformed.
  public func verify(
    _ pattern: RequestPattern, _ count: RequestCount = .exactly(1),
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) throws(VerificationFailure) {
    if let report = journal.reportCount(of: pattern, count) {
      throw VerificationFailure(report, fileID, filePath, line, column)
    }
  }

  /// Verifies the number of requests with a method and a path.
  ///
  /// Counts like ``verify(_:_:fileID:filePath:line:column:)``.
  ///
  /// - Parameters:
  ///   - method: The method. `nil` matches every method.
  ///   - path: The path template. ``RequestPattern/path`` describes it.
  ///   - count: The expected number of requests.
  ///   - conditions: Additional conditions. A request must meet all of them.
  ///   - fileID: The source location for the failure.
  ///   - filePath: The source location for the failure.
  ///   - line: The source location for the failure.
  ///   - column: The source location for the failure.
  /// - Throws: ``VerificationFailure`` if the number is wrong or the path is malformed.
  public func verify(
    _ method: HTTPMethod?, _ path: String, _ count: RequestCount = .exactly(1),
    where conditions: RequestCondition..., fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) throws(VerificationFailure) {
    try verify(
      RequestPattern(method, path, where: conditions), count, fileID: fileID, filePath: filePath,
      line: line, column: column)
  }

  /// Verifies the order of requests.
  ///
  /// The order is the order of arrival. The matching requests are marked as verified for
  /// ``verifyNothingElse(fileID:filePath:line:column:)``.
  ///
  /// - Parameters:
  ///   - patterns: The patterns of the requests in order. Each one matches one request.
  ///   - gaps: Whether other requests may occur between them.
  ///   - fileID: The source location for the failure.
  ///   - filePath: The source location for the failure.
  ///   - line: The source location for the failure.
  ///   - column: The source location for the failure.
  /// - Throws: ``VerificationFailure`` if a request is missing or a pattern is malformed.
  public func verifyOrder(
    _ patterns: RequestPattern..., gaps: OrderGaps = .allowed,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) throws(VerificationFailure) {
    if let report = journal.reportOrder(of: patterns, gaps) {
      throw VerificationFailure(report, fileID, filePath, line, column)
    }
  }

  /// Verifies that earlier verifications have matched all requests.
  ///
  /// - Parameters:
  ///   - fileID: The source location for the failure.
  ///   - filePath: The source location for the failure.
  ///   - line: The source location for the failure.
  ///   - column: The source location for the failure.
  /// - Throws: ``VerificationFailure`` if no verification has matched a request, or if the journal
  ///   has discarded requests, because they can no longer be checked.
  public func verifyNothingElse(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) throws(VerificationFailure) {
    if let report = journal.reportUnverified() {
      throw VerificationFailure(report, fileID, filePath, line, column)
    }
  }

  /// Verifies that each route has been chosen to respond to at least one request.
  ///
  /// Always passes for a provider with a closure, because it has no routes.
  ///
  /// - Parameters:
  ///   - fileID: The source location for the failure.
  ///   - filePath: The source location for the failure.
  ///   - line: The source location for the failure.
  ///   - column: The source location for the failure.
  /// - Throws: ``VerificationFailure`` if a route is unused.
  public func verifyNoUnusedStubs(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) throws(VerificationFailure) {
    if let report = journal.reportUnusedStubs() {
      throw VerificationFailure(report, fileID, filePath, line, column)
    }
  }
}

extension MockBackend {
  /// Is unavailable: the message has the declaration to use.
  @available(*, unavailable, message: "write the number as '.exactly(2)' or '.atLeast(2)'")
  public func verify(_ method: HTTPMethod?, _ path: String, _ count: Int)
    throws(VerificationFailure)
  {}

  /// Is unavailable: the message has the declaration to use.
  @available(*, unavailable, message: "write the number as '.exactly(2)' or '.atLeast(2)'")
  public func verify(_ method: HTTPMethod?, _ path: String, times count: Int)
    throws(VerificationFailure)
  {}

  /// Is unavailable: the message has the declaration to use.
  @available(*, unavailable, message: "write the number as '.exactly(2)' or '.atLeast(2)'")
  public func verify(_ pattern: RequestPattern, _ count: Int)
    throws(VerificationFailure)
  {}

  /// Is unavailable: the message has the declaration to use.
  @available(*, unavailable, message: "write the number as '.exactly(2)' or '.atLeast(2)'")
  public func verify(_ pattern: RequestPattern, times count: Int)
    throws(VerificationFailure)
  {}

  /// Is unavailable: the message has the declaration to use.
  @available(*, unavailable, renamed: "receivedRequests")
  public var requests: [ReceivedRequest] { receivedRequests }

  /// Is unavailable: the message has the declaration to use.
  @available(*, unavailable, renamed: "journal.reset()")
  public func reset() {}
}

/// Whether other requests may occur between the requests of a verified order.
public enum OrderGaps: Sendable, Hashable {
  /// Other requests may occur before, between and after them.
  case allowed
  /// Other requests may occur before and after them, but not between them.
  case forbidden
}

extension RequestCount {
  /// Is unavailable: the message has the declaration to use.
  @available(*, unavailable, message: "use '.exactly(1)'")
  public static var once: RequestCount { .exactly(1) }

  /// Is unavailable: the message has the declaration to use.
  @available(*, unavailable, message: "use '.exactly(2)'")
  public static var twice: RequestCount { .exactly(2) }

  /// Is unavailable: the message has the declaration to use.
  @available(*, unavailable, renamed: "exactly(_:)")
  public static func times(_ count: Int) -> RequestCount { .exactly(count) }
}
