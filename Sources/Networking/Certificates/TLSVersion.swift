/// A version of TLS.
public enum TLSVersion: Int, Sendable, Hashable, Comparable, CaseIterable {
  /// TLS 1.0, which is insecure.
  case v1_0 = 0x0301
  /// TLS 1.1, which is insecure.
  case v1_1 = 0x0302
  /// TLS 1.2.
  case v1_2 = 0x0303
  /// TLS 1.3.
  case v1_3 = 0x0304

  /// Compares the ages of versions.
  public static func < (left: TLSVersion, right: TLSVersion) -> Bool {
    left.rawValue < right.rawValue
  }
}

extension TLSVersion: CustomStringConvertible {
  /// The name, such as `TLS 1.3`.
  public var description: String { "TLS 1.\(rawValue - TLSVersion.v1_0.rawValue)" }

  /// Makes a version from OpenSSL's name, such as `TLSv1.3`, or returns `nil`.
  package init?(openSSLName name: String) {
    let names: [String: TLSVersion] = [
      "TLSv1": .v1_0, "TLSv1.1": .v1_1, "TLSv1.2": .v1_2, "TLSv1.3": .v1_3,
    ]
    guard let version = names[name] else { return nil }
    self = version
  }
}
