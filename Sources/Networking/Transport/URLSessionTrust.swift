import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The ``TLSOptions`` of a ``URLSessionTransport``, as far as the platform can keep to them.
struct URLSessionTrust: Sendable {
  let options: TLSOptions

  init(_ options: TLSOptions) {
    self.options = options
  }

  /// Why options cannot be kept to here; nil when they can.
  ///
  /// What cannot be kept to is not passed over: whoever pins a key has to know that nobody looks.
  static func refusal(of options: TLSOptions) -> TransportFailure? {
    #if canImport(FoundationNetworking)
      guard options != TLSOptions() else { return nil }
      return TransportFailure(
        code: .unsupported,
        detail: "URLSession on this platform has no TLS options; CurlTransport has")
    #else
      guard options.clientCertificate != nil || options.certificateAuthorities != nil else {
        return nil
      }
      return TransportFailure(
        code: .unsupported,
        detail:
          "A transport on URLSession takes no client certificate and no authorities of one's own")
    #endif
  }

  /// Sets what is the configuration's to say.
  func configure(_ configuration: URLSessionConfiguration) {
    #if !canImport(FoundationNetworking)
      let lowest: tls_protocol_version_t =
        switch options.minimumVersion {
        case .v1_0: .TLSv10
        case .v1_1: .TLSv11
        case .v1_2: .TLSv12
        case .v1_3: .TLSv13
        }
      // The default is the configuration's own to change.
      if options.minimumVersion != TLSOptions().minimumVersion {
        configuration.tlsMinimumSupportedProtocolVersion = lowest
      }
    #endif
  }
}
