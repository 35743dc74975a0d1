import Networking
import Synchronization

/// Makes of a mock what is to be served this time: with its turn in a sequence, its template filled in,
/// its file read and its delays drawn.
///
/// Each server, provider and transport has one of its own.
final class MockResolver: Sendable {
  enum Answer: Sendable {
    /// One of ``Mock/Source/own``, whose body is no file and whose delays are fixed.
    case mock(Mock)
    /// What was to be answered cannot be made: why.
    case broken(String)
    case fallsThrough
  }

  private let machine = Mutex(MockResolverMachine())
  /// The delay of mocks that have none.
  private let delay: MockDelay

  init(delay: MockDelay = .zero) {
    self.delay = delay
  }

  /// Whether a mock is served as it was laid down: there is nothing to make, to read, to draw or to add.
  func needsNoResolution(_ mock: Mock) -> Bool {
    guard case .own = mock.source, mock.bodyDelay?.isRandom != true else { return false }
    if case .file = mock.body { return false }
    return mock.delay.map { !$0.isRandom } ?? (delay == .zero)
  }

  /// Finds what to serve.
  ///
  /// - Parameters:
  ///   - mock: what was laid down.
  ///   - route: the number of the route that laid it down; nil for none.
  ///   - method: the request's method.
  ///   - path: the request's path; asked for a sequence alone.
  ///   - request: the request; asked for a template alone.
  /// - Returns: what to serve.
  /// - Throws: what `request` throws.
  func answer(
    _ mock: Mock, of route: Int? = nil, method: HTTPMethod, path: () -> String,
    request: () throws(TransportFailure) -> ReceivedRequest
  ) throws(TransportFailure) -> Answer {
    var mock = mock
    var depth = 0
    while true {
      switch mock.source {
      case .own:
        return finished(mock)
      case .broken(let reason): return .broken(reason)
      case .sequence(let sequence):
        let account = MockResolverMachine.Account(
          place: sequence.place, route: route, method: method, path: path())
        switch sequence.turn(machine.withLock { $0.next(in: account) }) {
        case .mock(let next): mock = next.inheriting(mock)
        case .isOver(let count):
          return .broken(
            "the sequence at \(sequence.place) has "
              + (count == 0 ? "no" : count == 1 ? "given its one" : "given all \(count) of its")
              + " answer\(count == 1 ? "" : "s") for \(method) \(account.path)")
        case .fallsThrough: return .fallsThrough
        }
      case .template(let make):
        let request = try request()
        do {
          mock = try make(request).inheriting(mock)
        } catch {
          mock = .handlerFailed(error)
        }
      }
      depth += 1
      if depth > Self.maximumDepth {
        return .broken("templates and sequences lie in each other more than \(Self.maximumDepth) deep")
      }
    }
  }

  private func finished(_ mock: Mock) -> Answer {
    var mock = mock
    if case .file(let file) = mock.body {
      do {
        mock.body = .data(try file.read())
      } catch {
        return .broken(error.reason)
      }
    }
    if mock.delay == nil { mock.delay = delay }
    if mock.delay?.isRandom == true { mock.delay = draw(mock.delay) }
    if mock.bodyDelay?.isRandom == true { mock.bodyDelay = draw(mock.bodyDelay) }
    return .mock(mock)
  }

  private func draw(_ delay: MockDelay?) -> MockDelay? {
    delay.map { .fixed($0.duration(machine.withLock { $0.draw() })) }
  }

  private static let maximumDepth = 100
}

extension Mock.Sequence.Place: CustomStringConvertible {
  /// As compilers name it.
  var description: String { "\(file):\(line):\(column)" }
}

/// How far the sequences have come that one server, provider or transport serves, and how many delays it
/// has drawn.
struct MockResolverMachine {
  /// What has an account of its own.
  struct Account: Hashable {
    let place: Mock.Sequence.Place
    /// Which of all routes; nil where none answers.
    var route: Int?
    let method: HTTPMethod
    let path: String
  }

  private var given: [Account: Int] = [:]
  private var draws = 0

  /// Which answer of a sequence is next, counted from 0 and without end.
  mutating func next(in account: Account) -> Int {
    defer { given[account, default: 0] += 1 }
    return given[account, default: 0]
  }

  /// The number of the next draw, counted from 0.
  mutating func draw() -> Int {
    defer { draws += 1 }
    return draws
  }
}

extension Mock.Sequence {
  /// What is answered at a turn.
  enum Turn: Sendable {
    case mock(Mock)
    case isOver(count: Int)
    case fallsThrough
  }

  /// The `number`th turn, counted from 0.
  func turn(_ number: Int) -> Turn {
    if mocks.indices.contains(number) { return .mock(mocks[number]) }
    switch end {
    case .repeatsLast: return mocks.last.map(Turn.mock) ?? .isOver(count: 0)
    case .fails: return .isOver(count: mocks.count)
    case .fallsThrough: return .fallsThrough
    }
  }
}
