import CatenaSystem
import Foundation
import Networking
import Promises

/// The transfers of a background session, and their callers in this run of the program.
///
/// All clients with the session share one instance, which performs their calls.
final class BackgroundTransport: Sendable {
  typealias Machine = BackgroundTransferMachine<BackgroundJob, BackgroundOutcome>

  /// The limit of the response to an upload, and of the body of a failed download, in bytes.
  static let bodyLimit = 1 << 20

  /// A caller that waits for a transfer, or for the end of the session's events.
  fileprivate enum Caller: Sendable {
    case transfer(TransferCaller)
    case eventsEnd(Resolver<Void>)
  }

  /// A caller that waits for a transfer.
  fileprivate struct TransferCaller: Sendable {
    /// The request of the caller.
    ///
    /// `nil` for a claim.
    let request: HTTPRequest?
    let attributes: RequestAttributes
    let progress: (any ProgressReceiver)?
    let events: HopEvents?
    let resolver: Resolver<Response>
  }

  /// The received parts of the response of a task.
  fileprivate struct Arrival: Sendable {
    var body = Data()
    /// The location of the file, or the reason that it cannot be written.
    ///
    /// `nil` without a file.
    var file: Result<URL, FileError>?
    /// Whether the file is only the end of a continued download.
    var isIncomplete = false
  }

  fileprivate struct State: Sendable {
    var machine = Machine()
    var callers: [Int: Caller] = [:]
    var lastCaller = 0
    var arrivals: [Int: Arrival] = [:]
    /// The names of secrets of the clients that have made requests.
    var secretNames = SecretNames.standard
  }

  let identifier: String
  let tls: TLSOptions
  let session: any BackgroundTaskSession
  private let results: BackgroundResults
  private let state = Mutex(State())
  /// Fulfilled when the system has listed the tasks.
  private let connection = Promise<Void>.pending(on: .inline)

  /// Makes the transport of a session, and connects to it.
  ///
  /// - Parameters:
  ///   - identifier: The identifier of the session.
  ///   - tls: The TLS settings of the session.
  ///   - results: The unclaimed outcomes.
  ///   - session: The session.
  init(
    identifier: String, tls: TLSOptions = TLSOptions(), results: BackgroundResults,
    session: any BackgroundTaskSession
  ) {
    self.identifier = identifier
    self.tls = tls
    self.results = results
    self.session = session
    session.connect(self)
  }

  // MARK: Callers

  /// Starts a transfer, or joins the one with its key.
  ///
  /// - Returns: A promise on the inline context. It settles on the queue of the session, or at once if
  ///   the outcome was kept. The task is cancelled when the promises of all its callers are.
  func perform(
    _ job: BackgroundJob, progress: (any ProgressReceiver)?, reportingTo events: HopEvents?
  ) -> NetworkPromise {
    progress?.begin()
    return request(job.record.key, making: job) {
      TransferCaller(
        request: job.request, attributes: job.request.attributes, progress: progress,
        events: events, resolver: $0)
    }
  }

  /// Returns the response of a transfer that has been started before, without starting one.
  ///
  /// - Parameters:
  ///   - key: The key of the transfer.
  ///   - attributes: The attributes of the request of the response.
  ///   - progress: The receiver of the progress.
  /// - Returns: A promise like that of ``perform(_:progress:reportingTo:)``. It is rejected with
  ///   ``NetworkError/Code-swift.enum/connectionLost`` if there is no such transfer.
  func claim(
    _ key: String, attributes: RequestAttributes = RequestAttributes(),
    progress: (any ProgressReceiver)? = nil
  ) -> NetworkPromise {
    request(key, making: nil) {
      TransferCaller(
        request: nil, attributes: attributes, progress: progress, events: nil, resolver: $0)
    }
  }

  /// Cancels the transfer of a key, and drops its unclaimed result.
  ///
  /// - Parameter key: The key of the transfer. There may be none.
  func cancel(_ key: String) {
    let outcome = BackgroundOutcome(
      method: .get, url: "", failure: TransportFailure(code: .cancelled))
    update { $0.cancel(key, with: outcome) }
  }

  private func request(
    _ key: String, making job: BackgroundJob?,
    for caller: (Resolver<Response>) -> TransferCaller
  ) -> NetworkPromise {
    let (promise, resolver) = NetworkPromise.pending(on: .inline)
    let transferCaller = caller(resolver)
    let (number, actions) = change { state in
      let names = transferCaller.attributes.secretNames
      if names.hasAdditions { state.secretNames = state.secretNames.merging(names) }
      let number = state.add(.transfer(transferCaller))
      return (number, state.machine.request(key, for: number, making: job))
    }
    resolver.onCancel { self.leave(number) }
    perform(actions)
    return promise
  }

