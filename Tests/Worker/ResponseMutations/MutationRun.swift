#if os(Linux) || os(macOS)
  import CatenaSystem
  import Foundation
  import Networking
  import Promises
  import TestSupport

  /// A run of stories over one client and one server.
  struct MutationRun {
    /// A transport with sockets.
    enum Kind: String {
      #if os(Linux)
        case curl
      #endif
      case urlsession

      func transport() -> any Transport {
        #if os(Linux)
          if self == .curl { return CurlTransport() }
        #endif
        return URLSessionTransport()
      }
    }

    let kind: Kind

    init(_ kind: Kind) {
      self.kind = kind
    }

    /// Performs stories, and checks that nothing stays open.
    ///
    /// - Parameter seeds: The seeds of the stories.
    /// - Returns: The descriptions of the failures.
    /// - Throws: An error if the server cannot be started.
    func perform(_ seeds: Range<UInt64>) async throws -> [String] {
      // A timer and the first story open descriptors that the process keeps.
      _ = await after(.milliseconds(1)).result
      var failures = try await performStories(seeds.prefix(1))
      let descriptors = ProcessResources.openFiles
      failures += try await performStories(seeds.dropFirst())
      // The session of Foundation ends at an unknown time.
      let names = ProcessResources.openFileNames
      if kind != .urlsession, names.count > descriptors {
        failures.append("\(names.count) descriptors are open, not \(descriptors): \(names)")
      }
      return failures
    }

    private func performStories(_ seeds: Range<UInt64>) async throws -> [String] {
      guard let first = seeds.first else { return [] }
      let current = Mutex(MutationStory(seed: first))
      let server = try HostileServer { request in current.withLock { $0 }.steps(request) }
      var failures: [String] = []
      do {
        let client = HostileClient(kind.transport(), of: server, cookies: .jar(CookieJar()))
        for seed in seeds {
          FileHandle.standardError.write(Data("\(seed)\n".utf8))
          let story = MutationStory(seed: seed)
          if kind == .urlsession, FoundationLimits.isFatal(story) { continue }
          current.withLock { $0 = story }
          failures += await perform(story, client, server)
        }
      }
      if kind != .urlsession { await server.connectionsEnd() }
      await server.stop()
      #if os(Linux)
        while ProcessResources.threads(named: "Catena.Curl") > 0 { await Task.yield() }
      #endif
      return failures
    }

    private func perform(
      _ story: MutationStory, _ client: HostileClient, _ server: HostileServer
    ) async -> [String] {
      let model = MutationModel(story: story, base: server.url)
      let requests = server.requests.count
      var problems: [String] = []
      for (number, call) in story.calls.enumerated() {
        let path = story.target(call.index)
        let request: Request =
          switch call.method {
          case "HEAD": .head("\(raw: path)")
          case "POST":
            // The key lets the client send the request again if it meets a closed connection.
            .upload(
              data: Data("a body".utf8), to: "\(raw: path)", method: .post,
              headers: ["Idempotency-Key": "\(story.seed)"])
          default: .get("\(raw: path)")
          }
        let outcome = await client.outcome(of: request)
        let expected = model.expectation(of: call)
        let isRight =
          expected.accepts(outcome)
          || kind == .urlsession && FoundationLimits.accepts(outcome, of: story)
        if !isRight {
          problems.append("call \(number): \(outcome) is not \(expected.description)")
        }
      }
      if let outcome = await client.canaryFailure() { problems.append("the canary: \(outcome)") }
      for request in server.requests.dropFirst(requests) where !request.isValid {
        problems.append("the request \(request.line) \(request.fields)")
      }
      guard !problems.isEmpty else { return [] }
      let command = "swift run test-worker response-mutations \(kind.rawValue) 1 \(story.seed)"
      return [(problems + ["\(story)", "to repeat: \(command)"]).joined(separator: "\n")]
    }
  }

  extension RawRequest {
    /// Whether no field has a control character.
    fileprivate var isValid: Bool {
      (fields + [line]).allSatisfy {
        $0.unicodeScalars.allSatisfy { $0.value >= 0x20 || $0 == "\t" }
      }
    }
  }

  /// The limits of Foundation and of the libcurl that it uses on Linux, which are no code of this
  /// package.
  enum FoundationLimits {
    /// Returns whether a story would crash the process on Linux.
    ///
    /// Foundation traps on a trailer, on a head that ends with the connection, on a length of 2^63 - 1, and
    /// on some locations.
    /// libcurl from 7.84 to 8.0.1 writes to freed memory if the first field line is folded.
    static func isFatal(_ story: MutationStory) -> Bool {
      let bytes = story.responses[story.changedIndex]
      let reading = ReadResponse(bytes, to: story.changedMethod)
      if reading.hasTrailer || reading.end == .malformed("a first fold") { return true }
      // Foundation traps on the number.
      if reading.values("Content-Length") == ["\(Int.max)"] { return true }
      // libcurl takes a line that begins with a CR for the end of the head, and Foundation does not.
      if reading.end == .malformed("a bare CR") { return true }
      if reading.end == .truncated, !reading.hasHead { return true }
      return (300...399).contains(reading.status) && !reading.values("Location").isEmpty
        && reading.values("Location") != ["\(story.target(story.changedIndex + 1))"]
    }

    /// Returns whether an outcome must be tolerated.
    ///
    /// Foundation and libcurl read responses that are malformed, each in their own way, and reject some
    /// that are valid. Only the later requests are then checked.
    static func accepts(_ outcome: HostileOutcome, of story: MutationStory) -> Bool {
      let reading = ReadResponse(
        story.responses[story.changedIndex], to: story.changedMethod)
      if case .unexpected = outcome { return false }
      if case .failure(.timedOut) = outcome { return false }
      if outcome == .failure(.malformedResponse) { return true }
      return reading.end != .complete || !reading.deviations.isEmpty
        || (301...308).contains(reading.status)
        || reading.fields.contains { $0.value.contains { $0 >= 0x80 } }
    }
  }
#endif
