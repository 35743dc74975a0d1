import Foundation
import Networking
import NetworkingStreams
import Promises

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension Step {
  static let streams: [Step] = [
    Step("16", "A slow reader at 15 MB/s, for 40 seconds", isAutomatic: true) { device in
      let client = Device.client(device.plainURL, .ephemeral)
      let response = try await client.stream(.get("film?rate=15&mb=600")).validate().value
      let end = ContinuousClock.now + .seconds(40)
      var count = 0
      for try await piece in response.bytes {
        count += piece.count
        // About 1 MB/s.
        try await Task.sleep(for: .seconds(Double(piece.count) / 1e6))
        if ContinuousClock.now > end { break }
      }
      let megabytes = peakMemory() >> 20
      try Device.require(megabytes < 200, "\(megabytes) MiB of memory after \(count) bytes")
      return "\(count) bytes, at most \(megabytes) MiB of memory"
    },
    Step("17", "Streams of 10-byte items", isAutomatic: true) { device in
      var lines: [String] = []
      let types = [
        "application/x-ndjson", "text/event-stream", "application/json", "text/plain", "",
      ]
      for type in types {
        let path = "lines?count=60&seconds=0.25&type=\(type)"
        lines.append("\(type): \(try await secondsToFirstLine(of: path, device)) s")
        let isLate = lines.last.map { !$0.hasSuffix(" 0 s") } ?? true
        // The last two may be late.
        try Device.require(lines.count > 3 || !isLate, lines.joined(separator: "\n"))
      }
      let path = "lines?count=60&seconds=0.25&nosniff=1&type=text/plain"
      lines.append("text/plain, nosniff: \(try await secondsToFirstLine(of: path, device)) s")
      return lines.joined(separator: "\n")
    },
    Step("7", "A response while the app is suspended") { device in
      let client = Device.client(device.plainURL, .ephemeral, idleTimeout: .seconds(30))
      let outcome = await Device.outcome(of: client.request(.get("hold?seconds=20")))
      try Device.require(outcome == "200", outcome)
      return outcome
    },
    Step("7b", "A request in 10 seconds, which waits for a network") { device in
      let configuration = URLSessionConfiguration.ephemeral
      #if canImport(Darwin)
        configuration.waitsForConnectivity = true
      #endif
      let client = Device.client(device.plainURL, .custom(configuration))
      try await Task.sleep(for: .seconds(10))
      let outcome = await Device.outcome(of: client.request(.get("hello")))
      try Device.require(outcome == "200", outcome)
      return outcome
    },
  ]

  /// The full seconds until the first line.
  private static func secondsToFirstLine(of path: String, _ device: Device) async throws -> Int64 {
    let client = Device.client(device.plainURL, .ephemeral)
    let start = ContinuousClock.now
    for try await _ in client.lines(of: .get(RequestPath(raw: path))) { break }
    return (ContinuousClock.now - start).components.seconds
  }

  /// The maximum of the memory of the process so far, in bytes.
  private static func peakMemory() -> Int {
    var usage = rusage()
    #if canImport(Darwin)
      getrusage(RUSAGE_SELF, &usage)
      return usage.ru_maxrss
    #else
      getrusage(Int32(RUSAGE_SELF.rawValue), &usage)
      return usage.ru_maxrss << 10
    #endif
  }
}
