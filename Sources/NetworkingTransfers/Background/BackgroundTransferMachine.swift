/// The state machine of the transfers of a background session.
///
/// A transfer has a key. A key has at most one transfer:
///
/// ```
/// none --request--> starting --began--> running --finished, with callers--> none
///                   starting --failed--> none
///                                       running --finished, without callers--> kept
///                                       running --last caller left, cancel--> none, the task is cancelled
///                                       running --refused, with a job--> starting, from the beginning
/// none --found in the session--> running, without callers
/// kept --request, claim, cancel--> none
/// ```
///
/// Until the system has listed the tasks of the session, requests and claims wait. A claim without a
/// transfer is reported as missing, and a request without one makes a task. A cancellation in this time
/// applies to what earlier runs of the program have left of the key. The owner performs the actions in
/// the order in which they are returned.
///
/// The owner stores the resume data of an interrupted download by its key, and makes the next task of the
/// key from it.
struct BackgroundTransferMachine<Job: Sendable, Outcome: Sendable>: Sendable {
  /// The number of a caller, which the owner chooses.
  typealias Caller = Int
  /// The number of a task in its session.
  typealias TaskNumber = Int

  /// An action for the owner of the machine.
  enum Action: Sendable {
    /// Makes a task, which continues with the stored resume data of the key if it fits the job, and calls
    /// ``BackgroundTransferMachine/began(_:key:start:)`` or
    /// ``BackgroundTransferMachine/failed(_:start:with:)``.
    case make(Job, key: String, start: Int)
    /// Makes a task like ``make(_:key:start:)``, which starts from the beginning in any case.
    case restart(Job, key: String, start: Int)
    /// Starts a task that has been made.
    case resume(TaskNumber)
    /// Cancels a task.
    case cancel(TaskNumber)
    /// Settles the promises of callers.
    case deliver(Outcome, to: [Caller])
    /// Rejects the promises of callers, because there is no transfer with their key.
    case reportMissing([Caller])
    /// Stores an outcome until it is claimed.
    case keep(Outcome, key: String)
    /// Removes a stored outcome.
    case discard(key: String)
    /// Stores the resume data of an outcome, or removes that of an earlier one if the outcome has none.
    case storeResumption(of: Outcome, key: String)
    /// Removes the stored resume data of a key.
    case discardResumption(key: String)
    /// Fulfils the promises of callers that wait for the end of the session's events.
    case reportEventsEnd([Caller])
  }

  /// A transfer in the session.
  private struct Transfer {
    /// The number of the start, which is 0 for a task of an earlier run.
    var start = 0
    /// The task.
    ///
    /// `nil` while it is made.
    var task: TaskNumber?
    var callers: [Caller] = []
    /// The task to make if the system refuses the resume data.
    ///
    /// `nil` for a task of an earlier run that only claims have joined.
    var job: Job?
  }

  /// A caller that waits for the list of tasks.
  private struct EarlyCaller {
    let number: Caller
    let key: String
    /// The task to make if there is no transfer.
    ///
    /// `nil` for a claim.
    let job: Job?
  }

  private var isConnected = false
  /// The outcome of every request after the end of the session.
  ///
  /// `nil` before.
  private var end: Outcome?
  private var earlyCallers: [EarlyCaller] = []
  /// The keys that were cancelled before the list of tasks arrived, until they have a new transfer.
  private var cancelledEarly: Set<String> = []
  /// The keys whose stored outcomes are dropped when the list of tasks arrives.
  private var droppedEarly: Set<String> = []
  private var transfers: [String: Transfer] = [:]
  private var lastStart = 0
  /// The unclaimed outcomes.
  private var kept: [String: Outcome] = [:]
  /// The cancelled tasks whose end the system has not reported.
  private var cancelled: Set<TaskNumber> = []
  /// The tasks that ended before the list of tasks arrived, which may still contain them.
  private var endedEarly: Set<TaskNumber> = []
  private var eventCallers: [Caller] = []
  /// Whether the events have ended without a caller that waited for it.
  private var hasUnreportedEventsEnd = false

  init() {}

  // MARK: Callers

  /// Adds a caller of a transfer.
  ///
  /// - Parameters:
  ///   - key: The key of the transfer.
  ///   - caller: The number of the caller.
  ///   - job: The task to make if there is no transfer. `nil` for a claim, which makes none.
  /// - Returns: The actions.
  mutating func request(_ key: String, for caller: Caller, making job: Job?) -> [Action] {
    if let end { return [.deliver(end, to: [caller])] }
    guard isConnected else {
      earlyCallers.append(EarlyCaller(number: caller, key: key, job: job))
      return []
    }
    if let outcome = kept.removeValue(forKey: key) {
      return [.discard(key: key), .deliver(outcome, to: [caller])]
    }
    if let transfer = transfers[key] {
      transfers[key]?.callers.append(caller)
      transfers[key]?.job = transfer.job ?? job
      return []
    }
    guard let job else { return [.reportMissing([caller])] }
    cancelledEarly.remove(key)
    return [.make(job, key: key, start: start(key, for: [caller], making: job))]
  }

