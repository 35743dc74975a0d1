import CatenaSystem
import Foundation
import Mocking
import Networking
import NetworkingInterceptors
import Promises
import TestSupport

/// The performance of a story by a real client, in virtual time.
struct StoryRun {
  let story: Story
  let log: StoryLog
  private static let reachable = NetworkReachability.Status.reachable(
    via: NetworkReachability.Path(interfaces: []))

  private let time = TestScheduler()
  private let network: StoryNetwork
  private let monitor = MockReachability(Self.reachable)
  private let client: Networking<Request>
  private let store: StoryStore?

  init(_ story: Story) {
    self.story = story
    log = StoryLog(time: time)
    network = StoryNetwork(story, log)
    store =
      story.options.contains { if case .offline = $0 { true } else { false } }
      ? StoryStore(time) : nil
    client = Self.client(story.options, network, monitor, log, store)
  }

  /// Performs all steps, and then lets the time run out.
  ///
  /// - Returns: The number of actions that are still scheduled.
  func perform() async -> Int {
    var promises: [NetworkPromise] = []
    for step in story.steps {
      // The store works on a queue of its own, beside which the steps would not be deterministic.
      if store != nil { await time.advance(by: .zero) }
      switch step {
      case .request(let request): promises.append(start(request, promises.count))
      case .cancel(let number):
        guard !promises.isEmpty else { break }
        let call = number % promises.count
        log.append(.cancelled(call: call))
        promises[call].cancel()
      case .cancelAll:
        for call in promises.indices { log.append(.cancelled(call: call)) }
        client.cancelAllRequests()
      case .suspend:
        log.append(.suspended)
        client.suspend()
      case .resume: resume()
      case .network(let isUp): setNetwork(isUp: isUp)
      case .advance(let seconds): await time.advance(by: .seconds(seconds))
      case .replay: replay()
      }
    }
    setNetwork(isUp: true)
    resume()
    await time.run(atMost: .seconds(100_000))
    if let store {
      replay()
      await time.run(atMost: .seconds(100_000))
      log.append(.remaining(store.calls))
    }
    return time.scheduledCount
  }

  private func start(_ story: StoryRequest, _ call: Int) -> NetworkPromise {
    let path = RequestPath(stringLiteral: story.path(call))
    var request: Request =
      story.method == .post || story.method == .put
      ? .upload(data: Data("body \(call)".utf8), to: path, method: story.method)
      : Request(story.method, path)
    request.timeout = story.timeout.map { .seconds($0) }
    request.headers["X-Request-ID"] = "\(call)"
    if store != nil, let key = story.storeKey {
      request = request.with(.store(.offline, key: "\(key)"))
    }
    log.append(.started(call: call))
    return client.request(request).always(on: .inline) { [log] result in
      var isStored = false
      if case .failure(let error as NetworkError) = result { isStored = error.isStoredOffline }
      log.append(.settled(call: call, StoryOutcome(result), isStored: isStored))
    }
  }

  /// Replays the offline store, if there is one.
  private func replay() {
    guard store != nil else { return }
    log.append(.replayStarted)
    client.replay().always(on: .inline) { [log] result in
      log.append(.replayEnded((try? result.get()).map(StoryReplay.init)))
    }
  }

  private func resume() {
    log.append(.resumed)
    client.resume()
  }

  private func setNetwork(isUp: Bool) {
    log.append(.network(isUp: isUp))
    network.isUp = isUp
    monitor.status = isUp ? Self.reachable : .unreachable
  }

