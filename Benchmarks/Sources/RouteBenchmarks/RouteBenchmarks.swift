import BenchmarkSupport
import Foundation
import Mocking
import MockingStubs

/// Measures the routes of a mocked backend, and checks the budgets.
///
/// A hit and a request without a route are measured in memory, from the request to the end of the
/// response, so that no socket is involved. Small and large tables alternate within a round.
@main
struct RouteBenchmarks {
  /// A measurement with its budget.
  private struct Row {
    let name: String
    let finding: String
    let budget: String
    let isMet: Bool
  }

  private static let small = 10
  private static let large = 10_000

  static func main() throws {
    let isQuick = CommandLine.arguments.contains("--quick")
    let rounds = isQuick ? 5 : 15
    var rows = shapes.map { hit($0.name, $0.route, rounds: rounds) }
    rows.append(nearMiss(rounds: rounds))
    rows.append(changes())
    rows += try loading(isQuick ? 3 : 7)
    var table = Table("routes", "measured", "budget", "verdict")
    for row in rows { table.add(row.name, row.finding, row.budget, row.isMet ? "ok" : "MISSED") }
    table.printed()
    if !rows.allSatisfy(\.isMet) { exit(1) }
  }

  // MARK: Hits

  /// The kinds of tables: a route for each number, and a route that several of them share.
  private static let shapes: [(name: String, route: @Sendable (Int) -> [Route])] = [
    ("hit, one route for a path", { [Route(.get, path($0), .status(200))] }),
    ("hit, a variable", { [Route(.get, "/api/items\($0)/{part}", .status(200))] }),
    (
      "hit, conditions, a limit, a scenario and a priority share a path",
      { number in
        [
          Route(.get, path(number), .status(201)).where(.query("page", "2")),
          Route(.get, path(number), .status(202)).times(0),
          Route(.get, path(number), .status(203)).when(Scenario("s"), is: "done"),
          Route(.get, path(number), .status(204)).where(.header("X-A")).priority(1),
          Route(.get, path(number), .status(200)),
        ]
      }
    ),
  ]

  private static func path(_ number: Int) -> String { "/api/items\(number)/detail" }

  private static func hit(
    _ name: String, _ route: @Sendable (Int) -> [Route], rounds: Int
  ) -> Row {
    func transport(_ count: Int) -> MockTransport {
      MockTransport(routes: (0..<count).flatMap(route), journal: JournalLimits(requests: 1))
    }
    let transports = [small, large].map { transport($0) }
    let request = request(path(5))
    for transport in transports { repeated(500) { expect(transport, request, 200) } }
    var times: [[Double]] = [[], []]
    for _ in 0..<rounds {
      for (index, transport) in transports.enumerated() {
        times[index].append(nanoseconds(2_000) { expect(transport, request, 200) })
      }
    }
    let ratio = zip(times[1], times[0]).map { $0 / $1 }.median
    return Row(
      name: name,
      finding:
        "\(times[0].median.duration) with \(small), \(times[1].median.duration) with \(large): "
        + "\(ratio.text(2)) x",
      budget: "at most 1.2 x", isMet: ratio <= 1.2)
  }

  // MARK: Near misses

  private static func nearMiss(rounds: Int) -> Row {
    let transport = MockTransport(
      routes: (0..<large).map { Route(.get, path($0), .status(200)) },
      journal: JournalLimits(requests: 1))
    let requests = ["/api/itmes5000/detail", "/api/items5000/detial", "/x", "/api/items1/a/b/c"]
      .map { request($0) }
    var times: [Double] = []
    for _ in 0..<rounds {
      times.append(nanoseconds(50) { for request in requests { expect(transport, request, nil) } })
    }
    let time = times.median / Double(requests.count)
    return Row(
      name: "a request without a route, \(large) routes", finding: time.duration,
      budget: "at most 1 ms", isMet: time <= 1_000_000)
  }

  // MARK: Changes

  private static func changes() -> Row {
    func time(_ count: Int) -> Double {
      let transport = MockTransport(routes: [])
      return nanoseconds(1) {
        for number in 0..<count {
          _ = try? transport.routes.add(Route(.get, path(number), .status(200)))
        }
      }
    }
    let (some, many) = (time(large / 10), time(large))
    let ratio = many / some / 10
    return Row(
      name: "\(large) routes added one by one",
      finding: "\(many.duration), \(ratio.text(2)) x the time for each of \(large / 10)",
      budget: "at most 2 x", isMet: ratio <= 2)
  }

  // MARK: Loading

  private static func loading(_ rounds: Int) throws -> [Row] {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "route-benchmarks-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var rows: [Row] = []
    for kind in ["plain", "scenario"] {
      var medians: [Double] = []
      for count in [3_000, large] {
        let file = folder.appending(path: "\(kind)-\(count).json")
        try Data(stubs(count, isScenario: kind == "scenario").utf8).write(to: file)
        var times: [Double] = []
        for _ in 0..<rounds {
          let start = ContinuousClock.now
          let server = try MockServer(routes: StubFile(contentsOf: file).routes)
          times.append((ContinuousClock.now - start) / .nanoseconds(1))
          server.stop()
        }
        medians.append(times.median)
        let limit = count == large ? 1_000_000_000.0 : 500_000_000
        rows.append(
          Row(
            name: "start with \(count) stubs, \(kind)", finding: times.median.duration,
            budget: "at most \((limit / 1e9).text(1)) s", isMet: times.median <= limit))
      }
      let growth = medians[1] / medians[0] / (Double(large) / 3_000)
      rows.append(
        Row(
          name: "the same, time for each stub", finding: "\(growth.text(2)) x that of 3000",
          budget: "at most 1.5 x", isMet: growth <= 1.5))
    }
    return rows
  }

  private static func stubs(_ count: Int, isScenario: Bool) -> String {
    let stubs = (0..<count).map { number in
      let scenario =
        isScenario
        ? #""scenario": {"name": "s", "when": "s\#(number)", "then": "s\#(number)"}, "# : ""
      return
        #"{"method": "GET", "path": "\#(path(number))", \#(scenario)"json": {"id": \#(number)}}"#
    }
    return "{\"routes\": [\n" + stubs.joined(separator: ",\n") + "\n]}"
  }

  // MARK: Helpers

  private static func request(_ path: String) -> HTTPRequest {
    guard let url = URL(string: "http://localhost\(path)") else { preconditionFailure() }
    return HTTPRequest(method: .get, url: url)
  }

  /// Sends a request, and checks the status of its response; `nil` for a request without a route.
  private static func expect(_ transport: MockTransport, _ request: HTTPRequest, _ status: Int?) {
    _ = transport.start(request) { event in
      switch event {
      case .head(let head): precondition(head.status == status, "the wrong route has responded")
      case .failure: precondition(status == nil, "no route has responded")
      default: break
      }
    }
  }

  private static func repeated(_ count: Int, _ body: () -> Void) {
    for _ in 0..<count { body() }
  }

  /// Returns the nanoseconds for each run.
  private static func nanoseconds(_ count: Int, _ body: () -> Void) -> Double {
    let start = ContinuousClock.now
    repeated(count, body)
    return (ContinuousClock.now - start) / .nanoseconds(1) / Double(count)
  }
}
