import TestSupport

@testable import Networking
@testable import NetworkingTransfers

/// The promises, the tasks and the stored outcomes of a background session, for random sequences of
/// calls and events.
///
/// It records each violation of the guarantees: a caller is settled once, with an outcome of its key; a
/// key has one task; a task without callers goes on; and an outcome is delivered or stored.
struct BackgroundWorld {
  private typealias Machine = BackgroundTransferMachine<String, String>

  private struct SystemTask {
    let key: String
    /// Whether it continues with resume data.
    let isContinued: Bool
    var isResumed = false
    var isCancelled = false
    /// Whether an earlier run of the program has cancelled it.
    var isCancelledEarlier = false
    /// Whether it will be cancelled when the list of tasks arrives.
    var isUnwanted = false
  }

  private(set) var violations: [String] = []
  private var random: SeededGenerator
  private var machine = Machine()
  private var isConnected = false
  /// The tasks that have not ended.
  private var tasks: [Int: SystemTask] = [:]
  private var lastTask = 0
  /// The tasks that have ended since the launch, which a late list of tasks may contain.
  private var ended: [Int: SystemTask] = [:]
  /// The stored outcomes, which survive a relaunch.
  private var disk: [String: String] = [:]
  /// The keys with stored resume data, which survives a relaunch.
  private var resumptions: Set<String> = []
  /// The keys of the callers that wait.
  private var waiting: [Int: String] = [:]
  private var eventCallers: Set<Int> = []
  private var lastCaller = 0
  /// The jobs whose tasks have not been made, because the system is slow.
  private var toMake: [(key: String, start: Int, isRestart: Bool)] = []

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
  }

  /// Performs a random call or event.
  mutating func step() {
    switch Int.random(in: 0..<21, using: &random) {
    case 0..<5: request(making: true)
    case 5..<7: request(making: false)
    case 7..<10:
      if let caller = waiting.keys.sorted().randomElement(using: &random),
        let key = waiting.removeValue(forKey: caller)
      {
        if !waiting.values.contains(key) { forgetEarlierRuns(of: key) }
        perform(machine.leave(caller))
      }
    case 10..<13: makeTask()
    case 13..<17:
      if let task = tasks.keys.sorted().randomElement(using: &random) { end(task) }
    case 17: connect()
    case 18:
      lastCaller += 1
      eventCallers.insert(lastCaller)
      perform(machine.awaitEventsEnd(for: lastCaller))
      if Bool.random(using: &random) { perform(machine.endEvents()) }
    case 19:
      let key = randomKey()
      forgetEarlierRuns(of: key)
      perform(machine.cancel(key, with: "\(key) cancelled"))
      if waiting.values.contains(key) { violations.append("a caller of \(key) is not settled") }
      if isConnected, liveTasks(of: key) > 0 { violations.append("\(key) is not cancelled") }
      if resumptions.contains(key) { violations.append("\(key) keeps its resume data") }
    default: if Int.random(in: 0..<8, using: &random) == 0 { relaunch() }
    }
    check()
  }

  /// Ends all tasks, after which no caller may be left.
  mutating func finish() {
    connect()
    // A refused continuation makes another task, once.
    for _ in 1...2 {
      while !toMake.isEmpty { makeTask() }
      for task in tasks.keys.sorted() { end(task) }
    }
    if !eventCallers.isEmpty { perform(machine.endEvents()) }
    check()
    if !waiting.isEmpty { violations.append("callers wait without a task: \(waiting)") }
    if !eventCallers.isEmpty { violations.append("callers wait for the end of the events") }
  }

  private mutating func randomKey() -> String {
    ["a", "b", "c", "d"].randomElement(using: &random) ?? "a"
  }

  /// Notes that the tasks of a key are unwanted if the list of tasks has not arrived.
  private mutating func forgetEarlierRuns(of key: String) {
    guard !isConnected else { return }
    for number in tasks.keys where tasks[number]?.key == key { tasks[number]?.isUnwanted = true }
  }

  private mutating func request(making makes: Bool) {
    let key = randomKey()
    lastCaller += 1
    waiting[lastCaller] = key
    perform(machine.request(key, for: lastCaller, making: makes ? key : nil))
  }

  private mutating func makeTask() {
    guard let (key, start, isRestart) = toMake.first else { return }
    toMake.removeFirst()
    if Int.random(in: 0..<8, using: &random) == 0 {
      return perform(machine.failed(key, start: start, with: "\(key) has no file"))
    }
    lastTask += 1
    tasks[lastTask] = SystemTask(
      key: key, isContinued: !isRestart && resumptions.contains(key))
    // The program ends before the resume data is removed.
    if Int.random(in: 0..<40, using: &random) == 0 { return relaunch() }
    perform(machine.began(lastTask, key: key, start: start))
  }

  private mutating func end(_ number: Int) {
    guard let task = tasks.removeValue(forKey: number) else { return }
    let isRefusal = task.isContinued && Bool.random(using: &random)
    let isResumable = !isRefusal && Bool.random(using: &random)
    let outcome = "\(task.key) \(number)\(isResumable ? " resumable" : "")"
    let hadCallers = waiting.values.contains(task.key)
    ended[number] = task
    // A cancellation may come too late.
    let isCancellation =
      task.isCancelled && (task.isCancelledEarlier || Bool.random(using: &random))
    let actions = machine.finished(
      number, key: task.key, with: outcome, isCancellation: isCancellation, isRefusal: isRefusal)
    let isDropped = task.isCancelled || task.isUnwanted
    if isDropped, !actions.isEmpty {
      violations.append("the end of the cancelled task \(number) is an outcome")
    }
    perform(actions)
    guard !isDropped else { return }
    if resumptions.contains(task.key) != isResumable {
      violations.append("the resume data of \(task.key) is not that of its last task")
    }
    if isRefusal, hadCallers, waiting.values.contains(task.key) { return }
    if hadCallers ? waiting.values.contains(task.key) : disk[task.key] != outcome {
      violations.append("the outcome \(outcome) is lost")
    }
  }

  private mutating func connect() {
    guard !isConnected else { return }
    isConnected = true
    // The system does not list cancelled tasks.
    let known = tasks.merging(ended) { task, _ in task }
    let listed = known.filter { !$0.value.isCancelled }.sorted { $0.key < $1.key }
    perform(machine.connect(listed.map { ($0.key, $0.value.key) }, stored: disk))
  }

  /// Ends the program, with all its promises, and starts it again.
  private mutating func relaunch() {
    machine = Machine()
    isConnected = false
    waiting = [:]
    eventCallers = []
    toMake = []
    ended = [:]
    // The session starts the tasks that were only made.
    for number in tasks.keys {
      tasks[number]?.isResumed = true
      tasks[number]?.isUnwanted = false
      if tasks[number]?.isCancelled == true { tasks[number]?.isCancelledEarlier = true }
    }
  }

  private mutating func perform(_ actions: [Machine.Action]) {
    for action in actions {
      switch action {
      case .make(let job, let key, let start):
        if job != key { violations.append("the job \(job) is made for the key \(key)") }
        toMake.append((key, start, false))
      case .restart(let job, let key, let start):
        if job != key { violations.append("the job \(job) is made for the key \(key)") }
        if !waiting.values.contains(key) { violations.append("\(key) restarts without a caller") }
        toMake.append((key, start, true))
      case .storeResumption(let outcome, let key):
        if outcome.hasSuffix(" resumable") {
          resumptions.insert(key)
        } else {
          resumptions.remove(key)
        }
      case .discardResumption(let key): resumptions.remove(key)
      case .resume(let task):
        tasks[task]?.isResumed = true
        if resumptions.contains(tasks[task]?.key ?? "-") {
          violations.append("the task \(task) is started beside its resume data")
        }
        if !waiting.values.contains(tasks[task]?.key ?? "-") {
          violations.append("the task \(task) is started without a caller")
        }
      case .cancel(let task):
        guard let cancelled = tasks[task], !cancelled.isCancelled else {
          violations.append("the task \(task) is cancelled twice")
          continue
        }
        tasks[task]?.isCancelled = true
      case .deliver(let outcome, let callers): settle(callers, with: outcome)
      case .reportMissing(let callers):
        for caller in callers {
          let key = waiting.removeValue(forKey: caller) ?? "-"
          if disk[key] != nil || liveTasks(of: key) > 0 {
            violations.append("the transfer \(key) is reported as missing")
          }
        }
      case .keep(let outcome, let key): disk[key] = outcome
      case .discard(let key):
        if disk.removeValue(forKey: key) == nil {
          violations.append("an outcome of \(key) is removed that is not stored")
        }
      case .reportEventsEnd(let callers):
        for caller in callers where eventCallers.remove(caller) == nil {
          violations.append("the caller \(caller) does not wait for the end of the events")
        }
      }
    }
  }

  private mutating func settle(_ callers: [Int], with outcome: String) {
    for caller in callers {
      guard let key = waiting.removeValue(forKey: caller), outcome.hasPrefix("\(key) ") else {
        violations.append("the caller \(caller) is settled twice, or with \(outcome)")
        continue
      }
    }
  }

  private func liveTasks(of key: String) -> Int {
    tasks.values.count { $0.key == key && !$0.isCancelled }
  }

  private mutating func check() {
    for key in ["a", "b", "c", "d"] where liveTasks(of: key) > 1 {
      violations.append("the key \(key) has several tasks")
    }
    if tasks.values.contains(where: { !$0.isResumed && !$0.isCancelled }) {
      violations.append("a task is not started")
    }
    if isConnected, machine.keys.finished != disk.keys.sorted() {
      violations.append("the stored outcomes are not those of the machine")
    }
  }
}
