import CatenaSystem
import Foundation
import Mocking
import Networking
import Promises

/// The network and the servers of a story, as a transport that logs each hop.
///
/// A ``MockTransport`` gives the replies. The hosts are `a.example`, which gets the credentials, and
/// `b.example`, which must not. The field `X-Request-ID` has the number of the call; requests for
/// tokens have none.
final class StoryNetwork: Transport {
  private struct State {
    var isUp = true
    /// The number of hops of each call.
    ///
    /// The key -1 is for tokens.
    var hops: [Int: Int] = [:]
  }

  private let log: StoryLog
  private let requests: [StoryRequest]
  private let tokenReplies: [StoryReply]
  private let state = Mutex(State())
  private let servers: MockTransport
  /// Whether no two exchanges end at the same time.
  ///
  /// The rules about cookies and circuits then know the order in which the client handles them.
  private let endsAreDistinct: Bool

  /// - Parameters:
  ///   - story: The story, with the replies.
  ///   - log: The log for the hops.
  init(_ story: Story, _ log: StoryLog) {
    self.log = log
    requests = story.requests
    var tokenReplies: [StoryReply] = []
    for case .refresh(let replies) in story.options { tokenReplies = replies }
    self.tokenReplies = tokenReplies
    endsAreDistinct = story.options.contains {
      switch $0 {
      case .cookies, .circuit: true
      default: false
      }
    }
    servers = MockTransport(scheduler: log.time) {
      Route(nil, "/{rest*}") { request in Self.mock(request) }
    }
  }

  var isUp: Bool {
    get { state.withLock { $0.isUp } }
    set { state.withLock { $0.isUp = newValue } }
  }

  func start(
    _ request: HTTPRequest, _ receive: @escaping @Sendable (_ event: TransportEvent) -> Void
  ) -> any TransportHandle {
    let call = Self.call(request) ?? -1
    let reply = isUp ? reply(toHopOf: call) : nil
    let bodySize = if case .data(let data) = request.body { data.count } else { 0 }
    let number = log.append(
      StoryHop(
        number: 0, call: call, host: request.url.host ?? "", path: request.url.path,
        method: request.method, authorization: request.headers["Authorization"],
        idempotencyKey: request.headers["Idempotency-Key"], cookies: request.headers["Cookie"],
        bodySize: bodySize, reply: reply))
    let (log, end) = (log, FirstEnd())
    let receive: @Sendable (TransportEvent) -> Void = { event in
      switch event {
      case .end: if end.isFirst() { log.append(.ended(hop: number, .complete)) }
      case .failure: if end.isFirst() { log.append(.ended(hop: number, .failed)) }
      default: break
      }
      receive(event)
    }
    let offset = endsAreDistinct ? number + 1 : 0
    guard let reply else {
      let failure = TransportEvent.failure(TransportFailure(code: .notConnectedToInternet))
      guard offset > 0 else {
        receive(failure)
        return Handle(nil) {}
      }
      let action = log.time.schedule(after: .milliseconds(offset)) { receive(failure) }
      return Handle(nil) {
        action.cancel()
        if end.isFirst() { log.append(.ended(hop: number, .closed)) }
      }
    }
    var request = request
    request.headers["X-Reply"] = Self.encoded(reply, request.url, offset)
    if let cookie = reply.cookie {
      request.headers["X-Cookie"] = cookie.field(value: number, from: request.url.host)
    }
    return Handle(servers.start(request, receive)) {
      if end.isFirst() { log.append(.ended(hop: number, .closed)) }
    }
  }

  /// Returns the number of the call that a request belongs to, or `nil` for a token.
  static func call(_ request: HTTPRequest) -> Int? {
    request.headers["X-Request-ID"].flatMap { Int($0) }
  }

  private func reply(toHopOf call: Int) -> StoryReply {
    let replies = call >= 0 && call < requests.count ? requests[call].replies : tokenReplies
    let hop = state.withLock { state in
      defer { state.hops[call, default: 0] += 1 }
      return state.hops[call, default: 0]
    }
    return hop < replies.count ? replies[hop] : StoryReply(kind: .status(200), delay: 0)
  }

  // MARK: Replies

  /// The reply in a header field, because the routes of a ``MockTransport`` have no other state.
  private static func encoded(_ reply: StoryReply, _ url: URL, _ offset: Int) -> String {
    let kind =
      switch reply.kind {
      case .status(let status): "status \(status)"
      case .retryAfter(let seconds): "retry \(seconds)"
      case .redirect(let status, let crossesOrigin):
        "redirect \(status) \(target(of: url, crossesOrigin))"
      case .failure(.cannotConnect): "refused"
      case .failure: "lost"
      case .broken: "broken"
      case .silent: "silent"
      }
    return "\(reply.delay * 1_000 + offset) \(kind)"
  }

  /// The location of a redirect, which differs from all earlier URLs of the call.
  private static func target(of url: URL, _ crossesOrigin: Bool) -> String {
    let isFirst = url.host == "a.example"
    let host = isFirst == crossesOrigin ? "b.example" : "a.example"
    return "https://\(host)\(url.path)/next"
  }

  private static func mock(_ request: ReceivedRequest) -> Mock {
    let words = (request.headers["X-Reply"] ?? "").split(separator: " ").map(String.init)
    guard words.count >= 2, let delay = Int(words[0]) else { return .status(400) }
    let number = words.count > 2 ? Int(words[2]) ?? 0 : 0
    let mock: Mock =
      switch words[1] {
      case "status": .text("body", status: number)
      case "retry": Mock.status(503, headers: ["Retry-After": "\(number)"])
      case "redirect": .redirect(to: words[3], status: number)
      case "refused": .failure(.cannotConnect)
      case "lost": .failure(.connectionLost)
      case "broken": Mock.text("a body").interrupted(by: .close, at: .body(afterBytes: 2))
      default: .fault(.stall, at: .request)
      }
    let delayed = delay > 0 ? mock.delayed(by: .milliseconds(delay)) : mock
    return request.headers["X-Cookie"].map { delayed.header("Set-Cookie", $0) } ?? delayed
  }

  // MARK: Handles

  private final class FirstEnd: Sendable {
    private let hasEnded = Atomic(false)

    /// Returns whether this is the first end.
    func isFirst() -> Bool { !hasEnded.exchange(true, ordering: .relaxed) }
  }

  private struct Handle: TransportHandle {
    let base: (any TransportHandle)?
    let onCancel: @Sendable () -> Void

    init(_ base: (any TransportHandle)?, onCancel: @escaping @Sendable () -> Void) {
      self.base = base
      self.onCancel = onCancel
    }

    func cancel() {
      onCancel()
      base?.cancel()
    }

    func suspend() { base?.suspend() }
    func resume() { base?.resume() }
  }
}

extension StoryCookie {
  /// Returns the value of a `Set-Cookie` field.
  fileprivate func field(value: Int, from host: String?) -> String {
    let attributes =
      switch kind {
      case .plain: ""
      case .expiring(let seconds): "; Max-Age=\(seconds)"
      case .deleted: "; Max-Age=0"
      case .foreign(isSuffix: true): "; Domain=example"
      case .foreign: "; Domain=\(host == "a.example" ? "b" : "a").example"
      }
    return "\(name)=\(value); Path=/\(attributes)"
  }
}
