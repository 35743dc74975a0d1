import Foundation

/// The CPU time and memory of this process.
public struct ProcessUsage: Sendable {
  /// The user and system time of all threads, in seconds.
  public let cpuSeconds: Double
  /// The current resident memory in bytes; 0 outside Linux.
  public let residentBytes: Int
  /// The peak resident memory in bytes; 0 outside Linux.
  public let peakBytes: Int

  /// Reads the current values.
  public init() {
    var usage = rusage()
    #if os(Linux)
      getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    #else
      getrusage(RUSAGE_SELF, &usage)
    #endif
    cpuSeconds = Self.seconds(usage.ru_utime) + Self.seconds(usage.ru_stime)
    residentBytes = Self.status("VmRSS:")
    peakBytes = Self.status("VmHWM:")
  }

  private static func seconds(_ time: timeval) -> Double {
    Double(time.tv_sec) + Double(time.tv_usec) / 1_000_000
  }

  /// Returns a value of `/proc/self/status`, which has KiB, in bytes.
  private static func status(_ name: String) -> Int {
    guard let text = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else {
      return 0
    }
    let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
    let number = line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first
    return (number.flatMap { Int($0) } ?? 0) * 1024
  }
}
