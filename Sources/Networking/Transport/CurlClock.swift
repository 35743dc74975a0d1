#if os(Linux)
  import Glibc

  /// The monotonic clock, read once a turn of the I/O thread's loop, in nanoseconds.
  final class CurlClock {
    private(set) var now: UInt64 = 0

    init() {
      update()
    }

    func update() {
      now = Self.exact
    }

    /// The clock at this very moment.
    static var exact: UInt64 {
      var time = timespec()
      clock_gettime(CLOCK_MONOTONIC, &time)
      return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
  }

  extension Duration {
    /// At least 0; what does not fit counts as a century.
    var wholeNanoseconds: UInt64 {
      guard self > .zero else { return 0 }
      guard self < .seconds(3_155_760_000) else { return 3_155_760_000_000_000_000 }
      return UInt64(components.seconds) * 1_000_000_000
        + UInt64(components.attoseconds / 1_000_000_000)
    }
  }
#endif
