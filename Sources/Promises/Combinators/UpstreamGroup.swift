/// The several promises that one made by a combinator waits for.
final class UpstreamGroup: Upstream {
  private let members: [any Upstream]

  init(_ members: [any Upstream]) {
    self.members = members
  }

  func consumerLeft() {
    for member in members { member.consumerLeft() }
  }

  var upstreamLinks: UpstreamLinks { .many(members) }
}
