#if os(Linux) || os(macOS)
  package import Foundation

  #if canImport(Darwin)
    import Darwin
  #else
    import Glibc
  #endif

  /// A request received by a ``ScriptedServer``, as raw text and bytes.
  package struct RawRequest: Sendable {
    /// The request line without its terminator.
    package var line = ""
    /// The header lines in order, decoded as ISO-8859-1 if the head is not UTF-8.
    ///
    /// Over HTTP/2, the only element is the block of all fields.
    package var fields: [String] = []
    /// The body without chunk framing; empty if the server does not store bodies.
    package var body = Data()
    /// The number of body bytes received, stored or not.
    package var bodyCount = 0
    /// The number of its connection, from 0.
    package var connection = 0
    /// The identifier of its stream, or 0 for HTTP/1.
    package var stream: UInt32 = 0

    package var method: String { String(line.prefix { $0 != " " }) }
    package var target: String {
      line.split(separator: " ").dropFirst().first.map(String.init) ?? ""
    }

    /// Returns the values of a header field in order.
    package func values(of name: String) -> [String] {
      fields.compactMap { field in
        guard let colon = field.firstIndex(of: ":"),
          field[..<colon].lowercased() == name.lowercased()
        else { return nil }
        return field[field.index(after: colon)...].trimmingCharacters(in: .whitespaces)
      }
    }

    /// Parses a head, including its empty line.
    package init(head: Data, connection: Int) {
      let text =
        String(data: head, encoding: .utf8) ?? String(data: head, encoding: .isoLatin1) ?? ""
      var lines = text.components(separatedBy: "\r\n")
      line = lines.removeFirst()
      fields = lines.filter { !$0.isEmpty }
      self.connection = connection
    }
  }

  /// One connection of a ``ScriptedServer``, served on its own thread.
  struct ScriptedConnection {
    /// The logs of its server.
    struct Logs: Sendable {
      let requests: Log<RawRequest>
      let closed: Log<Int>
      let blocked: Log<Int>
    }

    private let socket: Int32
    let number: Int
    let logs: Logs
    private let release: Int32
    private let keepsBodies: Bool
    private var tls: ServerTLS.Session?
    private var buffer = Data()

    init(_ socket: Int32, _ number: Int, _ logs: Logs, release: Int32, keepsBodies: Bool) {
      self.socket = socket
      self.number = number
      self.logs = logs
      self.release = release
      self.keepsBodies = keepsBodies
      var on: Int32 = 1
      setsockopt(
        socket, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Serves requests until the connection has to be closed.
    mutating func serve(
      _ greeting: [ScriptedServer.Step], over tls: ServerTLS?,
      _ answersEarly: (RawRequest) -> Bool, _ script: ScriptedServer.Script
    ) {
      if let tls {
        guard let session = ServerTLS.Session(tls, socket) else { return }
        self.tls = session
      }
      for step in greeting where !perform(step) { return }
      while let head = readHead() {
        if head.line == "PRI * HTTP/2.0" { return serveHTTP2(answersEarly, script) }
        let isEarly = answersEarly(head)
        guard let request = isEarly ? head : readBody(of: head) else { break }
        logs.requests.append(request)
        for step in script(request) where !perform(step) { return }
        if isEarly { drain() }
      }
      logs.closed.append(number)
    }

    /// Performs a step.
    ///
    /// - Returns: Whether the connection remains usable.
    mutating func perform(_ step: ScriptedServer.Step) -> Bool {
      switch step {
      case .send(let data): return send(data)
      case .sendBytewise(let data): return data.allSatisfy { send(Data([$0])) }
      case .flood(let count): return flood(count)
      case .stall: return stall()
      case .hold:
        var poller = pollfd(fd: release, events: Int16(POLLIN), revents: 0)
        poll(&poller, 1, -1)
        return true
      case .tunnel(let port):
        Tunnel.run(socket, to: port)
        return false
      case .run(let body):
        body()
        return true
      case .endSending: return shutdown(socket, Int32(SHUT_WR)) == 0
      case .drain:
        drain()
        logs.closed.append(number)
        return false
      case .close: return false
      case .reset:
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(socket, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        return false
      }
    }

    private mutating func readHead() -> RawRequest? {
      read(through: Data("\r\n\r\n".utf8)).map { RawRequest(head: $0, connection: number) }
    }

    private mutating func readBody(of head: RawRequest) -> RawRequest? {
      var request = head
      if request.values(of: "Transfer-Encoding").contains("chunked") {
        while true {
          guard let line = read(through: Data("\r\n".utf8)),
            let size = Int(String(decoding: line.dropLast(2), as: UTF8.self), radix: 16),
            let chunk = read(size + 2)
          else { return nil }
          if keepsBodies { request.body += chunk.dropLast(2) }
          request.bodyCount += size
          if size == 0 { return request }
        }
      }
      guard let length = request.values(of: "Content-Length").first else { return request }
      guard let count = Int(length) else { return nil }
      request.bodyCount = count
      if !keepsBodies { return skip(count) ? request : nil }
      guard let body = read(count) else { return nil }
      request.body = body
      return request
    }

    private mutating func read(through end: Data) -> Data? {
      while true {
        if let range = buffer.range(of: end) { return take(range.upperBound - buffer.startIndex) }
        guard receive() else { return nil }
      }
    }

    mutating func read(_ count: Int) -> Data? {
      while buffer.count < count { guard receive() else { return nil } }
      return take(count)
    }

    private mutating func skip(_ count: Int) -> Bool {
      var rest = count
      while rest > buffer.count {
        rest -= buffer.count
        buffer = Data()
        guard receive() else { return false }
      }
      _ = take(rest)
      return true
    }

    private mutating func take(_ count: Int) -> Data {
      defer { buffer = buffer.dropFirst(count) }
      return Data(buffer.prefix(count))
    }

    private mutating func receive() -> Bool {
      let count = withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { bytes in
        let count = tls?.read(into: bytes) ?? recv(socket, bytes.baseAddress, bytes.count, 0)
        if count > 0 { buffer.append(contentsOf: bytes[..<count]) }
        return count
      }
      return count > 0
    }

    private mutating func drain() {
      repeat { buffer = Data() } while receive()
    }

    private func send(_ data: Data) -> Bool {
      data.withUnsafeBytes { bytes in
        var sent = 0
        while sent < bytes.count {
          let rest = UnsafeRawBufferPointer(rebasing: bytes[sent...])
          let count =
            tls?.write(rest) ?? LoopbackSocket.send(rest, to: socket)
          guard count > 0 else { return false }
          sent += count
        }
        return true
      }
    }

    private func flood(_ total: Int) -> Bool {
      let zeros = [UInt8](repeating: 0, count: 65_536)
      var sent = 0
      while sent < total {
        let size = min(zeros.count, total - sent)
        let count = zeros.withUnsafeBytes {
          LoopbackSocket.send(
            UnsafeRawBufferPointer(rebasing: $0[..<size]), to: socket, waits: false)
        }
        if count > 0 {
          sent += count
        } else if errno == EAGAIN {
          logs.blocked.append(sent)
          var poller = pollfd(fd: socket, events: Int16(POLLOUT), revents: 0)
          poll(&poller, 1, -1)
        } else {
          logs.closed.append(number)
          return false
        }
      }
      return true
    }

    private func stall() -> Bool {
      var pollers = [
        pollfd(fd: socket, events: Int16(POLLIN), revents: 0),
        pollfd(fd: release, events: Int16(POLLIN), revents: 0),
      ]
      poll(&pollers, 2, -1)
      if pollers[1].revents != 0 { return true }
      logs.closed.append(number)
      return false
    }
  }

  /// Relays bytes between a socket and a loopback port until one side closes, like a proxy.
  enum Tunnel {
    static func run(_ socket: Int32, to port: UInt16) {
      let other = LoopbackSocket.make()
      LoopbackSocket.prepare(other)
      defer { close(other) }
      guard LoopbackSocket.connect(other, toPort: port) else { return }
      var pollers = [socket, other].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      while poll(&pollers, 2, -1) > 0 {
        if pollers[0].revents != 0, !relay(from: socket, to: other) { return }
        if pollers[1].revents != 0, !relay(from: other, to: socket) { return }
      }
    }

    private static func relay(from source: Int32, to target: Int32) -> Bool {
      withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { bytes in
        let count = recv(source, bytes.baseAddress, bytes.count, 0)
        var sent = 0
        while sent < count {
          let rest = UnsafeRawBufferPointer(rebasing: bytes[sent..<count])
          let more = LoopbackSocket.send(rest, to: target)
          guard more > 0 else { return false }
          sent += more
        }
        return count > 0
      }
    }
  }
#endif
