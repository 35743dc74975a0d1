import CatenaSystem
package import Foundation

#if canImport(CryptoKit)
  import CryptoKit
#else
  import CCatena
#endif

extension Webhook {
  /// A signature of a webhook by HMAC-SHA256.
  ///
  /// The defaults are those of GitHub: the field `X-Hub-Signature-256: sha256=` with hexadecimal
  /// digits, over the body. Those of Stripe are:
  ///
  /// ```swift
  /// Webhook.Signature(
  ///   secret: "whsec_1", header: "Stripe-Signature", format: "t={timestamp},v1={hex}",
  ///   payload: "{timestamp}.{body}")
  /// ```
  ///
  /// The library of the platform computes it: CryptoKit on Apple platforms, OpenSSL's libcrypto on
  /// Linux. No description contains the secret.
  ///
  /// Source: RFC 2104.
  public struct Signature: Sendable, Hashable {
    /// The secret that both sides know.
    public var secret: String
    /// The name of the header field.
    public var header: String
    /// The value of the header field: a text with `{hex}`, `{base64}` and `{timestamp}`.
    public var format: String
    /// The signed text, with `{body}` and `{timestamp}`.
    public var payload: String
    /// The name of a header field with the timestamp, the number of seconds since 1970.
    ///
    /// `nil` sends none.
    public var timestampHeader: String?

    /// Creates a signature.
    ///
    /// - Parameters:
    ///   - secret: The secret that both sides know.
    ///   - header: The name of the header field.
    ///   - format: The value of the header field, with `{hex}`, `{base64}` and `{timestamp}`.
    ///   - payload: The signed text, with `{body}` and `{timestamp}`.
    ///   - timestampHeader: The name of a header field with the timestamp. `nil` sends none.
    public init(
      secret: String, header: String = "X-Hub-Signature-256", format: String = "sha256={hex}",
      payload: String = "{body}", timestampHeader: String? = nil
    ) {
      self.secret = secret
      self.header = header
      self.format = format
      self.payload = payload
      self.timestampHeader = timestampHeader
    }

    /// Returns the header fields for a body.
    ///
    /// - Parameters:
    ///   - body: The body.
    ///   - date: The date of the attempt.
    /// - Returns: The fields, or `nil` if the platform has no library for the hash.
    func fields(for body: Data, at date: Date) -> [(name: String, value: String)]? {
      let timestamp = String(Int64(date.timeIntervalSince1970.rounded(.down)))
      let parts = payload.components(separatedBy: "{body}").map {
        Data($0.replacingOccurrences(of: "{timestamp}", with: timestamp).utf8)
      }
      var signed = parts[0]
      for part in parts.dropFirst() { signed += body + part }
      guard let code = Self.authenticationCode(for: signed, key: Data(secret.utf8)) else {
        return nil
      }
      let value = format.replacingOccurrences(of: "{hex}", with: code.hexadecimalText)
        .replacingOccurrences(of: "{base64}", with: code.base64EncodedString())
        .replacingOccurrences(of: "{timestamp}", with: timestamp)
      return [(header, value)] + (timestampHeader.map { [($0, timestamp)] } ?? [])
    }

    /// Returns the HMAC-SHA256 of bytes, or `nil` if the library is missing.
    package static func authenticationCode(for data: Data, key: Data) -> Data? {
      #if canImport(CryptoKit)
        return Data(
          HMAC<SHA256>.authenticationCode(for: data, using: SymmetricKey(data: key)))
      #else
        var output = [UInt8](repeating: 0, count: Int(CATENA_HASH_SIZE))
        let size = key.withUnsafeBytes { key in
          data.withUnsafeBytes { data in
            catena_hmac_sha256(
              key.baseAddress, key.count, data.baseAddress, data.count, &output)
          }
        }
        return size > 0 ? Data(output.prefix(size)) : nil
      #endif
    }
  }
}

extension Webhook.Signature: CustomStringConvertible, CustomReflectable {
  /// The name of the header field, without the secret.
  public var description: String { "HMAC-SHA256 in \(header)" }

  /// The members without the secret.
  public var customMirror: Mirror {
    Mirror(self, children: ["header": header, "format": format, "payload": payload])
  }
}
