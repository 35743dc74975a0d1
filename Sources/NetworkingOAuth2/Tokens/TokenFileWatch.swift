import CatenaSystem
import Foundation
import Promises

/// A periodic check of whether another process has replaced a token file.
///
/// It compares the numbers of the file that each change by a rename gives, which costs one system
/// call a second. It works on file systems that do not notify, such as those of a network.
final class TokenFileWatch: Sendable {
  private struct State {
    var timer: ScheduledAction?
    var generation = 0
    var seen: FileStatus.Version?
    /// The hash of each token, of which a change is reported.
    var tokens: [TokenKey: Int] = [:]
    /// Whether the next check only records the tokens.
    var isFirstCheck = true
    var onChange: (@Sendable (_ isFirst: Bool) -> Bool)?
  }

  private static let interval = Duration.seconds(1)

  private let path: String
  private let scheduler: any Scheduler
  private let queue = DispatchQueue(label: "Catena.TokenFileWatch", qos: .utility)
  private let state = Mutex(State())

  init(_ path: String, scheduler: any Scheduler) {
    self.path = path
    self.scheduler = scheduler
  }

  /// Called on a background queue after another process has replaced the file, and with `true` for
  /// the file at the start.
  ///
  /// It returns whether the file could be read. Otherwise the next check calls it again.
  var onChange: (@Sendable (_ isFirst: Bool) -> Bool)? {
    get { state.withLock { $0.onChange } }
    set { state.withLock { $0.onChange = newValue } }
  }

  /// Starts checking.
  func start() {
    let generation = state.withLock { state in
      state.generation += 1
      state.isFirstCheck = true
      return state.generation
    }
    checkOnQueue(generation)
  }

  /// Stops checking.
  func stop() {
    state.withLock { state in
      state.generation += 1
      return state.timer.take()
    }?.cancel()
  }

  /// Records a change of this process.
  ///
  /// - Parameters:
  ///   - found: The tokens before the change.
  ///   - tokens: The tokens that this process has written.
  /// - Returns: The keys of the tokens that another process had changed since the last check.
  func noteOwnChange(
    from found: [(TokenKey, OAuth2Token)], to tokens: [(TokenKey, OAuth2Token)]
  ) -> [TokenKey] {
    let identity = identity
    let found = Self.hashes(found)
    return state.withLock { state in
      let foreign = state.isFirstCheck ? [] : Self.differences(state.tokens, found)
      state.seen = identity
      state.tokens = Self.hashes(tokens)
      return foreign
    }
  }

  /// Returns the keys of the tokens that differ from the last ones, and records the new ones.
  func changedKeys(_ tokens: [(TokenKey, OAuth2Token)]) -> [TokenKey] {
    let hashes = Self.hashes(tokens)
    return state.withLock { state in
      defer { state.tokens = hashes }
      return Self.differences(state.tokens, hashes)
    }
  }

  private static func differences(_ old: [TokenKey: Int], _ new: [TokenKey: Int]) -> [TokenKey] {
    Set(old.keys).union(new.keys).filter { old[$0] != new[$0] }
      .sorted { $0.description < $1.description }
  }

  private func check(_ generation: Int) {
    let identity = identity
    let (onChange, isFirst) = state.withLock { state in
      guard generation == state.generation, identity != state.seen else {
        state.isFirstCheck = false
        return (nil as (@Sendable (Bool) -> Bool)?, false)
      }
      defer { state.isFirstCheck = false }
      state.seen = identity
      return (state.onChange, state.isFirstCheck)
    }
    if onChange?(isFirst) == false {
      state.withLock { state in
        state.seen = nil
        state.isFirstCheck = isFirst
      }
    }
    let timer = scheduler.schedule(after: Self.interval) { [weak self] in
      self?.checkOnQueue(generation)
    }
    let isStopped = state.withLock { state in
      guard generation == state.generation else { return true }
      state.timer = timer
      return false
    }
    if isStopped { timer.cancel() }
  }

  private func checkOnQueue(_ generation: Int) {
    _ = Promise<Void>(on: scheduler.context(for: .queue(queue))) { [weak self] in
      self?.check(generation)
    }
  }

  private static func hashes(_ tokens: [(TokenKey, OAuth2Token)]) -> [TokenKey: Int] {
    Dictionary(tokens.map { ($0, $1.hashValue) }) { _, last in last }
  }

  private var identity: FileStatus.Version? { (try? FileStatus(path))?.version }
}