  /// Adds a transfer whose task is made, and returns the number of its start.
  private mutating func start(_ key: String, for callers: [Caller], making job: Job) -> Int {
    lastStart += 1
    transfers[key] = Transfer(start: lastStart, callers: callers, job: job)
    return lastStart
  }

  /// Removes a caller, and cancels the transfer with its last caller.
  ///
  /// - Parameter caller: The number of the caller. It may have left before.
  /// - Returns: The actions.
  mutating func leave(_ caller: Caller) -> [Action] {
    eventCallers.removeAll { $0 == caller }
    if let index = earlyCallers.firstIndex(where: { $0.number == caller }) {
      let key = earlyCallers.remove(at: index).key
      return earlyCallers.contains { $0.key == key } ? [] : cancelTransfer(of: key)
    }
    guard let (key, transfer) = transfers.first(where: { $0.value.callers.contains(caller) })
    else { return [] }
    transfers[key]?.callers = transfer.callers.filter { $0 != caller }
    return transfer.callers.count > 1 ? [] : cancelTransfer(of: key)
  }

  /// Cancels the transfer of a key, and drops its kept outcome and its resume data.
  ///
  /// - Parameters:
  ///   - key: The key of the transfer. There may be none.
  ///   - outcome: The outcome for its callers.
  /// - Returns: The actions.
  mutating func cancel(_ key: String, with outcome: Outcome) -> [Action] {
    guard end == nil else { return [] }
    let callers =
      earlyCallers.filter { $0.key == key }.map(\.number) + (transfers[key]?.callers ?? [])
    earlyCallers.removeAll { $0.key == key }
    var actions = [.discardResumption(key: key)] + cancelTransfer(of: key)
    if !isConnected { droppedEarly.insert(key) }
    if kept.removeValue(forKey: key) != nil { actions.append(.discard(key: key)) }
    if !callers.isEmpty { actions.append(.deliver(outcome, to: callers)) }
    return actions
  }

  /// Cancels the transfer of a key whose callers have left.
  private mutating func cancelTransfer(of key: String) -> [Action] {
    if !isConnected { cancelledEarly.insert(key) }
    // A task that is being made is cancelled when its number is known.
    guard let task = transfers.removeValue(forKey: key)?.task else { return [] }
    return [cancelTask(task)]
  }

  private mutating func cancelTask(_ task: TaskNumber) -> Action {
    cancelled.insert(task)
    return .cancel(task)
  }

  /// Adds a caller that waits until the system has delivered all events of the session.
  ///
  /// - Returns: The actions.
  mutating func awaitEventsEnd(for caller: Caller) -> [Action] {
    guard !hasUnreportedEventsEnd, end == nil else {
      hasUnreportedEventsEnd = false
      return [.reportEventsEnd([caller])]
    }
    eventCallers.append(caller)
    return []
  }

  // MARK: Events of tasks

  /// Begins a transfer whose task has been made and not started.
  ///
  /// The resume data is removed only now, so that a crash before it loses nothing.
  ///
  /// - Returns: The actions: the task is started, or cancelled if all callers have left.
  mutating func began(_ task: TaskNumber, key: String, start: Int) -> [Action] {
    guard transfers[key]?.start == start else { return [cancelTask(task)] }
    transfers[key]?.task = task
    return [.discardResumption(key: key), .resume(task)]
  }

  /// Ends a transfer whose task cannot be made.
  ///
  /// - Returns: The actions: the outcome is delivered.
  mutating func failed(_ key: String, start: Int, with outcome: Outcome) -> [Action] {
    guard let transfer = transfers[key], transfer.start == start else { return [] }
    transfers[key] = nil
    return [.deliver(outcome, to: transfer.callers)]
  }

  /// Returns whether the outcome of a task is that of a transfer, and not of a cancelled one.
  func expects(_ task: TaskNumber, key: String) -> Bool {
    guard end == nil, !cancelled.contains(task) else { return false }
    if let transfer = transfers[key] { return transfer.task == task }
    return !cancelledEarly.contains(key)
  }

  /// Returns the callers of a running task.
  func callers(of task: TaskNumber) -> [Caller] {
    transfers.values.first { $0.task == task }?.callers ?? []
  }

