import CatenaSystem
import Dispatch
import Foundation

extension Promise: CustomDebugStringConvertible {
  /// The reason that the promise is pending: one line for each promise or other work that it waits for,
  /// down to the work that has not ended.
  ///
  /// ```swift
  /// print(screen.explanation)
  /// // Promise<Screen> is pending
  /// // waits for the step at App/BoardScreen.swift:31
  /// // waits for call #12 GET boards/7, attempt 2
  /// // waits for the first byte of the response
  /// ```
  ///
  /// - **Branches.** The promises of a `when` or a `race` follow indented, at most three of them. The
  ///   text has at most 50 lines, the first 40 and the last ten, and says how many are left out.
  /// - **Call sites.** A location is that of the operator, of the request, or of the promise's creation.
  ///   Adjacent promises of the same line of code are one line.
  /// - **Secrets.** Requests are described as in the log, without their queries. Values and errors are
  ///   not part of the text.
  /// - **Times.** The line of a call that a trace records, or of a client with a monitor or a log, has the time since
  ///   the last event of the call.
  /// - **Cost.** Nothing is recorded in advance. This property walks along the chain, in a time
  ///   proportional to its length. If a closure is due, it waits for up to 100 ms for the main queue.
  ///
  /// It may be read from any thread, also in a handler and while the promise settles. It describes a
  /// moment: the work may go on while the chain is read. The text is for people and may change in each
  /// version. A settled promise has one line, without its value or error.
  public var explanation: String {
    let text = isPending ? PromiseDiagnostics.explanation(of: self) : ""
    return isPending ? text : "\(Self.self) is \(isFulfilled ? "fulfilled" : "rejected")"
  }

  /// The ``explanation`` of a pending promise, or the ``description`` of a settled one, as printed by the
  /// command `po` of a debugger.
  ///
  /// A stopped program does not run the main queue.
  public var debugDescription: String { isPending ? explanation : description }
}

/// A line of ``Promise/explanation``: a noun phrase about the awaited work without secrets, or `nil` for no
/// line, and the work that this work waits for.
package typealias WaitExplanation = (text: String?, next: [any Upstream])

extension PromiseDiagnostics {
  /// The explanations of promises that a module knows, by the identities of the promises.
  package typealias Explanations = [ObjectIdentifier: @Sendable () -> WaitExplanation]

  // Private, because `package import CatenaSystem` makes the compiler specialize promises less in other
  // modules.
  private static let explainers = Mutex<[ObjectIdentifier: @Sendable () -> Explanations]>([:])

  /// Sets the closure that returns the explanations of an object.
  ///
  /// - Parameters:
  ///   - object: The object, which removes the closure in its `deinit`.
  ///   - explain: The closure. `nil` removes it.
  package static func setExplainer(of object: AnyObject, _ explain: (@Sendable () -> Explanations)?)
  {
    explainers.withLock { $0[ObjectIdentifier(object)] = explain }
  }

  /// Returns the explanation of a pending promise.
  ///
  /// It locks one object at a time, and runs no code of the user under a lock. It visits each node once.
  static func explanation(of promise: any Upstream) -> String {
    let known = explainers.withLock { Array($0.values) }
      .reduce(into: Explanations()) { $0.merge($1()) { first, _ in first } }
    var (lines, omitted, repeats) = (["\(type(of: promise)) is pending"], 0, 1)
    var (open, visited, last) = ([(promise, "")], Set<ObjectIdentifier>(), CallSite?.none)
    lazy var isMainQueueRun = runsMainQueue
    while let (node, indent) = open.popLast() {
      let isNew = visited.insert(ObjectIdentifier(node)).inserted
      let work = known[ObjectIdentifier(node)]?() ?? (node as? ExplainedWork)?.explanation
      let next = isNew ? pending(node.upstreamLinks.all + (work?.next ?? [])) : []
      let promise = node as? any Settleable
      if let text = work?.text.map({ "waits for \($0)" })
        ?? text(of: promise, next.count, isMainQueueRun)
      {
        // One line for adjacent promises of one line of code.
        let isSame = promise != nil && promise?.site == last
        repeats = isSame ? repeats + 1 : 1
        if isSame { lines.removeLast() }
        last = work == nil && next.count == 1 ? promise?.site : nil
        let times = repeats > 3 ? ", \(repeats) times" : isNew ? "" : ", as above"
        lines.append("\(indent)\(text)\(times)")
        if lines.count > 50 {
          lines.remove(at: 40)
          omitted += 1
        }
      }
      let inner = next.count > 1 && indent.utf8.count < 40 ? indent + "  " : indent
      open += next.prefix(3).reversed().map { ($0, inner) }
    }
    if omitted > 0 { lines.insert("… \(omitted) more", at: 40) }
    // A virtual time describes itself.
    let time =
      HandlerScope.ambientTime.map { $0.scheduler as? any CustomDebugStringConvertible } ?? nil
    return (lines + [time?.debugDescription].compactMap(\.self)).joined(separator: "\n")
  }

  /// Returns the pending promises and the explained work among or behind some upstreams.
  private static func pending(_ upstreams: [any Upstream]) -> [any Upstream] {
    var (found, open) = ([any Upstream](), Array(upstreams.reversed()))
    while let next = open.popLast() {
      if (next as? any Settleable)?.isSettled == false || next is ExplainedWork {
        found.append(next)
      } else if !(next is any Settleable) {
        open += next.upstreamLinks.all.reversed()
      }
    }
    return found
  }

  /// Returns the line about a promise that waits for a number of others.
  private static func text(
    of promise: (any Settleable)?, _ count: Int, _ runsMainQueue: @autoclosure () -> Bool
  ) -> String? {
    guard let site = promise?.site, promise?.isSettled == false else { return nil }
    return switch (site.kind, count) {
    case (_, 2...):
      "waits for \(count) promises at \(site)" + (count > 3 ? ", 3 of which follow" : "")
    case _ where site.line == 0: "waits for \(site.file)"
    case (_, ...1) where site.isInternal: count == 0 ? "waits for work at \(site)" : nil
    case (.resolver, 0): "the resolver made at \(site) was never used"
    case (.timer, _), (.task, _): "waits for the \(site.kind) started at \(site)"
    case (.resolver, _): "waits for the promise at \(site)"
    case (_, 0) where runsMainQueue():
      "waits for the closure at \(site), which is due: it runs, or its queue or actor is busy"
    case (_, 0): "waits for the closure at \(site), which is due; the main queue is not run"
    case (_, _): "waits for the step at \(site)"
    }
  }

  /// Whether the main queue runs a block within 100 ms, as it does not while the caller occupies it.
  private static var runsMainQueue: Bool {
    guard !ExecutionContext.isOnMainQueue, !Thread.isMainThread else { return false }
    let hasRun = DispatchSemaphore(value: 0)
    DispatchQueue.main.async { hasRun.signal() }
    return hasRun.wait(timeout: .now() + .milliseconds(100)) == .success
  }
}
