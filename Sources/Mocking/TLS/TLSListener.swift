import CatenaSystem
import Foundation
import Networking

#if CATENA_CURL
  import CCatenaCurl
#endif

/// The TLS settings of a running server, and its handshakes.
final class TLSListener: Sendable {
  /// The maximum number of handshakes that are kept.
  private static let limit = 20_000

  private let recorded = Mutex<[MockHandshake]>([])

  /// The latest handshakes, the oldest first.
  var handshakes: [MockHandshake] { recorded.withLock { $0 } }

  fileprivate func record(_ handshake: MockHandshake) {
    recorded.withLock { handshakes in
      handshakes.append(handshake)
      // Removes many at once, because each removal moves the rest.
      if handshakes.count > Self.limit * 2 { handshakes.removeFirst(Self.limit) }
    }
  }

  #if CATENA_CURL
    /// `nonisolated(unsafe)` because it does not change, and OpenSSL allows its use on any thread.
    nonisolated(unsafe) private let server: OpaquePointer

    /// - Throws: `tlsFailed` if OpenSSL rejects a setting.
    init(_ tls: MockTLS) throws(MockServerError) {
      var identity: OpaquePointer?
      let key = Data(tls.certificate.privateKeyPEM.utf8)
      let result = OpenSSLBytes.with([Data(tls.certificate.pem.utf8), key]) {
        catena_identity_make($0[0].bytes, $0[0].count, $0[1].bytes, $0[1].count, nil, &identity)
      }
      defer { catena_identity_free(identity) }
      guard result == .OK else { throw .tlsFailed(reason: "the server's certificate is unusable") }
      var store: OpaquePointer?
      if tls.clientCertificates != .ignored {
        store = catena_store_make()
        for authority in tls.clientAuthorities {
          authority.certificate.der.withUnsafeBytes {
            _ = catena_store_add(store, $0.baseAddress, $0.count)
          }
        }
      }
      defer { catena_store_free(store) }
      let made = OpenSSLBytes.with([tls.stapledStatus ?? Data()]) { status in
        var settings = CatenaServerSettings()
        settings.identity = identity
        settings.clientAuthorities = store
        settings.requiresClientCertificate = tls.clientCertificates == .required
        settings.status = UnsafePointer(status[0].bytes)
        settings.statusCount = status[0].count
        settings.minimumVersion = Int32(tls.minimumVersion.rawValue)
        settings.maximumVersion = Int32(tls.maximumVersion?.rawValue ?? 0)
        return catena_server_make(&settings)
      }
      guard let made else { throw .tlsFailed(reason: "OpenSSL rejects the TLS settings") }
      server = made
    }

    deinit {
      catena_server_free(server)
    }

    /// Returns TLS on an accepted socket, or `nil` if there is no memory.
    func accept(_ descriptor: Int32, connection: Int) -> TLSChannel? {
      catena_server_accept(server, descriptor).map {
        TLSChannel($0, connection: connection, listener: self)
      }
    }
  #else
    init(_ tls: MockTLS) throws(MockServerError) { throw .tlsUnsupported }

    func accept(_ descriptor: Int32, connection: Int) -> TLSChannel? { nil }
  #endif
}

/// TLS on one connection of a server.
///
/// `@unchecked Sendable` because only the thread of the server's event loop uses it.
final class TLSChannel: @unchecked Sendable {
  #if CATENA_CURL
    private let tls: OpaquePointer
    private let connection: Int
    private let listener: TLSListener
    private var hasRecorded = false
    /// Whether the handshake has failed.
    private(set) var hasFailedHandshake = false
    /// Whether reading waits for the socket to become writable.
    private(set) var wantsWrite = false

    fileprivate init(_ tls: OpaquePointer, connection: Int, listener: TLSListener) {
      self.tls = tls
      self.connection = connection
      self.listener = listener
    }

    deinit {
      catena_tls_free(tls)
    }

    /// Reads bytes, after the handshake.
    ///
    /// - Returns: Their number, or a negative number of `CCatenaCurl` or 0.
    func read(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
      let result = catena_tls_read(tls, buffer.baseAddress, buffer.count)
      wantsWrite = result == Int(CatenaTLSWantsWrite)
      let hasFailed = result == Int(CatenaTLSFailed)
      hasFailedHandshake = hasFailed && !catena_tls_is_established(tls)
      record(hasFailed: hasFailed || result == Int(CatenaTLSEnded))
      return result
    }

    /// Writes bytes.
    ///
    /// - Returns: Their number, or a negative number of `CCatenaCurl` or 0.
    func write(_ bytes: UnsafeRawBufferPointer) -> Int {
      catena_tls_write(tls, bytes.baseAddress, bytes.count)
    }

    /// Tells the client that no more bytes follow.
    func finish() { catena_tls_finish(tls) }

    private func record(hasFailed: Bool) {
      guard !hasRecorded else { return }
      let isEstablished = catena_tls_is_established(tls)
      guard isEstablished || hasFailed else { return }
      hasRecorded = true
      var count: UInt32 = 0
      let name = isEstablished ? catena_tls_protocol(tls, &count) : nil
      var chain: [Data] = []
      withUnsafeMutablePointer(to: &chain) { chain in
        catena_tls_chain_each(
          tls,
          { context, bytes, count in
            guard let bytes else { return }
            context?.assumingMemoryBound(to: [Data].self).pointee
              .append(Data(bytes: bytes, count: count))
          }, UnsafeMutableRawPointer(chain))
      }
      let isResumed = isEstablished && catena_tls_is_resumed(tls)
      listener.record(
        MockHandshake(
          connection: connection,
          version: isEstablished
            ? TLSVersion(openSSLName: String(cString: catena_tls_version(tls))) : nil,
          applicationProtocol: name.map {
            String(decoding: UnsafeBufferPointer(start: $0, count: Int(count)), as: UTF8.self)
          }, isResumed: isResumed,
          clientCertificate: isResumed ? nil : chain.first.flatMap(ServerCertificate.init(der:)),
          failure: isEstablished
            ? nil : catena_tls_failure().map { String(cString: $0) } ?? "the client has left"))
    }
  #else
    let wantsWrite = false
    let hasFailedHandshake = false
    func read(_ buffer: UnsafeMutableRawBufferPointer) -> Int { -3 }
    func write(_ bytes: UnsafeRawBufferPointer) -> Int { -3 }
    func finish() {}
  #endif
}
