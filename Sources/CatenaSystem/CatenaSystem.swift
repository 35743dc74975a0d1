// The C library of each platform. All other modules import this one, and qualify a function with its name
// where a member of the same name hides it.

#if canImport(Darwin)
  @_exported public import Darwin
#elseif canImport(Glibc)
  @_exported public import Glibc
#elseif canImport(Musl)
  @_exported public import Musl
#elseif canImport(Android)
  @_exported public import Android
#endif

#if canImport(Android)
  // Android's headers do not allow null, which is the address of an empty buffer.

  package func pread(
    _ file: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int, _ offset: off_t
  ) -> Int {
    buffer.map { Android.pread(file, $0, count, offset) } ?? 0
  }

  package func pwrite(
    _ file: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, _ offset: off_t
  ) -> Int {
    bytes.map { Android.pwrite(file, $0, count, offset) } ?? 0
  }

  package func send(
    _ socket: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, _ flags: Int32
  ) -> Int {
    bytes.map { Android.send(socket, $0, count, flags) } ?? 0
  }
#endif

/// The types of a socket, and the flags that are joined with them.
package enum SocketType {
  /// A stream, such as a TCP connection.
  package static let stream = number(SOCK_STREAM)
  #if !canImport(Darwin)
    /// A raw socket.
    package static let raw = number(SOCK_RAW)
    /// The flag of a socket that does not block.
    package static let nonblocking = number(SOCK_NONBLOCK)
    /// The flag of a socket that child processes do not inherit.
    package static let closedInChildren = number(SOCK_CLOEXEC)
  #endif

  // Glibc declares an enumeration, the other libraries declare numbers.
  #if canImport(Glibc)
    private static func number(_ type: __socket_type) -> Int32 { Int32(type.rawValue) }
  #else
    private static func number(_ type: Int32) -> Int32 { type }
  #endif
}

/// Makes a key for a pointer of each thread, which is `nil` at first and not released with the thread.
///
/// - Returns: The key, which is never deleted.
package func makeThreadKey() -> pthread_key_t {
  var key = pthread_key_t()
  precondition(pthread_key_create(&key, nil) == 0, "There are too many thread-specific keys")
  return key
}
