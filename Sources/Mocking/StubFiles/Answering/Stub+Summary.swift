import Networking

extension Stub {
  /// The stub in a line of a table.
  var summary: StubFile.Summary {
    var lines = route.pattern.conditions.map(\.description)
    if let limit = route.limit { lines.append("at most \(limit) times") }
    if route.rank != 0 { lines.append("priority \(route.rank)") }
    lines += route.requiredStates.map { "\($0.scenario.name) is \($0.state)" }
    lines += route.nextStates.map { "\($0.scenario.name) becomes \($0.state)" }
    return StubFile.Summary(
      method: route.method, path: route.template, answer: mock.summary, conditions: lines)
  }
}

extension Mock {
  /// What it answers, in a few words.
  fileprivate var summary: String {
    var text: String
    switch source {
    case .sequence(let sequence):
      text = sequence.mocks.map(\.summary).joined(separator: ", then ")
      if sequence.end == .fails { text += ", then no more" }
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
  /// As a table of routes has it, `reset in the body after 512 bytes`.
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
    return "\(name) \(place)"
  }
}
