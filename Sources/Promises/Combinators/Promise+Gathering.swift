extension Promise {
  /// A promise that waits for all of a number of others, and carries the context of the first.
  ///
  /// - Parameters:
  ///   - members: what it waits for; at least one.
  ///   - site: where it was made.
  ///   - react: runs inline for each member that settles, with the promise made here; returns whether
  ///     it has settled that.
  /// - Returns: the promise, pending until `react` settles it.
  static func gathering<Member>(
    _ members: [Promise<Member>], at site: CallSite,
    _ react: @escaping @Sendable (_ member: Promise<Member>, _ result: Promise) -> Bool
  ) -> Promise {
    let result = Promise(waitingFor: nil, on: members.first?.context ?? .main, at: site)
    // One closure serves every member, so a member costs no allocation.
    let work: Reaction.Work = { member, result in react(.from(member), .from(result)) }
    for member in members { member.attach(.everything, Reaction(for: result, work)) }
    result.wait(for: UpstreamGroup(members))
    return result
  }

  /// Makes `group`, to whose every member this promise has been attached, what it waits for.
  ///
  /// Not before it has been attached to all: a member that has settled already may settle this promise
  /// too, which would then leave members that it has not come to, at the cost of somebody else's claim.
  func wait(for group: UpstreamGroup) {
    let isWaiting = machine.withLock { machine in
      guard !isSettled else { return false }
      machine.upstream = group
      return true
    }
    if !isWaiting { Trampoline.tell(group) }
  }
}
