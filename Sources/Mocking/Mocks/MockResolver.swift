import CatenaSystem
import Networking
import Promises

/// A resolver that turns a mock into the response to one request.
///
/// It selects the next response of a sequence, draws a weighted response, runs a template, and draws
/// random delays and faults. Each server, provider and transport has its own resolver.
final class MockResolver: Sendable {
  enum Resolution: Sendable {
    /// A mock whose source is ``Mock/Source/fields``, with fixed delays. If its body is a file, the
    /// caller calls ``Mock/openingFile(for:)``.
    case mock(Mock)
    /// The mock cannot be served, for this reason.
    case invalid(String)
    /// The sequence is exhausted, and the request is handled as if there were no mock.
    case fallsThrough
  }

  private let machine = Mutex(MockResolverMachine())
  /// The default delay, for mocks that do not set one.
  private let delay: MockDelay
  /// The source of random numbers for weights, faults, delays and templates.
  let random: SeededRandom
  private let counters = TemplateCounters()
  /// The changes of delays and faults while the backend runs.
  let adjustments: ResponseAdjustments

  /// Creates a resolver.
  ///
  /// - Parameters:
  ///   - delay: The default delay.
  ///   - random: The source of random numbers.
  ///   - adjustments: The changes of delays and faults while the backend runs.
  init(
    delay: MockDelay = .zero, random: SeededRandom = SeededRandom(seed: 0),
    adjustments: ResponseAdjustments = ResponseAdjustments()
  ) {
    self.delay = delay
    self.random = random
    self.adjustments = adjustments
  }

  /// Returns the generated values for templates.
  ///
  /// - Parameters:
  ///   - scheduler: The clock of the request.
  ///   - client: The client of the request, if clients are isolated.
  /// - Returns: The values.
  func values(on scheduler: any Scheduler, for client: Mock.Client? = nil) -> TemplateValues {
    TemplateValues(random: random, counters: counters, scheduler: scheduler)
      .counting(for: client?.id, atMost: client?.limit ?? 1)
  }

  /// Starts all sequences again with their first responses, and all counters of templates with their
  /// first numbers.
  func restartSequences() {
    machine.withLock { $0.restartSequences() }
    counters.restart()
  }

  /// Returns whether a mock can be served unchanged.
  ///
  /// Fast path: most mocks have no sequence, template, file or random delay, and need no default
  /// delay.
  func needsNoResolution(_ mock: Mock) -> Bool {
    guard case .fields = mock.source, mock.bodyDelay?.isRandom != true, mock.webhooks.isEmpty,
      !adjustments.isActive, mock.client?.newCookie == nil
    else { return false }
    if case .file = mock.body { return false }
    if let interruption = mock.interruption, interruption.chance < 1 { return false }
    return mock.delay.map { !$0.isRandom } ?? (delay == .zero)
  }

  /// Resolves a mock.
  ///
  /// - Parameters:
  ///   - mock: The mock.
  ///   - route: The number of the route that returned the mock. `nil` if there is none.
  ///   - method: The method of the request.
  ///   - scheduler: The clock of the request, for templates.
  ///   - path: The path of the request. Evaluated only for a sequence.
  ///   - request: The request. Evaluated only for a template.
  /// - Returns: The resolved mock, or the reason why there is none.
  /// - Throws: The error that `request` throws.
  func resolve(
    _ mock: Mock, of route: Int? = nil, method: HTTPMethod,
    on scheduler: any Scheduler = .live, path: () -> String,
    request: () throws(TransportFailure) -> ReceivedRequest
  ) throws(TransportFailure) -> Resolution {
    var mock = mock
    var depth = 0
    while true {
      switch mock.source {
      case .fields: return .mock(prepared(mock, route))
      case .invalid(let reason): return .invalid(reason)
      case .sequence(let sequence):
        let key = MockResolverMachine.SequenceKey(
          location: sequence.location, route: route, method: method, path: path())
        let client = mock.client
        switch sequence.selection(machine.withLock { $0.next(in: key, for: client) }) {
        case .mock(let next): mock = next.inheriting(mock)
        case .exhausted(let count):
          return .invalid(
            "the sequence at \(sequence.location) is exhausted after \(count) "
              + "response\(count == 1 ? "" : "s") for \(method) \(key.path)")
        case .fallsThrough: return .fallsThrough
        }
      case .weighted(let choice): mock = choice.mock(at: random.unit()).inheriting(mock)
      case .template(let make):
        let request = try request()
        do {
          mock = try make(request, values(on: scheduler, for: mock.client)).inheriting(mock)
        } catch {
          mock = .handlerFailed(error)
        }
      }
      depth += 1
      if depth > Self.maximumDepth {
        return .invalid(
          "templates, sequences and weights are nested more than \(Self.maximumDepth) levels deep")
      }
    }
  }

