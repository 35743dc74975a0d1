/// A piece of work without arguments.
@usableFromInline
typealias Job = @Sendable () -> Void

/// What is to happen when a promise settles.
@usableFromInline
struct Reaction: Sendable {
  /// The promise that this reaction will settle, or nil for a handler such as `done`, which no
  /// one can withdraw.
  @usableFromInline var dependent: (any Settleable)?
  @usableFromInline let job: Work

  /// Gets the promise that has settled and the dependent, so that it need not hold on to them, and
  /// returns whether it has settled the dependent, whose reactions are then due.
  @usableFromInline
  typealias Work = @Sendable (_ settled: any Settleable, _ dependent: (any Settleable)?) -> Bool

  @inlinable
  init(for dependent: consuming (any Settleable)?, _ job: @escaping Work) {
    self.dependent = dependent
    self.job = job
  }

  /// Has nothing left to do, since its dependent was settled by somebody else.
  var isDead: Bool { dependent?.isSettled == true }

  /// Runs the work, and queues what it has made due.
  @inlinable
  consuming func run(for settled: any Settleable, on trampoline: Trampoline.Current) {
    // Taken, and taken again, so that it is moved on to the trampoline: a copy would count references.
    var dependent = dependent.take()
    if job(settled, dependent), let due = dependent.take() { trampoline.pointee.append(due) }
  }
}

/// A promise seen without its type: what the machinery needs to know of it.
@usableFromInline
protocol Settleable: AnyObject, Sendable {
  var isSettled: Bool { get }

  /// Rejects: what was to settle this promise has been let go of.
  func abandon()

  /// Runs the reactions attached so far, and those attached meanwhile, in order.
  ///
  /// - Parameter trampoline: this thread's, which is running, and gets what is due in turn.
  func deliver(on trampoline: Trampoline.Current)
}
