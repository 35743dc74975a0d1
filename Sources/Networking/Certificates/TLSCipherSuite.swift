import CatenaSystem

/// The registered names of cipher suites.
///
/// Source: the IANA registry "TLS Cipher Suites".
enum TLSCipherSuite {
  /// Returns the name of a suite, or its number in hexadecimal digits.
  ///
  /// - Parameter number: The number in the registry.
  /// - Returns: For example `TLS_AES_256_GCM_SHA384`.
  static func name(_ number: UInt16) -> String {
    if let name = names[number] { return "TLS_" + name }
    return "0x" + number.hexadecimal(digits: 4, uppercase: true)
  }

  /// The names, without their common prefix, of the suites that Apple's platforms negotiate.
  static let names: [UInt16: String] = [
    0x000A: "RSA_WITH_3DES_EDE_CBC_SHA",
    0x002F: "RSA_WITH_AES_128_CBC_SHA",
    0x0035: "RSA_WITH_AES_256_CBC_SHA",
    0x003C: "RSA_WITH_AES_128_CBC_SHA256",
    0x003D: "RSA_WITH_AES_256_CBC_SHA256",
    0x009C: "RSA_WITH_AES_128_GCM_SHA256",
    0x009D: "RSA_WITH_AES_256_GCM_SHA384",
    0x1301: "AES_128_GCM_SHA256",
    0x1302: "AES_256_GCM_SHA384",
    0x1303: "CHACHA20_POLY1305_SHA256",
    0xC008: "ECDHE_ECDSA_WITH_3DES_EDE_CBC_SHA",
    0xC009: "ECDHE_ECDSA_WITH_AES_128_CBC_SHA",
    0xC00A: "ECDHE_ECDSA_WITH_AES_256_CBC_SHA",
    0xC012: "ECDHE_RSA_WITH_3DES_EDE_CBC_SHA",
    0xC013: "ECDHE_RSA_WITH_AES_128_CBC_SHA",
    0xC014: "ECDHE_RSA_WITH_AES_256_CBC_SHA",
    0xC023: "ECDHE_ECDSA_WITH_AES_128_CBC_SHA256",
    0xC024: "ECDHE_ECDSA_WITH_AES_256_CBC_SHA384",
    0xC027: "ECDHE_RSA_WITH_AES_128_CBC_SHA256",
    0xC028: "ECDHE_RSA_WITH_AES_256_CBC_SHA384",
    0xC02B: "ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
    0xC02C: "ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
    0xC02F: "ECDHE_RSA_WITH_AES_128_GCM_SHA256",
    0xC030: "ECDHE_RSA_WITH_AES_256_GCM_SHA384",
    0xCCA8: "ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256",
    0xCCA9: "ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
  ]
}
