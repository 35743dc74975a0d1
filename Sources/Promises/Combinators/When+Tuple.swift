/// Waits for several promises of different types.
///
/// ```swift
/// let (profile, orders) = try await when(fetch(Profile()), fetch(Orders())).value
/// ```
///
/// As soon as one is rejected so is the result, and the others are cancelled unless somebody else
/// waits for them. Cancelling the result does the same.
///
/// - Parameters:
///   - first: a promise, whose context the result carries.
///   - second: another.
///   - others: any number of others.
///   - file: where the new promise was made, for diagnostics.
///   - line: where the new promise was made, for diagnostics.
/// - Returns: a promise of a tuple of the values, rejected with the first error to come.
public func when<First, Second, each Other>(
  _ first: Promise<First>, _ second: Promise<Second>, _ others: repeat Promise<each Other>,
  file: StaticString = #fileID, line: UInt = #line
) -> Promise<(First, Second, repeat each Other)> {
  gather(first, second, repeat each others, at: CallSite(file, line), endsWithFirstError: true) {
    (first.fulfilledValue, second.fulfilledValue, repeat (each others).fulfilledValue)
  }
}

/// The promise of what `collect` makes of several promises once all have settled, or, if asked for,
/// of the first error.
func gather<First, each Other, Collected>(
  _ first: Promise<First>, _ others: repeat Promise<each Other>,
  at site: CallSite, endsWithFirstError: Bool, _ collect: @escaping @Sendable () -> Collected
) -> Promise<Collected> {
  var members: [any Upstream] = [first]
  repeat members.append(each others)
  let countdown = Countdown(members.count)
  let result = Promise<Collected>(waitingFor: nil, on: first.context, at: site)

  func attach<Member>(to member: Promise<Member>) {
    member.attach(
      .everything,
      Reaction(for: result) { member, result in
        let result = Promise<Collected>.from(result)
        if endsWithFirstError, let error = Promise<Member>.from(member).error {
          return result.settle(rejecting: error, by: .consumer)
        }
        return countdown.isLast() && result.settle(fulfilling: collect(), by: .upstream)
      })
  }
  attach(to: first)
  repeat attach(to: each others)
  result.wait(for: UpstreamGroup(members))
  return result
}
