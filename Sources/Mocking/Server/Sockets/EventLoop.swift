import Foundation
import Synchronization

/// One thread that serves file descriptors and jobs, until it is stopped.
///
/// `@unchecked Sendable` because each of `clients` and `lastToken` is protected by being touched on the loop's
/// own thread alone. Others call `poller.wake()` only, which the system makes safe, and which the lock of
/// `inbox` keeps from being called after the end.
final class EventLoop: @unchecked Sendable {
  typealias Job = @Sendable () -> Void

  /// Something with a file descriptor that the loop watches; used on the loop's thread only.
  protocol Client: AnyObject {
    func handle(_ readiness: Readiness)
  }

  private struct Inbox {
    var jobs: [Job] = []
    var isOpen = true
  }

  private let inbox = Mutex(Inbox())
  private let poller: Poller
  private var clients: [UInt64: any Client] = [:]
  private var lastToken: UInt64 = 0
  private let threadKey = "Catena.EventLoop"

  init() throws(SocketError) {
    poller = try Poller()
    let thread = Thread { [self] in run() }
    thread.name = threadKey
    thread.start()
  }

  /// Runs a job on the loop's thread, in the order of the calls.
  ///
  /// - Returns: false when the loop has been stopped, and the job will never run.
  @discardableResult
  func execute(_ job: @escaping Job) -> Bool {
    inbox.withLock { inbox in
      guard inbox.isOpen else { return false }
      inbox.jobs.append(job)
      if inbox.jobs.count == 1 { poller.wake() }
      return true
    }
  }

  /// Whether the caller is on the loop's thread.
  var isCurrent: Bool {
    Thread.current.threadDictionary[threadKey] as? ObjectIdentifier == ObjectIdentifier(self)
  }

  // MARK: On the loop's thread

  func watch(_ descriptor: Int32, for readiness: Readiness, _ client: any Client) -> UInt64 {
    lastToken += 1
    clients[lastToken] = client
    poller.watch(descriptor, for: readiness, as: lastToken)
    return lastToken
  }

  func change(_ descriptor: Int32, to readiness: Readiness, _ token: UInt64) {
    poller.change(descriptor, to: readiness, as: token)
  }

  func ignore(_ descriptor: Int32, _ token: UInt64) {
    poller.ignore(descriptor)
    clients[token] = nil
  }

  /// Has the loop end after the jobs that it has been given so far; it takes no others.
  func stop() {
    inbox.withLock { $0.isOpen = false }
  }

  private func run() {
    Thread.current.threadDictionary[threadKey] = ObjectIdentifier(self)
    var ready: [(UInt64, Readiness)] = []
    var events = Poller.noEvents
    while true {
      let (jobs, isOpen) = inbox.withLock { inbox in
        defer { inbox.jobs = [] }
        return (inbox.jobs, inbox.isOpen)
      }
      for job in jobs { job() }
      guard isOpen else { break }
      if !jobs.isEmpty { continue }
      ready.removeAll(keepingCapacity: true)
      poller.wait(&events) { token, readiness in ready.append((token, readiness)) }
      // A client may be gone by the time its turn comes: tokens are never used twice.
      for (token, readiness) in ready { clients[token]?.handle(readiness) }
    }
    clients = [:]
    poller.close()
    Thread.current.threadDictionary.removeObject(forKey: threadKey)
  }
}
