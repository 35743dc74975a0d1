/// The default transport of the platform.
package enum PlatformTransport {
  /// Makes a `CurlTransport` on Linux, and a ``URLSessionTransport`` on Apple platforms.
  package static func make() -> any Transport {
    #if os(Linux)
      CurlTransport()
    #else
      URLSessionTransport()
    #endif
  }
}
