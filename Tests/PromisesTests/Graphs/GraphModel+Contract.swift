/// The contract.
///
/// A settlement queues the delivery of the promise. A delivery runs the reactions in the order of
/// their attachment. A promise that settles before its upstream leaves it: it is one consumer less,
/// and the last one cancels the upstream. Deliveries run in the order in which they were queued.
/// Departures run at once. The handler of a `done` runs between the settlement of its promise and the
/// delivery.
extension GraphModel {
  func derived(from node: Node) -> Node {
    let next = Node()
    if node.outcome == nil { next.upstream = [.node(node)] }
    return next
  }

  func attach(
    to node: Node, isConsumer: Bool = true, _ reaction: @escaping (GraphOutcome) -> Void
  ) {
    if isConsumer { node.consumers += 1 }
    node.reactions.append(reaction)
    if node.isDelivered {
      node.isDelivered = false
      deliver(node)
    }
  }

  func settle(_ node: Node, _ outcome: GraphOutcome, leaving: Bool = false) {
    guard node.outcome == nil else { return }
    node.outcome = outcome
    node.isCancelled = leaving
    let upstream = node.upstream
    node.upstream = []
    if node.reactions.isEmpty { node.isDelivered = true }
    guard leaving, !upstream.isEmpty else {
      if !node.isDelivered { deliver(node) }
      return
    }
    if !node.isDelivered { queue.append(node) }
    leave(upstream)
  }

  /// Settles the promise of a `done`, whose handler runs before the reactions.
  func settle(_ node: Node, _ outcome: GraphOutcome, before handler: () -> Void) {
    guard node.outcome == nil else { return }
    node.outcome = outcome
    node.upstream = []
    handler()
    deliver(node)
  }

  func removeConsumer(of node: Node) {
    guard node.outcome == nil else { return }
    node.consumers -= 1
    if node.consumers <= 0 { settle(node, .cancelled, leaving: true) }
  }

  func bind(_ node: Node, to other: Node, byResolver: Bool) {
    guard node.outcome == nil, !(byResolver && node.isBound) else {
      // The promise was cancelled before it was bound.
      if node.isCancelled {
        other.consumers += 1
        removeConsumer(of: other)
      }
      return
    }
    node.isBound = true
    if !byResolver { node.upstream = [] }
    if other === node { return settle(node, .cycle) }
    if other.isDelivered, let outcome = other.outcome { return settle(node, outcome) }
    attach(to: other) { self.settle(node, $0) }
    node.upstream.append(.node(other))
    if !node.reactions.isEmpty, reaches(other, node) {
      settle(node, .cycle)
      if isRunning { last.append(other) } else { removeConsumer(of: other) }
    }
  }

  /// Makes the promise of an action the upstream of a promise.
  func wait(_ node: Node, forAction action: Node) {
    guard node.outcome == nil else { return }
    node.upstream = [.uncancellable(action)]
    if !node.reactions.isEmpty, reaches(action, node) { settle(node, .cycle) }
  }

  private func reaches(_ start: Node, _ target: Node) -> Bool {
    var pending = [start]
    var visited: Set<ObjectIdentifier> = []
    while let node = pending.popLast() {
      if node === target { return true }
      guard visited.insert(ObjectIdentifier(node)).inserted else { continue }
      for upstream in node.upstream {
        switch upstream {
        case .node(let next), .uncancellable(let next): pending.append(next)
        case .action(_, let next): if let next { pending.append(next) }
        }
      }
    }
    return false
  }

  private func deliver(_ node: Node) {
    queue.append(node)
    runQueue()
  }

  func leave(_ upstream: [Upstream]) {
    departures.append(upstream)
    guard !isDeparting else { return }
    let wasRunning = isRunning
    isRunning = true
    isDeparting = true
    while !departures.isEmpty { removeConsumer(of: departures.removeFirst()) }
    isDeparting = false
    isRunning = wasRunning
    runQueue()
  }

  private func removeConsumer(of upstream: [Upstream]) {
    for upstream in upstream {
      switch upstream {
      case .node(let node): removeConsumer(of: node)
      case .uncancellable: break
      case .action(let action, let next):
        action()
        if let next { leave([.node(next)]) }
      }
    }
  }

  private func runQueue() {
    guard !isRunning else { return }
    isRunning = true
    while !queue.isEmpty || !last.isEmpty {
      if queue.isEmpty { removeConsumer(of: last.removeFirst()) } else { run(queue.removeFirst()) }
    }
    isRunning = false
  }

  private func run(_ node: Node) {
    guard let outcome = node.outcome else { return }
    while !node.reactions.isEmpty { node.reactions.removeFirst()(outcome) }
    node.isDelivered = true
  }
}
