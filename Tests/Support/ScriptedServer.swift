#if os(Linux)
  import Foundation
  import Glibc
  import Synchronization

  /// A server on 127.0.0.1, or on a Unix socket, that plays bytes, right or wrong ones, to each request that it has read.
  ///
  /// A connection has a thread of its own and is kept until a step or the client ends it. The server
  /// stops when it is released.
  package final class ScriptedServer: Sendable {
    /// What is done in answer to a request, one after the other.
    package enum Step: Sendable {
      /// Sends bytes as they are.
      case send(Data)
      /// Sends so many zeros, and notes in `blocked` when the client takes no more.
      case flood(Int)
      /// Waits for `release()`, or for the client to close.
      case stall
      /// Waits for `release()`, whatever the client does meanwhile, and reads nothing.
      case hold
      /// Carries bytes to and from a port on 127.0.0.1 until one side ends.
      case tunnel(to: UInt16)
      /// Closes the connection.
      case close
      /// Closes the connection by a reset.
      case reset

      /// Sends text as UTF-8.
      package static func text(_ text: String) -> Step { .send(Data(text.utf8)) }

      /// Sends a whole response with a length.
      package static func respond(
        _ status: String = "200 OK", _ fields: [String] = [], _ body: Data = Data()
      ) -> Step {
        let head = ["HTTP/1.1 \(status)"] + fields + ["Content-Length: \(body.count)", "", ""]
        return .send(Data(head.joined(separator: "\r\n").utf8) + body)
      }
    }

    package typealias Script = @Sendable (ReceivedRequest) -> [Step]

    /// 0 for a Unix socket.
    package let port: UInt16
    /// What has been received.
    package let requests = Log<ReceivedRequest>()
    /// The numbers of the connections that the client has closed.
    package let closed = Log<Int>()
    /// How many bytes of a flood had been taken when the client took no more.
    package let blocked = Log<Int>()

    private let connections: ServerConnections
    private let stopped = DispatchGroup()

    /// - Parameters:
    ///   - unixSocketPath: the Unix socket to listen on; nil for a port.
    ///   - greeting: what is done before any request has been read.
    ///   - keepsBodies: whether the bodies of requests are kept; they are counted in any case.
    ///   - script: what is done in answer to a request.
    /// - Throws: a `TestError` when there is no socket to be had.
    package init(
      unixSocketPath: String? = nil, greeting: [Step] = [], keepsBodies: Bool = true,
      _ script: @escaping Script
    ) throws {
      let listener: Int32
      (listener, port) = try unixSocketPath.map { (try Self.listen(at: $0), 0) } ?? Self.listen()
      connections = try ServerConnections(listener: listener)
      stopped.enter()
      let (requests, closed, blocked) = (requests, closed, blocked)
      let (connections, stopped) = (connections, stopped)
      Self.startThread {
        defer { stopped.leave() }
        while true {
          let socket = accept(listener, nil, nil)
          if socket < 0, errno == EINTR || errno == ECONNABORTED { continue }
          guard socket >= 0, let number = connections.add(socket) else { break }
          stopped.enter()
          Self.startThread {
            var connection = ScriptedConnection(
              socket, number, requests: requests, closed: closed, blocked: blocked,
              release: connections.released, keepsBodies: keepsBodies)
            connection.serve(greeting, script)
            connections.close(number)
            stopped.leave()
          }
        }
        connections.closeListener()
      }
    }

    deinit {
      connections.closeAll()
    }

    /// How many connections have been made.
    package var connectionCount: Int { connections.count }

    /// How many connections are open on the server's side.
    package var openConnectionCount: Int { connections.openCount }

    package func url(_ path: String = "/") -> URL {
      guard let url = URL(string: "http://127.0.0.1:\(port)\(path)") else {
        preconditionFailure("\(path) is no path")
      }
      return url
    }

    /// Lets all that stall go on, now and later.
    package func release() {
      connections.release()
    }

    /// Closes everything, and returns when the threads are done.
    package func stop() async {
      connections.closeAll()
      await withCheckedContinuation { continuation in
        stopped.notify(queue: .global()) { continuation.resume() }
      }
    }

    private static func startThread(_ body: @escaping @Sendable () -> Void) {
      let thread = Thread(block: body)
      thread.stackSize = 256 << 10
      thread.start()
    }

    private static func listen(at path: String) throws -> Int32 {
      let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      let bytes = Array(path.utf8)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
      let result = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
          bind(listener, address, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            && Glibc.listen(listener, 4_096) == 0
        }
      }
      guard result else { throw TestError("no socket at \(path)") }
      return listener
    }

    private static func listen() throws -> (socket: Int32, port: UInt16) {
      let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let result = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
          bind(listener, address, length) == 0 && Glibc.listen(listener, 4_096) == 0
            && getsockname(listener, address, &length) == 0
        }
      }
      guard result else { throw TestError("no socket to listen on") }
      return (listener, UInt16(bigEndian: address.sin_port))
    }
  }
#endif
