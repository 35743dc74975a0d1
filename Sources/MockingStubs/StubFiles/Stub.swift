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
  /// The server to which requests are forwarded.
  var origin: URL?
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

  /// Returns a copy whose route has a limit, unless it has one already.
  func limited(by limit: RateLimit) -> Stub {
    var stub = self
    stub.route = [route].limited(by: limit)[0]
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
    let response =
      resource.map { "resource \($0.path), \($0.itemCount) initial items" }
      ?? origin.map { "forwarded to \(Redactor.standard.maskedURL($0.absoluteString))" }
    return StubFile.Summary(
      method: route.method, path: route.template, response: response ?? mock.summary,
      conditions: route.rules, resource: resource?.path, itemCount: resource?.itemCount)
  }
}
