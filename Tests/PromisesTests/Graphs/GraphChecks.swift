/// The checks of a graph after a story on several threads, whose order is unknown.
///
/// They check each promise against the final outcomes of its inputs and of its consumers.
struct GraphChecks {
  private let nodes: [GraphRunner.Node]
  private let outcomes: [GraphOutcome?]
  private let events: [GraphEvent]
  /// The indices of the promises that consume a promise.
  private var consumers: [[Int]]

  init(_ runner: GraphRunner) {
    nodes = runner.nodes
    events = runner.events
    outcomes = nodes.map { GraphRunner.outcome(of: $0.promise) }
    consumers = Array(repeating: [], count: nodes.count)
    for (index, node) in nodes.enumerated() {
      for input in Set(node.inputs) { consumers[input].append(index) }
    }
  }

  // MARK: While sources are pending

  /// The promises that are pending although all their consumers have left.
  ///
  /// Valid while no thread is in a call of the graph.
  var forgotten: [String] {
    nodes.indices.filter { index in
      outcomes[index] == nil
        && consumers[index].contains { !nodes[$0].boundInputs.contains(index) }
        && consumers[index].allSatisfy {
          outcomes[$0] != nil && !nodes[$0].uncancelledInputs.contains(index)
        }
    }
    .map { "\(describe($0)) is pending without a consumer" }
  }

  // MARK: After all sources have settled

  /// The contradictions to the contract after the end of a story.
  var violations: [String] {
    nodes.indices.flatMap { index -> [String] in
      guard let outcome = outcomes[index] else { return ["\(describe(index)) is pending"] }
      var found: [String] = []
      if !isExplained(index, outcome) { found.append("\(describe(index)) has no cause") }
      if outcome == .cancelled, let reason = unjustifiedCancellation(index) {
        found.append("\(describe(index)) \(reason)")
      }
      return found
    } + handlerViolations
  }

  /// Whether the outcome can follow from the inputs or from a cancellation.
  private func isExplained(_ index: Int, _ outcome: GraphOutcome) -> Bool {
    if outcome == .cancelled { return true }
    let node = nodes[index]
    let inputs = node.inputs.map { outcomes[$0] }
    let isPassedOn = inputs.contains(outcome)
    switch node.step {
    case .source: return isPassedOn || outcome == .cycle || !isBoundOnly(outcome)
    case .map(_, let handler):
      if case .value(let value) = outcome { return inputs == [.value(value &- 1)] }
      return isPassedOn || (handler.isThrowing && outcome == .failed(step: node.number))
    case .tap(_, let handler):
      return isPassedOn || (handler.isThrowing && outcome == .failed(step: node.number))
    case .then(_, let handler), .recoverByPromise(_, let handler):
      return isPassedOn || outcome == .cycle
        || (handler.isThrowing && outcome == .failed(step: node.number))
    case .recover(_, let handler):
      return isPassedOn || outcome == .value(node.number)
        || (handler.isThrowing && outcome == .failed(step: node.number))
    case .ensure(_, let handler):
      if outcome.isValue { return outcome == inputs.first }
      return isPassedOn || outcome == .cycle
        || (handler.isThrowing && outcome == .failed(step: node.number))
    case .when:
      let values = inputs.compactMap { if case .value(let value)? = $0 { value } else { nil } }
      return outcome.isValue
        ? values.count == inputs.count && outcome == .value(values.reduce(0, &+)) : isPassedOn
    case .settled:
      return outcome == .value(inputs.count { $0?.isValue == true })
    case .any:
      return outcome.isValue
        ? isPassedOn
        : outcome == .allRejected(count: inputs.count) && !inputs.contains { $0?.isValue == true }
    case .race, .done: return isPassedOn
    case .timeout: return isPassedOn || outcome == .timedOut
    case .always, .cancel, .fulfill, .reject, .bind, .advance: return false
    }
  }

  /// Whether only a bound promise can have the outcome, because no resolver sets it.
  private func isBoundOnly(_ outcome: GraphOutcome) -> Bool {
    switch outcome {
    case .value, .failed: false
    default: true
    }
  }

  /// The reason why a promise must not be cancelled, or `nil`.
  ///
  /// A promise that nobody cancels, and that has no cancelled input, is cancelled by the departure
  /// of its consumers. A consumer that found it pending must have left.
  private func unjustifiedCancellation(_ index: Int) -> String? {
    let node = nodes[index]
    if node.isExplicitlyCancelled || node.inputs.contains(where: { outcomes[$0] == .cancelled }) {
      return nil
    }
    if consumers[index].isEmpty { return "was cancelled without a consumer" }
    var visited: Set<Int> = [index]
    for consumer in consumers[index] where nodes[consumer].pendingInputs.contains(index) {
      if !mayLeave(consumer, &visited) {
        return "was cancelled although \(describe(consumer)) waits for it"
      }
    }
    return nil
  }

  /// Whether a promise can have settled before its inputs.
  private func mayLeave(_ index: Int, _ visited: inout Set<Int>) -> Bool {
    // Consumers that wait for each other explain nothing new, and count as departed.
    guard visited.insert(index).inserted else { return true }
    let node = nodes[index]
    if node.isExplicitlyCancelled || node.inputs.count > 1 { return true }
    switch outcomes[index] {
    case .cycle, .timedOut: return true
    case .cancelled: break
    default: return false
    }
    return consumers[index].contains { mayLeave($0, &visited) }
  }

  // MARK: Handlers

  private var handlerViolations: [String] {
    var found: [String] = []
    var counts: [Int: Int] = [:]
    var observed: [Int: GraphOutcome] = [:]
    for event in events {
      switch event {
      case .ran(let step), .stopped(let step): counts[step, default: 0] += 1
      case .done(let step, let value):
        counts[step, default: 0] += 1
        observed[step] = .value(value)
      case .always(let step, let outcome):
        counts[step, default: 0] += 1
        observed[step] = outcome
      }
    }
    for (step, count) in counts where count > 1 { found.append("step \(step) ran \(count) times") }
    for (index, node) in nodes.enumerated() {
      let outcome = outcomes[index]
      for step in node.alwaysSteps where observed[step] != outcome {
        found.append("the always of step \(step) missed the outcome of \(describe(index))")
      }
      if case .done = node.step {
        let expected = outcome?.isValue == true ? outcome : nil
        if observed[node.number] != expected {
          found.append("the handler missed \(describe(index))")
        }
      }
      if case .source = node.step {
        // The action runs only if the source was cancelled.
        let stops = counts[node.number, default: 0]
        let isAllowed = outcome == .cancelled ? stops <= 1 : stops == 0
        if !isAllowed { found.append("the action of \(describe(index)) ran") }
        if outcome == .cancelled, stops == 0, node.inputs.isEmpty {
          found.append("the action of \(describe(index)) did not run")
        }
      }
    }
    return found
  }

  private func describe(_ index: Int) -> String {
    "promise \(index), step \(nodes[index].number), \(nodes[index].step), "
      + "inputs \(nodes[index].inputs), outcome \(outcomes[index].map { "\($0)" } ?? "none"),"
  }
}
