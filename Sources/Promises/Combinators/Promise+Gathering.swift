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
    let result = Promise(
      waitingFor: UpstreamGroup(members), on: members.first?.context ?? .main, at: site)
    // One closure serves every member, so a member costs no allocation.
    let work: Reaction.Work = { member, result in react(.from(member), .from(result)) }
    for member in members { member.attach(.everything, Reaction(for: result, work)) }
    return result
  }
}
