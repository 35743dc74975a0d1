#if os(Linux)
  import TestGate
  import Testing

  @testable import Networking

  @Suite(.gated)
  struct CurlMessageTests {
    private static let messages: [(text: String, message: CurlMessage?)] = [
      // 7.88.1
      ("Re-using existing connection #31 with host localhost", .connection(31)),
      ("Connected to (#7) (127.0.0.1) port 443 (#12)\n", .connection(12)),
      ("Using Stream ID: 97 (easy handle 0x558374a92360)", .stream(97)),
      ("recveived GOAWAY, error=0, last_stream=99\n", .goaway(lastStream: 99)),
      ("Connection died, retrying a fresh connect (retry count: 1)", .repetition),
      ("REFUSED_STREAM, retrying a fresh connect", .repetition),
      ("stream 7 closed", .streamEnd(7)),
      ("Closing connection 3", .closing(3)),
      ("Connection cache is full, closing the oldest one", .eviction),
      // 8.5 and later
      ("[HTTP/2] [5] OPENED stream for https://localhost/", .stream(5)),
      ("received GOAWAY, error=11, last_stream=2147483647", .goaway(lastStream: 2_147_483_647)),
      // Others
      ("", nil), ("R", nil), ("Connected to", nil), ("Connected to a (b) port 1", nil),
      ("Connected to a #", nil), ("Using Stream ID: x", nil), ("Using Stream ID: ", nil),
      ("Using Stream ID: 1234567890123456789012", nil),
      ("[HTTP/2] [5] [:path: /] OPENED stream ", nil), ("[HTTP/2] [] OPENED stream for a", nil),
      ("h2h3 [x: received GOAWAY, error=0, last_stream=1]", nil),
      ("received GOAWAY, error=0, last_stream=-1", nil), ("received GOAWAY, error", nil),
      ("Re-using existing connection with host localhost", nil),
      ("stream 7", nil), ("Closing connection", nil),
      ("Connection #0 to host localhost left intact", nil),
    ]

    @Test(arguments: messages.indices)
    func messagesOfEachVersionAreParsed(_ index: Int) {
      var text = Self.messages[index].text
      let message = text.withUTF8 { CurlMessage(UnsafeRawBufferPointer($0)) }
      #expect(message == Self.messages[index].message)
    }

    @Test func onlyStreamsAboveTheLastOneOfTheirConnectionAreExcluded() {
      let goaways = CurlConnections()
      #expect(!goaways.excludes(stream: 3, on: 1))
      goaways.add(lastStream: 5, on: 1)
      goaways.add(lastStream: 9, on: 1)
      #expect(!goaways.excludes(stream: 5, on: 1))
      #expect(goaways.excludes(stream: 7, on: 1))
      #expect(!goaways.excludes(stream: 7, on: 2))
      goaways.add(lastStream: 0, on: 1)
      #expect(goaways.excludes(stream: 1, on: 1))
      for connection in 2..<300 as Range<Int64> { goaways.add(lastStream: 0, on: connection) }
      #expect(!goaways.excludes(stream: 1, on: 1))
      #expect(goaways.excludes(stream: 1, on: 299))
    }

    @Test func aConnectionWithAGOAWAYFrameIsForgottenAfterOthersAndWhenItHasClosed() {
      let connections = CurlConnections()
      connections.add(lastStream: 1, on: 0)
      for connection in 1..<1_000 as Range<Int64> { connections.addResponse(on: connection) }
      #expect(connections.excludes(stream: 3, on: 0))
      #expect(!connections.hasResponded(1) && connections.hasResponded(999))
      // The results of its exchanges are handled after the message.
      connections.close(0)
      #expect(connections.excludes(stream: 3, on: 0))
      connections.removeClosed()
      #expect(!connections.excludes(stream: 3, on: 0) && connections.hasResponded(999))
    }

    @Test func responsesAndGOAWAYFramesOfAConnectionAreIndependent() {
      let connections = CurlConnections()
      connections.addResponse(on: 1)
      connections.add(lastStream: 5, on: 2)
      #expect(connections.hasResponded(1) && !connections.hasResponded(2))
      #expect(connections.isEnding(2) && !connections.isEnding(1))
      connections.add(lastStream: 5, on: 1)
      #expect(connections.hasResponded(1) && connections.isEnding(1))
      #expect(!connections.hasResponded(3) && !connections.isEnding(3))
    }
  }
#endif
