#if os(Linux)
  package import Foundation
  import Glibc

  /// The server side of TLS on the connections of a ``ScriptedServer``, by the system's OpenSSL.
  ///
  /// By default it accepts only the protocol `h2`, so that clients speak HTTP/2.
  package final class ServerTLS: Sendable {
    /// The protocols that the server selects by ALPN.
    package enum Protocols: Int, Sendable {
      /// No protocol, as a server that does not know ALPN.
      case none
      /// `h2`. The handshake fails if the client does not offer it.
      case http2
      /// `h2` if the client offers it, or else `http/1.1`.
      case both
    }

    /// Whether OpenSSL 3 is installed.
    package static let isAvailable = library != nil

    /// The functions of OpenSSL.
    ///
    /// Source: https://docs.openssl.org/3.0/man3/.
    private struct Library: @unchecked Sendable {
      typealias Select =
        @convention(c) (
          OpaquePointer?, UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
          UnsafeMutablePointer<UInt8>?, UnsafePointer<UInt8>?, UInt32, UnsafeMutableRawPointer?
        ) -> Int32

      let method: @convention(c) () -> OpaquePointer?
      let makeContext: @convention(c) (OpaquePointer?) -> OpaquePointer?
      let useCertificate: @convention(c) (OpaquePointer?, UnsafePointer<CChar>) -> Int32
      let useKey: @convention(c) (OpaquePointer?, UnsafePointer<CChar>, Int32) -> Int32
      let onSelect: @convention(c) (OpaquePointer?, Select, UnsafeMutableRawPointer?) -> Void
      let freeContext: @convention(c) (OpaquePointer?) -> Void
      let make: @convention(c) (OpaquePointer?) -> OpaquePointer?
      let setSocket: @convention(c) (OpaquePointer?, Int32) -> Int32
      let accept: @convention(c) (OpaquePointer?) -> Int32
      let read: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?, Int32) -> Int32
      let write: @convention(c) (OpaquePointer?, UnsafeRawPointer?, Int32) -> Int32
      let free: @convention(c) (OpaquePointer?) -> Void

      init?() {
        guard let library = dlopen("libssl.so.3", RTLD_NOW) else { return nil }
        func symbol<Function>(_ name: String, _: Function.Type = Function.self) -> Function {
          guard let address = dlsym(library, name) else {
            preconditionFailure("OpenSSL has no function \(name)")
          }
          return unsafeBitCast(address, to: Function.self)
        }
        method = symbol("TLS_server_method")
        makeContext = symbol("SSL_CTX_new")
        useCertificate = symbol("SSL_CTX_use_certificate_chain_file")
        useKey = symbol("SSL_CTX_use_PrivateKey_file")
        onSelect = symbol("SSL_CTX_set_alpn_select_cb")
        freeContext = symbol("SSL_CTX_free")
        make = symbol("SSL_new")
        setSocket = symbol("SSL_set_fd")
        accept = symbol("SSL_accept")
        read = symbol("SSL_read")
        write = symbol("SSL_write")
        free = symbol("SSL_free")
      }
    }

    private static let library = Library()

    // `nonisolated(unsafe)` because OpenSSL allows the use of a context on several threads.
    nonisolated(unsafe) private let context: OpaquePointer
    private let library: Library

    /// - Parameters:
    ///   - certificate: The file of the certificate.
    ///   - key: The file of its key.
    ///   - protocols: The protocols that it selects.
    /// - Throws: A `TestError` if OpenSSL is missing or rejects the certificate.
    package init(certificate: URL, key: URL, protocols: Protocols = .http2) throws {
      guard let library = Self.library, let context = library.makeContext(library.method()) else {
        throw TestError("OpenSSL is not installed")
      }
      self.library = library
      self.context = context
      // `SSL_FILETYPE_PEM`.
      guard library.useCertificate(context, certificate.path) == 1,
        library.useKey(context, key.path, 1) == 1
      else { throw TestError("OpenSSL rejects the certificate \(certificate.lastPathComponent)") }
      guard protocols != .none else { return }
      library.onSelect(
        context,
        { _, name, length, offered, size, speaksHTTP1 in
          let offered = UnsafeRawBufferPointer(start: offered, count: Int(size))
          let selected: StaticString
          if offered.contains(protocol: "h2") {
            selected = "h2"
          } else if speaksHTTP1 != nil {
            selected = "http/1.1"
          } else {
            // `SSL_TLSEXT_ERR_ALERT_FATAL`.
            return 2
          }
          name?.pointee = selected.utf8Start
          length?.pointee = UInt8(selected.utf8CodeUnitCount)
          return 0
        }, protocols == .both ? UnsafeMutableRawPointer(bitPattern: 1) : nil)
    }

    deinit {
      library.freeContext(context)
    }

    /// The TLS session of one connection, for one thread.
    final class Session {
      private let library: Library
      private let session: OpaquePointer?
      private let server: ServerTLS

      /// Performs the handshake, or returns `nil` if it fails.
      init?(_ server: ServerTLS, _ socket: Int32) {
        self.server = server
        library = server.library
        session = library.make(server.context)
        // OpenSSL writes without `MSG_NOSIGNAL`.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        guard library.setSocket(session, socket) == 1, library.accept(session) == 1 else {
          return nil
        }
      }

      deinit {
        library.free(session)
      }

      /// Returns the number of bytes read, or a number below 1 at the end or on failure.
      func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        Int(library.read(session, buffer.baseAddress, Int32(buffer.count)))
      }

      /// Returns the number of bytes written, or a number below 1 on failure.
      func write(_ bytes: UnsafeRawBufferPointer) -> Int {
        Int(library.write(session, bytes.baseAddress, Int32(bytes.count)))
      }
    }
  }

  extension UnsafeRawBufferPointer {
    /// Whether a list of ALPN contains a protocol; each name follows its length.
    fileprivate func contains(protocol name: String) -> Bool {
      var rest = self[...]
      while let length = rest.popFirst() {
        if rest.prefix(Int(length)).elementsEqual(name.utf8) { return true }
        rest = rest.dropFirst(Int(length))
      }
      return false
    }
  }
#elseif os(macOS)
  /// The server side of TLS, which needs the OpenSSL of a Linux distribution.
  package final class ServerTLS: Sendable {
    package static let isAvailable = false

    private init() {}

    struct Session {
      init?(_ tls: ServerTLS, _ socket: Int32) { return nil }

      func read(into bytes: UnsafeMutableRawBufferPointer) -> Int { 0 }
      func write(_ bytes: UnsafeRawBufferPointer) -> Int { 0 }
    }
  }
#endif
