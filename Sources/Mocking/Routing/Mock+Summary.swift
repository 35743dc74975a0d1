import Networking

extension Mock {
  /// A short description of the response, such as `200 application/json, delay 0.08 seconds`.
  package var summary: String {
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

extension Route {
  /// Short descriptions of the conditions, the limits, the priority and the changes of states and
  /// variables.
  package var rules: [String] {
    var lines = pattern.conditions.map(\.description)
    if let limit = limit { lines.append("at most \(limit) times") }
    if let limit = responder.rateLimit {
      lines.append("at most \(limit.requests) requests in \(limit.window.rounded) of each client")
    }
    if rank != 0 { lines.append("priority \(rank)") }
    lines += transition.requiredStates.map { "\($0.scenario.name) is \($0.state)" }
    lines += transition.nextStates.map { "\($0.scenario.name) becomes \($0.state)" }
    lines += variableChanges.assignments.map(\.description)
    return lines
  }
}
