#if os(Linux)
  import Foundation
  import Glibc

  /// One connection of a ``ScriptedServer``, on its thread.
  struct ScriptedConnection {
    private let socket: Int32
    private let number: Int
    private let requests: Log<ReceivedRequest>
    private let closed: Log<Int>
    private let blocked: Log<Int>
    private let release: Int32
    private let keepsBodies: Bool
    private var buffer = Data()

    init(
      _ socket: Int32, _ number: Int, requests: Log<ReceivedRequest>, closed: Log<Int>,
      blocked: Log<Int>, release: Int32, keepsBodies: Bool
    ) {
      self.socket = socket
      self.number = number
      self.requests = requests
      self.closed = closed
      self.blocked = blocked
      self.release = release
      self.keepsBodies = keepsBodies
      var on: Int32 = 1
      setsockopt(
        socket, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Returns when the connection is to be closed.
    mutating func serve(_ greeting: [ScriptedServer.Step], _ script: ScriptedServer.Script) {
      for step in greeting where !perform(step) { return }
      while let request = readRequest() {
        requests.append(request)
        for step in script(request) where !perform(step) { return }
      }
      closed.append(number)
    }

    /// - Returns: false when the connection is over.
    private mutating func perform(_ step: ScriptedServer.Step) -> Bool {
      switch step {
      case .send(let data): return send(data)
      case .flood(let count): return flood(count)
      case .stall: return stall()
      case .hold:
        var poller = pollfd(fd: release, events: Int16(POLLIN), revents: 0)
        poll(&poller, 1, -1)
        return true
      case .tunnel(let port):
        Tunnel.run(socket, to: port)
        return false
      case .close: return false
      case .reset:
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(socket, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        return false
      }
    }

    private mutating func readRequest() -> ReceivedRequest? {
      guard let head = read(through: Data("\r\n\r\n".utf8)) else { return nil }
      var request = ReceivedRequest(head: head, connection: number)
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

    private mutating func read(_ count: Int) -> Data? {
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
        let count = recv(socket, bytes.baseAddress, bytes.count, 0)
        if count > 0 { buffer.append(contentsOf: bytes[..<count]) }
        return count
      }
      return count > 0
    }

    private func send(_ data: Data) -> Bool {
      data.withUnsafeBytes { bytes in
        var sent = 0
        while sent < bytes.count {
          let rest = UnsafeRawBufferPointer(rebasing: bytes[sent...])
          let count = Glibc.send(socket, rest.baseAddress, rest.count, Self.flags)
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
        let count = Glibc.send(socket, zeros, size, Self.flags | Int32(MSG_DONTWAIT))
        if count > 0 {
          sent += count
        } else if errno == EAGAIN {
          blocked.append(sent)
          var poller = pollfd(fd: socket, events: Int16(POLLOUT), revents: 0)
          poll(&poller, 1, -1)
        } else {
          closed.append(number)
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
      closed.append(number)
      return false
    }

    private static var flags: Int32 { Int32(MSG_NOSIGNAL) }
  }
#endif
