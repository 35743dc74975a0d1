extension Mock {
  /// The pacing of a body.
  enum Pace: Hashable {
    case dribble(pieces: Int, over: Duration)
    case throughput(bytesPerSecond: Int)
  }

  /// Whether the times and the fault of the response depend on its whole body.
  package var dependsOnBody: Bool { pace != nil || bodyDelay != nil || interruption != nil }

  /// Returns a copy whose response is delayed.
  ///
  /// - Parameter delay: The delay before the first byte of the response. It replaces an earlier
  ///   one.
  /// - Returns: The mock.
  public func delayed(by delay: MockDelay) -> Mock {
    copy(of: self) { $0.delay = delay }
  }

  /// Returns a copy whose response is delayed by a fixed duration.
  ///
  /// - Parameter duration: The delay before the first byte of the response. It replaces an earlier
  ///   one.
  /// - Returns: The mock.
  @_disfavoredOverload
  public func delayed(by duration: Duration) -> Mock {
    delayed(by: .fixed(duration))
  }

  /// Returns a copy with a delay between the head and the body of the response.
  ///
  /// - Parameter delay: The delay.
  /// - Returns: The mock.
  public func bodyDelayed(by delay: MockDelay) -> Mock {
    copy(of: self) { $0.bodyDelay = delay }
  }

  /// Returns a copy whose body is sent in pieces, spread evenly over a duration.
  ///
  /// The first piece is sent with the head, and the last one at the end of the duration. The pieces
  /// divide the bytes on the wire, which include the chunked coding.
  ///
  /// - Parameters:
  ///   - pieces: The number of pieces, from 1 to 10,000. There are at most as many pieces as bytes.
  ///   - duration: The time from the first piece to the last. A negative duration counts as 0.
  /// - Returns: The mock. A throughput that was set before is removed.
  public func dribbled(pieces: Int, over duration: Duration) -> Mock {
    copy(of: self) {
      $0.pace = .dribble(pieces: min(max(pieces, 1), 10_000), over: max(duration, .zero))
    }
  }

  /// Returns a copy whose body is sent at a fixed throughput.
  ///
  /// The body is sent in ten pieces per second, at most 1,000 pieces in total. Each piece is sent
  /// when its last byte is due. In memory, the request body is sent at the same throughput, and the
  /// delay of the response starts after it. A server does not limit the throughput of the request.
  ///
  /// - Parameter bytesPerSecond: The number of bytes on the wire per second, at least 1.
  /// - Returns: The mock. Pieces that were set by `dribbled(pieces:over:)` are removed.
  public func throttled(bytesPerSecond: Int) -> Mock {
    copy(of: self) { $0.pace = .throughput(bytesPerSecond: max(bytesPerSecond, 1)) }
  }

  /// Returns a copy with a fault in its response.
  ///
  /// - Parameters:
  ///   - fault: The fault.
  ///   - stage: The position of the fault in the response.
  ///   - chance: The probability of the fault, from 0 to 1, drawn for each request from the `seed` of
  ///     the server, transport or provider. NaN counts as 0.
  /// - Returns: The mock.
  public func interrupted(
    by fault: MockFault, at stage: MockFault.Stage, chance: Double = 1
  ) -> Mock {
    copy(of: self) {
      $0.interruption = Interruption(
        fault: fault, stage: stage, chance: chance > 0 ? min(chance, 1) : 0)
    }
  }
}

extension Mock.Pace {
  /// A part of a body.
  struct Piece: Hashable {
    let byteCount: Int
    /// The time at which the piece is sent, counted from the start of the body.
    let moment: Duration
  }

  /// Returns the pieces of a body of `count` bytes.
  func pieces(of count: Int) -> [Piece] {
    guard count > 0 else { return [] }
    switch self {
    case .dribble(let wanted, let duration):
      let pieces = min(wanted, count)
      return (0..<pieces).map { piece in
        Piece(
          byteCount: Self.byteCount(of: count, piece, pieces),
          moment: piece == pieces - 1 && piece > 0
            ? duration : duration / max(pieces - 1, 1) * piece)
      }
    case .throughput(let rate):
      let duration = Duration.seconds(count / rate) + .seconds(1) * (count % rate) / rate
      let pieces = min(Int(min(max(duration / .milliseconds(100), 1), 1_000)), count)
      return (1...pieces).map { piece in
        Piece(
          byteCount: Self.byteCount(of: count, piece - 1, pieces),
          moment: piece == pieces ? duration : duration / pieces * piece)
      }
    }
  }

  /// Returns the size of the piece with an index, if `count` bytes are split into `pieces`.
  ///
  /// The sizes differ by at most one byte, and the calculation cannot overflow.
  private static func byteCount(of count: Int, _ piece: Int, _ pieces: Int) -> Int {
    count / pieces + (piece < count % pieces ? 1 : 0)
  }
}