  /// Returns a mock with fixed delays and without a chance, after the adjustments of its route.
  private func prepared(_ mock: Mock, _ route: Int?) -> Mock {
    var mock = mock
    adjustments.apply(to: &mock, of: route)
    if let cookie = mock.client?.newCookie { mock.headers.addCookie(cookie) }
    if let interruption = mock.interruption, interruption.chance < 1 {
      let occurs = random.unit() < interruption.chance
      mock.interruption?.chance = 1
      if !occurs { mock.interruption = nil }
    }
    if mock.delay == nil { mock.delay = delay }
    if mock.delay?.isRandom == true { mock.delay = draw(mock.delay) }
    if mock.bodyDelay?.isRandom == true { mock.bodyDelay = draw(mock.bodyDelay) }
    return mock
  }

  private func draw(_ delay: MockDelay?) -> MockDelay? {
    delay.map { .fixed($0.duration(machine.withLock { $0.draw() }, from: random)) }
  }

  private static let maximumDepth = 100
}

extension Mock.ResponseSequence.SourceLocation: CustomStringConvertible {
  /// The location in the format of compiler diagnostics.
  var description: String { "\(file):\(line):\(column)" }
}

/// The number of uses of each sequence, and the number of random delays drawn.
struct MockResolverMachine {
  /// The key of the use count of a sequence.
  struct SequenceKey: Hashable {
    let location: Mock.ResponseSequence.SourceLocation
    /// The number of the route.
    ///
    /// `nil` if the mock has no route.
    var route: Int?
    let method: HTTPMethod
    let path: String
  }

  private var useCounts = ClientValues<[SequenceKey: Int]>([:])
  private var draws = 0

  /// Returns the number of earlier uses of a sequence by a client, and adds one use.
  mutating func next(in key: SequenceKey, for client: Mock.Client? = nil) -> Int {
    useCounts.update(client?.id, atMost: client?.limit ?? 1) { counts in
      defer { counts[key, default: 0] += 1 }
      return counts[key, default: 0]
    }
  }

  mutating func restartSequences() {
    useCounts = ClientValues([:])
  }

  /// Returns the number of the next draw, counted from 0.
  mutating func draw() -> Int {
    defer { draws += 1 }
    return draws
  }
}

extension Mock.ResponseSequence {
  /// The result of one use of a sequence.
  enum Selection: Sendable {
    case mock(Mock)
    /// All `count` responses of the sequence have been used.
    case exhausted(count: Int)
    case fallsThrough
  }

  /// Returns the result of the use with an index, counted from 0.
  func selection(_ number: Int) -> Selection {
    if mocks.indices.contains(number) { return .mock(mocks[number]) }
    switch end {
    case .repeatsLast: return mocks.last.map(Selection.mock) ?? .exhausted(count: 0)
    case .fails: return .exhausted(count: mocks.count)
    case .fallsThrough: return .fallsThrough
    }
  }
}

extension HTTPHeaders {
  /// Adds a `Set-Cookie` field, unless there is one for the same cookie.
  fileprivate mutating func addCookie(_ cookie: String) {
    let name = cookie.prefix { $0 != "=" } + "="
    guard !values(for: "Set-Cookie").contains(where: { $0.hasPrefix(name) }) else { return }
    add(cookie, for: "Set-Cookie")
  }
}
