#if os(Linux)
  import Foundation

  /// The URL parser of libcurl, which determines the host that a request goes to.
  ///
  /// Its functions are looked up in the process, which has libcurl for the transport.
  enum CurlURL {
    private typealias Make = @convention(c) () -> OpaquePointer?
    private typealias Release = @convention(c) (OpaquePointer?) -> Void
    private typealias Set =
      @convention(c) (OpaquePointer?, Int32, UnsafePointer<CChar>, UInt32) -> Int32
    private typealias Get =
      @convention(c) (
        OpaquePointer?, Int32, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>, UInt32
      ) -> Int32
    private typealias Free = @convention(c) (UnsafeMutablePointer<CChar>?) -> Void

    private static let make: Make = function("curl_url")
    private static let release: Release = function("curl_url_cleanup")
    private static let set: Set = function("curl_url_set")
    private static let get: Get = function("curl_url_get")
    private static let free: Free = function("curl_free")

    /// Returns the host and the port of a URL.
    ///
    /// - Parameter text: The URL.
    /// - Returns: The host as in the URL, an IPv6 address in brackets. `nil` if libcurl rejects the
    ///   URL.
    static func authority(of text: String) -> (host: String, port: String)? {
      let url = make()
      defer { release(url) }
      // CURLUPART_URL, CURLUPART_HOST, CURLUPART_PORT with CURLU_DEFAULT_PORT.
      guard set(url, 0, text, 0) == 0, let host = part(5, of: url),
        let port = part(6, of: url, flags: 1)
      else { return nil }
      return (host, port)
    }

    private static func part(_ part: Int32, of url: OpaquePointer?, flags: UInt32 = 0) -> String? {
      var text: UnsafeMutablePointer<CChar>?
      guard get(url, part, &text, flags) == 0, let text else { return nil }
      defer { free(text) }
      return String(cString: text)
    }

    private static func function<Function>(_ name: String) -> Function {
      let symbol = unwrap(dlsym(nil, name), "libcurl has \(name)")
      return unsafeBitCast(symbol, to: Function.self)
    }
  }
#endif
