import Dispatch
import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#endif

/// A TCP connection to the loopback address, with nothing between the test and the bytes.
///
/// Blocking calls are made on a queue of its own, one after the other; the test awaits them. What does
/// not come within 20 s is an error.
package final class RawClient: Sendable {
  private let descriptor: Int32
  private let queue = DispatchQueue(label: "RawClient")

  /// Connects.
  package init(port: Int) throws {
    #if canImport(Darwin)
      descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #else
      descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    #endif
    var limit = timeval(tv_sec: 300, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let descriptor = descriptor
    let status = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard status == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
  }

  deinit {
    _ = close(descriptor)
  }

  /// Sends all of it.
  package func send(_ text: String) async throws {
    try await send(Data(text.utf8))
  }

  /// Sends all of it.
  package func send(_ data: Data) async throws {
    try await perform { descriptor in
      var rest = data[...]
      while !rest.isEmpty {
        #if canImport(Darwin)
          let flags: Int32 = 0
        #else
          let flags = Int32(MSG_NOSIGNAL)
        #endif
        let sent = rest.withUnsafeBytes {
          #if canImport(Darwin)
            Darwin.send(descriptor, $0.baseAddress, $0.count, flags)
          #else
            Glibc.send(descriptor, $0.baseAddress, $0.count, flags)
          #endif
        }
        guard sent > 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        rest = rest.dropFirst(sent)
      }
    }
  }

  /// Sends no more; receiving goes on.
  package func finishSending() {
    _ = shutdown(descriptor, Int32(SHUT_WR))
  }

  /// The next bytes, at least one; empty at the end.
  ///
  /// Throws when the connection is reset.
  package func receive(atMost limit: Int = 64 * 1024) async throws -> Data {
    try await perform { descriptor in
      var buffer = Data(count: limit)
      let count = buffer.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, limit, 0) }
      guard count >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
      return buffer.prefix(count)
    }
  }

  /// Exactly so many bytes, or fewer at the end.
  package func receive(exactly count: Int) async throws -> Data {
    var received = Data()
    while received.count < count {
      let bytes = try await receive(atMost: min(count - received.count, 1 << 20))
      if bytes.isEmpty { break }
      received.append(bytes)
    }
    return received
  }

  /// Everything until the end, as text.
  package func receiveAll() async throws -> String {
    var received = Data()
    while case let bytes = try await receive(), !bytes.isEmpty { received.append(bytes) }
    return String(decoding: received, as: UTF8.self)
  }

  /// What comes until it ends in `ending`, as text; all, if it never does.
  package func receive(until ending: String) async throws -> String {
    let ending = Data(ending.utf8)
    var received = Data()
    while received.suffix(ending.count) != ending {
      let byte = try await receive(atMost: 1)
      if byte.isEmpty { break }
      received.append(byte)
    }
    return String(decoding: received, as: UTF8.self)
  }

  private func perform<Value: Sendable>(
    _ body: @escaping @Sendable (_ descriptor: Int32) throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { [self] in
        continuation.resume(with: Result { try body(descriptor) })
      }
    }
  }
}
