import CatenaSystem
import Foundation
import Promises

/// An HTTP server on 127.0.0.1 that waits for one request, on a thread of its own.
///
/// It reads the first line of each request only. A connection may be silent, as those that browsers
/// open in advance, so all are read at once.
final class LoopbackListener: Sendable {
  /// A connection and the bytes that it has sent.
  private struct Connection {
    var descriptor: Int32
    var bytes: [UInt8] = []
  }

  private static let maximumConnections = 32
  private static let maximumHead = 16 << 10

  /// The port that the server listens on.
  let port: UInt16

  private let socket: Int32
  /// The pipe that wakes the thread: the end to read, and the end to write.
  private let wake: (read: Int32, write: Int32)
  private let page: @Sendable (_ redirect: URL) -> String
  private let isStopped = Atomic(false)
  private let isStarted = Atomic(false)

  /// Starts listening.
  ///
  /// - Parameters:
  ///   - port: The port. 0 lets the system choose a free one.
  ///   - page: A closure that returns the HTML of the response to the redirect.
  /// - Throws: ``OAuth2Error`` with the code `consentUnavailable` if the port is not available.
  init(
    port: UInt16, page: @escaping @Sendable (_ redirect: URL) -> String
  ) throws {
    var pipes: [Int32] = [0, 0]
    guard pipe(&pipes) == 0 else { throw Self.failure() }
    wake = (pipes[0], pipes[1])
    let descriptor = CatenaSystem.socket(AF_INET, SocketType.stream, 0)
    let failed = { () -> OAuth2Error in
      let error = Self.failure()
      for descriptor in pipes + [descriptor] where descriptor >= 0 { close(descriptor) }
      return error
    }
    guard descriptor >= 0 else { throw failed() }
    for descriptor in pipes + [descriptor] { Self.prepare(descriptor) }
    var yes: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 && listen(descriptor, 16) == 0
          && getsockname(descriptor, $0, &length) == 0
      }
    }
    guard isListening else { throw failed() }
    socket = descriptor
    self.port = UInt16(bigEndian: address.sin_port)
    self.page = page
  }

  deinit {
    // The thread retains this object, so it has ended.
    for descriptor in [socket, wake.read, wake.write] { close(descriptor) }
  }

  /// Starts the thread.
  ///
  /// - Parameter match: A closure that returns the result for the target of a request, or `nil` for
  ///   a request to ignore.
  /// - Returns: A promise of the first result. It is rejected with `CancellationError` after
  ///   ``stop()``.
  func start(_ match: @escaping @Sendable (_ target: String) -> URL?) -> Promise<URL> {
    let (promise, resolver) = Promise<URL>.pending(on: .inline)
    isStarted.store(true, ordering: .relaxed)
    let thread = Thread {
      let result = self.run(match)
      if let result { resolver.fulfill(result) } else { resolver.reject(CancellationError()) }
    }
    thread.name = "Catena.LoopbackListener"
    thread.start()
    return promise
  }

  /// Stops the thread.
  ///
  /// Repeated calls are no-ops.
  func stop() {
    guard !isStopped.exchange(true, ordering: .acquiringAndReleasing) else { return }
    var byte: UInt8 = 0
    _ = write(wake.write, &byte, 1)
  }

  private func run(_ match: (String) -> URL?) -> URL? {
    var connections: [Connection] = []
    defer { for connection in connections { close(connection.descriptor) } }
    while !isStopped.load(ordering: .acquiring) {
      var polled = [wake.read, socket].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      polled += connections.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
      guard poll(&polled, nfds_t(polled.count), -1) >= 0 || errno == EINTR else { return nil }
      // From the last one, so that removals do not move those to come.
      for index in connections.indices.reversed() where polled[index + 2].revents != 0 {
        switch read(&connections[index], match) {
        case .waits: continue
        case .ended: close(connections.remove(at: index).descriptor)
        case .matched(let url):
          close(connections.remove(at: index).descriptor)
          return url
        }
      }
      if polled[1].revents != 0 { accept(&connections) }
    }
    return nil
  }

  private enum Progress {
    case waits, ended
    case matched(URL)
  }

  private func read(_ connection: inout Connection, _ match: (String) -> URL?) -> Progress {
    var buffer = [UInt8](repeating: 0, count: 4_096)
    let count = recv(connection.descriptor, &buffer, buffer.count, 0)
    if count < 0 { return errno == EAGAIN || errno == EINTR ? .waits : .ended }
    guard count > 0 else { return .ended }
    connection.bytes += buffer.prefix(count)
    let newline = UInt8(ascii: "\n")
    // The whole head, so that the browser has sent it before the connection is closed.
    let isComplete = ["\r\n\r\n", "\n\n"].contains {
      connection.bytes.firstRange(of: Array($0.utf8)) != nil
    }
    guard isComplete else { return connection.bytes.count > Self.maximumHead ? .ended : .waits }
    let line = String(decoding: connection.bytes.prefix { $0 != newline }, as: UTF8.self)
    let parts = line.split(separator: " ")
    guard parts.count == 3, parts[0] == "GET", let url = match(String(parts[1])) else {
      respond(connection, "404 Not Found", "<!DOCTYPE html><title>Not found</title>")
      return .ended
    }
    respond(connection, "200 OK", page(url))
    return .matched(url)
  }

  private func respond(_ connection: Connection, _ status: String, _ page: String) {
    let body = Array(page.utf8)
    let head = """
      HTTP/1.1 \(status)\r
      Content-Type: text/html; charset=utf-8\r
      Content-Length: \(body.count)\r
      Cache-Control: no-store\r
      Referrer-Policy: no-referrer\r
      Connection: close\r
      \r

      """
    var bytes = Array(head.utf8) + body
    while !bytes.isEmpty {
      #if canImport(Darwin)
        let sent = send(connection.descriptor, bytes, bytes.count, 0)
      #else
        let sent = send(connection.descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
      #endif
      // A page that does not fit into the buffer of the socket is cut.
      guard sent > 0 else { break }
      bytes.removeFirst(sent)
    }
    shutdown(connection.descriptor, Int32(SHUT_WR))
  }

  private func accept(_ connections: inout [Connection]) {
    let descriptor = CatenaSystem.accept(socket, nil, nil)
    guard descriptor >= 0 else {
      // Without descriptors or memory the connection goes on waiting, so do not ask again at once.
      if ![EAGAIN, EINTR, ECONNABORTED].contains(errno) { usleep(20_000) }
      return
    }
    Self.prepare(descriptor)
    if connections.count >= Self.maximumConnections { close(connections.removeFirst().descriptor) }
    connections.append(Connection(descriptor: descriptor))
  }

  /// Makes a descriptor non-blocking, and closes it in child processes.
  private static func prepare(_ descriptor: Int32) {
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    #if canImport(Darwin)
      var yes: Int32 = 1
      setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &yes, socklen_t(MemoryLayout<Int32>.size))
    #endif
  }

  private static func failure() -> OAuth2Error {
    OAuth2Error(
      .consentUnavailable, "the loopback server cannot listen: \(String(cString: strerror(errno)))")
  }
}
