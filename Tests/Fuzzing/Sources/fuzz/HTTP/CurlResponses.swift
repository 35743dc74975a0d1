#if os(Linux)
  import Foundation
  import Networking

  extension FuzzTarget {
    /// The responses of a server to a real client: `CurlTransport` on a loopback connection.
    ///
    /// The input is the bytes that the server sends in response to a request, possibly on a reused
    /// connection. The next request must then succeed, whatever the bytes were.
    static let curlResponses = FuzzTarget("curl-responses") { input in
      var choices = input.choices
      let method: HTTPMethod = choices.number(below: 8) == 0 ? .head : .get
      let server = LoopbackServer.shared
      defer { server.closeConnections() }
      if choices.flips() { checkRequest(server) }
      let exchange = server.perform(
        method, response: input.bytes, staysOpen: choices.number(below: 4) == 0)
      check(exchange.record, method, input)
      checkRequest(server)
      expect(exchange.record.endings == 1, "no event follows the last one")
    }

    /// Checks that a request with a valid response succeeds.
    private static func checkRequest(_ server: LoopbackServer) {
      let response = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-Valid: 1\r\n\r\nvalid"
      let record = server.perform(.get, response: Array(response.utf8), staysOpen: true).record
      expect(
        record.head?.status == 200 && record.body == Data("valid".utf8) && record.failure == nil,
        "a request is not affected by the response before it: \(record)")
      expect(record.head?.headers.count == 2, "the fields are those of this response: \(record)")
    }

    private static func check(_ record: Exchange.Record, _ method: HTTPMethod, _ input: FuzzInput) {
      expect(record.endings == 1 && record.heads <= 1, "an exchange ends once: \(record)")
      if let failure = record.failure {
        let codes: [NetworkError.Code] = [.malformedResponse, .connectionLost]
        expect(codes.contains(failure.code), "the code of \(failure)")
      }
      guard let head = record.head else {
        expect(record.failure != nil && record.body.isEmpty, "a response has a head: \(record)")
        return
      }
      expect((200...999).contains(head.status), "the status of \(head)")
      guard !head.headers.contains("Content-Encoding") else { return }
      expect(record.body.count <= input.bytes.count, "the body is a part of the response")
      guard record.failure == nil else { return }
      if method == .head || head.status == 204 || head.status == 304 {
        expect(record.body.isEmpty, "the response has no body: \(record)")
      } else if !head.headers.contains("Transfer-Encoding"),
        let length = head.headers.values(for: "Content-Length").first.flatMap({ Int($0) })
      {
        expect(record.body.count == length, "the body has the declared length: \(record)")
      }
    }
  }

  /// A server that a client on the same thread sends requests to.
  private final class LoopbackServer {
    nonisolated(unsafe) static let shared = LoopbackServer()

    private let transport = CurlTransport(options: .init(proxy: .none))
    private let listener: Int32
    private let url: URL
    /// The open connections, with the bytes of the requests that are not complete.
    private var connections: [Int32: [UInt8]] = [:]
    /// The connections that the client has closed.
    private var closed: [Int32] = []
    /// The limit for an exchange, in milliseconds, which only a request that hangs reaches.
    private let limit = 20_000

    private init() {
      listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let isListening = withUnsafeMutablePointer(to: &address) { [listener] pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(listener, $0, length) == 0 && getsockname(listener, $0, &length) == 0
            && listen(listener, 16) == 0
        }
      }
      expect(isListening, "the server listens")
      url = unwrap(
        URL(string: "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))/"), "the URL is valid")
    }

    /// Sends a request, responds to it, and waits for its end.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - response: The bytes of the response.
    ///   - staysOpen: Whether the server closes the connection only if the response is incomplete.
    /// - Returns: The exchange.
    func perform(_ method: HTTPMethod, response: [UInt8], staysOpen: Bool) -> Exchange {
      let exchange = Exchange()
      exchange.start(HTTPRequest(method: method, url: url), over: transport)
      var requests = 0
      // The connections with a response that may be incomplete.
      var answered: Set<Int32> = []
      var isFinished = false
      while !exchange.isAtEnd {
        let isWaiting = requests > 0 && staysOpen && !isFinished
        let ready = poll([exchange.descriptor, listener], milliseconds: isWaiting ? 3 : limit)
        if ready.isEmpty {
          expect(isWaiting, "an exchange ends")
          // The client waits for the rest of an incomplete response.
          for connection in answered { shutdown(connection, Int32(SHUT_WR)) }
          isFinished = true
        }
        for descriptor in ready {
          if descriptor == listener {
            let connection = accept(listener, nil, nil)
            if connection >= 0 { connections[connection] = [] }
          } else if descriptor != exchange.descriptor, receivesRequest(descriptor) {
            requests += 1
            expect(requests <= 3, "a request is repeated at most twice")
            send(response, on: descriptor)
            if staysOpen, !isFinished {
              answered.insert(descriptor)
            } else {
              shutdown(descriptor, Int32(SHUT_WR))
            }
          }
        }
      }
      return exchange
    }

    func closeConnections() {
      for connection in connections.keys + closed { close(connection) }
      (connections, closed) = ([:], [])
    }

    /// Returns the descriptors among the given ones and the connections that can be read.
    private func poll(_ others: [Int32], milliseconds: Int) -> [Int32] {
      var entries = (others + connections.keys).map {
        pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
      }
      while Glibc.poll(&entries, nfds_t(entries.count), Int32(milliseconds)) < 0 {
        expect(errno == EINTR, "the sockets can be waited for")
      }
      return entries.filter { $0.revents != 0 }.map(\.fd)
    }

    /// Reads from a connection, and returns whether a request is complete.
    private func receivesRequest(_ connection: Int32) -> Bool {
      var buffer = [UInt8](repeating: 0, count: 4_096)
      let count = recv(connection, &buffer, buffer.count, 0)
      guard count > 0 else {
        // Closed later, so that its number is not used again during the exchange.
        connections[connection] = nil
        closed.append(connection)
        return false
      }
      connections[connection, default: []] += buffer[..<count]
      guard connections[connection]?.suffix(4) == Array("\r\n\r\n".utf8)[...] else { return false }
      connections[connection] = []
      return true
    }

    private func send(_ bytes: [UInt8], on connection: Int32) {
      var sent = 0
      while sent < bytes.count {
        let count = bytes[sent...].withUnsafeBytes {
          Glibc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        // The client may have closed the connection after the first bytes.
        guard count > 0 else { return }
        sent += count
      }
    }
  }
#endif
