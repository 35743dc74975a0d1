#if os(Linux) || os(macOS)
  import Foundation
  import Networking
  import TestSupport
  import Testing

  extension Behaviour {
    private static let ok = "HTTP/1.1 200 OK\r\n"
    private static let response = "\(ok)X-A: b\r\nContent-Length: 2\r\n\r\nab"
    private static let chunks =
      "\(ok)Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n3;c\r\ncde\r\n0\r\n\r\n"

    /// The valid responses that are cut, with the sizes of their heads.
    private static let cutResponses = [
      (name: "a sized response", text: response, head: response.utf8.count - 2, body: "ab"),
      (
        name: "a response in chunks", text: chunks,
        head: ok.utf8.count + "Transfer-Encoding: chunked\r\n\r\n".utf8.count, body: "abcde"
      ),
    ]

    /// The names of the behaviours whose connection ends in a head, after its status line.
    static let hostileCutsInHead: [String] =
      ["a reset in the head"]
      + cutResponses.flatMap { response in
        (ok.utf8.count..<response.head).flatMap { count in
          ["closed", "half-closed"].map { "\(response.name) \($0) after \(count) bytes" }
        }
      }

    /// The connection is closed after each number of bytes of a valid response.
    private static let cuts: [HostileRow] = cutResponses.flatMap { name, text, _, body in
      (0...text.utf8.count).flatMap { count -> [HostileRow] in
        let data = Data(text.utf8.prefix(count))
        var outcomes: [HostileOutcome] = count < text.utf8.count ? [.lost] : []
        // The end of chunks without their last line feed is not ambiguous.
        if count == text.utf8.count || text.utf8.dropFirst(count).elementsEqual("\n".utf8) {
          outcomes.append(.response(200, body))
        }
        var closed = HostileRow(
          "\(name) closed after \(count) bytes", steps: .send(data), .close)
        var halfClosed = HostileRow(
          "\(name) half-closed after \(count) bytes", steps: .send(data), .endSending, .drain)
        (closed.outcomes, halfClosed.outcomes) = (outcomes, outcomes)
        return [closed, halfClosed]
      }
    }

    private static let ends: [HostileRow] = [
      .init("a reset before the response", .lost, steps: .reset),
      .init("a reset in the head", .lost, steps: .text("\(ok)X-A: b"), .reset),
      .init("a reset in the body", .lost, steps: .text("\(ok)Content-Length: 4\r\n\r\nab"), .reset),
      .init("a reset in a chunk", .lost, steps: .text(String(chunks.dropLast(14))), .reset),
      .init(
        "a response in one byte a packet", .response(200, "ab"),
        steps: .sendBytewise(Data(response.utf8))),
      .init(
        "chunks in one byte a packet", .response(200, "abcde"),
        steps: .sendBytewise(Data(chunks.utf8))),
      .init(
        "a body up to the end in one byte a packet", .response(200, "abcdef"),
        steps: .sendBytewise(Data("\(ok)\r\nabcdef".utf8)), .close),
      .init(
        "a kept connection that the server closes", .response(200, "ab"),
        steps: .text(response), .close),
      .init(
        "a kept connection that the server half-closes", .response(200, "ab"),
        steps: .text(response), .endSending, .drain),
      .init(
        "Connection: close without a close", .response(200, "ab"),
        steps: .text("\(ok)Connection: close\r\nContent-Length: 2\r\n\r\nab"), .drain),
    ]

    private static func upload() -> Request {
      .upload(data: .pattern(8 << 20), to: "/hostile", method: .put)
    }

    /// Source: RFC 9112 section 9.3.
    private static let earlyResponses: [HostileRow] = [
      .init("an early response", .response(413, "no"), request: upload, answersEarly: true) { _ in
        [.respond("413 Content Too Large", [], Data("no".utf8)), .drain]
      },
      .init(
        "an early response that ends the connection", .response(413, "no"), request: upload,
        answersEarly: true
      ) { _ in
        [
          .respond("413 Content Too Large", ["Connection: close"], Data("no".utf8)), .endSending,
          .drain,
        ]
      },
      .init("an early response that is malformed", .malformed, request: upload, answersEarly: true)
      {
        _ in [.text("HTTP/1.1 9 What\r\n\r\n"), .drain]
      },
      .init("100 Continue in a loop before a response", .response(200, "ab"), request: upload) {
        _ in
        [.text(String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 100) + response)]
      },
      .init("a connection reset during the upload", .lost, request: upload, answersEarly: true) {
        _ in
        [.reset]
      },
    ]

    /// Bytes that no request has asked for, sent after a complete response.
    static let hostileUnaskedBytes = [
      (name: "response", bytes: "\(ok)Content-Length: 5\r\n\r\nother"),
      (
        name: "408",
        bytes: "HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
      ),
      (name: "head without an end", bytes: "\(ok)X-A: "), (name: "byte", bytes: "x"),
      (name: "line break", bytes: "\r\n"),
    ]

    private static let unasked = hostileUnaskedBytes.map { name, bytes in
      Behaviour("hostile: an unasked \(name) on a kept connection", kinds: [.curl, .urlSession]) {
        kind async throws in
        let received = DispatchSemaphore(value: 0)
        let sent = Log<Void>()
        let server = try HostileServer { _ in
          [.text(response), .run { received.wait() }, .text(bytes), .run { sent.append(()) }]
        }
        do {
          let client = HostileClient(kind.networkTransport, of: server)
          for number in 1...5 {
            #expect(await client.outcome(of: .get("/hostile")) == .response(200, "ab"))
            received.signal()
            _ = await sent.entries(number)
            #expect(await client.canaryFailure() == nil)
          }
        }
        await kind.connectionsEnd(server)
      }
    }

    /// Every other request meets a connection that the server has closed.
    private static let deadConnections = Behaviour(
      "hostile: 50 kept connections that are dead", kinds: [.curl, .urlSession]
    ) { kind async throws in
      let server = try HostileServer { _ in [.text(response), .close] }
      do {
        let client = HostileClient(kind.networkTransport, of: server)
        for _ in 0..<50 {
          #expect(await client.outcome(of: .get("/hostile")) == .response(200, "ab"))
        }
        #expect(await client.canaryFailure() == nil)
      }
      await kind.connectionsEnd(server)
    }

    /// libcurl would send a request on a connection in use, because HTTP/2 allows this.
    private static let claimedHTTP2 = Behaviour(
      "hostile: a claim of HTTP/2 without TLS while another request waits", kinds: [.curl]
    ) { kind async throws in
      let gate = DispatchSemaphore(value: 0)
      let server = try HostileServer { request in
        request.target == "/held"
          ? [.run { gate.wait() }, .text(response)]
          : [.text("HTTP/2 200 OK\r\nContent-Length: 2\r\n\r\nab")]
      }
      do {
        let client = HostileClient(kind.networkTransport, of: server)
        async let held = client.outcome(of: .get("/held"))
        await server.requests(1)
        #expect(await client.outcome(of: .get("/hostile")) == .malformed)
        #expect(await client.canaryFailure() == nil)
        gate.signal()
        #expect(await held == .response(200, "ab"))
      }
      await kind.connectionsEnd(server)
    }

    /// libcurl skips the extension of a chunk without a limit, and without a callback.
    private static let deadline = Behaviour(
      "hostile: an endless chunk extension ends with the deadline of the call",
      kinds: [.curl, .urlSession]
    ) { kind async throws in
      let isSending = Log<Void>()
      let server = try HostileServer { _ in
        [
          .text("\(ok)Transfer-Encoding: chunked\r\n\r\n3;"), .run { isSending.append(()) },
          .flood(1 << 40),
        ]
      }
      let time = RecordingScheduler()
      do {
        let client = HostileClient(kind.networkTransport, of: server, scheduler: time)
        async let outcome = client.outcome(of: .get("/hostile"))
        _ = await isSending.entries(1)
        _ = await time.scheduled(1)
        await time.time.advance(by: HostileClient.callTimeout)
        #expect(await outcome == .failure(.timedOut(.call)))
        #expect(await client.canaryFailure() == nil)
      }
      await kind.connectionsEnd(server)
    }

    static let hostileConnections =
      (cuts + ends + earlyResponses).map(\.behaviour) + unasked
      + [deadConnections, claimedHTTP2, deadline]
  }
#endif
