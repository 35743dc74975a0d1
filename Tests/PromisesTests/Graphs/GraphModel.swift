/// A plain model of the contract of promises, without threads, locks or optimizations.
final class GraphModel {
  /// A promise of the model.
  final class Node {
    var outcome: GraphOutcome?
    var isDelivered = false
    var reactions: [(GraphOutcome) -> Void] = []
    var consumers = 0
    var upstream: [Upstream] = []
    var isBound = false
    var isCancelled = false
    /// The number of members that a combinator has counted.
    var count = 0
  }

  /// A thing that a promise waits for.
  enum Upstream {
    case node(Node)
    /// The promise of an action, which its consumer does not cancel.
    case uncancellable(Node)
    /// Work outside the graph, and the promise to leave after the action.
    case action(() -> Void, next: Node?)
  }

  private(set) var events: [GraphEvent] = []
  private var nodes: [Node] = []
  private var sources: [Node] = []
  private var timers: [(id: Int, due: Int, action: () -> Void)] = []
  private var now = 0
  private var nextTimer = 0
  /// The settled promises to deliver.
  var queue: [Node] = []
  var departures: [[Upstream]] = []
  /// The promises that lose a consumer when no other work is left.
  var last: [Node] = []
  var isRunning = false
  var isDeparting = false

  /// The outcomes of all promises, in the order of their creation.
  var outcomes: [GraphOutcome?] { nodes.map(\.outcome) }

  // MARK: Steps

  func perform(_ step: GraphStep, number: Int) {
    switch step {
    case .source: addSource(number)
    case .map(let index, let handler): addMap(node(index), handler, number, adding: 1)
    case .tap(let index, let handler): addMap(node(index), handler, number, adding: 0)
    case .then(let index, let handler): addThen(node(index), handler, number)
    case .recover(let index, let handler): addRecover(node(index), handler, number, adopts: false)
    case .recoverByPromise(let index, let handler):
      addRecover(node(index), handler, number, adopts: true)
    case .ensure(let index, let handler): addEnsure(node(index), handler, number)
    case .when(let members): addGroup(members.map(node), when)
    case .settled(let members): addGroup(members.map(node), settled)
    case .any(let members): nodes.append(gather(members.map(node), any))
    case .race(let members): nodes.append(gather(members.map(node), race))
    case .timeout(let index, let seconds): addTimeout(node(index), seconds)
    case .done(let index, let handler): addDone(node(index), handler, number)
    case .always(let index):
      attach(to: node(index), isConsumer: false) {
        self.events.append(.always(step: number, $0))
      }
    case .cancel(let index): settle(node(index), .cancelled, leaving: true)
    case .fulfill(let index): fulfill(index)
    case .reject(let index):
      let source = source(index)
      if !source.isBound { settle(source, .failed(step: number)) }
    case .bind(let index, let other): bind(source(index), to: node(other), byResolver: true)
    case .advance(let seconds): advance(by: seconds)
    }
  }

  private func node(_ index: Int) -> Node { nodes[index % nodes.count] }

  private func source(_ index: Int) -> Node { sources[index % sources.count] }

  private func fulfill(_ index: Int) {
    let source = source(index)
    if !source.isBound { settle(source, .value(index % sources.count)) }
  }

  private func addSource(_ number: Int) {
    let source = Node()
    source.upstream = [.action({ self.events.append(.stopped(step: number)) }, next: nil)]
    sources.append(source)
    nodes.append(source)
  }

  private func addMap(_ node: Node, _ handler: GraphHandler, _ number: Int, adding: Int) {
    let next = derived(from: node)
    attach(to: node) { outcome in
      guard case .value(let value) = outcome else { return self.settle(next, outcome) }
      guard next.outcome == nil else { return }
      self.run(handler, number)
      self.settle(next, handler.isThrowing ? .failed(step: number) : .value(value &+ adding))
    }
    nodes.append(next)
  }

  private func addThen(_ node: Node, _ handler: GraphHandler, _ number: Int) {
    let next = derived(from: node)
    attach(to: node) { outcome in
      guard outcome.isValue else { return self.settle(next, outcome) }
      self.follow(next, handler, number)
    }
    nodes.append(next)
  }

  private func addRecover(_ node: Node, _ handler: GraphHandler, _ number: Int, adopts: Bool) {
    let next = derived(from: node)
    attach(to: node) { outcome in
      guard !outcome.isValue, outcome != .cancelled else { return self.settle(next, outcome) }
      guard next.outcome == nil else { return }
      if adopts { return self.follow(next, handler, number) }
      self.run(handler, number)
      self.settle(next, handler.isThrowing ? .failed(step: number) : .value(number))
    }
    nodes.append(next)
  }

