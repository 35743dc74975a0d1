import Foundation
import Mocking
import MockingDocuments
import Networking
import Promises

/// A route of a stub file.
struct Stub: Sendable {
  /// The location of the route in the file.
  let path: JSONValuePath
  private(set) var route: Route
  /// The response.
  let mock: Mock
  /// The resource that the route belongs to.
  var resource: (path: String, itemCount: Int)?

  /// Returns a copy with the place from which the route was read.
  func with(_ source: RouteSource) -> Stub {
    var stub = self
    stub.route.source = source
    return stub
  }

  /// Returns a copy with the object that defines the route.
  func with(definition: JSON) -> Stub {
    var stub = self
    stub.route.definition = definition
    return stub
  }

  /// Returns the states that routes set, by scenario.
  static func nextStates(of stubs: [Stub]) -> [Scenario: Set<String>] {
    var states: [Scenario: Set<String>] = [:]
    for stub in stubs {
      for step in stub.route.transition.nextStates {
        states[step.scenario, default: []].insert(step.state)
      }
    }
    return states
  }

  /// Checks that each required scenario state is an initial state or is set by a route, and that no
  /// two routes have the same identifier.
  ///
  /// - Parameters:
  ///   - stubs: The stubs to check.
  ///   - nextStates: The states that the routes of all files set.
  ///   - ids: The identifiers of the routes that have been checked.
  /// - Throws: ``JSONDocumentError`` for the first state that no route can reach, or for an identifier
  ///   that occurs twice.
  static func check(
    _ stubs: [Stub], nextStates: [Scenario: Set<String>], ids: inout Set<RouteID>
  ) throws(JSONDocumentError) {
    for stub in stubs {
      if let id = stub.route.id, !ids.insert(id).inserted {
        throw JSONDocumentError(
          path: stub.path.appending(.member("id")),
          text: "another route has the id \(ReportFormatter.quoted(id.rawValue))")
      }
      for step in stub.route.transition.requiredStates
      where step.state != step.scenario.initialState {
        let states = nextStates[step.scenario] ?? []
        guard !states.contains(step.state) else { continue }
        let reachable = [step.scenario.initialState] + states.sorted()
        let hint =
          NameSuggestion.of(step.state, among: reachable).map { "; did you mean \"\($0)\"?" } ?? ""
        throw JSONDocumentError(
          path: stub.path.appending(.member("scenario")).appending(.member("when")),
          text: "no route sets the scenario \"\(step.scenario.name)\" to the state "
            + "\"\(step.state)\"\(hint)")
      }
    }
  }

  /// The summary of the stub.
  var summary: StubFile.Summary {
    var lines = route.pattern.conditions.map(\.description)
    if let limit = route.limit { lines.append("at most \(limit) times") }
    if route.rank != 0 { lines.append("priority \(route.rank)") }
    lines += route.transition.requiredStates.map { "\($0.scenario.name) is \($0.state)" }
    lines += route.transition.nextStates.map { "\($0.scenario.name) becomes \($0.state)" }
    lines += route.variableChanges.assignments.map(\.description)
    let response = resource.map { "resource \($0.path), \($0.itemCount) initial items" }
    return StubFile.Summary(
      method: route.method, path: route.template, response: response ?? mock.summary,
      conditions: lines, resource: resource?.path, itemCount: resource?.itemCount)
  }
}

extension Mock {
  /// A short description of the response, such as `200 application/json, delay 0.08 seconds`.
  fileprivate var summary: String {
    var text: String
    switch source {
    case .sequence(let sequence):
      text = sequence.mocks.map(\.summary).joined(separator: ", then ")
      if sequence.end == .fails { text += ", then fails" }
    case .weighted(let choice):
      text = choice.shares.map { share, mock in
        "\((share * 100).rounded() == 0 ? "<1" : "\(Int((share * 100).rounded()))")% \(mock.summary)"
      }
      .joined(separator: " or ")
    default:
      text = "\(status)"
      if let type = headers["Content-Type"] { text += " \(type)" }
      if case .file(let file) = body, file.variable != nil { text += ", files of \(file.name)" }
    }
    if let delay { text += ", delay \(delay)" }
    if let bodyDelay { text += ", body delay \(bodyDelay)" }
    switch pace {
    case nil: break
    case .throughput(let rate): text += ", \(rate) bytes/s"
    case .dribble(let pieces, let duration): text += ", \(pieces) pieces over \(duration.rounded)"
    }
    if let interruption { text += ", \(interruption)" }
    if case .stream(let stream) = body { text += ", \(stream.summary)" }
    if !interimResponses.isEmpty {
      text = interimResponses.map { "\($0.status), " }.joined() + text
    }
    return text
  }
}

extension MockStream {
  /// A short description of the stream, such as `3 items every 1.0 seconds, repeated`.
  fileprivate var summary: String {
    var text = items.count == 1 ? "1 item" : "\(items.count) items"
    if interval > .zero { text += " every \(interval.rounded)" }
    switch repetition {
    case .forever: text += ", repeated"
    case .times(let count): if count > 1 { text += ", \(count) times" }
    }
    return text
  }
}