  private static func client(
    _ options: [StoryOption], _ network: StoryNetwork, _ monitor: MockReachability, _ log: StoryLog,
    _ store: StoryStore?
  ) -> Networking<Request> {
    var configuration = NetworkingConfiguration()
    configuration.scheduler = log.time
    configuration.cookies = .none
    configuration.offline = store.map { .store($0.store) } ?? .none
    configuration.retryBudget = nil
    configuration.reachability = NetworkReachability(monitor: monitor)
    var mode = RequestMode.async
    var hasRefresh = false
    var circuitBreaker: CircuitBreaker?
    for option in options {
      switch option {
      case .mode(let value): mode = value
      case .retry(let limit, let seconds, let addsKey):
        configuration.retry = .delayed(.seconds(seconds), limit: limit)
        if addsKey { configuration.retry = configuration.retry.withIdempotencyKey() }
      case .callTimeout(let seconds): configuration.callTimeout = .seconds(seconds)
      case .attemptTimeout(let seconds): configuration.attemptTimeout = .seconds(seconds)
      case .redirects(let limit): configuration.redirects = .follow(limit: limit)
      case .whenUnreachable(let seconds):
        configuration.whenUnreachable = seconds.map { .wait(atMost: .seconds($0)) } ?? .fail
      case .refresh: hasRefresh = true
      case .sharing: configuration.sharesRequests = true
      case .cookies:
        configuration.cookies = .jar(CookieJar(wallClock: { StoryStore.date(of: log.time) }))
      case .circuit(let threshold, let seconds):
        circuitBreaker = CircuitBreaker(threshold: threshold, cooldown: .seconds(seconds))
      case .offline(let isAutomatic): configuration.replaysWhenReachable = isAutomatic
      }
    }
    let client = Networking<Request>(mode: mode, transport: network, configuration: configuration)
    client.callbackContext = .inline
    client.baseURL = URL(string: "https://a.example/")
    client.authenticate(bearerToken: "token-0")
    let began = RequestAdapter { request in
      if let call = StoryNetwork.call(request) { log.append(.began(call: call)) }
      return request
    }
    let entered = RequestAdapter { request in
      if let call = StoryNetwork.call(request) { log.append(.entered(call: call)) }
      return request
    }
    client.interceptors[.call] = [began] + (hasRefresh ? [refresh(client, log)] : []) + [entered]
    if let circuitBreaker { client.interceptors.append(circuitBreaker, at: .origin) }
    client.onAutomaticReplay { result in
      log.append(.replayEnded((try? result.get()).map(StoryReplay.init)))
    }
    return client
  }

  private static func refresh(
    _ client: Networking<Request>, _ log: StoryLog
  ) -> RefreshInterceptor {
    let count = Counter()
    return RefreshInterceptor { [weak client] _ in
      guard let client else { throw RefreshError() }
      log.append(.refreshStarted)
      let number = count.next()
      return client.request(Request(.post, "token", .notIntercepted))
        .map { [weak client] response in
          guard response.status == 200 else { throw RefreshError() }
          client?.authenticate(bearerToken: "token-\(number)")
        }
        .recover(on: .inline) { _ -> Void in throw RefreshError() }
        .always(on: .inline) { result in
          log.append(.refreshEnded(isSuccessful: (try? result.get()) != nil))
        }
    }
  }

  private final class Counter: Sendable {
    private let value = Atomic(0)

    func next() -> Int { value.add(1, ordering: .relaxed).newValue }
  }
}

/// An offline store in a temporary folder, in memory where the system has such a folder.
final class StoryStore: Sendable {
  private static let parent =
    FileManager.default.fileExists(atPath: "/dev/shm")
    ? URL(fileURLWithPath: "/dev/shm") : FileManager.default.temporaryDirectory

  let store: OfflineStore
  private let folder: TemporaryFolder

  init?(_ time: TestScheduler) {
    folder = TemporaryFolder(in: Self.parent)
    guard
      let store = try? OfflineStore(
        folder: folder.url, lifetime: nil, clock: { Self.date(of: time) })
    else { return nil }
    self.store = store
  }

  /// Returns the date at the current virtual time.
  static func date(of time: TestScheduler) -> Date {
    Date(timeIntervalSince1970: 1_700_000_000 + time.now / .seconds(1))
  }

  /// The calls whose requests are stored.
  var calls: [Int] { ((try? store.entries) ?? []).compactMap(\.call) }
}

extension OfflineStore.Entry {
  /// The call that the request was made for.
  fileprivate var call: Int? { request.headers["X-Request-ID"].flatMap { Int($0) } }
}

extension StoryReplay {
  init(_ report: OfflineStore.Report) {
    self.init(
      delivered: report.delivered.compactMap(\.call),
      failed: report.failed.compactMap(\.entry.call), kept: report.kept.compactMap(\.entry.call))
  }
}
