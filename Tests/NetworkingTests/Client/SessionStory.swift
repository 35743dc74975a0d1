import CatenaSystem
import Foundation
import Networking
import NetworkingInterceptors
import Promises
import TestSupport

/// A random story of sign-ins, sign-outs, renewals, retries, barriers and replays on one client, in virtual
/// time, and the faults in it.
///
/// A user is a number from 1. The path of a request has the user who made it, its credentials and cookies
/// have the user they belong to. 0 is nobody, whose requests may have the credentials of the next user.
final class SessionStory: Sendable {
  private struct State {
    var random: SeededGenerator
    var user = 0
    var lastUser = 0
    /// The number of sessions that have ended.
    var session = 0
    /// The number of the token of each user that the server accepts.
    var tokens: [Int: Int] = [:]
    /// The user of the renewal token that the app keeps.
    var kept: Int?
    var pending = 0
    var faults: [String] = []
    var sent = 0
    var ended = 0
  }

  private let state: Mutex<State>
  private let time = TestScheduler()
  private let jar = CookieJar()
  private let barrier = PipelineBarrier()
  private let usesStore: Bool
  private let steps: Int

  /// Makes a story.
  ///
  /// - Parameters:
  ///   - seed: The seed of all choices.
  ///   - usesStore: Whether requests are stored offline and replayed, which uses the disk.
  init(seed: UInt64, usesStore: Bool = false) {
    var random = SeededGenerator(seed: seed)
    steps = .random(in: 5...25, using: &random)
    state = Mutex(State(random: random))
    self.usesStore = usesStore
  }

  /// The result of a story.
  struct Outcome: Sendable {
    /// The faults, of which there should be none.
    var faults: [String]
    /// The number of requests that were sent.
    var sent: Int
    /// The number of requests that failed because of the end of their session.
    var ended: Int
  }

  /// Runs the story.
  func run() async -> Outcome {
    let client = makeClient()
    for _ in 0..<steps {
      step(client)
      await time.advance(by: .milliseconds(pick(0...400)))
    }
    await time.run()
    withExtendedLifetime(client) {}
    return state.withLock { state in
      if state.pending != 0 { state.faults.append("\(state.pending) requests are pending") }
      return Outcome(faults: state.faults, sent: state.sent, ended: state.ended)
    }
  }

  private func pick(_ range: ClosedRange<Int>) -> Int {
    state.withLock { .random(in: range, using: &$0.random) }
  }

  private func makeClient() -> Networking<Request> {
    var configuration = NetworkingConfiguration()
    configuration.scheduler = time
    configuration.cookies = .jar(jar)
    configuration.idleTimeout = nil
    configuration.retry = .exponential(initial: .milliseconds(100), limit: 2)
    configuration.retryBudget = nil
    configuration.offline = usesStore ? .temporary : .none
    configuration.sharesRequests = pick(0...1) == 0
    let mode: RequestMode = [.async, .limited(2), .sync][pick(0...2)]
    let client = Networking<Request>(
      mode: mode, transport: Server(story: self), configuration: configuration)
    client.baseURL = URL.of("https://a.example/")
    client.callbackContext = .inline
    let refresh = RefreshInterceptor(on: [401], holdsRequests: pick(0...1) == 0) {
      [weak self, weak client] _ -> Promise<Void> in
      guard let self, let client else { throw CancellationError() }
      return renew(client)
    }
    client.interceptors = pick(0...1) == 0 ? [barrier, refresh] : [refresh, barrier]
    if pick(0...3) == 0 {
      client.middleware = { [time] _, _ in after(.milliseconds(50), scheduler: time, on: .inline) }
    }
    return client
  }

  private func step(_ client: Networking<Request>) {
    switch pick(0...15) {
    case 0, 1: signIn(client)
    case 2: signOut(client)
    case 3: barrier.hold(while: after(.milliseconds(pick(1...500)), scheduler: time, on: .inline))
    case 4:
      let user = state.withLock { $0.user }
      if user != 0 { _ = client.renewCredentials { renew(client) } }
    case 5, 6: state.withLock { $0.tokens[$0.user, default: 0] += 1 }
    case 7 where usesStore: client.replay()
    default: send(client)
    }
  }

