import Foundation
import Mocking
import Networking
import TestGate
import TestSupport
import Testing

/// Every combination of fault, retry policy, and method, on a real socket in virtual time.
///
/// Checks the number and the times of the requests on the server and on the client, and the
/// result of the call.
@Suite(.gated)
struct FaultMatrixTests {
  @Test(arguments: MatrixFault.all, MatrixMethod.all)
  func aFaultIsRetriedAccordingToThePolicy(
    _ fault: MatrixFault, _ method: MatrixMethod
  ) async throws {
    for cell in MatrixCell.all(fault, method, reusesConnection: false) { try await check(cell) }
  }

  #if os(Linux)
    @Test(
      arguments: MatrixFault.responseFaults.filter { !$0.isStall } + MatrixFault.statuses,
      MatrixMethod.all)
    func aFaultOfAReusedConnectionIsRetriedAsOnANewConnection(
      _ fault: MatrixFault, _ method: MatrixMethod
    ) async throws {
      for cell in MatrixCell.all(fault, method, reusesConnection: true) { try await check(cell) }
    }
  #endif

  private func check(_ cell: MatrixCell) async throws {
    let fixture = try MatrixFixture(cell)
    defer { fixture.server.stop() }
    if cell.reusesConnection {
      #expect(try await fixture.outcome(of: .get("warm")).get().status == 200)
    }
    let path: RequestPath =
      if case .redirected = cell.fault.place { "start" } else { "fault" }
    let result = await fixture.outcome(of: cell.method.request(path))
    let comment = Comment(rawValue: cell.description)

    let earlierHops = cell.reusesConnection ? 1 : 0
    if cell.fault.isRefusal {
      #expect(Array(fixture.hops.entries.dropFirst(earlierHops)) == cell.times, comment)
      #expect(fixture.server.connectionCount == (lastSucceeds(cell) ? 1 : 0), comment)
    } else {
      #expect(fixture.times(cell.fault.place) == cell.times, comment)
    }
    checkRequests(fixture.requests, cell, comment)
    try checkEnd(result, cell, comment)
  }

  private func lastSucceeds(_ cell: MatrixCell) -> Bool {
    cell.succeeds(attempt: cell.delays.count)
  }

  /// Checks that each retry is complete and has the idempotency key of the first attempt.
  private func checkRequests(
    _ requests: [ReceivedRequest], _ cell: MatrixCell, _ comment: Comment
  ) {
    let key = cell.method.hasKey && !cell.policy.delays.isEmpty ? "key-1" : nil
    for request in requests {
      #expect(request.method == cell.method.method, comment)
      #expect(request.text == cell.method.body, comment)
      #expect(request.headers["Idempotency-Key"] == key, comment)
    }
    if cell.reusesConnection {
      #expect(requests.first.map { [$0.connection, $0.exchange] } == [0, 1], comment)
    }
  }

  /// Checks that the last response or the code of the last error is delivered, with all attempts.
  private func checkEnd(
    _ result: Result<Response, any Error>, _ cell: MatrixCell, _ comment: Comment
  ) throws {
    let attempts: [Attempt]
    switch cell.fault.end {
    case .failure(let codes) where !lastSucceeds(cell):
      let error = try #require(result.failure(as: NetworkError.self), comment)
      #expect(codes.contains(error.code), comment)
      #expect(error.attempts == cell.delays.count, comment)
      attempts = error.history
    case .status(let status) where !lastSucceeds(cell):
      let response = try result.get()
      #expect(response.status == status, comment)
      attempts = response.attempts
    case .failure, .status:
      let response = try result.get()
      #expect(response.status == 200 && response.data == Data("well".utf8), comment)
      attempts = response.attempts
    }
    guard cell.delays.count > 1 else { return #expect(attempts.isEmpty, comment) }
    #expect(attempts.map(\.number) == Array(1...cell.delays.count), comment)
    #expect(attempts.map(\.delay) == cell.delays, comment)
    #expect(attempts.map(\.duration) == cell.durations, comment)
    for attempt in attempts {
      #expect(isExpected(attempt.outcome, attempt.number, cell), comment)
    }
  }

  private func isExpected(
    _ outcome: Attempt.Outcome, _ number: Int, _ cell: MatrixCell
  ) -> Bool {
    switch (outcome, cell.fault.end) {
    case (.status(200), _): cell.succeeds(attempt: number)
    case (.status(let status), .status(let expected)): status == expected
    case (.failure(let error as NetworkError), .failure(let codes)): codes.contains(error.code)
    default: false
    }
  }
}
