import Networking

/// One walk that went well, in one mode.
struct Run: Sendable {
  let mode: RequestMode
  let laps: [Stopwatch.Lap]
  /// How many requests were handled at once at most; nil where nobody counted.
  let mostAtOnce: Int?

  /// The mode as it is written in code.
  var name: String { ".\(mode)" }
  var requests: Int { laps.map(\.requests).reduce(0, +) }
  var duration: Duration { laps.map(\.duration).reduce(.zero, +) }

  /// A walk that came to its end too soon.
  struct Failure: Error, CustomStringConvertible {
    let mode: RequestMode
    let reason: any Error

    var description: String { "with .\(mode), \(reason)" }
  }
}
