import Networking

/// How far the sequences have come that one server, provider or transport serves, and how many delays it
/// has drawn.
struct MockLedgerMachine {
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
