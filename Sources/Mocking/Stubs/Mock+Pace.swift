import Networking

extension Mock {
  /// How a body is drawn out.
  enum Pace: Hashable {
    case dribble(pieces: Int, over: Duration)
    case throughput(bytesPerSecond: Int)
  }

  /// The same answer, later.
  ///
  /// - Parameter delay: how long it waits before its first byte, in place of any other delay.
  /// - Returns: the answer.
  public func delayed(by delay: MockDelay) -> Mock {
    var mock = self
    mock.delay = delay
    return mock
  }

  /// The same answer, later by a time that is at hand as a `Duration`.
  ///
  /// - Parameter duration: how long it waits before its first byte, in place of any other delay.
  /// - Returns: the answer.
  @_disfavoredOverload
  public func delayed(by duration: Duration) -> Mock {
    delayed(by: .fixed(duration))
  }

  /// The same answer with its body later.
  ///
  /// - Parameter delay: how long it waits between the head and the body.
  /// - Returns: the answer.
  public func bodyDelayed(by delay: MockDelay) -> Mock {
    var mock = self
    mock.bodyDelay = delay
    return mock
  }

  /// The same answer with its body drawn out.
  ///
  /// The first piece goes with the head, the last one when all the time has passed, the others evenly
  /// between. The pieces are of the bytes as they go over the wire.
  ///
  /// - Parameters:
  ///   - pieces: in how many pieces; there are no more than bytes, at most 10,000, and at least one.
  ///   - duration: the time from the first to the last; less than nothing is nothing.
  /// - Returns: the answer, with this in place of any throughput.
  public func dribbled(pieces: Int, over duration: Duration) -> Mock {
    var mock = self
    mock.pace = .dribble(pieces: min(max(pieces, 1), 10_000), over: max(duration, .zero))
    return mock
  }

  /// The same answer with its body at a certain speed.
  ///
  /// It comes in pieces, ten a second or, where those would be more than a thousand, a thousand in all;
  /// each comes when the time for its last byte has come. In memory the request's body goes out at the
  /// same speed, before the answer's delay begins; a server has a request whole before it is answered.
  ///
  /// - Parameter bytesPerSecond: how many bytes a second, as they go over the wire; at least one.
  /// - Returns: the answer, with this in place of any dribble.
  public func throttled(bytesPerSecond: Int) -> Mock {
    var mock = self
    mock.pace = .throughput(bytesPerSecond: max(bytesPerSecond, 1))
    return mock
  }

  /// The same answer, which goes wrong on the way.
  ///
  /// - Parameters:
  ///   - fault: what happens.
  ///   - stage: where.
  /// - Returns: the answer.
  public func interrupted(by fault: MockFault, at stage: MockFault.Stage) -> Mock {
    var mock = self
    mock.interruption = Interruption(fault: fault, stage: stage)
    return mock
  }
}

extension Mock.Pace {
  /// A stretch of a body, and when it comes, counted from the body's beginning.
  struct Piece: Hashable {
    let byteCount: Int
    let moment: Duration
  }

  /// So many bytes in pieces.
  func pieces(of count: Int) -> [Piece] {
    guard count > 0 else { return [] }
    switch self {
    case .dribble(let wanted, let duration):
      let pieces = min(wanted, count)
      return (0..<pieces).map { piece in
        Piece(
          byteCount: Self.share(of: count, piece, pieces),
          moment: piece == pieces - 1 && piece > 0
            ? duration : duration / max(pieces - 1, 1) * piece)
      }
    case .throughput(let rate):
      let duration = Duration.seconds(count / rate) + .seconds(1) * (count % rate) / rate
      let pieces = min(Int(min(max(duration / .milliseconds(100), 1), 1_000)), count)
      return (1...pieces).map { piece in
        Piece(
          byteCount: Self.share(of: count, piece - 1, pieces),
          moment: piece == pieces ? duration : duration / pieces * piece)
      }
    }
  }

  /// Without overflow, and all pieces alike but for one byte.
  private static func share(of count: Int, _ piece: Int, _ pieces: Int) -> Int {
    count / pieces + (piece < count % pieces ? 1 : 0)
  }
}
