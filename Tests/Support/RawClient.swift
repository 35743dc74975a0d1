import Dispatch
package import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#endif

/// A client that exchanges raw bytes over a TCP connection to the loopback address.
///
/// Blocking calls run one after another on a private queue. A call that makes no progress for 300 s
/// throws.
package final class RawClient: Sendable {
  private let descriptor: Int32
  private let queue = DispatchQueue(label: "RawClient")

  /// Connects to a port.
  package init(port: Int) throws {
    descriptor = LoopbackSocket.make()
    var limit = timeval(tv_sec: 300, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    guard LoopbackSocket.connect(descriptor, toPort: UInt16(port)) else {
      throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
    }
  }

  deinit {
    _ = close(descriptor)
  }

  /// Sends text as UTF-8.
  package func send(_ text: String) async throws {
    try await send(Data(text.utf8))
  }

  /// Sends all bytes.
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

  /// Closes the sending direction; the connection can still receive.
  package func finishSending() {
    _ = shutdown(descriptor, Int32(SHUT_WR))
  }

  /// Receives at least one byte; returns no bytes at the end of the stream.
  ///
  /// - Throws: A `POSIXError` if the connection is reset.
  package func receive(atMost limit: Int = 64 * 1024) async throws -> Data {
    try await perform { descriptor in
      var buffer = Data(count: limit)
      let count = buffer.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, limit, 0) }
      guard count >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
      return buffer.prefix(count)
    }
  }

  /// Receives exactly `count` bytes, or fewer if the stream ends before.
  package func receive(exactly count: Int) async throws -> Data {
    var received = Data()
    while received.count < count {
      let bytes = try await receive(atMost: min(count - received.count, 1 << 20))
      if bytes.isEmpty { break }
      received.append(bytes)
    }
    return received
  }

  /// Receives all bytes to the end of the stream, as text.
  package func receiveAll() async throws -> String {
    var received = Data()
    while case let bytes = try await receive(), !bytes.isEmpty { received.append(bytes) }
    return String(decoding: received, as: UTF8.self)
  }

  /// Receives text through the first `ending`, or to the end of the stream if that is missing.
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
