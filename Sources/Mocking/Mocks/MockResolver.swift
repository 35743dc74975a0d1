import Networking
import Synchronization

/// Makes of a mock what is to be served this time: with its turn in a sequence, its template filled in,
/// its file read and its delays drawn.
///
/// Each server, provider and transport has one of its own.
final class MockResolver: Sendable {
  enum Resolution: Sendable {
    /// One of ``Mock/Source/own``, whose body is no file and whose delays are fixed.
    case mock(Mock)
    /// What was to be answered cannot be made: why.
    case invalid(String)
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
    guard case .fields = mock.source, mock.bodyDelay?.isRandom != true else { return false }
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
  func resolve(
    _ mock: Mock, of route: Int? = nil, method: HTTPMethod, path: () -> String,
    request: () throws(TransportFailure) -> ReceivedRequest
  ) throws(TransportFailure) -> Resolution {
    var mock = mock
    var depth = 0
    while true {
      switch mock.source {
      case .fields:
        return prepared(mock)
      case .invalid(let reason): return .invalid(reason)
      case .sequence(let sequence):
        let key = MockResolverMachine.SequenceKey(
          location: sequence.location, route: route, method: method, path: path())
        switch sequence.selection(machine.withLock { $0.next(in: key) }) {
        case .mock(let next): mock = next.inheriting(mock)
        case .exhausted(let count):
          return .invalid(
            "the sequence at \(sequence.location) has "
              + (count == 0 ? "no" : count == 1 ? "given its one" : "given all \(count) of its")
              + " answer\(count == 1 ? "" : "s") for \(method) \(key.path)")
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
        return .invalid(
          "templates and sequences lie in each other more than \(Self.maximumDepth) deep")
      }
    }
  }

  private func prepared(_ mock: Mock) -> Resolution {
    var mock = mock
    if case .file(let file) = mock.body {
      do {
        mock.body = .data(try file.read())
      } catch {
        return .invalid(error.reason)
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

extension Mock.ResponseSequence.SourceLocation: CustomStringConvertible {
  /// As compilers name it.
  var description: String { "\(file):\(line):\(column)" }
}

/// How far the sequences have come that one server, provider or transport serves, and how many delays it
/// has drawn.
struct MockResolverMachine {
  /// What has an account of its own.
  struct SequenceKey: Hashable {
    let location: Mock.ResponseSequence.SourceLocation
    /// Which of all routes; nil where none answers.
    var route: Int?
    let method: HTTPMethod
    let path: String
  }

  private var useCounts: [SequenceKey: Int] = [:]
  private var draws = 0

  /// Which answer of a sequence is next, counted from 0 and without end.
  mutating func next(in key: SequenceKey) -> Int {
    defer { useCounts[key, default: 0] += 1 }
    return useCounts[key, default: 0]
  }

  /// The number of the next draw, counted from 0.
  mutating func draw() -> Int {
    defer { draws += 1 }
    return draws
  }
}

extension Mock.ResponseSequence {
  /// What is answered at a turn.
  enum Selection: Sendable {
    case mock(Mock)
    case exhausted(count: Int)
    case fallsThrough
  }

  /// The `number`th turn, counted from 0.
  func selection(_ number: Int) -> Selection {
    if mocks.indices.contains(number) { return .mock(mocks[number]) }
    switch end {
    case .repeatsLast: return mocks.last.map(Selection.mock) ?? .exhausted(count: 0)
    case .fails: return .exhausted(count: mocks.count)
    case .fallsThrough: return .fallsThrough
    }
  }
}
