import Networking

/// The contract of a client, as plain rules about the events of a story.
///
/// Each rule says what may happen; none of them says how the client does it.
struct StoryRules {
  private let settings: StorySettings
  private let entries: [StoryLog.Entry]
  private let calls: [StoryCall]

  init(_ story: Story, _ entries: [StoryLog.Entry]) {
    settings = StorySettings(story.options)
    self.entries = entries
    calls = story.requests.enumerated().map { StoryCall($0.offset, $0.element, entries) }
  }

  /// The violations of all rules.
  var violations: [String] {
    let shared = SharingRules(settings, calls)
    var found = calls.flatMap { call in
      // A call without hops of its own may have shared one of several exchanges.
      let readings = shared.readings(of: call).map { CallRules(settings, $0, entries).violations }
      return readings.min { $0.count < $1.count }?.map { "call \(call.number): \($0)" } ?? []
    }
    found += orderViolations + originViolations + refreshViolations + shared.violations
    found += CookieRules(settings, entries).violations
    found += CircuitRules(settings, calls, entries).violations
    return found + OfflineRules(settings, calls, entries).violations
  }

  // MARK: The queue

  /// The threads on which calls of a story begin: that of the story, and those on which earlier
  /// calls end.
  private static let threadCount = 4

  /// The calls begin in their order, no more than the mode allows at a time, and none while the
  /// client is suspended.
  ///
  /// A thread that has taken a call from the queue can be overtaken by another thread before the
  /// call begins. The mode limits the number of such calls, too.
  private var orderViolations: [String] {
    var found: [String] = []
    var waiting: Set<Int> = []
    var active: Set<Int> = []
    var begun: Set<Int> = []
    var isSuspended = false
    for entry in entries {
      switch entry.event {
      case .started(let call): waiting.insert(call)
      case .began(let call):
        if isSuspended { found.append("call \(call) began while the client was suspended") }
        // A replay takes a new place in the queue.
        guard begun.insert(call).inserted else { break }
        if waiting.remove(call) == nil { found.append("call \(call) began before it was made") }
        active.insert(call)
        let overtaken = waiting.sorted().prefix { $0 < call }
        if overtaken.count >= min(settings.width, Self.threadCount) {
          found.append("call \(call) began before \(Array(overtaken))")
        }
        if active.count + overtaken.count > settings.width {
          found.append("\(active.sorted()) were in flight together, besides \(Array(overtaken))")
        }
      case .settled(let call, _, _):
        waiting.remove(call)
        active.remove(call)
      case .suspended: isSuspended = true
      case .resumed: isSuspended = false
      default: break
      }
    }
    return found
  }

  // MARK: Credentials

  /// Credentials go to their origin only, and are tokens that were issued before.
  private var originViolations: [String] {
    var found: [String] = []
    var issued = 0
    for entry in entries {
      switch entry.event {
      case .hop(let hop):
        if hop.host != "a.example", let value = hop.authorization {
          found.append("\(value) was sent to \(hop.host)")
        }
        guard let value = hop.authorization else { continue }
        let number = Int(value.dropFirst("Bearer token-".count)) ?? -1
        if !value.hasPrefix("Bearer token-") || number < 0 || number > issued {
          found.append("\(value) was sent, but token \(issued) was the last")
        }
      case .refreshStarted: issued += 1
      default: break
      }
    }
    return found
  }

  // MARK: Refresh

  /// One refresh at a time, and no more than responses with a 401.
  private var refreshViolations: [String] {
    var found: [String] = []
    var isRefreshing = false
    var unauthorized: Set<Int> = []
    var (rejected, refreshes) = (0, 0)
    for entry in entries {
      switch entry.event {
      case .hop(let hop):
        if case .status(401)? = hop.reply?.kind { unauthorized.insert(hop.number) }
      case .ended(let hop, _): rejected += unauthorized.contains(hop) ? 1 : 0
      case .refreshStarted:
        if isRefreshing { found.append("two refreshes ran at the same time") }
        refreshes += 1
        if refreshes > rejected { found.append("a refresh began without a 401") }
        isRefreshing = true
      case .refreshEnded: isRefreshing = false
      default: break
      }
    }
    return found
  }
}

/// The options of a story as values.
struct StorySettings {
  var width = Int.max
  var retryLimit = 0
  var retryDelay = Duration.zero
  var addsKey = false
  var callTimeout: Duration?
  var attemptTimeout: Duration?
  var redirectLimit = 20
  var failsWhenUnreachable = false
  var waitWhenUnreachable: Duration?
  var hasRefresh = false
  var isSharing = false
  var hasCookies = false
  var circuit: (threshold: Int, cooldown: Duration)?
  var hasOfflineStore = false
  var isReplayAutomatic = false

  init(_ options: [StoryOption]) {
    for option in options {
      switch option {
      case .mode(.sync): width = 1
      case .mode(.async): width = .max
      case .mode(.limited(let value)): width = value
      case .retry(let limit, let seconds, let addsKey):
        (retryLimit, retryDelay, self.addsKey) = (limit, .seconds(seconds), addsKey)
      case .callTimeout(let seconds): callTimeout = .seconds(seconds)
      case .attemptTimeout(let seconds): attemptTimeout = .seconds(seconds)
      case .redirects(let limit): redirectLimit = limit
      case .whenUnreachable(let seconds):
        failsWhenUnreachable = seconds == nil
        waitWhenUnreachable = seconds.map { .seconds($0) }
      case .refresh: hasRefresh = true
      case .sharing: isSharing = true
      case .cookies: hasCookies = true
      case .circuit(let threshold, let seconds): circuit = (threshold, .seconds(seconds))
      case .offline(let isAutomatic): (hasOfflineStore, isReplayAutomatic) = (true, isAutomatic)
      }
    }
  }

  /// Returns the time limit of a call.
  func limit(of request: StoryRequest) -> Duration? {
    request.timeout.map { .seconds($0) } ?? callTimeout
  }

  /// Whether a request is stored if it fails for lack of a network.
  ///
  /// Such a request has an idempotency key from the start.
  func isStorable(_ request: StoryRequest) -> Bool {
    hasOfflineStore && request.storeKey != nil
  }

  /// Whether a call may take part in an exchange that another call has started.
  ///
  /// No two requests with an idempotency key are identical.
  func mayShare(_ request: StoryRequest) -> Bool {
    isSharing && request.resource != nil && !isStorable(request)
  }
}