  /// Returns a promise that is fulfilled when the system has delivered all events of the session.
  func eventsEnd() -> Promise<Void> {
    let (promise, resolver) = Promise<Void>.pending(on: .inline)
    let (number, actions) = change { state in
      let number = state.add(.eventsEnd(resolver))
      return (number, state.machine.awaitEventsEnd(for: number))
    }
    resolver.onCancel { self.leave(number) }
    perform(actions)
    return promise
  }

  /// Returns the keys of all transfers, when the system has listed them.
  func keys() -> Promise<(unfinished: [String], finished: [String])> {
    let (promise, resolver) = Promise<(unfinished: [String], finished: [String])>.pending(
      on: .inline)
    // The connection is a promise of all callers, which none of them may cancel.
    connection.promise.always(on: .inline) { _ in
      resolver.fulfill(self.state.withLock { $0.machine.keys })
    }
    return promise
  }

  private func leave(_ number: Int) {
    let (caller, actions) = change { state in
      (state.callers.removeValue(forKey: number), state.machine.leave(number))
    }
    if case .transfer(let caller) = caller { caller.events?.abandon() }
    perform(actions)
  }

  // MARK: Events of the session, on its queue

  /// Adopts the tasks of earlier runs.
  ///
  /// A task without a record of this version is cancelled, because no call could find it.
  ///
  /// - Parameter tasks: The numbers and the descriptions of the tasks whose events are not complete.
  func connected(_ tasks: [(task: Int, description: String?)]) {
    let stored = results.load()
    var known: [(task: Int, key: String)] = []
    for (task, description) in tasks {
      if let record = BackgroundRecord(description) {
        known.append((task, record.key))
      } else {
        session.cancel(task)
      }
    }
    update { $0.connect(known, stored: stored) }
    connection.resolver.fulfill(())
  }

  /// Reports the progress of a task to its callers.
  func progressed(_ task: Int, _ change: (inout TransferProgress) -> Void) {
    let receivers = state.withLock { state in
      state.machine.callers(of: task).compactMap { number in
        if case .transfer(let caller) = state.callers[number] { caller.progress } else { nil }
      }
    }
    for receiver in receivers { receiver.change(change) }
  }

  /// Adds a part of the response to an upload.
  ///
  /// Bytes beyond ``bodyLimit`` and one more, which shows that there are more, are discarded.
  func received(_ data: Data, by task: Int) {
    state.withLock { state in
      let room = Self.bodyLimit + 1 - (state.arrivals[task]?.body.count ?? 0)
      if room > 0 { state.arrivals[task, default: Arrival()].body += data.prefix(room) }
    }
  }

  /// Moves the file of a download to its destination before this call returns, because the system
  /// removes the file then.
  ///
  /// The file of a cancelled transfer does not replace anything.
  ///
  /// - Parameters:
  ///   - file: The file of the system.
  ///   - task: The number of the task.
  ///   - description: The description of the task.
  ///   - head: The head of the response. The body of a status other than 2xx is read into memory.
  func received(
    _ file: URL, by task: Int, _ description: String?, _ head: HTTPResponseHead?
  ) {
    guard let record = BackgroundRecord(description), let target = record.target,
      state.withLock({ $0.machine.expects(task, key: record.key) })
    else { return }
    var arrival = Arrival()
    if let head, (200...299).contains(head.status) {
      do throws(FileError) {
        if record.isContinued == true, !BackgroundResumption.isComplete(file, head) {
          arrival.isIncomplete = true
          throw FileError(file.path, "the continued download is incomplete", number: nil)
        }
        try target.adopt(file)
        arrival.file = .success(target.url)
      } catch {
        arrival.file = .failure(error)
      }
    } else {
      arrival.body = (try? OpenFile(file.path).read(Self.bodyLimit)) ?? Data()
    }
    state.withLock { $0.arrivals[task] = arrival }
  }

