import CatenaSystem
import Dispatch
public import MockingRecordings
public import Networking
public import Promises

/// A check of the exchanges of clients against a contract.
///
/// ```swift
/// let monitor = ContractMonitor(try Contract(file: "api.yaml"))
/// networking.interceptors.append(monitor, at: .hop)
/// // ... requests ...
/// print(monitor.report)
/// ```
///
/// - **Requests and responses** are not changed, and do not wait for the check.
/// - **Paths.** The path of a request is compared with the paths of the servers of the document; hosts are
///   not, so that a staging server is checked, too.
/// - **Bodies** of requests are checked up to 8 MiB. Those of a stream, and the responses to downloads and
///   streams, are not checked; their header fields are.
/// - **Refused requests.** A request that the server answers with a 4xx status may violate the contract.
/// - **Threads.** A monitor may be used by several clients, on any thread. It checks on a queue of its
///   own. If more than 256 exchanges wait for their check, the next ones are only counted, in
///   ``ContractReport/uncheckedCount``.
public final class ContractMonitor: Interceptor {
  /// The contract.
  public let contract: Contract
  private let onViolation: (@Sendable (ContractReport.Violation) -> Void)?
  private let queue = DispatchQueue(label: "Catena.ContractMonitor")
  private let checker: Mutex<ContractChecker>
  /// The number of exchanges that wait for their check, whose bodies are in memory.
  private let waitingCount = Atomic(0)
  /// The number of exchanges that were not checked, because too many were waiting.
  private let uncheckedCount = Atomic(0)
  private static let maximumWaitingCount = 256

  /// Creates a monitor.
  ///
  /// - Parameters:
  ///   - contract: The contract.
  ///   - onViolation: A closure that receives each violation when it is found for the first time. It runs
  ///     on the queue of the monitor, and must not read ``report``.
  public init(
    _ contract: Contract,
    onViolation: (@Sendable (_ violation: ContractReport.Violation) -> Void)? = nil
  ) {
    self.contract = contract
    self.onViolation = onViolation
    checker = Mutex(ContractChecker(contract))
  }

  /// The report on all exchanges that have ended.
  ///
  /// Blocks until they have been checked.
  public var report: ContractReport {
    var report = queue.sync { checker.withLock { $0.current } }
    report.uncheckedCount = uncheckedCount.load(ordering: .relaxed)
    return report
  }

  /// Forgets the exchanges, for example between two tests.
  public func reset() {
    queue.sync { checker.withLock { $0 = ContractChecker(contract) } }
    uncheckedCount.store(0, ordering: .relaxed)
  }

  /// Sends the exchange, and checks it after its response.
  ///
  /// - Parameters:
  ///   - exchange: The request and its context.
  ///   - next: The remaining stages.
  /// - Returns: The promise of the remaining stages.
  public func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
    next(exchange).always(on: .inline) { result in
      if case .success(let response) = result { self.check { CheckedExchange(response) } }
    }
  }

  /// Returns a transport whose exchanges are checked, for the route of a mock server that forwards
  /// requests.
  ///
  /// ```swift
  /// let server = try MockServer {
  ///   Route.forwarding(to: staging, over: monitor.checking(CurlTransport()))
  /// }
  /// ```
  ///
  /// - Parameter transport: The transport.
  /// - Returns: The transport, which retains the monitor.
  public func checking(_ transport: some Transport) -> some Transport {
    CheckedTransport(transport, self)
  }

  /// Returns a transport whose responses wait for the check: one that does not keep the contract becomes
  /// a 502 whose problem details list the violations.
  ///
  /// A body of more than 8 MiB is passed on without a check.
  ///
  /// - Parameter transport: The transport.
  /// - Returns: The transport, which retains the monitor.
  package func enforcing(_ transport: some Transport) -> some Transport {
    EnforcingTransport(transport, self)
  }

  /// Checks an exchange on the queue.
  ///
  /// - Parameters:
  ///   - exchange: Returns the exchange.
  ///   - whenChecked: A closure that receives the violations on the queue, or at once none if too many
  ///     exchanges wait.
  func check(
    _ exchange: @escaping @Sendable () -> CheckedExchange,
    whenChecked: (@Sendable (_ violations: [ContractReport.Violation]) -> Void)? = nil
  ) {
    guard waitingCount.add(1, ordering: .relaxed).oldValue < Self.maximumWaitingCount else {
      waitingCount.subtract(1, ordering: .relaxed)
      uncheckedCount.add(1, ordering: .relaxed)
      whenChecked?([])
      return
    }
    enqueue { [self] in
      defer { waitingCount.subtract(1, ordering: .relaxed) }
      let exchange = exchange()
      let (new, all) = checker.withLock { checker in
        (checker.check(exchange), checker.lastViolations)
      }
      if let onViolation { new.forEach(onViolation) }
      whenChecked?(all)
    }
  }

  /// Runs a closure on the queue; ``report`` waits for it.
  func enqueue(_ work: @escaping @Sendable () -> Void) {
    queue.async(execute: work)
  }
}

extension Contract {
  /// Checks the exchanges of an HTTP archive.
  ///
  /// Values that the recording has masked keep every schema. Entries without a complete response are left
  /// out.
  ///
  /// - Parameter archive: The archive.
  /// - Returns: The report.
  public func report(on archive: HAR) -> ContractReport { report(on: archive.log.entries) }

  /// Checks the exchanges of a tape: those of its file, or those recorded so far.
  ///
  /// Values that the recording has masked keep every schema. Entries without a complete response are left
  /// out.
  ///
  /// - Parameter tape: The tape.
  /// - Returns: The report.
  public func report(on tape: Tape) -> ContractReport { report(on: tape.entries) }

  /// Checks that the exchanges of a tape keep the contract.
  ///
  /// ```swift
  /// try contract.verify(try Tape(replaying: file))
  /// ```
  ///
  /// - Parameter tape: The tape.
  /// - Throws: ``ContractViolationError`` if one does not, or if a request has no operation.
  public func verify(_ tape: Tape) throws(ContractViolationError) {
    try report(on: tape).verify()
  }

  private func report(on entries: [HAR.Entry]) -> ContractReport {
    var checker = ContractChecker(self, ignoresMaskedValues: true)
    for entry in entries {
      if let exchange = CheckedExchange(entry) { checker.check(exchange) }
    }
    return checker.current
  }
}