  private func follow(_ next: Node, _ handler: GraphHandler, _ number: Int) {
    guard next.outcome == nil else { return }
    run(handler, number)
    if handler.isThrowing { return settle(next, .failed(step: number)) }
    bind(next, to: node(handler.inner), byResolver: false)
  }

  private func addEnsure(_ node: Node, _ handler: GraphHandler, _ number: Int) {
    let next = derived(from: node)
    attach(to: node) { outcome in
      self.run(handler, number)
      var inner = Node()
      if handler.isThrowing {
        inner.outcome = .failed(step: number)
        inner.isDelivered = true
      } else {
        inner = self.node(handler.inner)
      }
      self.attach(to: inner) { actionOutcome in
        let isError = outcome.isValue && !actionOutcome.isValue
        self.settle(next, isError ? actionOutcome : outcome)
      }
      if inner.outcome == nil { self.wait(next, forAction: inner) }
    }
    nodes.append(next)
  }

  private func addDone(_ node: Node, _ handler: GraphHandler, _ number: Int) {
    let next = derived(from: node)
    attach(to: node) { outcome in
      self.settle(next, outcome) {
        guard case .value(let value) = outcome else { return }
        self.events.append(.done(step: number, value))
        self.perform(handler.effect)
      }
    }
    nodes.append(next)
  }

  private func run(_ handler: GraphHandler, _ number: Int) {
    events.append(.ran(step: number))
    perform(handler.effect)
  }

  private func perform(_ effect: GraphHandler.Effect) {
    switch effect {
    case .none: break
    case .cancel(let index): settle(node(index), .cancelled, leaving: true)
    case .fulfill(let index): fulfill(index)
    }
  }

  private func addTimeout(_ node: Node, _ seconds: Int) {
    let next = Node()
    defer { nodes.append(next) }
    guard seconds > 0 else {
      node.consumers += 1
      removeConsumer(of: node)
      return settle(next, .timedOut)
    }
    if let outcome = node.outcome { return settle(next, outcome) }
    let id = nextTimer
    nextTimer += 1
    timers.append((id, now + seconds, { self.settle(next, .timedOut, leaving: true) }))
    let cancelTimer = { self.timers.removeAll { $0.id == id } }
    next.upstream = [.action(cancelTimer, next: node)]
    attach(to: node) { outcome in
      cancelTimer()
      self.settle(next, outcome)
    }
  }

  private func advance(by seconds: Int) {
    let end = now + seconds
    func next() -> (id: Int, due: Int, action: () -> Void)? {
      timers.filter { $0.due <= end }.min { ($0.due, $0.id) < ($1.due, $1.id) }
    }
    while let timer = next() {
      timers.removeAll { $0.id == timer.id }
      now = max(now, timer.due)
      timer.action()
    }
    now = end
  }

  // MARK: Combinators

  private typealias Combinator = (_ members: [Node], _ result: Node, GraphOutcome) -> Void

  private func gather(_ members: [Node], _ combine: @escaping Combinator) -> Node {
    let result = Node()
    for member in members { attach(to: member) { combine(members, result, $0) } }
    let upstream = members.map(Upstream.node)
    if result.outcome == nil { result.upstream = upstream } else { leave(upstream) }
    return result
  }

  /// Adds a combinator whose values become a number by a `map`.
  private func addGroup(_ members: [Node], _ combine: @escaping Combinator) {
    let group = gather(members, combine)
    let next = derived(from: group)
    attach(to: group) { self.settle(next, $0) }
    nodes.append(next)
  }

  private func when(_ members: [Node], _ result: Node, _ outcome: GraphOutcome) {
    if !outcome.isValue { return settle(result, outcome, leaving: true) }
    count(members, result) { values in .value(values.reduce(0, &+)) }
  }

  private func settled(_ members: [Node], _ result: Node, _ outcome: GraphOutcome) {
    count(members, result) { values in .value(values.count) }
  }

  private func any(_ members: [Node], _ result: Node, _ outcome: GraphOutcome) {
    if outcome.isValue { return settle(result, outcome, leaving: true) }
    count(members, result) { _ in .allRejected(count: members.count) }
  }

  private func race(_ members: [Node], _ result: Node, _ outcome: GraphOutcome) {
    settle(result, outcome, leaving: true)
  }

  /// Counts a reaction of a combinator and settles the result at the last one.
  private func count(
    _ members: [Node], _ result: Node, _ makeOutcome: (_ values: [Int]) -> GraphOutcome
  ) {
    result.count += 1
    guard result.count == members.count else { return }
    let values = members.compactMap { member in
      if case .value(let value) = member.outcome { value } else { nil }
    }
    settle(result, makeOutcome(values))
  }
}
