import Foundation
import Networking

/// A route of a stub file.
struct Stub: Sendable {
  /// The location of the route in the file.
  let path: JSONValuePath
  let route: Route
  /// The response.
  let mock: Mock
  /// A description of the response, in place of that of the mock.
  var responseSummary: String?

  /// Checks that each required scenario state is an initial state or is set by a route.
  ///
  /// - Parameters:
  ///   - stubs: The stubs to check.
  ///   - others: All stubs of the server, which may be from several files.
  /// - Throws: ``JSONDocumentError`` for the first state that no route can reach.
  static func checkStates(
    of stubs: [Stub], among others: [Stub]
  ) throws(JSONDocumentError) {
    guard stubs.contains(where: { !$0.route.requiredStates.isEmpty }) else { return }
    let next = others.flatMap(\.route.nextStates)
    for stub in stubs {
      for step in stub.route.requiredStates {
        let reachable =
          [step.scenario.initialState] + next.filter { $0.scenario == step.scenario }.map(\.state)
        guard !reachable.contains(step.state) else { continue }
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
    lines += route.requiredStates.map { "\($0.scenario.name) is \($0.state)" }
    lines += route.nextStates.map { "\($0.scenario.name) becomes \($0.state)" }
    lines += route.assignments.map { "\($0.value == nil ? "removes" : "sets") \($0.name)" }
    return StubFile.Summary(
      method: route.method, path: route.template, response: responseSummary ?? mock.summary,
      conditions: lines)
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
    }
    if let delay { text += ", delay \(delay)" }
    if let bodyDelay { text += ", body delay \(bodyDelay)" }
    switch pace {
    case nil: break
    case .throughput(let rate): text += ", \(rate) bytes/s"
    case .dribble(let pieces, let duration): text += ", \(pieces) pieces over \(duration)"
    }
    if let interruption { text += ", \(interruption)" }
    return text
  }
}

extension Mock.Interruption: CustomStringConvertible {
  /// The fault and its position, such as `reset in the body after 512 bytes`.
  var description: String {
    let name =
      switch fault {
      case .close: "close"
      case .reset: "reset"
      case .stall: "stall"
      case .garbage: "garbage"
      case .malformedChunk: "malformed chunk"
      }
    let place =
      switch stage {
      case .request: "after the request"
      case .head(let count): "in the head after \(count) bytes"
      case .body(let count): "in the body after \(count) bytes"
      case .end: "at the end"
      }
    return chance < 1 ? "\(name) \(place) with a chance of \(chance)" : "\(name) \(place)"
  }
}