  /// Ends the transfer of a task.
  ///
  /// - Parameters:
  ///   - task: The number of the task.
  ///   - description: The description of the task.
  ///   - ending: The outcome, without the body and the file.
  func finished(_ task: Int, _ description: String?, _ ending: BackgroundOutcome) {
    let arrival = state.withLock { $0.arrivals.removeValue(forKey: task) } ?? Arrival()
    guard let record = BackgroundRecord(description) else { return }
    var outcome = ending
    outcome.body = arrival.body.prefix(Self.bodyLimit)
    let isSuccess = outcome.head.map { (200...299).contains($0.status) } ?? false
    if outcome.failure == nil, isSuccess {
      switch arrival.file {
      case .success(let file): outcome.file = file
      case .failure(let error):
        outcome.failure = TransportFailure(code: .fileNotWritten, detail: error.cause)
      case nil where record.destination != nil:
        outcome.failure = TransportFailure(
          code: .fileNotWritten, detail: "the system has delivered no file")
      case nil where arrival.body.count > Self.bodyLimit:
        outcome.failure = TransportFailure(
          code: .bodyTooLarge, detail: "more than \(Self.bodyLimit) bytes")
      case nil: break
      }
    }
    outcome.resumption.identity = record.identity
    // A server responds 416 if the file has become shorter.
    let isRefusal =
      record.isContinued == true
      && (ending.resumption.isRefused || arrival.isIncomplete || outcome.head?.status == 416)
    update {
      $0.finished(
        task, key: record.key, with: outcome,
        isCancellation: outcome.isCancellation, isRefusal: isRefusal)
    }
  }

  /// Reports that the events of all tasks that ended in the background have been delivered.
  func eventsEnded() {
    update { $0.endEvents() }
  }

  /// Ends all transfers, because the system has ended the session.
  func invalidated() {
    let outcome = BackgroundOutcome(method: .get, url: "", failure: .endedBackgroundSession)
    update { $0.invalidate(outcome) }
    connection.resolver.fulfill(())
  }
}

extension BackgroundTransport {
  /// Changes the state, and stores and removes outcomes as the machine demands.
  ///
  /// The files are changed under the lock, so that they are changed in the order of the actions: a
  /// claimed outcome must not be stored after its removal.
  ///
  /// - Returns: The result of the change, and the other actions.
  private func change<Value>(
    _ body: (inout State) -> (Value, [Machine.Action])
  ) -> (value: Value, actions: [Machine.Action]) {
    state.withLock { state -> (Value, [Machine.Action]) in
      let (value, actions) = body(&state)
      for action in actions {
        switch action {
        case .keep(var outcome, let key):
          outcome.secretNames = state.secretNames
          results.store(outcome, for: key)
        case .discard(let key): results.remove(key)
        case .storeResumption(let outcome, let key): results.store(outcome.resumption, for: key)
        case .discardResumption(let key): results.removeResumption(key)
        default: break
        }
      }
      return (value, actions)
    }
  }

  /// Changes the machine, and performs its actions.
  private func update(_ body: (inout Machine) -> [Machine.Action]) {
    perform(change { ((), body(&$0.machine)) }.actions)
  }

  /// Performs the actions without the lock, because they run code of the user and of the system.
  private func perform(_ actions: [Machine.Action]) {
    for action in actions {
      switch action {
      case .keep, .discard, .storeResumption, .discardResumption: break
      case .make(let job, let key, let start):
        make(job, key, start, results.resumeData(for: key, identity: job.record.identity))
      case .restart(let job, let key, let start): make(job, key, start, nil)
      case .resume(let task): session.resume(task)
      case .cancel(let task):
        state.withLock { $0.arrivals[task] = nil }
        session.cancel(task)
      case .deliver(let outcome, let numbers): settle(numbers, with: outcome)
      case .reportMissing(let numbers):
        settle(
          numbers,
          with: BackgroundOutcome(method: .get, url: "", failure: .missingBackgroundTransfer))
      case .reportEventsEnd(let numbers):
        for number in numbers {
          let caller = state.withLock { $0.callers.removeValue(forKey: number) }
          if case .eventsEnd(let resolver) = caller { resolver.fulfill(()) }
        }
      }
    }
  }

  private func make(_ job: BackgroundJob, _ key: String, _ start: Int, _ resumeData: Data?) {
    do throws(TransportFailure) {
      try job.checkFile()
    } catch {
      let outcome = BackgroundOutcome(
        method: job.request.method, url: job.request.url.absoluteString, failure: error)
      return update { $0.failed(key, start: start, with: outcome) }
    }
    let task = session.makeTask(resumeData.map { job.continued(with: $0) } ?? job)
    update { $0.began(task, key: key, start: start) }
  }

  /// Settles the promises of callers, after the events of their hops.
  private func settle(_ numbers: [Int], with outcome: BackgroundOutcome) {
    for number in numbers {
      guard case .transfer(let caller) = state.withLock({ $0.callers.removeValue(forKey: number) })
      else { continue }
      if let head = outcome.head { caller.events?.receive(.head(head)) }
      caller.events?.receive(outcome.failure.map { .failure($0) } ?? .end(outcome.metrics))
      caller.resolver.resolve(outcome.result(for: caller.request, attributes: caller.attributes))
    }
  }
}

extension BackgroundTransport.State {
  fileprivate mutating func add(_ caller: BackgroundTransport.Caller) -> Int {
    lastCaller += 1
    callers[lastCaller] = caller
    return lastCaller
  }
}
