/// The rules about exchanges that several calls share.
struct SharingRules {
  /// An exchange, which belongs to the call that its hops name and to those that have joined it.
  private struct Exchange {
    let leader: Int
    let resource: Int
    let entered: StoryCall.Place
    /// The time at which the leader has left, if it has.
    let leaderEnd: StoryCall.Place?
    let hops: [StoryCall.Hop]

    /// Whether the exchange may have been running at a position.
    func mayBeRunning(at position: Int) -> Bool {
      entered.position < position
        && (leaderEnd.map { position < $0.position } ?? true
          || hops.contains { $0.position > position || ($0.end?.position ?? .max) > position })
    }
  }

  private let settings: StorySettings
  /// The calls that may share an exchange.
  private let calls: [StoryCall]
  private let exchanges: [Exchange]

  init(_ settings: StorySettings, _ calls: [StoryCall]) {
    self.settings = settings
    self.calls = calls.filter { settings.mayShare($0.request) }
    exchanges = self.calls.flatMap { call in
      call.passages.indices.compactMap { index -> Exchange? in
        let passage = call.passages[index]
        let isLast = index == call.passages.count - 1
        let hops = passage.hops + (isLast ? call.laterHops : [])
        guard let resource = call.request.resource, !hops.isEmpty else { return nil }
        return Exchange(
          leader: call.number, resource: resource, entered: passage.entered,
          leaderEnd: passage.end, hops: hops)
      }
    }
  }

  // MARK: Calls

  /// Returns a call with the hops of the exchanges that it may have joined, in all possible ways.
  func readings(of call: StoryCall) -> [StoryCall] {
    guard settings.mayShare(call.request) else { return [call] }
    var readings = [call]
    for index in call.passages.indices where call.passages[index].hops.isEmpty {
      readings = readings.flatMap { reading in
        [reading]
          + joinable(by: call, call.passages[index]).map { exchange in
            var reading = reading
            let end = call.passages[index].end?.position ?? .max
            reading.passages[index].hops = exchange.hops.filter { $0.position < end }
            return reading
          }
      }
    }
    return readings
  }

  private func joinable(by call: StoryCall, _ passage: StoryCall.Passage) -> [Exchange] {
    exchanges.filter {
      $0.leader != call.number && $0.resource == call.request.resource
        && $0.mayBeRunning(at: passage.entered.position)
    }
  }

  // MARK: Exchanges

  var violations: [String] {
    exchanges.flatMap(abandonedHops) + exchanges.flatMap(missedSharing)
  }

  /// No hop of an exchange starts after all its calls have left, and none outlives them.
  private func abandonedHops(_ exchange: Exchange) -> [String] {
    let followers = calls.filter { $0.request.resource == exchange.resource }
      .flatMap { call in
        call.passages.filter { call.number != exchange.leader && $0.hops.isEmpty }
      }
      .filter { exchange.mayBeRunning(at: $0.entered.position) }
    let ends = [exchange.leaderEnd] + followers.map(\.end)
    guard let last = ends.max(by: { ($0?.position ?? .max) < ($1?.position ?? .max) }) ?? nil
    else { return [] }
    return exchange.hops.compactMap { hop in
      if hop.position > last.position { return "hop \(hop.hop.number) started for no call" }
      guard let end = hop.end else { return "hop \(hop.hop.number) is still open" }
      return end.time > last.time ? "hop \(hop.hop.number) outlived all calls" : nil
    }
  }

  /// No exchange starts while an identical request is in flight.
  ///
  /// Cookies are part of the identity, and may have changed in between.
  private func missedSharing(_ exchange: Exchange) -> [String] {
    guard !settings.hasCookies, let first = exchange.hops.first else { return [] }
    let position = exchange.entered.position
    return exchanges.compactMap { other in
      guard other.leader != exchange.leader, other.resource == exchange.resource,
        other.hops.first?.hop.authorization == first.hop.authorization,
        other.entered.position < position, position < other.leaderEnd?.position ?? .max,
        other.hops.contains(where: {
          $0.position < position && position < $0.end?.position ?? .max
        })
      else { return nil }
      return "call \(exchange.leader) did not share the exchange of call \(other.leader)"
    }
  }
}
