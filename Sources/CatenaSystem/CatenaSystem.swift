// The C library of each platform. All other modules import this one, and qualify a function with its name
// where a member of the same name hides it.

#if canImport(Darwin)
  @_exported import Darwin
#elseif canImport(Glibc)
  @_exported import Glibc
#elseif canImport(Musl)
  @_exported import Musl
#elseif canImport(Android)
  @_exported import Android
#endif

/// The type of a socket, and the flags that are joined with it.
///
/// The C libraries declare them with different types.
package enum SocketType {
  #if canImport(Glibc)
    /// A stream, such as a TCP connection.
    package static let stream = Int32(SOCK_STREAM.rawValue)
    /// Messages without a protocol of transport.
    package static let raw = Int32(SOCK_RAW.rawValue)
    /// The socket does not block.
    package static let nonblocking = Int32(SOCK_NONBLOCK.rawValue)
    /// A child process does not inherit the socket.
    package static let closedInChildren = Int32(SOCK_CLOEXEC.rawValue)
  #else
    /// A stream, such as a TCP connection.
    package static let stream = SOCK_STREAM
    #if !canImport(Darwin)
      /// Messages without a protocol of transport.
      package static let raw = SOCK_RAW
      /// The socket does not block.
      package static let nonblocking = SOCK_NONBLOCK
      /// A child process does not inherit the socket.
      package static let closedInChildren = SOCK_CLOEXEC
    #endif
  #endif
}
