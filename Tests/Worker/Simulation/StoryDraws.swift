import Networking
import TestSupport

/// The random draws of a story.
struct StoryDraws {
  var generator: SeededGenerator

  private mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }

  private mutating func oneIn(_ count: Int) -> Bool { below(count) == 0 }

  mutating func options() -> [StoryOption] {
    var options: [StoryOption] = []
    switch below(3) {
    case 0: options.append(.mode(.sync))
    case 1: options.append(.mode(.limited(1 + below(3))))
    default: break
    }
    if !oneIn(3) {
      options.append(.retry(limit: 1 + below(3), seconds: below(4), addsKey: oneIn(2)))
    }
    if oneIn(3) { options.append(.callTimeout(seconds: 1 + below(20))) }
    if oneIn(3) { options.append(.attemptTimeout(seconds: 1 + below(8))) }
    if oneIn(4) { options.append(.redirects(limit: below(3))) }
    if oneIn(2) { options.append(.whenUnreachable(waitsSeconds: oneIn(2) ? nil : below(10))) }
    if oneIn(2) { options.append(.refresh((0..<below(4)).map { _ in tokenReply() })) }
    if oneIn(3) { options.append(.sharing) }
    if oneIn(3) { options.append(.cookies) }
    if oneIn(4) { options.append(.circuit(threshold: 1 + below(3), seconds: 1 + below(10))) }
    if oneIn(4) { options.append(.offline(isAutomatic: oneIn(2))) }
    return options
  }

  private mutating func tokenReply() -> StoryReply {
    StoryReply(kind: oneIn(3) ? .status(500) : .status(200), delay: below(4))
  }

  mutating func steps() -> [StoryStep] {
    var steps: [StoryStep] = []
    for _ in 0..<(2 + below(12)) { steps.append(step()) }
    return steps
  }

  private mutating func step() -> StoryStep {
    switch below(21) {
    case 0..<9: .request(request())
    case 9..<11: .cancel(below(64))
    case 11: oneIn(3) ? .cancelAll : .cancel(below(64))
    case 12: .suspend
    case 13: .resume
    case 14: .network(isUp: false)
    case 15: .network(isUp: true)
    case 16: .replay
    default: .advance(seconds: 1 + below(8))
    }
  }

  private mutating func request() -> StoryRequest {
    let methods: [HTTPMethod] = [.get, .get, .post, .post, .put, .delete]
    let method = methods[below(methods.count)]
    return StoryRequest(
      method: method, timeout: oneIn(6) ? 1 + below(10) : nil,
      resource: method == .get && oneIn(2) ? below(2) : nil,
      storeKey: oneIn(2) ? below(2) : nil,
      replies: (0..<below(5)).map { _ in reply() })
  }

  private mutating func reply() -> StoryReply {
    let kind: StoryReply.Kind =
      switch below(14) {
      case 0..<2: .status(200)
      case 2..<4: .status(503)
      case 4: .retryAfter(below(80))
      case 5..<7: .status(401)
      case 7: .status(404)
      case 8..<10:
        .redirect([301, 302, 303, 307, 308][below(5)], crossesOrigin: oneIn(2))
      case 10: .failure(.connectionLost)
      case 11: .failure(.cannotConnect)
      case 12: .broken
      default: .silent
      }
    return StoryReply(
      kind: kind, delay: oneIn(2) ? 0 : below(6), cookie: oneIn(3) ? cookie() : nil)
  }

  private mutating func cookie() -> StoryCookie {
    let kind: StoryCookie.Kind =
      switch below(8) {
      case 0..<4: .plain
      case 4: .deleted
      case 5: .foreign(isSuffix: oneIn(2))
      default: .expiring(seconds: 1 + below(10))
      }
    return StoryCookie(name: "c\(below(3))", kind: kind)
  }
}
