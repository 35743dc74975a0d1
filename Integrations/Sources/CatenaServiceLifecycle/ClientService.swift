import Foundation
public import Networking
import Promises
public import ServiceLifecycle

/// A service that ends a client gracefully.
///
/// ```swift
/// let client = Networking<Request>(baseURL: url)
/// let group = ServiceGroup(
///   services: [ClientService(client), server], gracefulShutdownSignals: [.sigterm], logger: logger)
/// try await group.run()
/// ```
///
/// A group ends its services in the opposite order, so the client is listed before the services that use it.
///
/// At a graceful shutdown:
/// 1. New calls are rejected with a ``ShutdownError``. Calls that wait in the queue or for a retry continue.
/// 2. The service waits until all calls have ended, with the bodies of streams.
/// 3. It waits for `flush()`: for monitors, loggers, the cache and the cookies.
///
/// If the task of the service is cancelled, all calls are cancelled, and the service does not wait for the readers of
/// streams. A group does so after its `maximumGracefulShutdownDuration`.
///
/// A copy of the client that is made later belongs to the service, too. A hook `beforeEach` that is set later replaces
/// that of the service; then calls that wait in the queue at the shutdown are also rejected.
public final class ClientService: Service {
  private let gate: Gate
  private let cancel: @Sendable () -> Void
  private let flush: @Sendable () async -> Void

  /// Creates the service of a client.
  ///
  /// It adds a monitor, an interceptor around all others, and a hook that calls the current `beforeEach`.
  ///
  /// - Parameter client: The client, before its first call.
  public init<Endpoint>(_ client: Networking<Endpoint>) {
    let gate = Gate()
    self.gate = gate
    cancel = { client.cancelAllRequests() }
    flush = { await client.flush() }
    let beforeEach = client.beforeEach
    client.beforeEach = { request in
      var request = beforeEach?(request) ?? request
      request.attributes[AdmissionKey.self] = !gate.isClosed
      return request
    }
    client.interceptors[.call].insert(GateInterceptor(gate: gate), at: 0)
    client.addMonitor(gate)
  }

  /// The number of calls that have not ended.
  ///
  /// An event of a call may arrive some milliseconds later.
  public var activeCalls: Int { gate.count }

  /// Whether new calls are rejected, because the shutdown has begun.
  public var isShuttingDown: Bool { gate.isClosed }

  /// Waits for the graceful shutdown, and ends the client.
  ///
  /// If the task is cancelled, it cancels the calls and returns.
  public func run() async {
    await withTaskCancellationHandler {
      // The only error is that of the cancellation.
      try? await gracefulShutdown()
      gate.close()
      // The monitor then knows all calls that were made before.
      await flush()
      await gate.waitUntilEmpty()
      if Task.isCancelled { cancel() }
      await flush()
    } onCancel: {
      gate.close()
      cancel()
      gate.stopWaiting()
    }
  }
}

/// The error of a call that is made after the graceful shutdown of its client.
public struct ShutdownError: Error, Sendable, CustomStringConvertible {
  /// A sentence about the cause.
  public var description: String { "the client is shut down and makes no new requests" }
}

/// The count of a client's calls, and whether new ones are admitted.
private final class Gate: NetworkMonitor, @unchecked Sendable {
  // All state is guarded by the lock. The system's `Mutex` needs macOS 15.
  private let lock = NSLock()
  private var hasClosed = false
  private var hasStoppedWaiting = false
  /// The calls that have not ended.
  private var active: Set<NetworkEvent.CallID> = []
  private var waiting: [CheckedContinuation<Void, Never>] = []

  var isClosed: Bool { lock.withLock { hasClosed } }
  var count: Int { lock.withLock { active.count } }

  func close() { lock.withLock { hasClosed = true } }

  func waitUntilEmpty() async {
    await withCheckedContinuation { continuation in
      change { $0.waiting.append(continuation) }
    }
  }

  func stopWaiting() { change { $0.hasStoppedWaiting = true } }

  func observe(_ event: NetworkEvent) {
    if case .queued = event.kind {
      lock.withLock { _ = active.insert(event.call) }
    } else if event.isFinal {
      change { $0.active.remove(event.call) }
    }
  }

  /// Changes the state, and resumes the waiting tasks if there is nothing to wait for.
  private func change(_ body: (Gate) -> Void) {
    let ended: [CheckedContinuation<Void, Never>] = lock.withLock {
      body(self)
      guard active.isEmpty || hasStoppedWaiting else { return [] }
      defer { waiting = [] }
      return waiting
    }
    for continuation in ended { continuation.resume() }
  }
}

/// Whether a call was made before the shutdown.
private enum AdmissionKey: RequestAttributeKey {
  static let defaultValue: Bool? = nil
}

/// An interceptor that rejects the calls after the shutdown.
private struct GateInterceptor: Interceptor {
  let gate: Gate

  func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
    let isAdmitted = exchange.request.attributes[AdmissionKey.self] ?? !gate.isClosed
    return isAdmitted ? next(exchange) : .rejected(ShutdownError())
  }
}