  private func signIn(_ client: Networking<Request>) {
    if pick(0...1) == 0 { signOut(client) }
    let (user, token, replaces) = state.withLock { state in
      let replaces = state.user != 0
      state.lastUser += 1
      state.user = state.lastUser
      state.kept = state.user
      return (state.user, state.tokens[state.user, default: 0], replaces)
    }
    if replaces { state.withLock { $0.session += 1 } }
    client.authenticate(bearerToken: "\(user).\(token)")
    jar.removeAll()
  }

  private func signOut(_ client: Networking<Request>) {
    state.withLock { state in
      state.session += 1
      state.user = 0
      state.kept = nil
    }
    client.authenticate(authorizationHeader: nil)
    jar.removeAll()
  }

  private func send(_ client: Networking<Request>) {
    let (user, session) = state.withLock { state in
      state.pending += 1
      return (state.user, state.session)
    }
    var request = Request(pick(0...1) == 0 ? .put : .get, "notes/\(user)")
    if pick(0...7) == 0 { request = request.with(.notIntercepted) }
    if usesStore { request = request.with(.storedOffline) }
    client.request(request).always(on: .inline) { [self] result in
      state.withLock { state in
        state.pending -= 1
        let hasEnded = state.session != session
        switch result {
        case .success(let response) where hasEnded:
          state.faults.append("\(user) received \(response.status) after the end")
        case .failure(let error as NetworkError) where error.code == .sessionEnded:
          state.ended += 1
          if !hasEnded { state.faults.append("\(user) failed without an end") }
        default: break
        }
      }
    }
  }

  /// Renews the token of the user, and keeps it as an app does.
  private func renew(_ client: Networking<Request>) -> Promise<Void> {
    let kept = state.withLock { $0.kept }
    guard let kept else { return .rejected(CancellationError()) }
    return client.request(Request(.put, "token/\(kept)", .notIntercepted))
      .validate().toString()
      .map(on: .inline) { [self, weak client] token in
        guard client?.authenticate(bearerToken: token) == true else { return }
        state.withLock { state in
          if state.user != kept { state.faults.append("\(kept) is signed in again") }
          state.kept = kept
        }
      }
  }

  /// The server, which has a random delay, and sometimes fails.
  private struct Server: Transport {
    let story: SessionStory

    func start(
      _ request: HTTPRequest, _ receive: @escaping @Sendable (TransportEvent) -> Void
    ) -> any TransportHandle {
      story.check(request)
      let delay = Duration.milliseconds(story.pick(0...300))
      let answer = after(delay, scheduler: story.time, on: .inline)
      answer.done(on: .inline) { for event in story.response(to: request) { receive(event) } }
      answer.fail(on: .inline, policy: .allErrors) { _ in
        receive(.failure(TransportFailure(code: .cancelled)))
      }
      return Handle(answer: answer)
    }
  }

  private struct Handle: TransportHandle {
    let answer: Promise<Void>

    func cancel() { answer.cancel() }
    func suspend() {}
    func resume() {}
  }

  private func check(_ request: HTTPRequest) {
    let maker = Int(request.url.lastPathComponent) ?? 0
    let credential = request.headers["Authorization"]?.split(separator: " ").last
    let owner = credential.flatMap { $0.split(separator: ".").first }.flatMap { Int($0) }
    let cookie = request.headers["Cookie"]?.split(separator: "=").last.flatMap { Int($0) }
    state.withLock { state in
      state.sent += 1
      guard maker != 0 else { return }
      for other in [owner, cookie].compactMap({ $0 }) where other != maker {
        state.faults.append("a request of \(maker) is sent with credentials of \(other)")
      }
    }
  }

  private func response(to request: HTTPRequest) -> [TransportEvent] {
    let maker = Int(request.url.lastPathComponent) ?? 0
    let token = request.headers["Authorization"]
    let isRenewal = request.url.path.contains("token")
    let chance = pick(0...9)
    return state.withLock { state in
      let accepted = "\(maker).\(state.tokens[maker, default: 0])"
      if isRenewal { return .response(chance == 0 ? 500 : 200, [:], accepted) }
      if chance == 1 { return [.failure(TransportFailure(code: .notConnectedToInternet))] }
      if chance == 2 { return .response(503) }
      guard token == "Bearer \(accepted)" else { return .response(401) }
      return .response(200, ["Set-Cookie": "user=\(maker)"])
    }
  }
}
