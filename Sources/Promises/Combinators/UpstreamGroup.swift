/// The several promises that one made by a combinator waits for.
final class UpstreamGroup: Upstream {
  private let members: [any Upstream]

  init(_ members: [any Upstream]) {
    self.members = members
  }

  init<Member>(_ members: [Promise<Member>]) {
    // One by one, since to convert the array as a whole casts each member at run time; and by index,
    // since Array.map allocates for each element where it is not specialised.
    self.members = members.indices.map { members[$0] }
  }

  func consumerLeft() {
    for member in members { member.consumerLeft() }
  }

  var upstreamLinks: UpstreamLinks { .many(members) }
}
