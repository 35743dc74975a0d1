// The part of Foundation that exists on Apple platforms only, after developer.apple.com/documentation/foundation. There
// Foundation exports Dispatch and Security again.
@_exported import AppleDispatch
import Foundation
import FoundationNetworking
@_exported import Security

extension URLCredential {
  public convenience init(trust: SecTrust) { fatalError() }
  public convenience init(
    identity: SecIdentity, certificates: [Any]?, persistence: URLCredential.Persistence
  ) {
    fatalError()
  }
}
extension URLProtectionSpace {
  public var serverTrust: SecTrust? { nil }
}
public let NSURLAuthenticationMethodServerTrust = "NSURLAuthenticationMethodServerTrust"
public let NSURLAuthenticationMethodClientCertificate = "NSURLAuthenticationMethodClientCertificate"

public struct HTTPCookieStringPolicy: Hashable, RawRepresentable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public static let sameSiteLax = HTTPCookieStringPolicy(rawValue: "lax")
  public static let sameSiteStrict = HTTPCookieStringPolicy(rawValue: "strict")
}
extension HTTPCookie {
  public var sameSitePolicy: HTTPCookieStringPolicy? { nil }
}
extension HTTPCookiePropertyKey {
  public static let sameSitePolicy = HTTPCookiePropertyKey(rawValue: "SameSite")
}
extension URLSessionConfiguration {
  public var tlsMinimumSupportedProtocolVersion: tls_protocol_version_t {
    get { .TLSv12 }
    set {}
  }
  public var tlsMaximumSupportedProtocolVersion: tls_protocol_version_t {
    get { .TLSv13 }
    set {}
  }
  // Foundation on Linux has the next two for reading only, and a type that cannot be used.
  public var waitsForConnectivity: Bool {
    get { false }
    set {}
  }
  public enum MultipathService { case none, handover, interactive, aggregate }
  public var multipathServiceType: MultipathService {
    get { .none }
    set {}
  }
  public class func background(withIdentifier identifier: String) -> URLSessionConfiguration {
    .default
  }
}
extension URLSessionTaskTransactionMetrics {
  public var remotePort: Int? { nil }
}
extension ProcessInfo {
  @available(macOS, unavailable)
  public func performExpiringActivity(
    withReason reason: String, using block: @escaping @Sendable (Bool) -> Void
  ) {}
}
extension FileManager {
  public func containerURL(forSecurityApplicationGroupIdentifier groupIdentifier: String) -> URL? {
    nil
  }
}
