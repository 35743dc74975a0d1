import CInstructions
import Foundation

/// The result of a load, printed as one line of JSON on standard output.
public struct Outcome: Codable, Sendable {
  /// The number of requests.
  public var requests: Int
  /// The number of failed requests.
  public var failures: Int
  /// The duration of the load.
  public var seconds: Double
  /// The user and system time of this process during the load.
  public var cpuSeconds: Double
  /// The instructions of this process outside the kernel; 0 if they are not counted.
  public var instructions: Int
  /// The peak resident memory in bytes.
  public var peakBytes: Int
  /// The peak resident memory minus the resident memory before the load.
  public var growthBytes: Int

  /// Runs the work once, prints its outcome, and exits with status 1 if a request failed.
  ///
  /// - Parameters:
  ///   - requests: The number of requests.
  ///   - work: Sends all requests and returns the number of failures.
  public static func print(of requests: Int, _ work: () async -> Int) async {
    let before = ProcessUsage()
    let clock = ContinuousClock()
    let start = clock.now
    start_instruction_count()
    let failures = await work()
    let instructions = stop_instruction_count()
    let seconds = (clock.now - start) / .seconds(1)
    let after = ProcessUsage()
    let outcome = Outcome(
      requests: requests, failures: failures, seconds: seconds,
      cpuSeconds: after.cpuSeconds - before.cpuSeconds, instructions: Int(instructions),
      peakBytes: after.peakBytes,
      growthBytes: max(after.peakBytes - before.residentBytes, 0))
    if let line = try? JSONEncoder().encode(outcome) {
      Swift.print(String(decoding: line, as: UTF8.self))
    }
    exit(failures == 0 ? 0 : 1)
  }
}