  /// Ends the transfer of a task, also of one that an earlier run of the program has started.
  ///
  /// - Parameters:
  ///   - task: The number of the task.
  ///   - key: The key of its record.
  ///   - outcome: The outcome.
  ///   - isCancellation: Whether the task ended because it was cancelled, possibly by an earlier run of
  ///     the program. This is no outcome for a later caller.
  ///   - isRefusal: Whether the task was to continue with resume data that the system or the server has
  ///     refused.
  /// - Returns: The actions: the outcome is delivered, or kept if no caller waits for it. After a refusal
  ///   the transfer starts from the beginning instead, if a caller can make its task.
  mutating func finished(
    _ task: TaskNumber, key: String, with outcome: Outcome, isCancellation: Bool = false,
    isRefusal: Bool = false
  ) -> [Action] {
    hasUnreportedEventsEnd = false
    // Also false for a task that is not in the list, although another one has its key.
    let isExpected = expects(task, key: key)
    guard isConnected || endedEarly.insert(task).inserted else { return [] }
    guard cancelled.remove(task) == nil, isExpected else { return [] }
    var callers: [Caller] = []
    if let transfer = transfers[key] {
      if isRefusal, let job = transfer.job {
        let start = start(key, for: transfer.callers, making: job)
        return [.discardResumption(key: key), .restart(job, key: key, start: start)]
      }
      callers = transfer.callers
      transfers[key] = nil
    } else if !isConnected {
      guard !isCancellation else { return [] }
      // The waiting callers make a task when the list of tasks arrives.
      if isRefusal, earlyCallers.contains(where: { $0.key == key && $0.job != nil }) {
        return [.discardResumption(key: key)]
      }
      callers = earlyCallers.filter { $0.key == key }.map(\.number)
      earlyCallers.removeAll { $0.key == key }
    }
    let resumption = Action.storeResumption(of: outcome, key: key)
    if !callers.isEmpty { return [resumption, .deliver(outcome, to: callers)] }
    guard !isCancellation else { return [] }
    kept[key] = outcome
    return [resumption, .keep(outcome, key: key)]
  }

  // MARK: Events of the session

  /// Adopts the tasks of earlier runs of the program, and decides about the waiting callers.
  ///
  /// A second task of a key is cancelled, because no caller could reach it.
  ///
  /// - Parameters:
  ///   - tasks: The unfinished tasks of the session.
  ///   - stored: The outcomes that earlier runs have kept.
  /// - Returns: The actions.
  mutating func connect(
    _ tasks: [(task: TaskNumber, key: String)], stored: [String: Outcome]
  ) -> [Action] {
    guard !isConnected, end == nil else { return [] }
    isConnected = true
    var actions: [Action] = []
    kept.merge(stored) { newer, _ in newer }
    for (task, key) in tasks where !endedEarly.contains(task) {
      if transfers[key] == nil, !cancelledEarly.contains(key) {
        transfers[key] = Transfer(task: task)
      } else {
        actions.append(cancelTask(task))
      }
    }
    // The program has started the request again since its outcome was kept, or cancelled it.
    for key in droppedEarly.union(transfers.keys) where kept.removeValue(forKey: key) != nil {
      actions.append(.discard(key: key))
    }
    (endedEarly, droppedEarly) = ([], [])
    for caller in earlyCallers {
      actions += request(caller.key, for: caller.number, making: caller.job)
    }
    earlyCallers = []
    return actions
  }

  /// Records that the system has delivered the events of all tasks that ended in the background.
  ///
  /// - Returns: The actions.
  mutating func endEvents() -> [Action] {
    guard !eventCallers.isEmpty else {
      hasUnreportedEventsEnd = true
      return []
    }
    defer { eventCallers = [] }
    return [.reportEventsEnd(eventCallers)]
  }

  /// Ends the session, and all its transfers.
  ///
  /// - Parameter outcome: The outcome of all transfers, and of all later requests.
  /// - Returns: The actions.
  mutating func invalidate(_ outcome: Outcome) -> [Action] {
    guard end == nil else { return [] }
    end = outcome
    let callers = earlyCallers.map(\.number) + transfers.values.flatMap(\.callers)
    let waiting = eventCallers
    (earlyCallers, transfers, eventCallers) = ([], [:], [])
    return (callers.isEmpty ? [] : [.deliver(outcome, to: callers.sorted())])
      + (waiting.isEmpty ? [] : [.reportEventsEnd(waiting)])
  }

  // MARK: List

  /// The keys of the transfers that are running or starting, and of the kept outcomes.
  var keys: (unfinished: [String], finished: [String]) {
    (transfers.keys.sorted(), kept.keys.sorted())
  }
}
