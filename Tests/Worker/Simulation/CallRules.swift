import Networking

/// The rules about one call.
struct CallRules {
  private let settings: StorySettings
  private let call: StoryCall
  private let entries: [StoryLog.Entry]

  init(_ settings: StorySettings, _ call: StoryCall, _ entries: [StoryLog.Entry]) {
    self.settings = settings
    self.call = call
    self.entries = entries
  }

  var violations: [String] {
    guard let settled = call.settled, let outcome = call.outcome else { return ["never settled"] }
    var found: [String] = []
    if call.settlements != 1 { found.append("settled \(call.settlements) times") }
    if call.beginnings > 1 { found.append("began \(call.beginnings) times") }
    for hop in call.hops {
      if let cancelled = call.cancelled, hop.position > cancelled.position {
        found.append("hop \(hop.hop.number) after the cancellation")
      }
      guard let end = hop.end else {
        found.append("hop \(hop.hop.number) is still open")
        continue
      }
      if end.time > settled.time, !isShared {
        found.append("hop \(hop.hop.number) outlived the call")
      }
    }
    found += steps()
    if let reason = contradiction(outcome, settled.time) {
      found.append("the outcome is \(outcome), but \(reason)")
    }
    if let limit, let began = call.began, settled.time - began.time > limit {
      found.append("took \(settled.time - began.time), the limit is \(limit)")
    }
    return found
  }

  private var limit: Duration? { settings.limit(of: call.request) }

  /// Whether the call may be sent again after a failure.
  private var isRepeatable: Bool {
    settings.retryLimit > 0
      && (call.request.method.isIdempotent || settings.addsKey || settings.isStorable(call.request))
  }

  // MARK: Hops

  /// The causes of a hop after another one.
  private enum Cause {
    case redirect
    case retry
  }

  /// Whether the call may have taken part in the exchange of another one.
  private var isShared: Bool { settings.mayShare(call.request) }

  /// Whether the limit of retries applies to each passage, as to an exchange of several calls.
  private var hasRetriesOfExchange: Bool { settings.isSharing && call.request.method == .get }

  private func steps() -> [String] {
    var found: [String] = []
    var retries = 0
    for (index, passage) in call.passages.enumerated() {
      if index > 0 { found += repetitionViolations(passage, after: call.passages[index - 1]) }
      if hasRetriesOfExchange { retries = 0 }
      var redirects = 0
      for (hop, previous) in zip(passage.hops, [nil] + passage.hops) {
        guard let previous else {
          found += originalViolations(hop.hop)
          continue
        }
        switch cause(of: hop, after: previous) {
        case .redirect?:
          redirects += 1
          if redirects > settings.redirectLimit { found.append("followed \(redirects) redirects") }
          found += redirectViolations(previous.hop, hop.hop)
        case .retry?:
          redirects = 0
          retries += 1
          if retries > settings.retryLimit { found.append("retried \(retries) times") }
          if !isRepeatable { found.append("\(call.request.method) was sent twice") }
          found += originalViolations(hop.hop)
        case nil: found.append("hop \(hop.hop.number) has no cause")
        }
      }
    }
    if Set(call.hops.map(\.hop.idempotencyKey)).count > 1 {
      found.append("the idempotency key has changed")
    }
    return found
  }

  /// A call passes the interceptors again after a refresh.
  private func repetitionViolations(
    _ passage: StoryCall.Passage, after previous: StoryCall.Passage
  ) -> [String] {
    guard case .status(401)? = previous.hops.last?.hop.reply?.kind, settings.hasRefresh else {
      return ["was sent again without a 401"]
    }
    // Another call may have refreshed the token since this one began.
    let start = min(call.began?.position ?? 0, passage.entered.position)
    let isRefreshed = entries[start...passage.entered.position].contains {
      if case .refreshEnded(true) = $0.event { true } else { false }
    }
    return isRefreshed ? [] : ["was sent again without a refresh"]
  }

  private func cause(of hop: StoryCall.Hop, after previous: StoryCall.Hop) -> Cause? {
    // A promise that times out settles before its upstream is cancelled, so an exchange may end just
    // after the next one has started, at the same time.
    guard let end = previous.end, end.time <= hop.time else { return nil }
    if isCutShort(previous) == true {
      return hop.time - end.time >= settings.retryDelay ? .retry : nil
    }
    if case .redirect? = previous.hop.reply?.kind, hop.hop.path == previous.hop.path + "/next" {
      return .redirect
    }
    guard let delay = retryDelay(after: previous) else { return nil }
    return hop.time - end.time >= delay ? .retry : nil
  }

  /// The delay before a retry, or `nil` if the result of a hop is not retried.
  private func retryDelay(after hop: StoryCall.Hop) -> Duration? {
    switch hop.hop.reply?.kind {
    case .status(503)?: return settings.retryDelay
    case .retryAfter(let seconds)?:
      if isCutShort(hop) == nil { return settings.retryDelay }
      return seconds <= 60 ? max(settings.retryDelay, .seconds(seconds)) : nil
    case .failure?, .broken?, .silent?, nil: return settings.retryDelay
    case .status?, .redirect?: return isCutShort(hop) == nil ? settings.retryDelay : nil
    }
  }

  /// Whether the time limit of an attempt has ended a hop before its reply.
  ///
  /// `nil` if both are due at the same time.
  private func isCutShort(_ hop: StoryCall.Hop) -> Bool? {
    guard let limit = settings.attemptTimeout, let reply = hop.hop.reply else { return false }
    if case .silent = reply.kind { return true }
    return limit == .seconds(reply.delay) ? nil : limit < .seconds(reply.delay)
  }

