#if os(Linux) || os(macOS)
  import Foundation
  import Networking
  import Promises
  import TestGate
  import TestSupport
  import Testing

  /// Processes that store and replay requests are killed.
  ///
  /// No accepted request is lost, changed, or reordered.
  @Suite(.gated, .serialized)
  struct OfflineKillTests {
    /// The cause of the end of a process.
    private enum End {
      case step(Int)
      case line(Int)
      case request(Int)
      case never

      /// Selects a random cause, so that processes end at every step.
      init(using chance: inout SeededGenerator) {
        switch Int.random(in: 0..<6, using: &chance) {
        case 0: self = .line(.random(in: 1...8, using: &chance))
        case 1: self = .request(.random(in: 1...8, using: &chance))
        default: self = .step(.random(in: 1...170, using: &chance))
        }
      }
    }

    /// A folder in memory if there is one, which takes a third of the time.
    ///
    /// A killed process loses no written data on any file system.
    private let folder: URL

    init() throws {
      folder = TemporaryFolder.memory.appendingPathComponent("offline-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    /// The environment variable `OFFLINE_KILLS` sets the number of kills.
    @Test func noAcceptedRequestIsLostInManyKills() async throws {
      defer { try? FileManager.default.removeItem(at: folder) }
      let server = try UnreliableServer()
      var chance = SeededGenerator(seed: 2_026)
      var lines: [String] = []
      var (round, killed) = (0, 0)
      let number = ProcessInfo.processInfo.environment["OFFLINE_KILLS"].flatMap { Int($0) } ?? 20
      while killed < number {
        let end = End(using: &chance)
        let worker = try await work(server, first: round * 100, count: 6, end)
        lines += worker.lines
        killed += worker.wasKilled ? 1 : 0
        round += 1
        server.rest()
        try await server.settle()
      }
      // Some workers are killed before they have sent all, so that all phases of a worker are covered.
      #expect(lines.count { $0 == "idle" } < round)
      try await expectAllRequestsReceived(at: server, accepted: lines)
    }

    @Test func twoProcessesCanShareAStore() async throws {
      defer { try? FileManager.default.removeItem(at: folder) }
      let server = try UnreliableServer()
      async let one = work(server, first: 0, count: 40, .never, queue: "one")
      async let other = work(server, first: 1_000, count: 40, .never, queue: "other")
      let lines = try await one.lines + other.lines
      #expect(lines.count { $0.hasPrefix("accepted") } == 80)
      try await expectAllRequestsReceived(at: server, accepted: lines)
    }

    private func expectAllRequestsReceived(
      at server: UnreliableServer, accepted lines: [String]
    ) async throws {
      for line in lines {
        #expect(["accepted", "replayed", "idle"].contains(line.prefix { $0 != " " }), "\(line)")
      }
      let store = try OfflineStore(folder: folder.appendingPathComponent("store"))
      server.rest(isHealthy: true)
      let networking = Networking<Request>()
      let report = try await store.replay { entry in
        networking.request(
          entry.request, .headers(["Idempotency-Key": entry.idempotencyKey.uuidString]))
      }.value
      #expect(report.failed.isEmpty && report.kept.isEmpty && report.errors.isEmpty)
      #expect(try store.count == 0)
      #expect(try store.quarantined == [])

      var keys: [Int: Set<String>] = [:]
      var last: [String: Int] = [:]
      for request in server.requests {
        let parts = request.target.split(separator: "/").map(String.init)
        let (queue, number) = (parts[0], try #require(Int(parts[1])))
        #expect(request.body == Data(String(repeating: "\(number),", count: 50).utf8))
        #expect(number >= last[queue, default: 0], "\(number) in \(queue) was overtaken")
        last[queue] = number
        keys[number, default: []].formUnion(request.values(of: "Idempotency-Key"))
      }
      for line in lines where line.hasPrefix("accepted") {
        let words = line.split(separator: " ")
        let number = try #require(Int(words[1]))
        #expect(keys[number] == [String(words[2])], "request \(number)")
      }
    }

    /// Runs a worker to its end.
    ///
    /// - Returns: The lines of its output, and whether it was killed.
    private func work(
      _ server: UnreliableServer, first: Int, count: Int, _ end: End, queue: String? = nil
    ) async throws -> (lines: [String], wasKilled: Bool) {
      let steps = if case .step(let number) = end { number } else { 0 }
      let worker = try ChildProcess(
        worker: "offline-worker",
        [folder.path, server.url.absoluteString, "\(first)", "\(count)", "\(steps)"]
          + [queue].compactMap { $0 })
      if case .request(let number) = end { server.kill(worker, afterRequests: number) }
      if case .line(let number) = end, await worker.lines.first(number).count == number {
        worker.signal(SIGKILL)
      }
      let ended = await worker.end
      let wasKilled = ended.status == .signalled(SIGKILL)
      #expect(wasKilled || ended.status == .exited(0), "\(ended.errors)")
      // An unterminated line is ignored.
      return (ended.lines, wasKilled)
    }
  }
#endif