  /// The first hop, and each hop that starts over, is the request of the user.
  private func originalViolations(_ hop: StoryHop) -> [String] {
    var found: [String] = []
    if hop.host != "a.example" || hop.path != call.request.path(call.number) {
      found.append("hop \(hop.number) went to \(hop.host)\(hop.path)")
    }
    if hop.method != call.request.method { found.append("hop \(hop.number) was a \(hop.method)") }
    let hasBody = call.request.method == .post || call.request.method == .put
    if (hop.bodySize > 0) != hasBody { found.append("hop \(hop.number) has the wrong body") }
    if hop.authorization == nil { found.append("hop \(hop.number) has no credentials") }
    let needsKey =
      settings.isStorable(call.request) || (settings.addsKey && !call.request.method.isIdempotent)
    if (hop.idempotencyKey != nil) != needsKey {
      found.append("hop \(hop.number) has the key \(hop.idempotencyKey ?? "none")")
    }
    return found
  }

  /// Source: RFC 9110 section 15.4.
  private func redirectViolations(_ previous: StoryHop, _ next: StoryHop) -> [String] {
    guard case .redirect(let status, let crossesOrigin)? = previous.reply?.kind else { return [] }
    var found: [String] = []
    if (previous.host != next.host) != crossesOrigin {
      found.append("hop \(next.number) went to \(next.host)")
    }
    let becomesGet = status == 303 || ([301, 302].contains(status) && previous.method == .post)
    let method: HTTPMethod = becomesGet ? .get : previous.method
    if next.method != method { found.append("hop \(next.number) was a \(next.method)") }
    if next.bodySize != (becomesGet ? 0 : previous.bodySize) {
      found.append("hop \(next.number) has the wrong body")
    }
    return found
  }

  // MARK: Outcome

  /// The reason why an outcome cannot follow from the events, or `nil`.
  private func contradiction(_ outcome: StoryOutcome, _ time: Duration) -> String? {
    let last = call.hops.last
    let kind = last?.hop.reply?.kind
    switch outcome {
    case .cancelled: return call.cancelled == nil ? "nobody cancelled it" : nil
    case .refreshFailed: return hasFailedRefresh ? nil : "no refresh failed"
    case .unexpected: return "no rule allows it"
    case .status(let status): return contradiction(ofStatus: status, last)
    case .failed(.timedOut(.call)):
      guard let limit, let began = call.began else { return "there is no limit" }
      return time - began.time == limit ? nil : "the limit is \(limit)"
    case .failed(.tooManyRedirects):
      if case .redirect? = kind { return nil }
      return "the last reply is no redirect"
    case .failed(let code):
      if let reason = contradiction(of: code, last, time) { return reason }
      if code == .circuitOpen { return nil }
      if code == .notConnectedToInternet, last?.hop.reply != nil || last == nil { return nil }
      return isRetryDue ? "a retry was left" : nil
    }
  }

  private func contradiction(ofStatus status: Int, _ last: StoryCall.Hop?) -> String? {
    switch last?.hop.reply?.kind {
    case .status(status)?:
      if status == 503 && isRetryDue { return "a retry was left" }
      if status == 401 && settings.hasRefresh && rejections < 2 { return "no refresh was tried" }
      return nil
    case .retryAfter(let seconds)? where status == 503:
      return isRetryDue && seconds <= 60 ? "a retry was left" : nil
    default: return "the last reply is \(last?.hop.reply.map { "\($0)" } ?? "none")"
    }
  }

  private func contradiction(
    of code: NetworkError.Code, _ last: StoryCall.Hop?, _ time: Duration
  ) -> String? {
    switch (code, last?.hop.reply?.kind) {
    case (.connectionLost, .failure(.connectionLost)?), (.connectionLost, .broken?),
      (.cannotConnect, .failure(.cannotConnect)?):
      return nil
    case (.timedOut(.idle), .silent?): return nil
    case (.timedOut(.attempt), _):
      // The time limit of an attempt includes the wait for a network.
      return settings.attemptTimeout != nil ? nil : "there is no limit"
    case (.circuitOpen, _): return settings.circuit != nil ? nil : "there is no circuit breaker"
    case (.notConnectedToInternet, _):
      return wasDown ? nil : "the network was never down"
    default: return "the last reply is \(last?.hop.reply.map { "\($0)" } ?? "none")"
    }
  }

  private var rejections: Int {
    call.hops.count { if case .status(401)? = $0.hop.reply?.kind { true } else { false } }
  }

  private var hasFailedRefresh: Bool {
    settings.hasRefresh
      && entries.contains { if case .refreshEnded(false) = $0.event { true } else { false } }
  }

  private var wasDown: Bool {
    entries.contains { if case .network(false) = $0.event { true } else { false } }
  }

  /// Whether the policy allows another retry.
  private var isRetryDue: Bool {
    guard isRepeatable else { return false }
    let passages = hasRetriesOfExchange ? call.passages.suffix(1) : call.passages[...]
    let retries = passages.reduce(0) { count, passage in
      count
        + zip(passage.hops.dropFirst(), passage.hops).count { cause(of: $0, after: $1) == .retry }
    }
    // A reply at the time limit of its attempt may count as either, so the number is not known.
    let isExact = call.hops.allSatisfy { isCutShort($0) != nil }
    return retries < settings.retryLimit && isExact && !wasDown
  }
}
